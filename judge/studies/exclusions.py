"""Questionable rows of an answer key: the score without them, and with them granted.

Both stand beside the raw score and never instead of it. Where the rows were fixed in the plan, that
is said; a list made after the verdicts were seen is post hoc.
"""

from collections.abc import Sequence
from typing import NamedTuple

from judge.errors import InputError
from judge.records import Count, Excluded, Exclusions, Listed, Record
from judge.studies.columns import Column, Row
from judge.studies.matching import check_usable

__all__ = ["Counterfactual", "Questioned", "exclude"]


class Part(Record):
    """Accepted of asked."""

    accepted: Count
    asked: Count


class Questioned(Record):
    """One questioned row, and how it was judged."""

    id: str
    class_: str
    reason: str
    label: str | None
    accepted: bool


class ByClass(Record):
    """All rows of one class."""

    class_: str
    rows: Count
    accepted: Count
    without: Part
    """The score without the rows of this class."""
    granted: Part
    """The score with them counted as right."""


class Counterfactual(Record):
    """One column with and without the questioned rows."""

    column: str
    file: str
    sha256: str
    fixed_before: bool
    """Whether the plan named the rows before the first call."""
    raw: Part
    without: Part
    granted: Part
    classes: Listed[ByClass]
    rows: Listed[Questioned]
    not_asked: Listed[str]
    """Questioned rows that this column did not ask."""
    undecided: Count
    """Items without a verdict: they count as asked and not as accepted, so the shares are bounds
    from below while there are any."""


class _Asked(NamedTuple):
    """The questioned rows that a column has, with their rows."""

    row: Row
    why: Excluded


def exclude(column: Column, found: Exclusions, *, fixed_before: bool) -> Counterfactual:
    """Return a column's score raw, without the questioned rows, and with them granted.

    Raises:
        InputError: a run that scored nothing, grades, or none of the rows was asked.
    """
    check_usable((column,))
    table = column.by_item()
    asked = [_Asked(table[each.id], each) for each in found.rows if each.id in table]
    if not asked:
        raise InputError(f"{column.name}: asked none of the {len(found.rows)} rows of {found.file}")
    raw = Part(accepted=sum(row.accepted is True for row in column.rows), asked=len(column.rows))
    names = list(dict.fromkeys(each.why.class_ for each in asked))
    return Counterfactual(
        column=column.name,
        file=found.file,
        sha256=found.sha256,
        fixed_before=fixed_before,
        raw=raw,
        without=_without(raw, asked),
        granted=_granted(raw, asked),
        classes=tuple(
            _by_class(name, raw, [each for each in asked if each.why.class_ == name])
            for name in names
        ),
        rows=tuple(_questioned(each) for each in asked),
        not_asked=tuple(each.id for each in found.rows if each.id not in table),
        undecided=sum(row.label is None for row in column.rows),
    )


def _accepted(asked: Sequence[_Asked]) -> int:
    return sum(each.row.accepted is True for each in asked)


def _without(raw: Part, asked: Sequence[_Asked]) -> Part:
    return Part(accepted=raw.accepted - _accepted(asked), asked=raw.asked - len(asked))


def _granted(raw: Part, asked: Sequence[_Asked]) -> Part:
    return Part(accepted=raw.accepted + len(asked) - _accepted(asked), asked=raw.asked)


def _by_class(name: str, raw: Part, asked: Sequence[_Asked]) -> ByClass:
    return ByClass(
        class_=name,
        rows=len(asked),
        accepted=_accepted(asked),
        without=_without(raw, asked),
        granted=_granted(raw, asked),
    )


def _questioned(each: _Asked) -> Questioned:
    return Questioned(
        id=each.why.id,
        class_=each.why.class_,
        reason=each.why.reason,
        label=each.row.label,
        accepted=each.row.accepted is True,
    )
