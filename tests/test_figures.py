"""The published figures, each computed again from its own inputs by a public function."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from judge.stats.agreement import cohen_kappa, table_of_pairs
from judge.stats.bootstrap import bootstrap_pairs
from judge.stats.controls import chance_to_detect, least_correct, rows_needed
from judge.stats.exact import percent, printed
from judge.stats.graded import sign_flip_clustered
from judge.stats.mcnemar import mcnemar_exact
from judge.stats.pairs import pairs_counted_elsewhere
from judge.stats.passes import passes_from_totals, spread
from judge.stats.proportion import (
    clopper_pearson,
    counts_printed_as,
    lower_bound,
    one_sided_lower,
    one_sided_upper,
    wilson,
)
from judge.stats.rescue_harm import cross_pairs

FILE = Path(__file__).parents[1].parent / "shared" / "figures" / "paper_figures.json"
pytestmark = pytest.mark.skipif(not FILE.is_file(), reason=f"no published figures at {FILE}")

Entry = dict[str, Any]
ENTRIES: list[Entry] = json.loads(FILE.read_bytes()) if FILE.is_file() else []
BY_ID = {entry["id"]: entry for entry in ENTRIES}

ARITHMETIC = {
    "grim_consistency": "differences of counts printed beside each other",
    "flips_opus": "lost plus gained; stable_opus computes the split",
    "delta_xhigh": "differences of totals",
    "delta_v34": "differences of totals",
    "repair": "one added to a total",
    "xhigh_losses": "a sum of two counts",
    "types_n": "a sum of counts by type",
    "types_raw_p1": "a sum of counts by type",
    "types_raw_p2": "a sum of counts by type",
    "types_xhigh_p1": "a sum of counts by type",
    "types_xhigh_p2": "a sum of counts by type",
    "types_Opus_p1": "a sum of counts by type",
    "types_Opus_p2": "a sum of counts by type",
    "types_answerable_grok": "differences of counts",
    "types_stable": "counted over a printed table",
    "types_perfect": "counted over a printed table",
    "tot_GLM-5.3": "a sum of two counts",
    "tot_Kimi_K3": "a sum of two counts",
    "tot_DeepSeek_V4_Pro": "a sum of two counts",
    "tot_Sol_clean_GPT-4o": "a sum of two counts",
    "tot_Opus_p1_GPT-4o": "a sum of two counts",
    "tot_Sol_Sonnet": "a sum of two counts",
    "tot_Opus_Sonnet": "a sum of two counts",
    "tot_Arm_A_GPT-4o": "a sum of two counts",
    "tot_Arm_A_Sonnet": "a sum of two counts",
    "gemini_partial": "a sum of denominators",
    "sol_gap": "a difference of totals",
    "span_386": "differences of the largest and smallest",
    "chronos_n": "a sum of counts by type",
    "chronos_p1": "a sum of differences by type",
    "chronos_p2": "a sum of differences by type",
    "chronos_fold_check": "differences of totals",
    "glm_totals": "a total less the lost, plus the gained",
    "glm_agree": "the items less the discordant ones",
    "rejudge": "a total less the lost, plus the gained",
    "ans_opus_judges": "differences of totals",
    "strict_abst": "three taken off two totals",
    "ku_mixed": "a sum over two disjoint sets of questions",
    "ku_nonku": "differences of totals",
    "ku_counts": "products of the design's numbers",
    "ku_controls_288": "a sum of counts",
    "armD_controls": "a sum of two batches",
    "armA_reuse": "sums of counts",
    "upstream_armD": "one type's count exchanged in a total",
    "types_armDA": "a sum of differences by type",
    "discord_armDA": "a sum of two counts",
    "cov_sessions": "a sum of two counts",
    "cov_questions": "sums of counts",
    "cov_split": "sums over strata",
    "scaffold_n": "a sum of two counts",
    "xhigh_28": "a sum of counts",
    "err_union": "inclusion and exclusion of three counts",
    "err_flips": "a sum of counts",
    "dossier": "rows taken off totals",
    "dossier_grok": "rows taken off totals",
    "memdev_counts": "a difference of counts",
    "memdev_pairs": "three times three",
    "within_three": "differences of totals",
    "reversal": "a sum of differences of strata",
}
"""Entries that are arithmetic on the page: no statistic, so no function to hold against them."""


def _rate(entry: Entry) -> str:
    text = entry["published"].rstrip("%")
    share = Fraction(entry["inputs"]["k"], entry["inputs"]["n"])
    return percent(share, len(text.partition(".")[2]))


def _grim(entry: Entry) -> str:
    (k,) = counts_printed_as(entry["published"], entry["inputs"]["n"])
    assert entry["note"] == f"k=[{k}]"
    return percent(Fraction(k, entry["inputs"]["n"]))


def _wilson(entry: Entry) -> str:
    interval = wilson(entry["inputs"]["k"], entry["inputs"]["n"])
    return f"[{percent(interval.low)}, {percent(interval.high)}]"


def _mcnemar(entry: Entry) -> str:
    b, c = entry["inputs"]["b"], entry["inputs"]["c"]
    p = mcnemar_exact(pairs_counted_elsewhere(b + c, b, c)).p
    if entry["published"] == "p below 0.001":
        return "p below 0.001" if p < Fraction(1, 1000) else f"p = {p}"
    return printed(p, len(entry["published"].partition(".")[2]))


def _six_judgments_of_one_question(entry: Entry) -> str:
    ids = [f"judgment {i}" for i in range(6)]
    clustered = sign_flip_clustered(ids, ["question"] * 6, [1] * 6, [0] * 6)
    table = pairs_counted_elsewhere(1, entry["inputs"]["b"], entry["inputs"]["c"])
    assert clustered.p == 1
    assert mcnemar_exact(table).p == clustered.p
    return str(entry["published"])  # the page prints no number for it


def _bootstrap(entry: Entry) -> str:
    i = entry["inputs"]
    found = bootstrap_pairs(pairs_counted_elsewhere(i["n"], i["b_gain"], i["c_loss"]))
    return (
        f"[{printed(found.low * 100, 1, signed=True)},{printed(found.high * 100, 1, signed=True)}]"
    )


def _difference(entry: Entry) -> str:
    i = entry["inputs"]
    table = pairs_counted_elsewhere(i["n"], i["b"], i["c"])
    return printed(table.difference * 100, 1, signed=True)


def _table(entry: Entry) -> str:
    i = entry["inputs"]
    pairs = pairs_counted_elsewhere(sum(i.values()), i["only1"], i["only2"], i["both"])
    table = table_of_pairs(pairs)
    return f"{table.n}; {table.rows[0]}; {table.columns[0]}"


def _stable(entry: Entry) -> str:
    i = entry["inputs"]
    found = passes_from_totals(i["p1"], i["p2"], i["flips"])
    assert entry["note"] == f"lost={found.lost}, gained={found.gained}"
    return str(found.stable)


def _half_range(entry: Entry) -> str:
    found = spread([entry["inputs"]["p1"], entry["inputs"]["p2"]])
    return f"{printed(found.middle, 0)}± {printed(found.half_range, 0)}"


def _zero_flips(entry: Entry) -> str:
    missed = 1 - chance_to_detect(entry["inputs"]["n"], str(entry["inputs"]["rate"])).chance
    return "~" + percent(missed, 0)


def _flip_rate(entry: Entry) -> str:
    return percent(Fraction(entry["inputs"]["num"], entry["inputs"]["den"]))


def _judges(entry: Entry) -> str:
    first, second = entry["inputs"]["totals"]
    implied = passes_from_totals(first, second, entry["inputs"]["disagree"])
    assert implied.lost is not None
    assert implied.gained is not None
    pairs = pairs_counted_elsewhere(500, implied.lost, implied.gained, implied.stable)
    kappa = cohen_kappa(table_of_pairs(pairs)).value
    assert kappa is not None
    assert entry["note"] == f"b={implied.lost}, c={implied.gained}; kappa={printed(kappa, 6)}"
    return str(pairs.discordant)


def _needed(entry: Entry) -> str:
    i = entry["inputs"]
    return f"at least {least_correct(i['threshold'], i['n'])} of {i['n']}"


def _gate(entry: Entry) -> str:
    k, n = entry["inputs"]["k"], entry["inputs"]["n"]
    low, one_sided = percent(lower_bound(k, n).value), percent(one_sided_lower(k, n).value)
    assert f"lower bound of the judge accuracy {low}" in entry["note"]
    assert f"one-sided 95% lower bound {one_sided}" in entry["note"]
    return "pass" if k >= least_correct(entry["inputs"]["threshold"], n) else "fail"


def _verifier(entry: Entry) -> str:
    note, i = json.loads(entry["note"]), entry["inputs"]
    interval = wilson(i["flips"], i["n"])
    assert [float(printed(x * 100, 3)) for x in (interval.low, interval.high)] == note["wilson95"]
    p = mcnemar_exact(pairs_counted_elsewhere(i["n"], 3, i["flips"])).p
    assert float(p) == note["exact_mcnemar_3_vs_11"]
    return "rejected" if i["flips"] else "accepted"


def _no_flips(entry: Entry) -> str:
    note, (k, n) = json.loads(entry["note"]), entry["inputs"].values()
    bounds = {
        "one_sided_95_upper_pct": one_sided_upper(k, n).value,
        "clopper_pearson_95_upper_pct": clopper_pearson(k, n).high,
        "wilson95_upper_pct": wilson(k, n).high,
    }
    assert {name: printed(value * 100, 4) for name, value in bounds.items()} == {
        name: printed(note[name], 4) for name in bounds
    }
    assert rows_needed("0.034").rows == note["rows_needed_95pct_at_3.4pct"]
    return "pass" if k == 0 else "fail"


def _sixteen(entry: Entry) -> str:
    runs = entry["inputs"]["runs"]
    found = [cross_pairs(k, runs, m, runs) for k in range(runs + 1) for m in range(runs + 1)]
    assert json.loads(entry["note"]) == [
        {
            "k": pair.base_resolved,
            "m": pair.memory_resolved,
            "rescue": str(pair.rescue),
            "harm": str(pair.harm),
            "delta": str(pair.change),
        }
        for pair in found
    ]
    holds = all(pair.rescue - pair.harm == pair.change for pair in found)
    return f"combinations {len(found)}, identity_holds {str(holds).lower()}"


def _rescue_example(entry: Entry) -> str:
    k, m = entry["inputs"]["k"], entry["inputs"]["m"]
    pair = cross_pairs(k, 3, m, 3)
    found = {"k": k, "m": m, "rescue": str(pair.rescue), "harm": str(pair.harm)}
    return json.dumps(found | {"delta": str(pair.change)}, sort_keys=True)  # noqa: TID251 - the page's form


def _ratio(entry: Entry) -> str:
    return printed(Fraction(entry["inputs"]["sessions"], entry["inputs"]["questions"]), 1)


RECIPES: list[tuple[str, Callable[[Entry], str]]] = [
    ("rate_", _rate),
    ("grim_", _grim),
    ("wilson_", _wilson),
    ("mcnemar_ku_six", _six_judgments_of_one_question),
    ("mcnemar_", _mcnemar),
    ("boot_", _bootstrap),
    ("diff_", _difference),
    ("table_", _table),
    ("stable_", _stable),
    ("half_range_", _half_range),
    ("zero_flip_", _zero_flips),
    ("flip_rate_", _flip_rate),
    ("judges_", _judges),
    ("ku_controls", _needed),
    ("gate_", _gate),
    ("verifier", _verifier),
    ("xhigh_gate", _no_flips),
    ("rh_16", _sixteen),
    ("rh_example", _rescue_example),
    ("sessions_per_q", _ratio),
]

COMPUTED = [
    entry["id"]
    for entry in ENTRIES
    if entry["kind"] == "recomputed" and entry["id"] not in ARITHMETIC
]


@pytest.mark.parametrize("name", COMPUTED)
def test_a_published_figure_is_computed_again_to_its_printed_precision(name: str) -> None:
    """What the page prints comes out of a public function and the entry's inputs."""
    recipe = next(recipe for prefix, recipe in RECIPES if name.startswith(prefix))
    assert recipe(BY_ID[name]) == BY_ID[name]["published"]


@pytest.mark.parametrize("name", sorted(ARITHMETIC))
def test_a_skipped_figure_says_why(name: str) -> None:
    """Every figure left out stands in the file, is a recomputed one, and has a reason."""
    if BY_ID[name]["kind"] != "recomputed":
        pytest.fail(f"{name} is {BY_ID[name]['kind']}, so there is nothing to skip")
    pytest.skip(ARITHMETIC[name])


def test_every_recomputed_figure_is_computed_or_skipped_for_a_reason() -> None:
    """Nothing is left out silently: 69 figures computed, 59 skipped as arithmetic."""
    recomputed = [entry["id"] for entry in ENTRIES if entry["kind"] == "recomputed"]
    assert sorted(COMPUTED + list(ARITHMETIC)) == sorted(recomputed)
    assert (len(COMPUTED), len(ARITHMETIC)) == (69, 59)


def test_published_wilson_intervals_tell_wilson_from_its_relatives() -> None:
    """Clopper-Pearson prints another interval on every one of the eight."""
    names = [name for name in COMPUTED if name.startswith("wilson_")]
    others = [clopper_pearson(BY_ID[n]["inputs"]["k"], 500) for n in names]
    printed_others = [f"[{percent(other.low)}, {percent(other.high)}]" for other in others]
    assert len(names) == 8
    assert all(
        other != BY_ID[name]["published"] for name, other in zip(names, printed_others, strict=True)
    )
