"""The exact bootstrap beside 10,000 drawn resamples: time, and how often the drawn one misses.

Run `python benchmarks/bootstrap.py [SEEDS]`; 1,000 seeds take about a minute.
"""

import sys
import time

import numpy as np

from judge.stats.bootstrap import bootstrap_pairs
from judge.stats.pairs import pairs_counted_elsewhere

RESAMPLES = 10_000
DESIGNS = [
    (500, 10, 15),
    (500, 10, 14),
    (500, 23, 3),
    (500, 24, 7),
    (5_000, 200, 150),
    (5_000, 1_500, 1_000),
    (1_000_000, 30_000, 20_000),
    (1_000_000, 250_000, 250_000),
]


def drawn(n: int, b: int, c: int, seed: int) -> tuple[int, int]:
    shares = [b / n, c / n, (n - b - c) / n]
    counts = np.random.default_rng(seed).multinomial(n, shares, size=RESAMPLES)
    low, high = np.quantile(counts[:, 0] - counts[:, 1], [0.025, 0.975], method="inverted_cdf")
    return int(low), int(high)


def best_of(times: int, n: int, b: int, c: int) -> float:
    table, best = pairs_counted_elsewhere(n, b, c), float("inf")
    for _ in range(times):
        start = time.perf_counter()
        bootstrap_pairs(table)
        best = min(best, time.perf_counter() - start)
    return best * 1e3


def main() -> None:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    print(f"{RESAMPLES:,} resamples per seed, {seeds:,} seeds; ends in items; times in ms")
    print("        n        b        c   exact ends       computed      exact   drawn  miss  worst")
    for n, b, c in DESIGNS:
        found = bootstrap_pairs(pairs_counted_elsewhere(n, b, c))
        exact = int(found.low * n), int(found.high * n)
        missed = worst = 0
        start = time.perf_counter()
        for seed in range(seeds):
            ends = drawn(n, b, c, seed)
            missed += ends != exact
            worst = max(worst, *(abs(x - y) for x, y in zip(ends, exact, strict=True)))
        each = (time.perf_counter() - start) / seeds * 1e3
        ends_text = f"[{exact[0]}, {exact[1]}]"
        print(
            f"{n:>9,} {b:>8,} {c:>8,}   {ends_text:<15} {found.computed:<13}"
            f" {best_of(5, n, b, c):>6.2f} {each:>7.2f} {missed / seeds:>5.1%} {worst:>6}"
        )


if __name__ == "__main__":
    main()
