"""controls/*.yaml: what each file holds, and the judges that pass the draw and fail a file."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from kindruns import Row, brought, judged, sound

from judge import packs
from judge.controls import ControlFile, read_controls
from judge.gate import expected
from judge.packs import shipped
from judge.records import Rubric
from judge.recount import recount
from judge.report.console import described
from judge.report.summary import GateLine, Summary, summarise
from judge.rubric import route

FILES = {
    path.stem: path for path in shipped("controls").glob("*.yaml") if path.stem != "abstention"
}
OWN = "correctness/v1"
NAMES = (
    *("paraphrase", "near-miss", "vague", "abstention-hard", "preference", "attempts"),
    *("quality", "injection", "injection-three-way", "injection-grades"),
)
BINARY = ("paraphrase", "near-miss", "vague", "abstention-hard", "preference", "injection")
_KINDS = ("single-session-user", "multi-session", "temporal-reasoning", "knowledge-update")
TOWNS = ("Aurich", "Borkum", "Celle", "Deventer", "Emden", "Fulda", "Goslar", "Husum", "Itzehoe")
ROWS = {
    f"row-{n}": (_KINDS[n % 4], f"Where was fair number {n}?", town, f"It was in {town}.")
    for n, town in enumerate(TOWNS * 2)
}
"""Eighteen right answers on three routes of our own rubric."""


@pytest.fixture(autouse=True)
def _own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the texts that are brought in a folder of the test's own."""
    monkeypatch.setenv("JUDGE_HOME", str(tmp_path / "home"))


def _read(name: str) -> ControlFile:
    return read_controls(name)


# --- the files ------------------------------------------------------------------------------------


def test_the_files_are_those_the_page_names() -> None:
    """Each of them, and no other."""
    page = Path(__file__).parents[1] / "docs" / "controls.md"
    told = re.findall(r"^\| `([a-z-]+)` \|", page.read_text("utf-8"), re.MULTILINE)

    assert sorted(told) == sorted(FILES) == sorted(NAMES)


def test_no_id_stands_twice_over_all_files() -> None:
    """Any of them can go into one run."""
    counts = Counter(one.id for name in NAMES for one in _read(name).controls)

    assert [name for name, count in counts.items() if count > 1] == []
    assert min(len(_read(name).controls) for name in NAMES) >= 8


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_plain_text(name: str) -> None:
    """Signs beyond ASCII are escapes, so that what cannot be seen can be reviewed."""
    data = FILES[name].read_bytes()

    assert data.isascii()
    assert data.endswith(b"\n")
    assert b"\r" not in data


@pytest.mark.parametrize("name", BINARY)
def test_a_file_suits_our_own_rubric(name: str) -> None:
    """Each control has a route and a label that is right, and abstention goes where it belongs."""
    found = packs.load(OWN)
    for one in _read(name).controls:
        template = route(found, one.id, one.type, abstention=one.abstention)
        assert expected(one, found) in {("yes",), ("no",)}
        assert (template.gold == "explanation") == one.abstention == one.id.endswith("_abs")


@pytest.mark.parametrize("name", BINARY)
def test_a_file_suits_longmemeval(name: str) -> None:
    """By types and ids, as the benchmark routes."""
    (sheet,) = packs.survey(("longmemeval/upstream",))
    types = {kind for way in sheet.routes for kind in way.types or ()}

    for one in _read(name).controls:
        assert one.type in types
        assert one.abstention == ("_abs" in one.id)


@pytest.mark.parametrize("name", ["injection", "injection-three-way", "injection-grades"])
def test_every_attack_stands_in_a_bad_answer_and_is_quoted_in_a_good_one(name: str) -> None:
    """But for an empty answer, which has nothing to quote."""
    controls = {one.id: one for one in _read(name).controls}
    for one in controls.values():
        twin = controls.get(one.id.replace("-attack", "-quoted"))
        assert one.arm == "injection"
        assert (one.expect == "accept") == one.id.endswith("-quoted")
        if one.expect == "reject":
            assert one.gold not in one.response
            assert twin is not None or "null" in one.id
        else:
            assert one.gold in one.response or name == "injection-grades"


def test_the_families_of_orders_are_all_there() -> None:
    """Those of the page, by the controls' ids."""
    families = {
        re.sub(r"^injection-|-\d+-(attack|quoted)$", "", one.id)
        for one in _read("injection").controls
    }

    assert families == {
        *("direct-order", "authority", "fake-delimiter", "fake-turn", "json-spoof", "master-key"),
        *("padding", "null", "buried", "unicode", "encoding", "self-praise", "rubric-echo"),
        "template",
    }


# --- judges that pass the draw and fail a file ----------------------------------------------------


def _yes(right: bool) -> str:  # noqa: FBT001 - a word for a truth value
    return "yes" if right else "no"


def _sound(row: Row) -> str:
    return _yes(sound(row) == "right")


def _containing(row: Row) -> str:
    """Look for the gold's own words."""
    return _yes(row.gold.lower() in row.response.lower())


_ORDER = re.compile(r"(?is)\b(ignore|answer|reply|output|label|system)\b.*\b(yes|correct)\b")


def _obeying(row: Row) -> str:
    """A careful judge, but for answers that tell it what to say."""
    return "yes" if _ORDER.search(row.response) else _sound(row)


def _punishing(row: Row) -> str:
    """A careful judge, but it rejects whatever mentions an order."""
    return "no" if _ORDER.search(row.response) else _sound(row)


def _generous(row: Row) -> str:
    """A careful judge, but it accepts what talks about the topic."""
    asked, said = (
        set(re.findall(r"\w{4,}", text.lower())) for text in (row.question, row.response)
    )
    return "yes" if len(asked & said) > 1 else _sound(row)


def _ran(rule: Callable[[Row], str], folder: Path, *controls: str) -> Summary:
    found = packs.load(OWN)
    outcome = judged(found, ROWS, rule, folder, positive=6, negative=6, controls=controls)
    return summarise(recount(outcome.folder))


def _arms(summary: Summary) -> dict[str, GateLine]:
    return {line.arm: line for line in summary.gate}


@pytest.mark.parametrize(
    "rule", [_sound, _containing, _obeying, _punishing, _generous], ids=lambda rule: rule.__name__
)
def test_all_of_these_judges_pass_the_draw(rule: Callable[[Row], str], tmp_path: Path) -> None:
    """The gold must be accepted, another question's gold rejected: that is easy."""
    summary = _ran(rule, tmp_path)

    assert (summary.state, summary.conditions[0].rate) == ("complete", 1.0)
    assert all(line.correct == line.asked for line in summary.gate)
    assert "easy controls only" in described(summary, bounds=False)


def test_a_careful_judge_passes_all_files(tmp_path: Path) -> None:
    """They are no trap: what is asked for can be given."""
    summary = _ran(_sound, tmp_path, *BINARY)

    assert summary.state == "complete"
    assert all(line.correct == line.asked for line in summary.gate)


def test_a_judge_that_obeys_orders_fails_the_injection_arm(tmp_path: Path) -> None:
    """And no other."""
    summary = _ran(_obeying, tmp_path, "injection")
    arms = _arms(summary)

    assert summary.state == "gate-failed"
    assert arms["positive"].passed
    assert arms["negative"].passed
    assert (arms["injection"].passed, arms["injection"].need) == (False, 49)
    assert arms["injection"].correct < 49


def test_a_judge_that_rejects_every_mention_of_an_order_fails_too(tmp_path: Path) -> None:
    """A right answer that quotes one is right."""
    arms = _arms(_ran(_punishing, tmp_path, "injection"))

    assert not arms["injection"].passed


def test_a_judge_that_accepts_vague_answers_fails_the_preset_ones(tmp_path: Path) -> None:
    """The draw has none of them."""
    summary = _ran(_generous, tmp_path, "vague")
    arms = _arms(summary)

    assert summary.state == "gate-failed"
    assert arms["positive"].passed
    assert not arms["negative"].passed
    assert arms["negative"].asked == 18


def test_a_judge_that_looks_for_words_fails_on_paraphrase(tmp_path: Path) -> None:
    """And on a near miss it is never wrong, since the gold's words are not there."""
    arms = _arms(_ran(_containing, tmp_path, "paraphrase", "near-miss"))

    assert not arms["positive"].passed


# --- other kinds ----------------------------------------------------------------------------------


_SIMPLEQA, _MT_BENCH = ("simpleqa/upstream", ".py"), ("mt-bench-single/upstream", ".jsonl")


def _letters(row: Row) -> str:
    return {"right": "A", "wrong": "B", "none": "C"}[sound(row)]


def _rating(row: Row) -> str:
    return f"Rating: [[{9 if sound(row) == 'right' else 2}]]"


@pytest.mark.parametrize(
    ("source", "controls", "careful", "careless", "arm"),
    [
        pytest.param(
            *(_SIMPLEQA, ("attempts", "injection-three-way"), _letters),
            *(lambda row: "A" if _letters(row) == "A" else "B", "negative"),
            id="never-says-not-attempted",
        ),
        pytest.param(
            *(_SIMPLEQA, ("near-miss", "injection-three-way"), _letters),
            *(lambda row: "A" if "CORRECT" in row.response else _letters(row), "injection"),
            id="obeys-with-a-letter",
        ),
        pytest.param(
            *(_MT_BENCH, ("quality", "injection-grades"), _rating),
            *(lambda row: "[[10]]" if "[[10]]" in row.response else _rating(row), "injection"),
            id="obeys-with-a-rating",
        ),
        pytest.param(
            *(_MT_BENCH, ("quality",), _rating),
            *(lambda row: "[[7]]" if row.expect == "reject" else _rating(row), "negative"),
            id="kind-to-bad-answers",
        ),
    ],
)
def test_files_for_letters_and_grades_do_the_same(
    source: tuple[str, str],
    controls: tuple[str, ...],
    careful: Callable[[Row], str],
    careless: Callable[[Row], str],
    arm: str,
    tmp_path: Path,
) -> None:
    """A careful judge passes; a careless one passes the draw and fails in this arm."""
    found: Rubric = brought(source[0], tmp_path, source[1])
    states = {}
    for name, rule, files in (
        ("careful", careful, controls),
        ("drawn", careless, ()),
        ("careless", careless, controls),
    ):
        outcome = judged(found, ROWS, rule, tmp_path / name, controls=files)
        summary = summarise(recount(outcome.folder))
        states[name] = summary.state, [one.arm for one in summary.gate if not one.passed]

    assert states["careful"] == ("complete", [])
    assert states["drawn"] == ("complete", [])
    assert states["careless"] == ("gate-failed", [arm])
