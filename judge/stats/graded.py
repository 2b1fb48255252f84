"""Grades of the same items in; mean difference with its exact test, and rank correlations, out."""

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, isfinite, lcm

from judge.errors import InputError
from judge.stats.exact import Count, Result
from judge.stats.extras import needing
from judge.stats.pairs import distinct

__all__ = ["Correlation", "SignFlip", "kendall_tau", "sign_flip", "sign_flip_clustered", "spearman"]

Grade = int | Fraction

_BITS = 2**28
"""Memory the exact distribution may take, in bits."""


class SignFlip(Result):
    """The mean difference and the exact test that its sign is chance."""

    n: Count
    units: Count
    """What the signs are flipped over: items, or the clusters they belong to."""
    nonzero: Count
    """Units that differ; the others say nothing about the sign."""
    difference: Fraction
    """Mean of first minus second over the items."""
    p: Fraction


class Correlation(Result):
    """A rank correlation, or the reason why it has no value."""

    n: Count
    value: float | None
    p: float | None
    undefined: str | None
    """Null when there is a value."""


def sign_flip(ids: Sequence[str], first: Sequence[Grade], second: Sequence[Grade]) -> SignFlip:
    """Return the mean difference with the exact two-sided sign-flip test over items.

    For grades 0 and 1 it is the exact McNemar test. Source: Fisher 1935, The Design of Experiments,
    section 21.

    Raises:
        InputError: an id comes twice, a grade is a float, or the grades' grid is too fine.
    """
    return sign_flip_clustered(ids, ids, first, second)


def sign_flip_clustered(
    ids: Sequence[str],
    clusters: Sequence[str],
    first: Sequence[Grade],
    second: Sequence[Grade],
) -> SignFlip:
    """Return the same with one sign per cluster: six differing judgments of one question are one.

    Raises:
        InputError: an id comes twice, a grade is a float, or the grades' grid is too fine.
    """
    n = distinct(ids, clusters, first, second)
    sums: dict[str, Fraction] = {}
    for cluster, one, other in zip(clusters, first, second, strict=True):
        sums[cluster] = sums.get(cluster, Fraction(0)) + _exact(one) - _exact(other)
    steps = [abs(total) for total in sums.values() if total]
    return SignFlip(
        definition="exact two-sided sign-flip test of the mean difference",
        n=n,
        units=len(sums),
        nonzero=len(steps),
        difference=sum(sums.values(), Fraction(0)) / n,
        p=_tail(steps, abs(sum(sums.values(), Fraction(0)))),
    )


def _exact(grade: Grade) -> Fraction:
    if isinstance(grade, float) or not isinstance(grade, int | Fraction):
        raise InputError(f"grade {grade!r} is not a whole number or fraction")
    return Fraction(grade)


def _tail(steps: Sequence[Fraction], observed: Fraction) -> Fraction:
    """Return P(|sum of the steps with random signs| >= observed)."""
    scale = lcm(*(step.denominator for step in steps)) if steps else 1
    whole = [int(step * scale) for step in steps]
    unit = gcd(*whole) or 1
    whole = [step // unit for step in whole]
    slot = len(whole) + 1
    if slot * sum(whole) > _BITS:
        raise InputError(
            f"the grades stand on a grid of {sum(whole)} steps, too fine for the exact test:"
            " round them to a common grid first"
        )
    # A polynomial as one whole number: the coefficient of x^s, how often the plus signs add to s,
    # in the bits from s * slot on. A step multiplies it by 1 + x^step.
    ways = 1
    for step in whole:
        ways += ways << (slot * step)
    # |2 s - total| >= reach at the lower end, which is half of both ends.
    total, reach = sum(whole), int(observed * scale) // unit
    if reach == 0:
        return Fraction(1)
    least = (total - reach) // 2
    lower = ways & ((1 << (slot * (least + 1))) - 1)
    mask = (1 << slot) - 1
    count = sum((lower >> (slot * s)) & mask for s in range(least + 1))
    return Fraction(count, 2 ** (len(whole) - 1))


def spearman(ids: Sequence[str], first: Sequence[float], second: Sequence[float]) -> Correlation:
    """Return Spearman's rho with its t approximation; undefined when either side is constant.

    Raises:
        InputError: an id comes twice, a value is not finite, or scipy is missing.
    """
    with needing("scipy"):
        from scipy.stats import spearmanr  # noqa: PLC0415 - an extra
    reason = _no_order(ids, first, second)
    found = None if reason else spearmanr(list(first), list(second))
    return Correlation(
        definition="Spearman's rho, mid-ranks, p by the t approximation",
        n=len(ids),
        value=None if found is None else float(found.statistic),
        p=None if found is None else float(found.pvalue),
        undefined=reason,
    )


def kendall_tau(ids: Sequence[str], first: Sequence[float], second: Sequence[float]) -> Correlation:
    """Return Kendall's tau-b; undefined when either side is constant.

    Raises:
        InputError: an id comes twice, a value is not finite, or scipy is missing.
    """
    with needing("scipy"):
        from scipy.stats import kendalltau  # noqa: PLC0415 - an extra
    reason = _no_order(ids, first, second)
    found = None if reason else kendalltau(list(first), list(second), variant="b")
    return Correlation(
        definition="Kendall's tau-b, p exact without ties, else by the normal approximation",
        n=len(ids),
        value=None if found is None else float(found.statistic),
        p=None if found is None else float(found.pvalue),
        undefined=reason,
    )


def _no_order(ids: Sequence[str], first: Sequence[float], second: Sequence[float]) -> str | None:
    """Return why the values have no rank correlation, or None."""
    n = distinct(ids, first, second)
    for value in [*first, *second]:
        if not isfinite(value):
            raise InputError(f"{value} has no rank: leave the item out and say so")
    if n < 3:  # noqa: PLR2004 - two points always lie on a line
        return "fewer than three items"
    if len(set(first)) == 1 or len(set(second)) == 1:
        return "all grades of one side are equal, so that they have no order"
    return None
