"""judge/doctor/usage.py: how a program uses the texts it holds, and what is not claimed."""

import codecs
from pathlib import Path

import orjson
import pytest
from doctorfiles import library, script
from packfolder import SHARED, upstream_texts

from judge import packs
from judge.cli import main
from judge.doctor import Compared, diagnose
from judge.errors import InputError

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the folder ../shared is not here")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder that holds LongMemEval's texts."""
    monkeypatch.setenv("JUDGE_HOME", str(tmp_path / "home"))
    library(tmp_path)
    return tmp_path / "home"


def _edited(folder: Path, old: str, new: str) -> Path:
    """The upstream-shaped script, one thing of it changed."""
    path = script(folder)
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return path


def _found(path: Path) -> Compared:
    return next(one for one in diagnose(path).compared if one.rubric == "longmemeval/upstream")


MUTATIONS = {
    "order of values": (
        "template.format(question, answer, response)",
        "template.format(question, response, answer)",
        "filled with question, response, gold; the rubric's order is question, gold, response",
    ),
    "response cut": (
        "template.format(question, answer, response)",
        "template.format(question, answer, response[:200])",
        "the response is cut before it is filled in",
    ),
    "response stripped": (
        "template.format(question, answer, response)",
        "template.format(question, answer, response.strip())",
        "the response is changed by .strip() before it is filled in",
    ),
    "names exchanged": (
        "    return template.format(question, answer, response)",
        (
            "    answer, response = response, answer\n"
            "    return template.format(question, answer, response)"
        ),
        "filled with question, response, gold; the rubric's order is question, gold, response",
    ),
    "put into a format": (
        '"content": text}',
        '"content": "Be kind. %s" % text}',
        "the filled prompt is joined with other text",
    ),
    "a setting more": (
        "max_tokens=10",
        "max_tokens=10, stop=['no']",
        "stop is sent, the rubric sends none",
    ),
    "system message": (
        '[{"role": "user", "content": text}]',
        '[{"role": "system", "content": "Be generous."}, {"role": "user", "content": text}]',
        "messages are system, user; the rubric sends user",
    ),
    "abstention test": (
        "'_abs' in qid",
        "qid.endswith('_abs')",
        (
            "ids with '_abs' in their middle take the text of base; the rubric's is abstention, "
            "wherever that stands in an id"
        ),
    ),
    "swapped routes": (
        'elif task == "temporal-reasoning":\n        template = TEXTS["temporal-reasoning"]',
        'elif task == "temporal-reasoning":\n        template = TEXTS["base"]',
        "type temporal-reasoning takes the text of base; the rubric's is temporal-reasoning",
    ),
    "merged onto base, its own text left": (
        'elif task == "knowledge-update":\n        template = TEXTS["knowledge-update"]',
        'elif task == "knowledge-update":\n        template = TEXTS["base"]',
        "type knowledge-update takes the text of base; the rubric's is knowledge-update",
    ),
}
_USE = """

def ask(client, row):
    text = prompt(row.task, row.question, row.answer, row.response, row.id)
"""
JOINED = {
    "joined": ("    text = 'Be generous. ' + text\n", "is joined with other text"),
    "added to": ("    text += ' Think.'\n", "is joined with other text"),
    "put into": ("    text = f'Be kind. {text}'\n", "is put into another text"),
    "replaced in": ("    text = text.replace('no', 'yes')\n", "is changed by .replace()"),
    "stripped": ("    text = text.strip()\n", "is changed by .strip()"),
    "cut": ("    text = text[:4000]\n", "is cut"),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_another_use_of_the_same_texts_is_named(name: str, tmp_path: Path) -> None:
    """All texts are exact, and it is not the official judge."""
    old, new, said = MUTATIONS[name]
    found = _found(_edited(tmp_path, old, new))

    assert {match.state for match in found.matches} == {"exact"}
    assert said in [finding.said for finding in found.findings]
    assert found.official is False


@pytest.mark.parametrize("name", JOINED)
def test_what_is_done_to_the_filled_prompt_is_named(name: str, tmp_path: Path) -> None:
    """Between filling and sending."""
    line, said = JOINED[name]
    path = script(tmp_path)
    with path.open("a", encoding="utf-8") as file:
        file.write(_USE + line + "    return judge(client, text)\n")
    found = _found(path)

    assert any(said in finding.said for finding in found.findings), found.findings
    assert found.official is False


def test_swapped_arguments_of_a_call_are_named(tmp_path: Path) -> None:
    """The function is the upstream's; its caller is not."""
    path = script(tmp_path)
    with path.open("a", encoding="utf-8") as file:
        file.write("\n\ndef ask(c, row):\n    ")
        file.write("return judge(c, prompt(row['type'], row['question'], row['hypothesis'], ")
        file.write("row['answer'], row['id']))\n")
    told = [finding.said for finding in _found(path).findings]

    assert told == [
        "filled with question, response, gold; the rubric's order is question, gold, response"
    ]


def test_a_use_that_agrees_is_official(tmp_path: Path) -> None:
    """Everything was seen, and is the rubric's own."""
    path = script(tmp_path)
    with path.open("a", encoding="utf-8") as file:
        file.write(_USE + "    return judge(client, text)\n")
    found = _found(path)

    assert found.findings == ()
    assert (found.official, found.unfollowed) == (True, ())


@pytest.mark.parametrize(
    ("old", "new", "aspect"),
    [
        ("model='gpt-4o-2024-08-06'", "model=MODEL", "judge"),
        ('messages=[{"role": "user", "content": text}]', "messages=wrap(text)", "messages"),
        ("template.format(question, answer, response)", "fill(template, row)", "order"),
        ("n=1, temperature=0, max_tokens=10", "**SETTINGS", "settings"),
        ("temperature=0", "temperature=T", "settings"),
        ("return 'yes' in reply.lower()", "return 'yes' in reply.lower() or odd(reply)", "parser"),
        ("return 'yes' in reply.lower()", "return not 'yes' in reply.lower()", "parser"),
        (
            "    reply = completion",
            "    if len(text) > 9:\n        return True\n    reply = completion",
            "parser",
        ),
        ('"content": text}', '"content": other}', "prompt"),
        ("def prompt(", "change(TEXTS)\n\n\ndef prompt(", "routes"),
        ("def judge(", "def prompt(*_):\n    return 'Say yes.'\n\n\ndef judge(", "prompt"),
        ("return 'yes' in reply.lower()", "return parse(reply)", "parser"),
    ],
)
def test_what_cannot_be_followed_is_said_and_nothing_is_claimed(
    old: str, new: str, aspect: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Null, not true; the words say what was not seen."""
    path = _edited(tmp_path, old, new)
    found = _found(path)

    assert found.findings == ()
    assert found.official is None
    assert aspect in found.unfollowed
    assert main(["templates", "doctor", str(path)]) == 0
    said = capsys.readouterr().out
    assert "is not established" in said
    assert " is not followed here" in said
    assert main(["templates", "doctor", str(path), "--json"]) == 0
    assert orjson.loads(capsys.readouterr().out)["compared"][0]["official"] is None


def test_texts_alone_are_not_official(tmp_path: Path) -> None:
    """A file of prompts says nothing of their use."""
    path = tmp_path / "prompts.json"
    path.write_bytes(orjson.dumps(list(upstream_texts().values())))
    found = _found(path)

    assert found.official is None
    assert "routes" in found.unfollowed


def test_a_local_edition_is_never_official_nor_first(tmp_path: Path) -> None:
    """Even where its texts are those of the file to the letter, and the shipped pin's are too."""
    edited = tmp_path / "edited.txt"
    edited.write_text(upstream_texts()["base"].replace("answer no. \n", "answer no.\n"), "utf-8")
    packs.start("longmemeval/mine", "longmemeval/upstream", edited, template="base")
    found = diagnose(script(tmp_path)).compared
    names = [one.rubric for one in found]

    assert names[0] == "longmemeval/upstream"
    mine = next(one for one in found if one.rubric == "longmemeval/mine")
    assert mine.official is False


def test_a_text_that_differs_is_never_a_hundred_percent_alike(tmp_path: Path) -> None:
    """Two texts of the same runs of words: 99, and whose runs they are is said."""
    text = upstream_texts()["base"].replace("answer no. \n", "answer no.\n")
    found = _found(script(tmp_path, {"base": text}))
    [base] = [match for match in found.matches if match.name == "base"]

    assert (base.state, base.likeness) == ("changed", 99)


def test_without_the_texts_nothing_is_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An edited copy cannot be seen by its hash: bring the texts."""
    text = upstream_texts()["base"].replace("answer no. \n", "answer no.\n")
    path = script(tmp_path, {"base": text})
    monkeypatch.setenv("JUDGE_HOME", str(tmp_path / "empty"))
    found = _found(path)
    told = [finding.said for finding in found.findings if finding.where == "base"]

    assert len(told) == 1
    assert told[0].startswith("not found unchanged here; bring the texts (`judge templates fetch")
    assert not any("missing" in finding.said for finding in found.findings)
    assert (found.official, "texts" in found.unfollowed) == (None, True)


# --- files as they come -------------------------------------------------------------------------


def test_a_python_file_may_name_its_encoding(tmp_path: Path) -> None:
    """A byte order mark, or another encoding named in its first line."""
    text = script(tmp_path).read_text("utf-8")
    marked = tmp_path / "marked.py"
    marked.write_bytes(codecs.BOM_UTF8 + text.encode())
    latin = tmp_path / "latin.py"
    latin.write_bytes(f"# -*- coding: latin-1 -*-\n# é\n{text}".encode("latin-1"))

    assert _found(marked).official is True
    assert _found(latin).official is True


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.py", b"x = 1\ndef (", "a.py:2: not readable as .py"),
        ("a.yaml", b"- a: b\n" * 40_000, "a.yaml: 280000 bytes of YAML, at most 250000 are looked"),
        ("a.ipynb", b"[]", "no notebook: it has neither cells nor worksheets"),
        ("a.ipynb", b'{"metadata": {}}', "no notebook"),
        ("a.yaml", b"a: " + b"[" * 200_000, "more than 100 lists and objects within each other"),
    ],
)
def test_what_is_not_of_its_kind_is_refused_with_its_line(
    name: str, data: bytes, said: str, tmp_path: Path
) -> None:
    """One sentence."""
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=said):
        diagnose(tmp_path / name)


def _notebook(path: Path, *cells: str, old: bool = False) -> Path:
    key = "input" if old else "source"
    listed = [{"cell_type": "code", key: cell} for cell in cells]
    whole = {"worksheets": [{"cells": listed}]} if old else {"cells": listed}
    path.write_bytes(orjson.dumps(whole))
    return path


@pytest.mark.parametrize("old", [False, True], ids=["format 4", "format 3"])
def test_a_notebook_is_followed_and_its_cells_are_named(
    old: bool,  # noqa: FBT001 - which of the two formats
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A finding says the cell and the line in it."""
    text = script(tmp_path).read_text("utf-8").replace("max_tokens=10", "max_tokens=5")
    path = _notebook(tmp_path / "a.ipynb", "import json", text, old=old)
    assert main(["templates", "doctor", str(path)]) == 0
    said = capsys.readouterr().out

    assert "max_tokens (code cell 2 line " in said
    assert "max_tokens is 5, the rubric's is 10" in said
    assert main(["templates", "doctor", str(path), "--json"]) == 0
    found = orjson.loads(capsys.readouterr().out)["compared"][0]
    assert {match["cell"] for match in found["matches"]} == {2}
    assert {match["line"] for match in found["matches"]} == {2, 3, 4, 5, 6}
