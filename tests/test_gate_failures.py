"""Judges that must fail their controls, and one that passes them and is no judge all the same."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from faultacts import body, edited, said, send
from faultserver import Action
from smallrun import (
    ANSWERS,
    CONTROLS,
    PROVIDERS,
    Act,
    Provider,
    Ran,
    SmallJudge,
    Turn,
    configured,
    ran,
    resumed,
)

from judge.cli import main
from judge.config import RunConfig
from judge.errors import InputError
from judge.report.summary import summarise

ARM = CONTROLS // 2
YES, NO = said("yes"), said("no")


@pytest.fixture(autouse=True)
def _quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for no disk: what must survive a crash is not asked here."""
    monkeypatch.setattr(os, "fsync", lambda _fd: None)
    monkeypatch.setattr(os, "fdatasync", lambda _fd: None)


def _swapped(turn: Turn) -> Sequence[Action] | None:
    return (NO if turn.label == "yes" else YES)(turn)


def _elsewhere_yes(turn: Turn) -> Sequence[Action] | None:
    """Say yes under ids that no other server of the run uses."""
    turn.reply["id"] += "-other"
    return YES(turn)


def _on_abstention(act: Act) -> Act:
    """Do it on the abstention route and be right on all others."""
    return lambda turn: act(turn) if turn.kind == "Explanation" else None


def _cut_chat(reply: dict[str, list[dict[str, object]]]) -> None:
    reply["choices"][0]["finish_reason"] = "length"


_CUT = edited(_cut_chat, lambda reply: reply.update(stop_reason="max_tokens"))


def _counts(found: Ran) -> dict[str, tuple[int, int]]:
    """Return correct and undecided of each arm, from the gate lines."""
    lines = [line.public for line in found.of("gate")]
    return {line["arm"]: (line["correct"], line["undecided"]) for line in lines}


def _only_controls(server: SmallJudge, count: int = CONTROLS) -> bool:
    """Whether the server counted this many questions, none about a saved answer."""
    return len(server.requests) == count and all(turn.item is None for turn in server.turns)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("act", "positive", "negative"),
    [
        pytest.param(YES, (ARM, 0), (0, 0), id="always-yes"),
        pytest.param(NO, (0, 0), (ARM, 0), id="always-no"),
        pytest.param(_swapped, (0, 0), (0, 0), id="labels-swapped"),
        pytest.param(said(""), (0, ARM), (0, ARM), id="silent"),
        pytest.param(_CUT, (0, ARM), (0, ARM), id="cut"),
        pytest.param(said("It depends."), (0, ARM), (0, ARM), id="evasive"),
        pytest.param(_on_abstention(YES), (6, 0), (5, 0), id="always-yes-on-abstention"),
        pytest.param(_on_abstention(NO), (4, 0), (6, 0), id="always-no-on-abstention"),
        pytest.param(_on_abstention(_swapped), (4, 0), (5, 0), id="wrong-on-abstention"),
        pytest.param(_on_abstention(said("")), (4, 2), (5, 1), id="silent-on-abstention"),
    ],
)
def test_judge_fails_and_no_answer_is_asked(
    act: Act,
    positive: tuple[int, int],
    negative: tuple[int, int],
    provider: Provider,
    tmp_path: Path,
) -> None:
    """Exit 3, sealed; the server counted the controls and nothing else."""
    with SmallJudge(act) as server:
        found = ran(configured(provider, server.base_url(provider)), tmp_path / "run")

    assert (found.outcome.proof.state, found.outcome.exit_code) == ("gate-failed", 3)
    assert _counts(found) == {"positive": positive, "negative": negative}
    assert _only_controls(server)
    assert (tmp_path / "run" / "seal.txt").is_file()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_one_blind_route_fails_though_the_share_is_reached(
    provider: Provider, tmp_path: Path
) -> None:
    """Three of four right is enough for this threshold, and not with a route all wrong."""
    with SmallJudge(_on_abstention(_swapped)) as server:
        config = configured(provider, server.base_url(provider))
        changes = {"positive": 12, "negative": 12, "threshold": "0.6"}
        found = ran(config, tmp_path / "run", changes)

    assert found.outcome.exit_code == 3
    for line in (line.public for line in found.of("gate")):
        assert line["correct"] >= line["need"]
        assert line["routes"]["abstention"][1] == 0
        assert not line["pass"]
    assert _only_controls(server, 24)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_sound_judge_passes(provider: Provider, tmp_path: Path) -> None:
    """The same controls are no obstacle to a judge that is right."""
    with SmallJudge() as server:
        found = ran(configured(provider, server.base_url(provider)), tmp_path / "run")

    assert (found.outcome.proof.state, found.outcome.exit_code) == ("complete", 0)
    assert _counts(found) == {"positive": (ARM, 0), "negative": (ARM, 0)}
    assert len(server.requests) == CONTROLS + ANSWERS


# --- a server that never answers ------------------------------------------------------------------


def _hanging(provider: Provider, server: SmallJudge, folder: Path) -> Ran:
    config = configured(provider, server.base_url(provider), deadline_s=1, max_connections=12)
    return ran(config, folder)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_judge_that_never_answers_is_not_decided(provider: Provider, tmp_path: Path) -> None:
    """Its controls may have been answered unseen: open, exit 4, no gate line, nothing scored."""
    with SmallJudge(send()) as server:
        found = _hanging(provider, server, tmp_path / "run")

    assert (found.outcome.proof.state, found.outcome.exit_code) == ("open", 4)
    assert (found.of("gate"), found.of("seal")) == ([], [])
    assert _only_controls(server)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_left_unknown_it_fails(provider: Provider, tmp_path: Path) -> None:
    """On the operator's word lost controls are undecided, so not correct: exit 3, nothing sent."""
    with SmallJudge(send()) as server:
        found = _hanging(provider, server, tmp_path / "run")
        found = resumed(found, leave_unknown=True)

    assert (found.outcome.proof.state, found.outcome.exit_code) == ("gate-failed", 3)
    assert _counts(found) == {"positive": (0, ARM), "negative": (0, ARM)}
    reasons = {line.public["reason"] for line in found.of("receipt") if line.public["final"]}
    assert reasons == {"left_unknown"}
    assert _only_controls(server)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_asked_again_it_may_pass(provider: Provider, tmp_path: Path) -> None:
    """A server that comes back answers the lost controls, each marked, and the run completes."""
    with SmallJudge(lambda turn: [] if turn.times == 1 and turn.item is None else None) as server:
        found = _hanging(provider, server, tmp_path / "run")
        found = resumed(found, resend_unknown=1)

    assert found.outcome.exit_code == 0
    assert sum(line.public["after_unknown"] for line in found.of("intent")) == CONTROLS
    assert len(server.requests) == 2 * CONTROLS + ANSWERS


# --- what one group stops -------------------------------------------------------------------------


@pytest.mark.parametrize("provider", PROVIDERS)
def test_one_failed_condition_stops_all(provider: Provider, tmp_path: Path) -> None:
    """A sound judge beside one that always says yes is asked its controls and no answer."""
    with SmallJudge() as good, SmallJudge(_elsewhere_yes) as bad:
        config = configured(provider, good.base_url(provider))
        (judge,) = config.judges
        other = judge.model_copy(update={"name": "other", "base_url": bad.base_url(provider)})
        found = ran(config, tmp_path / "run", {"judges": (judge, other)})

    assert found.outcome.exit_code == 3
    assert _only_controls(good)
    assert _only_controls(bad)


def test_every_repetition_has_its_gate(tmp_path: Path) -> None:
    """A judge that turns between the repetitions' controls fails before any answer is asked."""
    with SmallJudge(lambda turn: YES(turn) if turn.times > 1 else None) as server:
        config = configured("openai", server.base_url("openai"))
        found = ran(config, tmp_path / "run", {"repetitions": 2})

    assert found.outcome.exit_code == 3
    assert _only_controls(server, 2 * CONTROLS)


def test_judge_that_turns_fails_before_the_next_batch(tmp_path: Path) -> None:
    """What was scored before stays in the ledger, and there is no rate."""
    with SmallJudge(lambda turn: YES(turn) if turn.number > CONTROLS + 5 else None) as server:
        config = configured("openai", server.base_url("openai"))
        found = ran(config, tmp_path / "run", {"batch_size": 5})

    (group,) = summarise(found.outcome.proof).conditions
    assert found.outcome.exit_code == 3
    assert len(server.requests) == CONTROLS + 5 + CONTROLS
    assert (group.decided, group.open, group.rate) == (5, 5, None)


def test_failed_run_is_over(tmp_path: Path) -> None:
    """It is sealed, and resume says so."""
    with SmallJudge(YES) as server:
        found = ran(configured("openai", server.base_url("openai")), tmp_path / "run")
        with pytest.raises(InputError, match=r"sealed \(gate-failed\)"):
            resumed(found)


def test_stop_among_the_controls_needs_a_recheck(tmp_path: Path) -> None:
    """Pages of a login stand as undecided controls; `--recheck` asks all of them again."""
    page = body(b"<title>Sign in</title>", "text/html")
    with SmallJudge(lambda turn: page(turn) if turn.number <= 3 else None) as server:
        config = configured("openai", server.base_url("openai"), max_connections=1)
        found = ran(config, tmp_path / "run")
        assert found.outcome.exit_code == 5
        found = resumed(found, recheck=True)

    assert (found.outcome.proof.state, found.outcome.exit_code) == ("complete", 0)
    assert len(server.requests) == 3 + CONTROLS + ANSWERS


# --- what a gate cannot see -----------------------------------------------------------------------


@pytest.mark.parametrize("provider", PROVIDERS)
def test_judge_that_turns_after_its_controls_passes(provider: Provider, tmp_path: Path) -> None:
    """Always yes from the first answer on: complete, exit 0, every answer accepted."""
    with SmallJudge(lambda turn: None if turn.item is None else YES(turn)) as server:
        found = ran(configured(provider, server.base_url(provider)), tmp_path / "run")

    (group,) = summarise(found.outcome.proof).conditions
    assert (found.outcome.proof.state, found.outcome.exit_code) == ("complete", 0)
    assert (group.accepted, group.rejected, group.rate) == (ANSWERS, 0, 1.0)
    sound = [turn.label for turn in server.turns if turn.item is not None]
    assert sound.count("no") > 0, "a sound judge would accept every answer too"


# --- the command ----------------------------------------------------------------------------------


def test_command_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`judge run` exits 3 and names the arm; `verify` proves the folder, `show` prints it: 0."""
    folder = str(tmp_path / "run")
    with SmallJudge(YES) as server:
        assert main(_words(configured("openai", server.base_url("openai")), folder)) == 3
    said_by_run = capsys.readouterr().out

    assert "gate-failed" in said_by_run
    assert main(["verify", folder]) == 0
    assert main(["show", folder]) == 0
    assert "gate-failed" in capsys.readouterr().out
    assert _only_controls(server)


def _words(config: RunConfig, folder: str) -> list[str]:
    (answers,), (judge,) = config.answers, config.judges
    assert config.references is not None
    return [
        *("run", "--answers", answers.file, "--references", config.references.file),
        *("--judge", f"openai/{judge.model}", "--base-url", str(judge.base_url)),
        *("--key-env", "none", "--positive", str(ARM), "--negative", str(ARM)),
        *("--only", config.only[0], "--out", folder),
    ]
