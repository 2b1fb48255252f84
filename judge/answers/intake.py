"""Files in, one after the other; their rows checked, numbered and put aside on disk."""

from array import array
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from judge.answers.columns import Answer, Columns, Role
from judge.answers.files import Opened, Taken
from judge.answers.key import Key, Marks
from judge.answers.places import Place, listed, quoted, shown
from judge.answers.rows import Row, table
from judge.answers.selecting import Conditions
from judge.answers.spool import Rows, Spool
from judge.errors import InputError
from judge.records import Source

__all__ = ["AnswerRows", "Intake"]

_NUL = "\0"
_PARTS = 16
"""Equal texts are counted part by part: all at once would be the largest thing in memory."""


class AnswerRows:
    """The rows of one answers file, by question number."""

    def __init__(self, name: str, path: Path, spool: Spool, conditions: Conditions) -> None:
        self.name = name
        self.file = shown(path)
        self.order = array("q")
        """Question numbers in the order of the file."""
        self.rows = Rows(spool)
        self.marks = Marks(conditions.columns)
        self._prints = array("q")
        self._nul = 0

    def put(self, number: int, row: Row, answer: Answer) -> None:
        """Keep a row."""
        self.order.append(number)
        self.rows.put(number, row.place, answer)
        self.marks.put(number, row.cells)
        # A hash is enough for a count of equal texts, and eight bytes where a text may be 10 MB.
        self._prints.append(hash(answer.response))
        self._nul += _NUL in answer.response

    def warnings(self) -> Iterator[str]:
        """Yield what is allowed in the file and worth a look, one sentence each."""
        total = len(self.order)
        same = sum(self._twins(part) for part in range(_PARTS))
        if same:
            yield f"{self.file}: {same} of {total} answers are byte-identical to another row's"
        if self._nul:
            yield (
                f"{self.file}: {self._nul} of {total} answers hold a NUL character, "
                "which some servers refuse"
            )

    def _twins(self, part: int) -> int:
        counts = Counter(one for one in self._prints if one % _PARTS == part)
        return sum(count for count in counts.values() if count > 1)


class Intake:
    """Everything read so far."""

    def __init__(self, conditions: Conditions) -> None:
        self._conditions = conditions
        self._spool = Spool()
        self._references: str | None = None
        self._seen: dict[str, None] = {}
        self.key = Key(self._spool, conditions.columns)
        self.sets: list[AnswerRows] = []
        self.taken: list[Taken] = []
        self.sources: list[Source] = []

    def references(self, path: Path, mapped: tuple[tuple[str, str], ...]) -> None:
        """Read the answer key; raises InputError."""
        self._references = shown(path)
        columns = Columns("references", mapped)
        for row in self._rows("references", "references", path, columns):
            name = columns.id(row)
            number = self.key.number(name)
            if number in self.key:
                raise _twice(row.place, name, self.key.place(number))
            self.key.put(number, row.place, columns.key(row))
            self.key.marks.put(number, row.cells)

    def answers(
        self, name: str, path: Path, mapped: tuple[tuple[str, str], ...], *, allow_empty: bool
    ) -> None:
        """Read one answers file; raises InputError."""
        columns = Columns("answers", mapped)
        found = AnswerRows(name, path, self._spool, self._conditions)
        for row in self._rows("answers", name, path, columns):
            question = columns.id(row)
            number = self.key.number(question)
            if number in found.rows:
                raise _twice(row.place, question, found.rows.place(number, found.file))
            answer = columns.answer(row, allow_empty=allow_empty)
            self._hold(number, row, columns)
            found.put(number, row, answer)
        self.sets.append(found)

    def check_complete(self) -> None:
        """Return when every answer has a row in the key and every condition its column.

        Raises:
            InputError: some have none.
        """
        for one in self.sets:
            lost = [number for number in one.order if number not in self.key]
            if lost:
                ids = self.key.ids()
                raise InputError(
                    f"{one.rows.place(lost[0], one.file)}: {len(lost)} of {len(one.order)} answers "
                    f"have no row in {self._references} "
                    f"({listed([ids[number] for number in lost])}); add the rows there, "
                    "or take the answers out"
                )
        self._conditions.check_columns(self._seen)

    def _hold(self, number: int, row: Row, columns: Columns) -> None:
        """Hold what an answer's row says of its question against the key, or make it the key."""
        own = columns.key(row)
        if number in self.key:
            if any(value is not None for value in own):
                self.key.agree(number, row.place, own)
        elif self._references is None:
            if own.question is None or own.gold is None:
                raise InputError(
                    f"{row.place}: the row has no question and gold of its own; "
                    "name the answer key with --references FILE"
                )
            self.key.put(number, row.place, own)

    def _rows(self, role: Role, name: str, path: Path, columns: Columns) -> Iterator[Row]:
        count = 0
        with Opened(path) as file:
            found = table(file, columns.ids)
            columns.takes(found.form)
            for row in found.rows:
                count += 1
                yield row
            taken = file.taken()
        if not count:
            raise InputError(f"{shown(path)} has no rows; there is nothing to judge")
        columns.check_map_used(shown(path))
        self._seen.update(columns.seen)
        self.taken.append(taken)
        self.sources.append(
            Source(
                role=role,
                name=name,
                # A file system may hold names that are no UTF-8.
                file=path.name.encode(errors="backslashreplace").decode(),
                sha256=taken.sha256,
                bytes=taken.bytes,
                rows=count,
            )
        )


def _twice(place: Place, name: str, first: Place) -> InputError:
    return InputError(
        f"{place}: the id {quoted(name)} stands at {first} already; "
        'give every row its own id (1 and "1" are one)'
    )
