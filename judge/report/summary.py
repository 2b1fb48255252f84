"""A proved run in, everything that may be said about it out, as one record.

Counts come first and always add up: decided + undecided + open = planned. A rate is there only when
no planned cell of the run is undecided, unknown or unasked.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from judge.canonical import digest
from judge.progress import Status
from judge.questions import Questions
from judge.records import Arm, Cell, Condition, Count, Item, Kind, Listed, Record, State
from judge.recount import NOT_CLOSED, UNDECIDED, Failure, GroupTally, Proof
from judge.report.figures import Share, TypeLine, figures
from judge.report.grades import GradeLine, Grades, kind_of
from judge.stats.proportion import lower_bound

__all__ = ["Failed", "Flip", "GateLine", "Group", "Share", "Summary", "TypeLine", "summarise"]

_UNKNOWN = {Status.OPEN, Status.UNKNOWN}


Total = Annotated[int, Field(ge=0)]
"""A sum of numbers that servers chose: without the bound that each of them has."""


class GateLine(Record):
    """One group of controls."""

    condition: str
    repetition: Count
    batch: Count
    arm: Arm
    asked: Count
    correct: Count
    undecided: Count
    need: Count
    passed: bool
    blind: Listed[str]
    """Routes whose controls were all wrong."""
    bound: str
    """What the count shows at best: a lower bound of the pass rate (95 %, Clopper-Pearson)."""


class Flip(Record):
    """One item with two different labels."""

    id: str
    type: str
    before: str
    after: str
    where: str
    """The condition, or the two cells whose prompts were identical."""


class Prior(Record):
    """Prior labels against new ones."""

    compared: Count
    """Items with a prior label and a new one."""
    never_judged: Count
    """Items without a prior label."""
    foreign: Count
    """Items whose prior label is none of the rubric's."""
    table: dict[str, Count]
    """`before > after` to how many."""
    flips: Listed[Flip]


class Group(Record):
    """One condition and repetition."""

    id: str
    name: str
    repetition: Count
    kind: Kind
    """Of its labels: `graded` has a mean and no rate, the others a rate and no mean."""
    official: bool
    deviations: Listed[str]
    identity: str
    planned: Count
    missing: Count
    """Questions without a saved answer (`--allow-partial`)."""
    asked: Count
    """Cells closed: decided or undecided."""
    open: Count
    """Cells not asked, or asked without an answer that was seen."""
    decided: Count
    accepted: Count | None
    rejected: Count | None
    """All labels but the accepting one; both null for grades."""
    labels: dict[str, Count]
    undecided: dict[str, Count]
    rate: float | None
    """Accepted of asked; null while any planned cell of the run is undecided or open."""
    interval: Listed[float] | None
    """Wilson, 95 %."""
    macro: float | None
    """Unweighted mean of the types' rates, abstention folded in."""
    mean: float | None
    """Graded only: the mean of the labels' numbers over all planned cells; null as the rate."""
    median: float | None
    distribution: dict[str, Count] | None
    """Graded only: label to how many, decided so far."""
    bounds: Listed[float] | None
    """The rate, or the mean, at worst and at best: all undecided and open cells rejected, all
    accepted; of grades at the lowest, at the highest."""
    types: Listed[TypeLine]
    """Empty for grades."""
    grades: Listed[GradeLine]
    """The types of a graded rubric."""
    upstream_accepts: Count | None
    """Replies the benchmark's own parser would count as accepted; null for grades."""
    upstream: Grades | None
    """Graded only: what the benchmark's own parser reads, replies without a label left out."""
    upstream_labels: dict[str, Count]
    """What the benchmark's own parser says, label by label."""
    upstream_of: Count
    later_attempts: Count
    prior: Prior


class Failed(Record):
    """A control that was not right, or an answer without a label."""

    where: str
    """The cell: condition@repetition, and the arm of a control."""
    id: str
    expect: Listed[str] | None
    said: str
    """The label, or why there is none."""
    text: str
    """What the judge said, at most 200 characters."""


class Summary(Record):
    """All that `judge show` says."""

    run_id: str
    state: State
    head: str
    lines: Count
    plan_sha256: str
    embedded: bool
    """Whether a string rule of this package was a judge."""
    easy_controls_only: bool
    injection_controls: bool
    gate: Listed[GateLine]
    conditions: Listed[Group]
    identical_prompts: Count
    """Pairs of cells whose requests are the same bytes."""
    flips: Listed[Flip]
    """Among them, those with two labels."""
    failures: Listed[Failed]
    """Controls that were not right and answers without a label, at most a thousand."""
    requests: Count
    resent: Count
    unknown: Count
    """Cells that may have been answered, and billed, unseen."""
    unknown_tokens_max: Total
    """The most that asking those again can cost; 0 where no output limit is sent."""
    tokens_in: Total
    tokens_out: Total
    unmetered: Count
    fingerprints: dict[str, Count]
    stops: Listed[str]


def summarise(proof: Proof) -> Summary:
    """Return what a proved run shows."""
    plan, tally = proof.plan, proof.tally
    complete = proof.state == "complete"
    flips, pairs = _same_prompts(proof) if proof.frozen else ([], 0)
    return Summary(
        run_id=proof.run_id,
        state=proof.state,
        head=proof.head,
        lines=proof.lines,
        plan_sha256=proof.manifest.plan_sha256,
        embedded=any(judge.api == "lexical" for judge in plan.judges),
        easy_controls_only=not plan.gate.controls,
        injection_controls=any(gate.arm == "injection" for gate in tally.gates),
        gate=tuple(_gates(proof)),
        conditions=tuple(
            _group(proof, condition, repetition, complete=complete)
            for repetition in range(1, plan.repetitions + 1)
            for condition in plan.conditions
        ),
        identical_prompts=pairs,
        flips=tuple(flips),
        failures=tuple(_failed(proof, failure) for failure in tally.failures),
        requests=tally.intents,
        resent=tally.resent,
        unknown=proof.progress.open_cells(),
        unknown_tokens_max=_unknown_tokens(proof),
        tokens_in=tally.tokens_in,
        tokens_out=tally.tokens_out,
        unmetered=tally.unmetered,
        fingerprints=dict(tally.fingerprints),
        stops=tuple(tally.stops),
    )


def _failed(proof: Proof, failure: Failure) -> Failed:
    cell = failure.cell
    arm = "answer"
    if cell.phase == "control":
        arm = "control"
        if proof.frozen is not None:
            arm = f"{proof.frozen.controls[cell.row].arm} control"
    return Failed(
        where=f"{_place(cell)} {arm}",
        id=failure.id,
        expect=failure.expect,
        said=failure.label or failure.reason or "nothing",
        text=failure.text,
    )


def _unknown_tokens(proof: Proof) -> int:
    if proof.frozen is None or not proof.progress.open_cells():
        return 0
    questions = Questions(proof.frozen)
    lost = (c for c in proof.frozen.layout.order() if proof.progress.status(c) in _UNKNOWN)
    return sum(questions.of(cell).tokens_max or 0 for cell in lost)


def _gates(proof: Proof) -> Iterator[GateLine]:
    for gate in proof.tally.gates:
        bound = lower_bound(gate.correct, gate.asked).value
        yield GateLine(
            condition=gate.condition,
            repetition=gate.repetition,
            batch=gate.batch,
            arm=gate.arm,
            asked=gate.asked,
            correct=gate.correct,
            undecided=gate.undecided,
            need=gate.need,
            passed=gate.passed,
            blind=tuple(name for name, counts in gate.routes.items() if counts[1] == 0),
            bound=f"{float(bound):.3f}",
        )


# --- one condition and repetition ---------------------------------------------------------------


def _group(proof: Proof, condition: Condition, repetition: int, *, complete: bool) -> Group:
    plan = proof.plan
    answers = proof.progress.layout.sets[condition.answers]
    found = proof.tally.groups.get((condition.id, repetition))
    tally = found or GroupTally(answers.first_row, bytearray(answers.rows))
    totals: Counter[str] = sum(tally.counts.values(), Counter())
    labels = {label: totals[label] for label in condition.labels}
    undecided = {name[1:]: n for name, n in sorted(totals.items()) if name.startswith("?")}
    decided, unread = sum(labels.values()), sum(undecided.values())
    judge = next(judge for judge in plan.judges if judge.name == condition.judge)
    whole = complete and decided == answers.rows
    return Group(
        id=condition.id,
        name=condition.name,
        repetition=repetition,
        kind=kind_of(condition),
        official=condition.official,
        deviations=condition.deviations,
        identity=judge.identity,
        planned=answers.rows,
        missing=answers.missing,
        asked=decided + unread,
        open=answers.rows - decided - unread,
        decided=decided,
        labels=labels,
        undecided=undecided,
        upstream_labels={label: tally.upstream[label] for label in condition.labels},
        upstream_of=sum(tally.upstream.values()),
        later_attempts=tally.later,
        prior=_prior(proof, condition, tally),
        **figures(proof, condition, tally, labels, whole=whole),
    )


# --- two labels of one item ---------------------------------------------------------------------


def _prior(proof: Proof, condition: Condition, tally: GroupTally) -> Prior:
    table: Counter[str] = Counter()
    flips: list[Flip] = []
    never = foreign = 0
    for item, label in _labelled(proof, condition, tally):
        if item.prior is None:
            never += 1
        elif item.prior not in condition.labels:
            foreign += 1
        elif label is not None:
            table[f"{item.prior} > {label}"] += 1
            if item.prior != label:
                flips.append(_flip(item, item.prior, label, condition.id))
    return Prior(
        compared=table.total(),
        never_judged=never,
        foreign=foreign,
        table=dict(sorted(table.items())),
        flips=tuple(flips),
    )


def _labelled(
    proof: Proof, condition: Condition, tally: GroupTally
) -> Iterator[tuple[Item, str | None]]:
    if proof.frozen is None:
        return
    for number, code in enumerate(tally.labels):
        yield proof.frozen.item(tally.first_row + number), _label(condition, code)


def _label(condition: Condition, code: int) -> str | None:
    return None if code in {NOT_CLOSED, UNDECIDED} else condition.labels[code - 1]


def _flip(item: Item, before: str, after: str, where: str) -> Flip:
    return Flip(id=item.id, type=item.type, before=before, after=after, where=where)


def _same_prompts(proof: Proof) -> tuple[list[Flip], int]:
    """Cells of one question whose requests are the same bytes: how many pairs, which flipped."""
    frozen = proof.frozen
    if frozen is None or len(frozen.plan.conditions) * frozen.plan.repetitions == 1:
        return [], 0
    flips: list[Flip] = []
    pairs = 0
    batches = range(frozen.layout.batches)
    questions = Questions(frozen)
    told: dict[tuple[int, str, str], tuple[Cell, str]] = {}
    for cell in (cell for batch in batches for cell in frozen.layout.answers(batch)):
        label = _cell_label(proof, cell)
        if label is None:
            continue
        question = questions.of(cell)
        item = frozen.item(cell.row)
        key = item.position, question.judge.name, digest(question.body)
        first = told.setdefault(key, (cell, label))
        pairs += first[0] != cell
        if first[1] != label:
            where = f"{_place(first[0])} and {_place(cell)}"
            flips.append(_flip(item, first[1], label, where))
    return flips, pairs


def _cell_label(proof: Proof, cell: Cell) -> str | None:
    tally = proof.tally.groups.get((cell.condition, cell.repetition))
    if tally is None or proof.frozen is None:
        return None
    condition = proof.frozen.conditions[cell.condition]
    return _label(condition, tally.labels[cell.row - tally.first_row])


def _place(cell: Cell) -> str:
    return f"{cell.condition}@{cell.repetition}"
