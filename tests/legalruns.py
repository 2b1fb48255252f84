"""Random runs that keep the rules of receipts/FORMAT.md, and for each line what would break them.

Written from that page, with none of the package's rules: a cell's state is kept in words, a group
is counted by hand. In: a layout, for the plan's cells in their order, and a seed. Out: facts.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from plans import PIN, gate, intent, receipt

from judge.layout import Layout
from judge.records import (
    ARMS,
    Arm,
    Cell,
    Fact,
    Gate,
    Intent,
    Receipt,
    Recovered,
    Resumed,
    Seal,
    Start,
    Stopped,
)

__all__ = ["Line", "broken", "legal_run"]

_ENDS = ("rejected_request", "too_large", "left_unknown")
_RIGHT: dict[Arm, str] = {"positive": "yes", "negative": "no", "injection": "no"}
_WORKERS = 3


class Line(NamedTuple):
    """A fact, and the template that a receipt's row takes."""

    fact: Fact
    route: str | None = None


def legal_run(layout: Layout, seed: int, *, crashes: int = 2, sure: bool = False) -> list[Line]:
    """Return the lines of a run: stopped and gone on with, in the end sealed.

    Args:
        layout: whose cells are asked.
        seed: of all its chances.
        crashes: how often it may be cut off.
        sure: whether every reply holds a label, for controls the right one.
    """
    run = _Run(layout, random.Random(seed), sure=sure)
    run.sound = run.maybe(0.7)
    run.put(Start(plan_sha256=PIN))
    for left in reversed(range(crashes + 1)):
        run.shaky = left > 0
        if run.stretch():
            return run.lines
        run.interrupted()
    raise AssertionError("a run without crashes came to no end")


@dataclass
class _Asked:
    """What is known of one cell."""

    attempts: int = 0
    seq: int = -1
    state: str = "new"
    undecided: int = 0
    lost: bool = False
    label: str | None = None


@dataclass
class _Run:
    layout: Layout
    chance: random.Random
    sure: bool
    shaky: bool = False
    """Whether this stretch may be cut off, and unknown cells may stay."""
    leave: bool = False
    sound: bool = True
    failed: bool = False
    lines: list[Line] = field(default_factory=list)
    cells: dict[Cell, _Asked] = field(default_factory=dict)
    gates: dict[tuple[int, str, int, Arm], int] = field(default_factory=dict)

    def put(self, fact: Fact, route: str | None = None) -> int:
        self.lines.append(Line(fact, route))
        return len(self.lines) - 1

    def maybe(self, share: float) -> bool:
        return self.chance.random() < share

    # --- stretches --------------------------------------------------------------------------------

    def stretch(self) -> bool:
        """Ask on; whether the run was sealed."""
        for batch in range(self.layout.batches):
            if not self.ask(self.layout.controls(batch)) or not self.closed(
                self.layout.controls(batch)
            ):
                return False
            if not self.decide(batch):
                return False
            if self.failed:
                break
            if not self.ask(self.layout.answers(batch)):
                return False
        answers = [cell for cell in self.layout.order() if cell.phase == "answer"]
        if not self.failed and not self.closed(answers):
            return False
        self.seal(answers)
        return True

    def closed(self, cells: Iterable[Cell]) -> bool:
        return all(self.of(cell).state == "final" for cell in cells)

    def interrupted(self) -> None:
        """Write what stands between one stretch and the next."""
        if self.maybe(0.4):
            self.put(Stopped(cause="sigint"))
        for _ in range(self.chance.choice((0, 0, 1, 2))):
            self.put(Recovered(discarded_bytes=1, discarded_sha256=PIN))
        recheck, self.leave = self.maybe(0.3), self.maybe(0.3)
        self.put(Resumed(recheck=recheck, resend_unknown=1, leave_unknown=self.leave, version="1"))
        for asked in self.cells.values():
            if asked.state == "open":
                asked.state, asked.lost = "unknown", True
        for batch in range(self.layout.batches):
            if recheck and not self.failed and not self.closed(self.layout.answers(batch)):
                self.reopen(batch)

    def reopen(self, batch: int) -> None:
        for cell in self.layout.controls(batch):
            if self.of(cell).state == "final":
                self.of(cell).state, self.of(cell).undecided = "closed", 0
        self.gates = {key: seq for key, seq in self.gates.items() if key[0] != batch}

    # --- cells ------------------------------------------------------------------------------------

    def of(self, cell: Cell) -> _Asked:
        return self.cells.setdefault(cell, _Asked())

    def ask(self, cells: Iterator[Cell]) -> bool:
        """Ask what is not closed, a few at a time; False when cut off."""
        flying: list[Cell] = []
        queue = [cell for cell in cells if self.of(cell).state != "final"]
        while queue or flying:
            if self.shaky and self.maybe(0.02):
                return False
            if queue and len(flying) < _WORKERS and self.maybe(0.6):
                self.next(queue.pop(0), flying)
            elif flying:
                cell = flying.pop(self.chance.randrange(len(flying)))
                self.close(cell)
                if self.of(cell).state != "final" and not (self.shaky and self.maybe(0.3)):
                    self.next(cell, flying)
        return True

    def next(self, cell: Cell, flying: list[Cell]) -> None:
        asked = self.of(cell)
        if asked.state == "unknown" and self.leave:
            self.receive(cell, outcome="undecided", reason="left_unknown", label=None)
            return
        if asked.state == "unknown" and self.shaky and self.maybe(0.5):
            return
        asked.attempts += 1
        asked.state = "open"
        fields: dict[str, Any] = {**_fields(cell), "arm": self.arm(cell)}
        asked.seq = self.put(intent(**fields, attempt=asked.attempts, after_unknown=asked.lost))
        flying.append(cell)

    def arm(self, cell: Cell) -> Arm | None:
        return self.layout.arms[cell.row] if cell.phase == "control" else None

    def close(self, cell: Cell) -> None:
        arm = self.arm(cell)
        label = _RIGHT[arm] if arm else self.chance.choice(("yes", "no"))
        # Most runs have a judge that is sound on its controls, or none would reach its answers.
        sound = self.sure or (arm is not None and self.sound)
        if self.sure or self.maybe(0.75):
            if not sound and self.maybe(0.1):
                label = "yes" if label == "no" else "no"
            self.receive(cell, outcome="decided", label=label)
            return
        outcomes = ["retry", "not_sent"] + ["unknown"] * self.shaky + ["undecided"] * (not sound)
        outcome = self.chance.choice(outcomes)
        reason = self.chance.choice(("off_scale", "cut", *_ENDS[:2]))
        told = reason if outcome == "undecided" else None
        self.receive(cell, outcome=outcome, reason=told, label=None)

    def receive(self, cell: Cell, **told: Any) -> None:  # noqa: ANN401 - fields of a receipt
        asked, arm = self.of(cell), self.arm(cell)
        asked.undecided += told["outcome"] == "undecided"
        again = asked.undecided <= self.layout.plan.reask and told.get("reason") not in _ENDS
        final = told["outcome"] == "decided" or (told["outcome"] == "undecided" and not again)
        asked.state = "final" if final else "unknown" if told["outcome"] == "unknown" else "closed"
        asked.lost |= told["outcome"] == "unknown"
        asked.label = told["label"]
        fact = receipt(
            **_fields(cell),
            **told,
            arm=arm,
            attempt=asked.attempts,
            intent_seq=asked.seq,
            expect=(_RIGHT[arm],) if arm else None,
            gate_seqs=None if arm else self.standing(cell),
            final=final,
        )
        self.put(fact, f"route-{cell.row % 2}")

    def standing(self, cell: Cell) -> tuple[int, ...]:
        key = cell.batch, cell.condition, cell.repetition
        return tuple(sorted(seq for group, seq in self.gates.items() if group[:3] == key))

    # --- groups and seal --------------------------------------------------------------------------

    def decide(self, batch: int) -> bool:
        """Write the gate lines that are not there; False when cut off."""
        arms = [arm for arm in ARMS if arm in self.layout.arms]
        for repetition in range(1, self.layout.plan.repetitions + 1):
            for condition in self.layout.ids:
                for arm in arms:
                    if (batch, condition, repetition, arm) in self.gates:
                        continue
                    if self.shaky and self.maybe(0.05):
                        return False
                    fact = self.weigh(Cell("control", batch, condition, repetition, 0), arm)
                    self.gates[batch, condition, repetition, arm] = self.put(fact)
                    self.failed |= not fact.passed
        return True

    def weigh(self, group: Cell, arm: Arm) -> Gate:
        rows = [row for row, of in enumerate(self.layout.arms) if of == arm]
        labels = {row: self.of(group._replace(row=row)).label for row in rows}
        asked = Counter(f"route-{row % 2}" for row in rows)
        right = Counter(f"route-{row % 2}" for row in rows if labels[row] == _RIGHT[arm])
        share = Fraction(self.layout.plan.gate.threshold)
        need = next(n for n in range(len(rows) + 1) if n >= share * len(rows))
        need = len(rows) if arm == "injection" else need
        fields = _fields(group)
        del fields["phase"], fields["row"]
        return gate(
            **fields,
            arm=arm,
            asked=len(rows),
            correct=right.total(),
            undecided=list(labels.values()).count(None),
            need=need,
            routes={route: (asked[route], right[route]) for route in asked},
            **{"pass": right.total() >= need and all(right[route] for route in asked)},
        )

    def seal(self, answers: list[Cell]) -> None:
        final = [self.of(cell).label for cell in answers if self.of(cell).state == "final"]
        undecided = final.count(None)
        state = "gate-failed" if self.failed else "incomplete" if undecided else "complete"
        counts = {"decided": len(final) - undecided, "undecided": undecided}
        whole = {"state": state, "lines": len(self.lines) + 1, "cells": len(answers), **counts}
        self.put(Seal.model_validate(whole))


def _fields(cell: Cell) -> dict[str, Any]:
    return cell._asdict()


# --- what breaks the rules ------------------------------------------------------------------------


def broken(line: Line, layout: Layout) -> Iterator[Line]:
    """Yield lines none of which may stand where this one stands, each off in one thing."""
    fact = line.fact
    if isinstance(fact, Intent):
        changes = _intents(fact, layout)
    elif isinstance(fact, Receipt):
        changes = _receipts(fact, layout)
    elif isinstance(fact, Gate):
        changes = _gates(fact)
    elif isinstance(fact, Seal):
        changes = _seals(fact)
    else:
        return
    for change in changes:
        yield Line(fact.model_copy(update=change), line.route)


def _elsewhere(fact: Intent | Receipt, layout: Layout) -> Iterator[dict[str, object]]:
    yield {"condition": "c99"}
    yield {"repetition": layout.plan.repetitions + 1}
    yield {"row": 10_000}
    yield {"batch": layout.batches}
    if fact.phase == "control":
        yield {"arm": None}
        yield {"arm": next(arm for arm in ARMS if arm != fact.arm)}
    else:
        yield {"arm": "positive"}


def _intents(fact: Intent, layout: Layout) -> Iterator[dict[str, object]]:
    yield from _elsewhere(fact, layout)
    yield {"attempt": fact.attempt + 1}
    yield {"after_unknown": not fact.after_unknown}
    if fact.attempt > 1:
        yield {"attempt": fact.attempt - 1}
        return
    yield {"row": fact.row + 1}
    yield {"batch": fact.batch + 1}
    if fact.phase == "control":
        yield {"phase": "answer", "arm": None}
    else:
        yield {"phase": "control", "arm": layout.arms[fact.row % len(layout.arms)]}


def _receipts(fact: Receipt, layout: Layout) -> Iterator[dict[str, object]]:
    yield from _elsewhere(fact, layout)
    yield {"attempt": fact.attempt + 1}
    yield {"intent_seq": fact.intent_seq + 1}
    yield {"row": fact.row + 1}
    yield {"final": not fact.final}
    if fact.reason == "left_unknown":
        yield {"outcome": "decided", "label": "yes", "reason": None}
    else:
        left = {"outcome": "undecided", "label": None, "reason": "left_unknown", "final": True}
        yield dict(left)
    if fact.phase == "control":
        yield {"expect": None}
        yield {"expect": ()}
        yield {"gate_seqs": ()}
    else:
        seqs = fact.gate_seqs or ()
        yield {"expect": ("yes",)}
        yield {"gate_seqs": None}
        yield {"gate_seqs": seqs[1:]}
        yield {"gate_seqs": seqs[::-1]}
        yield {"gate_seqs": (*seqs[:-1], seqs[-1] + 1)}


def _gates(fact: Gate) -> Iterator[dict[str, object]]:
    for name in ("asked", "correct", "undecided", "need"):
        yield {name: getattr(fact, name) + 1}
    yield {"passed": not fact.passed}
    yield {"routes": {}}
    yield {"routes": {**fact.routes, "more": (1, 1)}}
    yield {"routes": {route: (asked, right + 1) for route, (asked, right) in fact.routes.items()}}
    yield {"arm": next(arm for arm in ARMS if arm != fact.arm)}
    yield {"condition": "c99"}
    yield {"repetition": fact.repetition + 1}
    yield {"batch": fact.batch + 1}


def _seals(fact: Seal) -> Iterator[dict[str, object]]:
    for name in ("lines", "cells", "decided", "undecided"):
        yield {name: getattr(fact, name) + 1}
    for state in ("complete", "incomplete", "gate-failed"):
        if state != fact.state:
            yield {"state": state}
