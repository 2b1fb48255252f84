"""judge/studies/repeats: changes inside a run and over runs, and what they do to a count."""

from fractions import Fraction
from math import ceil

import pytest
from studycolumns import NO, YES, column

from judge.errors import InputError
from judge.report.sections import described
from judge.report.studies.repeats import section
from judge.studies.columns import Column
from judge.studies.repeats import repeats, repeats_of


def _said(columns: list[Column]) -> str:
    return described([section(repeats(columns))])


def _thrice() -> list[Column]:
    """Ten items; two change inside the run, one of them once and one of them twice."""
    rest = [YES] * 8
    return [
        column([YES, YES, *rest], repetition=1),
        column([YES, NO, *rest], repetition=2),
        column([NO, NO, *rest], repetition=3),
    ]


def test_the_noise_of_a_count_is_the_sum_of_its_items() -> None:
    """Two items with one of three the other way: each 3/2 · 2/9 = 1/3, together 2/3."""
    [one] = repeats(_thrice())
    assert one.noise is not None

    assert one.noise.counts == (10, 9, 8)
    assert one.noise.variance == Fraction(2, 3)
    assert one.noise.deviation_of_mean == pytest.approx((2 / 9) ** 0.5)
    expected = {
        str(width): ceil(1.959963984540054**2 * (2 / 3) / (float(width) * 10) ** 2)
        for width in (Fraction(1, 200), Fraction(1, 2000))
    }
    assert one.noise.needed == expected
    assert "8.16 points (standard deviation" in _said(_thrice())
    assert "the mean of all of them by 4.71" in _said(_thrice())


def test_no_change_is_not_no_noise() -> None:
    """60 items without a change: at most 4.9 % of such items do, by the exact rule of three."""
    columns = [column([YES] * 60, repetition=number) for number in (1, 2)]
    [one] = repeats(columns)
    assert one.noise is not None

    assert one.noise.upper == pytest.approx(0.0487, abs=1e-4)
    assert "at most 4.9% of such items do" in _said(columns)


def test_a_change_from_run_to_run_is_time_and_is_said_so() -> None:
    """Each run has one label throughout; the words do not call it the judge's own noise alone."""
    columns = [
        column([label, YES], source=source, repetition=number)
        for source, label in (("monday", YES), ("tuesday", NO))
        for number in (1, 2)
    ]
    [one] = repeats(columns)

    assert [(flip.id, flip.kind) for flip in one.flips] == [("q0", "time")]
    assert "0 inside a run, 1 only from one run to another (time)" in _said(columns)
    assert "the judge's changes, over time too, move" in _said(columns)


def test_grades_have_stability_and_no_accepted_count() -> None:
    """A grade that changes is a flip; nothing is said of accepted items or their noise."""
    columns = [
        column(labels, accept=None, labels=("1", "2"), repetition=number)
        for number, labels in enumerate((["1", "2"], ["2", "2"]), 1)
    ]
    [one] = repeats(columns)
    said = _said(columns)

    assert one.noise is None
    assert [flip.id for flip in one.flips] == ["q0"]
    assert "accepted" not in said
    assert "noise" not in said


def test_an_undecided_item_leaves_counts_without_a_share() -> None:
    """It is named and left out; counts of changes are printed, and no percentage or points."""
    columns = [column([YES, None, YES], repetition=1), column([NO, YES, YES], repetition=2)]
    [one] = repeats(columns)
    said = _said(columns)

    assert (one.items, one.undecided) == (2, ("q1",))
    assert "count by 0.71 items" in said
    assert "left out of the comparison: q1" in said
    assert "%" not in said.replace("95 %", "")
    assert "points" not in said


def test_items_that_a_later_run_did_not_ask_are_counted_apart() -> None:
    """A short second run does not shorten the first one without a word."""
    columns = [column([YES] * 5), column([YES] * 2, source="later")]
    [one] = repeats(columns)

    assert (one.items, one.absent) == (2, 3)
    assert "3 items not on every side, in no count" in _said(columns)


def test_runs_of_other_questions_are_each_studied_alone() -> None:
    """Two runs that share no question repeat themselves, not each other."""
    columns = [
        column([YES, NO], source=source, repetition=number, ids=[f"{source}-1", f"{source}-2"])
        for source in ("one", "two")
        for number in (1, 2)
    ]

    assert [found.columns for found in repeats(columns)] == [("one@1", "one@2"), ("two@1", "two@2")]


def test_nothing_in_common_is_an_error() -> None:
    """Two single runs of other questions repeat nothing."""
    columns = [column([YES], source=source, ids=[source]) for source in ("one", "two")]

    with pytest.raises(InputError, match="no item has a verdict in all of"):
        repeats(columns)


def test_a_verdict_file_has_labels_and_no_reply() -> None:
    """The table shows the label alone."""
    found = repeats_of([column([YES, NO], source="a"), column([NO, NO], source="b")])

    assert "(None)" not in described([section([found])])
