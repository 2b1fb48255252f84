"""Control batches: the rows a claim needs, what a pass is worth, correction of a rate."""

from fractions import Fraction

import pytest

from judge.errors import InputError
from judge.stats.controls import (
    chance_to_detect,
    chance_to_pass,
    least_correct,
    rows_needed,
    rows_needed_of_pool,
)
from judge.stats.correction import known, rogan_gladen


@pytest.mark.parametrize(
    ("threshold", "asked", "need"),
    [("0.9", 12, 11), ("0.9", 10, 9), ("0.9", 17, 16), ("0.9", 20, 18), ("0.07", 100, 7)],
)
def test_the_gate_needs_the_ceiling_in_exact_rationals(
    threshold: str, asked: int, need: int
) -> None:
    """In floats 0.07 of 100 would be 8."""
    assert least_correct(threshold, asked) == need


@pytest.mark.parametrize(("threshold", "asked"), [("0.9", 0), ("0", 12), ("1.1", 12)])
def test_a_gate_without_controls_is_refused(threshold: str, asked: int) -> None:
    """Nothing passes vacuously."""
    with pytest.raises(InputError, match="is no gate"):
        least_correct(threshold, asked)


def test_87_rows_see_a_rate_of_three_point_four_percent() -> None:
    """One row fewer does not."""
    assert rows_needed("0.034").rows == 87
    assert chance_to_detect(87, "0.034").chance >= Fraction(19, 20)
    assert chance_to_detect(86, "0.034").chance < Fraction(19, 20)


def test_a_tie_is_decided_in_whole_numbers() -> None:
    """At rate 1/2, four rows miss with exactly 1/16."""
    assert rows_needed("1/2", "15/16").rows == 4
    assert rows_needed("1/2", Fraction(15, 16) + Fraction(1, 10**12)).rows == 5


def test_a_rate_that_needs_too_many_rows_is_refused() -> None:
    """Rather than searched for."""
    with pytest.raises(InputError, match="more than 1000000 rows"):
        rows_needed("0.0000001")


def test_drawing_without_replacement_needs_fewer_rows() -> None:
    """80 of 476 with 16 bad ones, against 87."""
    found = rows_needed_of_pool(476, 16)
    assert (found.rows, found.pool) == (80, 476)


@pytest.mark.parametrize(("pool", "bad", "allowed"), [(10, 0, 0), (10, 11, 0), (10, 2, 2)])
def test_a_pool_that_cannot_show_failures_is_refused(pool: int, bad: int, allowed: int) -> None:
    """No bad rows, more than there are, or no more than allowed."""
    with pytest.raises(InputError, match="never show more"):
        rows_needed_of_pool(pool, bad, allowed=allowed)


def test_a_judge_right_nine_times_in_ten_often_passes_eleven_of_twelve() -> None:
    """0.66, and 0.27 for one right four times in five; a perfect one always."""
    assert float(chance_to_pass(12, 11, "0.9").chance) == pytest.approx(0.659, abs=1e-3)
    assert float(chance_to_pass(12, 11, "0.8").chance) == pytest.approx(0.275, abs=1e-3)
    assert chance_to_pass(12, 11, "1").chance == 1


@pytest.mark.parametrize(("asked", "need"), [(0, 0), (12, 0), (12, 13)])
def test_an_impossible_gate_has_no_chance(asked: int, need: int) -> None:
    """A need of nothing and a need above the controls."""
    with pytest.raises(InputError, match="is no gate"):
        chance_to_pass(asked, need, "0.9")


def test_no_control_rows_detect_nothing() -> None:
    """And are refused rather than given a chance of 0."""
    with pytest.raises(InputError, match="0 control rows"):
        chance_to_detect(0, "0.1")


def test_perfect_controls_still_leave_an_interval() -> None:
    """479 of 500 with 12 and 12 perfect controls: 90.5% to 100%, not a point."""
    found = rogan_gladen(
        479, 500, acceptable=known(12, 12), unacceptable=known(12, 12), source="controls"
    )
    assert (found.low, found.high) == pytest.approx((0.90526, 1.0), abs=1e-5)
    assert found.estimate == Fraction(479, 500)
    assert "easier than a real answer" in (found.warning or "")


def test_human_labelled_answers_carry_no_warning() -> None:
    """They are what the correction needs; the estimate is cut to 1 and says so."""
    found = rogan_gladen(
        479,
        500,
        acceptable=known(180, 200),
        unacceptable=known(190, 200),
        source="human-labelled",
    )
    assert found.warning is None
    assert found.estimate == 1 < found.uncut


@pytest.mark.parametrize(
    ("right", "wrong"), [((5, 10), (5, 10)), ((0, 3), (3, 3)), ((1, 10), (1, 10))]
)
def test_a_judge_no_better_than_chance_cannot_be_corrected(
    right: tuple[int, int], wrong: tuple[int, int]
) -> None:
    """Its rate says nothing about the answers."""
    with pytest.raises(InputError, match="no better than chance"):
        rogan_gladen(
            50, 100, acceptable=known(*right), unacceptable=known(*wrong), source="controls"
        )


def test_hardly_better_than_chance_leaves_everything_possible() -> None:
    """One control each, both right in all but nothing: the interval is 0 to 1."""
    found = rogan_gladen(
        50, 100, acceptable=known(1, 1), unacceptable=known(1, 1000), source="controls"
    )
    assert (found.low, found.high) == (0, 1)


@pytest.mark.parametrize(("right", "asked"), [(0, 0), (3, 2), (-1, 2)])
def test_known_answers_that_say_nothing_are_refused(right: int, asked: int) -> None:
    """None asked, or more right than asked."""
    with pytest.raises(InputError):
        known(right, asked)


def test_a_rate_of_nothing_is_not_corrected() -> None:
    """Nothing judged, or more accepted than judged."""
    for accepted, n in ((0, 0), (3, 2)):
        with pytest.raises(InputError, match="no rate to correct"):
            rogan_gladen(
                accepted, n, acceptable=known(9, 9), unacceptable=known(9, 9), source="controls"
            )
