"""The exact percentile interval of bootstrapped means."""

from fractions import Fraction

import orjson
import pytest

from judge.errors import InputError
from judge.stats import bootstrap, lattice_fft
from judge.stats.bootstrap import Bootstrap, bootstrap_mean, bootstrap_pairs
from judge.stats.pairs import pairs_counted_elsewhere

THOUSAND = [f"q{k}" for k in range(1000)]


def test_the_interval_of_ten_against_fifteen_is_minus_three_to_one_point() -> None:
    """A published interval, as fractions."""
    found = bootstrap_pairs(pairs_counted_elsewhere(500, 10, 15))
    assert (found.low, found.high, found.mean) == (
        Fraction(-3, 100),
        Fraction(1, 100),
        Fraction(-1, 100),
    )
    assert (found.computed, found.items) == ("big integers", "counted elsewhere")


def test_many_items_go_through_the_fft() -> None:
    """5,000 items with the published reference interval."""
    found = bootstrap_pairs(pairs_counted_elsewhere(5000, 200, 150))
    assert (found.low * 5000, found.high * 5000) == (Fraction(13), Fraction(87))
    assert found.computed == "windowed FFT"


def test_without_discordant_items_the_interval_is_a_point() -> None:
    """Zero to zero, which is why Tango stands beside it."""
    found = bootstrap_pairs(pairs_counted_elsewhere(30, 0, 0))
    assert found.low == found.high == 0


def test_values_on_any_grid_are_exact() -> None:
    """Two items of a third and two thirds: four resamples, ends at the least and the greatest."""
    found = bootstrap_mean(["a", "b"], [Fraction(1, 3), Fraction(2, 3)])
    assert (found.low, found.high, found.mean) == (
        Fraction(1, 3),
        Fraction(2, 3),
        Fraction(1, 2),
    )


def test_a_result_survives_its_json() -> None:
    """Fractions are text there, and come back as they were."""
    found = bootstrap_pairs(pairs_counted_elsewhere(500, 10, 15))
    assert Bootstrap.load(orjson.dumps(found.plain())) == found


def test_a_float_is_no_value() -> None:
    """A float stands on no grid."""
    with pytest.raises(InputError, match=r"'b': 0\.5 is not a whole number"):
        bootstrap_mean(["a", "b"], [1, 0.5])  # type: ignore[list-item]


def test_repeated_items_are_refused() -> None:
    """The bootstrap draws items, so each must be one."""
    with pytest.raises(InputError, match="comes 2 times"):
        bootstrap_mean(["a", "a"], [1, 2])


def test_a_grid_too_fine_is_refused() -> None:
    """Rather than a computation without end."""
    with pytest.raises(InputError, match="round them to a common grid"):
        bootstrap_mean(["a", "b", "c"], [0, 1, 300_000])
    with pytest.raises(InputError, match="round the values first"):
        lattice_fft.quantiles([500_000] + [0] * 9999 + [500_000], 0.025)


def test_an_end_too_near_a_step_for_floats_is_counted_in_whole_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The FFT says that it cannot decide, and the big integers do."""
    monkeypatch.setattr(lattice_fft, "_TIE", 1.0)
    found = bootstrap_mean(THOUSAND, [k % 10 for k in range(1000)])
    assert found.computed == "big integers"
    monkeypatch.setattr(bootstrap, "_LARGEST_EXACT_WORK", 1)
    with pytest.raises(InputError, match="choose another confidence"):
        bootstrap_mean(THOUSAND, [k % 10 for k in range(1000)])


def test_a_characteristic_function_that_vanishes_is_no_fault() -> None:
    """Half gains and half losses: the function is 0 at half a turn, and its power is 0."""
    assert lattice_fft.quantiles([5000, 5000], 0.025) == (4902, 5098)
