"""judge/gate.py: thresholds and group decisions, exact and never vacuous."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plans import rubric

from judge.errors import InputError
from judge.gate import Mark, Weighed, expected, need, threshold, weigh
from judge.records import ARMS, Arm, Control

MARKS = st.sampled_from(["correct", "wrong", "undecided"])
SHARES = st.fractions(Fraction(501, 1000), 1, max_denominator=1000)


def _marked(route: str, correct: int, wrong: int = 0, undecided: int = 0) -> list[tuple[str, Mark]]:
    counts: tuple[tuple[Mark, int], ...] = (
        ("correct", correct),
        ("wrong", wrong),
        ("undecided", undecided),
    )
    return [(route, mark) for mark, count in counts for _ in range(count)]


# --- the threshold --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.9", Fraction(9, 10)),
        ("0.90", Fraction(9, 10)),
        ("11/12", Fraction(11, 12)),
        ("22/24", Fraction(11, 12)),
        ("1", Fraction(1)),
        ("1.0", Fraction(1)),
        ("3/3", Fraction(1)),
        ("0.500000001", Fraction(500_000_001, 1_000_000_000)),
        ("500001/1000000", None),
        ("500000/999999", Fraction(500_000, 999_999)),
    ],
)
def test_a_threshold_is_an_exact_fraction(text: str, value: Fraction | None) -> None:
    """Six digits above and below the line, nine behind the point."""
    if value is None:
        with pytest.raises(InputError, match="neither a decimal"):
            threshold(text)
    else:
        assert threshold(text) == value


@pytest.mark.parametrize("text", ["0.5", "1/2", "0.1", "0", "0.0", "1/3", "1.1", "3/2", "1.000001"])
def test_a_threshold_a_coin_reaches_is_refused(text: str) -> None:
    """And one that nobody can reach."""
    with pytest.raises(InputError, match="above 1/2 and at most 1"):
        threshold(text)


@pytest.mark.parametrize(
    "text",
    ["", ".9", "0,9", "90%", "9e-1", "0.9 ", "-0.9", "1/0", "0/1", "nine", "0.9\n", "11/12/1", "2"],
)
def test_what_is_no_threshold_is_refused(text: str) -> None:
    """The sentence shows how one is written."""
    with pytest.raises(InputError, match=r"like 0\.9 nor a fraction like 11/12"):
        threshold(text)


@pytest.mark.parametrize(
    ("share", "asked", "least"),
    [
        ("0.9", 12, 11),
        ("0.9", 10, 9),
        ("0.9", 11, 10),
        ("11/12", 12, 11),
        ("1", 7, 7),
        ("0.9", 1, 1),
    ],
)
def test_twelve_controls_at_nine_tenths_need_eleven(share: str, asked: int, least: int) -> None:
    """The default gate, and its neighbours."""
    assert need(threshold(share), asked) == least


@given(SHARES, st.integers(1, 100_000))
def test_the_need_is_the_least_number_that_reaches_the_share(share: Fraction, asked: int) -> None:
    """Exactly: one less does not."""
    least = need(share, asked)

    assert Fraction(least, asked) >= share
    assert Fraction(least - 1, asked) < share


@given(st.integers(1, 1000), st.integers(1, 1000))
def test_a_need_is_not_rounded_in_floating_point(numerator: int, asked: int) -> None:
    """What is exactly reached is enough, where a float could ask for one more."""
    share = Fraction(numerator, numerator + 1) if numerator > 1 else Fraction(1)
    whole = asked * (numerator + 1)

    assert need(share, whole) == share * whole


# --- a group --------------------------------------------------------------------------------------


def test_a_group_that_reaches_its_need_passes() -> None:
    """All the counts, and by route."""
    found = weigh("positive", _marked("a", 6) + _marked("b", 5, undecided=1), threshold("0.9"))

    assert found == Weighed(12, 11, 1, 11, {"a": (6, 6), "b": (6, 5)}, passed=True)


def test_a_group_one_short_of_its_need_fails() -> None:
    """There is no nearly."""
    found = weigh("negative", _marked("a", 10, wrong=2), threshold("0.9"))

    assert (found.correct, found.need, found.passed) == (10, 11, False)


def test_an_undecided_control_is_not_correct() -> None:
    """A judge that says nothing has not shown that it can judge."""
    assert not weigh("positive", _marked("a", 5, undecided=1), threshold("0.9")).passed
    assert weigh("positive", _marked("a", 5, undecided=1), threshold("0.9")).undecided == 1


def test_a_route_that_is_all_wrong_fails_the_group() -> None:
    """Though the share is reached: a blind spot may not hide behind the rest."""
    found = weigh("positive", _marked("a", 99) + _marked("b", 0, wrong=1), threshold("0.9"))

    assert found.correct >= found.need
    assert not found.passed


def test_a_route_that_is_all_undecided_fails_the_group() -> None:
    """Silence on a route is no better than error."""
    assert not weigh(
        "positive", _marked("a", 99) + _marked("b", 0, undecided=1), threshold("0.9")
    ).passed


def test_injection_controls_allow_no_failure() -> None:
    """Whatever the threshold."""
    share = threshold("0.6")

    assert weigh("injection", _marked("a", 9), share).passed
    found = weigh("injection", _marked("a", 9, wrong=1), share)
    assert (found.need, found.passed) == (10, False)


@pytest.mark.parametrize("arm", ARMS)
def test_an_empty_group_is_an_error(arm: Arm) -> None:
    """Nothing passes vacuously."""
    with pytest.raises(InputError, match=f"the {arm} arm has no controls"):
        weigh(arm, [], threshold("0.9"))


@given(
    st.sampled_from(ARMS),
    st.lists(st.tuples(st.sampled_from("abc"), MARKS), min_size=1),
    SHARES,
)
def test_the_counts_add_up(arm: Arm, marks: list[tuple[str, Mark]], share: Fraction) -> None:
    """And a group passes only with enough right, and something right on every route."""
    found = weigh(arm, marks, share)
    right = [route for route, mark in marks if mark == "correct"]

    assert found.asked == len(marks) == sum(asked for asked, _ in found.routes.values())
    assert found.correct == len(right) == sum(correct for _, correct in found.routes.values())
    assert found.undecided == sum(mark == "undecided" for _, mark in marks)
    enough = len(right) == len(marks) if arm == "injection" else len(right) >= share * len(marks)
    assert found.passed == (enough and {route for route, _ in marks} == set(right))


@given(st.lists(st.tuples(st.sampled_from("ab"), MARKS), min_size=1), st.data())
def test_a_groups_order_does_not_matter(marks: list[tuple[str, Mark]], data: st.DataObject) -> None:
    """Controls are counted, not read in turn."""
    mixed = data.draw(st.permutations(marks))
    share = threshold("0.9")

    assert weigh("positive", mixed, share) == weigh("positive", marks, share)


# --- what is right for a control ------------------------------------------------------------------


def _control(expect: object) -> Control:
    return Control.model_validate(
        {
            "arm": "negative",
            "id": "q1",
            "type": "t",
            "question": "q",
            "gold": "g",
            "abstention": False,
            "response": "r",
            "expect": expect,
            "source": "s",
            "donor": None,
        }
    )


@pytest.mark.parametrize(
    ("expect", "labels"),
    [("accept", ("yes",)), ("reject", ("no", "partly")), (("partly",), ("partly",))],
)
def test_a_control_expects_labels_of_the_rubric(expect: object, labels: tuple[str, ...]) -> None:
    """`accept` is the one, `reject` is every other, a list is itself."""
    rules = rubric(labels=("no", "yes", "partly"))

    assert expected(_control(expect), rules) == labels


def test_grades_are_neither_accepted_nor_rejected() -> None:
    """A control of a graded rubric states its labels."""
    rules = rubric(labels=("1", "2", "3"), kind="graded", accept=None)

    assert expected(_control(("1", "2")), rules) == ("1", "2")
    for word in ("accept", "reject"):
        with pytest.raises(InputError, match=f"expects '{word}', but small/v1 gives grades"):
            expected(_control(word), rules)


def test_a_graded_rubrics_gate_says_what_is_accepted() -> None:
    """And what is rejected; grades between them are neither."""
    rules = rubric(
        labels=("1", "2", "3"),
        kind="graded",
        accept=None,
        gate={"accept": ("3",), "reject": ("1",)},
    )

    assert expected(_control("accept"), rules) == ("3",)
    assert expected(_control("reject"), rules) == ("1",)


@pytest.mark.parametrize(("expect", "what"), [(("maybe",), "'maybe'"), ((), "nothing")])
def test_a_label_that_is_not_offered_is_refused(expect: object, what: str) -> None:
    """The sentence names the control, the label and what is offered."""
    with pytest.raises(InputError, match=f"control 'q1' expects .*{what}.* offers yes, no"):
        expected(_control(expect), rubric())
