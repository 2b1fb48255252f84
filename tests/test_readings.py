"""judge/readings: every reading against its table of replies, and what holds for all of them."""

import importlib.util
import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plans import Offer

from judge import packs
from judge.canonical import encode
from judge.envelope import Envelope
from judge.packs.files import shipped_names
from judge.reading import settle
from judge.readings import READINGS
from judge.records import Readings

TABLES = Path(__file__).parent / "readings"
SCRIPT = Path(__file__).parents[1] / "receipts" / "verify.py"


def _table(name: str) -> list[dict[str, str | None]]:
    path = TABLES / f"{name.replace('/', '.')}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]


ROWS = [(name, row["text"] or "", row["label"]) for name in READINGS for row in _table(name)]
SHEETS = {sheet.name: sheet for sheet in packs.survey(shipped_names())}
PIECES = (
    *(
        "yes",
        "no",
        "Yes",
        "No",
        "A",
        "B",
        "C",
        "CORRECT",
        "WRONG",
        "NOT_ATTEMPTED",
        "true",
        "false",
    ),
    *(
        "correct: ",
        "GRADE",
        "grade",
        ": ",
        ":",
        "P",
        "I",
        "[[",
        "]]",
        "[",
        "]",
        "7",
        "10",
        "0",
        ".",
    ),
    *("```", "json", '{"label": "', '"}', '{"criteria_met": ', "}", "{", "\\", '"', "*", "\u200b"),
    *("\n", " ", "\r", "\u0130", "\u0131", "\u2028", "\ufeff", "\ud800", "\x00"),
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text(max_size=40)


# --- the tables -----------------------------------------------------------------------------------


def test_every_reading_has_a_table_and_every_table_a_reading() -> None:
    """A file each, no reply twice, and both what holds a label and what holds none or another."""
    files = {path.stem.replace(".", "/") for path in TABLES.glob("*.jsonl")}

    assert files == set(READINGS)
    for name in READINGS:
        rows = _table(name)
        assert len({row["text"] for row in rows}) == len(rows)
        assert len({row["label"] for row in rows}) > 1


@pytest.mark.parametrize(("name", "text", "label"), ROWS, ids=range(len(ROWS)))
def test_a_reply_is_read_as_its_table_says(name: str, text: str, label: str | None) -> None:
    """Upstream readings as their authors' scripts read it, faults included."""
    assert READINGS[name].read(text) == label


@pytest.mark.parametrize(
    ("name", "text", "label"),
    [
        ("simpleqa-upstream/1", "CORRECT", "NOT_ATTEMPTED"),
        ("simpleqa-upstream/1", "NOT_ATTEMPTED", "CORRECT"),
        ("simpleqa-upstream/1", "no idea", "NOT_ATTEMPTED"),
        ("browsecomp-upstream/1", "correct: yes", None),
        ("mt-bench-upstream/1", "Rating: 9", None),
        ("mem0-upstream/1", '{"label": "Correct"}', "WRONG"),
        ("halueval-upstream/1", "None of it is made up.", "No"),
        ("inspect-upstream/1", "It is correct.", "I"),
        ("inspect-upstream/5", "GRADE: Cannot tell", "C"),
    ],
)
def test_a_documented_fault_is_reproduced(name: str, text: str, label: str | None) -> None:
    """What docs/rubrics.md says each parser gets wrong."""
    assert READINGS[name].read(text) == label


# --- what holds for all ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", READINGS)
@settings(max_examples=40)
@given(text=TEXTS)
def test_no_text_makes_a_reading_raise_or_give_another_label(name: str, text: str) -> None:
    """Whatever a judge replies."""
    assert READINGS[name].read(text) in {None, *READINGS[name].labels}


@pytest.mark.parametrize("name", READINGS)
@settings(max_examples=40)
@given(data=st.binary(max_size=60))
def test_no_bytes_do(name: str, data: bytes) -> None:
    """Decoded in either way a text can come about."""
    for text in (data.decode("utf-8", "replace"), data.decode("latin-1")):
        assert READINGS[name].read(text) in {None, *READINGS[name].labels}


@pytest.mark.parametrize("name", SHEETS)
@settings(max_examples=40)
@given(text=TEXTS)
def test_no_pack_gives_a_label_it_did_not_offer(name: str, text: str) -> None:
    """Nor does its strict reading contradict its upstream one: where both read, they agree."""
    sheet = SHEETS[name]
    assert sheet.readings is not None
    offer = Offer(labels=sheet.labels, accept=sheet.accept, readings=sheet.readings)
    found, _ = settle(Envelope("decided", text=text), 200, offer)

    assert found.label in {None, *sheet.labels}
    labels = found.readings or {}
    assert labels[sheet.readings.strict] in {None, labels[sheet.readings.upstream], found.label}


@pytest.mark.parametrize("name", SHEETS)
def test_a_packs_readings_can_give_its_labels(name: str) -> None:
    """The strict one all of them; the upstream one nothing else."""
    sheet = SHEETS[name]
    assert sheet.readings is not None
    strict, upstream = READINGS[sheet.readings.strict], READINGS[sheet.readings.upstream]

    assert set(sheet.labels) <= strict.labels
    assert upstream.labels <= strict.labels


@pytest.mark.parametrize("name", READINGS)
def test_a_hostile_reply_is_read_in_time(name: str) -> None:
    """The authors' own patterns take time that grows with the square of the reply."""
    size = 100_000
    began = time.perf_counter()
    for piece in ("GRADE", "GRADE: C ", " ", "[[", "[[1", "1", "```", "{", '"', "correct:\n", "\n"):
        for frame in ("{}", "[[{}", "GRADE:{}", "```{}", '{{"label": "{}"}}'):
            READINGS[name].read(frame.format(piece * (size // len(piece))))

    assert time.perf_counter() - began < 20


@pytest.mark.parametrize("name", ["json-label/1", "mem0-upstream/1"])
def test_json_beyond_a_hundred_deep_is_read_by_nobody(name: str) -> None:
    """So that the stack a reading is called on decides nothing."""
    for depth, label in ((99, "CORRECT"), (100, None), (100_000, None)):
        text = f'{{"label": "CORRECT", "x": {"[" * depth}{"]" * depth}}}'
        expected = label if name == "mem0-upstream/1" else None
        assert READINGS[name].read(text) == expected


def test_brackets_inside_a_text_are_not_depth() -> None:
    """A judge may quote code."""
    text = encode({"label": "WRONG", "why": "[" * 200}).decode()

    assert READINGS["json-label/1"].read(text) == READINGS["mem0-upstream/1"].read(text) == "WRONG"


# --- the second verifier --------------------------------------------------------------------------


_SPEC = importlib.util.spec_from_file_location("verify_readings", SCRIPT)
assert _SPEC is not None
assert _SPEC.loader is not None
verify = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(verify)
KNOWN = sorted(verify.READ)


def test_the_second_verifier_knows_every_packs_readings() -> None:
    """Of inspect_ai's five it knows the last; no pack names another."""
    assert set(READINGS) - set(KNOWN) == {f"inspect-upstream/{version}" for version in range(1, 5)}


@pytest.mark.parametrize("name", KNOWN)
def test_the_second_verifier_reads_the_tables_alike(name: str) -> None:
    """It shares no code with the package."""
    for row in _table(name):
        assert verify.READ[name](row["text"]) == row["label"], row


@pytest.mark.parametrize("name", KNOWN)
@settings(max_examples=40)
@given(text=TEXTS)
def test_the_second_verifier_reads_any_text_alike(name: str, text: str) -> None:
    """Two implementations, one format page."""
    assert verify.READ[name](text) == READINGS[name].read(text)


def test_two_names_are_two_readings() -> None:
    """Strict and upstream of a rubric are looked up by name, and may be the same one."""
    readings = Readings(strict="yes-no/1", upstream="yes-no/1")
    found, _ = settle(Envelope("decided", text="yes"), 200, Offer(readings=readings))

    assert (found.label, found.readings) == ("yes", {"yes-no/1": "yes"})
