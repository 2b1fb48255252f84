"""Independent items' exact values in; the exact percentile interval of the bootstrapped mean out.

Drawing n items with replacement gives a sum whose distribution is a power of one polynomial, so
all n^n resamples are counted and none is drawn: in big integers for small n, by a windowed FFT
(numpy) for larger n. Both ends are the inverse distribution function (type 1).
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from math import ceil, gcd, lcm
from typing import Literal

from judge.errors import InputError
from judge.stats.exact import Count, Result, checked_level
from judge.stats.extras import needing
from judge.stats.pairs import Pairs, distinct

__all__ = ["Bootstrap", "bootstrap_mean", "bootstrap_pairs"]

_EXACT_WORK = 8_000
"""Items times lattice width up to which big integers take less than a second."""
_WIDEST_GRID = 2**18
_LARGEST_EXACT_WORK = 100_000
"""Above this the big integers take longer than half a minute."""


class Bootstrap(Result):
    """The exact percentile interval of a mean over resampled items."""

    n: Count
    values: dict[Fraction, Count]
    """How many items have which value; of a pair, first minus second: 1, 0 or -1."""
    items: Literal["distinct ids", "counted elsewhere"]
    confidence: Fraction
    low: Fraction
    high: Fraction
    computed: Literal["big integers", "windowed FFT"]

    @property
    def mean(self) -> Fraction:
        """The mean of the items as they are."""
        return sum((value * k for value, k in self.values.items()), Fraction(0)) / self.n


def bootstrap_pairs(table: Pairs, confidence: Fraction | str = "0.95") -> Bootstrap:
    """Return the exact percentile interval of the item-level paired bootstrap of the difference.

    Without discordant items it is [0, 0], which says little: print Tango's interval beside it.

    Raises:
        InputError: no such confidence, or numpy is missing and n is large.
    """
    values = {
        Fraction(1): table.first_only,
        Fraction(-1): table.second_only,
        Fraction(0): table.n - table.discordant,
    }
    return _bootstrap(values, table.items, checked_level(confidence))


def bootstrap_mean(
    ids: Sequence[str], values: Sequence[int | Fraction], confidence: Fraction | str = "0.95"
) -> Bootstrap:
    """Return the exact percentile interval of the bootstrapped mean of one value per item.

    Values are whole numbers or fractions: grades, differences of grades, means of repetitions.

    Raises:
        InputError: an id comes twice, a value is a float, no such confidence, the values have no
            common grid of workable size, or numpy is missing and n is large.
    """
    distinct(ids, values)
    counts: dict[Fraction, int] = {}
    for identity, value in zip(ids, values, strict=True):
        if isinstance(value, float) or not isinstance(value, int | Fraction):
            raise InputError(f"item {identity[:80]!r}: {value!r} is not a whole number or fraction")
        counts[Fraction(value)] = counts.get(Fraction(value), 0) + 1
    return _bootstrap(counts, "distinct ids", checked_level(confidence))


def _bootstrap(
    values: Mapping[Fraction, int],
    items: Literal["distinct ids", "counted elsewhere"],
    level: Fraction,
) -> Bootstrap:
    present = {value: count for value, count in sorted(values.items()) if count}
    start, step = min(present), _step(present)
    weights = _weights(present, start, step)
    n, tail = sum(weights), (1 - level) / 2
    ends = None
    if len(weights) * n > _EXACT_WORK:
        with needing("numpy"):
            from judge.stats import lattice_fft  # noqa: PLC0415 - small runs need no extra
        ends = lattice_fft.quantiles(weights, float(tail))
    computed: Literal["big integers", "windowed FFT"] = "windowed FFT" if ends else "big integers"
    if ends is None and len(weights) * n > _LARGEST_EXACT_WORK:
        raise InputError(
            f"at confidence {level} an end of the bootstrap of {n} items falls so near a"
            " step that floats do not decide it: choose another confidence"
        )
    low, high = ends or _by_integers(weights, tail)
    return Bootstrap(
        definition="exact percentile interval of the item-level bootstrap, inverse CDF (type 1)",
        n=n,
        values=present,
        items=items,
        confidence=level,
        low=start + step * low / n,
        high=start + step * high / n,
        computed=computed,
    )


def _step(values: Mapping[Fraction, int]) -> Fraction:
    """Return the widest grid all values stand on."""
    scale = lcm(*(value.denominator for value in values))
    start = min(values)
    gaps = gcd(*(int((value - start) * scale) for value in values))
    return Fraction(max(gaps, 1), scale)


def _weights(values: Mapping[Fraction, int], start: Fraction, step: Fraction) -> list[int]:
    """Return how many items stand on each point of the grid; the first and the last are not 0."""
    width = int((max(values) - start) / step) + 1
    if width > _WIDEST_GRID:
        raise InputError(
            f"the values stand on a grid of {width} points, too fine for the exact bootstrap:"
            " round them to a common grid first"
        )
    weights = [0] * width
    for value, count in values.items():
        weights[int((value - start) / step)] += count
    return weights


def _by_integers(weights: Sequence[int], tail: Fraction) -> tuple[int, int]:
    """Return the two quantiles of the sum, compared in whole numbers.

    The coefficients of a power of a polynomial follow from those before (Euler's recurrence).
    """
    n, width = sum(weights), len(weights) - 1
    powers = [weights[0] ** n]
    terms = [(j, a) for j, a in enumerate(weights) if j and a]
    for k in range(1, width * n + 1):
        total = sum((j * (n + 1) - k) * a * powers[k - j] for j, a in terms if j <= k)
        powers.append(total // (k * weights[0]))
    least, most = tail * n**n, (1 - tail) * n**n
    sums = list(accumulate(powers))
    return _first_at(sums, ceil(least)), _first_at(sums, ceil(most))


def _first_at(sums: Sequence[int], need: int) -> int:
    return next(k for k, total in enumerate(sums) if total >= need)
