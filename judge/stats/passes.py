"""The outcomes of the same items in two or more passes in; stable counts, flips and spread out."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from judge.errors import InputError
from judge.stats.exact import Count, Result, checked_counts
from judge.stats.pairs import distinct

__all__ = ["Passes", "Spread", "passes", "passes_from_totals", "spread"]


class Spread(Result):
    """The middle and half range of the totals of two or more passes."""

    totals: tuple[Count, ...]
    middle: Fraction
    """Halfway between the best and the worst pass."""
    half_range: Fraction
    """Half the distance between the best and the worst pass: not a standard error."""


class Passes(Result):
    """What two or more passes over the same items agree on."""

    n: Count | None
    """Null when only totals were published."""
    stable: Count
    """Items right in every pass."""
    flips: Count
    """Items right in some passes and wrong in others."""
    lost: Count | None
    """Right in the first, wrong in the second; null for more than two passes, as `gained`."""
    gained: Count | None
    items: Literal["distinct ids", "counted elsewhere"]

    spread: Spread


def spread(totals: Sequence[int]) -> Spread:
    """Return the middle of the totals and half their range, which is how a pair is reported.

    Raises:
        InputError: fewer than two totals.
    """
    _several(totals)
    checked_counts({f"total {i}": total for i, total in enumerate(totals, 1)})
    return Spread(
        definition="middle and half range of the totals (not a standard error)",
        totals=tuple(totals),
        middle=Fraction(max(totals) + min(totals), 2),
        half_range=Fraction(max(totals) - min(totals), 2),
    )


def _several(passes: Sequence[object]) -> None:
    if len(passes) < 2:  # noqa: PLR2004 - one pass has no range
        raise InputError("one pass has no spread: give two or more")


def passes(ids: Sequence[str], *runs: Sequence[bool]) -> Passes:
    """Return what the passes share, one column of outcomes per pass.

    Raises:
        InputError: fewer than two passes, an id comes twice, or an outcome is not true or false.
    """
    _several(runs)
    n = distinct(ids, *runs)
    rows = list(zip(*runs, strict=True))
    for identity, row in zip(ids, rows, strict=True):
        if {type(outcome) for outcome in row} != {bool}:
            raise InputError(f"item {identity[:80]!r} has an outcome that is not true or false")
    two = len(runs) == 2  # noqa: PLR2004 - lost and gained have a direction between two passes only
    return Passes(
        definition="outcomes of the same items over passes",
        n=n,
        stable=sum(all(row) for row in rows),
        flips=sum(len(set(row)) > 1 for row in rows),
        lost=sum(row == (True, False) for row in rows) if two else None,
        gained=sum(row == (False, True) for row in rows) if two else None,
        items="distinct ids",
        spread=spread([sum(run) for run in runs]),
    )


def passes_from_totals(first: int, second: int, flips: int) -> Passes:
    """Return what two totals and the number of flips imply.

    As many items are lost as (flips + first - second) / 2; the rest of the flips are gained.

    Raises:
        InputError: no two passes have these totals with so many flips.
    """
    checked_counts({"the first total": first, "the second total": second, "the flips": flips})
    lost, odd = divmod(flips + first - second, 2)
    if odd or not 0 <= lost <= min(first, flips):
        raise InputError(
            f"no two passes have {first} and {second} right with {flips} flips: flips and the"
            " difference of the totals must both be odd or both be even, and flips the larger"
        )
    return Passes(
        definition="outcomes implied by two totals and the number of flips",
        n=None,
        stable=first - lost,
        flips=flips,
        lost=lost,
        gained=flips - lost,
        items="counted elsewhere",
        spread=spread([first, second]),
    )
