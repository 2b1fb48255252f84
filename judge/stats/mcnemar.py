"""A table of discordant items in; the exact and the mid-p McNemar test out."""

from fractions import Fraction
from math import comb

from judge.stats.binomial import at_most, pmf
from judge.stats.exact import Result
from judge.stats.pairs import Pairs

__all__ = ["McNemar", "exact_p", "mcnemar_exact", "mcnemar_midp"]

_FRACTION_LIMIT = 50_000
"""Discordant items up to which p stays a fraction: it has one binary digit per item."""
_HALF = 0.5


class McNemar(Result):
    """A two-sided test of whether discordant items fall as often on either side."""

    pairs: Pairs
    p: Fraction | float
    """A fraction up to 50,000 discordant items, beyond that the same sum in floats."""


def mcnemar_exact(table: Pairs) -> McNemar:
    """Return the exact two-sided McNemar test, min(1, 2 P(X <= min(b, c))), X ~ Bin(b + c, 1/2).

    Without discordant items p is 1. Source: McNemar 1947, Psychometrika 12:153, exact form.
    """
    return McNemar(
        definition="exact two-sided McNemar test, min(1, 2 P(X <= min(b, c)))",
        pairs=table,
        p=exact_p(table.first_only, table.second_only),
    )


def exact_p(b: int, c: int) -> Fraction | float:
    """Return the exact two-sided sign-test p of b against c."""
    fewer, total = min(b, c), b + c
    if total > _FRACTION_LIMIT:
        return min(1.0, 2 * at_most(fewer, total, _HALF))
    return min(Fraction(1), Fraction(_ways(fewer, total), 2 ** max(total - 1, 0)))


def mcnemar_midp(table: Pairs) -> McNemar:
    """Return the mid-p McNemar test: the exact one less the probability of the table itself.

    It is not exact: its error can exceed the level. Source: Fagerland, Lydersen and Laake 2013,
    BMC Medical Research Methodology 13:91.
    """
    fewer, total = min(table.first_only, table.second_only), table.discordant
    p: Fraction | float
    if total > _FRACTION_LIMIT:
        p = 2 * at_most(fewer, total, _HALF) - pmf(fewer, total, _HALF)
    else:
        p = Fraction(2 * _ways(fewer, total) - comb(total, fewer), 2**total)
    return McNemar(definition="mid-p two-sided McNemar test (not exact)", pairs=table, p=p)


def _ways(k: int, n: int) -> int:
    """Return how many of the 2^n outcomes have at most k on one side."""
    term = total = 1
    for i in range(k):
        term = term * (n - i) // (i + 1)
        total += term
    return total
