"""Grades, passes, clusters."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from judge.errors import InputError
from judge.stats.clusters import (
    Cluster,
    cluster_bootstrap,
    cluster_bootstrap_drawn,
    cluster_error,
    clustered,
)
from judge.stats.graded import Correlation, kendall_tau, sign_flip, sign_flip_clustered, spearman
from judge.stats.passes import passes, passes_from_totals, spread

IDS = ["q1", "q2", "q3", "q4"]


def test_equal_grades_have_p_one() -> None:
    """No difference, nothing shown."""
    found = sign_flip(IDS, [1, 2, 3, 4], [1, 2, 3, 4])
    assert found.p == 1
    assert (found.nonzero, found.difference) == (0, Fraction(0))


def test_grades_in_thirds_are_exact() -> None:
    """Four differences of one sign: two of the sixteen sign patterns are as far out."""
    third = Fraction(1, 3)
    found = sign_flip(IDS, [third, 1, 1, 1], [0, third, third, third])
    assert (found.p, found.difference) == (Fraction(1, 8), Fraction(7, 12))


def test_repetitions_of_a_question_share_one_sign() -> None:
    """Two questions judged twice each have two signs, not four."""
    found = sign_flip_clustered(IDS, ["a", "a", "b", "b"], [1, 1, 1, 1], [0, 0, 0, 0])
    assert (found.units, found.n, found.p) == (2, 4, Fraction(1, 2))


def test_a_float_grade_and_too_fine_a_grid_are_refused() -> None:
    """Both would make the exact test something else."""
    with pytest.raises(InputError, match=r"0\.5 is not a whole number"):
        sign_flip(["a"], [0.5], [1])  # type: ignore[list-item]
    with pytest.raises(InputError, match="too fine"):
        sign_flip(["a", "b"], [10**9, 1], [0, 0])


@pytest.mark.parametrize("correlation", [spearman, kendall_tau])
def test_a_constant_side_has_no_rank_correlation(correlation: Callable[..., Correlation]) -> None:
    """It says so instead of nan, and so do two items."""
    found = correlation(IDS, [1, 1, 1, 1], [1, 2, 3, 4])
    assert (found.value, found.p) == (None, None)
    assert "no order" in (found.undefined or "")
    assert correlation(IDS[:2], [1, 2], [1, 2]).undefined == "fewer than three items"
    with pytest.raises(InputError, match="nan has no rank"):
        correlation(IDS, [1, 2, 3, float("nan")], [1, 2, 3, 4])


def test_two_passes_have_stable_lost_and_gained_items() -> None:
    """One of each kind."""
    found = passes(IDS, [True, True, False, False], [True, False, True, False])
    assert (found.stable, found.flips, found.lost, found.gained) == (1, 2, 1, 1)
    assert (found.spread.totals, found.spread.half_range) == ((2, 2), Fraction(0))


def test_three_passes_have_flips_without_a_direction() -> None:
    """Lost and gained belong to two passes."""
    yes, no = [True] * 4, [True, True, True, False]
    found = passes(IDS, yes, no, yes)
    assert (found.stable, found.flips, found.lost, found.gained) == (3, 1, None, None)
    assert found.spread.half_range == Fraction(1, 2)


def test_totals_and_flips_imply_the_stable_count() -> None:
    """479 and 475 with 8 flips: 473 in both."""
    found = passes_from_totals(479, 475, 8)
    assert (found.stable, found.lost, found.gained, found.n) == (473, 6, 2, None)


@pytest.mark.parametrize(("first", "second", "flips"), [(479, 475, 7), (479, 475, 2), (1, 0, 5)])
def test_totals_that_no_passes_have_are_refused(first: int, second: int, flips: int) -> None:
    """Flips and the difference of the totals must fit."""
    with pytest.raises(InputError, match="no two passes have"):
        passes_from_totals(first, second, flips)


def test_one_pass_has_no_spread_and_undecided_no_outcome() -> None:
    """Two refusals."""
    with pytest.raises(InputError, match="one pass"):
        passes(IDS, [True] * 4)
    with pytest.raises(InputError, match="one pass"):
        spread([479])
    with pytest.raises(InputError, match="not true or false"):
        passes(IDS, [True] * 4, [True, None, True, True])  # type: ignore[list-item]


def test_items_of_a_cluster_are_added_up() -> None:
    """In order of first appearance, floats as the fractions they are."""
    found = clustered(IDS, ["b", "a", "b", "a"], [1, 2, 0.5, Fraction(1, 3)])
    assert [(c.id, c.items, c.total) for c in found] == [
        ("b", 2, Fraction(3, 2)),
        ("a", 2, Fraction(7, 3)),
    ]


def test_two_clusters_have_three_resamples_counted() -> None:
    """(2, 0), (1, 1), (0, 2) with one, two and one orders: ends at the two clusters' means."""
    clusters = clustered(IDS, ["a", "a", "a", "b"], [1, 1, 1, 0])
    found = cluster_bootstrap(clusters)
    assert (found.low, found.mean, found.high) == (Fraction(0), Fraction(3, 4), Fraction(1))
    assert (found.resamples, found.sampler) == (3, "enumeration")
    assert cluster_bootstrap(clusters, "0.4").low == Fraction(3, 4)


def test_more_than_twelve_clusters_are_drawn_with_a_recorded_sampler() -> None:
    """The same seed draws the same resamples, and the result says which and how."""
    clusters = [Cluster(id=f"c{k}", items=k % 3 + 1, total=Fraction(k)) for k in range(13)]
    one, again = cluster_bootstrap(clusters, seed=3), cluster_bootstrap(clusters, seed=3)
    assert one == again
    assert one.resamples == 10_000
    assert "default_rng(3) (PCG64), multinomial counts" in one.sampler
    assert one.low < one.mean < one.high


def test_equal_means_leave_a_point() -> None:
    """Means that floats would order by chance are compared as fractions."""
    clusters = [Cluster(id=f"c{k}", items=k, total=Fraction(k, 10)) for k in range(1, 8)]
    found = cluster_bootstrap(clusters)
    assert found.low == found.high == Fraction(1, 10)


def test_one_cluster_has_no_interval() -> None:
    """The cluster is the unit; an empty one cannot be drawn, and text is no value."""
    with pytest.raises(InputError, match="1 cluster has no interval"):
        clustered(IDS, ["a"] * 4, [1, 2, 3, 4])
    with pytest.raises(InputError, match="without items"):
        cluster_error([Cluster(id=k, items=0, total=Fraction(0)) for k in "ab"])
    with pytest.raises(InputError, match="is not a number"):
        clustered(IDS, ["a", "b", "a", "b"], [1, 2, 3, float("nan")])
    with pytest.raises(InputError, match="0 resamples"):
        cluster_bootstrap_drawn(clustered(["x", "y"], ["a", "b"], [1, 2]), seed=0, resamples=0)
