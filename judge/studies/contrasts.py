"""The contrasts that a plan fixed before its first call, and nothing beside them.

A contrast is one question, however many pairs of columns answer it: passes and repetitions of an
item are not further items. Its test is by item, over all pairs together; a run's contrasts are one
family, adjusted for their number (Holm). The margin is the plan's, and is tested pair by pair.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from judge.comparing.conclusions import Evidence, MarginTests, concluded
from judge.comparing.pairwise import against
from judge.records import Contrast, Count, Listed, Record, Study
from judge.stats.difference import Difference, tango
from judge.stats.graded import SignFlip, sign_flip_clustered
from judge.stats.mcnemar import exact_p
from judge.stats.multiplicity import holm
from judge.stats.pairs import Pairs, pairs
from judge.studies.columns import Column
from judge.studies.matching import Matched, match, pairs_differing

__all__ = ["ContrastPair", "Contrasted", "contrasts"]


class ContrastPair(Record):
    """Two columns held against each other."""

    first: str
    second: str
    pairs: Pairs
    undecided: Listed[str]
    tango: Difference
    p: Fraction | float
    """Exact McNemar, of this pair alone."""
    margin: MarginTests | None


class Contrasted(Record):
    """One contrast of the plan."""

    name: str
    pairs: Listed[ContrastPair]
    items: Count
    """Distinct items over all pairs."""
    test: SignFlip
    """By item, over all pairs; of a single pair it is exact McNemar."""
    holm: Fraction | float
    """Its p adjusted for all contrasts of the plan."""
    family: Count
    conclusion: str


class _Found(NamedTuple):
    first: Column
    second: Column
    matched: Matched
    table: Pairs


def contrasts(columns: Sequence[Column], study: Study) -> tuple[Contrasted, ...]:
    """Return every contrast of a run's plan.

    Raises:
        InputError: a run that scored nothing, or no item with a verdict on both sides.
    """
    found = [
        (contrast.name, [_found(one, other) for one, other in _sides(contrast, columns)])
        for contrast in study.contrasts
    ]
    tested = [(name, each, _test(each)) for name, each in found if each]
    if not tested:
        return ()
    adjusted = holm([test.p for _, _, test in tested]).adjusted
    return tuple(
        _contrasted(name, each, test, p, family=len(tested), margin=study.margin)
        for (name, each, test), p in zip(tested, adjusted, strict=True)
    )


def _test(found: Sequence[_Found]) -> SignFlip:
    """The exact sign-flip test over items, each pair's outcome of an item counted with it."""
    items = [item for each in found for item in each.matched.items]
    first, second = (
        [int(row.accepted is True) for each in found for row in each.matched.rows[side]]
        for side in (0, 1)
    )
    return sign_flip_clustered([str(n) for n in range(len(items))], items, first, second)


def _contrasted(
    name: str,
    found: Sequence[_Found],
    test: SignFlip,
    p: Fraction | float,
    *,
    family: int,
    margin: str | None,
) -> Contrasted:
    shown = tuple(_pair(each, margin) for each in found)
    return Contrasted(
        name=name,
        pairs=shown,
        items=len({item for each in found for item in each.matched.items}),
        test=test,
        holm=p,
        family=family,
        conclusion=_conclusion(shown, p, family),
    )


def _pair(found: _Found, margin: str | None) -> ContrastPair:
    return ContrastPair(
        first=found.first.name,
        second=found.second.name,
        pairs=found.table,
        undecided=found.matched.left_out.undecided,
        tango=tango(found.table),
        p=exact_p(found.table.first_only, found.table.second_only),
        margin=None if margin is None else against(found.table, margin),
    )


_LEVEL = Fraction(1, 20)


def _conclusion(shown: Sequence[ContrastPair], p: Fraction | float, family: int) -> str:
    """One sentence: of a single pair as `compare` says it; of several, over all of them."""
    if len(shown) == 1:
        [one] = shown
        told = Evidence(one.first, one.second, one.tango, p, family, one.margin, None)
        return concluded(told)
    said = "a difference is shown" if p <= _LEVEL else "no difference is shown"
    if p > _LEVEL:
        said += ", which does not show that there is none"
    within = [one.margin for one in shown if one.margin is not None]
    if within:
        equal = sum(margin.equivalence.p <= _LEVEL for margin in within)
        said += f"; equivalent within the margin in {equal} of {len(within)} pairs"
    return f"over {len(shown)} pairs, by item: {said}"


def _sides(contrast: Contrast, columns: Sequence[Column]) -> Iterator[tuple[Column, Column]]:
    if contrast.vary is not None:
        yield from pairs_differing(columns, contrast.vary)
        return
    for repetition in dict.fromkeys(column.repetition for column in columns):
        by_id = {c.condition: c for c in columns if c.repetition == repetition}
        yield by_id[contrast.first], by_id[contrast.second]


def _found(one: Column, other: Column) -> _Found:
    matched = match((one, other))
    first, second = ([row.accepted is True for row in rows] for rows in matched.rows)
    return _Found(one, other, matched, pairs(matched.items, first, second))
