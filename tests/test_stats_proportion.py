"""One proportion: the published intervals, the ends, the refusals, scipy as the oracle."""

import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from judge.errors import InputError
from judge.stats.exact import percent
from judge.stats.proportion import (
    clopper_pearson,
    counts_printed_as,
    lower_bound,
    one_sided_lower,
    one_sided_upper,
    wilson,
)

counts = st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
levels = st.sampled_from(["0.8", "0.9", "0.95", "0.99", "0.999"])


def test_wilson_of_479_in_500_prints_the_published_interval() -> None:
    """479 of 500 gives 93.7% to 97.2%."""
    interval = wilson(479, 500)
    assert (percent(interval.low), percent(interval.high)) == ("93.7%", "97.2%")


def test_wilson_reaches_exactly_one_when_all_are_accepted() -> None:
    """The upper end of n of n is 1, not a float below it."""
    assert wilson(12, 12).high == 1.0
    assert wilson(0, 12).low == 0.0


def test_twelve_of_twelve_bounds_the_pass_rate_above_0_735() -> None:
    """The lower bound beside a gate is 0.025^(1/12)."""
    assert lower_bound(12, 12).value == pytest.approx(0.025 ** (1 / 12), abs=1e-15)
    assert percent(lower_bound(12, 12).value) == "73.5%"


def test_one_sided_bounds_hold_the_whole_error_on_one_side() -> None:
    """12 of 12 is above 77.9%, 0 of 60 below 4.87%."""
    assert percent(one_sided_lower(12, 12).value) == "77.9%"
    assert percent(one_sided_upper(0, 60).value, 2) == "4.87%"


def test_results_carry_their_inputs_and_their_name() -> None:
    """An interval says what it was made from."""
    interval = wilson(3, 7, "0.9")
    assert (interval.k, interval.n, interval.confidence) == (3, 7, Fraction(9, 10))
    assert interval.rate == Fraction(3, 7)
    assert "no continuity correction" in interval.definition


@given(counts, levels)
@settings(max_examples=60, deadline=None)
def test_wilson_agrees_with_scipy(pair: tuple[int, int], level: str) -> None:
    """The two ends are scipy's."""
    expected = binomtest(*pair).proportion_ci(float(level), "wilson")
    interval = wilson(*pair, level)
    assert interval.low == pytest.approx(expected.low, abs=1e-12)
    assert interval.high == pytest.approx(expected.high, abs=1e-12)


@given(counts, levels)
@settings(max_examples=60, deadline=None)
def test_clopper_pearson_agrees_with_scipy(pair: tuple[int, int], level: str) -> None:
    """The two ends are scipy's, found without scipy."""
    expected = binomtest(*pair).proportion_ci(float(level), "exact")
    interval = clopper_pearson(*pair, level)
    assert interval.low == pytest.approx(expected.low, abs=1e-10)
    assert interval.high == pytest.approx(expected.high, abs=1e-10)


@given(counts, levels)
@settings(max_examples=40, deadline=None)
def test_one_sided_bounds_agree_with_scipy(pair: tuple[int, int], level: str) -> None:
    """A one-sided bound is scipy's one-sided exact interval."""
    low = binomtest(*pair, alternative="greater").proportion_ci(float(level), "exact").low
    high = binomtest(*pair, alternative="less").proportion_ci(float(level), "exact").high
    assert one_sided_lower(*pair, level).value == pytest.approx(low, abs=1e-10)
    assert one_sided_upper(*pair, level).value == pytest.approx(high, abs=1e-10)


@pytest.mark.parametrize(
    ("k", "n", "level", "sentence"),
    [
        (0, 0, "0.95", "nothing was asked"),
        (5, 4, "0.95", "above the number asked"),
        (-1, 4, "0.95", "0 or more"),
        (1, 4, "1", "between 0 and 1"),
        (1, 4, "often", "0.95 or 11/12"),
    ],
)
def test_what_has_no_interval_is_refused(k: int, n: int, level: str, sentence: str) -> None:
    """Empty, impossible and unreadable inputs stop with a sentence."""
    with pytest.raises(InputError, match=sentence):
        wilson(k, n, level)
    with pytest.raises(InputError, match=sentence):
        lower_bound(k, n, level)


def test_a_float_confidence_is_refused() -> None:
    """0.95 as a float is not the number that was written."""
    with pytest.raises(InputError, match="float"):
        wilson(1, 2, 0.95)  # type: ignore[arg-type]


def test_a_percentage_of_no_rows_and_no_percentage_are_refused() -> None:
    """Only a percentage of something can be checked."""
    with pytest.raises(InputError, match="0 rows"):
        counts_printed_as("95.5%", 0)
    with pytest.raises(InputError, match="the percentage is"):
        counts_printed_as("most", 10)


def test_a_percentage_that_no_count_prints_is_found_out() -> None:
    """95.5% of 488 is 466; 95.4% comes from no count; of 10,000 rows several print alike."""
    assert counts_printed_as("95.5%", 488) == (466,)
    assert counts_printed_as("95.6%", 488) == ()
    assert len(counts_printed_as("95.5%", 10_000)) == 10


def test_proportion_needs_the_standard_library_only() -> None:
    """Counting a run needs no extra installed."""
    code = (
        "import sys; sys.modules['numpy'] = sys.modules['scipy'] = None\n"
        "from judge.stats.proportion import lower_bound, wilson\n"
        "print(lower_bound(12, 12).value > 0.735 > wilson(1, 12).low)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
