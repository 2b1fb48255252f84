"""Rows of an answer key in, questions by number out; rows that speak of one question must agree."""

from array import array
from collections.abc import Iterator
from typing import cast

from judge.answers.columns import KeyRow
from judge.answers.places import Place, quoted
from judge.answers.selecting import ABSENT, Condition, Mark
from judge.answers.spool import Rows, Spool
from judge.errors import InputError
from judge.records import Reference

__all__ = ["Key", "Marks"]

_UNTYPED = "untyped"
_ABSTENTION = "_abs"


class Marks:
    """What each column condition says of each row, one byte each."""

    def __init__(self, conditions: tuple[Condition, ...]) -> None:
        self._conditions = conditions
        self._marks = [bytearray() for _ in conditions]

    def put(self, number: int, cells: dict[str, object]) -> None:
        """Mark a row."""
        for condition, marks in zip(self._conditions, self._marks, strict=True):
            if number >= len(marks):
                marks.extend(bytes(number + 1 - len(marks)))
            marks[number] = condition.mark(cells)

    def get(self, number: int) -> Iterator[Mark]:
        """Yield the marks of a row, `ABSENT` for one never marked."""
        for marks in self._marks:
            yield cast("Mark", marks[number]) if number < len(marks) else ABSENT


class Key:
    """Every question met, by number in the order met, with its row of the answer key if any."""

    def __init__(self, spool: Spool, conditions: tuple[Condition, ...]) -> None:
        self.marks = Marks(conditions)
        self._numbers: dict[str, int] = {}
        self._ids: tuple[str, ...] = ()
        self._rows = Rows(spool)
        self._files: list[str] = []
        self._homes = array("H")
        """Which file each row of the key came from."""

    def __contains__(self, number: int) -> bool:
        """Say whether the question has a row."""
        return number in self._rows

    def number(self, question: str) -> int:
        """Return the question's number, a new one where the id is new."""
        return self._numbers.setdefault(question, len(self._numbers))

    def ids(self) -> tuple[str, ...]:
        """Return the ids by number; the same object while no id is added."""
        if len(self._ids) != len(self._numbers):
            self._ids = tuple(self._numbers)
        return self._ids

    def place(self, number: int) -> Place:
        """Return where the question's row of the answer key stands."""
        return self._rows.place(number, self._files[self._homes[number]])

    def put(self, number: int, place: Place, row: KeyRow) -> None:
        """Keep the row of a question."""
        if place.file not in self._files:
            self._files.append(place.file)
        if number >= len(self._homes):
            self._homes.extend([0] * (number + 1 - len(self._homes)))
        self._homes[number] = self._files.index(place.file)
        self._rows.put(number, place, row)

    def agree(self, number: int, place: Place, row: KeyRow) -> None:
        """Hold another row of the same question against the key's, and fill its gaps from it.

        Raises:
            InputError: they differ.
        """
        known = self._row(number)
        for field, ours, theirs in zip(KeyRow._fields, known, row, strict=True):
            if ours is not None and theirs is not None and ours != theirs:
                raise InputError(
                    f"{place}: {field} is {_shown(theirs)} here and {_shown(ours)} at "
                    f"{self.place(number)}; correct one, or leave the column out here with "
                    f"--answers-field {field}="
                )
        merged = KeyRow(
            row.type if known.type is None else known.type,
            row.question if known.question is None else known.question,
            row.gold if known.gold is None else known.gold,
            row.abstention if known.abstention is None else known.abstention,
        )
        if merged != known:
            self.put(number, place, merged)

    def reference(self, number: int, question: str) -> Reference:
        """Return a question's row of the answer key; raises KeyError where it has none."""
        row = self._row(number)
        if row.question is None or row.gold is None:
            raise TypeError("a row of the key has question and gold from the start")
        return Reference(
            id=question,
            type=_UNTYPED if row.type is None else row.type,
            question=row.question,
            gold=row.gold,
            abstention=_ABSTENTION in question if row.abstention is None else row.abstention,
        )

    def _row(self, number: int) -> KeyRow:
        return KeyRow._make(self._rows.get(number))


def _shown(value: object) -> str:
    return quoted(value) if isinstance(value, str) else str(value).lower()
