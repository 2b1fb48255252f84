"""What a signal, a lost reader and a poor terminal do to a run: nothing to its ledger."""

import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from faultserver import Action, JudgeServer, WireRequest
from promises import broken, digests, lines, requests
from stretches import FILES, command, ended, labelled, on_server, resumed, started, until
from typing_extensions import override

from judge.recount import recount

CELLS = 24 + 72
CONNECTIONS = 4
SLOW_FROM = 40
"""The request from which on answers take their time."""
LEXICAL = ("run", *FILES, "--judge", "lexical", "--out")


class Slowing(JudgeServer):
    """A sound judge that answers at once until it has been asked often enough."""

    slow_s = 0.4

    @override
    def asked(self, request: WireRequest) -> Sequence[Action]:
        self.latency = self.slow_s if len(self.requests) >= SLOW_FROM else 0.0
        return super().asked(request)


@pytest.fixture
def server() -> Iterator[Slowing]:
    """A judge that becomes slow."""
    with Slowing(labelled) as found:
        yield found


def _run(server: Slowing, folder: Path, *taken: str) -> "subprocess.Popen[str]":
    """Start a run and return when it waits for slow answers."""
    words = on_server(server.base_url("openai"), CONNECTIONS)
    process = started("run", *FILES, *words, "--out", str(folder), taken=taken)
    until(lambda: len(server.requests) > SLOW_FROM or process.poll() is not None)
    return process


# --- signals --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "code", "cause"),
    [
        (signal.SIGINT, 130, "sigint"),
        (signal.SIGTERM, 143, "sigterm"),
        (signal.SIGHUP, 129, "sighup"),
    ],
)
def test_a_signal_finishes_what_is_in_flight(
    server: Slowing, tmp_path: Path, number: signal.Signals, code: int, cause: str
) -> None:
    """The run stops with nothing unknown, says why, and goes on later with nothing sent twice."""
    process = _run(server, tmp_path / "run")
    process.send_signal(number)
    stopped = ended(process)
    assert stopped.code == code
    assert stopped.err.index(f"stopping ({cause})") < stopped.err.index(f"stopped ({cause})")
    found = lines(tmp_path / "run")
    assert (found[-1].kind, found[-1].public["cause"]) == ("stopped", cause)
    assert sum(line.kind == "receipt" for line in found) == len(server.requests) < CELLS

    server.slow_s = 0.0
    outcome = resumed(tmp_path / "run")
    assert (outcome.exit_code, outcome.proof.tally.resent) == (0, 0)
    assert requests(lines(tmp_path / "run")) == digests(server.bodies)
    assert len(server.requests) == CELLS
    assert broken(lines(tmp_path / "run"), digests(server.bodies)) == []


def test_a_second_interrupt_ends_the_process_at_once(server: Slowing, tmp_path: Path) -> None:
    """Whoever asks twice does not wait for the answers; what was in flight is unknown."""
    server.slow_s = 3600.0
    process = _run(server, tmp_path / "run")
    began = time.monotonic()
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.2)
    assert ended(process).code == -signal.SIGINT
    assert time.monotonic() - began < 20
    proof = recount(tmp_path / "run")
    assert (proof.state, 1 <= proof.progress.open_cells() <= CONNECTIONS) == ("open", True)


def test_an_interrupt_and_a_termination_end_the_process_at_once(
    server: Slowing, tmp_path: Path
) -> None:
    """The second signal may be another one than the first."""
    server.slow_s = 3600.0
    process = _run(server, tmp_path / "run")
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    assert ended(process).code == -signal.SIGTERM


def test_a_second_hang_up_is_ignored(server: Slowing, tmp_path: Path) -> None:
    """A closing terminal sends two, and what is in flight is finished all the same."""
    process = _run(server, tmp_path / "run")
    process.send_signal(signal.SIGHUP)
    time.sleep(0.1)
    process.send_signal(signal.SIGHUP)
    assert ended(process).code == 129
    assert recount(tmp_path / "run").progress.open_cells() == 0


def test_a_hang_up_that_was_ignored_from_the_start_stays_ignored(
    server: Slowing, tmp_path: Path
) -> None:
    """Under nohup a run survives its terminal."""
    server.slow_s = 0.05
    process = _run(server, tmp_path / "run", "--ignore-hangup")
    process.send_signal(signal.SIGHUP)
    assert ended(process).code == 0
    assert recount(tmp_path / "run").state == "complete"


# --- streams --------------------------------------------------------------------------------------


def _readerless() -> int:
    """Return the writing end of a pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_reader_that_leaves_does_not_stop_a_run(tmp_path: Path, stream: str) -> None:
    """With `| head` on either stream the run ends as it would have, with its own exit code."""
    end = _readerless()
    try:
        words = (*LEXICAL, str(tmp_path / "run"))
        process = started(*words, stdout=end) if stream == "stdout" else started(*words, stderr=end)
    finally:
        os.close(end)
    assert ended(process).code == 0
    assert recount(tmp_path / "run").state == "complete"


def test_a_reader_that_leaves_hides_no_exit_code(tmp_path: Path) -> None:
    """An open run is exit 4 of verify, whether or not anybody reads why."""
    assert ended(started(*LEXICAL, str(tmp_path / "run"))).code == 0
    ledger = tmp_path / "run" / "receipts.jsonl"
    ledger.write_bytes(b"".join(ledger.read_bytes().splitlines(keepends=True)[:-1]))
    (tmp_path / "run" / "seal.txt").unlink()
    end = _readerless()
    try:
        process = started("verify", str(tmp_path / "run"), stdout=end)
    finally:
        os.close(end)
    assert ended(process).code == 4


def test_output_that_a_full_disk_refuses_is_an_error_and_the_run_is_whole(tmp_path: Path) -> None:
    """The sentence goes to standard error, the exit code is 7, and the seal is there."""
    with Path("/dev/full").open("wb") as full:
        process = started(*LEXICAL, str(tmp_path / "run"), stdout=full.fileno())
    stopped = ended(process)
    assert (stopped.code, "judge: standard output: No space left" in stopped.err) == (7, True)
    assert recount(tmp_path / "run").state == "complete"


def test_no_stream_at_all_is_enough(tmp_path: Path) -> None:
    """With all three closed no file of the run takes their numbers, and nothing is missing."""
    words = command(*LEXICAL, str(tmp_path / "run"))
    closed = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *words]
    assert subprocess.run(closed, check=False, timeout=60).returncode == 0
    assert recount(tmp_path / "run").state == "complete"


# --- terminals ------------------------------------------------------------------------------------


class _Terminal:
    """A command whose standard error is a terminal."""

    def __init__(self, kind: str, *words: str) -> None:
        self._master, slave = os.openpty()
        try:
            self.process = started(*words, env={"TERM": kind}, stderr=slave)
        finally:
            os.close(slave)
        self.drawn = ""

    def read(self) -> bool:
        """Take what was drawn since; whether there may be more."""
        piece = b""
        assert select.select([self._master], [], [], 60)[0], "nothing is drawn any more"
        with suppress(OSError):  # the terminal's end, when the last writer has gone
            piece = os.read(self._master, 65_536)
        self.drawn += piece.decode(errors="replace")
        return bool(piece)

    def ended(self) -> int:
        """Take all that is drawn until the command ends, and return its exit code."""
        while self.read():
            pass
        os.close(self._master)
        return ended(self.process).code


def _drawn(folder: Path, terminal: str) -> str:
    """Run with standard error on a terminal of this kind and return what was drawn on it."""
    shown = _Terminal(terminal, *LEXICAL, str(folder))
    assert shown.ended() == 0
    return shown.drawn


def test_beside_a_terminal_there_are_plain_lines(tmp_path: Path) -> None:
    """A log file gets sentences: no escapes, no line drawn twice."""
    stopped = ended(started(*LEXICAL, str(tmp_path / "run"), env={"TERM": "xterm"}))
    assert "controls 24/24" in stopped.err
    assert "answers 72/72" in stopped.err
    assert not {"\x1b", "\r"} & set(stopped.err + stopped.out)


def test_a_dumb_terminal_gets_plain_lines(tmp_path: Path) -> None:
    """What cannot move its cursor is not asked to."""
    drawn = _drawn(tmp_path / "run", "dumb")
    assert ("answers 72/72" in drawn, "\x1b" in drawn) == (True, False)


def test_a_terminal_gets_a_bar_and_its_cursor_back(tmp_path: Path) -> None:
    """The bar is drawn over itself, and the cursor it hid is shown again."""
    drawn = _drawn(tmp_path / "run", "xterm")
    assert "72/72" in drawn
    assert drawn.rindex("\x1b[?25h") > drawn.rindex("\x1b[?25l")


def test_a_terminal_has_its_cursor_back_before_a_second_signal(
    server: Slowing, tmp_path: Path
) -> None:
    """The first signal ends the drawing, since the second leaves no time to."""
    server.slow_s = 3600.0
    words = on_server(server.base_url("openai"), CONNECTIONS)
    shown = _Terminal("xterm", "run", *FILES, *words, "--out", str(tmp_path / "run"))
    until(lambda: len(server.requests) > SLOW_FROM or shown.process.poll() is not None)
    shown.process.send_signal(signal.SIGINT)
    while "stopping (sigint)" not in shown.drawn:
        assert shown.read()
    shown.process.send_signal(signal.SIGINT)
    assert shown.ended() == -signal.SIGINT
    assert shown.drawn.rindex("\x1b[?25h") > shown.drawn.rindex("\x1b[?25l")
