"""Verdicts before and after a change meant to improve: what it repaired, and what it broke.

An average hides breaks behind repairs. Here a change passes only where it breaks no more items that
were right than was allowed beforehand, and what a set of that size can miss is said beside it.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from judge.errors import InputError
from judge.records import Count, Listed, Record, Study
from judge.stats.controls import Detection, chance_to_detect
from judge.stats.proportion import Bound, one_sided_upper
from judge.studies.columns import Column
from judge.studies.matching import match

__all__ = ["Allowance", "Improvement", "allowance", "improvement"]


class Improvement(Record):
    """A change held against the items that were right before it."""

    before: str
    after: str
    items: Count
    right_before: Count
    """The items that the change can break: what the gate stands on."""
    repaired: Listed[str]
    """Wrong before, right after."""
    broken: Listed[str]
    """Right before, wrong after."""
    allowed: Count
    fixed_before: bool
    """Whether a plan fixed the allowance before the verdicts were seen."""
    passed: bool
    missed: Detection
    """The chance to see more breaks than allowed, if the change breaks items at `rate`."""
    upper: Bound
    """The share of right items it breaks, at most (one-sided, 95 %)."""
    undecided: Listed[str]


class Allowance(NamedTuple):
    """How many items a change may break, and when that was said."""

    breaks: int
    fixed_before: bool
    """Whether the plans of all sides fixed this very number before their first call."""


def allowance(studies: Sequence[Study | None], said: int | None) -> Allowance:
    """Return how many breaks are allowed: as said now, else as the plans fixed, else none.

    Args:
        studies: what the plan of each side fixed; None where nothing was.
        said: the number given now, after the verdicts.

    Raises:
        InputError: the plans fixed different numbers, and none was said.
    """
    planned = {None if study is None else study.allowed_breaks for study in studies}
    numbers = planned - {None}
    if said is None and len(numbers) > 1:
        raise InputError(
            "the plans of the two sides allow different numbers of breaks; say which with "
            "--allowed-breaks N"
        )
    breaks = said if said is not None else next(iter(numbers), None) or 0
    return Allowance(breaks, fixed_before=planned == {breaks})


def improvement(
    before: Column, after: Column, *, allowed: int, fixed_before: bool, rate: Fraction
) -> Improvement:
    """Return what a change repaired and broke, and whether that is allowed.

    Args:
        before: verdicts before the change.
        after: verdicts of the same items after it.
        allowed: items it may break.
        fixed_before: whether that number was fixed before the verdicts were seen.
        rate: the share of breaks that one would want to see.

    Raises:
        InputError: no item was right before, or none has a verdict on both sides.
    """
    found = match((before, after))
    rows = list(zip(*found.rows, strict=True))
    at_risk = [one.item for one, _ in rows if one.accepted is True]
    if not at_risk:
        raise InputError(f"{before.name}: no item was right, so nothing could be broken")
    broken = [one.item for one, other in rows if one.accepted and not other.accepted]
    repaired = [one.item for one, other in rows if other.accepted and not one.accepted]
    return Improvement(
        before=before.name,
        after=after.name,
        items=len(rows),
        right_before=len(at_risk),
        repaired=tuple(repaired),
        broken=tuple(broken),
        allowed=allowed,
        fixed_before=fixed_before,
        passed=len(broken) <= allowed,
        missed=chance_to_detect(len(at_risk), rate, allowed),
        upper=one_sided_upper(len(broken), len(at_risk)),
        undecided=found.left_out.undecided,
    )
