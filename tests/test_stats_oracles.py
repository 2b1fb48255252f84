"""scipy, statsmodels, scikit-learn and krippendorff as oracles, on random inputs."""

import warnings
from collections.abc import Sequence
from fractions import Fraction
from math import comb, isnan
from typing import Literal

import hypothesis.strategies as st
import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import binom as binomial
from scipy.stats import binomtest, false_discovery_control, hypergeom, permutation_test
from sklearn.metrics import cohen_kappa_score
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import fleiss_kappa as fleiss_oracle
from statsmodels.stats.multitest import multipletests

from judge.stats import lattice_fft, power
from judge.stats.agreement import cohen_kappa, cross_table, weighted_kappa
from judge.stats.binomial import at_least, at_most, exact_at_most, exact_finite_at_most, pmf
from judge.stats.bootstrap import bootstrap_mean, bootstrap_pairs
from judge.stats.clusters import cluster_error, clustered
from judge.stats.difference import equivalence, tango
from judge.stats.graded import sign_flip
from judge.stats.mcnemar import mcnemar_exact, mcnemar_midp
from judge.stats.multiplicity import benjamini_hochberg, holm
from judge.stats.pairs import Pairs, pairs_counted_elsewhere
from judge.stats.power import mcnemar_power
from judge.stats.raters import fleiss_kappa, krippendorff_alpha, ratings

some = settings(max_examples=40, deadline=None, derandomize=True)
few = settings(max_examples=15, deadline=None, derandomize=True)
cells = st.tuples(*[st.integers(0, 60)] * 4).filter(any)
p_values = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def _ids(n: int) -> list[str]:
    return [f"q{k}" for k in range(n)]


def _pairs(four: tuple[int, int, int, int]) -> Pairs:
    both, b, c, _ = four
    return pairs_counted_elsewhere(sum(four), b, c, both)


@given(st.integers(1, 400), st.floats(0.001, 0.999), st.data())
@some
def test_binomial_tails_are_scipys(n: int, p: float, data: st.DataObject) -> None:
    """Both tails and the single term, as floats and as fractions."""
    k = data.draw(st.integers(0, n))
    assert pmf(k, n, p) == pytest.approx(binomial.pmf(k, n, p), rel=1e-9, abs=1e-300)
    assert at_most(k, n, p) == pytest.approx(binomial.cdf(k, n, p), rel=1e-9, abs=1e-300)
    assert at_least(k, n, p) == pytest.approx(binomial.sf(k - 1, n, p), rel=1e-9, abs=1e-300)
    assert float(exact_at_most(k, n, Fraction(p))) == pytest.approx(at_most(k, n, p), rel=1e-9)


@pytest.mark.parametrize("p", [0.0, 1.0])
@pytest.mark.parametrize("k", [-1, 0, 1, 5, 6])
def test_binomial_tails_at_certainty_are_scipys(k: int, p: float) -> None:
    """Probabilities of 0 and 1, counts at and beyond the ends."""
    assert at_least(k, 5, p) == binomial.sf(k - 1, 5, p)
    assert at_most(k, 5, p) == binomial.cdf(k, 5, p)


@given(st.integers(1, 80), st.data())
@some
def test_hypergeometric_tail_is_scipys(pool: int, data: st.DataObject) -> None:
    """Rows drawn without replacement."""
    bad, n = data.draw(st.integers(0, pool)), data.draw(st.integers(0, pool))
    k = data.draw(st.integers(0, n))
    ours = float(exact_finite_at_most(k, n, bad, pool))
    assert ours == pytest.approx(hypergeom.cdf(k, pool, bad, n), abs=1e-12)


@given(cells)
@some
def test_exact_mcnemar_is_statsmodels_and_scipys(four: tuple[int, int, int, int]) -> None:
    """Two independent implementations of the exact test."""
    table = _pairs(four)
    p = mcnemar_exact(table).p
    matrix = [[four[0], four[1]], [four[2], four[3]]]
    if table.discordant:
        oracle = mcnemar(matrix, exact=True).pvalue
        assert float(p) == pytest.approx(oracle, abs=1e-12)
        assert float(p) == pytest.approx(binomtest(four[1], table.discordant).pvalue, abs=1e-12)
    else:
        assert p == 1


@given(cells)
@some
def test_midp_is_the_exact_p_less_one_term(four: tuple[int, int, int, int]) -> None:
    """Mid-p from scipy's distribution function and term."""
    table = _pairs(four)
    fewer, total = min(four[1:3]), table.discordant
    expected = 2 * binomial.cdf(fewer, total, 0.5) - binomial.pmf(fewer, total, 0.5)
    assert float(mcnemar_midp(table).p) == pytest.approx(expected, abs=1e-12)


def test_mcnemar_of_many_discordant_items_is_scipys() -> None:
    """Beyond fractions the exact sum goes on in floats."""
    p = mcnemar_exact(pairs_counted_elsewhere(600_000, 250_000, 251_000)).p
    assert isinstance(p, float)
    assert p == pytest.approx(binomtest(250_000, 501_000).pvalue, rel=1e-8)


def _counted(values: Sequence[int]) -> tuple[int, int]:
    """Count every resample of the values by brute force."""
    n, ways = len(values), {0: 1}
    for _ in range(n):
        further: dict[int, int] = {}
        for total, count in ways.items():
            for value in values:
                further[total + value] = further.get(total + value, 0) + count
        ways = further
    ends, running = [], 0
    needs = [Fraction(1, 40) * n**n, Fraction(39, 40) * n**n]
    for total in sorted(ways):
        running += ways[total]
        while needs and running >= needs[0]:
            ends.append(total)
            needs.pop(0)
    return ends[0], ends[1]


@given(st.lists(st.integers(-3, 4), min_size=1, max_size=9))
@some
def test_the_exact_bootstrap_counts_every_resample(values: list[int]) -> None:
    """The recurrence gives what brute force over all n^n resamples gives."""
    n, found = len(values), bootstrap_mean(_ids(len(values)), values)
    assert [found.low * n, found.high * n] == list(_counted(values))


@given(st.integers(1, 300), st.data())
@some
def test_the_fft_agrees_with_big_integers(n: int, data: st.DataObject) -> None:
    """Where the floats decide, they decide as the whole numbers do."""
    b = data.draw(st.integers(0, n))
    c = data.draw(st.integers(0, n - b))
    exact = bootstrap_pairs(pairs_counted_elsewhere(n, b, c))
    counts = [c, n - b - c, b]
    start = next(k for k, count in enumerate(counts) if count)
    while not counts[-1]:
        counts.pop()
    found = lattice_fft.quantiles(counts[start:], 0.025)
    if found is not None:
        assert [end + (start - 1) * n for end in found] == [exact.low * n, exact.high * n]


def test_the_fft_has_the_distribution_of_two_thousand_items_to_twelve_digits() -> None:
    """The distribution function against exact rationals, at every sum."""
    weights, n = [30, 1920, 50], 2000
    first, cumulative = lattice_fft._distribution(weights)
    powers = [weights[0] ** n]
    for k in range(1, 2 * n + 1):
        one = (n + 1 - k) * weights[1] * powers[k - 1]
        two = (2 * (n + 1) - k) * weights[2] * powers[k - 2] if k > 1 else 0
        powers.append((one + two) // (k * weights[0]))
    below, worst = sum(powers[:first]), 0.0
    for k, value in enumerate(cumulative[: 2 * n + 1 - first], first):
        below += powers[k]
        worst = max(worst, abs(float(Fraction(below, n**n)) - float(value)))
    assert worst < 1e-12


def test_a_monte_carlo_bootstrap_comes_near_the_exact_one() -> None:
    """Two million drawn resamples give the exact ends."""
    drawn = np.random.default_rng(7).multinomial(500, [0.02, 0.03, 0.95], size=2_000_000)
    ends = np.quantile(drawn[:, 0] - drawn[:, 1], [0.025, 0.975], method="inverted_cdf")
    found = bootstrap_pairs(pairs_counted_elsewhere(500, 10, 15))
    assert list(ends) == [found.low * 500, found.high * 500]


@given(cells, st.sampled_from(["0.01", "0.05", "0.1"]))
@some
def test_equivalence_is_the_ninety_percent_tango_interval_inside_the_margin(
    four: tuple[int, int, int, int], margin: str
) -> None:
    """The two one-sided tests and the interval say the same."""
    table = _pairs(four)
    interval, p = tango(table, "0.9"), equivalence(table, margin).p
    inside = -float(Fraction(margin)) < interval.low and interval.high < float(Fraction(margin))
    if abs(p - 0.05) > 1e-9:
        assert (p < 0.05) == inside


def test_tango_turns_around_when_the_sides_are_exchanged() -> None:
    """The interval of second minus first is the mirror image."""
    one = tango(pairs_counted_elsewhere(200, 12, 3))
    other = tango(pairs_counted_elsewhere(200, 3, 12))
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low), abs=1e-12)


@given(p_values)
@few
def test_holm_and_benjamini_hochberg_are_statsmodels_and_scipys(p: list[float]) -> None:
    """Adjusted p-values in the order given."""
    assert list(holm(p).adjusted) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)
    expected = false_discovery_control(p, method="bh")
    assert list(map(float, benjamini_hochberg(p).adjusted)) == pytest.approx(expected, abs=1e-12)


labels = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40)


@given(labels)
@some
def test_kappas_are_scikit_learns(rows: list[tuple[int, int]]) -> None:
    """Plain, linear and quadratic; where the oracle has none, ours says why."""
    first, second = [a for a, _ in rows], [b for _, b in rows]
    table = cross_table(_ids(len(rows)), list(map(str, first)), list(map(str, second)))
    for found, weights in [
        (cohen_kappa(table), None),
        (weighted_kappa(table, "linear"), "linear"),
        (weighted_kappa(table, "quadratic"), "quadratic"),
    ]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            places = [[table.labels.index(str(x)) for x in side] for side in (first, second)]
            oracle = cohen_kappa_score(*places, weights=weights, labels=range(len(table.labels)))
        if found.value is None:
            assert isnan(oracle)
            assert found.undefined
        else:
            assert float(found.value) == pytest.approx(oracle, abs=1e-12)


@given(st.integers(2, 5), st.data())
@few
def test_fleiss_kappa_is_statsmodels(judges: int, data: st.DataObject) -> None:
    """The same number of judgments for every item."""
    row = st.lists(st.integers(0, 2), min_size=judges, max_size=judges)
    rows = data.draw(st.lists(row, min_size=2, max_size=20))
    found = fleiss_kappa(ratings(_ids(len(rows)), rows, labels=(0, 1, 2)))
    if found.value is None:
        assert len({label for r in rows for label in r}) == 1
    else:
        counts = np.array([[r.count(k) for k in range(3)] for r in rows])
        assert float(found.value) == pytest.approx(fleiss_oracle(counts), abs=1e-12)


@given(st.data(), st.sampled_from(["nominal", "ordinal", "interval"]))
@some
def test_krippendorffs_alpha_is_the_krippendorff_packages(
    data: st.DataObject, level: Literal["nominal", "ordinal", "interval"]
) -> None:
    """Any level, with judgments missing."""
    row = st.lists(st.none() | st.integers(1, 4), min_size=3, max_size=3)
    rows = data.draw(st.lists(row, min_size=3, max_size=15).filter(_two_labels_in_pairs))
    found = krippendorff_alpha(ratings(_ids(len(rows)), rows), level)
    matrix = [[np.nan if x is None else x for x in column] for column in zip(*rows, strict=True)]
    oracle = krippendorff.alpha(reliability_data=matrix, level_of_measurement=level)
    assert found.value is not None
    assert float(found.value) == pytest.approx(oracle, abs=1e-9)


def _two_labels_in_pairs(rows: list[list[int | None]]) -> bool:
    paired = [r for r in rows if sum(x is not None for x in r) > 1]
    return len({x for r in paired for x in r if x is not None}) > 1


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=9))
@few
def test_the_sign_flip_test_is_scipys_permutation_test(grades: list[tuple[int, int]]) -> None:
    """Every assignment of signs counted."""
    first, second = [a for a, _ in grades], [b for _, b in grades]
    found = sign_flip(_ids(len(grades)), first, second)
    oracle = permutation_test(
        (np.array(first) - np.array(second),),
        np.sum,
        permutation_type="samples",
        n_resamples=np.inf,
    )
    assert float(found.p) == pytest.approx(min(oracle.pvalue, 1), abs=1e-12)


@given(st.integers(0, 40), st.integers(0, 40))
@some
def test_the_sign_flip_test_of_right_and_wrong_is_exact_mcnemar(b: int, c: int) -> None:
    """One test, two ways to compute it."""
    n = b + c + 1
    found = sign_flip(_ids(n), [1] * b + [0] * (n - b), [0] * b + [1] * c + [0])
    assert found.p == mcnemar_exact(pairs_counted_elsewhere(n, b, c)).p


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(-1, 1)), min_size=6, max_size=40))
@few
def test_the_cluster_robust_error_is_statsmodels(rows: list[tuple[int, float]]) -> None:
    """CR1 of a mean is the clustered covariance of a regression on a constant."""
    groups, values = [g for g, _ in rows], [v for _, v in rows]
    if len(set(groups)) < 2:
        return
    found = cluster_error(clustered(_ids(len(rows)), list(map(str, groups)), values))
    model = OLS(np.array(values), np.ones(len(values)))
    fit = model.fit(cov_type="cluster", cov_kwds={"groups": np.array(groups)})
    assert found.standard_error == pytest.approx(float(fit.bse[0]), abs=1e-9)


def test_power_is_the_sum_over_all_tables() -> None:
    """A small design, every table enumerated with its exact test."""
    n, gain, loss, total = 30, 0.25, 0.05, 0.0
    for b in range(n + 1):
        for c in range(n - b + 1):
            ways = comb(n, b) * comb(n - b, c)
            chance = ways * gain**b * loss**c * (1 - gain - loss) ** (n - b - c)
            if mcnemar_exact(pairs_counted_elsewhere(n, b, c)).p <= Fraction(1, 20):
                total += chance
    assert mcnemar_power(n, "0.25", "0.05").power == pytest.approx(total, abs=1e-9)


@given(st.integers(0, 3000), st.sampled_from([0.05, 0.025, 0.005, 1e-6, 1e-12]))
@some
def test_the_critical_value_is_the_largest_that_rejects(m: int, tail: float) -> None:
    """One more discordant item on the lesser side no longer rejects, at any level."""
    k = power._critical(m, tail)
    assert k < 0 or binomial.cdf(k, m, 0.5) <= tail
    assert binomial.cdf(k + 1, m, 0.5) > tail
