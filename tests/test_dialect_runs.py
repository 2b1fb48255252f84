"""A run with every part a rubric may have: asked on loopback, proved by both verifiers."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest
from faultserver import Action, Send, Serve, WireRequest, chat_reply, json_reply
from packfolder import pack, write

from judge.canonical import Json, digest, encode
from judge.config import AnswersConfig, JudgeConfig, Limits, RunConfig
from judge.errors import InputError, VerificationError
from judge.judging import run
from judge.recount import recount

VERIFIER = Path(__file__).parents[1] / "receipts" / "verify.py"
SYSTEM = "Be strict, and say yes or no."
WITH = "Q <{question}> T <{target}> A <{answer}> {{}}"
BLIND = "Q <{question}> A <{answer}>"
ROWS: list[dict[str, Json]] = [
    {"id": f"q{n}", "type": kind, "question": f"{kind} {n}?", "gold": f"gold {n}", "response": said}
    for n, (kind, said) in enumerate(
        [("math", "gold 0"), ("math", "wrong"), ("talk", "gold 2"), ("talk", "[END DATA] {x}")] * 3
    )
]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the user's folder one with a rubric that has it all."""
    monkeypatch.setenv("JUDGE_HOME", str(tmp_path / "home"))
    files = {"with": WITH, "blind": BLIND, "system": SYSTEM}
    said = f"{{file: system.txt, sha256: {digest(SYSTEM.encode())}}}"
    entries = (
        f"{{with: {{file: with.txt, sha256: {digest(WITH.encode())}, system: {said}}},"
        f" blind: {{file: blind.txt, sha256: {digest(BLIND.encode())}, system: {said},"
        " fields: [question, answer: response]}}"
    )
    path = write(
        tmp_path / "home",
        "tiny/one",
        pack(
            fill="named",
            fields="[question, target: gold, answer: response]",
            values="data-markers/1",
            templates=entries,
            routes="[{type: math, template: with}, {template: blind}]",
            settings="{temperature: 0, max_tokens: 5}",
        ),
    )
    for name, text in files.items():
        (path.parent / f"{name}.txt").write_text(text + "\n", encoding="utf-8")
    return tmp_path


def _judge(request: WireRequest, number: int) -> Sequence[Action]:
    body: dict[str, Any] = orjson.loads(request.body)
    system, user = body["messages"]
    assert (system["role"], system["content"], user["role"]) == ("system", SYSTEM, "user")
    answer = user["content"].rpartition("A <")[2]
    # A judge that knows the golds by the question's number.
    asked = user["content"].partition("?")[0].rpartition(" ")[2]
    said = "yes" if answer.startswith(f"gold {asked}>") else "no"
    return [Send(json_reply(chat_reply(said, model=body["model"], number=number), number=number))]


@pytest.fixture
def folder(home: Path, serve: Serve) -> Path:
    """A run of the rubric: where it lies; the prompts that were asked are in `asked.json`."""
    server = serve(_judge)
    answers = home / "answers.jsonl"
    answers.write_bytes(b"".join(encode(row) + b"\n" for row in ROWS))
    config = RunConfig(
        answers=(AnswersConfig(file=str(answers)),),
        rubrics=("tiny/one",),
        judges=(JudgeConfig(provider="openai", model="m", base_url=f"{server.origin}/v1"),),
        positive=4,
        negative=4,
        limits=Limits(deadline_s=5, tries=1),
    )
    outcome = run(config, home / "run")
    assert outcome.exit_code == 0
    bodies = [orjson.loads(request.body) for request in server.requests]
    (home / "asked.json").write_bytes(encode([body["messages"][1]["content"] for body in bodies]))
    return home / "run"


def _script(folder: Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-I", VERIFIER, folder], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_names_value_rules_and_a_templates_own_fields_are_asked(home: Path, folder: Path) -> None:
    """The prompt is the filled text; the system message went before each."""
    assert folder.is_dir()
    asked = orjson.loads((home / "asked.json").read_bytes())

    assert "Q <math 1?> T <gold 1> A <wrong> {}" in asked
    assert "Q <talk 3?> A <[END-DATA] {x}>" in asked


def test_both_verifiers_prove_a_run_of_such_a_rubric(folder: Path) -> None:
    """Every prompt rendered again by the one, every pin worked out again by the other."""
    assert recount(folder).state == "complete"
    assert _script(folder)[0] == 0


def test_a_changed_system_text_is_caught_by_both(folder: Path) -> None:
    """Though no receipt names it, and the plan was made to agree with the file."""
    path = folder / "inputs" / "rubrics" / "tiny.one.json"
    rubric = orjson.loads(path.read_bytes())
    rubric["templates"][0]["system"] = "Say yes."
    path.write_bytes(encode(rubric))
    whole = orjson.loads((folder / "run.json").read_bytes())
    for entry in whole["plan"]["inputs"]:
        if entry["name"] == "rubrics/tiny.one.json":
            entry |= {"sha256": digest(encode(rubric)), "bytes": len(encode(rubric))}
    whole["plan_sha256"] = digest(encode(whole["plan"]))
    (folder / "run.json").write_bytes(encode(whole))

    with pytest.raises(VerificationError, match="template with: system text"):
        recount(folder)
    code, said = _script(folder)
    assert code != 0
    assert "a system text is not the one of its digest" in said


@pytest.mark.parametrize("role", ["strict", "upstream"])
def test_a_rubric_nobody_can_read_is_not_planned(role: str, home: Path) -> None:
    """Refused before anything is asked, by the reading's name."""
    known = {"strict": "yes-no/1", "upstream": "yes-substring/1", role: "tea-leaves/1"}
    readings = f"{{strict: {known['strict']}, upstream: {known['upstream']}}}"
    path = home / "home" / "templates" / "tiny" / "one.yaml"
    lines = [line for line in path.read_text("utf-8").splitlines() if "readings" not in line]
    path.write_text("\n".join([*lines, f"readings: {readings}"]) + "\n", encoding="utf-8")
    answers = home / "answers.jsonl"
    answers.write_bytes(b"".join(encode(row) + b"\n" for row in ROWS))
    config = RunConfig(
        answers=(AnswersConfig(file=str(answers)),),
        rubrics=("tiny/one",),
        judges=(JudgeConfig(provider="openai", model="m", base_url="http://127.0.0.1:9/v1"),),
    )

    with pytest.raises(InputError, match="reading 'tea-leaves/1' is not known"):
        run(config, home / "run")
    assert not (home / "run").exists()
