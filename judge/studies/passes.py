"""Two or more passes over the same questions: what holds in all of them, and how far they spread.

The rule: a headline needs two passes that agree, or a stated spread. Half the range is a spread of
these passes; it is no standard error.
"""

from collections.abc import Sequence

from judge.errors import InputError
from judge.records import Count, Listed, Record
from judge.stats.passes import Passes, passes
from judge.studies.columns import Column
from judge.studies.matching import groups, match

__all__ = ["PassFlip", "Passed", "passes_of", "several_passes"]

_TWO = 2


class PassFlip(Record):
    """One item that is right in some passes and wrong in others."""

    id: str
    type: str | None
    accepted: Listed[bool]
    """By pass."""
    responses: Listed[str | None]


class Passed(Record):
    """Passes over the same questions under one rubric and judge."""

    rubric: str
    judge: str
    repetition: Count | None
    names: Listed[str]
    passes: Passes
    undecided: Listed[str]
    """Items left out: a pass has no verdict for them."""
    absent: Listed[str]
    """Items that not every pass has."""
    agree: bool
    """Whether all passes have one total; only then a single number is a headline."""
    flips: Listed[PassFlip]


def several_passes(columns: Sequence[Column]) -> tuple[Passed, ...]:
    """Return every rubric and judge that several sets of answers were given to.

    Raises:
        InputError: a run that scored nothing, or no item with a verdict in every pass.
    """
    usable = [column for column in columns if column.accept is not None]
    found: list[Passed] = []
    for group in groups(usable, lambda made: (made.rubric, made.judge)):
        for repetition in dict.fromkeys(column.repetition for column in group):
            # Of a set of answers that several runs judged, the first: the others are repetitions.
            sets = {
                c.made.answers: c for c in reversed(group) if c.made and c.repetition == repetition
            }
            if len(sets) > 1:
                found.append(passes_of(list(reversed(sets.values()))))
    return tuple(found)


def passes_of(columns: Sequence[Column]) -> Passed:
    """Return passes beside each other.

    Raises:
        InputError: fewer than two, or no item with a verdict in every pass.
    """
    if len(columns) < _TWO:
        raise InputError("one pass has no spread; give two or more")
    found = match(columns)
    outcomes = [[row.accepted is True for row in rows] for rows in found.rows]
    counted = passes(found.items, *outcomes)
    by_item = list(zip(*found.rows, strict=True))
    changed = [rows for rows in by_item if len({row.accepted for row in rows}) > 1]
    return Passed(
        rubric=columns[0].rubric,
        judge=columns[0].judge,
        repetition=columns[0].repetition,
        names=tuple(column.answers or column.name for column in columns),
        passes=counted,
        undecided=found.left_out.undecided,
        absent=found.left_out.absent,
        agree=len(set(counted.spread.totals)) == 1,
        flips=tuple(
            PassFlip(
                id=rows[0].item,
                type=rows[0].type,
                accepted=tuple(row.accepted is True for row in rows),
                responses=tuple(row.judgment.response if row.judgment else None for row in rows),
            )
            for rows in changed
        ),
    )
