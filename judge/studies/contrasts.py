"""The contrasts that a plan fixed before its first call, and nothing beside them.

All of a run's contrasts are one family: their tests are adjusted for their number (Holm). The
margin is the plan's.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from judge.comparing.conclusions import Evidence, concluded
from judge.comparing.pairwise import against
from judge.records import Contrast, Count, Listed, Record, Study
from judge.stats.difference import Difference, tango
from judge.stats.mcnemar import mcnemar_exact
from judge.stats.multiplicity import holm
from judge.stats.pairs import Pairs, pairs
from judge.studies.columns import Column
from judge.studies.matching import Matched, match, pairs_differing

__all__ = ["Contrasted", "contrasts"]


class Contrasted(Record):
    """Two columns that the plan said would be held against each other."""

    name: str
    first: str
    second: str
    pairs: Pairs
    undecided: Listed[str]
    tango: Difference
    p: Fraction | float
    """Exact McNemar."""
    holm: Fraction | float
    """Adjusted for all contrasts of the plan."""
    family: Count
    conclusion: str


class _Found(NamedTuple):
    name: str
    first: Column
    second: Column
    matched: Matched
    table: Pairs


def contrasts(columns: Sequence[Column], study: Study) -> tuple[Contrasted, ...]:
    """Return every contrast of a run's plan, repetition by repetition.

    Raises:
        InputError: a run that scored nothing, or no item with a verdict on both sides.
    """
    found = [
        _found(contrast.name, one, other)
        for contrast in study.contrasts
        for one, other in _sides(contrast, columns)
    ]
    if not found:
        return ()
    tests = [mcnemar_exact(each.table).p for each in found]
    adjusted = holm(tests).adjusted
    margins = [against(each.table, study.margin) if study.margin else None for each in found]
    equal = (
        holm([margin.equivalence.p for margin in margins if margin is not None]).adjusted
        if (study.margin)
        else ()
    )
    results: list[Contrasted] = []
    for place, each in enumerate(found):
        level = tango(each.table)
        sentence = concluded(
            Evidence(
                first=each.first.name,
                second=each.second.name,
                tango=level,
                p=adjusted[place],
                family=len(found),
                margin=margins[place],
                equivalence_p=float(equal[place]) if equal else None,
            )
        )
        results.append(
            Contrasted(
                name=each.name,
                first=each.first.name,
                second=each.second.name,
                pairs=each.table,
                undecided=each.matched.left_out.undecided,
                tango=level,
                p=tests[place],
                holm=adjusted[place],
                family=len(found),
                conclusion=sentence,
            )
        )
    return tuple(results)


def _sides(contrast: Contrast, columns: Sequence[Column]) -> Iterator[tuple[Column, Column]]:
    if contrast.vary is not None:
        yield from pairs_differing(columns, contrast.vary)
        return
    for repetition in dict.fromkeys(column.repetition for column in columns):
        by_id = {c.condition: c for c in columns if c.repetition == repetition}
        yield by_id[contrast.first], by_id[contrast.second]


def _found(name: str, one: Column, other: Column) -> _Found:
    matched = match((one, other))
    first, second = ([row.accepted is True for row in rows] for rows in matched.rows)
    return _Found(name, one, other, matched, pairs(matched.items, first, second))
