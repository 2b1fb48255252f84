"""judge/packs/slicing.py and starting.py: a modified edition from an edited file."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from packfolder import TEXTS, pack, script, write

from judge import packs
from judge.canonical import digest
from judge.cli.templates import group
from judge.errors import InputError, StorageError
from judge.packs.slicing import slices
from judge.rubric import Slice, compose


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the user's folder one that holds a small pack and its texts."""
    folder = tmp_path / "home"
    monkeypatch.setenv("JUDGE_HOME", str(folder))
    write(folder, "tiny/one", pack())
    packs.add("tiny/one", script(tmp_path))
    return folder


LONG = "Please compare the answer with the gold answer, and say yes or no. {} {} {}"


# --- slices -------------------------------------------------------------------------------------


@given(
    st.lists(st.sampled_from(["abcdefghijklmnop", "0123456789ABCDEF", "x", "é\U0001f600", "\n"]))
)
def test_parts_always_make_the_edited_text(pieces: list[str]) -> None:
    """Whatever was moved, cut or written new."""
    texts = {"a": "abcdefghijklmnop\nabcdefgh", "b": "é\U0001f6000123456789ABCDEF"}
    edited = "".join(pieces)
    parts = slices(edited, texts)

    assert not edited or compose(parts, texts) == edited


def test_what_is_shared_is_sliced_and_what_is_new_is_literal() -> None:
    """A word taken out, a word put in."""
    edited = LONG.replace("the gold answer", "the given answer").replace(", and", " and")

    parts = slices(edited, {"long": LONG})

    # " answer" is too short a run to be anybody's.
    assert parts == (Slice("long", 0, 36), "iven answer", Slice("long", 47, 75))
    assert compose(parts, {"long": LONG}) == edited


def test_the_longest_shared_run_is_taken() -> None:
    """Of whichever text has it."""
    texts = {"short": "abcdefghijklm-", "long": "--abcdefghijklmnopq"}

    assert slices("abcdefghijklmnopq", texts) == (Slice("long", 2, 19),)


def test_of_two_equal_runs_the_first_text_gives_it() -> None:
    """So that a template's own words are its own."""
    texts = {"one": "abcdefghijklm", "two": "abcdefghijklm"}

    assert slices("abcdefghijklm", texts) == (Slice("one", 0, 13),)


def test_a_short_run_is_anybodys() -> None:
    """Eleven characters are no slice."""
    assert slices("abcdefghijk", {"a": "abcdefghijk"}) == ("abcdefghijk",)


# --- new ----------------------------------------------------------------------------------------


def _edit(tmp_path: Path, text: str, name: str = "mine.txt") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_an_edited_text_becomes_an_edition_with_slices_and_a_pin(tmp_path: Path) -> None:
    """The composed hash is the edited text's; the rest is inherited."""
    edited = TEXTS["one"].replace("yes or no", "yes, or no")

    started = packs.start("tiny/mine", "tiny/one", _edit(tmp_path, edited + "\n"))

    rubric = packs.load("tiny/mine")
    assert (started.templates, started.pin) == (("one",), rubric.pin)
    assert {t.name: t.text for t in rubric.templates} == {"one": edited, "two": TEXTS["two"]}
    assert rubric.templates[0].sha256 == digest(edited.encode())
    assert packs.check("tiny/mine").warnings == ()
    assert rubric.pin != packs.load("tiny/one").pin


def test_a_file_with_many_texts_is_matched_by_likeness(tmp_path: Path) -> None:
    """Each edited text is one template's; one that is as pinned is inherited."""
    path = script(
        tmp_path, TEXTS["one"], TEXTS["two"] + " Now say which.", "another text of theirs"
    )

    assert packs.start("tiny/mine", "tiny/one", path).templates == ("two",)


def test_a_template_whose_own_text_is_there_is_not_edited(tmp_path: Path) -> None:
    """A text that is like it as well is somebody's note."""
    path = script(tmp_path, TEXTS["one"], TEXTS["one"] + " Or not.")

    with pytest.raises(InputError, match="holds no edited text"):
        packs.start("tiny/mine", "tiny/one", path)


def test_a_single_text_can_be_said_to_be_one_templates(tmp_path: Path) -> None:
    """However much of it is new."""
    path = _edit(tmp_path, "Wholly new words, then: {}{}{}")

    with pytest.raises(InputError, match="holds no edited text of tiny/one"):
        packs.start("tiny/mine", "tiny/one", path)
    assert packs.start("tiny/mine", "tiny/one", path, "two").templates == ("two",)
    assert packs.load("tiny/mine").templates[1].text == "Wholly new words, then: {}{}{}"


def test_strange_signs_survive_the_file(tmp_path: Path) -> None:
    """Spaces at both ends, quotes, an emoji, a word YAML would take for another thing."""
    text = "  'yes': \"no\" # \U0001f600 {{x}} - &a *b !c {} {} {} null\n\n "
    path = tmp_path / "mine.py"
    path.write_text(f"P = {text!r}\n", encoding="utf-8")
    packs.start("tiny/mine", "tiny/one", path, "one")

    assert packs.load("tiny/mine").templates[0].text == text


@pytest.mark.parametrize(
    ("name", "of", "template", "what"),
    [
        ("tiny/one", "tiny/one", None, "tiny/one is there already"),
        ("longmemeval/upstream", "tiny/one", None, "is there already"),
        ("Tiny/x", "tiny/one", None, "neither RUBRIC/EDITION"),
        ("x.yaml", "tiny/one", None, "name both rubrics as"),
        ("tiny/mine", "tiny/six", None, "no rubric is named 'tiny/six'"),
        ("tiny/mine", "tiny/one", "six", "no template is named 'six'"),
        ("tiny/mine", "longmemeval/upstream", None, "not on this machine"),
    ],
)
def test_what_cannot_be_started_is_refused(
    name: str, of: str, template: str | None, what: str, tmp_path: Path
) -> None:
    """And nothing is written."""
    with pytest.raises(InputError, match=what):
        packs.start(name, of, _edit(tmp_path, TEXTS["one"] + "?"), template)
    assert "tiny/mine" not in packs.names()


def test_an_edit_that_does_not_follow_its_dialect_leaves_nothing(tmp_path: Path) -> None:
    """A field too few: the pack would not load."""
    path = _edit(tmp_path, TEXTS["one"].replace("{}", "", 1))

    with pytest.raises(InputError, match="has 2 places"):
        packs.start("tiny/mine", "tiny/one", path)
    assert "tiny/mine" not in packs.names()


def test_a_joined_prompt_is_edited_by_hand(home: Path, tmp_path: Path) -> None:
    """Its places are offsets, which no edited file holds."""
    text = "I Q: A: "
    one = f"{{one: {{file: x.txt, sha256: {digest(text.encode())}, places: [4, 8]}}}}"
    path = write(
        home,
        "tiny/joined",
        pack(
            "tiny/joined",
            fill="concat",
            fields="[question, response]",
            templates=one,
            routes="[{template: one}]",
        ),
    )
    (path.parent / "x.txt").write_text(text + "\n", encoding="utf-8")

    with pytest.raises(InputError, match="joined from pieces"):
        packs.start("tiny/mine", "tiny/joined", _edit(tmp_path, "x"))


def test_a_folder_that_cannot_be_written_is_a_storage_error(home: Path, tmp_path: Path) -> None:
    """Exit 7."""
    (home / "templates" / "fresh").write_text("in the way", encoding="utf-8")

    with pytest.raises(StorageError, match="cannot be written"):
        packs.start("fresh/mine", "tiny/one", _edit(tmp_path, TEXTS["one"] + "?"))


def test_the_command_says_what_it_wrote_and_where(tmp_path: Path) -> None:
    """The pin, the edited templates, the next command."""
    path = _edit(tmp_path, TEXTS["one"] + "?")
    words = ["new", "tiny/mine", "--of", "tiny/one", "--from", str(path)]
    result = CliRunner().invoke(group, words, catch_exceptions=False)

    first, second, *kept, last = result.stdout.splitlines()
    assert first == f"tiny/mine  {packs.load('tiny/mine').pin}"
    assert second == "edited: one; the rest is tiny/one's"
    assert "`judge templates diff tiny/one tiny/mine`" in last
    assert any("the parser of tiny/one, its faults included" in line for line in kept)
    assert any(line.startswith("kept: settings ") for line in kept)
    assert "warning: one: the closing line was edited" in result.stderr


def test_an_edit_that_leaves_the_closing_line_gives_no_warning(tmp_path: Path) -> None:
    """And one that takes a label word away names it."""
    first = "Say yes or no.\n"
    edited = packs.start("tiny/front", "tiny/one", _edit(tmp_path, first + TEXTS["one"]))

    assert not any("closing line" in sentence for sentence in edited.warnings)
    assert edited.kept[0].startswith("readings ")
