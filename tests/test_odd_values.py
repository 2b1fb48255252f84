"""Values that only a hostile server, file or caller gives: a sentence or a figure, no traceback."""

import os
from pathlib import Path

import pytest
from smallrun import SmallJudge, Turn, configured, ran

from judge.cli import main
from judge.errors import InputError, VerificationError
from judge.gate import expected
from judge.records import Control
from judge.recount import recount
from judge.report.summary import summarise

EXAMPLES = Path(__file__).parents[1] / "examples"
_HUGE = 2**53 - 1


def test_absurd_usage_is_summed_and_shown(tmp_path: Path) -> None:
    """A server may claim any number of tokens; the run is shown all the same."""

    def act(turn: Turn) -> None:
        turn.reply["usage"] = {"prompt_tokens": _HUGE, "completion_tokens": _HUGE}

    with SmallJudge(act) as server:
        outcome = ran(configured("openai", server.base_url("openai")), tmp_path / "run").outcome

    assert summarise(outcome.proof).tokens_in > _HUGE


@pytest.mark.parametrize("option", ["--batch-size", "--limit", "--max-tokens-total"])
def test_a_number_beyond_all_use_is_refused(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One sentence, exit 2."""
    words = ["run", "--answers", str(EXAMPLES / "pass-1.jsonl"), "--judge", "lexical"]
    words += ["--references", str(EXAMPLES / "references.json"), "--out", str(tmp_path / "r")]

    assert main([*words, option, "9" * 20]) == 2
    assert "Traceback" not in capsys.readouterr().err


def _made(folder: Path) -> Path:
    words = ["run", "--answers", str(EXAMPLES / "pass-1.jsonl"), "--judge", "lexical"]
    words += ["--references", str(EXAMPLES / "references.json"), "--out", str(folder)]
    assert main(words) == 0
    return folder


@pytest.mark.parametrize("name", ["receipts.jsonl", "inputs/items.jsonl"])
def test_a_pipe_in_a_run_is_refused_and_not_waited_for(name: str, tmp_path: Path) -> None:
    """Nobody writes into it, so opening it would wait for ever."""
    folder = _made(tmp_path / "run")
    (folder / name).unlink()
    os.mkfifo(folder / name)

    with pytest.raises(VerificationError, match="not a plain file"):
        recount(folder)


def test_a_loop_of_links_in_a_run_is_refused(tmp_path: Path) -> None:
    """It names no file at all."""
    folder = _made(tmp_path / "run")
    path = folder / "inputs" / "items.jsonl"
    path.unlink()
    path.symlink_to(path)

    with pytest.raises(VerificationError, match="not a plain file"):
        recount(folder)


def test_a_control_that_cannot_be_wrong_is_refused(tmp_path: Path) -> None:
    """Expecting every label shows nothing."""
    rubric = next(iter(recount(_made(tmp_path / "run")).frozen.rubrics.values()))  # type: ignore[union-attr]
    control = Control(
        arm="negative",
        id="x",
        type="t",
        question="q",
        gold="g",
        abstention=False,
        response="r",
        expect=("yes", "no"),
        source="s",
        donor=None,
    )

    with pytest.raises(InputError, match="can show nothing"):
        expected(control, rubric)


@pytest.mark.parametrize(
    "more",
    [["--set", "a=\udcff"], ["--out", "x" * 300], ["--controls", "a\0b.yaml"]],
    ids=["bytes", "long", "nul"],
)
def test_words_no_file_system_or_text_can_hold_are_refused(
    more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One sentence, and the exit code of its kind."""
    words = ["run", "--answers", str(EXAMPLES / "pass-1.jsonl"), "--judge", "lexical"]
    words += ["--references", str(EXAMPLES / "references.json"), "--out", str(tmp_path / "r")]

    assert main([*words, *more]) in {2, 7}
    assert "Traceback" not in capsys.readouterr().err
