"""Verdict files and data frames as sides: shapes, column maps, labels, refusals."""

import gzip
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from verdictfiles import labelled, written

import judge
from judge import CompareOptions, Side
from judge.cli import main
from judge.comparing.opening import read_sides
from judge.errors import InputError


def _side(path: Path, **options: object) -> Side:
    (side,) = read_sides([path], CompareOptions.model_validate(options))
    return side


def _accepted(side: Side) -> list[bool | None]:
    return [verdict.accepted for verdict in side.verdicts]


# --- shapes -------------------------------------------------------------------------------------


def test_eval_results_carry_label_and_judge(tmp_path: Path) -> None:
    """LongMemEval's own form: an object with the model's name and true or false."""
    label = {"model": "gpt-4o-2024-08-06", "label": True}
    path = written(
        tmp_path / "e.jsonl",
        [
            {"question_id": "a", "hypothesis": "x", "autoeval_label": label},
            {"question_id": "b", "hypothesis": "y", "autoeval_label": {**label, "label": False}},
        ],
    )
    side = _side(path)
    assert _accepted(side) == [True, False]
    assert side.facts.judges == ("gpt-4o-2024-08-06",)
    assert len({verdict.answer for verdict in side.verdicts} - {None}) == 2


def test_rescored_rows_of_the_evidence_release_are_known(tmp_path: Path) -> None:
    """A row judged in 0 attempts was never judged, whatever its column says."""
    rows = [
        {"question_id": "a", "question_type": "t", "llm_judge_correct": True, "attempts": 1},
        {"question_id": "b", "question_type": "t", "llm_judge_correct": False, "attempts": 2},
        {"question_id": "c", "question_type": "t", "llm_judge_correct": False, "attempts": 0},
    ]
    side = _side(written(tmp_path / "rescored.jsonl", rows))
    assert _accepted(side) == [True, False, None]
    assert {verdict.type for verdict in side.verdicts} == {"t"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rows.csv", "id,label\na,yes\nb,no\n"),
        ("rows.csv", "id,label\na,True\nb,false\n"),
        ("rows.json", '[{"id": "a", "label": true}, {"id": "b", "label": "no"}]'),
        ("rows.jsonl", '{"id": "a", "label": "yes"}\n{"id": "b", "verdict": null, "label": false}'),
    ],
)
def test_plain_tables_are_read(name: str, text: str, tmp_path: Path) -> None:
    """CSV, a JSON list and JSON Lines with an id and a label."""
    if "verdict" in text:
        text = text.replace('"verdict": null, ', "")
    path = tmp_path / name
    path.write_text(text)
    assert _accepted(_side(path)) == [True, False]


def test_packed_files_are_read(tmp_path: Path) -> None:
    """Gzip is known by its first bytes."""
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(b"id,label\na,yes\n"))
    assert _accepted(_side(path)) == [True]


def test_a_row_that_leaves_the_label_out_was_never_judged(tmp_path: Path) -> None:
    """Writers of JSON Lines leave out what is null."""
    path = written(tmp_path / "a.jsonl", [{"id": "a", "label": True}, {"id": "b"}])
    assert _accepted(_side(path)) == [True, None]


def test_a_file_without_any_label_names_its_columns(tmp_path: Path) -> None:
    """The message says what to name and what there is."""
    path = written(tmp_path / "a.jsonl", [{"id": "a", "correct": True}])
    with pytest.raises(InputError, match=r"no column for label; name it with --field .*'correct'"):
        _side(path)


# --- the column map -----------------------------------------------------------------------------


def test_columns_are_named_by_field(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One map serves both files: each uses the named columns it has."""
    first = written(tmp_path / "a.jsonl", [{"qid": 1, "correct": True}])
    second = tmp_path / "b.csv"
    second.write_text("number,score\n1,no\n")
    fields = ["id=qid", "id=number", "label=correct", "label=score"]
    words = [word for field in fields for word in ("--field", field)]
    assert main(["compare", str(first), str(second), *words]) == 0
    assert "joined      1 items by id" in capsys.readouterr().out


def test_a_named_column_wins_over_a_known_one(tmp_path: Path) -> None:
    """The known label column is then not looked at."""
    path = written(tmp_path / "a.jsonl", [{"id": "a", "label": "no", "mine": "yes"}])
    assert _accepted(_side(path, columns={"label": ("mine",)})) == [True]


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"label": ("mien",)}, "--field label='mien': no file has that column"),
        ({"labels": ("label",)}, "--field 'labels': no such field; there are id, type, label"),
        ({"label": ("label", "mine")}, "label may stand in 'label', 'mine'; say which"),
    ],
)
def test_a_slip_in_the_map_is_refused(
    columns: Mapping[str, Sequence[str]], told: str, tmp_path: Path
) -> None:
    """Reading another column unseen would be worse than stopping."""
    path = written(tmp_path / "a.jsonl", [{"id": "a", "label": "no", "mine": "yes"}])
    with pytest.raises(InputError, match=told.replace("(", r"\(")):
        _side(path, columns={name: tuple(names) for name, names in columns.items()})


def test_two_known_columns_are_never_chosen_between(tmp_path: Path) -> None:
    """A file with two labels says two things."""
    path = written(tmp_path / "a.jsonl", [{"id": "a", "label": "no", "verdict": "yes"}])
    with pytest.raises(InputError, match=r"a\.jsonl:1: label may stand in 'label', 'verdict'"):
        _side(path)


def test_a_label_that_changes_its_column_is_refused(tmp_path: Path) -> None:
    """Rows of one file have one label column."""
    rows = [{"id": "a", "label": True}, {"id": "b", "verdict": True}]
    with pytest.raises(InputError, match=r":2: label stands in 'verdict' here and in 'label'"):
        _side(written(tmp_path / "a.jsonl", rows))


def test_a_map_without_files_is_refused() -> None:
    """It would change nothing."""
    sides = [judge.verdicts({"id": ["a"], "label": [value]}) for value in (True, False)]
    with pytest.raises(InputError, match="--field is for verdict files, and no side is one"):
        judge.compare(sides[0], sides[1], CompareOptions(columns={"label": ("x",)}))


# --- labels -------------------------------------------------------------------------------------


def test_a_label_nobody_explains_is_refused(tmp_path: Path) -> None:
    """A row that says `error` is not a rejected answer."""
    path = labelled(tmp_path / "a.jsonl", ["yes", "no", "error", "error"])
    with pytest.raises(InputError, match=r"what labels 'error' \(2 rows\) mean; name the labels"):
        _side(path)


def test_other_labels_are_named(tmp_path: Path) -> None:
    """With the one that counts named, a single other one can only be its opposite."""
    path = labelled(tmp_path / "a.jsonl", ["CORRECT", "INCORRECT"])
    assert _accepted(_side(path, accept=("CORRECT",))) == [True, False]


def test_a_third_label_must_be_named_too(tmp_path: Path) -> None:
    """Naming what counts does not say what `NOT_ATTEMPTED` is."""
    path = labelled(tmp_path / "a.jsonl", ["CORRECT", "INCORRECT", "NOT_ATTEMPTED"])
    with pytest.raises(InputError, match=r"'INCORRECT'.*'NOT_ATTEMPTED'"):
        _side(path, accept=("CORRECT",))
    named = _side(path, accept=("CORRECT",), reject=("INCORRECT", "NOT_ATTEMPTED"))
    assert _accepted(named) == [True, False, False]


def test_a_slip_in_an_accepted_label_is_seen(tmp_path: Path) -> None:
    """The label that nobody has explains nothing."""
    path = labelled(tmp_path / "a.jsonl", ["INCORRECT", "INCORRECT"])
    with pytest.raises(InputError, match="nobody says what labels 'INCORRECT'"):
        _side(path, accept=("CORRECT",))


def test_a_label_named_both_ways_is_refused(tmp_path: Path) -> None:
    """It cannot count as correct and not."""
    path = labelled(tmp_path / "a.jsonl", ["A"])
    with pytest.raises(InputError, match="'A' cannot count as correct and not"):
        _side(path, accept=("A",), reject=("A",))


def test_whole_numbers_are_labels_that_must_be_named(tmp_path: Path) -> None:
    """1 may be right, or the lowest of five grades."""
    path = labelled(tmp_path / "a.jsonl", [1, 0, 1])
    with pytest.raises(InputError, match=r"labels '0' \(1 rows\), '1' \(2 rows\)"):
        _side(path)
    assert _accepted(_side(path, accept=("1",))) == [True, False, True]


def test_a_list_is_no_label(tmp_path: Path) -> None:
    """With file, line and column."""
    path = labelled(tmp_path / "a.jsonl", [True, ["yes"]])
    with pytest.raises(InputError, match=r"a\.jsonl:2: column 'label' is a list"):
        _side(path)


def test_a_grade_is_no_verdict(tmp_path: Path) -> None:
    """Numbers with decimals are refused with file and line."""
    path = labelled(tmp_path / "a.jsonl", [0.5])
    with pytest.raises(InputError, match=r"a\.jsonl:1: the label is a number with decimals"):
        _side(path)


# --- words --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("gone.jsonl", "no such file or run"),
        ("a.jsonl#c1", "a file has no conditions"),
        ("folder#x1", "'x1' is no condition; write RUN#c2"),
        ("folder#c1@0", "'c1@0' is no condition"),
        ("folder", "not a run folder"),
    ],
)
def test_a_word_that_names_no_side_says_why(word: str, told: str, tmp_path: Path) -> None:
    """With the forms that are known."""
    labelled(tmp_path / "a.jsonl", [True])
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match=told):
        read_sides([str(tmp_path / word)], CompareOptions())


def test_a_path_with_a_mark_is_read_as_it_stands(tmp_path: Path) -> None:
    """A file whose name holds `#c1` is that file."""
    path = labelled(tmp_path / "odd#c1", [True])
    assert _accepted(_side(path)) == [True]


def test_foreign_text_is_shown_escaped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An id cannot write to the terminal."""
    first = written(tmp_path / "a.jsonl", [{"id": "a\u202e\x1b[2J", "label": True}])
    second = written(tmp_path / "b.jsonl", [{"id": "a\u202e\x1b[2J", "label": False}])
    assert main(["compare", str(first), str(second)]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "a⟨U+202E⟩⟨U+001B⟩[2J: yes > no" in out


# --- frames -------------------------------------------------------------------------------------


def test_any_mapping_of_columns_is_a_frame() -> None:
    """Only columns by name are asked for."""
    side = judge.verdicts({"id": ["a", 2], "label": [True, None], "type": ["t", None]}, name="mine")
    assert [verdict.id for verdict in side.verdicts] == ["a", "2"]
    assert _accepted(side) == [True, None]
    assert (side.facts.name, side.facts.kind, side.facts.undecided) == ("mine", "frame", 1)


def test_pandas_frames_are_read() -> None:
    """Booleans, missing values and whole numbers come as pandas holds them."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"qid": ["a", "b", "c"], "right": [1.0, float("nan"), 0.0]})
    side = judge.verdicts(frame, columns={"id": "qid", "label": "right"}, accept=("1",))
    assert _accepted(side) == [True, None, False]


def test_frames_are_compared_as_they_are() -> None:
    """With the usual column names no further step is needed."""
    pandas = pytest.importorskip("pandas")
    first = pandas.DataFrame({"id": ["a", "b"], "label": [True, True]})
    second = pandas.DataFrame({"id": ["b", "a"], "label": pandas.array([True, False])})
    found = judge.compare(first, second)
    assert (found.pairs.both, found.pairs.first_only) == (1, 1)
    assert found.flips[0].id == "a"


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"id": ["a", "a"], "label": [True, True]}, r"1 ids come more than once \('a'\)"),
        ({"id": ["a", ""], "label": [True, True]}, "row 1: the id is empty"),
        ({"id": ["a", "b"], "label": [True]}, "2 ids but 1 values of label"),
        ({"id": ["a"], "label": [0.5]}, "row 0: the label is empty, or neither text"),
        ({"id": ["a"], "label": ["maybe"]}, "nobody says what labels 'maybe'"),
        ({"id": ["a"], "right": [True]}, "no column for label; there are 'id', 'right'"),
        ({"id": ["a"], "label": [True], "verdict": [True]}, "label may stand in"),
        ({"id": [], "label": []}, "holds no verdict"),
    ],
)
def test_a_frame_that_says_no_verdicts_is_refused(
    columns: Mapping[str, Sequence[object]], told: str
) -> None:
    """With its name, and the row where there is one."""
    with pytest.raises(InputError, match=told):
        judge.verdicts(columns)


def test_a_map_of_a_frame_names_known_fields() -> None:
    """A slip there is told with the fields there are."""
    with pytest.raises(InputError, match="no field 'lable'; there are id, label, type, response"):
        judge.verdicts({"id": ["a"], "x": [True]}, columns={"lable": "x"})


def test_files_that_name_two_judges_differ_in_the_judge(tmp_path: Path) -> None:
    """Each file's rows name one model, and they are not the same."""
    paths = [
        written(
            tmp_path / f"{model}.jsonl",
            [{"id": "a", "response": "x", "autoeval_label": {"model": model, "label": True}}],
        )
        for model in ("one", "two")
    ]
    found = judge.compare(paths[0], paths[1])
    assert (found.same.judge.state, found.same.judge.words) == ("different", "one and two")
    assert found.same.answers.state == "same"


def test_what_is_no_side_is_refused() -> None:
    """A number is neither path nor frame."""
    with pytest.raises(InputError, match="side 2 is a int: give a path"):
        judge.compare({"id": ["a"], "label": [True]}, 3)  # type: ignore[arg-type]
