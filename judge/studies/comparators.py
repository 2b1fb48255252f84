"""Published figures beside a run's own, each with its pinned source; never in one ranking.

A difference between two numbers means something only where rubric, judge and data are the same. A
comparator says what it was measured with as far as its source does; where that differs, or is not
said, no difference is given.
"""

from collections.abc import Sequence

from judge.records import Comparator, Count, Listed, Record
from judge.stats.proportion import Interval, wilson
from judge.studies.columns import Column
from judge.studies.matching import check_usable

__all__ = ["Beside", "Compared", "comparators"]


class Beside(Record):
    """One published figure."""

    name: str
    interval: Interval
    source: str
    sha256: str
    comparable: bool
    """Whether rubric, judge and data are said and are this column's."""
    why: str
    """Empty where it is comparable."""
    difference: int | None
    """Accepted here minus there, of as many items; null where not comparable."""


class Compared(Record):
    """One column and the figures beside it."""

    column: str
    accepted: Count
    asked: Count
    interval: Interval | None
    """Null while an item is undecided."""
    comparators: Listed[Beside]


def comparators(column: Column, found: Sequence[Comparator]) -> Compared:
    """Return published figures beside a column, in the order of the plan.

    Raises:
        InputError: a run that scored nothing.
    """
    check_usable((column,))
    accepted, asked = sum(row.accepted is True for row in column.rows), len(column.rows)
    whole = all(row.label is not None for row in column.rows)
    return Compared(
        column=column.name,
        accepted=accepted,
        asked=asked,
        interval=wilson(accepted, asked) if whole else None,
        comparators=tuple(_beside(column, one, accepted, whole=whole) for one in found),
    )


def _beside(column: Column, one: Comparator, accepted: int, *, whole: bool) -> Beside:
    why = _why(column, one, whole=whole)
    return Beside(
        name=one.name,
        interval=wilson(one.count, one.n),
        source=one.source,
        sha256=one.sha256,
        comparable=not why,
        why=why,
        difference=None if why else accepted - one.count,
    )


def _why(column: Column, one: Comparator, *, whole: bool) -> str:
    """Why the two must not be held against each other; empty where they may."""
    made = column.made
    own = {
        "rubric": {column.rubric, made.rubric if made else ""},
        "judge": {column.judge},
        "data": {column.answers, made.answers if made else ""},
    }
    for name, values in own.items():
        said = getattr(one, name)
        if said is None:
            return f"its {name} is not stated"
        if said not in values:
            return f"another {name}: {said}"
    if one.n != len(column.rows):
        return f"{one.n} items there, {len(column.rows)} here"
    return "" if whole else "some items here are undecided"
