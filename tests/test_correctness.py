"""Our own rubric and its abstention texts: templates/correctness/v1, controls/abstention.yaml."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from judge import lexical
from judge.lexical import GoldKind

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
RUBRIC = ROOT / "templates" / "correctness"
CONTROLS = ROOT / "controls" / "abstention.yaml"
LEADS: dict[GoldKind, str] = {
    "answer": "Reference answer: ",
    "rubric": "Rubric: ",
    "explanation": "Explanation: ",
}
FILES = (CONTROLS, RUBRIC / "v1.yaml", *sorted((RUBRIC / "v1").iterdir()))


class _Words(yaml.SafeLoader):
    """Plain YAML in which every scalar is the text as written."""

    yaml_implicit_resolvers = {}  # noqa: RUF012  the base class declares it so


def _yaml(path: Path) -> dict[str, Any]:
    loaded = yaml.load(path.read_text(encoding="utf-8"), Loader=_Words)
    assert isinstance(loaded, dict)
    return loaded


def _template(name: str) -> tuple[GoldKind, str, str]:
    """What stands in the gold field, the text, the pin."""
    entry = _yaml(RUBRIC / "v1.yaml")["templates"][name]
    text = (RUBRIC / entry["file"]).read_bytes().decode().removesuffix("\n")
    return entry.get("gold", "answer"), text, entry["sha256"]


NAMES = tuple(_yaml(RUBRIC / "v1.yaml")["templates"])


@pytest.mark.parametrize("path", FILES, ids=[path.name for path in FILES])
def test_files_are_plain_text(path: Path) -> None:
    """ASCII, so no byte order mark; lines end in LF, one LF at the end."""
    data = path.read_bytes()

    assert data.isascii()
    assert b"\r" not in data
    assert data.endswith(b"\n")
    assert not data.endswith(b"\n\n")


def test_the_abstention_texts_are_many_and_distinct() -> None:
    """At least twelve texts of each kind, none twice."""
    texts = _yaml(CONTROLS)

    assert list(texts) == ["declining", "confident"]
    assert min(map(len, texts.values())) >= 12
    assert len({*texts["declining"], *texts["confident"]}) == sum(map(len, texts.values()))


def test_the_abstention_texts_are_told_apart() -> None:
    """The string rule finds every declining text declining and no confident one."""
    texts = _yaml(CONTROLS)

    assert [text for text in texts["declining"] if not lexical.declines(text)] == []
    assert [text for text in texts["confident"] if lexical.declines(text)] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_template_is_the_one_that_was_pinned(name: str) -> None:
    """The pin is the SHA-256 of the text: the file without its last LF."""
    _, text, pin = _template(name)

    assert hashlib.sha256(text.encode()).hexdigest() == pin


@pytest.mark.parametrize("name", NAMES)
def test_a_template_holds_each_field_once(name: str) -> None:
    """Question, gold and response stand after their lead, in this order, between blank lines."""
    kind, text, _ = _template(name)

    blocks = text.split("\n\n")
    assert blocks[1:-1] == [
        "Question: {{ question }}",
        LEADS[kind] + "{{ gold }}",
        "Response: {{ response }}",
    ]
    assert not re.search(r"[{}%#]|(?i:answer|response|question): ", blocks[0] + blocks[-1])


@pytest.mark.parametrize("name", NAMES)
def test_a_template_ends_in_a_question_answered_yes_or_no(name: str) -> None:
    """The last block is one question and the two labels."""
    _, text, _ = _template(name)

    assert re.fullmatch(r"[^?]+\? Reply with a single word, yes or no\.", text.split("\n\n")[-1])
    assert text.isascii()


@pytest.mark.parametrize("name", NAMES)
def test_a_template_is_in_our_own_words(name: str) -> None:
    """No six words in a row are those of the benchmark's templates."""
    path = SHARED / "upstream" / "longmemeval_templates.json"
    if not path.exists():
        pytest.skip(f"needs {path.name}, which is not part of this repository")
    upstream = json.loads(path.read_text(encoding="utf-8"))["templates"].values()

    theirs = set().union(*(_runs(template["text"]) for template in upstream))
    assert _runs(_template(name)[1]) & theirs == set()


def _runs(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[a-z]+", text.lower())
    return set(zip(*(words[start:] for start in range(6)), strict=False))


def test_the_pack_routes_by_abstention_then_type() -> None:
    """Abstention comes before any type, and the last route takes the rest."""
    assert _yaml(RUBRIC / "v1.yaml")["routes"] == [
        {"abstention": "true", "template": "abstention"},
        {"type": "single-session-preference", "template": "single-session-preference"},
        {"type": "temporal-reasoning", "template": "temporal-reasoning"},
        {"type": "knowledge-update", "template": "knowledge-update"},
        {"template": "base"},
    ]


def test_the_gold_field_holds_what_the_pack_says() -> None:
    """An explanation for abstention, a rubric for preferences, an answer elsewhere."""
    assert {name: _template(name)[0] for name in NAMES} == {
        "base": "answer",
        "temporal-reasoning": "answer",
        "knowledge-update": "answer",
        "single-session-preference": "rubric",
        "abstention": "explanation",
    }


def test_the_pack_says_how_a_reply_is_read() -> None:
    """Two text labels, one accepted, a strict reading beside the benchmark's own."""
    pack = _yaml(RUBRIC / "v1.yaml")
    names = ("rubric", "edition", "fill", "fields", "labels", "accept", "readings", "settings")

    assert [pack[name] for name in names] == [
        "correctness",
        "v1",
        "jinja",
        ["question", "gold", "response"],
        ["yes", "no"],
        "yes",
        {"strict": "yes-no/1", "upstream": "yes-substring/1"},
        {"temperature": "0", "max_tokens": "10", "n": "1"},
    ]
    # How the pin is computed is held by the pack loader's own tests.
    assert set(pack) - {"pin"} == {*names, "templates", "routes"}
