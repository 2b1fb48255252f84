"""judge/doctor: files in the manner of public variants, each difference named.

The files are built here from the texts of ../shared, and code in the manner of the fifteen
variants that are known in public; none of it is kept.
"""

from pathlib import Path

import doctorfiles
import pytest
from doctorfiles import library, script
from libraryfiles import holding, upstream
from packfolder import SHARED, pack, upstream_texts, write

from judge import packs
from judge.canonical import encode
from judge.doctor import Compared, diagnose
from judge.errors import InputError
from judge.packs import store


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the user's folder one that holds LongMemEval's texts."""
    monkeypatch.setenv("JUDGE_HOME", str(tmp_path / "home"))
    if SHARED.is_dir():
        library(tmp_path)
    return tmp_path / "home"


def _found(path: Path, rubric: str = "longmemeval/upstream") -> Compared:
    return next(one for one in diagnose(path).compared if one.rubric == rubric)


def _told(path: Path) -> list[tuple[str, str, str]]:
    return [(one.kind, one.where, one.said) for one in _found(path).findings]


def test_the_upstreams_own_texts_routes_settings_and_parser_are_official(tmp_path: Path) -> None:
    """The likest rubric comes first, and nothing is found against it."""
    found = diagnose(script(tmp_path))

    assert found.compared[0].rubric == "longmemeval/upstream"
    assert found.compared[0].official
    assert found.compared[0].findings == ()
    assert {match.state for match in found.compared[0].matches} == {"exact"}


# --- eight variants -----------------------------------------------------------------------------


def test_a_lost_space_is_named(tmp_path: Path) -> None:
    """As in a copy that a formatter went over."""
    text = upstream_texts()["base"].replace("answer no. \n", "answer no.\n")

    assert _told(script(tmp_path, {"base": text})) == [
        ("spaces", "base", "a space lost behind 'e answer, answer no.'")
    ]


def test_knowledge_update_merged_onto_base_is_named(tmp_path: Path) -> None:
    """The addition of one template put into the words of another."""
    texts = upstream_texts()
    merged = texts["base"][:398] + texts["knowledge-update"][160:339] + texts["base"][398:]

    kinds = {
        (kind, where): said
        for kind, where, said in _told(script(tmp_path, {"knowledge-update": merged}))
    }
    assert kinds["merged", "knowledge-update"].startswith("merged with base: ")
    assert ("words", "knowledge-update") in kinds
    assert not [where for _, where in kinds if where != "knowledge-update"]


def test_a_missing_abstention_route_is_named(tmp_path: Path) -> None:
    """No text for it, and nothing that looks at the id."""
    told = _told(script(tmp_path, {"abstention": ""}, test="task == 'none'"))

    assert told == [
        ("route", "abstention", "the route is missing: no text for ids with '_abs'"),
        ("route", "abstention", "the route is missing: nothing looks for '_abs' in an id"),
    ]


def test_an_abstention_text_that_is_never_reached_is_named(tmp_path: Path) -> None:
    """Five texts intact, thirty rows judged by the wrong one."""
    told = _told(script(tmp_path, test="abstention"))

    assert [(kind, where) for kind, where, _ in told] == [("route", "abstention")]


def test_added_json_is_named(tmp_path: Path) -> None:
    """Words in the text, and another parser in the code."""
    texts = {
        name: f'{text}\nReturn JSON only: {{{{"reasoning": "...", "correct": true}}}}'
        for name, text in upstream_texts().items()
    }

    told = _told(script(tmp_path, texts, parser="json.loads(reply)['correct'] is True"))

    said = "JSON is asked for, the pinned text asks for none"
    assert {where for kind, where, what in told if (kind, what) == ("json", said)} == set(texts)
    assert [kind for kind, where, _ in told if where == "reading"] == ["parser"]


@pytest.mark.parametrize(
    ("parser", "said"),
    [
        ("reply.lower() == 'yes'", "the code compares the whole reply with a label"),
        ("reply.lower().startswith('yes')", "the code looks at how the reply begins"),
        ("re.search(r'yes', reply) is not None", "the code searches by a regular expression"),
        ("json.loads(reply)['correct']", "the code reads JSON"),
        ("'yes' in reply", "case counts in the code"),
    ],
)
def test_another_parser_is_named(parser: str, said: str, tmp_path: Path) -> None:
    """With the texts intact: nothing in the saved rows would show it."""
    ((kind, where, told),) = _told(script(tmp_path, parser=parser))

    assert (kind, where) == ("parser", "reading")
    assert told.startswith(said)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("n=1, temperature=0, max_tokens=5", "max_tokens is 5, the rubric's is 10"),
        ("temperature=0.0", "max_tokens is not set, the rubric's is 10"),
        ("temperature=0.2, max_tokens=10", "temperature is 0.2, the rubric's is 0"),
        ("temperature=0, max_tokens=10, n=3", "n is 3, the rubric's is 1"),
        (
            "temperature=0, max_tokens=10, response_format={'type': 'json_object'}",
            "response_format is {'type': 'json_object'}, the rubric sends none",
        ),
    ],
)
def test_another_setting_is_named(settings: str, said: str, tmp_path: Path) -> None:
    """A token limit, above all: a reasoning judge spends ten tokens on nothing."""
    ((kind, _, told),) = _told(script(tmp_path, settings=settings))

    assert (kind, told) == ("setting", said)


def test_changed_label_words_are_named(tmp_path: Path) -> None:
    """With what stands in their place."""
    texts = {
        name: text.replace("yes or no", "CORRECT or WRONG")
        .replace("answer yes", "answer CORRECT")
        .replace("answer no", "answer WRONG")
        for name, text in upstream_texts().items()
    }

    told = [
        (where, said) for kind, where, said in _told(script(tmp_path, texts)) if kind == "labels"
    ]

    assert {where for where, _ in told} == set(texts)
    assert told[0][1].startswith("label words changed: yes and no not asked for any more")
    assert "instead: CORRECT, WRONG" in told[0][1]


def test_a_missing_closing_line_is_named(tmp_path: Path) -> None:
    """In every template it was taken from."""
    texts = {name: text[: text.rindex("\n\n")] for name, text in upstream_texts().items()}

    told = _told(script(tmp_path, texts))

    closing = {where: said for kind, where, said in told if kind == "closing line"}
    assert closing.keys() == texts.keys()
    assert closing["base"].startswith("the closing line is missing ('Is the model response")


# --- the rest -----------------------------------------------------------------------------------


def test_an_unpublished_judge_is_named(tmp_path: Path) -> None:
    """An alias is none of the published ones."""
    ((kind, _, said),) = _told(script(tmp_path, model="gpt-4o"))

    assert (kind, said.partition(" (")[0]) == (
        "judge",
        "gpt-4o is not among the published judges",
    )


def test_fields_written_otherwise_are_the_same_words(tmp_path: Path) -> None:
    """Names for positions, in an f-string too: the prompt can be the same."""
    base = upstream_texts()["base"]
    named = base.format("{question}", "{answer}", "{response}")
    path = tmp_path / "prompt.py"
    for literal in (repr(named), "f" + repr(named)):
        path.write_text(f"P = {literal}\n", encoding="utf-8")
        (match, *_) = _found(path).matches

        assert (match.name, match.state, match.line) == ("base", "same words", 1)


def test_a_lost_field_is_named(tmp_path: Path) -> None:
    """The judge would not see it."""
    text = upstream_texts()["base"].replace("\n\nCorrect Answer: {}", "")

    told = _told(script(tmp_path, {"base": text}))

    assert ("fields", "base", "2 fields, the pinned text has 3") in told


def test_typescript_and_notebooks_are_looked_into(tmp_path: Path) -> None:
    """Template literals with their fields; cells with their lines."""
    base = upstream_texts()["base"].format("${question}", "${gold.text}", "${`x`}")
    ts = tmp_path / "judge.ts"
    ts.write_text(
        f"// it's a judge\nexport const p = (q: string) => `{base}`;\n"
        "const r = await ask({ maxTokens: 5, temperature: 0, model: 'gpt-4o-2024-08-06' });\n"
        "return r.trim().toLowerCase() === 'yes';\n",
        encoding="utf-8",
    )
    found = _found(ts)
    assert found.matches[0].state == "same words"
    assert {(one.kind, one.line) for one in found.findings if one.kind != "route"} == {
        ("setting", 11),
        ("parser", 12),
    }

    cell = f"%pip install x\nP = {upstream_texts()['base']!r}"
    book = tmp_path / "eval.ipynb"
    book.write_bytes(encode({"cells": [{"cell_type": "code", "source": cell}]}))
    assert (_found(book).matches[0].state, _found(book).matches[0].line) == ("exact", 2)


def test_a_prompt_in_a_markdown_fence_is_found(tmp_path: Path) -> None:
    """A page that documents a judge."""
    path = tmp_path / "judge.md"
    path.write_text(f"# Judge\n\n```text\n{upstream_texts()['base']}\n```\n", encoding="utf-8")

    assert (_found(path).matches[0].state, _found(path).matches[0].line) == ("exact", 4)


def test_without_texts_only_hashes_are_compared_and_that_is_said(
    tmp_path: Path, home: Path
) -> None:
    """An exact copy is known by its hash; a changed one goes unseen."""
    path = script(tmp_path)
    changed = upstream_texts()["base"] + "!"
    for stored in (home / "texts").iterdir():
        stored.unlink()

    exact = diagnose(path)
    assert (exact.compared[0].by, exact.compared[0].official) == ("hash", True)
    path.write_text(f"P = {changed!r}\n", encoding="utf-8")
    other = diagnose(path)
    assert other.compared == ()
    assert "longmemeval/upstream" in other.unseen


def test_a_file_with_nothing_of_a_judge_is_like_none(tmp_path: Path) -> None:
    """No likeness is made up."""
    path = tmp_path / "x.py"
    path.write_text('A = "You are a helpful assistant."\nB = "P"\n' * 3, encoding="utf-8")

    assert diagnose(path).compared == ()


def test_the_pinned_source_file_itself_is_recognised(tmp_path: Path, home: Path) -> None:
    """By its bytes."""
    path = script(tmp_path)
    source = (
        f"{{repository: a/b, commit: {'a' * 40}, path: x/evaluate.py,"
        f" sha256: {packs.add('longmemeval/upstream', path).file_sha256}, licence: MIT}}"
    )
    write(home, "tiny/one", pack(source=source))

    assert "tiny/one" in diagnose(path).source_of


def test_one_rubric_can_be_asked_for(tmp_path: Path) -> None:
    """Whether it is like the file or not; one that is not known is refused."""
    path = script(tmp_path)

    assert [one.rubric for one in diagnose(path, "simpleqa/upstream").compared] == [
        "simpleqa/upstream"
    ]
    with pytest.raises(InputError, match="no rubric is named 'simpleqa/upstraem'"):
        diagnose(path, "simpleqa/upstraem")


def _as_pinned(one: Compared) -> bool:
    """Whether every text is there unchanged, and nothing was seen to differ."""
    return one.exact == len(one.matches) and not one.findings


def test_every_known_text_is_exact_in_a_file_that_holds_it(tmp_path: Path) -> None:
    """All of the library at once, and each rubric whose texts are there is as pinned."""
    texts = upstream().values()
    for text in texts:
        store.put(text)

    found = {one.rubric: one for one in diagnose(holding(tmp_path, ".jsonl", texts)).compared}

    assert {name for name, one in found.items() if _as_pinned(one)} >= {
        "browsecomp/upstream",
        "healthbench/upstream",
        "longmemeval/upstream",
        "mem0-locomo/upstream",
        "mem0-locomo/2025-04",
        "mem0-locomo/memmachine",
        "mem0-locomo/memmachine-agent",
        "mt-bench-single/upstream",
        "simpleqa/upstream",
    }


def test_the_four_mem0_forms_are_told_apart(tmp_path: Path) -> None:
    """A copy of one is a changed copy of the other three: a sign or some spaces."""
    texts = upstream()
    for text in texts.values():
        store.put(text)
    names = ("upstream", "2025-04", "memmachine", "memmachine-agent")
    pinned = {name: packs.load(f"mem0-locomo/{name}").templates[0] for name in names}

    for name in names:
        path = holding(tmp_path, ".txt", [texts[pinned[name].sha256]])
        found = {one.rubric: one for one in diagnose(path).compared}

        assert [one for one, said in found.items() if _as_pinned(said)] == [f"mem0-locomo/{name}"]


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        ("a.pdf", b"", "cannot look into .pdf"),
        ("a.py", b"def (", "not readable as .py"),
        ("a.ts", b"\xff", "not readable as .ts"),
        ("a.ipynb", b"{", "not readable as .ipynb"),
        ("a.py", b"#" * 2_000_001, "larger than 2000000 bytes"),
    ],
)
def test_a_file_that_cannot_be_looked_into_is_refused(
    name: str, data: bytes, what: str, tmp_path: Path
) -> None:
    """One sentence with the file's name."""
    (tmp_path / name).write_bytes(data)

    with pytest.raises(InputError, match=what) as caught:
        diagnose(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_nothing_in_the_file_is_executed(tmp_path: Path) -> None:
    """Not even on import."""
    trap = tmp_path / "ran"
    path = script(tmp_path)
    path.write_text(f"open({str(trap)!r}, 'w')\n{path.read_text('utf-8')}", encoding="utf-8")
    diagnose(path)

    assert not trap.exists()
    assert doctorfiles.UPSTREAM["parser"] in path.read_text("utf-8")
