"""judge/studies/sensitivity and spans: templates are told from items, passes, runs and names."""

from collections.abc import Sequence
from fractions import Fraction

from studycolumns import NO, YES, column

from judge.report.sections import described
from judge.report.studies.sensitivity import section
from judge.studies.columns import Column, Made
from judge.studies.sensitivity import sensitivity

GRADES = {"accept": None, "labels": ("1", "2", "3")}


def _said(columns: Sequence[Column]) -> str:
    return described([section(*sensitivity(columns))])


def _both(
    first: Sequence[str | None], second: Sequence[str | None], **more: object
) -> list[Column]:
    return [column(first, **more), column(second, rubric="one/b", **more)]


def test_six_discordant_judgments_of_one_question_are_one_question() -> None:
    """Two passes, three repetitions, 72 questions: 6 of 432, one item, p = 1 and never 0.03."""
    first = [YES] * 70 + [NO] * 2
    second = [YES] * 69 + [NO] * 3
    columns = [
        each
        for number in (1, 2)
        for repetition in (1, 2, 3)
        for each in _both(first, second, answers=f"pass{number}", repetition=repetition)
    ]
    [one], spans = sensitivity(columns)

    assert (one.judgments, one.discordant_judgments) == (432, 6)
    assert (one.items, one.discordant_items) == (72, 1)
    assert one.test.p == one.steady.p == 1
    assert [(span.lowest, span.highest) for span in spans] == [(69, 70)] * 6
    assert "they are 1 question of 72" in _said(columns)


def test_an_item_that_differs_only_sometimes_is_unstable() -> None:
    """It is in neither count of the exact McNemar test; no majority is taken of it."""
    columns = [
        *_both([YES, YES, NO], [NO, NO, YES], repetition=1),
        *_both([YES, YES, NO], [NO, YES, YES], repetition=2),
        *_both([YES, NO, NO], [NO, YES, YES], repetition=3),
    ]
    [one], _ = sensitivity(columns)

    assert {each.id: each.steady for each in one.carriers} == {"q0": True, "q1": False, "q2": True}
    assert (one.steady.first, one.steady.second, one.steady.unstable) == (1, 1, 1)
    assert "1 question not every time, in neither count" in _said(columns)


def test_a_run_that_names_the_templates_in_another_order_is_the_same_comparison() -> None:
    """One test over all, with every item once, whichever template a run asked first."""
    later = reversed(_both([YES, NO], [NO, NO], answers="pass2", source="later"))
    [one], _ = sensitivity([*_both([YES, NO], [NO, NO]), *later])

    assert (one.first, one.second) == ("one/a", "one/b")
    assert (one.judgments, one.items, one.first_items, one.second_items) == (4, 2, 1, 0)


def test_templates_asked_in_two_runs_have_a_span() -> None:
    """Where no run has both templates, the span is over the runs."""
    columns = [column([YES, YES, NO]), column([NO, NO, NO], rubric="one/b", source="later")]
    [one], [span] = sensitivity(columns)

    assert one.discordant_items == 2
    assert (span.lowest, span.highest, span.share) == (0, 2, Fraction(2, 3))
    assert span.by_rubric == {"one/a": 2, "one/b": 0}


def test_a_pair_over_two_runs_is_not_lost_to_another_pass() -> None:
    """One run has both templates for pass 1; pass 2 has them in two other runs."""
    columns = [
        *_both([YES, NO], [YES, NO]),
        column([YES, YES], answers="pass2", source="second"),
        column([YES, NO], answers="pass2", source="third", rubric="one/b"),
    ]
    [one], _ = sensitivity(columns)

    assert [(each.answers, each.first_only) for each in one.comparisons] == [
        ("pass1", 0),
        ("pass2", 1),
    ]


def test_two_rubrics_of_one_name_are_told_apart_by_their_pins() -> None:
    """A template edited between two runs keeps its name and gets another pin."""
    pins = "ab" * 32, "cd" * 32
    columns = [column([YES, NO], source=pin, made=Made("pass1", pin, "judge-1")) for pin in pins]
    [one], [span] = sensitivity(columns)

    assert (one.first, one.second) == ("one/a (abababab)", "one/a (cdcdcdcd)")
    assert len(span.by_rubric) == 2


def test_grades_are_not_compared_as_if_none_were_accepted() -> None:
    """Two graded templates that differ everywhere do not read as two that agree."""
    columns = _both(["1", "2", "3"], ["3", "3", "1"], **GRADES)

    assert sensitivity(columns) == ((), ())


def test_an_undecided_item_leaves_counts_without_a_share() -> None:
    """It is left out of its comparison and counted; no points are printed."""
    columns = _both([YES, None, NO], [NO, YES, NO])
    [one], [span] = sensitivity(columns)
    said = _said(columns)

    assert (one.comparisons[0].items, one.comparisons[0].undecided) == (2, 1)
    assert span.undecided == 1
    assert "moves by at most 0 to 1 of 2 over templates" in said
    assert "points" not in said
    assert "there is no share" in said


def test_an_item_asked_under_one_template_only_is_counted_apart() -> None:
    """It is in no count, and the reader is told."""
    columns = [column([YES, NO, NO]), column([YES, NO], rubric="one/b", source="later")]

    assert "1 item asked under one template only, in no count" in _said(columns)
