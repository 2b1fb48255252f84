"""A JSON document in, its rows out one by one: an array of objects, or an object around one.

The text is read in a moving window and every row parsed by the standard library where it begins, so
memory holds one row however long the document is. A faster stream parser was tried and left: it
turns a lone surrogate into a question mark and keeps the last of two equal keys, without a word.
"""

import codecs
import json
from collections.abc import Iterator
from typing import NamedTuple

from judge.answers.files import Opened
from judge.answers.places import Place, quoted
from judge.answers.strict import DECODER, LIMIT, fault, syntax
from judge.errors import InputError

__all__ = ["Head", "Row", "document"]

_CHUNK = 1 << 18
_BLANK = " \t\r\n"
_WIDEST = 4
"""Bytes of the longest character in UTF-8."""


class Head(NamedTuple):
    """How a file begins: its first line that is not blank, or the first part of a long one."""

    data: bytes
    line: int
    offset: int
    """Bytes of the blank lines before it."""


class Row(NamedTuple):
    """One row as its file has it: column names to JSON values."""

    place: Place
    cells: dict[str, object]


def document(source: Opened, head: Head) -> Iterator[Row]:
    """Yield the rows of a JSON document.

    Args:
        source: the open file.
        head: what has been read of it already.

    Raises:
        InputError: not strict JSON, not UTF-8, a row that is no object or above 10 MB, no list of
            rows or several, text after the end.
    """
    window = _Window(source, head)
    if window.next() == "[":
        yield from _array(window)
    else:
        yield from _wrapped(window)
    if window.next():
        raise window.refusal("text follows the end of the JSON document; take it away")


def _array(window: "_Window") -> Iterator[Row]:
    window.take()
    if window.next() == "]":
        window.take()
        return
    while True:
        place = window.enter()
        cells = window.value() if window.next() == "{" else None
        if not isinstance(cells, dict):
            raise window.refusal("a row must be an object, { … }; mend the list")
        yield Row(place, cells)
        mark = window.take()
        if mark == "]":
            window.leave()
            return
        if mark != ",":
            raise window.refusal(
                "a comma or the end of the list is missing after this row; mend the list"
            )


def _wrapped(window: "_Window") -> Iterator[Row]:
    """Yield the rows of the one list of objects that stands in an object."""
    window.take()
    names: set[str] = set()
    found: str | None = None
    while True:
        name = _name(window, names)
        if window.next() == "[" and window.opens_rows():
            if found is not None:
                raise window.refusal(
                    f"two lists of rows, {quoted(found)} and {quoted(name)}; keep one"
                )
            found = name
            yield from _array(window)
        else:
            window.value()
        mark = window.take()
        if mark == "}":
            break
        if mark != ",":
            raise window.refusal("a comma or the end of the object is missing; mend the document")
    if found is None:
        raise window.refusal("the object holds no list of rows; give a list of objects")


def _name(window: "_Window", names: set[str]) -> str:
    name = window.value() if window.next() == '"' else None
    if not isinstance(name, str):
        raise window.refusal("not JSON (a name in quotes belongs here); mend the document")
    if name in names:
        raise window.refusal(f"the key {quoted(name)} stands twice in one object; keep one")
    names.add(name)
    if window.take() != ":":
        raise window.refusal(f"not JSON (a colon is missing after {quoted(name)}); mend it")
    return name


class _Window:
    """The part of the text between what is done and what has been read."""

    def __init__(self, source: Opened, head: Head) -> None:
        self._source = source
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text = ""
        self._at = 0
        self._line = head.line
        self._counted = 0
        self._fed = head.offset
        self._row: int | None = None
        self._last = 0
        self._feed(head.data, last=False)

    def next(self) -> str:
        """Return the next character that is not blank, without taking it; empty at the end."""
        while True:
            text, at = self._text, self._at
            while at < len(text) and text[at] in _BLANK:
                at += 1
            self._at = at
            if at < len(text):
                return text[at]
            if not self._more():
                return ""

    def take(self) -> str:
        """Return the next character that is not blank and step over it."""
        char = self.next()
        self._at += len(char)
        return char

    def opens_rows(self) -> bool:
        """Say whether the list that begins here holds an object first."""
        at = self._at + 1
        while True:
            rest = self._text[at:].lstrip(_BLANK)
            if rest:
                return rest[0] == "{"
            done = self._at
            if not self._more():
                return False
            at -= done - self._at

    def enter(self) -> Place:
        """Return the place where the next row begins; until `leave`, faults are that row's."""
        self.next()
        self._row = (self._row or 0) + 1
        return self._place()

    def leave(self) -> None:
        """Note that the list of rows has ended."""
        self._row = None

    def value(self) -> object:
        """Return the value that begins here and step over it."""
        self.next()
        # Rows are mostly of a length: to try one that is cut would be to parse it twice.
        while len(self._text) - self._at < self._last and self._more():
            pass
        while True:
            try:
                value, end = DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                self._read_on(error)
                continue
            except (ValueError, RecursionError) as error:
                raise self.refusal(str(fault(error))) from error
            # A number at the edge of what has been read may go on behind it.
            if end == len(self._text) and not isinstance(value, dict | list | str) and self._more():
                continue
            self._check_size(end)
            self._last = end - self._at
            self._at = end
            return value

    def _read_on(self, error: json.JSONDecodeError) -> None:
        """Read more, for a value may only be cut; refuse where there is no more or it is long."""
        start = self._at
        long = len(self._text) - start > LIMIT
        if not long and self._more():
            return
        what = f"{syntax(error, start)}; mend the row"
        raise self.refusal(f"above 10 MB, or {what}" if long else what) from error

    def _check_size(self, end: int) -> None:
        size = end - self._at
        if size * _WIDEST > LIMIT and len(self._text[self._at : end].encode()) > LIMIT:
            raise self.refusal("the row is above 10 MB; leave out what no judge reads")

    def refusal(self, what: str) -> InputError:
        """Return the error that says what is wrong where the window stands."""
        return InputError(f"{self._place()}: {what}")

    def _place(self) -> Place:
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return Place(self._source.shown, self._line, self._row)

    def _more(self) -> bool:
        """Drop what is done and read on; say whether there was more."""
        self._place()
        self._text = self._text[self._at :]
        self._at = self._counted = 0
        # Reading as much again keeps the number of tries at one long row small.
        data = self._source.read(max(_CHUNK, len(self._text)))
        self._feed(data, last=not data)
        return bool(data)

    def _feed(self, data: bytes, *, last: bool) -> None:
        held = len(self._decoder.getstate()[0])
        try:
            self._text += self._decoder.decode(data, last)
        except UnicodeDecodeError as error:
            line = self._line + self._text.count("\n", self._counted)
            line += error.object.count(b"\n", 0, error.start)
            raise InputError(
                f"{Place(self._source.shown, line)}: not UTF-8 at byte "
                f"{self._fed - held + error.start} of the text; save the file as UTF-8"
            ) from error
        self._fed += len(data)
