"""A table of paired items in; intervals of the difference, equivalence, non-inferiority out."""

from fractions import Fraction
from math import copysign, inf, sqrt
from statistics import NormalDist

from judge.errors import InputError
from judge.stats.exact import Result, checked_level, normal_quantile
from judge.stats.pairs import Pairs
from judge.stats.proportion import wilson

__all__ = [
    "Difference",
    "Equivalence",
    "NonInferiority",
    "equivalence",
    "newcombe10",
    "non_inferiority",
    "tango",
]


class Difference(Result):
    """An interval of the difference, first minus second."""

    pairs: Pairs
    confidence: Fraction
    low: float
    high: float


class NonInferiority(Result):
    """A one-sided test that the first is worse by less than the margin."""

    pairs: Pairs
    margin: Fraction
    p: float


class Equivalence(Result):
    """Two one-sided tests that the two differ by less than the margin either way."""

    pairs: Pairs
    margin: Fraction
    p_lower: float
    """Of the test that the difference is above minus the margin."""
    p_upper: float
    """Of the test that it is below the margin."""

    @property
    def p(self) -> float:
        """The larger of the two: equivalence needs both."""
        return max(self.p_lower, self.p_upper)


def tango(table: Pairs, confidence: Fraction | str = "0.95") -> Difference:
    """Return Tango's score interval: the differences the score test does not reject.

    Good below ten discordant items, where the bootstrap is too short. Source: Tango 1998,
    Statistics in Medicine 17:891.

    Raises:
        InputError: no such confidence.
    """
    level = checked_level(confidence)
    z = normal_quantile((1 + level) / 2)
    point = float(table.difference)
    return Difference(
        definition="Tango score interval of the paired difference",
        pairs=table,
        confidence=level,
        low=_crossing(table, z, -1.0, point),
        high=_crossing(table, -z, point, 1.0),
    )


def _crossing(table: Pairs, z: float, low: float, high: float) -> float:
    """Return where the falling score statistic passes z; the end when it never does."""
    if _score(table, low) <= z:
        return low
    while low < (middle := (low + high) / 2) < high:
        if _score(table, middle) > z:
            low = middle
        else:
            high = middle
    return high


def _score(table: Pairs, delta: float) -> float:
    """Return the score statistic of the hypothesis that the difference is delta."""
    n, b, c = table.n, table.first_only, table.second_only
    # The share of second-only items most likely under the hypothesis solves 2n q^2 + B q + C = 0.
    linear = (2 * n - b + c) * delta - b - c
    constant = -c * delta * (1 - delta)
    share = (sqrt(max(linear * linear - 8 * n * constant, 0.0)) - linear) / (4 * n)
    excess = b - c - n * delta
    variance = n * (2 * share + delta * (1 - delta))
    if variance <= 0:
        return copysign(inf, excess) if excess else 0.0
    return excess / sqrt(variance)


def non_inferiority(table: Pairs, margin: Fraction | str) -> NonInferiority:
    """Return the score test of: the first is worse than the second by the margin or more.

    A small p says that it is not. The margin must be fixed before the verdicts are seen.
    Source: Tango 1998.

    Raises:
        InputError: the margin is not between 0 and 1.
    """
    limit = checked_level(margin, what="the margin")
    return NonInferiority(
        definition="non-inferiority by Tango's score test, one-sided",
        pairs=table,
        margin=limit,
        p=NormalDist().cdf(-_score(table, -float(limit))),
    )


def equivalence(table: Pairs, margin: Fraction | str) -> Equivalence:
    """Return two one-sided score tests; p is below 5 % when the 90 % Tango interval lies inside.

    Source: Schuirmann 1987 with Tango's statistic; with Wald's it rejects too often.

    Raises:
        InputError: the margin is not between 0 and 1.
    """
    limit = checked_level(margin, what="the margin")
    return Equivalence(
        definition="equivalence by two one-sided Tango score tests (TOST)",
        pairs=table,
        margin=limit,
        p_lower=NormalDist().cdf(-_score(table, -float(limit))),
        p_upper=NormalDist().cdf(_score(table, float(limit))),
    )


def newcombe10(table: Pairs, confidence: Fraction | str = "0.95") -> Difference:
    """Return Newcombe's method 10: two Wilson intervals joined with a corrected phi.

    Source: Newcombe 1998, Statistics in Medicine 17:2635.

    Raises:
        InputError: no such confidence, or the table has only its discordant cells.
    """
    both, neither = table.both, table.neither
    if both is None or neither is None:
        raise InputError("Newcombe's interval needs all four cells, and only two were published")
    n = table.n
    first, second = both + table.first_only, both + table.second_only
    one, other = wilson(first, n, confidence), wilson(second, n, confidence)
    phi = _phi(table, both, neither)
    rate, rate2, difference = first / n, second / n, float(table.difference)
    return Difference(
        definition="Newcombe interval of the paired difference, method 10",
        pairs=table,
        confidence=one.confidence,
        low=difference - _joined(rate - one.low, other.high - rate2, phi),
        high=difference + _joined(one.high - rate, rate2 - other.low, phi),
    )


def _phi(table: Pairs, both: int, neither: int) -> float:
    b, c, n = table.first_only, table.second_only, table.n
    margins = (both + b) * (c + neither) * (both + c) * (b + neither)
    excess = Fraction(both * neither - b * c)
    if excess > 0:
        excess = max(excess - Fraction(n, 2), Fraction(0))
    return float(excess) / sqrt(margins) if margins else 0.0


def _joined(one: float, other: float, phi: float) -> float:
    return sqrt(max(one * one - 2 * phi * one * other + other * other, 0.0))
