"""A control batch, a rate and a chance in; the rows needed and what a pass is worth out.

All probabilities here are exact fractions. The bound after no failure in n controls is
`proportion.one_sided_upper(0, n)`.
"""

from collections.abc import Callable
from fractions import Fraction

from judge.errors import InputError
from judge.gate import need
from judge.stats.binomial import at_most, exact_at_most, exact_finite_at_most
from judge.stats.exact import Count, Result, checked_counts, checked_level, checked_share, fraction

__all__ = [
    "Detection",
    "GatePass",
    "Rows",
    "chance_to_detect",
    "chance_to_pass",
    "least_correct",
    "rows_needed",
    "rows_needed_of_pool",
]

_ROWS_LIMIT = 1_000_000
_CLOSE = 1e-6


class Rows(Result):
    """How many control rows are needed to see a rate."""

    rate: Fraction
    chance: Fraction
    """The probability with which the rate must be seen."""
    allowed: Count
    """How many failures still count as a pass."""
    pool: Count | None
    """How many rows there are to draw from without replacement; null: no end of them."""
    rows: Count


class Detection(Result):
    """The chance that a control batch shows more failures than allowed."""

    rows: Count
    rate: Fraction
    allowed: Count
    chance: Fraction


class GatePass(Result):
    """The chance that a judge of a given accuracy passes a gate."""

    asked: Count
    need: Count
    accuracy: Fraction
    chance: Fraction


def least_correct(threshold: Fraction | str, asked: int) -> int:
    """Return the least whole number at or above threshold times asked, in exact rationals.

    Raises:
        InputError: nothing is asked, or the threshold is not above 0 and at most 1.
    """
    share = fraction(threshold, what="the threshold")
    checked_counts({"the number asked": asked})
    if not asked or not 0 < share <= 1:
        raise InputError(f"{share} of {asked} controls is no gate")
    return need(share, asked)


def rows_needed(rate: Fraction | str, chance: Fraction | str = "0.95", allowed: int = 0) -> Rows:
    """Return the least n with P(more than `allowed` failures in n) >= chance, rows independent.

    Raises:
        InputError: a share outside 0 to 1, or more than a million rows.
    """
    share, wanted = checked_level(rate, what="the rate"), checked_level(chance, what="the chance")
    checked_counts({"the failures allowed": allowed})

    def seen(n: int) -> bool:
        # Floats decide where they can; near the level the powers are compared as whole numbers.
        gap = at_most(allowed, n, float(share)) / float(1 - wanted) - 1
        return gap < 0 if abs(gap) > _CLOSE else exact_at_most(allowed, n, share) <= 1 - wanted

    high = allowed + 1
    while not seen(high):
        high *= 2
        if high > _ROWS_LIMIT:
            raise InputError(f"a rate of {share} needs more than {_ROWS_LIMIT} rows to be seen")
    return Rows(
        definition="least n with P(Binomial(n, rate) > allowed) >= chance",
        rate=share,
        chance=wanted,
        allowed=allowed,
        pool=None,
        rows=_first(seen, allowed + 1, high),
    )


def rows_needed_of_pool(
    pool: int, bad: int, chance: Fraction | str = "0.95", allowed: int = 0
) -> Rows:
    """Return the same for rows drawn without replacement from a pool with so many bad rows.

    Raises:
        InputError: no more bad rows than allowed, or more than the pool.
    """
    wanted = checked_level(chance, what="the chance")
    checked_counts({"the pool": pool, "the bad rows": bad, "the failures allowed": allowed})
    if not allowed < bad <= pool:
        raise InputError(f"{bad} bad rows among {pool} never show more than {allowed} failures")

    def seen(n: int) -> bool:
        return exact_finite_at_most(allowed, n, bad, pool) <= 1 - wanted

    return Rows(
        definition="least n with P(Hypergeometric(pool, bad, n) > allowed) >= chance",
        rate=Fraction(bad, pool),
        chance=wanted,
        allowed=allowed,
        pool=pool,
        rows=_first(seen, allowed + 1, pool),
    )


def _first(seen: Callable[[int], bool], low: int, high: int) -> int:
    while low < high:
        middle = (low + high) // 2
        if seen(middle):
            high = middle
        else:
            low = middle + 1
    return low


def chance_to_detect(rows: int, rate: Fraction | str, allowed: int = 0) -> Detection:
    """Return the chance that so many independent rows show more failures than allowed.

    Raises:
        InputError: no rows, or a rate outside 0 to 1.
    """
    share = checked_share(rate, what="the rate")
    checked_counts({"the rows": rows, "the failures allowed": allowed})
    if not rows:
        raise InputError("0 control rows detect nothing")
    return Detection(
        definition="P(Binomial(rows, rate) > allowed)",
        rows=rows,
        rate=share,
        allowed=allowed,
        chance=1 - exact_at_most(allowed, rows, share),
    )


def chance_to_pass(asked: int, need: int, accuracy: Fraction | str) -> GatePass:
    """Return the chance that a judge right with this probability gets `need` of `asked` right.

    Raises:
        InputError: no controls, a need above them, or an accuracy outside 0 to 1.
    """
    share = checked_share(accuracy, what="the accuracy")
    checked_counts({"the number asked": asked, "the number needed": need})
    if not 0 < need <= asked:
        raise InputError(f"a gate of {need} of {asked} controls is no gate")
    return GatePass(
        definition="P(Binomial(asked, accuracy) >= need)",
        asked=asked,
        need=need,
        accuracy=share,
        # Counted by failures: at most asked - need of them.
        chance=exact_at_most(asked - need, asked, 1 - share),
    )
