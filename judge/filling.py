"""A template text and its dialect in, a function that fills it out.

* `format`: positional `{}`, one for each field in order; `{{` and `}}` stand for braces. Equal to
  str.format byte for byte; every other use of a brace is refused before anything is filled.
* `named`: `{name}`, any order, any number of times; `{{` and `}}` stand for braces. Equal to
  str.format with keywords; every other use of a brace is refused.
* `upper`: as `named`, for names in capitals (`{QUESTION}`).
* `angle`: `<<name>>`; `dollar`: `{$name}`. Both fields of an upstream that replaces one name after
  the other, in the order of the fields: where that would read a value again (an earlier value that
  holds a later field's place), the value is refused, since no prompt of ours may depend on it.
* `concat`: text and values joined, a field before each of its places (offsets in code points).
* `jinja`: see `judge.sandbox`.

In all of them a value is never read again as template.
"""

import functools
import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from judge.errors import InputError

__all__ = ["FILLS", "VALUE_RULES", "filler", "places"]

FILLS = ("format", "named", "upper", "angle", "dollar", "concat", "jinja")
_BRACES = re.compile(r"\{\{|\}\}|\{\}|\{\w+\}|[{}]")
_MARKS = {"angle": re.compile(r"<<(\w+)>>"), "dollar": re.compile(r"\{\$(\w+)\}")}
_DATA_MARK = re.compile(r"\[(?:BEGIN|END) DATA\]", re.IGNORECASE)

Fill = Callable[..., str]


def _data_markers_1(value: str) -> str:
    """A value with `[BEGIN DATA]` and `[END DATA]` made harmless, as inspect_ai does it."""
    return _DATA_MARK.sub(lambda mark: mark.group().replace(" ", "-"), value)


VALUE_RULES: dict[str, Callable[[str], str]] = {
    "as-is": lambda value: value,
    "data-markers/1": _data_markers_1,
}
"""What is done to each value before it enters a text, by the rule's name."""


@functools.lru_cache(maxsize=256)
def filler(fill: str, text: str, names: tuple[str, ...], offsets: tuple[int, ...] = ()) -> Fill:
    """Return the function that fills the text from the fields' values, given in their order.

    Args:
        fill: the dialect.
        text: the template.
        names: what the text calls its fields, in the order the values will come.
        offsets: where the fields go, for `concat` only.

    Raises:
        InputError: an unknown dialect, or a text that does not follow it.
    """
    if offsets and fill != "concat":
        raise InputError(f"has places, which only `concat` takes; its fill is {fill[:40]!r}")
    if fill == "jinja":
        # A rubric in another dialect does not pay for Jinja's import.
        from judge import sandbox  # noqa: PLC0415

        return sandbox.filler(text, names)
    if fill == "concat":
        return _concat(text, names, offsets)
    if fill in _MARKS:
        return _chained(fill, text, names)
    return _joined(_pieces(fill, text, names), names)


def places(fill: str, text: str, names: tuple[str, ...]) -> tuple[str | int, ...]:
    """Return a text as literal pieces and the numbers of the fields between them.

    Raises:
        InputError: a dialect without such pieces, or a text that does not follow it.
    """
    return tuple(_pieces(fill, text, names))


def _pieces(fill: str, text: str, names: Sequence[str]) -> list[str | int]:
    if fill == "format":
        return _positional(text, names)
    if fill in {"named", "upper"}:
        return _named(text, names, upper=fill == "upper")
    if fill in _MARKS:
        return _marked(_MARKS[fill], text, names)
    raise InputError(f"fill {fill[:40]!r} is not one of {', '.join(FILLS)}")


def _joined(pieces: Sequence[str | int], names: Sequence[str]) -> Fill:
    def filled(*values: str) -> str:
        if len(values) != len(names):
            raise InputError(f"has {len(values)} values for {len(names)} fields")
        return "".join(piece if isinstance(piece, str) else values[piece] for piece in pieces)

    return filled


def _chained(fill: str, text: str, names: Sequence[str]) -> Fill:
    once = _joined(_pieces(fill, text, names), names)
    signs = [f"<<{name}>>" if fill == "angle" else f"{{${name}}}" for name in names]

    def filled(*values: str) -> str:
        prompt, theirs = once(*values), text
        for sign, value in zip(signs, values, strict=True):
            theirs = theirs.replace(sign, value)
        if prompt != theirs:
            raise InputError(
                f"a value holds the place of a later field ({' or '.join(signs[1:])}), which the"
                " upstream's own script would fill inside the value; leave this item out"
            )
        return prompt

    return filled


def _positional(text: str, names: Sequence[str]) -> list[str | int]:
    pieces: list[str | int] = []
    found = 0
    for literal, sign in _braced(text):
        pieces.append(literal)
        if sign == "{}":
            pieces.append(found)
            found += 1
        elif sign is not None:
            raise InputError(f"{sign!r}: only `{{}}` is a field in this dialect")
    if found != len(names):
        raise InputError(f"has {found} places `{{}}` for {len(names)} fields ({', '.join(names)})")
    return pieces


def _named(text: str, names: Sequence[str], *, upper: bool) -> list[str | int]:
    if upper and (small := [name for name in names if name != name.upper()]):
        raise InputError(f"field {small[0]!r} is not in capitals, which this dialect's fields are")
    pieces: list[str | int] = []
    for literal, sign in _braced(text):
        pieces.append(literal)
        if sign is not None:
            pieces.append(_number(sign[1:-1], names))
    _check_all(pieces, names)
    return pieces


def _marked(mark: re.Pattern[str], text: str, names: Sequence[str]) -> list[str | int]:
    pieces: list[str | int] = []
    end = 0
    for match in mark.finditer(text):
        pieces += [text[end : match.start()], _number(match[1], names)]
        end = match.end()
    pieces.append(text[end:])
    _check_all(pieces, names)
    return pieces


def _number(name: str, names: Sequence[str]) -> int:
    if name not in names:
        raise InputError(f"uses {name[:40]!r}, which is not among its fields {', '.join(names)}")
    return names.index(name)


def _check_all(pieces: Sequence[str | int], names: Sequence[str]) -> None:
    for number, name in enumerate(names):
        if number not in pieces:
            raise InputError(f"does not use its field {name!r}")


def _braced(text: str) -> list[tuple[str, str | None]]:
    """Return the literal texts, braces resolved, each with the field sign after it."""
    found: list[tuple[str, str | None]] = []
    literal, end = "", 0
    for match in _BRACES.finditer(text):
        literal += text[end : match.start()]
        end = match.end()
        sign = match.group()
        if sign in {"{{", "}}"}:
            literal += sign[0]
        elif len(sign) == 1:
            raise InputError(
                f"character {match.start()}: a lone {sign!r}; write {sign * 2!r} for the sign"
                " itself, or a field of this dialect"
            )
        else:
            found.append((literal, sign))
            literal = ""
    return [*found, (literal + text[end:], None)]


def _concat(text: str, names: Sequence[str], offsets: Sequence[int]) -> Fill:
    if len(offsets) != len(names):
        raise InputError(f"has {len(offsets)} places for {len(names)} fields ({', '.join(names)})")
    cuts = [0, *offsets, len(text)]
    if any(one > other for one, other in pairwise(cuts)):
        raise InputError(f"places {list(offsets)} do not rise within its {len(text)} characters")
    literals = [text[one:other] for one, other in pairwise(cuts)]

    def filled(*values: str) -> str:
        joined = [f"{literal}{value}" for literal, value in zip(literals, values, strict=False)]
        if len(joined) != len(names) or len(values) != len(names):
            raise InputError(f"has {len(values)} values for {len(names)} fields")
        return "".join((*joined, literals[-1]))

    return filled
