"""A file in, its rows out one by one, each with its place: JSON Lines, a JSON document, or CSV.

Which of them a file is follows from how it begins, not from its name. A fault ends the reading with
the line it is on.
"""

import csv
from collections.abc import Iterator
from typing import Literal, NamedTuple

from judge.answers.documents import Head, Row, document
from judge.answers.files import Opened
from judge.answers.places import Place, kind, quoted
from judge.answers.strict import LIMIT, NotStrictError, parse
from judge.errors import InputError

__all__ = ["Form", "Row", "Table", "table"]

Form = Literal["jsonl", "json", "csv"]

_HEAD = 1 << 16
_BLANK = "the line is blank; take it away"
_BOM = b"\xef\xbb\xbf"
_JSON_NAMES = (".json", ".jsonl", ".ndjson")
_GOES_ON = ("{", "[", ",", ":", "}", "]")
"""How a line of an object written over several lines ends; a cut row mostly ends otherwise."""
_TOO_LONG = "the row is above 10 MB; leave out what no judge reads"

# The module's own limit of 131,072 characters would refuse answers that JSON may hold.
csv.field_size_limit(LIMIT)


class Table(NamedTuple):
    """The rows of a file, and how it holds them."""

    form: Form
    rows: Iterator[Row]


def table(source: Opened, ids: tuple[str, ...]) -> Table:
    """Return the rows of an open file.

    Args:
        source: the file, nothing of it read yet.
        ids: names an id column may have: they tell a row from an object around a list of rows.

    Raises:
        InputError: the file is empty, begins with a byte order mark, or is no table. Faults inside
            rows are raised while the rows are read.
    """
    head = _head(source)
    mark = head.data.lstrip()[:1]
    if mark == b"[":
        return Table("json", document(source, head))
    head = _whole(source, head)
    if mark == b"{" and _is_document(source, head, ids):
        return Table("json", document(source, head))
    if head.line > 1:
        raise InputError(f"{Place(source.shown, 1)}: {_BLANK}")
    if mark == b"{":
        return Table("jsonl", _json_lines(source, head.data))
    if source.path.name.removesuffix(".gz").endswith(_JSON_NAMES):
        raise InputError(
            f"{Place(source.shown, 1)}: a row must be a JSON object, {{ … }}; this line is not one"
        )
    return Table("csv", _csv_rows(source, head.data))


def _head(source: Opened) -> Head:
    data, line, offset = source.line(_HEAD), 1, 0
    if data.startswith(_BOM):
        # Spreadsheets write one before a CSV; JSON may hold none.
        if data.removeprefix(_BOM).lstrip()[:1] in {b"{", b"["}:
            raise InputError(
                f"{Place(source.shown, 1)}: begins with a byte order mark, which JSON may not; "
                "save the file as UTF-8 without it"
            )
        data, offset = data.removeprefix(_BOM), len(_BOM)
    while data and not data.strip():
        line += data.endswith(b"\n")
        offset += len(data)
        data = source.line(_HEAD)
    if not data:
        raise InputError(f"{source.shown} is empty; there is nothing to judge")
    return Head(data, line, offset)


def _whole(source: Opened, head: Head) -> Head:
    """Return the head with the rest of its line, as far as a row may be long."""
    if head.data.endswith(b"\n") or len(head.data) < _HEAD:
        return head
    return head._replace(data=head.data + source.line(LIMIT + 1 - len(head.data)))


def _is_document(source: Opened, head: Head, ids: tuple[str, ...]) -> bool:
    """Say whether a text that begins with an object is that object, not one row per line."""
    if len(head.data) > LIMIT:
        return True
    place = Place(source.shown, head.line)
    text = _decoded(head.data, place, head.offset)
    try:
        value = parse(text)
    except NotStrictError as fault:
        if fault.cut and text.rstrip().endswith(_GOES_ON):
            return True
        raise InputError(f"{place}: {fault}") from fault
    if not isinstance(value, dict) or not value.keys().isdisjoint(ids):
        return False
    return any(_holds_rows(cell) for cell in value.values())


def _holds_rows(cell: object) -> bool:
    return isinstance(cell, list) and bool(cell) and isinstance(cell[0], dict)


def _decoded(data: bytes, place: Place, offset: int) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InputError(
            f"{place}: not UTF-8 at byte {offset + error.start} of the text; save the file as UTF-8"
        ) from error


def _lines(source: Opened, head: bytes) -> Iterator[tuple[Place, str]]:
    """Yield the lines with their ends."""
    data, number, offset = head, 1, 0
    while data:
        place = Place(source.shown, number)
        if len(data) > LIMIT:
            raise InputError(f"{place}: {_TOO_LONG}")
        yield place, _decoded(data, place, offset)
        offset += len(data)
        number += 1
        data = source.line(LIMIT + 1)


def _json_lines(source: Opened, head: bytes) -> Iterator[Row]:
    blank: Place | None = None
    for place, text in _lines(source, head):
        if text.isspace():
            blank = blank or place
            continue
        if blank is not None:
            raise InputError(f"{blank}: {_BLANK}")
        try:
            cells = parse(text)
        except NotStrictError as fault:
            raise InputError(f"{place}: {fault}") from fault
        if not isinstance(cells, dict):
            raise InputError(f"{place}: a row must be an object, not {kind(cells)}")
        yield Row(place, cells)


class _RowLines:
    """Lines as the csv module takes them, with the place and the length of the row so far."""

    def __init__(self, lines: Iterator[tuple[Place, str]]) -> None:
        self._lines = lines
        self._first: Place | None = None
        self._length = 0
        self.last: Place | None = None

    def __iter__(self) -> "_RowLines":
        return self

    def __next__(self) -> str:
        self.last, text = next(self._lines)
        self._first = self._first or self.last
        self._length += len(text)
        # An open quote swallows the rest of the file.
        if self._length > LIMIT:
            raise InputError(f"{self._first}: {_TOO_LONG}, or close its quotes")
        return text

    def row(self) -> Place | None:
        """Return where the row now read begins, and begin another."""
        place, self._first, self._length = self._first, None, 0
        return place


def _csv_rows(source: Opened, head: bytes) -> Iterator[Row]:
    names: list[str] = []
    blank: Place | None = None
    for place, cells in _csv_cells(_RowLines(_lines(source, head))):
        if blank is not None:
            raise InputError(f"{blank}: {_BLANK}")
        if not cells:
            blank = place
        elif not names:
            names = _header(place, cells)
        elif len(cells) != len(names):
            raise InputError(
                f"{place}: the row has {len(cells)} cells and the header {len(names)}; "
                "give every row a cell for every column"
            )
        else:
            yield Row(place, dict(zip(names, cells, strict=True)))


def _csv_cells(lines: _RowLines) -> Iterator[tuple[Place, list[str]]]:
    reader = csv.reader(lines, strict=True)
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise InputError(
                f"{lines.row() or lines.last}: not CSV ({error}); quote the cell or mend the row"
            ) from error
        place = lines.row()
        if cells is None or place is None:
            return
        yield place, cells


def _header(place: Place, names: list[str]) -> list[str]:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{place}: two columns are named {quoted(twice)}; rename one")
    return names
