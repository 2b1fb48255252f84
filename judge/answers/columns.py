"""Rows in, checked fields out: which column holds what, by map or by the shapes that are known.

Known are LongMemEval's hypotheses, references and eval results, the rows of its evidence release,
and the plain names below. A column map wins; two candidates in one row are refused, never chosen
between.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from judge.answers.places import Place, listed, quoted
from judge.answers.rows import Form, Row
from judge.answers.values import Cell
from judge.errors import InputError

__all__ = ["Answer", "Columns", "KeyRow", "Role", "check_map"]

Role = Literal["answers", "references"]

_CANDIDATES = {
    "id": ("question_id", "id"),
    "type": ("question_type", "type"),
    "question": ("question",),
    "gold": ("gold", "answer", "reference"),
    "abstention": ("abstention",),
    "response": ("hypothesis", "response", "output"),
    "prior": ("autoeval_label", "llm_judge_correct", "prior"),
}
_FIELDS: dict[Role, tuple[str, ...]] = {
    "answers": tuple(_CANDIDATES),
    "references": ("id", "type", "question", "gold", "abstention"),
}
_NEEDED: dict[Role, tuple[str, ...]] = {
    "answers": ("id", "response"),
    "references": ("id", "question", "gold"),
}


_LAYOUTS = 1000
"""Sets of columns remembered: a file whose every row has its own must not fill memory."""


class KeyRow(NamedTuple):
    """What a row says of its question; null where it has no such column."""

    type: str | None
    question: str | None
    gold: str | None
    abstention: bool | None


class Answer(NamedTuple):
    """What a row says of its answer."""

    response: str
    prior: str | None


class _Layout(NamedTuple):
    id: str | None = None
    type: str | None = None
    question: str | None = None
    gold: str | None = None
    abstention: str | None = None
    response: str | None = None
    prior: str | None = None


def check_map(role: Role, columns: Iterable[tuple[str, str]]) -> None:
    """Return when a column map names each field of its role at most once.

    Raises:
        InputError: an unknown field, or one named twice.
    """
    named: set[str] = set()
    for field, _ in columns:
        if field not in _FIELDS[role]:
            raise InputError(
                f"--{role}-field {quoted(field)}: no such field; there are "
                + ", ".join(_FIELDS[role])
            )
        if field in named:
            raise InputError(f"--{role}-field {field} is given twice; give it once")
        named.add(field)


class Columns:
    """The columns of one file: found by name, the same in every row, cells read by field."""

    def __init__(self, role: Role, columns: tuple[tuple[str, str], ...]) -> None:
        self._role: Role = role
        self._map = dict(columns)
        self._layouts: dict[tuple[str, ...], _Layout] = {}
        self._used: dict[str, str] = {}
        self._csv = False
        self.seen: dict[str, None] = {}
        """Every column of any row, in the order met."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The names the id column may have."""
        return (self._map["id"],) if "id" in self._map else _CANDIDATES["id"]

    def takes(self, form: Form) -> None:
        """Note how the file holds its rows: in CSV every cell is text."""
        self._csv = form == "csv"

    def id(self, row: Row) -> str:
        """Return the row's id."""
        return self._cell(row, self._layout(row).id).id()

    def key(self, row: Row) -> KeyRow:
        """Return what the row says of its question."""
        at = self._layout(row)
        return KeyRow(
            None if at.type is None else self._cell(row, at.type).type(),
            None if at.question is None else self._cell(row, at.question).question(),
            None if at.gold is None else self._cell(row, at.gold).gold(),
            None if at.abstention is None else self._cell(row, at.abstention).flag(),
        )

    def answer(self, row: Row, *, allow_empty: bool) -> Answer:
        """Return what the row says of its answer."""
        at = self._layout(row)
        response = self._cell(row, at.response).response(allow_empty=allow_empty)
        if at.prior is None:
            return Answer(response, None)
        return Answer(response, self._cell(row, at.prior).prior(row.cells.get("attempts")))

    def check_map_used(self, file: str) -> None:
        """Return when every column named by the map was met in the file.

        Raises:
            InputError: one was in no row.
        """
        for field, column in self._map.items():
            if column and column not in self.seen:
                raise InputError(
                    f"{file}: --{self._role}-field {field}={quoted(column)}: no row has that "
                    f"column; there are {listed(self.seen, 20)}"
                )

    def _cell(self, row: Row, column: str | None) -> Cell:
        if column is None:
            raise TypeError("a needed column is checked where the layout is made")
        return Cell(row.place, column, row.cells[column], csv=self._csv)

    def _layout(self, row: Row) -> _Layout:
        names = tuple(row.cells)
        layout = self._layouts.get(names)
        if layout is None:
            self.seen.update(dict.fromkeys(names))
            if len(self._layouts) >= _LAYOUTS:
                self._layouts.clear()
            layout = self._layouts[names] = self._find(row.place, row.cells)
        return layout

    def _find(self, place: Place, cells: dict[str, object]) -> _Layout:
        found = {field: self._column(place, field, cells) for field in _FIELDS[self._role]}
        for field, column in found.items():
            if column is None and field in _NEEDED[self._role]:
                raise InputError(
                    f"{place}: no column for {field}; name it with --{self._role}-field "
                    f"{field}=COLUMN; there are {listed(cells, 20)}"
                )
            if column is not None and self._used.setdefault(field, column) != column:
                raise InputError(
                    f"{place}: {field} stands in {quoted(column)} here and in "
                    f"{quoted(self._used[field])} above; give every row the same columns"
                )
        return _Layout(**found)

    def _column(self, place: Place, field: str, cells: dict[str, object]) -> str | None:
        if field in self._map:
            # An empty name says that the file has no such field, whatever its columns are called.
            column = self._map[field]
            return column if column in cells and column else None
        taken = self._map.values()
        found = [name for name in _CANDIDATES[field] if name in cells and name not in taken]
        if len(found) > 1:
            raise InputError(
                f"{place}: {field} may stand in {listed(found)}; say which with "
                f"--{self._role}-field {field}=COLUMN"
            )
        return found[0] if found else None
