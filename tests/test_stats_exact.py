"""Checked numbers and the text they are printed as."""

import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import judge.stats
from judge.errors import InputError
from judge.stats.exact import (
    checked_counts,
    checked_level,
    checked_share,
    fraction,
    percent,
    printed,
)
from judge.stats.extras import needing


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (0.25, 1, "0.3"),
        (Fraction(1, 8), 2, "0.13"),
        (Fraction(-1, 8), 2, "-0.13"),
        (Fraction(-1, 1000), 1, "0.0"),
        (5, 0, "5"),
        (Fraction(1, 2), 0, "1"),
        (Fraction(1, 3), 4, "0.3333"),
        (123, 2, "123.00"),
    ],
)
def test_ties_are_rounded_away_from_zero(value: Fraction | float, places: int, text: str) -> None:
    """Half up from the exact value, unlike the formatting of floats."""
    assert printed(value, places) == text


def test_a_signed_value_above_zero_has_its_plus() -> None:
    """And zero has none."""
    signed = [printed(Fraction(x), 1, signed=True) for x in (4, 0, -3)]
    assert signed == ["+4.0", "0.0", "-3.0"]


@given(st.fractions(-1000, 1000), st.integers(0, 5))
def test_what_is_printed_is_within_half_a_unit(value: Fraction, places: int) -> None:
    """The text is the nearest number with so many decimals."""
    assert abs(Fraction(printed(value, places)) - value) <= Fraction(1, 2 * 10**places)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_an_undefined_value_is_not_printed(value: float) -> None:
    """Neither nan nor infinity reaches a page."""
    with pytest.raises(InputError, match="undefined result"):
        printed(value, 1)
    with pytest.raises(InputError, match="undefined result"):
        percent(value)


def test_percent_multiplies_before_it_rounds() -> None:
    """0.0345 is 3.5%, though the float 0.0345 * 100 is below 3.45."""
    assert percent(Fraction(345, 10_000)) == "3.5%"


def test_a_text_keeps_its_exact_value() -> None:
    """0.95 and 11/12 are the fractions they say."""
    assert fraction("0.95", what="x") == Fraction(19, 20)
    assert fraction("11/12", what="x") == Fraction(11, 12)


@pytest.mark.parametrize(
    "text", ["", "nan", "1/0", "95%", "0.95.1", "1e-99999999", "9" * 5000, "1_0", "\u0660.\u0669"]
)
def test_a_text_that_is_no_number_is_refused(text: str) -> None:
    """The sentence names what was asked for."""
    with pytest.raises(InputError, match="threshold is"):
        fraction(text, what="threshold")


def test_a_truth_value_is_no_number() -> None:
    """True is not 1."""
    with pytest.raises(InputError, match="float is not what was written"):
        fraction(True, what="threshold")  # noqa: FBT003 - the point of the test


def test_a_level_lies_between_and_a_share_may_touch_the_ends() -> None:
    """A confidence of 1 has no interval; an accuracy of 1 is possible."""
    assert checked_share("1", what="accuracy") == 1
    with pytest.raises(InputError, match="between 0 and 1"):
        checked_level("1")
    with pytest.raises(InputError, match="from 0 to 1"):
        checked_share("3/2", what="accuracy")


@pytest.mark.parametrize("count", [-1, 1.0, True, "1"])
def test_a_count_is_a_whole_number(count: int) -> None:
    """Negative, fractional and other values are refused by name."""
    with pytest.raises(InputError, match="b is"):
        checked_counts({"b": count})


def test_a_missing_extra_says_what_to_install() -> None:
    """An import error becomes a sentence."""
    with (
        pytest.raises(InputError, match=r"needs scipy: install judge-harness\[stats\]"),
        needing("scipy"),
    ):
        raise ImportError


def test_statistics_without_numpy_work_or_say_what_to_install() -> None:
    """Small exact bootstraps need no extra; large ones name it."""
    code = """
import sys
sys.modules["numpy"] = sys.modules["scipy"] = None
from judge.errors import InputError
from judge.stats import (agreement, bootstrap, clusters, controls, correction, difference, graded,
    mcnemar, multiplicity, pairs, passes, power, proportion, raters, rescue_harm, stability,
    token_f1)
print(bootstrap.bootstrap_pairs(pairs.pairs_counted_elsewhere(500, 10, 15)).low)
for call in (
    lambda: bootstrap.bootstrap_pairs(pairs.pairs_counted_elsewhere(5000, 10, 15)),
    lambda: graded.spearman(["a", "b", "c"], [1, 2, 3], [1, 2, 3]),
    lambda: clusters.cluster_bootstrap(clusters.clustered(["a", "b"], ["c", "d"], [1, 2])),
):
    try:
        call()
    except InputError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    low, *sentences = done.stdout.splitlines()
    assert low == "-3/100"
    assert [sentence.split(":")[0] for sentence in sentences] == [
        "this statistic needs numpy",
        "this statistic needs scipy",
        "this statistic needs numpy",
    ]


def test_the_package_names_its_modules_in_an_order_they_keep() -> None:
    """Each module imports only modules named before it."""
    import ast  # noqa: PLC0415
    from pathlib import Path  # noqa: PLC0415

    folder = Path(judge.stats.__file__).parent
    order = [
        line.split("`")[1]
        for line in (judge.stats.__doc__ or "").splitlines()
        if line.startswith("* `")
    ]
    assert sorted(order) == sorted(p.stem for p in folder.glob("*.py") if p.stem != "__init__")
    for place, name in enumerate(order):
        tree = ast.parse((folder / f"{name}.py").read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("judge.stats."):
                assert (node.module or "").split(".")[2] in order[:place]
