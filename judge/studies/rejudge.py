"""Labels given earlier and labels given now: what changed, and what a margin is worth beside it.

A flip here is one saved answer with two labels: the earlier one of its file, and the new one. The
earlier judge may have been another model under another template; what differed is the reader's to
know.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from judge.errors import InputError
from judge.records import Count, Listed, Record
from judge.studies.columns import Column, Row
from judge.studies.matching import Matched, check_usable, common, match, pairs_differing

__all__ = ["Flip", "Margin", "Rejudged", "TypeFlips", "margins", "rejudge", "rejudge_files"]


class Flip(Record):
    """One item whose label changed, with all that was said of it."""

    id: str
    type: str | None
    before: str
    after: str
    question: str | None
    gold: str | None
    response: str | None
    reply: str | None
    """What the new judge said."""


class TypeFlips(Record):
    """One question type."""

    type: str
    items: Count
    accepted_before: Count
    accepted_after: Count
    flips: Count


class Rejudged(Record):
    """One column beside the earlier labels of the same saved answers."""

    column: str
    before: str
    """Where the earlier labels stand."""
    compared: Count
    never_judged: Count
    """Items without an earlier label: never counted as wrong."""
    foreign: Count
    """Items whose earlier label is none of the rubric's."""
    undecided: Count
    """Items with an earlier label and no new one."""
    accepted_before: Count
    accepted_after: Count
    table: dict[str, Count]
    """`before > after` to how many."""
    flips: Listed[Flip]
    types: Listed[TypeFlips]


class Margin(Record):
    """Two sets of answers under one judge, and the flips each had against earlier labels."""

    first: str
    second: str
    items: Count
    accepted_first: Count
    accepted_second: Count
    flips: Count
    """The larger number of flips of the two."""
    resolved: bool
    """Whether the margin is larger than the flips."""


class _Both(NamedTuple):
    """One item with both labels, each counted as right or wrong."""

    row: Row
    before: str
    accepted_before: bool
    after: str
    accepted_after: bool


def rejudge(column: Column) -> Rejudged:
    """Return the new labels of a run's column beside the earlier ones of its answers file.

    Raises:
        InputError: a verdict file, grades, a run that scored nothing, or no earlier label at all.
    """
    check_usable((column,))
    if column.accept is None:
        raise InputError(f"{column.name}: has no labels that are right or wrong")
    both: list[_Both] = []
    missing = Counter[str]()
    for row in column.rows:
        prior = row.judgment.prior if row.judgment else None
        if prior is None:
            missing["never"] += 1
        elif prior not in column.labels:
            missing["foreign"] += 1
        elif row.label is None or row.accepted is None:
            missing["undecided"] += 1
        else:
            both.append(_Both(row, prior, prior == column.accept, row.label, row.accepted))
    if not both:
        raise InputError(f"{column.name}: no saved answer has an earlier label of this rubric's")
    changed = [each for each in both if each.before != each.after]
    return _rejudged(column.name, f"labels of {column.answers}", both, changed, missing)


def rejudge_files(before: Column, after: Column) -> Rejudged:
    """Return the labels of one side beside those of an earlier side, joined by item.

    Raises:
        InputError: no item has a label on both sides.
    """
    found = match((before, after))
    both = [
        _Both(new, _said(old), bool(old.accepted), _said(new), bool(new.accepted))
        for old, new in zip(*found.rows, strict=True)
    ]
    earlier = before.by_item()
    missing = Counter(
        "undecided" if _labelled(earlier, item) else "never"
        for item in (*found.left_out.absent, *found.left_out.undecided)
    )
    # Two files may call one thing by two names: what counts is right and wrong.
    changed = [each for each in both if each.accepted_before != each.accepted_after]
    return _rejudged(after.name, before.name, both, changed, missing)


def _labelled(rows: Mapping[str, Row], item: str) -> bool:
    row = rows.get(item)
    return row is not None and row.label is not None


def _said(row: Row) -> str:
    return row.label or ""


def _rejudged(
    name: str,
    source: str,
    both: Sequence[_Both],
    flips: Sequence[_Both],
    missing: Mapping[str, int],
) -> Rejudged:
    table = Counter(f"{each.before} > {each.after}" for each in both)
    return Rejudged(
        column=name,
        before=source,
        compared=len(both),
        never_judged=missing.get("never", 0),
        foreign=missing.get("foreign", 0),
        undecided=missing.get("undecided", 0),
        accepted_before=sum(each.accepted_before for each in both),
        accepted_after=sum(each.accepted_after for each in both),
        table=dict(sorted(table.items())),
        flips=tuple(_flip(each) for each in flips),
        types=tuple(_types(both, flips)),
    )


def _flip(each: _Both) -> Flip:
    said = each.row.judgment
    return Flip(
        id=each.row.item,
        type=each.row.type,
        before=each.before,
        after=each.after,
        question=None if said is None else said.question,
        gold=None if said is None else said.gold,
        response=None if said is None else said.response,
        reply=each.row.reply,
    )


def _types(both: Sequence[_Both], flips: Sequence[_Both]) -> list[TypeFlips]:
    names = sorted({each.row.type for each in both if each.row.type is not None})
    changed = Counter(each.row.type for each in flips)
    return [
        _type(name, [each for each in both if each.row.type == name], changed[name])
        for name in names
    ]


def _type(name: str, both: Sequence[_Both], flips: int) -> TypeFlips:
    return TypeFlips(
        type=name,
        items=len(both),
        accepted_before=sum(each.accepted_before for each in both),
        accepted_after=sum(each.accepted_after for each in both),
        flips=flips,
    )


def margins(columns: Sequence[Column], found: Mapping[str, Rejudged]) -> tuple[Margin, ...]:
    """Return the margin of every two sets of answers under one judge beside the flips seen.

    Two sets of answers to different questions have no margin.

    Args:
        columns: of runs.
        found: what `rejudge` gave, by column name.
    """
    return tuple(
        _margin(one, other, both, max(len(found[one.name].flips), len(found[other.name].flips)))
        for one, other in pairs_differing(columns, "answers")
        if one.name in found and other.name in found
        if (both := common((one, other))) is not None
    )


def _margin(one: Column, other: Column, both: Matched, flips: int) -> Margin:
    first, second = (sum(row.accepted is True for row in rows) for rows in both.rows)
    return Margin(
        first=one.name,
        second=other.name,
        items=len(both.items),
        accepted_first=first,
        accepted_second=second,
        flips=flips,
        resolved=abs(first - second) > flips,
    )
