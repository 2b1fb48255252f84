"""templates/longmemeval: the pinned judge gives the exact prompts the benchmark's script sends."""

import hashlib
import json
from pathlib import Path
from typing import Any

import packfolder
import pytest
from packfolder import SHARED

from judge import packs, rubric
from judge.canonical import digest
from judge.errors import InputError
from judge.records import Rubric


def _shared(name: str) -> Path:
    path = SHARED / name
    if not path.is_file():
        pytest.skip(f"{name} is not on this machine (../shared)")
    return path


def _json(name: str) -> Any:  # noqa: ANN401 - somebody's JSON
    return json.loads(_shared(name).read_text(encoding="utf-8"))


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in _shared(name).read_text("utf-8").splitlines()]


@pytest.fixture
def upstream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rubric:
    """Bring the texts by `add` from a script into an empty folder and load the rubric."""
    monkeypatch.setenv("JUDGE_HOME", str(tmp_path / "home"))
    packs.add("longmemeval/upstream", packfolder.upstream_script(tmp_path))
    return packs.load("longmemeval/upstream")


def test_the_upstream_pack_holds_the_published_facts(upstream: Rubric) -> None:
    """Hashes, source, routes, settings and judges as in the pins file."""
    pins = _json("upstream/longmemeval_pins.json")
    latest = pins["file_versions"][-1]

    assert upstream.source is not None
    assert upstream.source.commit == latest["commit"]
    assert upstream.source.sha256 == latest["file_sha256"]
    assert {t.name: t.sha256 for t in upstream.templates} == {
        entry["name"]: entry["sha256"] for entry in pins["templates"]
    }
    assert {kind: way.template for way in upstream.routes for kind in way.types or ()} == {
        kind: entry["name"]
        for entry in pins["templates"]
        if isinstance(entry["question_types"], list)
        for kind in entry["question_types"]
    }
    generation = pins["generation"]
    assert upstream.settings == {key: generation[key] for key in ("n", "temperature", "max_tokens")}
    assert upstream.judges == ("openai/gpt-4o-2024-08-06", "openai/gpt-4o-mini-2024-07-18")


def test_a_thousand_golden_prompts_are_reproduced(upstream: Rubric) -> None:
    """Route, SHA-256 and bytes of 500 + 500 real prompts."""
    references = {
        row["question_id"]: row for row in _json("references/longmemeval_references.json")
    }
    vectors = _rows("upstream/longmemeval_prompt_vectors.jsonl")
    answers = {
        (name, row["question_id"]): row["hypothesis"]
        for name in {vector["file"] for vector in vectors}
        for row in _rows(f"answers/{name}")
    }
    found = []
    for vector in vectors:
        row_id = vector["question_id"]
        row = references[row_id]
        template = rubric.route(upstream, row_id, row["question_type"], abstention="_abs" in row_id)
        prompt = rubric.render(
            upstream,
            template,
            row["question"],
            str(row["answer"]),
            answers[vector["file"], row_id],
        ).encode()
        found.append((template.name, hashlib.sha256(prompt).hexdigest(), len(prompt)))

    assert len(found) == 1000
    assert found == [
        (vector["route"], vector["prompt_sha256"], vector["prompt_utf8_bytes"])
        for vector in vectors
    ]


def test_every_hash_of_the_released_templates_is_reproduced(upstream: Rubric) -> None:
    """From slices of the upstream text; routes, settings and labels stay upstream's."""
    pins = _json("upstream/longmemeval_released_pins.json")["templates"]
    released = packs.load("longmemeval/released")

    assert {t.name: digest(t.text.encode()) for t in released.templates} == {
        name: entry["sha256"] for name, entry in pins.items()
    }
    assert {t.name: len(t.text.encode()) for t in released.templates} == {
        name: entry["utf8_bytes"] for name, entry in pins.items()
    }
    assert (released.routes, released.settings) == (upstream.routes, upstream.settings)
    assert released.pin != upstream.pin


def test_the_published_pin_of_five_fragments_is_reproduced(upstream: Rubric) -> None:
    """By the rule its authors used: named fields, fragments joined by NUL."""
    texts = {template.name: template.text for template in upstream.templates}
    released = {t.name: t.text for t in packs.load("longmemeval/released").templates}
    fragments = [
        released["base"],
        texts["temporal-reasoning"][398:660],
        " " + texts["knowledge-update"][160:339],
        released["single-session-preference"],
        released["abstention"],
    ]
    named = "\0".join(text.format("{question}", "{answer}", "{response}") for text in fragments)
    pin = _json("upstream/longmemeval_released_pins.json")["published_pin"]["sha256"]

    assert digest(named.encode()) == pin
    assert pin.startswith("9c9d67fab129")


def test_gold_is_a_rubric_or_an_explanation_where_it_is_no_answer(upstream: Rubric) -> None:
    """In both editions."""
    for one in (upstream, packs.load("longmemeval/released")):
        assert {t.name: t.gold for t in one.templates if t.gold != "answer"} == {
            "single-session-preference": "rubric",
            "abstention": "explanation",
        }


def test_the_two_editions_differ_in_three_texts_and_nothing_else(upstream: Rubric) -> None:
    """One space in two of them; the pins differ."""
    found = packs.diff(upstream.name, "longmemeval/released")

    assert [change.what for change in found.changes] == []
    assert [template.name for template in found.templates] == [
        "base",
        "temporal-reasoning",
        "knowledge-update",
    ]
    for template in found.templates[:2]:
        runs = [(word.op, word.text) for word in template.words if word.op != "same"]
        assert runs == [("removed", " ")]


@pytest.mark.parametrize("kind", ["single-session-User", "multi", "", "multi-session "])
def test_an_unknown_type_has_no_route(upstream: Rubric, kind: str) -> None:
    """Refused, as upstream does; an `_abs` id goes to abstention all the same."""
    with pytest.raises(InputError, match="no route takes"):
        rubric.route(upstream, "q", kind, abstention=False)

    assert rubric.route(upstream, "a_abs_1", kind, abstention=True).name == "abstention"
