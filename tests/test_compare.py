"""`judge compare` on verdict files: what two and more sides show about each other."""

import csv
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from longmemeval import PASS_1, PASS_2, REFERENCES, needs_shared
from verdictfiles import both, labelled, written

import judge
from judge import CompareOptions
from judge.cli import main
from judge.comparing import load
from judge.errors import InputError
from judge.report.items import items_csv
from judge.stats.exact import percent, printed

PUBLISHED = [
    (13, 10, "0.677639"),
    (12, 11, "1.000000"),
    (6, 2, "0.289063"),
    (10, 15, "0.424"),
    (10, 14, "0.541"),
    (23, 3, "below 0.001"),
    (24, 7, "0.003"),
]
"""Discordant counts of 500 and the exact McNemar p that was published for them."""
INTERVALS = [
    (10, 15, "-3.0", "+1.0"),
    (10, 14, "-2.8", "+1.2"),
    (23, 3, "+2.2", "+6.0"),
    (24, 7, "+1.2", "+5.6"),
]
"""Discordant counts of 500 and the published bootstrap interval, in points."""


def _printed(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["compare", *words]) == 0
    return capsys.readouterr().out


def _json(words: list[str], capsys: pytest.CaptureFixture[str]) -> Any:  # noqa: ANN401 - JSON
    return json.loads(_printed([*words, "--json"], capsys))


# --- the two real passes ------------------------------------------------------------------------


@needs_shared
def test_two_real_passes_are_joined_and_counted() -> None:
    """500 items, 264 against 253 accepted, 17 and 6 discordant."""
    found = judge.compare(PASS_1, PASS_2)
    assert (found.pairs.n, found.first_rate.k, found.second_rate.k) == (500, 264, 253)
    assert (found.pairs.first_only, found.pairs.second_only) == (17, 6)


@needs_shared
def test_exactly_one_flip_is_among_the_identical_answers() -> None:
    """432 answers are the same byte for byte; one of them was judged both ways."""
    found = judge.compare(PASS_1, PASS_2)
    same = [flip.id for flip in found.flips if flip.same_answer]
    assert (found.same.answers.same, found.same_answer_flips, same) == (432, 1, ["caf9ead2"])


@needs_shared
def test_the_real_comparison_is_said_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    """Table, figures, the one flip with its type, types from the answer key, the sentence."""
    out = _printed([str(PASS_1), str(PASS_2), "--references", str(REFERENCES)], capsys)
    assert "joined      500 items by id" in out
    assert "A accepts          247          17\nA rejects            6         230" in out
    assert "exact, two-sided: p = 0.034690" in out
    assert "1 of them among the 432 items whose answers are the same" in out
    assert "caf9ead2 (single-session-user): yes > no, same answer" in out
    assert "temporal-reasoning            133      50      45       7       2" in out
    assert "conclusion  A is accepted on more items than B: A - B is +2.2 points" in out


@needs_shared
def test_judges_named_in_the_files_are_compared_but_nothing_else_is_known() -> None:
    """Bare files name a judge and prove nothing of rubric and prompts."""
    same = judge.compare(PASS_1, PASS_2).same
    states = (same.answers.state, same.prompts.state, same.rubric.state, same.judge.state)
    assert states == ("partly", "unknown", "unknown", "same")


# --- the published figures ----------------------------------------------------------------------


@pytest.mark.parametrize(("b", "c", "published"), PUBLISHED)
def test_published_p_values_come_out_of_label_files(
    b: int, c: int, published: str, tmp_path: Path
) -> None:
    """To the printed precision, from 500 rows a side."""
    p = judge.compare(*both(tmp_path, 500, b, c)).mcnemar.p
    if published == "below 0.001":
        assert p < Fraction(1, 1000)
    else:
        assert printed(p, len(published.partition(".")[2])) == published


@pytest.mark.parametrize(("b", "c", "low", "high"), INTERVALS)
def test_published_intervals_come_out_of_label_files(
    b: int, c: int, low: str, high: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exact bootstrap is printed beside Tango's interval."""
    out = _printed([*both(tmp_path, 500, b, c)], capsys)
    assert f"{low} to {high}  exact bootstrap of pairs, percentile, 95 %" in out
    assert "Tango score, 95 %" in out


def test_the_difference_is_the_first_side_less_the_second(tmp_path: Path) -> None:
    """Swapping the sides swaps the sign."""
    first, second = both(tmp_path, 500, 23, 3)
    there, back = judge.compare(first, second), judge.compare(second, first)
    assert there.pairs.difference == Fraction(4, 100) == -back.pairs.difference


def test_raw_agreement_kappa_and_ac1_stand_side_by_side(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """98.6 % agreement can be a kappa of 0.86: all three are printed."""
    out = _printed([*both(tmp_path, 500, 5, 2, agreed=470)], capsys)
    assert "agreement   raw 98.6%, Cohen's kappa 0.861, Gwet's AC1 0.984" in out


# --- what the thin cases say --------------------------------------------------------------------


def test_fewer_than_ten_discordant_items_are_warned_of(tmp_path: Path) -> None:
    """The bootstrap interval is too short there; ten are enough not to say so."""
    assert any("fewer than 10" in w for w in judge.compare(*both(tmp_path, 500, 6, 3)).warnings)
    assert not judge.compare(*both(tmp_path, 500, 6, 4)).warnings


def test_no_discordant_item_is_not_equality(tmp_path: Path) -> None:
    """The test gives 1, the bootstrap nothing, and Tango's interval what is still possible."""
    found = judge.compare(*both(tmp_path, 100, 0, 0))
    assert [found.mcnemar.p, found.bootstrap.low, found.bootstrap.high] == [1, 0, 0]
    assert "differences from -3.7 to +3.7 points" in found.conclusion
    assert found.conclusion.endswith("this does not show that they are equal.")


def test_one_label_only_leaves_kappa_undefined(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is said with its reason, never as a number."""
    out = _printed([*both(tmp_path, 20, 0, 0, agreed=20)], capsys)
    assert "Cohen's kappa undefined (only one label was given" in out


def test_repeated_judgments_of_one_item_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Six judgments of one question are not six independent questions."""
    rows = [{"id": "one", "label": True}] * 6
    first = written(tmp_path / "a.jsonl", rows)
    assert main(["compare", str(first), str(first)]) == 2
    err = capsys.readouterr().err
    assert "a.jsonl:2: id 'one' stands at" in err
    assert "repeated judgments of one item are not independent items" in err


# --- the margin ---------------------------------------------------------------------------------


def test_a_margin_brings_equivalence(tmp_path: Path) -> None:
    """Equal counts on 500 items lie within three points."""
    found = judge.compare(*both(tmp_path, 500, 12, 11), CompareOptions(margin="0.03"))
    assert found.margin is not None
    assert found.margin.equivalence.p < 0.05
    assert "they are equivalent within the margin of 3 points" in found.conclusion


def test_either_side_is_tested_for_being_no_worse(tmp_path: Path) -> None:
    """With 17 against 6 the first is not worse by two points, the second may be."""
    margin = judge.compare(*both(tmp_path, 500, 17, 6), CompareOptions(margin="0.02")).margin
    assert margin is not None
    assert margin.first_not_worse.p < 0.001
    assert margin.second_not_worse.p > 0.5


def test_a_margin_that_is_none_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A margin of 2 would be 200 points."""
    assert main(["compare", *both(tmp_path, 50, 3, 1), "--margin", "2"]) == 2
    assert "the margin is 2: it must lie between 0 and 1" in capsys.readouterr().err


def test_the_margin_is_printed_with_all_its_digits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A margin of a quarter of a point is not rounded to 0.3."""
    out = _printed([*both(tmp_path, 500, 6, 4), "--margin", "0.0025"], capsys)
    assert "margin      0.25 points" in out


# --- strata -------------------------------------------------------------------------------------


def test_types_of_either_side_make_a_table_with_holm(tmp_path: Path) -> None:
    """A type known on one side is enough, and the tests are adjusted for their number."""
    first = labelled(tmp_path / "a.jsonl", [True] * 12, type=["x"] * 6 + ["y"] * 6)
    second = labelled(tmp_path / "b.jsonl", [False] * 6 + [True] * 6)
    types = judge.compare(first, second).types
    told = [(stratum.name, stratum.pairs.first_only, stratum.holm) for stratum in types]
    assert told == [("x", 6, Fraction(1, 16)), ("y", 0, 1)]


def test_a_file_sorts_items_after_the_fact(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Strata from --by are marked post hoc, with the file's digest."""
    by = tmp_path / "by.csv"
    by.write_text("id,seen\n" + "".join(f"q{i},{i < 8}\n" for i in range(20)))
    out = _printed([*both(tmp_path, 20, 8, 0), "--by", str(by)], capsys)
    assert "post hoc    strata by seen of" in out
    assert "were chosen after the fact: they suggest, they do not show" in out
    assert "True          8       8       0       8       0" in out


def test_an_item_without_a_stratum_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that sorts only some items sorts none."""
    by = written(tmp_path / "by.jsonl", [{"id": f"q{i}", "s": "x"} for i in range(18)])
    assert main(["compare", *both(tmp_path, 20, 8, 0), "--by", str(by)]) == 2
    err = capsys.readouterr().err
    assert "2 of 20 items have not a stratum in" in err
    assert "'q18', 'q19'" in err


def test_several_columns_to_sort_by_are_never_chosen_between(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The column is asked for, and taken when it is named."""
    rows = [{"id": f"q{i}", "s": "x", "t": i < 10} for i in range(20)]
    by = str(written(tmp_path / "by.jsonl", rows))
    sides = both(tmp_path, 20, 8, 0)
    assert main(["compare", *sides, "--by", by]) == 2
    assert "say which with --by-column" in capsys.readouterr().err
    found = judge.compare(*sides, CompareOptions(by=by, by_column="t"))
    assert [stratum.name for stratum in found.post_hoc] == ["false", "true"]


@pytest.mark.parametrize(
    ("rows", "column", "told"),
    [
        ([{"id": "q0", "s": "x"}, {"id": "q1"}], "s", "by.jsonl:2: no column 's'"),
        ([{"id": "q0", "s": None}], None, "by.jsonl:1: column 's' names no stratum"),
        ([{"id": "q0"}], None, "may stand in no column"),
        ([{"id": "q0", "s": ["x"]}], None, "by.jsonl:1: column 's' names no stratum"),
    ],
)
def test_a_file_that_does_not_sort_is_refused(
    rows: list[dict[str, object]], column: str | None, told: str, tmp_path: Path
) -> None:
    """With its line."""
    by = str(written(tmp_path / "by.jsonl", rows))
    with pytest.raises(InputError, match=told):
        judge.compare(*both(tmp_path, 2, 1, 0), CompareOptions(by=by, by_column=column))


def test_the_usual_name_of_a_stratum_is_known(tmp_path: Path) -> None:
    """A column `stratum` is taken among others."""
    rows = [{"id": f"q{i}", "stratum": "x", "other": 1} for i in range(10)]
    by = str(written(tmp_path / "by.jsonl", rows))
    found = judge.compare(*both(tmp_path, 10, 1, 0), CompareOptions(by=by))
    assert [stratum.name for stratum in found.post_hoc] == ["x"]


def test_a_column_to_sort_by_needs_its_file(tmp_path: Path) -> None:
    """Alone it would change nothing."""
    with pytest.raises(InputError, match="--by-column goes with --by"):
        judge.compare(*both(tmp_path, 10, 1, 0), CompareOptions(by_column="x"))


def test_an_answer_key_must_know_every_item(tmp_path: Path) -> None:
    """An item without a type there is refused by name."""
    key = str(written(tmp_path / "key.jsonl", [{"id": "q0", "type": "t"}]))
    with pytest.raises(
        InputError, match=r"1 of 2 items have not a type in the answer key \('q1'\)"
    ):
        judge.compare(*both(tmp_path, 2, 1, 0), CompareOptions(references=key))


def test_items_without_a_type_stand_in_a_row_of_their_own(tmp_path: Path) -> None:
    """Where some items have one, the others are not dropped from the table."""
    first = labelled(tmp_path / "a.jsonl", [True, True, False], type=["t", "", "t"])
    second = labelled(tmp_path / "b.jsonl", [True, False, False])
    types = judge.compare(first, second).types
    assert [(stratum.name, stratum.pairs.n) for stratum in types] == [("(untyped)", 1), ("t", 2)]


# --- several sides ------------------------------------------------------------------------------


def test_several_sides_are_compared_each_with_each(tmp_path: Path) -> None:
    """Three sides make three comparisons, adjusted by Holm together."""
    first, second = both(tmp_path, 100, 12, 1)
    third = str(labelled(tmp_path / "third.jsonl", [False] * 100))
    found = judge.compare_all([first, second, third])
    alone = judge.compare(first, second)
    assert [one.names for one in found.comparisons] == [("A", "B"), ("A", "C"), ("B", "C")]
    assert found.comparisons[0].mcnemar.p == alone.mcnemar.p
    assert found.adjusted.adjusted[0] == alone.mcnemar.p
    assert found.adjusted.adjusted[1] == 3 * found.comparisons[1].mcnemar.p


def test_a_sentence_about_one_of_several_pairs_is_adjusted(tmp_path: Path) -> None:
    """What is shown alone need not be shown among three."""
    first, second = both(tmp_path, 100, 8, 1)
    near = [True] * 8 + [False] + [True] * 45 + [False] * 45 + [True]
    third = str(labelled(tmp_path / "third.jsonl", near))
    assert "more items than" in judge.compare(first, second).conclusion
    found = judge.compare_all([first, third, second])
    (pair,) = [one for one in found.comparisons if one.names == ("A", "C")]
    assert "no difference between A and C is shown" in pair.conclusion
    assert "Holm over 3 comparisons" in pair.conclusion


def test_the_matrix_is_printed_as_a_square(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Differences above the diagonal, adjusted p below."""
    first, second = both(tmp_path, 500, 23, 3)
    third = str(labelled(tmp_path / "third.jsonl", [True] * 500))
    out = _printed([first, second, third], capsys)
    assert "A                    -      +4.0     -48.0" in out
    assert "B             0.000088         -     -52.0" in out
    assert "C           < 0.000001" in out
    assert "Of 3 comparisons (Holm): a difference is shown for A-B, A-C, B-C." in out


def test_a_warning_in_a_matrix_names_its_pair(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is thin about one pair need not be thin about another."""
    first, second = both(tmp_path, 100, 3, 1)
    third = str(labelled(tmp_path / "third.jsonl", [True] * 100))
    out = _printed([first, second, third], capsys)
    assert "warning     A-B: 4 discordant items are fewer than 10" in out
    assert "A-C: " not in out


def test_equivalence_in_a_matrix_is_adjusted(tmp_path: Path) -> None:
    """The tests against a margin are a family too."""
    first, second = both(tmp_path, 500, 12, 11)
    third = str(labelled(tmp_path / "third.jsonl", [True] * 500))
    found = judge.compare_all([first, second, third], CompareOptions(margin="0.02"))
    alone = judge.compare(first, second, CompareOptions(margin="0.02")).margin
    assert found.equivalence is not None
    assert alone is not None
    assert alone.equivalence.p < 0.05
    assert found.equivalence.adjusted[0] == 3 * alone.equivalence.p
    assert "equivalence within the margin of 2 points is not shown" in (
        found.comparisons[0].conclusion
    )


# --- JSON and CSV -------------------------------------------------------------------------------


def test_json_has_exact_numbers_beside_floats(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One document on stdout, every exact number as its text and its float."""
    found = _json([*both(tmp_path, 500, 13, 10)], capsys)
    assert found["mcnemar"]["p"] == {"exact": "1421113/2097152", "value": 0.6776394844055176}
    assert found["pairs"]["n"] == 500
    assert found["bootstrap"]["low"]["value"] == -0.012


def test_an_exact_number_too_long_to_read_is_left_to_its_float(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Twenty thousand discordant items have a p of thousands of digits, and are still printed."""
    pytest.importorskip("numpy", reason="the bootstrap of many items needs numpy")
    sides = both(tmp_path, 20_000, 10_100, 9_900)
    p = _json([*sides], capsys)["mcnemar"]["p"]
    assert p["exact"] is None
    assert 0.1 < p["value"] < 0.2


def test_csv_has_every_item(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One row an item, the sides' labels and whether they flip."""
    table = tmp_path / "items.csv"
    _printed([*both(tmp_path, 10, 2, 1), "--csv", str(table)], capsys)
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 10
    assert rows[0] == {
        "id": "q0",
        "type": "",
        "stratum": "",
        "A": "yes",
        "B": "no",
        "A_accepted": "1",
        "B_accepted": "0",
        "flip": "1",
        "same_answer": "",
    }


def test_csv_writes_over_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is there stays as it is."""
    table = tmp_path / "items.csv"
    table.write_text("mine")
    assert main(["compare", *both(tmp_path, 10, 2, 1), "--csv", str(table)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert table.read_text() == "mine"


def test_a_table_that_cannot_be_written_is_a_storage_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 7, with the path."""
    table = tmp_path / "none" / "items.csv"
    assert main(["compare", *both(tmp_path, 10, 2, 1), "--csv", str(table)]) == 7
    assert "items.csv: No such file or directory" in capsys.readouterr().err


def test_csv_says_whether_answers_are_the_same(tmp_path: Path) -> None:
    """Where every side holds its answers."""
    first = labelled(tmp_path / "a.jsonl", [True, True], response=["x", "y"])
    second = labelled(tmp_path / "b.jsonl", [True, True], response=["x", "z"])
    table = items_csv(load((first, second), CompareOptions()))
    assert [row["same_answer"] for row in csv.DictReader(table.splitlines())] == ["1", "0"]


def test_many_flips_are_cut_short_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first forty are listed, the rest is in the table of items."""
    out = _printed([*both(tmp_path, 100, 50, 0)], capsys)
    assert out.count("yes > no, answers not known") == 40
    assert "and 10 more; --csv FILE has them all" in out


# --- items that do not match --------------------------------------------------------------------


def test_unmatched_ids_fail_with_counts_and_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A side that lacks an item stops the comparison, exit 2."""
    first = labelled(tmp_path / "a.jsonl", [True] * 5)
    second = written(tmp_path / "b.jsonl", [{"id": f"q{i}", "label": True} for i in range(2, 6)])
    assert main(["compare", str(first), str(second)]) == 2
    err = capsys.readouterr().err
    assert f"A ({first}) lacks 1 of 6 ('q5')" in err
    assert f"B ({second}) lacks 2 of 6 ('q0', 'q1')" in err


def test_unmatched_ids_may_be_left_out_on_purpose(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """--common compares the rest and counts what was left out on either side."""
    first = labelled(tmp_path / "a.jsonl", [True] * 5)
    second = written(tmp_path / "b.jsonl", [{"id": f"q{i}", "label": True} for i in range(2, 6)])
    out = _printed([str(first), str(second), "--common"], capsys)
    assert "joined      3 items by id" in out
    assert "left out    2 items of A that another side lacks" in out
    assert "left out    1 items of B that another side lacks" in out


def test_sides_without_a_common_item_are_no_comparison(tmp_path: Path) -> None:
    """Not even when items may be left out: nothing passes vacuously."""
    first = labelled(tmp_path / "a.jsonl", [True])
    second = written(tmp_path / "b.jsonl", [{"id": "other", "label": True}])
    with pytest.raises(InputError, match="no item id is on every side"):
        judge.compare(first, second, CompareOptions(common=True))


def test_a_row_without_a_verdict_stops_the_comparison(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An answer that was never judged is no rejected one."""
    first = labelled(tmp_path / "a.jsonl", [True, None, False])
    second = labelled(tmp_path / "b.jsonl", [True, True, False])
    assert main(["compare", str(first), str(second)]) == 2
    err = capsys.readouterr().err
    assert "no verdict: A (" in err
    assert "on 1 of 3 items ('q1')" in err


def test_rows_without_a_verdict_may_be_left_out_and_bound_the_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The difference over all items lies between what the missing verdicts could make it."""
    first = labelled(tmp_path / "a.jsonl", [True, None, False, True])
    second = labelled(tmp_path / "b.jsonl", [True, True, None, False])
    out = _printed([str(first), str(second), "--decided-only"], capsys)
    assert "joined      2 items by id" in out
    assert "left out    2 items without a verdict (1 by A, 1 by B)" in out
    assert "bounds      -25.0 to +25.0 points over all items" in out


def test_the_same_verdicts_twice_are_no_comparison(tmp_path: Path) -> None:
    """A side agrees with itself and shows nothing."""
    first = labelled(tmp_path / "a.jsonl", [True, False])
    with pytest.raises(InputError, match="are the same verdicts"):
        judge.compare(first, first)


def test_copies_of_one_file_are_said_to_be_one(tmp_path: Path) -> None:
    """Under two names the bytes are the same, and the comparison warns."""
    first = labelled(tmp_path / "a.jsonl", [True, False])
    second = labelled(tmp_path / "b.jsonl", [True, False])
    assert any("have the same bytes" in w for w in judge.compare(first, second).warnings)


def test_items_of_two_types_are_not_the_same_items(tmp_path: Path) -> None:
    """One id under two types is a mistake in one of the files."""
    first = labelled(tmp_path / "a.jsonl", [True], type=["x"])
    second = labelled(tmp_path / "b.jsonl", [True], type=["y"])
    with pytest.raises(InputError, match="item 'q0' has the types 'x', 'y'"):
        judge.compare(first, second)


def test_one_side_alone_is_a_usage_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two words are needed."""
    assert main(["compare", str(labelled(tmp_path / "a.jsonl", [True]))]) == 2
    assert "give two sides or more" in capsys.readouterr().err


def test_one_side_from_python_is_refused(tmp_path: Path) -> None:
    """A matrix of one is none."""
    with pytest.raises(InputError, match="one side is no comparison"):
        judge.compare_all([labelled(tmp_path / "a.jsonl", [True])])


def test_items_without_a_verdict_on_some_side_leave_nothing(tmp_path: Path) -> None:
    """Nothing passes vacuously, not even on purpose."""
    first = labelled(tmp_path / "a.jsonl", [True, None])
    second = labelled(tmp_path / "b.jsonl", [None, True])
    with pytest.raises(InputError, match="no item has a verdict on every side"):
        judge.compare(first, second, CompareOptions(decided_only=True))


@pytest.mark.parametrize("word", ["label", "label=", "=x"])
def test_a_field_without_its_column_is_a_usage_error(
    word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """NAME=COLUMN, both parts."""
    assert main(["compare", *both(tmp_path, 10, 1, 1), "--field", word]) == 2
    assert "give NAME=COLUMN" in capsys.readouterr().err


def test_more_sides_than_letters_are_refused(tmp_path: Path) -> None:
    """27 sides have no names left."""
    sides = [labelled(tmp_path / f"{i}.jsonl", [True]) for i in range(27)]
    with pytest.raises(InputError, match="27 sides are more than 26"):
        load(sides, CompareOptions())


def test_a_percentage_is_rounded_from_the_exact_share(tmp_path: Path) -> None:
    """One of 16 is 6.3 %, half up from 6.25."""
    found = judge.compare(*both(tmp_path, 16, 1, 0, agreed=0))
    assert percent(found.first_rate.rate) == "6.3%"
