"""`judge metrics` and `judge controls power`: figures that need no judge."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from longmemeval import SHARED, needs_shared
from verdictfiles import labelled, written

from judge.cli import main

ROOT = Path(__file__).parents[1]


def _out(words: Sequence[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main([*words]) == 0
    return capsys.readouterr().out


def _json(words: Sequence[str], capsys: pytest.CaptureFixture[str]) -> Any:  # noqa: ANN401 - JSON
    return json.loads(_out([*words, "--json"], capsys))


def _refused(words: Sequence[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main([*words]) == 2
    return capsys.readouterr().err


# --- Rescue and Harm ----------------------------------------------------------------------------


def _tasks(folder: Path) -> str:
    rows = [
        {"task": "a", "base": [0, 0, 1], "memory": [1, 1, 1], "solve_tokens": 100},
        {"task": "b", "base": [1, 1, 1], "memory": [1, 0, 1], "solve_tokens": 90},
    ]
    tokens = [{**row, "memory_tokens": 40} for row in rows]
    return str(written(folder / "tasks.jsonl", tokens))


def test_rescue_harm_and_change_are_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Over all cross pairs, with the tokens of solving and of building the memory apart."""
    out = _out(["metrics", "rescue-harm", _tasks(tmp_path)], capsys)
    assert "tasks     2; runs of each: 3 without memory, 3 with" in out
    assert "rescue     33.3%" in out
    assert "harm       16.7%" in out
    assert "change     16.7%" in out
    assert "tokens    solving 190; building the memory 80; together 270" in out
    assert "warning   2 tasks are few" in out


def test_rescue_less_harm_is_the_change_in_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exact numbers with their floats, and the sums."""
    found = _json(["metrics", "rescue-harm", _tasks(tmp_path)], capsys)
    assert found["tasks"] == 2
    assert found["tokens"] == {"solving": 190, "building": 80, "sum": 270, "uncounted": 0}
    assert found["rescue"]["values"] == {"0": 1, "2/3": 1}


def test_rescue_and_harm_come_from_verdicts_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Sides without and with memory are joined by item id; their tokens are not counted."""
    first = labelled(tmp_path / "a.jsonl", [False] * 10)
    second = labelled(tmp_path / "b.jsonl", [False] * 5 + [True] * 5)
    third = labelled(tmp_path / "c.jsonl", [True] * 10)
    words = ["--base", f"{first},{second}", "--memory", str(third)]
    out = _out(["metrics", "rescue-harm", *words], capsys)
    assert "tasks     10; runs of each: 2 without memory, 1 with" in out
    assert "rescue     75.0%" in out
    assert "solving not counted; building the memory not counted; together not counted" in out


def test_sides_whose_items_do_not_match_have_no_rescue(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in a comparison, exit 2."""
    first = labelled(tmp_path / "a.jsonl", [False])
    second = labelled(tmp_path / "b.jsonl", [True, True])
    words = ["metrics", "rescue-harm", "--base", str(first), "--memory", str(second)]
    assert "unmatched item ids" in _refused(words, capsys)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "give FILE, or --base and --memory"),
        (["gone.jsonl"], "gone.jsonl cannot be read (No such file or directory)"),
        (["--base", "x.jsonl"], "need runs without memory (--base) and with (--memory)"),
        (["gone.jsonl", "--base", "x.jsonl"], "give FILE, or --base and --memory"),
    ],
)
def test_rescue_harm_without_its_inputs_is_refused(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file or sides, not both and not neither."""
    assert told in _refused(["metrics", "rescue-harm", *words], capsys)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no tasks"),
        ('{"task": "a", "base": [0]}', "memory"),
        ('{"task": "a", "base": [2], "memory": [1]}', ":1: base"),
    ],
)
def test_a_file_that_holds_no_tasks_is_refused(
    text: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With file and line."""
    path = tmp_path / "tasks.jsonl"
    path.write_text(text)
    assert told in _refused(["metrics", "rescue-harm", str(path)], capsys)


# --- token F1 -----------------------------------------------------------------------------------


def _answers(folder: Path, **more: Sequence[object]) -> str:
    texts = ["I thought.\nAnswer: Paris", "Rome", "Answer: the Alps", "no idea"]
    golds = ["Paris", "Rome", "Alps", "Lima"]
    rows = [
        {"id": f"q{i}", "response": text, "gold": golds[i], **{k: v[i] for k, v in more.items()}}
        for i, text in enumerate(texts)
    ]
    return str(written(folder / "answers.jsonl", rows))


def test_token_f1_has_response_and_answer_line_side_by_side(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line scores 75.0, the whole responses less, and the difference has its interval."""
    pytest.importorskip("scipy", reason="the intervals need numpy and scipy")
    out = _out(["metrics", "token-f1", _answers(tmp_path)], capsys)
    assert "items       4 in 4 clusters" in out
    assert "full          51.7" in out
    assert "line          75.0" in out
    assert "line - full   23.3" in out
    assert "note        2 responses have no answer line" in out
    assert "sampler: enumeration, 35 resamples" in out


def test_token_f1_takes_the_cluster_as_the_unit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two conversations of two questions each."""
    pytest.importorskip("scipy", reason="the intervals need numpy and scipy")
    path = _answers(tmp_path, cluster=["x", "x", "y", "y"])
    assert "items       4 in 2 clusters" in _out(["metrics", "token-f1", path], capsys)


def test_golds_come_from_an_answer_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Joined by id; an answer without a row there is refused with its line."""
    pytest.importorskip("scipy", reason="the intervals need numpy and scipy")
    rows = [{"question_id": name, "hypothesis": name} for name in ("a", "b")]
    answers = str(written(tmp_path / "answers.jsonl", rows))
    key = [{"question_id": name, "question": "q", "answer": name} for name in ("a", "b")]
    full = str(written(tmp_path / "key.jsonl", key))
    part = str(written(tmp_path / "part.jsonl", key[:1]))
    found = _json(["metrics", "token-f1", answers, "--references", full], capsys)
    assert found["token_f1"]["items"] == 2
    err = _refused(["metrics", "token-f1", answers, "--references", part], capsys)
    assert "answers.jsonl:2: no row of" in err


def test_a_cluster_on_some_rows_only_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An item that belongs to nothing has its own id for a cluster, or nobody has one."""
    rows: list[dict[str, object]] = [
        {"id": "a", "response": "x", "gold": "x", "cluster": "c"},
        {"id": "b", "response": "x", "gold": "x"},
    ]
    err = _refused(["metrics", "token-f1", str(written(tmp_path / "a.jsonl", rows))], capsys)
    assert "1 of 2 rows have a cluster" in err


def test_a_missing_gold_column_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the columns there are."""
    path = str(written(tmp_path / "a.jsonl", [{"id": "a", "response": "x"}]))
    err = _refused(["metrics", "token-f1", path], capsys)
    assert "a.jsonl:1: no column for gold; name it with --field gold=COLUMN" in err


@needs_shared
def test_token_f1_of_real_answers(capsys: pytest.CaptureFixture[str]) -> None:
    """500 saved answers against their gold answers: verbose answers score low."""
    pytest.importorskip("scipy", reason="the intervals need numpy and scipy")
    answers = SHARED / "answers" / "longmemeval_s_llama31-8b_pass1.hypotheses.jsonl"
    key = SHARED / "references" / "longmemeval_references.json"
    words = ["metrics", "token-f1", str(answers), "--references", str(key)]
    out = _out(words, capsys)
    assert "items       500 in 500 clusters" in out
    assert "full           4.2" in out
    assert "note        455 responses have no answer line" in out


# --- controls power -----------------------------------------------------------------------------


def test_power_says_what_the_usual_gates_are_worth(capsys: pytest.CaptureFixture[str]) -> None:
    """A judge that is right nine times in ten passes 11 of 12 two times in three."""
    out = _out(["controls", "power"], capsys)
    assert "    90.0%      11/12     65.9%     43.4%" in out
    assert "    80.0%      11/12     27.5%      7.6%" in out
    assert "         0       60     4.87%" in out


def test_power_says_how_many_rows_a_rate_needs(capsys: pytest.CaptureFixture[str]) -> None:
    """87 rows see a rate of 3.4 % with 95 %, 80 where 16 of a pool of 476 are bad."""
    assert "     3.4%     95.0%        0        -       87" in _out(
        ["controls", "power", "--rate", "0.034"], capsys
    )
    assert "     3.4%     95.0%        0      476       80" in _out(
        ["controls", "power", "--pool", "476", "--bad", "16"], capsys
    )


def test_power_is_exact_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    """The chance to pass one of one at a half is a half."""
    words = ["controls", "power", "--asked", "1", "--need", "1", "--accuracy", "1/2"]
    found = _json([*words, "--clean", "1", "--rate", "0.5"], capsys)
    assert found["gates"][0]["chance"] == {"exact": "1/2", "value": 0.5}
    assert found["rows"][0]["rows"] == 5
    assert found["bounds"][0]["value"] == 0.95


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--pool", "476"], "--pool N and --bad M go together"),
        (["--pool", "476", "--bad", "16", "--rate", "0.1"], "leave --rate out"),
        (["--asked", "0"], "9/10 of 0 controls is no gate"),
        (["--need", "13"], "a gate of 13 of 12 controls is no gate"),
        (["--accuracy", "90"], "the accuracy is 90: it must be from 0 to 1"),
        (["--rate", "x"], "the rate is 'x': give a number such as 0.95"),
        (["--allowed", "-1"], "--allowed: input should be greater than or equal to 0"),
        (["--clean", "0"], "0 of 0 has no interval"),
    ],
)
def test_power_refuses_what_has_no_answer(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 2 with the reason."""
    assert told in _refused(["controls", "power", *words], capsys)


@pytest.mark.parametrize("words", [["compare"], ["metrics", "rescue-harm"], ["controls", "power"]])
def test_every_command_has_help(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Without any input."""
    assert "--json" in _out([*words, "--help"], capsys)


def test_the_guide_names_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    """The guide docs/compare.md speaks of each option of compare."""
    guide = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
    words = _out(["compare", "--help"], capsys).split()
    options = {word.rstrip(",.;") for word in words if word.startswith("--")} - {"--help"}
    assert len(options) > 10
    assert sorted(option for option in options if option not in guide) == []
