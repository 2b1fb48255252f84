"""A plan in, its cells out: which there are, and the one order in which they are first asked."""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field

from judge.errors import VerificationError
from judge.records import AnswerSet, Arm, Cell, Plan

__all__ = ["Layout"]


@dataclass(frozen=True, slots=True)
class Layout:
    """The cells of a plan and their one order.

    `positions` has the question position of every row of items.jsonl; None for a public export,
    where the order is only checked within each condition.
    """

    plan: Plan
    arms: tuple[Arm | None, ...]
    """The arm of every control row; None where the controls are not at hand."""
    positions: "array[int] | None"
    ids: tuple[str, ...] = field(init=False)
    sets: dict[str, AnswerSet] = field(init=False)
    rows: int = field(init=False)
    batches: int = field(init=False)
    _at: "dict[str, array[int]]" = field(init=False)
    """By answers set: the row of every position, -1 where there is none."""

    def __post_init__(self) -> None:
        """Derive what is asked for on every line."""
        put = object.__setattr__  # the class is frozen; these follow from its fields
        put(self, "ids", tuple(condition.id for condition in self.plan.conditions))
        put(self, "sets", {s.name: s for s in self.plan.answers})
        put(self, "rows", sum(s.rows for s in self.plan.answers))
        size = self.plan.gate.batch_size
        put(self, "batches", -(-self.plan.questions // size) if size else 1)
        put(self, "_at", {} if self.positions is None else self._rows_by_position(self.positions))

    @property
    def cells(self) -> int:
        """Answer cells of the plan."""
        sets = [self.sets[condition.answers] for condition in self.plan.conditions]
        return self.plan.repetitions * sum(s.rows for s in sets)

    def batch_of(self, row: int) -> int:
        """The batch of an items row; 0 where positions are not known and there are batches."""
        size = self.plan.gate.batch_size
        if not size or self.positions is None:
            return 0
        return self.positions[row] // size

    def order(self) -> Iterator[Cell]:
        """Yield every cell in the order of first attempts (rule 2)."""
        for batch in range(self.batches):
            yield from self.controls(batch)
            yield from self.answers(batch)

    def controls(self, batch: int) -> Iterator[Cell]:
        """Yield the control cells of a batch in order."""
        for repetition in range(1, self.plan.repetitions + 1):
            for row in range(len(self.arms)):
                for number in self._rotated(row + repetition - 1):
                    yield Cell("control", batch, self.ids[number], repetition, row)

    def answers(self, batch: int) -> Iterator[Cell]:
        """Yield the answer cells of a batch in order."""
        if self.positions is None:
            raise VerificationError("the order of a run needs its items; this is a public export")
        size = self.plan.gate.batch_size or max(self.plan.questions, 1)
        first, last = batch * size, min((batch + 1) * size, self.plan.questions)
        for repetition in range(1, self.plan.repetitions + 1):
            for position in range(first, last):
                for number in self._rotated(position + repetition - 1):
                    row = self._at[self.plan.conditions[number].answers][position]
                    if row >= 0:
                        yield Cell("answer", batch, self.ids[number], repetition, row)

    def _rotated(self, by: int) -> Iterator[int]:
        count = len(self.ids)
        return ((number + by) % count for number in range(count))

    def _rows_by_position(self, positions: "array[int]") -> "dict[str, array[int]]":
        rows: dict[str, array[int]] = {}
        for name, answers in self.sets.items():
            at = rows[name] = array("q", [-1]) * self.plan.questions
            for row in range(answers.first_row, answers.first_row + answers.rows):
                at[positions[row]] = row
        return rows
