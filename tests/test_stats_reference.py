"""The reference values, each held against a public function within its tolerance."""

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from judge.stats import raters
from judge.stats.agreement import Table, agreement, cohen_kappa, raw_agreement, weighted_kappa
from judge.stats.bootstrap import bootstrap_mean, bootstrap_pairs
from judge.stats.clusters import Cluster, cluster_bootstrap, cluster_bootstrap_drawn, cluster_error
from judge.stats.controls import chance_to_detect, chance_to_pass, rows_needed, rows_needed_of_pool
from judge.stats.correction import known, rogan_gladen
from judge.stats.difference import equivalence, newcombe10, non_inferiority, tango
from judge.stats.graded import kendall_tau, sign_flip, spearman
from judge.stats.mcnemar import mcnemar_exact, mcnemar_midp
from judge.stats.multiplicity import benjamini_hochberg, holm
from judge.stats.pairs import Pairs, pairs_counted_elsewhere
from judge.stats.power import mcnemar_power, mcnemar_sample_size
from judge.stats.proportion import clopper_pearson, one_sided_upper, wilson
from judge.stats.raters import fleiss_kappa, krippendorff_alpha, ratings
from judge.stats.stability import stability

FILE = Path(__file__).parents[1].parent / "shared" / "figures" / "stat_reference_values.json"
pytestmark = pytest.mark.skipif(not FILE.is_file(), reason=f"no reference values at {FILE}")

Inputs = dict[str, Any]
Numbers = float | Fraction | Sequence[float | Fraction | None] | None
VALUES: list[dict[str, Any]] = json.loads(FILE.read_bytes())["values"] if FILE.is_file() else []

NOT_OFFERED = {
    "anytime_validity_check": "sequential tests",
    "benjamini_yekutieli": "adjustments for dependent tests",
    "bowker_symmetry_3": "symmetry of larger tables",
    "bowker_symmetry_4": "symmetry of larger tables",
    "bradley_terry_abilities": "rankings from pairwise preferences",
    "bradley_terry_abilities_evalica": "rankings from pairwise preferences",
    "cochran_q": "one test over all repetitions",
    "cochran_q_exact_permutation_p": "one test over all repetitions",
    "evalue_sequential_mcnemar_jeffreys": "sequential tests",
    "hochberg": "step-up adjustment",
    "icc2_vs_quadratic_kappa_ORD": "intraclass correlation",
    "icc_1_2_3_1k_2k_3k": "intraclass correlation",
    "interim_look_false_positive_inflation": "sequential tests",
    "lan_demets_bounds_5_equal_looks_two_sided_0.05_OBrienFleming": "sequential tests",
    "lan_demets_bounds_5_equal_looks_two_sided_0.05_Pocock": "sequential tests",
    "lan_demets_bounds_two_looks_225_500": "sequential tests",
    "paired_bootstrap_monte_carlo_10000_vs_exact": "measured by benchmarks/bootstrap.py",
    "pass_at_k_unbiased": "pass@k",
    "ppi_mean_lambda1": "prediction-powered inference; inputs are a seed only",
    "ppi_plus_mean": "prediction-powered inference; inputs are a seed only",
    "stuart_maxwell_3": "marginal homogeneity of larger tables",
    "stuart_maxwell_4": "marginal homogeneity of larger tables",
    "variance_components_within_between": "variance components",
}
"""Reference values of methods the project does not offer, with what they are for."""


def _named(method: str) -> Inputs:
    return dict(next(v["inputs"] for v in VALUES if v["method"] == method))


def _pairs(i: Inputs) -> Pairs:
    return pairs_counted_elsewhere(i.get("n", max(i["b"] + i["c"], 1)), i["b"], i["c"])


def _ends(interval: Any) -> list[float]:  # noqa: ANN401 - any record with two ends
    return [float(interval.low), float(interval.high)]


def _table(cells: list[list[int]]) -> Table:
    return Table(
        definition="reference",
        labels=tuple(str(k) for k in range(len(cells))),
        cells=tuple(tuple(row) for row in cells),
        items="counted elsewhere",
    )


def _trio(i: Inputs) -> Numbers:
    found = agreement(table := _table(i["table"]))
    rows = [
        (first, second)
        for first, row in enumerate(table.cells)
        for second, count in enumerate(row)
        for _ in range(count)
    ]
    alpha = krippendorff_alpha(ratings([f"q{k}" for k in range(len(rows))], rows), "nominal")
    assert raw_agreement(table) == found.raw
    return [found.kappa.value, found.ac1.value, alpha.value]


def _repeats() -> list[list[int]]:
    return list(_named("pairwise_flip_rate")["matrix"])


def _by_item(rows: Sequence[Sequence[int | None]]) -> raters.Ratings:
    return ratings([f"q{k}" for k in range(len(rows))], rows)


def _missing() -> raters.Ratings:
    by_judge = _named("krippendorff_alpha_nominal_missing")["ratings (raters x units)"]
    return _by_item(list(zip(*by_judge, strict=True)))


def _fleiss_counts(i: Inputs) -> Numbers:
    rows = [[label for label, k in enumerate(row) for _ in range(k)] for row in i["counts"]]
    return fleiss_kappa(_by_item(rows)).value


def _stability(name: str) -> Callable[[Inputs], Numbers]:
    def value(_: Inputs) -> Numbers:
        rows = _repeats()
        return float(getattr(stability([f"q{k}" for k in range(len(rows))], rows), name))

    return value


def _grades() -> tuple[list[str], list[int], list[int]]:
    i = _named("spearman_rho_ties")
    return [f"q{k}" for k in range(len(i["x"]))], i["x"], i["y"]


def _sign_flip(i: Inputs) -> Numbers:
    return sign_flip([f"q{k}" for k in range(len(i["x"]))], i["x"], i["y"]).p


def _sign_flip_binary(i: Inputs) -> Numbers:
    n = i["b"] + i["c"]
    first = [1] * i["b"] + [0] * i["c"]
    return sign_flip([f"q{k}" for k in range(n)], first, [1 - x for x in first]).p


def _lattice(i: Inputs) -> Numbers:
    counts = zip(i["difference_values_in_thirds"], i["counts"], strict=True)
    values = [Fraction(third, 3) for third, k in counts for _ in range(k)]
    found = bootstrap_mean([f"q{k}" for k in range(i["n"])], values)
    return [found.low * 3 * i["n"], found.high * 3 * i["n"]]


def _clusters() -> list[Cluster]:
    i = _named("cluster_bootstrap_ratio_of_sums")
    return [
        Cluster(id=f"c{k}", items=size, total=Fraction(total))
        for k, (total, size) in enumerate(zip(i["cluster_sums"], i["cluster_sizes"], strict=True))
    ]


def _rogan_gladen(i: Inputs) -> Numbers:
    found = rogan_gladen(
        i["judged_correct"],
        i["n"],
        acceptable=known(*i["pos_controls"]),
        unacceptable=known(*i["neg_controls"]),
        source="controls",
    )
    return [found.low, found.high, found.estimate]


def _numerators(i: Inputs) -> Numbers:
    found = bootstrap_pairs(_pairs(i))
    return [found.low * i["n"], found.high * i["n"]]


RECIPES: dict[str, Callable[[Inputs], Numbers]] = {
    "wilson": lambda i: _ends(wilson(i["k"], i["n"], str(i["conf"]))),
    "clopper_pearson": lambda i: _ends(clopper_pearson(i["k"], i["n"], str(i["conf"]))),
    "clopper_pearson_one_sided_upper95": lambda i: one_sided_upper(i["k"], i["n"]).value,
    "mcnemar_exact": lambda i: mcnemar_exact(_pairs(i)).p,
    "mcnemar_midp": lambda i: mcnemar_midp(_pairs(i)).p,
    "paired_bootstrap_exact_percentile95_numerators": _numerators,
    "paired_bootstrap_exact_lattice (mean of 3 repeats, differences in thirds)": _lattice,
    "cluster_robust_se_mean (Miller 2024 style, CR1)": lambda _: (
        cluster_error(_clusters()).standard_error
    ),
    "newcombe10_paired_diff": lambda i: _ends(
        newcombe10(pairs_counted_elsewhere(sum(i.values()), i["b"], i["c"], i["a"]))
    ),
    "tango_score_paired_diff": lambda i: _ends(tango(_pairs(i))),
    "tango_third_party_anchor": lambda i: [
        end for level in i["levels"] for end in _ends(tango(_pairs(i), str(level)))
    ],
    "noninferiority_and_tost_paired_tango": lambda i: [
        non_inferiority(_pairs(i), str(i["margin"])).p,
        equivalence(_pairs(i), str(i["margin"])).p,
    ],
    "cohen_kappa": lambda i: cohen_kappa(_table(i["table"])).value,
    "weighted_kappa_linear": lambda i: weighted_kappa(_table(i["table"]), "linear").value,
    "weighted_kappa_quadratic": lambda i: weighted_kappa(_table(i["table"]), "quadratic").value,
    "kappa_paper_opus_p1_GPT4o_x_GLM": _trio,
    "kappa_paper_opus_p2_GPT4o_x_GLM": _trio,
    "kappa_paper_opus_GPT4o_x_Sonnet": _trio,
    "kappa_paper_sol_GPT4o_x_Sonnet": _trio,
    "kappa_paper_opus_p1_x_rejudge": _trio,
    "fleiss_kappa": _fleiss_counts,
    "fleiss_kappa_repeats_24x5": lambda _: fleiss_kappa(_by_item(_repeats())).value,
    "krippendorff_alpha_nominal_missing": lambda _: krippendorff_alpha(_missing(), "nominal").value,
    "krippendorff_alpha_ordinal": lambda _: krippendorff_alpha(_missing(), "ordinal").value,
    "krippendorff_alpha_interval": lambda _: krippendorff_alpha(_missing(), "interval").value,
    "krippendorff_alpha_nominal_repeats_24x5": lambda _: (
        krippendorff_alpha(_by_item(_repeats()), "nominal").value
    ),
    "gwet_ac1_missing": lambda _: raters.gwet_ac1(_missing()).value,
    "gwet_ac1_repeats_24x5": lambda _: raters.gwet_ac1(_by_item(_repeats())).value,
    "pairwise_flip_rate": _stability("pairwise"),
    "any_flip_share (items not unanimous)": _stability("any_flip"),
    "mean_modal_share": _stability("modal_share"),
    "consecutive_flip_rate": _stability("consecutive"),
    "flip_vs_first_rate": _stability("versus_first"),
    "rogan_gladen_lang_reiczigel": _rogan_gladen,
    "control_batch_size_zero_allowed": lambda i: (
        rows_needed(str(i["degradation_rate"]), str(i["detect_prob"])).rows
    ),
    "control_batch_size_allow_c": lambda i: (
        rows_needed(str(i["degradation_rate"]), str(i["detect_prob"]), i["allowed_flips"]).rows
    ),
    "control_batch_size_finite_population": lambda i: (
        rows_needed_of_pool(i["N"], i["bad"], str(i["detect_prob"])).rows
    ),
    "detect_probability_zero_allowed": lambda i: chance_to_detect(i["n"], str(i["rate"])).chance,
    "gate_pass_probability": lambda i: (
        chance_to_pass(i["n"], i["min_correct"], str(i["true_accuracy"])).chance
    ),
    "mcnemar_sample_size_connor1987_80pct": lambda i: (
        mcnemar_sample_size(str(i["discordance"]), str(i["diff"])).items
    ),
    "mcnemar_exact_power": lambda i: (
        mcnemar_power(i["n"], str(i["p_gain"]), str(i["p_loss"])).power
    ),
    "holm": lambda i: holm(i["p"]).adjusted,
    "benjamini_hochberg": lambda i: benjamini_hochberg(i["p"]).adjusted,
    "spearman_rho_ties": lambda _: spearman(*_grades()).value,
    "spearman_p": lambda _: spearman(*_grades()).p,
    "kendall_tau_b": lambda _: kendall_tau(*_grades()).value,
    "kendall_p": lambda _: kendall_tau(*_grades()).p,
    "paired_sign_flip_permutation_exact": _sign_flip,
    "signflip_equals_mcnemar": _sign_flip_binary,
}
ELSEWHERE = {"cluster_bootstrap_ratio_of_sums"}
"""Compared below, since its value is no plain list."""

COMPARED = [k for k, value in enumerate(VALUES) if value["method"] in RECIPES]


@pytest.mark.parametrize("k", COMPARED, ids=lambda k: f"{VALUES[k]['method'].split()[0]}-{k}")
def test_a_reference_value_is_reached_within_its_tolerance(k: int) -> None:
    """What several implementations agree on comes out of ours."""
    entry = VALUES[k]
    found = RECIPES[entry["method"]](entry["inputs"])
    expected = entry["value"] if isinstance(entry["value"], list) else [entry["value"]]
    numbers = list(found) if isinstance(found, Sequence) else [found]
    assert len(numbers) == len(expected)
    for number, value in zip(numbers, expected, strict=True):
        assert number is not None
        assert abs(float(number) - value) <= entry["tolerance"] + 1e-15


def test_whole_clusters_give_the_reference_intervals_digit_for_digit() -> None:
    """Ten clusters: 92,378 resamples counted, and the recorded sampler drawn again."""
    value = next(v["value"] for v in VALUES if v["method"] == "cluster_bootstrap_ratio_of_sums")
    counted = cluster_bootstrap(_clusters())
    assert counted.resamples == 92_378
    assert _ends(counted) == pytest.approx(value["exact_enumeration_92378_compositions"], abs=1e-15)
    drawn = cluster_bootstrap_drawn(_clusters(), seed=20260908)
    assert _ends(drawn) == pytest.approx(value["mc_10000_multinomial_seed20260908"], abs=1e-15)
    assert "PCG64" in drawn.sampler


def test_every_reference_value_is_compared_or_listed_as_not_offered() -> None:
    """Nothing is left out silently: 244 compared, 30 of methods the project does not offer."""
    methods = {value["method"] for value in VALUES}
    assert methods == set(RECIPES) | ELSEWHERE | set(NOT_OFFERED)
    left = [value for value in VALUES if value["method"] in NOT_OFFERED]
    assert (len(COMPARED) + len(ELSEWHERE), len(left)) == (244, 30)
