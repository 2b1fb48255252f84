"""Numbers of trials in; binomial and hypergeometric tail probabilities, exact or as floats, out."""

from fractions import Fraction
from math import comb, exp, lgamma, log, log1p

__all__ = ["at_least", "at_most", "exact_at_most", "exact_finite_at_most", "pmf"]

_NEGLIGIBLE = 1e-18
"""A falling term below this share of the sum no longer changes a float."""


def pmf(k: int, n: int, p: float) -> float:
    """Return P(X = k) for X ~ Binomial(n, p)."""
    if p in (0.0, 1.0):
        return float(k == n * p)
    ways = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
    return exp(ways + k * log(p) + (n - k) * log1p(-p))


def at_least(k: int, n: int, p: float) -> float:
    """Return P(X >= k), relative error about n log(n) * 1e-16."""
    if k > n:
        return 0.0
    if k <= 0 or p == 1:
        return 1.0
    # The sum runs over the tail whose terms fall from the first on.
    return _falling(k, n, p) if k >= n * p else 1 - _falling(n - k + 1, n, 1 - p)


def at_most(k: int, n: int, p: float) -> float:
    """Return P(X <= k), relative error about n log(n) * 1e-16."""
    return at_least(n - k, n, 1 - p)


def _falling(k: int, n: int, p: float) -> float:
    term = total = pmf(k, n, p)
    odds = p / (1 - p)
    for j in range(k, n):
        term *= (n - j) / (j + 1) * odds
        total += term
        if term <= total * _NEGLIGIBLE:
            break
    return min(total, 1.0)


def exact_at_most(k: int, n: int, p: Fraction) -> Fraction:
    """Return P(X <= k) for X ~ Binomial(n, p) as an exact fraction."""
    good, bad = p.numerator, p.denominator - p.numerator
    ways = sum(comb(n, i) * good**i * bad ** (n - i) for i in range(min(k, n) + 1))
    return Fraction(ways, p.denominator**n)


def exact_finite_at_most(k: int, n: int, bad: int, pool: int) -> Fraction:
    """Return P(at most k bad among n drawn without replacement), exactly (hypergeometric)."""
    ways = sum(comb(bad, i) * comb(pool - bad, n - i) for i in range(min(k, n, bad) + 1))
    return Fraction(ways, comb(pool, n))
