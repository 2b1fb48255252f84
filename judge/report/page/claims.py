"""A proved run in; the claim that may be made of it, and what it rests on, out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from judge.errors import VerificationError
from judge.marks import read_marks
from judge.records import State
from judge.report.summary import Group, Summary, summarise
from judge.stats.exact import percent, printed
from judge.studies.columns import Opened

__all__ = ["RunClaim", "claimed"]

_STATES: dict[State, tuple[str, str]] = {
    "complete": ("complete", "every planned cell decided, every control group passed, sealed"),
    "incomplete": ("incomplete", "sealed with undecided cells, so there is no rate"),
    "gate-failed": ("gate failed", "the judge failed its known answers, so nothing was scored"),
    "open": ("open", "cells are unknown or were not asked, so there is no rate"),
}
_IDENTITIES = {
    "snapshot": "dated snapshot, named by every reply",
    "alias": "alias, held to the snapshot its replies name",
    "pinned-id": "id documented as constant",
    "label": "a label: whoever runs the server chose it",
    "embedded": "string rule, not a language model",
}


@dataclass(frozen=True, slots=True)
class GroupClaim:
    """One condition and repetition."""

    name: str
    repetition: int
    sentence: str
    official: bool
    deviations: tuple[str, ...]
    identity: str
    planned: int
    decided: int
    undecided: int
    open: int
    labels: tuple[tuple[str, int], ...]
    accepted: int | None
    rate: str | None
    interval: str | None
    upstream: int | None
    reasons: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class ConditionClaim:
    """One condition over all its repetitions."""

    name: str
    sentence: str
    official: bool
    deviations: tuple[str, ...]
    identity: str


@dataclass(frozen=True, slots=True)
class RunClaim:
    """One run."""

    name: str
    state: State
    badge: str
    meaning: str
    groups: tuple[GroupClaim, ...]
    conditions: tuple[ConditionClaim, ...]
    rests: tuple[tuple[str, str], ...]
    """What the claim rests on, name by name."""
    warnings: tuple[str, ...]
    summary: Summary


def claimed(run: Opened) -> RunClaim:
    """Return what may be said of a run, and what that rests on."""
    summary = summarise(run.proof)
    badge, meaning = _STATES[summary.state]
    groups = tuple(_group(group, summary) for group in summary.conditions)
    return RunClaim(
        name=run.name,
        state=summary.state,
        badge=badge,
        meaning=meaning,
        groups=groups,
        conditions=tuple(_conditions(groups)),
        rests=tuple(_rests(run, summary)),
        warnings=tuple(_warnings(run, summary)),
        summary=summary,
    )


def _conditions(groups: Sequence[GroupClaim]) -> Iterator[ConditionClaim]:
    for name in dict.fromkeys(group.name for group in groups):
        found = [group for group in groups if group.name == name]
        first = found[0]
        yield ConditionClaim(name, _over(found), first.official, first.deviations, first.identity)


def _over(found: Sequence[GroupClaim]) -> str:
    """The one sentence on all repetitions: their counts, and how far they reach."""
    first = found[0]
    if len({group.sentence for group in found}) == 1:
        times = "" if len(found) == 1 else f", in each of {len(found)} repetitions"
        return first.sentence + times
    if any(group.rate is None for group in found):
        return "; ".join(f"repetition {g.repetition}: {g.sentence}" for g in found)
    counts = [group.accepted or 0 for group in found]
    low, high = (percent(Fraction(end, first.planned)) for end in (min(counts), max(counts)))
    told = ", ".join(map(str, counts))
    return f"{told} of {first.planned} accepted in {len(found)} repetitions: {low} to {high}"


def _group(group: Group, summary: Summary) -> GroupClaim:
    return GroupClaim(
        name=group.name,
        repetition=group.repetition,
        sentence=_sentence(group, summary),
        official=group.official,
        deviations=group.deviations,
        identity=_IDENTITIES[group.identity],
        planned=group.planned,
        decided=group.decided,
        undecided=group.asked - group.decided,
        open=group.open,
        labels=tuple(group.labels.items()),
        accepted=group.accepted,
        rate=None if group.rate is None else _rate(group),
        interval=_interval(group),
        upstream=group.upstream_accepts,
        reasons=tuple(group.undecided.items()),
    )


def _rate(group: Group) -> str:
    return percent(Fraction(group.accepted or 0, group.planned))


def _interval(group: Group) -> str | None:
    if group.interval is None:
        return None
    return f"{percent(group.interval[0])} to {percent(group.interval[1])}"


def _sentence(group: Group, summary: Summary) -> str:
    rule = ", by a string rule, not a language model" if group.identity == "embedded" else ""
    if group.rate is not None:
        return (
            f"{group.accepted} of {group.planned} accepted: {_rate(group)} "
            f"(Wilson 95 % {_interval(group)}){rule}"
        )
    if group.mean is not None:
        return f"mean grade {printed(group.mean, 2)} over {group.planned} answers{rule}"
    left = group.planned - group.decided
    if summary.state == "gate-failed":
        return "no score: the judge failed its known answers"
    others = "" if left else "; other conditions of the run have some without one"
    return f"no rate: {left} of {group.planned} answers have no verdict in this condition{others}"


def _rests(run: Opened, summary: Summary) -> Iterator[tuple[str, str]]:
    plan = run.plan
    yield "verified", f"{summary.lines} lines proved again from raw replies when this was made"
    yield "run", summary.run_id
    yield "head", summary.head
    yield "plan", summary.plan_sha256
    passed = sum(line.passed for line in summary.gate)
    kind = (
        "drawn controls only, which are easy"
        if summary.easy_controls_only
        else (f"drawn controls and {', '.join(plan.gate.controls)}")
    )
    yield "gate", f"{passed} of {len(summary.gate)} groups passed at {plan.gate.threshold}; {kind}"
    yield "coverage", _coverage(run, summary)
    tokens = f"{summary.tokens_in} tokens in, {summary.tokens_out} out"
    yield "requests", f"{summary.requests}; {tokens}"
    for source in plan.sources:
        yield source.role, f"{source.file}, {source.rows} rows, SHA-256 {source.sha256}"
    if plan.extract is not None:
        yield "extract", f"the judge read the {plan.extract} of each answer"


def _coverage(run: Opened, summary: Summary) -> str:
    planned = sum(group.planned for group in summary.conditions)
    decided = sum(group.decided for group in summary.conditions)
    open_ = sum(group.open for group in summary.conditions)
    missing = sum(answers.missing for answers in run.plan.answers)
    undecided = planned - decided - open_
    told = f"{planned} planned = {decided} decided + {undecided} undecided + {open_} open"
    return told if not missing else f"{told}; {missing} questions without a saved answer"


def _warnings(run: Opened, summary: Summary) -> Iterator[str]:
    try:
        for mark in read_marks(run.folder):
            yield f"{run.name} is {mark.sentence}"
    except VerificationError as error:
        yield f"{run.name}: {error}"
    if not summary.injection_controls:
        yield (
            f"{run.name}: no injection controls, so nothing is known about answers that give the "
            "judge orders"
        )
    if len(summary.fingerprints) > 1:
        yield f"{run.name}: {len(summary.fingerprints)} system fingerprints answered"
