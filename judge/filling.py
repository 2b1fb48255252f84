"""A template text and its dialect in, a function that fills it out.

* `format`: positional `{}`, one for each field in order; `{{` and `}}` stand for braces. Equal to
  str.format byte for byte; every other use of a brace is refused before anything is filled.
* `jinja`: see `judge.sandbox`.

In both a value is never read again as template.
"""

import functools
import re
from collections.abc import Callable, Sequence

from judge.errors import InputError

__all__ = ["FILLS", "filler"]

FILLS = ("format", "jinja")
_BRACES = re.compile(r"\{\{|\}\}|\{\}|[{}]")


@functools.lru_cache(maxsize=256)
def filler(fill: str, text: str, fields: tuple[str, ...]) -> Callable[..., str]:
    """Return the function that fills the text from the fields' values, given in their order.

    Raises:
        InputError: an unknown dialect, or a text that does not follow it.
    """
    if fill == "format":
        return _format(text, fields)
    if fill == "jinja":
        # A rubric in the other dialect does not pay for Jinja's import.
        from judge import sandbox  # noqa: PLC0415

        return sandbox.filler(text, fields)
    raise InputError(f"fill {fill[:40]!r} is not one of {', '.join(FILLS)}")


def _format(text: str, fields: Sequence[str]) -> Callable[..., str]:
    literals = _literals(text)
    if len(literals) - 1 != len(fields):
        raise InputError(
            f"has {len(literals) - 1} places `{{}}` for {len(fields)} fields ({', '.join(fields)})"
        )
    pieces = [piece for literal in literals for piece in (literal, "")][:-1]

    def fill(*values: str) -> str:
        filled = pieces.copy()
        # A slice with a step takes as many values as it has places, or raises.
        filled[1::2] = values
        return "".join(filled)

    return fill


def _literals(text: str) -> list[str]:
    """Return the texts before, between and after the places, braces resolved."""
    literals = [""]
    end = 0
    for match in _BRACES.finditer(text):
        literals[-1] += text[end : match.start()]
        end = match.end()
        sign = match.group()
        if sign == "{}":
            literals.append("")
        elif len(sign) == 1:
            raise InputError(
                f"character {match.start()}: a lone {sign!r}; write `{{}}` for a field and"
                f" {sign * 2!r} for the sign itself"
            )
        else:
            literals[-1] += sign[0]
    literals[-1] += text[end:]
    return literals
