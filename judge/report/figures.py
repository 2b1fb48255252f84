"""One condition's counts in, the figures its kind of labels allows out.

Labels that are right or wrong give shares and a rate; grades give a mean, a median and their
distribution, and never a percentage.
"""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import TypedDict

from judge.records import Condition, Count, Record
from judge.recount import GroupTally, Proof
from judge.report.grades import GradeLine, Grades, grades, numbers, range_of, total
from judge.stats.proportion import wilson

__all__ = ["Figures", "Share", "TypeLine", "figures"]


class Share(Record):
    """Accepted of asked."""

    accepted: Count
    asked: Count


class TypeLine(Record):
    """One question type of one condition and repetition."""

    type: str
    folded: Share
    """With its abstention questions, as LongMemEval's own report counts them."""
    answerable: Share
    """Without them."""
    abstention: Share
    labels: dict[str, Count]
    """Label to how many, every label of the rubric."""
    undecided: Count


class Figures(TypedDict):
    """What of a group depends on the kind of its labels."""

    accepted: int | None
    rejected: int | None
    rate: float | None
    interval: tuple[float, ...] | None
    macro: float | None
    mean: float | None
    median: float | None
    distribution: dict[str, int] | None
    bounds: tuple[float, ...] | None
    types: tuple[TypeLine, ...]
    grades: tuple[GradeLine, ...]
    upstream_accepts: int | None
    upstream: Grades | None


def figures(
    proof: Proof, condition: Condition, tally: GroupTally, labels: dict[str, int], *, whole: bool
) -> Figures:
    """Return the figures of one condition and repetition.

    Args:
        proof: the run.
        condition: whose labels they are.
        tally: its counts.
        labels: label to how many, over all types.
        whole: whether every planned cell of the run is decided, so that a rate or mean may be said.
    """
    of_kind = _means if condition.accept is None else _shares
    return of_kind(proof, condition, tally, labels, whole=whole)


def _shares(
    proof: Proof, condition: Condition, tally: GroupTally, labels: dict[str, int], *, whole: bool
) -> Figures:
    accept = condition.accept or ""
    accepted, decided, planned = labels[accept], sum(labels.values()), len(tally.labels)
    types = _types(proof, condition, tally)
    return Figures(
        accepted=accepted,
        rejected=decided - accepted,
        rate=accepted / planned if whole else None,
        interval=_interval(accepted, planned) if whole else None,
        macro=_macro(types) if whole else None,
        mean=None,
        median=None,
        distribution=None,
        bounds=_bounds(accepted, decided, planned) if tally.counts else None,
        types=types,
        grades=(),
        upstream_accepts=tally.upstream[accept],
        upstream=None,
    )


def _means(
    proof: Proof, condition: Condition, tally: GroupTally, labels: dict[str, int], *, whole: bool
) -> Figures:
    scale = numbers(condition, proof.frozen.rubric(condition) if proof.frozen else None)
    found = grades(labels, scale)
    told = {label: tally.upstream[label] for label in condition.labels}
    return Figures(
        accepted=None,
        rejected=None,
        rate=None,
        interval=None,
        macro=None,
        mean=found.mean if whole else None,
        median=found.median if whole else None,
        distribution=found.distribution,
        bounds=_reach(labels, scale, len(tally.labels)) if tally.counts and scale else None,
        types=(),
        grades=tuple(_graded(name, condition, tally, scale) for name in _names(tally)),
        upstream_accepts=None,
        upstream=grades(told, scale),
    )


def _reach(labels: dict[str, int], scale: dict[str, Fraction], planned: int) -> tuple[float, ...]:
    """The mean if every cell without a label had the lowest grade, and if it had the highest."""
    left = planned - sum(labels.values())
    return tuple(float((total(labels, scale) + left * end) / planned) for end in range_of(scale))


def _graded(
    name: str, condition: Condition, tally: GroupTally, scale: dict[str, Fraction] | None
) -> GradeLine:
    counts = _of_type(name, tally)
    return GradeLine(
        type=name,
        grades=grades({label: counts[label] for label in condition.labels}, scale),
        undecided=_undecided(counts),
    )


def _names(tally: GroupTally) -> list[str]:
    return sorted({stratum.type for stratum in tally.counts})


def _of_type(name: str, tally: GroupTally) -> Counter[str]:
    return sum((c for stratum, c in tally.counts.items() if stratum.type == name), Counter())


def _undecided(counts: Mapping[str, int]) -> int:
    return sum(count for label, count in counts.items() if label.startswith("?"))


def _interval(accepted: int, asked: int) -> tuple[float, ...]:
    interval = wilson(accepted, asked)
    return interval.low, interval.high


def _bounds(accepted: int, decided: int, planned: int) -> tuple[float, ...]:
    """The rate if every cell without a label were rejected, and if every one were accepted."""
    return accepted / planned, (accepted + planned - decided) / planned


def _macro(types: tuple[TypeLine, ...]) -> float:
    rates = [Fraction(line.folded.accepted, line.folded.asked) for line in types]
    return float(sum(rates) / len(rates))


def _types(proof: Proof, condition: Condition, tally: GroupTally) -> tuple[TypeLine, ...]:
    explained = {"abstention"}
    if proof.frozen:
        templates = proof.frozen.rubric(condition).templates
        explained = {t.name for t in templates if t.gold == "explanation"}
    return tuple(_type(name, condition, tally, explained) for name in _names(tally))


def _type(name: str, condition: Condition, tally: GroupTally, explained: set[str]) -> TypeLine:
    parts = {True: [0, 0], False: [0, 0]}
    for stratum, counts in tally.counts.items():
        if stratum.type != name:
            continue
        part = parts[stratum.route in explained]
        part[0] += counts[condition.accept or ""]
        part[1] += counts.total()
    apart, plain = parts[True], parts[False]
    every = _of_type(name, tally)
    return TypeLine(
        type=name,
        folded=Share(accepted=apart[0] + plain[0], asked=apart[1] + plain[1]),
        answerable=Share(accepted=plain[0], asked=plain[1]),
        abstention=Share(accepted=apart[0], asked=apart[1]),
        labels={label: every[label] for label in condition.labels},
        undecided=_undecided(every),
    )
