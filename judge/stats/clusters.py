"""Items that belong together in; intervals that treat the cluster as the unit out.

A mean over all items of the clusters drawn is a ratio of two sums, because clusters differ in size:
its distribution is counted over every resample of up to 12 clusters, and drawn with a recorded
sampler above. Needs numpy, and scipy for the t interval.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt

from judge.errors import InputError
from judge.records import Record
from judge.stats.exact import Count, Result, checked_level
from judge.stats.extras import needing
from judge.stats.pairs import distinct

__all__ = [
    "Cluster",
    "ClusterBootstrap",
    "ClusterError",
    "cluster_bootstrap",
    "cluster_bootstrap_drawn",
    "cluster_error",
    "clustered",
]

_ENUMERATED = 12
"""Clusters up to which every resample is counted: 12 have 1,352,078, 13 have 5,200,300."""


class Cluster(Record):
    """The items of one cluster, added up."""

    id: str
    items: Count
    total: Fraction
    """The sum of the items' values; a float enters as the fraction it is."""


class ClusterBootstrap(Result):
    """A percentile interval of the mean over items when whole clusters are drawn."""

    clusters: tuple[Cluster, ...]
    confidence: Fraction
    mean: Fraction
    low: Fraction
    high: Fraction
    resamples: Count
    sampler: str
    """`enumeration`, or the generator, method and seed that give the same resamples again."""


class ClusterError(Result):
    """A cluster-robust standard error of the mean with its t interval."""

    clusters: tuple[Cluster, ...]
    confidence: Fraction
    mean: Fraction
    standard_error: float
    degrees: Count
    low: float
    high: float


def clustered(
    ids: Sequence[str], clusters: Sequence[str], values: Sequence[float | Fraction]
) -> tuple[Cluster, ...]:
    """Return the sums over each cluster, in order of first appearance.

    Raises:
        InputError: an id comes twice, columns differ in length, or fewer than two clusters.
    """
    distinct(ids, clusters, values)
    sums: dict[str, tuple[int, Fraction]] = {}
    for identity, cluster, value in zip(ids, clusters, values, strict=True):
        try:
            exact = Fraction(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"item {identity[:80]!r}: {value!r} is not a number") from error
        items, total = sums.get(cluster, (0, Fraction(0)))
        sums[cluster] = items + 1, total + exact
    made = tuple(Cluster(id=name, items=n, total=total) for name, (n, total) in sums.items())
    _checked(made)
    return made


def _checked(clusters: Sequence[Cluster]) -> None:
    if len(clusters) < 2:  # noqa: PLR2004 - one cluster shows no variation between clusters
        raise InputError(f"{len(clusters)} cluster has no interval: the cluster is the unit")
    if not all(cluster.items for cluster in clusters):
        raise InputError("a cluster without items cannot be drawn")


def cluster_bootstrap(
    clusters: Sequence[Cluster],
    confidence: Fraction | str = "0.95",
    *,
    seed: int = 0,
    resamples: int = 10_000,
) -> ClusterBootstrap:
    """Return the percentile interval (type 1): counted up to 12 clusters, drawn above.

    With fewer than about 20 clusters it is too short: print `cluster_error` beside it.
    Source: Davison and Hinkley 1997, section 3.8 (resampling whole clusters).

    Raises:
        InputError: fewer than two clusters, no such confidence, or numpy is missing.
    """
    if len(clusters) > _ENUMERATED:
        return cluster_bootstrap_drawn(clusters, confidence, seed=seed, resamples=resamples)
    _checked(clusters)
    level = checked_level(confidence)
    tail = (1 - level) / 2
    with needing("numpy"):
        from judge.stats import cluster_draws  # noqa: PLC0415 - an extra
    every = cluster_draws.Enumeration([(cluster.total, cluster.items) for cluster in clusters])
    return ClusterBootstrap(
        definition="whole-cluster bootstrap, ratio of sums, every resample counted, type 1",
        clusters=tuple(clusters),
        confidence=level,
        mean=_mean(clusters),
        low=every.quantile(tail),
        high=every.quantile(1 - tail),
        resamples=every.resamples,
        sampler="enumeration",
    )


def _mean(clusters: Sequence[Cluster]) -> Fraction:
    return sum((cluster.total for cluster in clusters), Fraction(0)) / sum(
        cluster.items for cluster in clusters
    )


def cluster_bootstrap_drawn(
    clusters: Sequence[Cluster],
    confidence: Fraction | str = "0.95",
    *,
    seed: int,
    resamples: int = 10_000,
) -> ClusterBootstrap:
    """Return the percentile interval (type 1) of drawn resamples.

    The same seed with another sampler gives other digits, so the result names the sampler.

    Raises:
        InputError: fewer than two clusters, no resamples, no such confidence, or numpy is missing.
    """
    _checked(clusters)
    level = checked_level(confidence)
    if resamples < 1:
        raise InputError("0 resamples have no percentiles")
    with needing("numpy"):
        from judge.stats import cluster_draws  # noqa: PLC0415 - an extra
    sums = [(cluster.total, cluster.items) for cluster in clusters]
    means, sampler = cluster_draws.drawn(sums, seed, resamples)
    tail = (1 - level) / 2
    return ClusterBootstrap(
        definition="whole-cluster bootstrap, ratio of sums, drawn resamples, type 1",
        clusters=tuple(clusters),
        confidence=level,
        mean=_mean(clusters),
        low=Fraction(means[_place(tail, resamples)]),
        high=Fraction(means[_place(1 - tail, resamples)]),
        resamples=resamples,
        sampler=sampler,
    )


def _place(share: Fraction, resamples: int) -> int:
    return -(-share.numerator * resamples // share.denominator) - 1


def cluster_error(clusters: Sequence[Cluster], confidence: Fraction | str = "0.95") -> ClusterError:
    """Return the cluster-robust standard error (CR1) of the mean and its t interval, K - 1 degrees.

    Source: Liang and Zeger 1986 with the factor K / (K - 1); Miller 2024, arXiv 2411.00640.

    Raises:
        InputError: fewer than two clusters, no such confidence, or scipy is missing.
    """
    _checked(clusters)
    level = checked_level(confidence)
    k, mean = len(clusters), _mean(clusters)
    squares = sum(
        ((cluster.total - cluster.items * mean) ** 2 for cluster in clusters), Fraction(0)
    )
    n = sum(cluster.items for cluster in clusters)
    error = sqrt(squares * Fraction(k, k - 1)) / n
    with needing("scipy"):
        from scipy.special import stdtrit  # noqa: PLC0415 - an extra
    reach = float(stdtrit(k - 1, float((1 + level) / 2))) * error
    return ClusterError(
        definition="cluster-robust standard error of the mean (CR1), t interval",
        clusters=tuple(clusters),
        confidence=level,
        mean=mean,
        standard_error=error,
        degrees=k - 1,
        low=float(mean) - reach,
        high=float(mean) + reach,
    )
