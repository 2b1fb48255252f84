"""Intervals of the difference, margins, several tests, power."""

from fractions import Fraction

import pytest

from judge.errors import InputError
from judge.stats.difference import equivalence, newcombe10, non_inferiority, tango
from judge.stats.multiplicity import benjamini_hochberg, holm
from judge.stats.pairs import pairs_counted_elsewhere
from judge.stats.power import mcnemar_power, mcnemar_sample_size


def test_tango_has_width_where_the_bootstrap_has_none() -> None:
    """No discordant item among 50 still leaves 7 points either way."""
    found = tango(pairs_counted_elsewhere(50, 0, 0))
    assert (found.low, found.high) == pytest.approx((-0.0713, 0.0713), abs=1e-4)


@pytest.mark.parametrize(("b", "c"), [(9, 0), (0, 9)])
def test_tango_ends_within_minus_one_and_one(b: int, c: int) -> None:
    """Also when every item is discordant the same way."""
    found = tango(pairs_counted_elsewhere(9, b, c))
    assert -1 <= found.low < found.high <= 1


def test_newcombe_needs_all_four_cells() -> None:
    """The concordant cells carry the correlation."""
    with pytest.raises(InputError, match="all four cells"):
        newcombe10(pairs_counted_elsewhere(500, 10, 15))


def test_a_margin_lies_between_zero_and_one() -> None:
    """Margins are shares: 0.02 is two points."""
    table = pairs_counted_elsewhere(500, 6, 2)
    for margin in ("0", "2"):
        with pytest.raises(InputError, match="the margin"):
            non_inferiority(table, margin)
        with pytest.raises(InputError, match="the margin"):
            equivalence(table, margin)


def test_equivalence_needs_both_sides() -> None:
    """Its p is the larger of the two, and the margin stands in the result."""
    found = equivalence(pairs_counted_elsewhere(500, 6, 2), "0.02")
    assert found.p == found.p_upper > found.p_lower
    assert found.margin == Fraction(1, 50)


def test_p_values_of_fractions_stay_fractions() -> None:
    """Nothing is rounded before it is printed."""
    found = holm([Fraction(1, 100), Fraction(1, 30)])
    assert found.adjusted == (Fraction(1, 50), Fraction(1, 30))
    assert benjamini_hochberg([Fraction(1, 100), Fraction(1, 30)]).adjusted == (
        Fraction(1, 50),
        Fraction(1, 30),
    )


@pytest.mark.parametrize("p", [[], [1.5], [-0.1], [float("nan")]])
def test_what_is_no_p_value_is_not_adjusted(p: list[float]) -> None:
    """No values, and values outside 0 to 1."""
    with pytest.raises(InputError):
        holm(p)
    with pytest.raises(InputError):
        benjamini_hochberg(p)


def test_one_point_at_five_percent_discordance_needs_3923_items() -> None:
    """And the exact test then has 78 percent power, not 80."""
    assert mcnemar_sample_size("0.05", "0.01").items == 3923
    assert mcnemar_power(3923, "0.03", "0.02").power == pytest.approx(0.7833, abs=5e-5)


def test_the_published_design_had_twelve_percent_power() -> None:
    """500 items with 10 against 15."""
    assert mcnemar_power(500, "0.02", "0.03").power == pytest.approx(0.12, abs=1e-3)


def test_too_few_discordant_items_can_never_reject() -> None:
    """Five items of one side have p 0.0625: no power at n = 5."""
    assert mcnemar_power(5, "0.5", "0").power == 0


@pytest.mark.parametrize(
    ("n", "gain", "loss"), [(0, "0.1", "0.1"), (9, "0", "0"), (9, "0.6", "0.6"), (9, "2", "0")]
)
def test_an_impossible_design_is_refused(n: int, gain: str, loss: str) -> None:
    """No items, nothing discordant, shares above 1."""
    with pytest.raises(InputError):
        mcnemar_power(n, gain, loss)


def test_a_difference_above_the_discordance_is_refused() -> None:
    """Five points cannot come from two percent of discordant items."""
    with pytest.raises(InputError, match="cannot come from"):
        mcnemar_sample_size("0.02", "0.05")
