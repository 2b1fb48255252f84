"""Disks that refuse a write in the middle of a run, and folders that refuse it from the start."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from faultserver import JudgeServer
from openruns import CONTROLS, NO_KEY, ran
from promises import broken, digests, lines
from stretches import FILES, ended, labelled, on_server, resumed, started

from judge.recount import recount

CELLS = 24 + 72


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    """A sound judge."""
    with JudgeServer(labelled) as found:
        yield found


@pytest.mark.parametrize("most", [90_000, 150_000])
def test_a_disk_that_fills_up_stops_the_run_and_a_resume_completes_it(
    server: JudgeServer, tmp_path: Path, most: int
) -> None:
    """Nothing is told as written that is not; with room again the run goes on to its seal."""
    words = on_server(server.base_url("openai"))
    taken = ("--file-bytes", str(most))
    stopped = ended(started("run", *FILES, *words, "--out", str(tmp_path / "run"), taken=taken))
    assert (stopped.code, "File too large; nothing more is written" in stopped.err) == (7, True)
    assert 0 < len(server.requests) < CELLS

    outcome = resumed(tmp_path / "run", resend_unknown=1)
    assert (outcome.exit_code, outcome.proof.state) == (0, "complete")
    assert broken(lines(tmp_path / "run"), digests(server.bodies)) == []


def test_a_disk_too_full_for_the_plan_leaves_nothing_behind(
    server: JudgeServer, tmp_path: Path
) -> None:
    """Nothing is asked, and there is no half of a run."""
    words = on_server(server.base_url("openai"))
    taken = ("--file-bytes", "10000")
    stopped = ended(started("run", *FILES, *words, "--out", str(tmp_path / "run"), taken=taken))
    assert (stopped.code, "File too large" in stopped.err) == (7, True)
    assert (server.requests, list(tmp_path.iterdir())) == ([], [])


def test_a_place_that_takes_no_run_is_refused_before_the_first_call(
    server: JudgeServer, tmp_path: Path
) -> None:
    """A folder that cannot be written is exit 7, and the server hears nothing."""
    tmp_path.chmod(0o500)
    words = (*on_server(server.base_url("openai")), "--out", str(tmp_path / "run"))
    stopped = ended(started("run", *FILES, *words, taken=("--no-privileges",)))
    tmp_path.chmod(0o700)
    assert (stopped.code, "Permission denied" in stopped.err) == (7, True)
    assert server.requests == []


@pytest.mark.parametrize("locked", ["run", "receipts.jsonl"])
def test_a_run_that_cannot_be_written_is_refused_before_the_first_call(
    server: JudgeServer, tmp_path: Path, locked: str
) -> None:
    """A read-only folder or ledger is exit 7, and the server hears nothing more."""
    server.faults = {CONTROLS + 2: [NO_KEY]}
    folder = tmp_path / "run"
    assert ran(folder, server).exit_code == 5
    asked, before = len(server.requests), (folder / "receipts.jsonl").read_bytes()
    (folder / "lock").unlink()
    (folder if locked == "run" else folder / locked).chmod(0o500)

    stopped = ended(started("resume", str(folder), taken=("--no-privileges",)))
    assert (stopped.code, "Permission denied" in stopped.err) == (7, True)
    assert (len(server.requests), (folder / "receipts.jsonl").read_bytes()) == (asked, before)
    folder.chmod(0o700)
    assert recount(folder).state == "open"
