"""A real process killed at work: what was sent stays known, and nothing is asked twice unmarked.

The long form, 20 kills of a run of 500 rows, is benchmarks/kills.py.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from faultserver import Close, JudgeServer
from promises import broken, digests, lines, requests
from stretches import FILES, labelled, on_server, resumed, started, until

from judge.judging import Outcome
from judge.recount import recount

CONTROLS = 24
CELLS = CONTROLS + 72
CONNECTIONS = 8


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    """A sound judge."""
    with JudgeServer(labelled) as found:
        yield found


def _killed(server: JudgeServer, folder: Path, answered: int) -> int:
    """Start a run, answer this many requests, kill it, and return how many it was waiting for."""
    server.faults = {number: [] for number in range(answered + 1, CELLS + 1)}
    waiting = min(CONNECTIONS, CELLS - answered)
    words = on_server(server.base_url("openai"), CONNECTIONS)
    process = started("run", *FILES, *words, "--out", str(folder))
    try:
        until(lambda: len(server.requests) == answered + waiting or process.poll() is not None)
        # Answers that were read are on the disk soon, although nothing more can be asked.
        until(lambda: _receipts(folder) == answered)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == -9
    server.faults = {}
    return waiting


def _receipts(folder: Path) -> int:
    return (folder / "receipts.jsonl").read_bytes().count(b'"kind":"receipt"')


def _kept(server: JudgeServer, outcome: Outcome) -> bool:
    """Whether every promise about every request was kept, and the run proves itself."""
    found = lines(outcome.folder)
    assert broken(found, digests(server.bodies)) == []
    assert len(server.requests) <= requests(found).total()
    return recount(outcome.folder).state == outcome.proof.state


@pytest.mark.parametrize("answered", [5, CONTROLS + 20, CELLS - 3])
def test_a_killed_run_is_open_and_completes_on_the_operators_word(
    server: JudgeServer, tmp_path: Path, answered: int
) -> None:
    """A resume leaves lost cells alone, and asks them again, marked, only when it is told to."""
    lost = _killed(server, tmp_path / "run", answered)
    assert recount(tmp_path / "run").progress.open_cells() == lost

    careful = resumed(tmp_path / "run")
    assert (careful.exit_code, careful.proof.state) == (4, "open")
    assert careful.proof.progress.open_cells() == lost
    assert _kept(server, careful)

    told = resumed(tmp_path / "run", resend_unknown=1)
    assert (told.exit_code, told.proof.state) == (0, "complete")
    assert told.proof.tally.resent == lost
    assert _kept(server, told)
    assert requests(lines(told.folder)).total() == CELLS + lost


def test_a_killed_run_can_be_sealed_without_what_was_lost(
    server: JudgeServer, tmp_path: Path
) -> None:
    """Lost cells that are left are undecided, sent no second time, and the run has no rate."""
    lost = _killed(server, tmp_path / "run", CONTROLS + 40)

    left = resumed(tmp_path / "run", leave_unknown=True)
    assert (left.exit_code, left.proof.state) == (4, "incomplete")
    reasons = [line.public["reason"] for line in lines(left.folder) if line.kind == "receipt"]
    assert reasons.count("left_unknown") == lost
    assert len(server.requests) == CELLS
    assert _kept(server, left)


def test_a_judge_left_without_a_control_fails_the_gate(server: JudgeServer, tmp_path: Path) -> None:
    """A control that is left is not correct: with eight of 24 left, nothing is scored."""
    _killed(server, tmp_path / "run", 5)

    left = resumed(tmp_path / "run", leave_unknown=True)
    assert (left.exit_code, left.proof.state) == (3, "gate-failed")
    assert len(server.requests) == CONTROLS
    assert _kept(server, left)


def test_a_second_loss_in_one_resume_is_not_resent_beyond_what_was_allowed(
    server: JudgeServer, tmp_path: Path
) -> None:
    """One resend allowed is one resend for each lost cell, whatever becomes of it."""
    lost = _killed(server, tmp_path / "run", CELLS - 3)
    server.faults = {number: [Close()] for number in range(CELLS + 1, CELLS + 20)}

    told = resumed(tmp_path / "run", resend_unknown=1)
    assert (told.exit_code, told.proof.progress.open_cells()) == (4, lost)
    assert len(server.requests) == CELLS + lost
    assert _kept(server, told)
