"""judge/studies/judges: who is stricter, and which orders two judges reverse."""

import pytest
from studycolumns import NO, YES, column

from judge.errors import InputError
from judge.report.sections import described
from judge.report.studies.judges import section
from judge.studies.columns import Column, Made
from judge.studies.judges import judges, reversals


def _opposed(**more: object) -> list[Column]:
    """Judge 1 prefers pass 1, judge 2 prefers pass 2."""
    return [
        column([YES, NO], **more),
        column([NO, NO], judge="judge-2", **more),
        column([NO, NO], answers="pass2", **more),
        column([YES, NO], answers="pass2", judge="judge-2", **more),
    ]


@pytest.mark.parametrize(("first", "second"), [(479, 476), (475, 472)])
def test_the_published_second_judge_is_stricter(first: int, second: int) -> None:
    """476 and 472 of 500 beside 479 and 475."""
    columns = [
        column([YES] * right + [NO] * (500 - right), judge=name)
        for name, right in (("first", first), ("second", second))
    ]
    [one] = judges(columns)
    [pair] = one.matrix

    assert one.accepted == (first, second)
    assert pair.stricter == "second"
    assert (pair.pairs.first_only, pair.pairs.second_only) == (3, 0)


def test_a_reversed_order_is_said_with_its_repetition() -> None:
    """Two repetitions that reverse are two lines that can be told apart."""
    found = reversals([*_opposed(), *_opposed(repetition=2)])
    said = described([section((), found)])

    assert [(one.type, one.repetition) for one in found] == [
        (None, 1),
        ("base", 1),
        (None, 2),
        ("base", 2),
    ]
    assert "reversed over all types (2 items, one/a, repetition 2)" in said
    assert "pass1 minus pass2 is +1 by judge-1 and -1 by judge-2" in said


def test_answers_to_other_questions_have_no_order() -> None:
    """They are passed over: nothing is in common to be ranked."""
    one, other = _opposed()[:2], _opposed(ids=["z1", "z2"])[2:]

    assert reversals([*one, *other]) == ()


def test_two_files_of_one_name_are_two_sets_of_answers() -> None:
    """What counts is their bytes; their names get a part of the digest."""
    made = {"pass1": "ab" * 32, "pass2": "cd" * 32}
    columns = [
        column(
            [row.label for row in each.rows],
            judge=each.judge,
            source=each.answers,
            made=Made(made[each.answers], "one/a", each.judge),
        )
        for each in _opposed()
    ]
    found = reversals(columns)

    assert {one.first_answers for one in found} == {"pass1 (abababab)"}
    assert {one.second_answers for one in found} == {"pass1 (cdcdcdcd)"}


def test_an_undecided_item_leaves_counts_without_a_share() -> None:
    """The raw agreement is a count then."""
    columns = [column([YES, None, NO]), column([YES, YES, YES], judge="judge-2")]
    [one] = judges(columns)
    said = described([section([one])])

    assert (one.items, one.undecided) == (2, ("q1",))
    assert "agree on 1 of 2" in said
    assert "%" not in said


def test_items_that_one_judge_was_not_asked_are_counted_apart() -> None:
    """They are no disagreement."""
    columns = [column([YES, NO, NO]), column([YES, NO], judge="judge-2")]
    [one] = judges(columns)

    assert (one.items, one.absent) == (2, 1)
    assert "1 item not on every side, in no count" in described([section([one])])


def test_a_judge_that_decided_nothing_is_an_error() -> None:
    """No agreement is computed over no item."""
    columns = [column([YES]), column([None], judge="judge-2")]

    with pytest.raises(InputError, match="nothing can be compared"):
        judges(columns)
