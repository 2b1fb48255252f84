"""judge/cli/templates.py: the rubric library on the command line."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from packfolder import TEXTS, pack, script, sha, write

from judge.canonical import digest, encode
from judge.cli.templates import group
from judge.errors import InputError


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the user's folder one that holds a small pack."""
    folder = tmp_path / "home"
    monkeypatch.setenv("JUDGE_HOME", str(folder))
    write(folder, "tiny/one", pack())
    return folder


def _run(*words: str) -> Result:
    return CliRunner().invoke(group, words, catch_exceptions=True)


def _out(*words: str) -> str:
    result = _run(*words)
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_list_says_where_the_texts_are(tmp_path: Path) -> None:
    """Absent before `add`, in the store after."""
    before = _out("list")
    _out("add", "tiny/one", "--from", str(script(tmp_path)))
    after = _out("list")

    assert before.splitlines()[0].split() == [
        *("RUBRIC", "EDITION", "LICENCE", "LABELS", "TEXTS", "PIN")
    ]
    (line,) = [line for line in before.splitlines() if line.startswith("tiny")]
    assert line.split()[:5] == ["tiny", "one", "MIT", "binary", "absent"]
    (line,) = [line for line in after.splitlines() if line.startswith("tiny")]
    assert line.split()[:5] == ["tiny", "one", "MIT", "binary", "store"]
    (line,) = [line for line in after.splitlines() if line.startswith("correctness")]
    assert line.split()[:5] == ["correctness", "v1", "-", "binary", "shipped"]
    assert "absent: bring them by `judge templates fetch RUBRIC/EDITION`" in before


def test_list_puts_what_is_refused_on_stderr(home: Path) -> None:
    """The list itself still prints."""
    write(home, "tiny/one", "a: [")
    result = _run("list")

    assert result.exit_code == 0
    assert "refused: tiny/one: " in result.stderr
    assert "refused" in result.stdout


def test_show_marks_fields_routes_settings_and_origin(home: Path, tmp_path: Path) -> None:
    """Texts only on request."""
    write(home, "tiny/one", pack(note="know this"))
    _out("add", "tiny/one", "--from", str(script(tmp_path)))
    plain, whole = _out("show", "tiny/one"), _out("show", "tiny/one", "--text")

    for part in (
        "fill      format: question, gold, response",
        "labels    binary: yes, no; 'yes' counts as correct",
        "texts     store",
        "readings  strict yes-no/1, upstream yes-substring/1",
        'settings  {"max_tokens":10,"temperature":"0.5"}',
        "route 1   type x: two",
        "route 2   any other item: one",
        "gold is: rubric",
        "note      know this",
        "warning   no pin",
        sha("one"),
    ):
        assert part in plain
    assert "yes or no" not in plain
    assert "  | Q ⟦question⟧ G ⟦gold⟧ R ⟦response⟧?\n  | yes or no\n" in whole


def test_show_says_when_a_text_is_absent() -> None:
    """And what a text is made of."""
    whole = _out("show", "longmemeval/released", "--text")

    assert "  its text is not on this machine" in whole
    assert "made of base[0:398] + ' ' + knowledge-update[160:339] + base[399:508]" in whole
    assert "route 1   id contains '_abs': abstention" in whole


def test_check_passes_with_pins_only() -> None:
    """A machine without the texts can still hold the pins."""
    lines = _out("check", "longmemeval/upstream", "tiny/one").splitlines()

    assert lines[0].startswith("longmemeval/upstream  pins only  ad954c462069")
    assert lines[1].startswith("tiny/one  pins only  ")
    assert lines[2].startswith("  warning: no pin; add `pin: ")


def test_check_of_all_raises_when_one_is_refused(home: Path) -> None:
    """The rest is printed first."""
    write(home, "tiny/one", "a: [")
    result = _run("check")

    assert isinstance(result.exception, InputError)
    assert str(result.exception).endswith("rubrics refused: tiny/one")
    assert "correctness/v1  ok  " in result.stdout


def test_add_says_what_was_kept_and_that_the_file_differs(tmp_path: Path) -> None:
    """One line each."""
    lines = _out("add", "tiny/one", "--from", str(script(tmp_path))).splitlines()

    assert lines[0] == "tiny/one: 2 texts kept: one, two"
    assert lines[1].startswith("note: eval.py is not the pinned file (SHA-256 ")


def test_add_needs_a_file() -> None:
    """Usage, not a guess."""
    assert _run("add", "tiny/one").exit_code == 2


def test_fetch_of_a_pack_that_came_whole_is_refused() -> None:
    """The error reaches the caller as it is."""
    result = _run("fetch", "correctness/v1")

    assert isinstance(result.exception, InputError)


def test_diff_shows_words_and_facts(home: Path, tmp_path: Path) -> None:
    """A lost space is visible."""
    _out("add", "tiny/one", "--from", str(script(tmp_path)))
    cut = TEXTS["one"].replace("G {}", "G{}")
    end = cut.index("G{}") + 1
    parts = f"[[one, 0, {end}], [one, {end + 1}, {len(TEXTS['one'])}]]"
    entry = f"{{one: {{parts: {parts}, sha256: {digest(cut.encode())}}}}}"
    child = f"rubric: tiny\nedition: cut\nof: tiny/one\nsettings: {{n: 1}}\ntemplates: {entry}\n"
    write(home, "tiny/cut", child)

    shown = _out("diff", "tiny/one", "tiny/cut")

    assert 'settings.temperature: "0.5" -> "(absent)"' in shown
    assert 'settings.n: "(absent)" -> 1' in shown
    assert "Q {} G[-␠-]{} R {}?" in shown


def test_diff_of_a_rubric_with_itself_says_so(tmp_path: Path) -> None:
    """An empty answer would leave doubt."""
    _out("add", "tiny/one", "--from", str(script(tmp_path)))

    assert "no difference" in _out("diff", "tiny/one", "tiny/one")


@pytest.mark.parametrize(
    "words", [("list",), ("check",), ("show", "tiny/one"), ("diff", "tiny/one", "tiny/one")]
)
def test_json_is_one_document_and_nothing_else(words: tuple[str, ...], tmp_path: Path) -> None:
    """For every command that has it."""
    added = json.loads(_out("add", "tiny/one", "--json", "--from", str(script(tmp_path))))
    result = _run(*words, "--json")

    assert added["templates"] == ["one", "two"]
    assert json.loads(result.stdout)
    assert result.stdout.count("\n") == 1


def test_show_json_holds_texts_only_on_request(tmp_path: Path) -> None:
    """As without --json."""
    _out("add", "tiny/one", "--from", str(script(tmp_path)))
    plain = json.loads(_out("show", "tiny/one", "--json"))
    whole = json.loads(_out("show", "tiny/one", "--json", "--text"))

    assert [template["text"] for template in plain["templates"]] == [None, None]
    assert [template["text"] for template in whole["templates"]] == list(TEXTS.values())


def test_foreign_text_is_escaped(home: Path, tmp_path: Path) -> None:
    """What a pack says cannot drive the terminal, in words or in JSON."""
    evil = '"{repository}\\e]0;x\\a\\u202e"'
    write(home, "tiny/one", pack(judges=f"[{evil}]"))
    _out("add", "tiny/one", "--from", str(script(tmp_path)))

    for words in (("show", "tiny/one"), ("show", "tiny/one", "--json")):
        shown = _out(*words)
        assert not set(shown) & {"\x1b", "\x07", "\u202e"}
    assert "⟨U+202E⟩" in _out("show", "tiny/one")
    assert json.loads(_out("show", "tiny/one", "--json"))["judges"] == [
        "{repository}\x1b]0;x\x07\u202e"
    ]


# --- doctor -------------------------------------------------------------------------------------


def _copy(tmp_path: Path, *texts: str) -> str:
    path = tmp_path / "judge.py"
    code = "\n".join(f"T{number} = {text!r}" for number, text in enumerate(texts))
    path.write_text(code + "\nask(max_tokens=5, temperature=0.5)\n", encoding="utf-8")
    return str(path)


LONG_ONE = "Compare the answer with the gold answer, please, and answer yes or no. {} {} {}"
LONG_TWO = "Here is another way to ask whether the answer is any good, by yes or no: {} {} {}"


@pytest.fixture
def _long(home: Path, tmp_path: Path) -> None:
    """Make the small pack one whose texts are long enough to be told from others."""
    one, two = (digest(text.encode()) for text in (LONG_ONE, LONG_TWO))
    templates = f"{{one: {{sha256: {one}}}, two: {{sha256: {two}}}}}"
    write(home, "tiny/one", pack(templates=templates))
    _out("add", "tiny/one", "--from", str(script(tmp_path, LONG_ONE, LONG_TWO)))


@pytest.mark.usefixtures("_long")
def test_doctor_says_what_a_file_holds_and_what_differs(tmp_path: Path) -> None:
    """The likest rubric in full."""
    lines = _out("doctor", _copy(tmp_path, LONG_ONE.replace(", please", ""), LONG_TWO)).splitlines()

    assert lines[0].startswith("judge.py  ")
    assert lines[1] == (
        "tiny/one: not the official judge: 1 of 2 pinned texts unchanged, and what differs is below"
    )
    assert lines[2] == "  exact       two (line 2)"
    assert lines[3].startswith("  changed     one (line 1, ")
    assert "  words    one (line 1): 1 words removed (', please'), 0 added ('')" in lines
    assert "  setting  max_tokens (line 3): max_tokens is 5, the rubric's is 10" in lines
    assert lines[-1].startswith("by hash only, since their texts are not on this machine: ")


@pytest.mark.usefixtures("_long")
def test_doctor_says_when_it_is_the_judge(tmp_path: Path) -> None:
    """As far as the file shows."""
    path = tmp_path / "prompts.json"
    path.write_bytes(encode([LONG_ONE, LONG_TWO]))

    said = "tiny/one: not the official judge, but a local or modified edition: 2 of 2 pinned texts"
    assert said in _out("doctor", str(path))
    found = json.loads(_out("doctor", str(path), "--of", "tiny/one", "--json"))
    # A local edition is never the official judge, whatever the file holds.
    assert [one["official"] for one in found["compared"]] == [False]


def test_doctor_says_when_it_is_none(tmp_path: Path) -> None:
    """And with what it could only compare by hash."""
    shown = _out("doctor", _copy(tmp_path, "nothing of the kind"))

    assert "holds no text of a known judge, unchanged or changed" in shown
    assert "a changed copy of theirs goes unseen" in shown
