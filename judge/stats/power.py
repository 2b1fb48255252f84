"""A paired design in; the items it needs, or the chance that it shows the difference, out."""

from fractions import Fraction
from math import ceil, sqrt

from judge.errors import InputError
from judge.stats.binomial import at_least, at_most, pmf
from judge.stats.exact import (
    Count,
    Probability,
    Result,
    checked_level,
    checked_share,
    normal_quantile,
)

__all__ = ["Power", "SampleSize", "mcnemar_power", "mcnemar_sample_size"]

_DEVIATIONS = 10
"""Numbers of discordant items farther than this from their mean add less than 1e-20."""


class SampleSize(Result):
    """How many items a paired comparison needs."""

    discordance: Fraction
    """The share of items expected to differ."""
    difference: Fraction
    alpha: Fraction
    power: Fraction
    items: Count


class Power(Result):
    """The chance that the exact McNemar test rejects."""

    n: Count
    gain: Fraction
    """The chance that an item is right in the first only."""
    loss: Fraction
    alpha: Fraction
    power: Probability


def mcnemar_sample_size(
    discordance: Fraction | str,
    difference: Fraction | str,
    power: Fraction | str = "0.8",
    alpha: Fraction | str = "0.05",
) -> SampleSize:
    """Return the items needed by Connor's formula, two-sided.

    The exact test reaches a few points less power at that number: `mcnemar_power` says how much.
    Source: Connor 1987, Biometrics 43:207.

    Raises:
        InputError: a share outside 0 to 1, or a difference above the discordance.
    """
    share, shift = (
        checked_level(discordance, what="discordance"),
        checked_level(difference, what="difference"),
    )
    if shift > share:
        raise InputError(f"a difference of {shift} cannot come from {share} of discordant items")
    chance, level = checked_level(power, what="power"), checked_level(alpha, what="alpha")
    z_alpha, z_beta = normal_quantile(1 - level / 2), normal_quantile(chance)
    root = z_alpha * sqrt(share) + z_beta * sqrt(share - shift * shift)
    return SampleSize(
        definition="Connor sample size for McNemar's test, two-sided",
        discordance=share,
        difference=shift,
        alpha=level,
        power=chance,
        items=ceil((root / float(shift)) ** 2),
    )


def mcnemar_power(
    n: int, gain: Fraction | str, loss: Fraction | str, alpha: Fraction | str = "0.05"
) -> Power:
    """Return the exact unconditional power of the exact two-sided McNemar test.

    All numbers of discordant items are summed, each with its own critical value.

    Raises:
        InputError: n below 1, or shares outside 0 to 1, adding to 0 or to more than 1.
    """
    up, down = checked_share(gain, what="gain"), checked_share(loss, what="loss")
    level = checked_level(alpha, what="alpha")
    if n < 1 or not 0 < up + down <= 1:
        raise InputError(f"n = {n} with shares {up} and {down} is no paired design")
    discordance, share = float(up + down), float(up / (up + down))
    reach = _DEVIATIONS * sqrt(n * discordance * (1 - discordance)) + _DEVIATIONS
    low, high = max(0, int(n * discordance - reach)), min(n, int(n * discordance + reach))
    total = sum(
        pmf(m, n, discordance) * _rejected(m, share, float(level) / 2) for m in range(low, high + 1)
    )
    return Power(
        definition="exact unconditional power of the exact two-sided McNemar test",
        n=n,
        gain=up,
        loss=down,
        alpha=level,
        power=min(total, 1.0),
    )


def _rejected(m: int, share: float, tail: float) -> float:
    """Return the chance that the test of m discordant items rejects."""
    critical = _critical(m, tail)
    if critical < 0:
        return 0.0
    return at_most(critical, m, share) + at_least(m - critical, m, share)


def _critical(m: int, tail: float) -> int:
    """Return the largest k with P(X <= k) <= tail for X ~ Bin(m, 1/2); -1 when there is none."""
    k = max(0, int(m / 2 + normal_quantile(Fraction(tail)) * sqrt(m) / 2))
    while k >= 0 and at_most(k, m, 0.5) > tail:
        k -= 1
    while k < m and at_most(k + 1, m, 0.5) <= tail:
        k += 1
    return k
