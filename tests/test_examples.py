"""The saved answers that the demonstration, the guides and the sample run use: examples/."""

import json
import re
from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import yaml

from judge import lexical
from judge.records import Reference
from judge.sampling import AbstentionTexts, Place, draw

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
TYPES = {
    "single-session-user",
    "single-session-assistant",
    "multi-session",
    "temporal-reasoning",
    "knowledge-update",
    "single-session-preference",
}
LEADS = ("Question", "Reference answer", "Rubric", "Explanation", "Response", "response")
FILES = ("references.json", "pass-1.jsonl", "pass-2.jsonl", "README.md")

Row = dict[str, Any]


def _key() -> list[Row]:
    rows: list[Row] = json.loads((EXAMPLES / "references.json").read_text(encoding="utf-8"))
    return rows


def _references() -> list[Reference]:
    return [
        Reference(
            id=str(row["question_id"]),
            type=str(row["question_type"]),
            question=str(row["question"]),
            gold=str(row["answer"]),
            abstention="_abs" in str(row["question_id"]),
        )
        for row in _key()
    ]


def _place(row: Reference) -> Place:
    if row.abstention:
        return Place("abstention", "explanation")
    if row.type == "single-session-preference":
        return Place(row.type, "rubric")
    route = row.type if row.type in {"temporal-reasoning", "knowledge-update"} else "base"
    return Place(route, "answer")


def _pass(number: int) -> list[Row]:
    text = (EXAMPLES / f"pass-{number}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def _responses(number: int) -> dict[str, str]:
    return {str(row["question_id"]): str(row["hypothesis"]) for row in _pass(number)}


def _abstention() -> AbstentionTexts:
    texts = yaml.safe_load((ROOT / "controls" / "abstention.yaml").read_text(encoding="utf-8"))
    return AbstentionTexts(tuple(texts["declining"]), tuple(texts["confident"]))


def _same_route() -> list[tuple[Place, Reference, Reference]]:
    """Every ordered pair of questions that share a route."""
    return [
        (_place(one), one, other)
        for one, other in permutations(_references(), 2)
        if _place(one) == _place(other)
    ]


@pytest.mark.parametrize("name", FILES)
def test_files_are_plain_text(name: str) -> None:
    """UTF-8 without a byte order mark, lines end in LF, one LF at the end."""
    data = (EXAMPLES / name).read_bytes()

    data.decode("utf-8")
    assert not data.startswith(b"\xef\xbb\xbf")
    assert b"\r" not in data
    assert data.endswith(b"\n")
    assert not data.endswith(b"\n\n")


def test_the_answer_key_has_the_benchmark_s_shape() -> None:
    """Four fields, distinct ids, text or whole-number answers, some of each."""
    rows = _key()

    assert {tuple(row) for row in rows} == {("question_id", "question_type", "question", "answer")}
    assert len({row["question_id"] for row in rows}) == len({row["question"] for row in rows}) == 72
    assert Counter(type(row["answer"]).__name__ for row in rows) == {"str": 64, "int": 8}
    assert all(str(row[name]).strip() for row in rows for name in row)


def test_every_type_and_every_route_has_enough_questions() -> None:
    """Each of the six types and each of the five routes has ten questions or more."""
    rows = _references()

    types = Counter(row.type for row in rows if not row.abstention)
    routes = Counter(_place(row).route for row in rows)
    assert types == dict.fromkeys(TYPES, 10)
    assert routes == {
        "base": 30,
        "temporal-reasoning": 10,
        "knowledge-update": 10,
        "single-session-preference": 10,
        "abstention": 12,
    }


@pytest.mark.parametrize("number", [1, 2])
def test_a_pass_answers_every_question_once(number: int) -> None:
    """The ids of a pass are those of the answer key, in its order, and no answer is empty."""
    rows = _pass(number)

    assert [row["question_id"] for row in rows] == [row["question_id"] for row in _key()]
    assert all(str(row["hypothesis"]).strip() for row in rows)


@pytest.mark.parametrize("number", [1, 2])
def test_some_answers_carry_a_prior_label(number: int) -> None:
    """Two thirds of the rows have a label of the invented earlier judge, right and wrong ones."""
    labels = [row["autoeval_label"] for row in _pass(number) if "autoeval_label" in row]

    assert 45 <= len(labels) <= 55
    assert {label["model"] for label in labels} == {"example-judge-2026-01-01"}
    assert Counter(type(label["label"]) for label in labels) == {bool: len(labels)}
    assert 10 <= sum(label["label"] for label in labels) <= len(labels) - 10


def test_the_passes_differ_in_a_few_answers() -> None:
    """Most answers are the same in both passes, eleven are not."""
    first, second = _responses(1), _responses(2)

    assert sum(first[name] != second[name] for name in first) == 11


def test_hard_texts_are_among_the_examples() -> None:
    """Braces, Jinja and format fields, quotes, newlines, and text beyond ASCII all occur."""
    texts = [text for row in _references() for text in (row.gold, row.question)]
    texts += [text for number in (1, 2) for text in _responses(number).values()]
    everything = "\x00".join(texts)

    for part in (
        "{{ 7*7 }}",
        "{0}",
        "{date}_{room}",
        '"Stapler"',
        "\n",
        "\n\n",
        "«",
        "ü",
        "お",
        "🫧",
    ):
        assert part in everything


def test_no_example_holds_the_lead_of_a_field() -> None:
    """A prompt made of an example can be taken apart again at its fields."""
    texts = [text for row in _references() for text in (row.gold, row.question)]
    texts += [text for number in (1, 2) for text in _responses(number).values()]

    assert [(lead, text) for lead in LEADS for text in texts if f"{lead}: " in text] == []


def test_golds_of_one_route_are_distinct() -> None:
    """No gold, plain or normalised, stands inside another of the same route."""
    inside = [
        (one.id, other.id)
        for _, one, other in _same_route()
        if one.gold.casefold() in other.gold.casefold()
        or lexical.normalise(one.gold) in lexical.normalise(other.gold)
    ]

    assert inside == []


def test_every_gold_is_accepted_as_a_response() -> None:
    """The string rule accepts all 50 golds that are answers."""
    golds = [row.gold for row in _references() if _place(row).gold == "answer"]

    assert len(golds) == 50
    assert [gold for gold in golds if not lexical.decide("answer", gold, gold)] == []


def test_every_swapped_gold_is_rejected() -> None:
    """The string rule rejects every gold of another question of the same route."""
    pairs = [pair for pair in _same_route() if pair[0].gold != "explanation"]

    accepted = [
        (one.id, other.id)
        for place, one, other in pairs
        if lexical.decide(place.gold, one.gold, other.gold)
    ]
    assert len(pairs) == 30 * 29 + 3 * 10 * 9
    assert accepted == []


def test_the_string_rule_gets_every_drawn_control_right() -> None:
    """Whatever the seed, all 12 + 12 controls drawn from the examples come out right."""
    rows = _references()
    place = {row.id: _place(row) for row in rows}

    for seed in range(200):
        controls = draw(rows, _place, (12, 12), seed, _abstention())
        assert len(controls) == 24
        for control in controls:
            accepted = lexical.decide(place[control.id].gold, control.gold, control.response)
            assert accepted == (control.expect == "accept"), control


def test_the_readme_names_what_exists() -> None:
    """README.md speaks of files and ids that exist."""
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    ids = {row.id for row in _references()}

    named = set(re.findall(r"`([a-z]+-\d\d(?:_abs)?)`", text))
    assert named
    assert named <= ids
    assert all((EXAMPLES / name).exists() for name in re.findall(r"`([\w-]+\.jsonl?)`", text))
