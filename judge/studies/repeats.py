"""The same question to the same judge again: how often the label changes, and what that costs.

Columns equal in answers, rubric and judge are repetitions of each other: those of one run were
asked in one sitting, those of several runs at other times. What changes inside a run is the judge's
own noise; what changes only from run to run is time.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, sqrt

from judge.errors import InputError
from judge.records import Count, Listed, Record
from judge.stats.exact import normal_quantile
from judge.stats.proportion import one_sided_upper
from judge.stats.raters import Reliability, fleiss_kappa, gwet_ac1, ratings
from judge.stats.stability import Stability, stability
from judge.studies.columns import Column, Row
from judge.studies.matching import common, groups, match

__all__ = ["FlipItem", "Noise", "Repeated", "Said", "repeats", "repeats_of"]

_TWO = 2
_DIGITS = (Fraction(1, 200), Fraction(1, 2000))
"""Half a point, and half a tenth of a point: what a whole number, and one decimal, need."""


class Said(Record):
    """One reply."""

    where: str
    label: str
    reply: str | None


class FlipItem(Record):
    """One item that did not get one label throughout."""

    id: str
    type: str | None
    kind: str
    """`repetition`: it changed inside a run; `time`: only from one run to another."""
    said: Listed[Said]


class Noise(Record):
    """What the judge's own changes do to the number of accepted items."""

    counts: Listed[Count]
    """Accepted items, by repetition."""
    variance: Fraction
    """Of one repetition's count: the unbiased variances of the items, added up."""
    deviation: float
    """Its root, in items."""
    deviation_of_mean: float
    """Of the mean over all repetitions, in items."""
    needed: dict[str, Count]
    """Half-width, as a share, to the repetitions whose mean has noise within it (95 %)."""
    upper: float | None
    """Where no item changed: an upper bound of the share of items that do (one-sided, 95 %)."""


class Repeated(Record):
    """One condition, asked again and again."""

    name: str
    columns: Listed[str]
    items: Count
    undecided: Listed[str]
    """Items left out: a repetition has no verdict for them."""
    absent: Count
    """Items that not every repetition asked."""
    stability: Stability
    fleiss: Reliability
    """Agreement of the repetitions with each other, as of so many judges; AC1 beside it, since one
    label is mostly common."""
    ac1: Reliability
    flips: Listed[FlipItem]
    noise: Noise | None
    """Null for grades: no item of theirs is accepted or not."""


def repeats(columns: Sequence[Column]) -> tuple[Repeated, ...]:
    """Return every condition that was asked more than once.

    Raises:
        InputError: a run that scored nothing, or no item with a verdict every time.
    """
    found = [part for group in groups(columns, lambda made: made) for part in _together(group)]
    return tuple(repeats_of(group) for group in found if len(group) > 1)


def _together(group: Sequence[Column]) -> list[Sequence[Column]]:
    """The columns, or those of each run, where the runs asked about different items."""
    if len(group) < _TWO or common(group) is not None:
        return [group]
    by_run: dict[str, list[Column]] = {}
    for column in group:
        by_run.setdefault(column.source, []).append(column)
    several = [part for part in by_run.values() if len(part) > 1]
    # Where no run repeats anything by itself, the caller is told that nothing is in common.
    return list(several) or [group]


def repeats_of(columns: Sequence[Column]) -> Repeated:
    """Return columns of one condition beside each other.

    Raises:
        InputError: fewer than two columns, or no item with a verdict in all of them.
    """
    if len(columns) < _TWO:
        raise InputError("one column repeats nothing; give two or more")
    found = match(columns)
    by_item = list(zip(*found.rows, strict=True))
    labels = [[row.label or "" for row in rows] for rows in by_item]
    changed = [rows for rows in by_item if len({row.label for row in rows}) > 1]
    graded = any(row.accepted is None for rows in by_item for row in rows)
    table = ratings(found.items, labels)
    return Repeated(
        name=_name(columns),
        columns=tuple(_place(column) for column in columns),
        items=len(found.items),
        undecided=found.left_out.undecided,
        absent=len(found.left_out.absent),
        stability=stability(found.items, labels),
        fleiss=fleiss_kappa(table),
        ac1=gwet_ac1(table),
        flips=tuple(_flip(rows, columns) for rows in changed),
        noise=None if graded else _noise(by_item, len(changed)),
    )


def _name(columns: Sequence[Column]) -> str:
    """What is repeated: of runs, what their columns share; of files, the first one's name."""
    first = columns[0]
    if first.made is None:
        return first.name
    return f"{first.answers} | {first.rubric} | {first.judge}"


def _place(column: Column) -> str:
    return column.source if column.repetition is None else f"{column.source}@{column.repetition}"


def _flip(rows: Sequence[Row], columns: Sequence[Column]) -> FlipItem:
    inside: dict[str, set[str | None]] = {}
    for row, column in zip(rows, columns, strict=True):
        inside.setdefault(column.source, set()).add(row.label)
    within = any(len(labels) > 1 for labels in inside.values())
    return FlipItem(
        id=rows[0].item,
        type=rows[0].type,
        kind="repetition" if within else "time",
        said=tuple(
            Said(
                where=_place(column),
                label=row.label or "",
                reply=row.reply,
            )
            for row, column in zip(rows, columns, strict=True)
        ),
    )


def _noise(by_item: Sequence[Sequence[Row]], changed: int) -> Noise:
    times, items = len(by_item[0]), len(by_item)
    variance = sum((_variance(rows) for rows in by_item), Fraction(0))
    z = normal_quantile(Fraction(39, 40))
    deviation = sqrt(variance)
    return Noise(
        counts=tuple(
            sum(rows[place].accepted is True for rows in by_item) for place in range(times)
        ),
        variance=variance,
        deviation=deviation,
        deviation_of_mean=deviation / sqrt(times),
        needed={
            str(width): max(1, ceil((z * deviation / (float(width) * items)) ** 2))
            for width in _DIGITS
        },
        upper=None if changed else float(one_sided_upper(0, items).value),
    )


def _variance(rows: Sequence[Row]) -> Fraction:
    """The unbiased variance of one item's outcome, R / (R - 1) p (1 - p)."""
    times = len(rows)
    right = sum(row.accepted is True for row in rows)
    return Fraction(right * (times - right), times * (times - 1))
