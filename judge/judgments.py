"""A proved run in, one row per judgment out: what studies, tables and pages are made from.

The rows stand in the order of the plan. A planned cell that was not asked, or has no verdict, is a
row like any other: nothing is dropped here.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from judge.canonical import digest, parse
from judge.chain import Entry
from judge.errors import VerificationError
from judge.folder import Frozen
from judge.ledger import entries
from judge.questions import Questions
from judge.records import (
    Arm,
    Cell,
    Condition,
    Control,
    Count,
    Item,
    Listed,
    Phase,
    Reason,
    Receipt,
    Record,
)
from judge.recount import Proof

__all__ = ["Judgment", "judgments"]


class Judgment(Record):
    """One cell of a plan and how it ended. Its fields, in this order, are the columns of a table.

    In a public export the texts of the item and of the prompt are absent, and null here.
    """

    run_id: str
    condition: str
    """`c1`, `c2`, …"""
    repetition: Count
    """From 1."""
    batch: Count
    phase: Phase
    """`answer`, or `control` for a known answer."""
    arm: Arm | None
    """Of a control."""
    item: str
    """The id of the question."""
    type: str
    route: str
    """The template that was filled."""
    position: Count | None
    """Place of the question in the run, from 0; null for controls and public exports."""
    answers: str
    """Which saved answers."""
    rubric: str
    rubric_pin: str
    judge: str
    """Its name in the plan."""
    model_requested: str
    model_returned: str | None
    question: str | None
    gold: str | None
    response: str | None
    """What the judge read."""
    saved: str | None
    """The whole saved answer, where the response was extracted from it."""
    prior: str | None
    """The label the answers file gave."""
    outcome: Literal["decided", "undecided", "open"]
    label: str | None
    accepted: bool | None
    """Whether the label counts as correct; null without a label, and for grades."""
    reason: Reason | None
    """Why there is no label."""
    expect: Listed[str] | None
    """The right labels of a control."""
    upstream_label: str | None
    """What the benchmark's own parser reads in the reply."""
    reply_text: str | None
    template_sha256: str | None
    prompt_sha256: str | None
    """Of the user message."""
    tokens_in: Count | None
    """As the provider bills the reply that closed the cell."""
    tokens_out: Count | None
    finish: str | None
    fingerprint: str | None
    attempts: Count
    """Requests closed for this cell."""
    elapsed_ms: Count | None
    at: str | None
    """When the cell was closed, UTC: a claim."""
    seq: Count | None
    """The line of its receipt, from 0."""


class _Closed(NamedTuple):
    """How a cell was closed, as its last receipt says."""

    receipt: Receipt
    item: dict[str, str]
    text: str | None
    at: str
    seq: int


def judgments(proof: Proof, folder: Path, phase: Phase = "answer") -> Iterator[Judgment]:
    """Yield one row for each cell of a proved run: its answers, or its controls.

    Of a public export, whose questions are not at hand, the cells that were closed.

    Raises:
        VerificationError: the ledger is no longer the one that was proved.
    """
    return _Rows(proof, folder, phase).rows()


class _Rows:
    """The rows of one run."""

    def __init__(self, proof: Proof, folder: Path, phase: Phase) -> None:
        self._proof = proof
        self._path = folder / "receipts.jsonl"
        self._phase: Phase = phase
        self._conditions = {condition.id: condition for condition in proof.plan.conditions}
        self._models = {judge.name: judge.model for judge in proof.plan.judges}
        self._closed: dict[Cell, _Closed] = {}
        self._attempts: Counter[Cell] = Counter()

    def rows(self) -> Iterator[Judgment]:
        self._read()
        frozen = self._proof.frozen
        if frozen is None:
            for cell, closed in self._closed.items():
                said = {"item": closed.item["id"], "type": closed.item["type"]}
                receipt = closed.receipt
                yield self._row(
                    cell,
                    **said,
                    route=closed.item["route"],
                    arm=receipt.arm,
                    expect=receipt.expect,
                    template_sha256=receipt.template_sha256,
                )
            return
        questions = Questions(frozen)
        for cell in self._cells(frozen):
            asked = questions.of(cell)
            yield self._row(
                cell,
                **_texts(frozen, cell),
                route=asked.template.name,
                arm=asked.arm,
                expect=asked.expect,
                template_sha256=asked.template.sha256,
                prompt_sha256=digest(asked.prompt.encode()),
            )

    def _cells(self, frozen: Frozen) -> Iterator[Cell]:
        layout = frozen.layout
        for batch in range(layout.batches):
            yield from layout.answers(batch) if self._phase == "answer" else layout.controls(batch)

    def _read(self) -> None:
        """Keep the receipt that closed each cell, and count the others."""
        public = self._proof.frozen is None
        head = self._proof.run_id
        for entry in entries(self._path, self._proof.run_id, public=public):
            head, fact = entry.link, entry.fact
            if not isinstance(fact, Receipt) or fact.phase != self._phase:
                continue
            cell = Cell(fact.phase, fact.batch, fact.condition, fact.repetition, fact.row)
            self._attempts[cell] += 1
            # After a recheck the controls of a batch have two; the later one counts.
            if fact.final:
                self._closed[cell] = _closed(fact, entry)
        if head != self._proof.head:
            raise VerificationError("receipts.jsonl: changed since it was proved")

    def _row(self, cell: Cell, **said: object) -> Judgment:
        condition = self._conditions[cell.condition]
        given: dict[str, object] = {
            "run_id": self._proof.run_id,
            "condition": cell.condition,
            "repetition": cell.repetition,
            "batch": cell.batch,
            "phase": cell.phase,
            "answers": condition.answers,
            "rubric": condition.rubric,
            "rubric_pin": condition.rubric_pin,
            "judge": condition.judge,
            "model_requested": self._models[condition.judge],
            "attempts": self._attempts[cell],
            "outcome": "open",
        }
        closed = self._closed.get(cell)
        verdict = {} if closed is None else _verdict(closed, condition)
        return Judgment.model_validate({**_NOTHING, **given, **said, **verdict})


_NOTHING: dict[str, object] = dict.fromkeys(Judgment.model_fields)
"""Every column, before anything is known of it."""


def _texts(frozen: Frozen, cell: Cell) -> dict[str, object]:
    """What is known of the row that a cell asks about."""
    if cell.phase == "control":
        control = frozen.controls[cell.row]
        own: dict[str, object] = {"item": control.id}
        row: Item | Control = control
    else:
        item = frozen.item(cell.row)
        own = {"item": item.id, "position": item.position, "prior": item.prior, "saved": item.saved}
        row = item
    return {
        **own,
        "type": row.type,
        "question": row.question,
        "gold": row.gold,
        "response": row.response,
    }


def _closed(fact: Receipt, entry: Entry) -> _Closed:
    text = entry.private.get("reply_text")
    # The recount has held the item to be an object of id, route and type.
    told = parse(entry.private["item"])
    item = {name: str(value) for name, value in told.items()} if isinstance(told, dict) else {}
    return _Closed(
        fact, item, None if text is None else text.decode(), entry.header.at, entry.header.seq
    )


def _verdict(closed: _Closed, condition: Condition) -> dict[str, object]:
    receipt, usage = closed.receipt, closed.receipt.usage
    graded = condition.accept is None or receipt.label is None
    readings = receipt.readings or {}
    return {
        "outcome": "undecided" if receipt.label is None else "decided",
        "label": receipt.label,
        "accepted": None if graded else receipt.label == condition.accept,
        "reason": receipt.reason,
        "upstream_label": readings.get(condition.readings.upstream),
        "reply_text": closed.text,
        "model_returned": receipt.model_returned,
        "tokens_in": usage and usage.input,
        "tokens_out": usage and usage.output,
        "finish": receipt.finish,
        "fingerprint": receipt.fingerprint,
        "elapsed_ms": receipt.elapsed_ms,
        "at": closed.at,
        "seq": closed.seq,
    }
