"""judge/studies/rejudge: what a margin between two systems is worth beside the flips seen."""

from collections.abc import Sequence

import pytest
from studycolumns import NO, YES, column

from judge.errors import InputError
from judge.report.sections import described
from judge.report.studies.rejudge import section
from judge.studies.columns import Column
from judge.studies.rejudge import Rejudged, margins, rejudge, rejudge_files


def _flipped(one: Column, flips: int) -> Rejudged:
    """What re-judging this column showed: its first items had the other label before."""
    before = [
        (NO if row.label == YES else YES) if number < flips else row.label
        for number, row in enumerate(one.rows)
    ]
    earlier = column(before, source="before")
    return rejudge_files(earlier, one).model_copy(update={"column": one.name})


def _systems(first: Sequence[str], second: Sequence[str]) -> tuple[Column, Column]:
    return column(first), column(second, answers="pass2")


@pytest.mark.parametrize(("flips", "resolved"), [(1, True), (2, False), (3, False)])
def test_a_margin_no_larger_than_the_flips_is_unresolved(flips: int, *, resolved: bool) -> None:
    """Two items apart: one flip leaves the order, two or three do not."""
    one, other = _systems([YES] * 5 + [NO], [YES] * 3 + [NO] * 3)
    found = {one.name: _flipped(one, flips), other.name: _flipped(other, 0)}
    [margin] = margins([one, other], found)
    said = described([section(list(found.values()), [margin])])

    assert (margin.accepted_first, margin.accepted_second, margin.flips) == (5, 3, flips)
    assert margin.resolved is resolved
    assert ("1 of 1 margin between two sets of answers unresolved" in said) is not resolved


def test_the_flips_of_either_system_count() -> None:
    """The larger number is held against the margin, whichever system has it."""
    one, other = _systems([YES] * 5 + [NO], [YES] * 3 + [NO] * 3)
    [margin] = margins([one, other], {one.name: _flipped(one, 0), other.name: _flipped(other, 4)})

    assert (margin.flips, margin.resolved) == (4, False)


def test_systems_that_answered_other_questions_have_no_margin() -> None:
    """Nothing is in common to be more or less of."""
    one = column([YES, NO])
    other = column([YES, NO], answers="pass2", ids=["z1", "z2"])
    found = {each.name: _flipped(one, 1) for each in (one, other)}

    assert margins([one, other], found) == ()


def test_items_without_an_earlier_label_are_counted_apart() -> None:
    """An item that was never judged, or has no new label, is in no count of flips."""
    found = rejudge_files(column([YES, NO, YES]), column([NO, None, YES, YES]))

    assert (found.compared, found.undecided, found.never_judged) == (2, 1, 1)
    back = rejudge_files(column([NO, None, YES, YES]), column([YES, NO, YES]))
    assert (back.compared, back.undecided, back.never_judged) == (2, 1, 1)
    assert [flip.id for flip in found.flips] == ["q0"]
    assert found.table == {"yes > no": 1, "yes > yes": 1}


def test_a_column_without_earlier_labels_is_not_rejudged() -> None:
    """Nor is one of grades."""
    with pytest.raises(InputError, match="no saved answer has an earlier label"):
        rejudge(column([YES, NO]))
    with pytest.raises(InputError, match="no labels that are right or wrong"):
        rejudge(column(["1", "2"], accept=None, labels=("1", "2")))


def test_columns_left_out_are_named() -> None:
    """With the reason, beside what was found."""
    found = rejudge_files(column([YES]), column([NO]))

    assert "caution: pass2: no earlier label" in described(
        [section([found], (), ["pass2: no earlier label"])]
    )
