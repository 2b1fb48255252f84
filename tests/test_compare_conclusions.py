"""The one sentence of a comparison: what it may say, and what it never says."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.comparing.conclusions import Evidence, MarginTests, concluded, p_value, points, share
from judge.comparing.sameness import Alike, Same, Sameness, about
from judge.stats.difference import equivalence, non_inferiority, tango
from judge.stats.mcnemar import mcnemar_exact
from judge.stats.pairs import Pairs, pairs_counted_elsewhere


def _evidence(table: Pairs, margin: str | None = None, confidence: str = "0.95") -> Evidence:
    tests = None
    if margin is not None:
        swapped = pairs_counted_elsewhere(table.n, table.second_only, table.first_only)
        tests = MarginTests(
            equivalence=equivalence(table, margin),
            first_not_worse=non_inferiority(table, margin),
            second_not_worse=non_inferiority(swapped, margin),
        )
    found = tango(table, confidence)
    return Evidence("A", "B", found, mcnemar_exact(table).p, 1, tests, None)


def _said(n: int, b: int, c: int, margin: str | None = None, confidence: str = "0.95") -> str:
    return concluded(_evidence(pairs_counted_elsewhere(n, b, c), margin, confidence))


def test_a_difference_that_is_shown_names_the_better_side() -> None:
    """With the test, and the differences the verdicts allow."""
    assert _said(500, 3, 23) == (
        "B is accepted on more items than A: A - B is -4.0 points (exact McNemar p = 0.000088), "
        "and differences from -6.3 to -2.2 points (Tango 95 %) are compatible with the verdicts."
    )


def test_a_difference_that_is_not_shown_is_not_equality() -> None:
    """The published pair of 10 and 15 of 500."""
    assert _said(500, 10, 15) == (
        "no difference between A and B is shown (exact McNemar p = 0.424356): differences from "
        "-3.1 to +1.0 points (Tango 95 %) are compatible with the verdicts; this does not show "
        "that they are equal."
    )


def test_the_stricter_of_test_and_interval_decides() -> None:
    """Seven against one: the interval leaves 0 out, the exact test does not reject."""
    sentence = _said(500, 7, 1)
    assert sentence.startswith("no difference between A and B is shown (exact McNemar p = 0.070313")
    assert "the interval leaves 0 out, but the test, which is the stricter" in sentence


def test_the_level_of_the_test_is_what_the_confidence_lacks() -> None:
    """17 against 6 is shown at 95 % and not at 99 %."""
    assert "more items than" in _said(500, 17, 6)
    assert "is shown (exact McNemar p = 0.034690): " in _said(500, 17, 6, confidence="0.99")
    assert "(Tango 99 %)" in _said(500, 17, 6, confidence="0.99")


@pytest.mark.parametrize(
    ("counts", "margin", "words"),
    [
        ((500, 12, 11), "0.03", "they are equivalent within the margin of 3 points"),
        ((500, 23, 3), "0.1", "they are equivalent within the margin of 10 points"),
        ((500, 17, 6), "0.02", "but A is not worse by 2 points or more (non-inferiority, p = "),
        ((500, 6, 17), "0.02", "but B is not worse by 2 points or more (non-inferiority, p = "),
        ((500, 12, 11), "0.001", "equivalence within the margin of 0.1 points is not shown"),
        ((500, 12, 11), "0.001", ", nor is non-inferiority."),
    ],
)
def test_a_margin_brings_its_own_words(
    counts: tuple[int, int, int], margin: str, words: str
) -> None:
    """Equivalent, not worse, or neither, each with its test."""
    assert words in _said(*counts, margin)


def test_one_of_several_comparisons_speaks_of_equivalence_only() -> None:
    """Non-inferiority is not adjusted for the number, so it is not claimed."""
    found = _evidence(pairs_counted_elsewhere(500, 17, 6), "0.02")
    sentence = concluded(found._replace(family=3, equivalence_p=1.0))
    assert "Holm over 3 comparisons" in sentence
    assert "not worse" not in sentence
    assert "non-inferiority" not in sentence


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 400), st.booleans())
def test_no_table_turns_not_significant_into_equal(
    b: int,
    c: int,
    rest: int,
    margin: bool,  # noqa: FBT001 - hypothesis gives it
) -> None:
    """Equality is never said; equivalence only where its test rejects."""
    table = pairs_counted_elsewhere(b + c + rest, b, c)
    found = _evidence(table, "0.05" if margin else None)
    sentence = concluded(found)
    plain = sentence.replace("this does not show that they are equal", "")
    assert "equal" not in plain
    shown = found.margin is not None and found.margin.equivalence.p <= Fraction(1, 20)
    assert ("they are equivalent" in sentence) == shown
    assert ("more items than" in sentence) == (found.p <= Fraction(1, 20))


def test_small_p_values_are_never_printed_as_nought() -> None:
    """Six decimals, or a bound."""
    assert p_value(Fraction(1, 10**9)) == "p < 0.000001"
    assert p_value(Fraction(1, 1_000_000)) == "p = 0.000001"
    assert p_value(Fraction(1)) == "p = 1.000000"


def test_points_have_the_digits_that_n_bears() -> None:
    """A tenth up to 2,000 items, then a hundredth; exact halves go up."""
    assert points(Fraction(1, 16), 16) == "+6.3"
    assert points(Fraction(-1, 4000), 4000) == "-0.03"
    assert points(Fraction(0), 5) == "0.0"


def test_a_confidence_keeps_its_digits() -> None:
    """99.9 % is not rounded to 100 %."""
    assert (share(Fraction("0.999")), share(Fraction("0.95"))) == ("99.9 %", "95 %")


# --- what a difference is a difference of ---------------------------------------------------------


def _same(answers: Alike, prompts: Alike, rubric: Alike, judge: Alike) -> Sameness:
    parts = {"answers": answers, "prompts": prompts, "rubric": rubric, "judge": judge}
    made = {name: Same(state=state, same=None, words="") for name, state in parts.items()}
    return Sameness(**made)


@pytest.mark.parametrize(
    ("states", "words", "confounded"),
    [
        (("same", "same", "same", "same"), "the same prompts were put to the same judge", False),
        (("partly", "partly", "same", "same"), "the answers differ: a difference is theirs", False),
        (("same", "different", "different", "same"), "the rubrics differ", False),
        (("same", "same", "same", "different"), "discordant items are their disagreements", False),
        (("same", "partly", "same", "same"), "not the questions or gold answers", False),
        (("partly", "partly", "same", "different"), "answers and judge differ together", True),
        (
            ("different", "different", "different", "different"),
            "answers, rubric and judge differ together: the difference can be laid to none",
            True,
        ),
        (
            ("same", "unknown", "unknown", "same"),
            "nothing is known to differ but the verdicts; whether the rubric is the same is not",
            False,
        ),
        (
            ("unknown", "unknown", "unknown", "unknown"),
            "whether the answers and the rubric and the judge are the same is not known",
            False,
        ),
        (
            ("partly", "unknown", "unknown", "same"),
            (
                "a difference is theirs, or the judge's unsteadiness; "
                "whether the rubric is the same is not"
            ),
            False,
        ),
    ],
)
def test_what_differs_is_said_and_what_is_unknown_stays_unknown(
    states: tuple[Alike, Alike, Alike, Alike],
    words: str,
    confounded: bool,  # noqa: FBT001 - a column of the table
) -> None:
    """Two things that differ together leave the difference to neither."""
    sentence, told = about(_same(*states))
    assert words in sentence
    assert told is confounded
