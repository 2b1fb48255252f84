"""JSON text in, value out, with everything refused that two parsers might read differently."""

import json
from typing import NoReturn

__all__ = ["DECODER", "LIMIT", "NotStrictError", "fault", "parse", "syntax"]

LIMIT = 10_000_000
"""Bytes a row may have."""


class NotStrictError(ValueError):
    """The text is no JSON, or to some readers only: what is wrong, and what to do."""

    def __init__(self, what: str, *, cut: bool = False) -> None:
        """Take the clause, and whether more text could still make it JSON."""
        super().__init__(what)
        self.cut = cut


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    row = dict(pairs)
    if len(row) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise NotStrictError(f"the key {twice[:60]!r} stands twice in one object; keep one")
    return row


def _constant(name: str) -> NoReturn:
    raise NotStrictError(f"{name} is no JSON number; write null or text")


DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant)


def parse(text: str) -> object:
    """Return the one JSON value the text holds.

    Raises:
        NotStrictError: not JSON, a key twice in one object, NaN or Infinity, or nested too deep.
    """
    try:
        return DECODER.decode(text)
    except json.JSONDecodeError as error:
        # In text that is whole but for its end, the decoder fails where the text ends.
        cut = error.pos >= len(text.rstrip())
        raise NotStrictError(f"{syntax(error)}; a row must be one JSON object", cut=cut) from error
    except (ValueError, RecursionError) as error:
        raise fault(error) from error


def syntax(error: json.JSONDecodeError, start: int = 0) -> str:
    """Return what a syntax error says, with its place counted from `start`."""
    what = error.msg.removesuffix(" at")
    return f"not JSON ({what} at character {error.pos - start + 1})"


def fault(error: ValueError | RecursionError) -> NotStrictError:
    """Return what an error of the decoder that is no syntax error says, as a clause."""
    if isinstance(error, NotStrictError):
        return error
    if isinstance(error, RecursionError):
        return NotStrictError("nested too deep; leave out what no judge reads")
    # What is left is Python's guard on the digits of a whole number.
    return NotStrictError("a number has too many digits; write it as text")
