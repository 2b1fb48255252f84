"""judge/packs/diffing.py: every difference between two rubrics."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packfolder import SOURCE, pack, script, sha, write

from judge import packs
from judge.canonical import digest
from judge.packs.diffing import words


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the user's folder one that holds a small pack and its texts."""
    folder = tmp_path / "home"
    monkeypatch.setenv("JUDGE_HOME", str(folder))
    write(folder, "tiny/one", pack())
    packs.add("tiny/one", script(tmp_path))
    return folder


TWO_TEMPLATES = f"{{one: {{sha256: {sha('one')}}}, two: {{sha256: {sha('two')}, gold: answer}}}}"


@pytest.mark.parametrize(
    ("key", "value", "what"),
    [
        ("source", SOURCE.replace("MIT", "BSD"), "source"),
        ("fields", "[response, gold, question]", "fields"),
        ("routes", "[{type: [y], template: two}, {template: one}]", "routes"),
        ("labels", '["yes", "no", "unsure"]', "labels"),
        ("accept", '"no"', "accept"),
        ("readings", "{strict: yes-no/2, upstream: yes-substring/1}", "readings"),
        ("judges", "[openai/x]", "judges"),
        ("settings", "{temperature: 0.7, max_tokens: 10}", "settings.temperature"),
        ("settings", "{temperature: 0.5}", "settings.max_tokens"),
        ("settings", "{temperature: 0.5, max_tokens: 10, seed: null}", "settings.seed"),
        ("templates", TWO_TEMPLATES, "gold of two"),
    ],
)
def test_every_part_that_is_no_text_is_compared(
    home: Path, key: str, value: str, what: str
) -> None:
    """Exactly the one that differs is named."""
    write(home, "tiny/two", pack("tiny/two", **{key: value}))

    found = packs.diff("tiny/one", "tiny/two")

    assert ([change.what for change in found.changes], found.templates) == ([what], ())


def test_the_dialect_is_compared(home: Path) -> None:
    """Fill and texts differ together."""
    text = "{{ question }} {{ gold }} {{ response }}"
    (home / "templates" / "tiny" / "x.j2").write_text(text + "\n", encoding="utf-8")
    entry = f"{{one: {{file: x.j2, sha256: {digest(text.encode())}}}}}"
    jinja = pack("tiny/two", fill="jinja", templates=entry, routes="[{template: one}]")
    write(home, "tiny/two", jinja)

    found = packs.diff("tiny/one", "tiny/two")

    assert [change.what for change in found.changes] == ["fill", "routes", "gold of two"]
    assert [template.name for template in found.templates] == ["one", "two"]
    assert found.templates[1].b_sha256 is None
    assert [word.op for word in found.templates[1].words] == ["removed"]


def test_a_rubric_does_not_differ_from_itself() -> None:
    """Nothing is made up."""
    found = packs.diff("tiny/one", "tiny/one")

    assert (found.changes, found.templates, found.a_pin) == ((), (), found.b_pin)


def test_a_text_that_is_absent_cannot_be_compared(home: Path) -> None:
    """Both ways to bring it are named."""
    (home / "texts" / sha("one")).unlink()

    with pytest.raises(packs.AbsentError, match="judge templates add tiny/one"):
        packs.diff("tiny/one", "tiny/one")


@given(st.text(max_size=30), st.text(max_size=30))
def test_words_give_back_both_texts(a: str, b: str) -> None:
    """Shared and removed runs are the first text, shared and added ones the second."""
    runs = words(a, b)

    assert "".join(run.text for run in runs if run.op != "added") == a
    assert "".join(run.text for run in runs if run.op != "removed") == b


def test_a_lost_space_is_a_difference_of_its_own() -> None:
    """It is not hidden in a word."""
    runs = [(run.op, run.text) for run in words("no. \n\nQ", "no.\n\nQ")]

    assert runs == [("same", "no."), ("removed", " "), ("same", "\n\nQ")]


def test_words_are_not_cut() -> None:
    """A changed word is shown whole."""
    runs = [(run.op, run.text) for run in words("be correct now", "be incorrect now")]

    assert runs == [
        ("same", "be "),
        ("removed", "correct"),
        ("added", "incorrect"),
        ("same", " now"),
    ]
