"""Totals and sizes of clusters in; the resamples of whole clusters out. Needs numpy."""

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

__all__ = ["Enumeration", "drawn"]

Sums = Sequence[tuple[Fraction, int]]
"""The total and the number of items of each cluster."""

_CLOSE = 1e-12
"""Means nearer than this, relative to the largest, may be ordered wrongly by floats."""


class Enumeration:
    """Every way to draw K of K clusters, with its number of orders and its mean."""

    def __init__(self, clusters: Sums) -> None:
        self._clusters = clusters
        k = len(clusters)
        # A row is one way so far: how many are drawn, in how many orders, their total and items.
        used, code = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        orders, total, items = np.ones(1, dtype=np.int64), np.zeros(1), np.zeros(1)
        ways = _pascal(k)
        for place, (cluster_total, cluster_items) in enumerate(clusters, 1):
            row, times = _extended(used, k, last=place == k)
            used = used[row] + times
            # C(used, times) orders more: over the clusters the product is the multinomial number.
            orders = orders[row] * ways[used, times]
            code = code[row] * (k + 1) + times
            total = total[row] + times * float(cluster_total)
            items = items[row] + times * cluster_items
        ranking = np.argsort(total / items, kind="stable")
        self._means = (total / items)[ranking]
        self._codes, self._orders = code[ranking], orders[ranking]
        self.resamples = int(code.size)

    def quantile(self, share: Fraction) -> Fraction:
        """Return the least mean with at least this share of the K^K draws at or below it."""
        draws = len(self._clusters) ** len(self._clusters)
        need = -(-share.numerator * draws // share.denominator)
        sums = np.cumsum(self._orders)
        middle = self._means[int(np.searchsorted(sums, need))]
        # Around the place looked for the means are ordered again, as fractions.
        margin = _CLOSE * float(np.max(np.abs(self._means)))
        near = np.flatnonzero(np.abs(self._means - middle) <= margin)
        below = int(sums[near[0]] - self._orders[near[0]])
        ranked = sorted((self._mean(int(i)), int(self._orders[i])) for i in near)
        reached = list(accumulate((orders for _, orders in ranked), initial=below))[1:]
        return ranked[bisect_left(reached, need)][0]

    def _mean(self, row: int) -> Fraction:
        code, total, items = int(self._codes[row]), Fraction(0), 0
        for cluster_total, cluster_items in reversed(self._clusters):
            code, times = divmod(code, len(self._clusters) + 1)
            total, items = total + times * cluster_total, items + times * cluster_items
        return total / items


def _extended(
    used: NDArray[np.int64], k: int, *, last: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return each way with each number of times the next cluster can be drawn."""
    if last:
        return np.arange(used.size), k - used
    counts = k - used + 1
    row = np.repeat(np.arange(used.size), counts)
    start = np.repeat(np.cumsum(counts) - counts, counts)
    return row, np.arange(row.size) - start


def _pascal(k: int) -> NDArray[np.int64]:
    """Return C(n, m) for n and m up to k."""
    table = np.zeros((k + 1, k + 1), dtype=np.int64)
    table[:, 0] = 1
    for n in range(1, k + 1):
        table[n, 1:] = table[n - 1, 1:] + table[n - 1, :-1]
    return table


def drawn(clusters: Sums, seed: int, resamples: int) -> tuple[list[float], str]:
    """Return the means of the drawn resamples in rising order, and how to draw them again."""
    k = len(clusters)
    times = np.random.default_rng(seed).multinomial(k, np.full(k, 1 / k), size=resamples)
    totals = np.array([float(total) for total, _ in clusters])
    items = np.array([items for _, items in clusters])
    means = np.sort(times @ totals / (times @ items))
    sampler = f"numpy {np.__version__}, default_rng({seed}) (PCG64), multinomial counts"
    return [float(mean) for mean in means], sampler
