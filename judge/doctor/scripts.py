"""JavaScript or TypeScript in, its strings out: quoted ones and template literals; nothing runs.

A reader of strings, not of the language: comments and strings are told apart, and a `/` that
begins a regular expression is taken for an operator, so a quote inside one may swallow text up to
the end of its line.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["String", "strings"]

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b", "f": "\f", "v": "\v"}
_START = re.compile(r"//[^\n]*|/\*.*?\*/|['\"`]", re.DOTALL)
_HEX = re.compile(r"x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})")
_PLAIN = re.compile(r"[^\\\n'\"`$]*")
_LAST = 0x10FFFF


@dataclass(frozen=True, slots=True)
class String:
    """One string: its literal pieces, a field between each two."""

    pieces: tuple[str, ...]
    line: int

    def text(self, field: str) -> str:
        """The string with a sign for each of its fields."""
        return field.join(self.pieces)


def strings(code: str) -> Iterator[String]:
    """Yield every string of the code, in order; one that does not end is left out."""
    at, line, counted = 0, 1, 0
    while match := _START.search(code, at):
        at = match.end()
        quote = match.group()
        if len(quote) > 1:
            continue
        line += code.count("\n", counted, match.start())
        counted = match.start()
        read = _read(code, at, quote)
        if read is not None:
            pieces, at = read
            yield String(pieces, line)
        elif quote == "`":
            return  # all the rest stands in it


def _read(code: str, at: int, quote: str) -> tuple[tuple[str, ...], int] | None:
    """The pieces of a string from behind its quote, and where it ends."""
    pieces: list[str] = []
    run: list[str] = []
    while at < len(code):
        sign = code[at]
        if sign == quote:
            return (*pieces, "".join(run)), at + 1
        if sign == "\n" and quote != "`":
            return None
        if sign == "\\":
            text, at = _escaped(code, at + 1)
            run.append(text)
        elif quote == "`" and code.startswith("${", at):
            at = _field_end(code, at + 2)
            pieces.append("".join(run))
            run = []
        else:
            plain = _PLAIN.match(code, at + 1)
            end = plain.end() if plain else at + 1
            run.append(code[at:end])
            at = end
    return None


def _escaped(code: str, at: int) -> tuple[str, int]:
    if match := _HEX.match(code, at):
        number = int(match[1] or match[2] or match[3], 16)
        return (chr(number) if number <= _LAST else ""), match.end()
    sign = code[at : at + 1]
    if sign == "\n":
        return "", at + 1
    return _ESCAPES.get(sign, sign), at + 1


def _field_end(code: str, at: int) -> int:
    """Where a field of a template literal ends, braces inside it counted."""
    depth = 1
    while at < len(code) and depth:
        depth += {"{": 1, "}": -1}.get(code[at], 0)
        at += 1
    return at
