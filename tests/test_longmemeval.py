"""The main job on real saved answers: the exact prompts on the wire, and the saved labels again."""

import hashlib
import json
from pathlib import Path

import pytest
from faultserver import JudgeServer
from longmemeval import (
    MODEL,
    PASS_1,
    PASS_2,
    REFERENCES,
    SavedJudge,
    needs_shared,
    source_file,
    vectors,
)

import judge
from judge import packs
from judge.config import AnswersConfig, JudgeConfig, Limits, ReferencesConfig, RunConfig
from judge.judging import Outcome
from judge.report.summary import Summary, summarise

pytestmark = needs_shared


@pytest.fixture(autouse=True)
def _texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bring the upstream texts into a store of this test's own."""
    monkeypatch.setenv("JUDGE_HOME", str(tmp_path / "home"))
    packs.add("longmemeval/upstream", source_file(tmp_path))


def _run(server: JudgeServer, folder: Path, *answers: Path) -> tuple[Outcome, Summary]:
    config = RunConfig(
        answers=tuple(
            AnswersConfig(name=f"pass{n + 1}", file=str(p)) for n, p in enumerate(answers)
        ),
        references=ReferencesConfig(file=str(REFERENCES)),
        rubrics=("longmemeval/upstream",),
        judges=(JudgeConfig(provider="openai", model=MODEL, base_url=server.base_url("openai")),),
        limits=Limits(max_connections=16, deadline_s=20),
    )
    outcome = judge.run(config, folder)
    return outcome, summarise(outcome.proof)


@pytest.mark.parametrize(("path", "accepted"), [(PASS_1, 264), (PASS_2, 253)], ids=["1", "2"])
def test_a_pass_is_judged_as_it_was(path: Path, accepted: int, tmp_path: Path) -> None:
    """Wire bytes equal the golden prompts; counts equal the saved ones; no label flips."""
    with JudgeServer(SavedJudge(1) if path == PASS_1 else _second_pass()) as server:
        outcome, summary = _run(server, tmp_path / "run", path)
    group = summary.conditions[0]

    assert outcome.exit_code == 0
    assert (group.accepted, group.decided, group.planned) == (accepted, 500, 500)
    assert group.undecided == {}
    assert (group.prior.compared, group.prior.flips) == (500, ())
    assert _on_the_wire(server, path) == 500
    assert judge.verify(tmp_path / "run").state == "complete"


def _second_pass() -> SavedJudge:
    """A judge that gives a prompt of both passes its label of the second."""
    saved = SavedJudge(2)
    for row in vectors():
        if "pass1" in row["file"]:
            saved._seen[row["prompt_sha256"]] = 1
    return saved


def _prompts(server: JudgeServer) -> list[bytes]:
    return [r.json()["messages"][0]["content"].encode() for r in server.requests]


def _on_the_wire(server: JudgeServer, path: Path) -> int:
    """How many golden prompts of this file were seen, digest and length."""
    seen = {(hashlib.sha256(p).hexdigest(), len(p)) for p in _prompts(server)}
    wanted = [
        (row["prompt_sha256"], row["prompt_utf8_bytes"])
        for row in vectors()
        if row["file"] == path.name
    ]
    assert len(wanted) == 500
    return sum(pair in seen for pair in wanted)


def test_the_body_is_the_upstream_request(tmp_path: Path) -> None:
    """Model, one user message and the pinned settings; nothing else is sent."""
    with JudgeServer(SavedJudge(1)) as server:
        _run(server, tmp_path / "run", PASS_1)
    bodies = [json.loads(body) for body in server.bodies]

    assert len(bodies) == 524
    for body in bodies:
        message = body.pop("messages")
        assert body == {"max_tokens": 10, "model": MODEL, "n": 1, "temperature": 0}
        assert [sorted(part) for part in message] == [["content", "role"]]


def test_both_passes_in_one_run_show_the_one_flip(tmp_path: Path) -> None:
    """432 prompts are the same bytes in both passes; one of them has two labels."""
    with JudgeServer(SavedJudge(2)) as server:
        outcome, summary = _run(server, tmp_path / "run", PASS_1, PASS_2)

    assert outcome.exit_code == 0
    # Conditions take turns to go first, so the prompt's two labels may change places.
    assert [group.accepted for group in summary.conditions] == [263, 254]
    assert summary.identical_prompts == 432
    assert [flip.id for flip in summary.flips] == ["caf9ead2"]


def test_a_server_keyed_by_prompt_alone_flips_the_same_item(tmp_path: Path) -> None:
    """One label for each prompt: the item labelled twice differs from one of its prior labels."""
    with JudgeServer(SavedJudge(1)) as server:
        _, summary = _run(server, tmp_path / "run", PASS_1, PASS_2)
    flips = [flip.id for group in summary.conditions for flip in group.prior.flips]

    assert flips == ["caf9ead2"]
    assert summary.flips == ()
