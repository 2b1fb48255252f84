"""One count out of another in; its interval or one-sided bound out. Standard library only."""

from collections.abc import Callable
from fractions import Fraction
from math import exp, log, sqrt
from typing import Literal

from judge.errors import InputError
from judge.stats.binomial import at_least
from judge.stats.exact import (
    Count,
    Probability,
    Result,
    checked_counts,
    checked_level,
    fraction,
    normal_quantile,
    percent,
)

__all__ = [
    "Bound",
    "Interval",
    "clopper_pearson",
    "counts_printed_as",
    "lower_bound",
    "one_sided_lower",
    "one_sided_upper",
    "wilson",
]

_HALF = 0.5


class Interval(Result):
    """A two-sided interval for a proportion."""

    k: Count
    n: Count
    confidence: Fraction
    low: Probability
    high: Probability

    @property
    def rate(self) -> Fraction:
        """The exact share, k / n."""
        return Fraction(self.k, self.n)


class Bound(Result):
    """One limit for a proportion."""

    k: Count
    n: Count
    confidence: Fraction
    side: Literal["lower", "upper"]
    value: Probability


def wilson(accepted: int, asked: int, confidence: Fraction | str = "0.95") -> Interval:
    """Return Wilson's score interval without continuity correction.

    Source: Wilson 1927, JASA 22:209: the p with |k/n - p| = z sqrt(p (1 - p) / n).

    Raises:
        InputError: nothing was asked, more accepted than asked, or no such confidence.
    """
    level = _checked(accepted, asked, confidence)
    z = normal_quantile((1 + level) / 2)
    rate, square = accepted / asked, z * z
    centre = rate + square / (2 * asked)
    half = z * sqrt(rate * (1 - rate) / asked + square / (4 * asked * asked))
    scale = 1 + square / asked
    # At the ends the limit is 0 or 1 by algebra; floats miss it by one unit.
    low = 0.0 if accepted == 0 else (centre - half) / scale
    high = 1.0 if accepted == asked else (centre + half) / scale
    return Interval(
        definition="Wilson score interval, two-sided, no continuity correction",
        k=accepted,
        n=asked,
        confidence=level,
        low=low,
        high=high,
    )


def clopper_pearson(accepted: int, asked: int, confidence: Fraction | str = "0.95") -> Interval:
    """Return the Clopper-Pearson ("exact") interval: half of the error on either side.

    Source: Clopper and Pearson 1934, Biometrika 26:404.

    Raises:
        InputError: nothing was asked, more accepted than asked, or no such confidence.
    """
    level = _checked(accepted, asked, confidence)
    tail = float((1 - level) / 2)
    return Interval(
        definition="Clopper-Pearson interval, two-sided, equal tails",
        k=accepted,
        n=asked,
        confidence=level,
        low=_lower(accepted, asked, tail),
        high=1 - _lower(asked - accepted, asked, tail),
    )


def lower_bound(correct: int, asked: int, confidence: Fraction | str = "0.95") -> Bound:
    """Return the lower end of the two-sided Clopper-Pearson interval: 0.735 for 12 of 12.

    Raises:
        InputError: nothing was asked, more correct than asked, or no such confidence.
    """
    interval = clopper_pearson(correct, asked, confidence)
    return Bound(
        definition="lower end of the two-sided Clopper-Pearson interval",
        k=correct,
        n=asked,
        confidence=interval.confidence,
        side="lower",
        value=interval.low,
    )


def one_sided_lower(k: int, n: int, confidence: Fraction | str = "0.95") -> Bound:
    """Return the exact one-sided lower bound: the p at which k or more of n has the whole error.

    Raises:
        InputError: n is 0, k above n, or no such confidence.
    """
    level = _checked(k, n, confidence)
    return Bound(
        definition="Clopper-Pearson lower bound, one-sided",
        k=k,
        n=n,
        confidence=level,
        side="lower",
        value=_lower(k, n, float(1 - level)),
    )


def one_sided_upper(k: int, n: int, confidence: Fraction | str = "0.95") -> Bound:
    """Return the exact one-sided upper bound; of 0 in n it is 1 - (1 - confidence)^(1/n).

    Raises:
        InputError: n is 0, k above n, or no such confidence.
    """
    level = _checked(k, n, confidence)
    return Bound(
        definition="Clopper-Pearson upper bound, one-sided",
        k=k,
        n=n,
        confidence=level,
        side="upper",
        value=1 - _lower(n - k, n, float(1 - level)),
    )


def counts_printed_as(printed_percent: str, n: int) -> tuple[int, ...]:
    """Return every k for which k of n prints as this percentage, such as `95.5%`.

    None means that the percentage cannot come from n rows; several, that it does not say which.
    Source: the GRIM test, Brown and Heathers 2017, for percentages.

    Raises:
        InputError: n is 0, or the text is no percentage.
    """
    checked_counts({"the number asked": n})
    fraction(printed_percent.removesuffix("%"), what="the percentage")
    if n == 0:
        raise InputError("0 rows have no percentage: nothing was asked")
    places = len(printed_percent.removesuffix("%").partition(".")[2])
    return tuple(k for k in range(n + 1) if percent(Fraction(k, n), places) == printed_percent)


def _checked(k: int, n: int, confidence: Fraction | str) -> Fraction:
    checked_counts({"the count": k, "the number asked": n})
    if n == 0:
        raise InputError("0 of 0 has no interval: nothing was asked")
    if k > n:
        raise InputError(f"{k} of {n} is no proportion: the count is above the number asked")
    return checked_level(confidence)


def _lower(k: int, n: int, tail: float) -> float:
    """Return the p with P(X >= k) = tail for X ~ Binomial(n, p)."""
    if k == 0:
        return 0.0
    if k == n:
        return exp(log(tail) / n)
    # At p = k/n the upper tail is at least one half, so a tail below one half has its root below.
    return _bisect(lambda p: at_least(k, n, p) < tail, 0.0, k / n if tail < _HALF else 1.0)


def _bisect(below: Callable[[float], bool], low: float, high: float) -> float:
    """Return the float at which `below` turns false."""
    while low < (middle := (low + high) / 2) < high:
        if below(middle):
            low = middle
        else:
            high = middle
    return high
