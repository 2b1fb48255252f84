"""Two or more judges of the same answers: how often they agree, who is stricter, what they reverse.

Columns equal in answers and rubric are held against each other, one repetition at a time.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from judge.errors import InputError
from judge.records import Count, Listed, Record
from judge.stats.agreement import Agreement, agreement, cross_table
from judge.stats.mcnemar import McNemar, mcnemar_exact
from judge.stats.pairs import Pairs, pairs
from judge.stats.raters import Reliability, fleiss_kappa, gwet_ac1, krippendorff_alpha, ratings
from judge.studies.columns import Column, Row
from judge.studies.matching import Matched, common, match, named

__all__ = ["Disagreement", "JudgePair", "Judged", "Reversal", "judges", "judges_of", "reversals"]

_TWO = 2


class Disagreement(Record):
    """One item that two judges label differently."""

    id: str
    type: str | None
    first: str
    second: str


class TypePair(Record):
    """One question type."""

    type: str
    items: Count
    first_only: Count
    """Accepted by the first judge alone."""
    second_only: Count


class JudgePair(Record):
    """Two judges."""

    first: str
    second: str
    pairs: Pairs
    agreement: Agreement
    test: McNemar
    stricter: str | None
    """Who accepts fewer; null where both accept as many."""
    types: Listed[TypePair]
    disagreements: Listed[Disagreement]


class Judged(Record):
    """One set of answers under one rubric, by several judges."""

    answers: str
    rubric: str
    repetition: Count | None
    judges: Listed[str]
    items: Count
    undecided: Listed[str]
    """Items left out: a judge has no verdict for them."""
    absent: Count
    """Items that not every judge was asked about."""
    accepted: Listed[Count]
    """By judge."""
    matrix: Listed[JudgePair]
    fleiss: Reliability | None
    """For three judges or more, as the two below."""
    krippendorff: Reliability | None
    ac1: Reliability | None


class Reversal(Record):
    """Two sets of answers that two judges put in opposite orders."""

    type: str | None
    """Null: over all types."""
    rubric: str
    repetition: Count | None
    items: Count
    first_answers: str
    second_answers: str
    first_judge: str
    second_judge: str
    margin_first: int
    """Accepted answers of the first set more than of the second, by the first judge."""
    margin_second: int


def judges(columns: Sequence[Column]) -> tuple[Judged, ...]:
    """Return every set of answers that several judges have labelled under one rubric.

    Raises:
        InputError: a run that scored nothing, or no item with a verdict of every judge.
    """
    return tuple(judges_of(group) for group in _groups(columns) if len(group) > 1)


def _groups(columns: Sequence[Column]) -> list[list[Column]]:
    """One column for each judge; where a judge was asked in several runs, the first."""
    found: dict[tuple[str, str, int | None], dict[str, Column]] = {}
    for column in columns:
        if column.made is not None and column.accept is not None:
            key = column.made.answers, column.made.rubric, column.repetition
            found.setdefault(key, {}).setdefault(column.made.judge, column)
    return [list(group.values()) for group in found.values()]


def judges_of(columns: Sequence[Column]) -> Judged:
    """Return several judges of the same items.

    Raises:
        InputError: fewer than two, or no item with a verdict of every one.
    """
    if len(columns) < _TWO:
        raise InputError("one judge agrees with nobody; give two or more")
    found = match(columns)
    names = _names(columns)
    places = list(combinations(range(len(columns)), 2))
    several = len(columns) > _TWO
    table = ratings(found.items, [[row.label for row in rows] for rows in zip(*found.rows)])  # noqa: B905 - equal by their making
    return Judged(
        answers=columns[0].answers,
        rubric=columns[0].rubric,
        repetition=columns[0].repetition,
        judges=tuple(names),
        items=len(found.items),
        undecided=found.left_out.undecided,
        absent=len(found.left_out.absent),
        accepted=tuple(sum(row.accepted is True for row in rows) for rows in found.rows),
        matrix=tuple(_pair(found, names, one, other) for one, other in places),
        fleiss=fleiss_kappa(table) if several else None,
        krippendorff=krippendorff_alpha(table, "nominal") if several else None,
        ac1=gwet_ac1(table) if several else None,
    )


def _names(columns: Sequence[Column]) -> list[str]:
    """The judges' names, or the columns' where two judges have one name."""
    names = [column.judge or column.name for column in columns]
    return names if len(set(names)) == len(names) else [column.name for column in columns]


def _pair(found: Matched, names: Sequence[str], one: int, other: int) -> JudgePair:
    first, second = found.rows[one], found.rows[other]
    table = pairs(found.items, _right(first), _right(second))
    labels = [[row.label or "" for row in rows] for rows in (first, second)]
    less = table.first_only - table.second_only
    return JudgePair(
        first=names[one],
        second=names[other],
        pairs=table,
        agreement=agreement(cross_table(found.items, *labels)),
        test=mcnemar_exact(table),
        stricter=None if not less else names[other] if less > 0 else names[one],
        types=tuple(_types(first, second)),
        disagreements=tuple(
            Disagreement(id=a.item, type=a.type, first=a.label or "", second=b.label or "")
            for a, b in zip(first, second, strict=True)
            if a.label != b.label
        ),
    )


def _right(rows: Sequence[Row]) -> list[bool]:
    return [row.accepted is True for row in rows]


def _types(first: Sequence[Row], second: Sequence[Row]) -> list[TypePair]:
    cells: dict[str, Counter[tuple[bool, bool]]] = {}
    for one, other in zip(first, second, strict=True):
        if one.type is not None:
            cell = one.accepted is True, other.accepted is True
            cells.setdefault(one.type, Counter())[cell] += 1
    return [
        TypePair(
            type=name,
            items=found.total(),
            first_only=found[True, False],
            second_only=found[False, True],
        )
        for name, found in sorted(cells.items())
    ]


# --- orders -------------------------------------------------------------------------------------


def reversals(columns: Sequence[Column]) -> tuple[Reversal, ...]:
    """Return where two judges put two sets of answers in opposite orders, over all and by type.

    Columns need one rubric and one repetition; the items are those all four have verdicts for. Two
    sets of answers to different questions have no order.

    Raises:
        InputError: a run that scored nothing.
    """
    by_judge: dict[tuple[str, int | None], dict[str, dict[str, Column]]] = {}
    for column in columns:
        if column.made is not None and column.accept is not None:
            sets = by_judge.setdefault((column.made.rubric, column.repetition), {})
            sets.setdefault(column.made.answers, {}).setdefault(column.made.judge, column)
    names = named(columns, "answers")
    found: list[Reversal] = []
    for sets in by_judge.values():
        for one, other in combinations(sets.values(), 2):
            both = [judge for judge in one if judge in other]
            for a, b in combinations(both, 2):
                found += _reversed((one[a], other[a]), (one[b], other[b]), names)
    return tuple(found)


def _reversed(
    first: tuple[Column, Column], second: tuple[Column, Column], names: dict[str, str]
) -> Iterator[Reversal]:
    found = common((*first, *second))
    if found is None:
        return
    judge_names = _names((first[0], second[0]))
    answers = [names[column.made.answers] for column in first if column.made is not None]
    types = {row.type for row in found.rows[0] if row.type is not None}
    for name in (None, *sorted(types)):
        items, one, other = _margins(found, name)
        if one * other < 0:
            yield Reversal(
                type=name,
                rubric=first[0].rubric,
                repetition=first[0].repetition,
                items=items,
                first_answers=answers[0],
                second_answers=answers[1],
                first_judge=judge_names[0],
                second_judge=judge_names[1],
                margin_first=one,
                margin_second=other,
            )


def _margins(found: Matched, name: str | None) -> tuple[int, int, int]:
    """How many items of a type, and the margin between two sets of answers by either judge."""
    keep = [name is None or row.type == name for row in found.rows[0]]
    right = [
        sum(row.accepted is True for row, kept in zip(rows, keep, strict=True) if kept)
        for rows in found.rows
    ]
    return sum(keep), right[0] - right[1], right[2] - right[3]
