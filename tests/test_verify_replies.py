"""The second verifier reads a raw reply as FORMAT.md says, and as the package does."""

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from forge import Fields, Forge, canonical, ends, reply, says
from forgeries import gated, small, texts

from judge.envelope import open_envelope
from judge.records import Exchange

SCRIPT = Path(__file__).parents[1] / "receipts" / "verify.py"
_SPEC = importlib.util.spec_from_file_location("receipts_verify", SCRIPT)
assert _SPEC is not None
assert _SPEC.loader is not None
verify = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(verify)

JSON_TYPE = (("content-type", "application/json"),)
Bend = Callable[[Fields], object]


def dumped(value: Fields) -> bytes:
    """Return JSON as a server would write it."""
    return json.JSONEncoder().encode(value).encode()


def played(judge: str, body: bytes, reason: str | None, **facts: object) -> Forge:
    """Return a run whose first answer is this body: a verdict, or undecided for this reason."""
    forge = Forge(judges=(judge,), sets={"a": [0, 1, 2, 3, 4]}, batch_size=None, repetitions=1)
    first, *rest = gated(forge)
    told = {"status": 200, "reason": reason, **facts}
    forge.ask(first, says("yes") if reason is None else ends("undecided", body, **told))
    texts(forge, forge.lines[-1][0])["response"] = body
    for cell in rest:
        forge.ask(cell)
    forge.seal()
    return forge


def bent(judge: str, bend: Bend) -> bytes:
    """Return a whole reply, changed."""
    value = json.loads(reply(Forge(judges=(judge,), sets={"a": [0]}).judge_of("c1"), "yes", 7))
    bend(value)
    return dumped(value)


def _deep(value: Fields) -> None:
    deep: object = 0
    for _ in range(150):
        deep = [deep]
    value["usage"] = deep


CHAT: dict[str, Bend] = {
    "error": lambda value: value.update(error={"message": "no"}),
    "empty error": lambda value: value.update(error={}),
    "false error": lambda value: value.update(error=False),
    "false index": lambda value: value["choices"][0].update(index=False),
    "a real index": lambda value: value["choices"][0].update(index=0.0),
    "long integer": lambda value: value.update(usage=int("9" * 1000)),
    "deep": _deep,
    "lone surrogate": lambda value: value["choices"][0]["message"].update(content="yes\ud800"),
}
MESSAGES: dict[str, Bend] = {
    "another type": lambda value: value.update(type="error"),
    "no type": lambda value: value.pop("type"),
    "thinking of another kind": lambda value: value["content"][0].update(type="more_thinking"),
    "text first": lambda value: value["content"].reverse(),
    "the only block is no text": lambda value: value["content"][1].update(type="citation"),
}
BODIES = [("gpt", name, bent("gpt", bend)) for name, bend in CHAT.items()]
BODIES += [("claude", name, bent("claude", bend)) for name, bend in MESSAGES.items()]
_WHOLE = bent("gpt", lambda _value: None)
BODIES += [
    ("gpt", "a nested key twice", _WHOLE.replace(b'"refusal"', b'"a": 1, "a": 2, "refusal"')),
    ("gpt", "a mark of byte order", b"\xef\xbb\xbf" + _WHOLE),
    ("gpt", "not a number", _WHOLE.replace(b"0.25", b"NaN")),
]


@pytest.mark.parametrize(
    ("judge", "body"), [pytest.param(judge, body, id=name) for judge, name, body in BODIES]
)
def test_an_odd_reply_is_read_alike(judge: str, body: bytes, tmp_path: Path) -> None:
    """What gives the package no text is no verdict here, and is proved as undecided."""
    who = Forge(judges=(judge,), sets={"a": [0]}).judge_of("c1")
    exchange = Exchange(status=200, headers=JSON_TYPE, body=body, error=None, sent=True)
    found = open_envelope(exchange, who["api"], who["expect_model"])
    assert found.text is None
    assert found.reason is not None
    undecided = played(judge, body, found.reason, model_returned=found.model, finish=found.finish)
    assert verify.main([str(undecided.write(tmp_path / "undecided"))]) == 0
    assert verify.main([str(played(judge, body, None).write(tmp_path / "verdict"))]) == 6


def test_a_verdict_under_another_content_type_is_refused(tmp_path: Path) -> None:
    """A reply that is not announced as JSON is not read, sound as it may be."""
    forge = small().whole()
    texts(forge, forge.find("receipt", phase="answer"))["headers"] = canonical(
        [["content-type", "text/html"]]
    )
    assert verify.main([str(forge.write(tmp_path))]) == 6


# --- ids ------------------------------------------------------------------------------------------


def named(judges: tuple[str, ...], name: str, *, extra: bool = True) -> Forge:
    """Return a run whose answers of row 0 and 1 both have this id, under these judges."""
    sets = {f"set {number}": [0, 1, 2, 3, 4] for number in range(len(judges))}
    forge = Forge(judges=judges, sets=sets, batch_size=None, repetitions=1)
    forge.whole()
    for row, condition in ((0, "c1"), (1, "c1")) if len(judges) == 1 else ((0, "c1"), (5, "c2")):
        private = forge.private("receipt", phase="answer", row=row, condition=condition)
        value = json.loads(private["response"])
        value |= {"id": name, "cost": row if extra else 0}
        private["response"] = dumped(value)
    return forge


@pytest.mark.parametrize(
    ("judges", "name", "extra", "code"),
    [
        (("gpt",), "a" * 16, True, 6),
        (("gpt",), "a" * 15, True, 0),
        (("gpt",), "a" * 15, False, 6),
        (("gpt",), "", False, 6),
        (("gpt", "claude"), "a" * 16, True, 0),
    ],
)
def test_an_id_is_given_once_by_a_judge(
    judges: tuple[str, ...], name: str, *, extra: bool, code: int, tmp_path: Path
) -> None:
    """Of a short id the whole body has to come again; another judge may give the same."""
    forge = named(judges, name, extra=extra)
    assert verify.main([str(forge.write(tmp_path))]) == code


def test_the_id_of_an_undecided_reply_counts_too(tmp_path: Path) -> None:
    """A reply that was cut has told its id."""
    forge = small()
    first, second, *rest = gated(forge)
    value = json.loads(reply(forge.judge_of("c1"), "yes", 7)) | {"id": "a" * 20}
    value["choices"][0]["finish_reason"] = "length"
    facts = {"status": 200, "reason": "cut", "model_returned": "gpt-1", "finish": "length"}
    forge.ask(first, ends("undecided", dumped(value), **facts))
    for cell in (second, *rest):
        forge.ask(cell)
    forge.seal()
    assert verify.main([str(forge.write(tmp_path / "other"))]) == 0
    private = forge.private("receipt", phase="answer", row=second.row)
    value = json.loads(private["response"]) | {"id": "a" * 20}
    private["response"] = dumped(value)
    assert verify.main([str(forge.write(tmp_path / "same"))]) == 6
