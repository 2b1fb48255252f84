"""What an operator or a plan may say about going on: recheck, leave, ask again, stop at a cap."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from faultserver import Close, JudgeServer, Send, chat_reply, json_reply
from openruns import ANSWERS, CONTROLS, NO_KEY, configured, ran
from promises import broken, digests, lines
from stretches import MODEL, labelled, resumed

from judge.cli import main
from judge.config import Limits
from judge.recount import recount


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    """A sound judge."""
    with JudgeServer(labelled) as found:
        yield found


def _saying(text: str, number: int) -> list[Send]:
    """Answer with this text, under an id of its own."""
    return [Send(json_reply(chat_reply(text, model=MODEL, number=1_000_000 + number)))]


# --- recheck --------------------------------------------------------------------------------------


def test_a_recheck_asks_the_groups_of_unfinished_batches_again(
    server: JudgeServer, tmp_path: Path
) -> None:
    """The first batch is done and stays; the second stands on its new clearances."""
    whole = CONTROLS + 2
    server.faults = {whole + CONTROLS + 1: [NO_KEY]}
    assert ran(tmp_path / "run", server, batch_size=2).exit_code == 5

    outcome = resumed(tmp_path / "run", recheck=True)
    assert (outcome.exit_code, outcome.proof.state) == (0, "complete")
    found = lines(tmp_path / "run")
    gates = [line.public for line in found if line.kind == "gate"]
    assert [gate["batch"] for gate in gates] == [0, 0, 1, 1, 1, 1]
    last = [gate["seq"] for gate in gates[-2:]]
    stands = [line.public["gate_seqs"] for line in found if line.kind == "receipt"]
    assert stands[-2:] == [last, last]
    assert len(server.requests) == (whole + CONTROLS + 1) + CONTROLS + 2
    assert broken(found, digests(server.bodies)) == []


def test_a_judge_that_fails_its_recheck_scores_nothing_more(
    server: JudgeServer, tmp_path: Path
) -> None:
    """A judge that has turned always-yes is stopped at the controls it passed before."""
    server.faults = {CONTROLS + 2: [NO_KEY]}
    assert ran(tmp_path / "run", server).exit_code == 5
    server.faults = {number: _saying("yes", number) for number in range(CONTROLS + 3, 40)}

    outcome = resumed(tmp_path / "run", recheck=True)
    assert (outcome.exit_code, outcome.proof.state) == (3, "gate-failed")
    assert len(server.requests) == CONTROLS + 2 + CONTROLS
    assert [line.public["phase"] for line in lines(tmp_path / "run")[-5:-3]] == ["control"] * 2


# --- unknown cells --------------------------------------------------------------------------------


def test_left_cells_are_undecided_and_the_run_is_sealed_without_a_rate(
    server: JudgeServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Leaving what was lost costs nothing more, and is named as the reason."""
    server.faults = {CONTROLS + 2: [Close()]}
    assert ran(tmp_path / "run", server).exit_code == 4
    assert main(["resume", "--leave-unknown", str(tmp_path / "run")]) == 4
    printed = capsys.readouterr().out
    assert ("1 left_unknown" in printed, "rate       none" in printed) == (True, True)
    assert len(server.requests) == CONTROLS + ANSWERS
    assert recount(tmp_path / "run").state == "incomplete"


def test_what_asking_again_can_cost_is_said(
    server: JudgeServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An open run names its lost cells and the tokens a resend may take."""
    server.faults = {CONTROLS + 2: [Close()]}
    ran(tmp_path / "run", server)
    assert main(["resume", str(tmp_path / "run")]) == 4
    (most,) = [
        line.public["tokens_max"]
        for line in lines(tmp_path / "run")
        if line.kind == "intent" and line.public["row"] == 1 and line.public["phase"] == "answer"
    ]
    printed = capsys.readouterr().out
    assert "1 cell may have been answered, and billed, unseen" in printed
    assert f"costs at most {most} tokens" in printed


def test_the_resumed_line_says_what_the_operator_allowed(
    server: JudgeServer, tmp_path: Path
) -> None:
    """Whoever reads the ledger sees on whose word cells were asked again."""
    server.faults = {CONTROLS + 2: [Close()]}
    ran(tmp_path / "run", server)
    resumed(tmp_path / "run", resend_unknown=2, recheck=True)
    (said,) = [line.public for line in lines(tmp_path / "run") if line.kind == "resumed"]
    assert (said["resend_unknown"], said["leave_unknown"], said["recheck"]) == (2, False, True)


# --- the cap on tokens ----------------------------------------------------------------------------


def capped(tokens: int) -> Limits:
    """The limits of these runs, with a cap."""
    return configured(None).limits.model_copy(update={"max_tokens_total": tokens})


def test_a_cap_stops_the_run_before_it_is_passed(server: JudgeServer, tmp_path: Path) -> None:
    """What was reported and what the next answer can cost at most stay below it; exit 5."""
    free = ran(tmp_path / "free", server).proof.tally
    spent = free.tokens_in + free.tokens_out
    outcome = ran(tmp_path / "run", server, limits=capped(spent - 1))
    assert (outcome.exit_code, outcome.proof.state) == (5, "open")
    assert lines(tmp_path / "run")[-1].public["cause"] == "token_cap"
    tally = outcome.proof.tally
    assert tally.tokens_in + tally.tokens_out < spent
    assert tally.intents < CONTROLS + ANSWERS


def test_a_cap_counts_what_was_reported_once_it_is(server: JudgeServer, tmp_path: Path) -> None:
    """A cap with room for the worst of one answer beyond the real cost is not in the way."""
    free = ran(tmp_path / "free", server)
    spent = free.proof.tally.tokens_in + free.proof.tally.tokens_out
    intents = [line.public for line in lines(tmp_path / "free") if line.kind == "intent"]
    worst = max(intent["tokens_max"] for intent in intents)
    assert sum(intent["tokens_max"] for intent in intents) > spent + worst
    assert ran(tmp_path / "run", server, limits=capped(spent + worst)).exit_code == 0


def test_the_cap_holds_on_resume(server: JudgeServer, tmp_path: Path) -> None:
    """What was spent before counts, so nothing more is sent, and the run still proves itself."""
    outcome = ran(tmp_path / "run", server, limits=capped(1_000))
    assert outcome.exit_code == 5
    asked = len(server.requests)
    assert 0 < asked < CONTROLS + ANSWERS

    again = resumed(tmp_path / "run")
    assert (again.exit_code, again.proof.state) == (5, "open")
    assert len(server.requests) == asked
    assert again.proof.tally.stops == ["token_cap", "token_cap"]

    # A cap changes no verdict: whoever decides to pay more goes on with the same run.
    assert resumed(tmp_path / "run", max_tokens_total=10**6).exit_code == 0


# --- batches --------------------------------------------------------------------------------------


def test_a_later_batch_that_fails_its_gate_ends_the_run_there(
    server: JudgeServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Earlier receipts stay, the run is sealed as failed, and no rate is printed."""
    server.faults = {number: _saying("no", number) for number in range(CONTROLS + 3, 40)}
    outcome = ran(tmp_path / "run", server, batch_size=2)
    assert (outcome.exit_code, outcome.proof.state) == (3, "gate-failed")
    assert len(server.requests) == CONTROLS + 2 + CONTROLS
    kept = [line.public for line in lines(tmp_path / "run") if line.kind == "receipt"]
    assert [fact["outcome"] for fact in kept if fact["phase"] == "answer"] == ["decided"] * 2
    assert main(["resume", str(tmp_path / "run")]) == 2
    assert main(["show", str(tmp_path / "run")]) == 0
    assert "rate       none" in capsys.readouterr().out


def test_a_batch_after_one_with_lost_cells_is_asked_all_the_same(
    server: JudgeServer, tmp_path: Path
) -> None:
    """A lost answer holds up its own cell, nothing else; a resume asks that cell alone."""
    server.faults = {CONTROLS + 1: [Close()]}
    assert ran(tmp_path / "run", server, batch_size=2).exit_code == 4
    assert len(server.requests) == 2 * (CONTROLS + 2)
    assert resumed(tmp_path / "run", resend_unknown=1).exit_code == 0
    assert len(server.requests) == 2 * (CONTROLS + 2) + 1
    assert broken(lines(tmp_path / "run"), digests(server.bodies)) == []


# --- asking an undecided cell again ---------------------------------------------------------------


def test_an_undecided_cell_is_asked_again_as_often_as_the_plan_says(
    server: JudgeServer, tmp_path: Path
) -> None:
    """The later label counts, both attempts are kept, and neither is marked as after an unknown."""
    server.faults = {CONTROLS + 1: _saying("maybe", 1)}
    outcome = ran(tmp_path / "run", server, reask=1)
    assert (outcome.exit_code, outcome.proof.state) == (0, "complete")
    (group,) = outcome.proof.tally.groups.values()
    assert (group.later, outcome.proof.tally.resent) == (1, 0)
    assert len(server.requests) == CONTROLS + ANSWERS + 1


def test_a_cell_that_stays_undecided_is_closed_after_its_last_attempt(
    server: JudgeServer, tmp_path: Path
) -> None:
    """One ask and one more, then the run is incomplete, with the reason."""
    server.faults = {n: _saying("maybe", n) for n in (CONTROLS + 1, CONTROLS + 2)}
    outcome = ran(tmp_path / "run", server, reask=1)
    assert (outcome.exit_code, outcome.proof.state) == (4, "incomplete")
    facts = [line.public for line in lines(tmp_path / "run") if line.kind == "receipt"]
    undecided = [(f["attempt"], f["reason"], f["final"]) for f in facts if not f["label"]]
    assert undecided == [(1, "off_scale", False), (2, "off_scale", True)]


def test_asking_again_goes_on_after_a_stop(server: JudgeServer, tmp_path: Path) -> None:
    """A run that stopped between two attempts of a cell makes the second on resume."""
    server.faults = {CONTROLS + 1: _saying("maybe", 1), CONTROLS + 2: [NO_KEY]}
    assert ran(tmp_path / "run", server, reask=1).exit_code == 5
    outcome = resumed(tmp_path / "run")
    assert (outcome.exit_code, outcome.proof.state) == (0, "complete")
    assert broken(lines(tmp_path / "run"), digests(server.bodies)) == []
