"""The state machine of a run: what has been asked, and what may come next.

One place holds rules 2 to 10 of receipts/FORMAT.md. The run feeds it every line it is about to
write, and the recount feeds it every line it reads, so a run cannot write what a recount would
refuse. It knows cells by number and keeps a few bytes for each: no texts, no files.
"""

from array import array
from collections.abc import Iterator
from typing import assert_never

from judge.errors import VerificationError
from judge.gate import Mark, Weighed, threshold, weigh
from judge.layout import Layout
from judge.records import (
    ARMS,
    Arm,
    Cell,
    Fact,
    Gate,
    Intent,
    Reading,
    Receipt,
    Recovered,
    Resumed,
    Seal,
    Start,
    Stopped,
)

__all__ = ["NEVER_REASKED", "Progress", "Status"]

NEVER_REASKED = frozenset({"rejected_request", "too_large", "left_unknown"})
"""Reasons that asking the same request again cannot change, or that close a cell by decision."""

_NEW, _OPEN, _UNKNOWN, _REFUSED, _UNDECIDED, _FINAL = range(6)
_MARKS: tuple[Mark, ...] = ("correct", "wrong", "undecided")


class Status:
    """What a cell is: a name for each code that `Progress.status` gives."""

    NEW = _NEW
    OPEN = _OPEN
    UNKNOWN = _UNKNOWN
    REFUSED = _REFUSED
    UNDECIDED = _UNDECIDED
    FINAL = _FINAL


class Progress:
    """A run as far as its lines tell; every line that may not come raises VerificationError."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        plan = layout.plan
        self._share = threshold(plan.gate.threshold)
        self._number = {name: number for number, name in enumerate(layout.ids)}
        self._span = plan.repetitions * len(layout.ids)
        self._controls = layout.batches * self._span * len(layout.arms)
        size = self._controls + self._span * layout.rows
        self._status = bytearray(size)
        self._attempts = array("H", bytes(2 * size))
        self._undecided = bytearray(size)
        self._lost = bytearray(size)
        self._marks = bytearray(self._controls)
        self._open: dict[int, int] = {}
        self._gates: dict[tuple[int, str, int], dict[Arm, tuple[int, bool]]] = {}
        self._routes: dict[tuple[str, int], str] = {}
        self._row_arms: list[Arm | None] = list(layout.arms)
        self._asked: set[int] = set()
        self._order = None if layout.positions is None else layout.order()
        self._last_row: dict[tuple[str, int, str, int], int] = {}
        self._halted = False
        self._reopenable: set[int] = set()
        self.seal: Seal | None = None
        self.failed = False
        self.resumed = 0
        self.lines = 0
        self.closed_answers = 0
        self.decided = 0

    # --- questions ------------------------------------------------------------------------------

    def status(self, cell: Cell) -> int:
        """The `Status` of a cell."""
        return self._status[self._index(cell)]

    def attempts(self, cell: Cell) -> int:
        """How often a cell has been asked."""
        return self._attempts[self._index(cell)]

    def was_lost(self, cell: Cell) -> bool:
        """Whether an earlier attempt may have been answered unseen."""
        return bool(self._lost[self._index(cell)])

    def is_lost_now(self, cell: Cell) -> bool:
        """Whether the last attempt was left open by a process that has ended."""
        index = self._index(cell)
        return self._status[index] == _OPEN and self._open[index] < self.resumed

    def undecided_so_far(self, cell: Cell) -> int:
        """How many undecided receipts a cell has."""
        return self._undecided[self._index(cell)]

    def latest_intent(self, cell: Cell) -> int | None:
        """The seq of the last intent of a cell that is not final, if it was asked."""
        return self._open.get(self._index(cell))

    def gates(self, batch: int) -> dict[tuple[str, int], tuple[int, ...]]:
        """Gate line numbers of a batch by (condition, repetition), oldest first."""
        return {
            (condition, repetition): tuple(sorted(seq for seq, _ in arms.values()))
            for (number, condition, repetition), arms in self._gates.items()
            if number == batch
        }

    def gate_arms(self, batch: int) -> set[tuple[str, int, Arm]]:
        """The (condition, repetition, arm) of a batch that have their gate line."""
        return {
            (condition, repetition, arm)
            for (number, condition, repetition), arms in self._gates.items()
            if number == batch
            for arm in arms
        }

    def decided_gates(self, batch: int) -> bool:
        """Whether every group of a batch has its gate line."""
        return len(self.gates(batch)) == self._span and all(
            len(arms) == len(self._arms())
            for (number, _, _), arms in self._gates.items()
            if number == batch
        )

    def weighed(self, batch: int, condition: str, repetition: int, arm: Arm) -> Weighed:
        """Recompute one group from its closed controls (rule 6)."""
        marks = []
        for row, of in enumerate(self._row_arms):
            if of != arm:
                continue
            index = self._control_index(batch, condition, repetition, row)
            if self._status[index] != _FINAL:
                raise VerificationError(
                    f"the {arm} controls of {condition}, repetition {repetition} are not all closed"
                )
            route = self._routes.get((condition, row), "")
            marks.append((route, _MARKS[self._marks[index] - 1]))
        return weigh(arm, marks, self._share)

    def groups(self, batch: int) -> Iterator[tuple[int, str, Arm]]:
        """Yield (repetition, condition, arm) of a batch in the order of its gate lines."""
        del batch  # the same groups stand before every batch
        for repetition in range(1, self.layout.plan.repetitions + 1):
            for condition in self.layout.ids:
                for arm in self._arms():
                    yield repetition, condition, arm

    def controls_closed(self, batch: int) -> bool:
        """Whether every control cell of a batch is closed."""
        each = self._span * len(self.layout.arms)
        part = self._status[batch * each : (batch + 1) * each]
        return part.count(_FINAL) == each

    def open_cells(self) -> int:
        """Cells that may have been answered unseen: open intents and closed unknowns."""
        return self._status.count(_OPEN) + self._status.count(_UNKNOWN)

    # --- lines ----------------------------------------------------------------------------------

    def feed(self, seq: int, fact: Fact, route: str | None = None) -> None:
        """Take one line; raises VerificationError when it may not come here.

        Args:
            seq: the line's number.
            fact: what it says.
            route: the template of a receipt's row (its private `item` names it).
        """
        self.lines = seq + 1
        if self.seal is not None:
            raise VerificationError("a line follows the seal")
        if (seq == 0) != isinstance(fact, Start):
            raise VerificationError("the first line, and only the first, is the start")
        if self._halted and fact.kind not in {"resumed", "recovered"}:
            raise VerificationError(f"a {fact.kind} line follows a stop without a resumed line")
        self._take(seq, fact, route)

    def _take(self, seq: int, fact: Fact, route: str | None) -> None:
        match fact:
            case Intent():
                self._intent(seq, fact)
            case Receipt():
                self._receipt(fact, route)
            case Gate():
                self._gate(seq, fact)
            case Resumed():
                self._resume(fact)
            case Seal():
                self._sealed(fact)
            case Stopped() | Recovered():
                self._halted = True
            case Start():
                pass
            case _:
                assert_never(fact)

    # --- attempts -------------------------------------------------------------------------------

    def _index(self, cell: Cell | Intent | Receipt) -> int:
        if cell.phase == "control":
            return self._control_index(cell.batch, cell.condition, cell.repetition, cell.row)
        number = self._known(cell.condition, cell.repetition)
        answers = self.layout.sets[self.layout.plan.conditions[number].answers]
        if not 0 <= cell.row - answers.first_row < answers.rows:
            raise VerificationError(f"row {cell.row} is not among the answers of {cell.condition}")
        group = (cell.repetition - 1) * len(self.layout.ids) + number
        return self._controls + group * self.layout.rows + cell.row

    def _control_index(self, batch: int, condition: str, repetition: int, row: int) -> int:
        number = self._known(condition, repetition)
        if row >= len(self.layout.arms) or batch >= self.layout.batches:
            raise VerificationError(f"there is no control row {row} in batch {batch}")
        group = (batch * self.layout.plan.repetitions + repetition - 1) * len(self._number) + number
        return group * len(self.layout.arms) + row

    def _known(self, condition: str, repetition: int) -> int:
        number = self._number.get(condition)
        if number is None or repetition > self.layout.plan.repetitions:
            raise VerificationError(f"{condition}, repetition {repetition} is not in the plan")
        return number

    def _intent(self, seq: int, fact: Intent) -> None:
        index = self._index(fact)
        self._check_place(fact)
        if self.failed:
            raise VerificationError("a question was asked after a group failed")
        self._check_free(index)
        if fact.attempt != self._attempts[index] + 1:
            raise VerificationError(f"attempt {fact.attempt} follows {self._attempts[index]}")
        if fact.after_unknown != bool(self._lost[index]):
            raise VerificationError("after_unknown does not follow from the attempts before")
        if fact.attempt == 1:
            self._check_order(fact)
        self._attempts[index] = fact.attempt
        self._status[index] = _OPEN
        self._open[index] = seq

    def _check_free(self, index: int) -> None:
        """Whether the cell may be asked now; an intent left open by a dead process is lost."""
        if self._status[index] == _FINAL:
            raise VerificationError("the cell was asked again after it was closed")
        if self._status[index] == _OPEN:
            if self._open[index] >= self.resumed:
                raise VerificationError("the cell was asked again while it was open")
            self._lost[index] = 1

    def _check_place(self, fact: Intent | Receipt) -> None:
        if fact.phase == "control":
            self._reopen_late(fact.batch)
            known = self._row_arms[fact.row]
            if fact.arm is None or known not in {None, fact.arm}:
                raise VerificationError(f"control row {fact.row} is not in the {fact.arm} arm")
            self._row_arms[fact.row] = fact.arm
            return
        if fact.arm is not None:
            raise VerificationError("an answer has no arm")
        if self.layout.positions is not None and fact.batch != self.layout.batch_of(fact.row):
            raise VerificationError(f"row {fact.row} does not belong to batch {fact.batch}")
        if not self._cleared(fact.batch):
            raise VerificationError("an answer was asked before every group of its batch passed")

    def _cleared(self, batch: int) -> bool:
        if batch not in self._asked:
            if self.failed or not self.decided_gates(batch):
                return False
            self._asked.add(batch)
        return True

    def _check_order(self, fact: Intent) -> None:
        if self._order is None:
            self._check_rising(fact)
            return
        cell = next(self._order, None)
        if cell != (fact.phase, fact.batch, fact.condition, fact.repetition, fact.row):
            raise VerificationError(
                f"{fact.phase} row {fact.row} of {fact.condition}, repetition {fact.repetition} "
                "was asked out of the plan's order"
            )

    def _check_rising(self, fact: Intent) -> None:
        key = (fact.phase, fact.batch, fact.condition, fact.repetition)
        if fact.row <= self._last_row.get(key, -1):
            raise VerificationError(f"row {fact.row} of {fact.condition} was asked out of order")
        self._last_row[key] = fact.row

    def _receipt(self, fact: Receipt, route: str | None) -> None:
        index = self._index(fact)
        self._check_place(fact)
        status = self._status[index]
        live = status == _OPEN and self._open[index] >= self.resumed
        lost = status == _UNKNOWN or (status == _OPEN and not live)
        if not (lost if fact.reason == "left_unknown" else live):
            raise VerificationError("a receipt closes an attempt that is not open")
        if fact.intent_seq != self._open.get(index) or fact.attempt != self._attempts[index]:
            raise VerificationError("a receipt names another attempt than the last of its cell")
        self._check_standing(fact)
        if fact.phase == "control" and route is not None:
            self._routes[fact.condition, fact.row] = route
        self._close(index, fact)

    def _check_standing(self, fact: Receipt) -> None:
        if fact.phase == "control":
            if fact.gate_seqs is not None or not fact.expect:
                raise VerificationError("a control states what is expected, and no gate")
            return
        arms = self._gates[fact.batch, fact.condition, fact.repetition]
        if fact.gate_seqs != tuple(sorted(seq for seq, _ in arms.values())):
            raise VerificationError("gate_seqs are not the gate lines this verdict stands on")
        if fact.expect is not None:
            raise VerificationError("an answer has no expected label")

    def _close(self, index: int, fact: Receipt) -> None:
        if fact.outcome == "undecided":
            self._undecided[index] += 1
        if fact.final != self.is_final(fact, self._undecided[index]):
            raise VerificationError("`final` does not follow from the outcome and `reask`")
        if fact.outcome == "unknown" or fact.reason == "left_unknown":
            # A control that was left unknown may be asked again by a recheck: it was lost before.
            self._lost[index] = 1
        if fact.outcome == "unknown":
            self._status[index] = _UNKNOWN
        elif not fact.final:
            self._status[index] = _UNDECIDED if fact.outcome == "undecided" else _REFUSED
        else:
            self._finish(index, fact)

    def _finish(self, index: int, fact: Receipt) -> None:
        self._status[index] = _FINAL
        del self._open[index]
        if fact.phase == "control":
            right = fact.label is not None and fact.label in (fact.expect or ())
            mark: Mark = "correct" if right else "wrong" if fact.label else "undecided"
            self._marks[index] = _MARKS.index(mark) + 1
            return
        self.closed_answers += 1
        self.decided += fact.label is not None

    def is_final(self, fact: Receipt | Reading, undecided: int) -> bool:
        """Whether a receipt closes its cell (rule 5); `undecided` counts this one too."""
        if fact.outcome == "decided":
            return True
        if fact.outcome != "undecided":
            return False
        return fact.reason in NEVER_REASKED or undecided > self.layout.plan.reask

    # --- gates, stops, seal ---------------------------------------------------------------------

    def _arms(self) -> tuple[Arm, ...]:
        return tuple(arm for arm in ARMS if arm in self._row_arms)

    def _gate(self, seq: int, fact: Gate) -> None:
        if not self.controls_closed(fact.batch):
            raise VerificationError("a group was decided before every control of its batch")
        expected = self._next_group(fact.batch)
        if (fact.repetition, fact.condition, fact.arm) != expected:
            raise VerificationError("gate lines of a batch are out of order or doubled")
        found = self.weighed(fact.batch, fact.condition, fact.repetition, fact.arm)
        said = Weighed(
            fact.asked,
            fact.correct,
            fact.undecided,
            fact.need,
            fact.routes,
            fact.passed,
        )
        if said != found:
            raise VerificationError(
                f"the {fact.arm} gate of {fact.condition}, repetition {fact.repetition} says "
                f"{fact.correct} of {fact.asked}; its controls say {found.correct} of {found.asked}"
            )
        arms = self._gates.setdefault((fact.batch, fact.condition, fact.repetition), {})
        arms[fact.arm] = (seq, fact.passed)
        self.failed = self.failed or not fact.passed

    def _next_group(self, batch: int) -> tuple[int, str, Arm] | None:
        for repetition, condition, arm in self.groups(batch):
            if arm not in self._gates.get((batch, condition, repetition), {}):
                return repetition, condition, arm
        return None

    def _resume(self, fact: Resumed) -> None:
        self._halted = False
        self.resumed = self.lines
        if not fact.recheck or self.failed:
            return  # after a group failed nothing is asked, so nothing is asked again
        if self.layout.positions is None:
            # A public export does not say which rows a batch has: its next control line tells.
            self._reopenable = set(range(self.layout.batches))
            return
        for batch in self._unfinished_batches():
            self._reopen(batch)

    def _unfinished_batches(self) -> list[int]:
        """Batches with an answer cell that is not closed."""
        return [
            batch
            for batch in range(self.layout.batches)
            if any(self._status[self._index(cell)] != _FINAL for cell in self.layout.answers(batch))
        ]

    def _reopen_late(self, batch: int) -> None:
        """Open the controls of a batch again, once for each recheck."""
        if batch in self._reopenable:
            self._reopenable.discard(batch)
            self._reopen(batch)

    def _reopen(self, batch: int) -> None:
        each = self._span * len(self.layout.arms)
        for index in range(batch * each, (batch + 1) * each):
            if self._status[index] == _FINAL:
                self._status[index] = _REFUSED
                self._undecided[index] = 0
        self._gates = {key: arms for key, arms in self._gates.items() if key[0] != batch}
        self._asked.discard(batch)

    def sealable(self) -> Seal | None:
        """The seal this run can have now, as its next line; None while it is open."""
        undecided = self.closed_answers - self.decided
        if self.failed:
            state = "gate-failed"
        elif self.closed_answers < self.layout.cells or not all(
            self.decided_gates(batch) for batch in range(self.layout.batches)
        ):
            return None
        else:
            state = "incomplete" if undecided else "complete"
        return Seal.model_validate(
            {
                "state": state,
                "lines": self.lines + 1,
                "cells": self.layout.cells,
                "decided": self.decided,
                "undecided": undecided,
            }
        )

    def _in_flight(self) -> Iterator[int]:
        """The intents whose attempts are open."""
        return (seq for index, seq in self._open.items() if self._status[index] == _OPEN)

    def _sealed(self, fact: Seal) -> None:
        if any(seq >= self.resumed for seq in self._in_flight()):
            raise VerificationError("the run was sealed while an attempt was in flight")
        self.lines -= 1
        expected = self.sealable()
        self.lines += 1
        if fact != expected:
            raise VerificationError(
                "the seal does not follow from the lines before it"
                if expected
                else "the run was sealed while cells are open"
            )
        self.seal = fact
