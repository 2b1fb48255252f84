"""templates/: every pinned pack against the facts and texts of ../shared, found by content."""

import json
from pathlib import Path
from typing import Any

import packfolder
import pytest
from libraryfiles import holding, sha256, upstream
from packfolder import SHARED

from judge import packs, rubric
from judge.errors import InputError
from judge.packs import inheritance, texts
from judge.records import Rubric, Template

ROOT = Path(__file__).parents[1] / "templates"
NAMES = tuple(f"{path.parent.name}/{path.stem}" for path in sorted(ROOT.glob("*/*.yaml")))
OURS = "correctness/v1"
UPSTREAM = tuple(name for name in NAMES if name not in {OURS, "longmemeval/released"})


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the user's folder an empty one."""
    monkeypatch.setenv("JUDGE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def _pins() -> list[dict[str, Any]]:
    path = SHARED / "upstream" / "other_rubric_pins.json"
    if not path.is_file():
        pytest.skip("the upstream pins are not on this machine (../shared)")
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))
    return found


def _pinned(name: str) -> tuple[texts.Pinned, ...]:
    return texts.pinned(inheritance.resolve(name))


# --- by content ---------------------------------------------------------------------------------


def test_templates_check_passes_over_all_packs() -> None:
    """With pins only, on a machine that has no upstream text."""
    sheets = packs.survey()

    assert {sheet.name: sheet.state for sheet in sheets} == {
        name: "ok" if name == OURS else "pins only" for name in NAMES
    }


def _files(name: str, folder: Path) -> list[tuple[str, list[str], int]]:
    """(kind, texts that ../shared has, source) of each of a pack's sources."""
    known = upstream()
    resolved = inheritance.resolve(name)
    found = []
    for number, source in enumerate(resolved.pack.sources, 1):
        mine = [p.sha256 for p in _pinned(name) if p.source == number]
        have = [known[sha] for sha in mine if sha in known]
        if have:
            found.append((Path(source.path).suffix, have, number))
    assert found, name
    return found


def _missing(name: str, path: Path) -> set[str]:
    """The texts of a pack that `add` says are not in a file."""
    try:
        added = packs.add(name, path)
    except InputError as error:
        return set(str(error).partition("changed: ")[2].partition(";")[0].split(", "))
    return {pinned.name for pinned in _pinned(name)} - set(added.templates)


@pytest.mark.parametrize("name", UPSTREAM)
def test_each_text_is_found_by_hash_and_refused_with_one_character_changed(
    name: str, tmp_path: Path
) -> None:
    """In a source file of the upstream's kind; the changed one is named."""
    for suffix, have, _ in _files(name, tmp_path):
        called = {pinned.sha256: pinned.name for pinned in _pinned(name)}
        mine = [called[sha256(text)] for text in have]
        assert not set(mine) & _missing(name, holding(tmp_path, suffix, have))
        for number, text in enumerate(have):
            bad = [*have[:number], text[:-1] + "~", *have[number + 1 :]]

            assert mine[number] in _missing(name, holding(tmp_path, suffix, bad))


def test_what_is_found_whole_is_loaded(tmp_path: Path) -> None:
    """Every pack whose every text ../shared has; the rest lacks its authors' code literals."""
    for name in UPSTREAM:
        for suffix, have, _ in _files(name, tmp_path):
            _missing(name, holding(tmp_path, suffix, have))

    here = {sheet.name for sheet in packs.survey() if sheet.state == "ok"}
    assert set(NAMES) - here == {
        "halueval-dialogue/upstream",
        "halueval-qa/upstream",
        "halueval-summarization/upstream",
        "inspect-fact/partial",
        "inspect-fact/upstream",
        "inspect-qa/partial",
        "inspect-qa/upstream",
    }


def test_packs_hold_no_piece_of_an_upstream_text() -> None:
    """Not thirty characters in a row: hashes, offsets and figures only."""
    size = 30
    pieces = {text[n : n + size] for text in upstream().values() for n in range(len(text) - size)}
    for path in ROOT.glob("*/*.yaml"):
        content = path.read_text("utf-8")
        shared = {content[n : n + size] for n in range(len(content) - size)} & pieces

        assert not shared, path


# --- the facts ----------------------------------------------------------------------------------


def _versions() -> set[tuple[str, str, str]]:
    """(repository, path, file hash) of every file version in the pins file."""
    found = set()
    for entry in _pins():
        versions = [entry, *entry.get("history", [])]
        found |= {
            (entry["repo"], entry["path"], version["file_sha256"])
            for version in versions
            if "file_sha256" in version
        }
    return found


# simple-evals keeps its system message and defaults in a file the pins do not list.
SAMPLER = "sampler/chat_completion_sampler.py"


@pytest.mark.parametrize("name", [name for name in UPSTREAM if "longmemeval" not in name])
def test_sources_and_licences_are_those_of_the_pins_file(name: str) -> None:
    """Repository, path and file hash; the licence as written there."""
    licences = {entry["repo"]: entry["licence"] for entry in _pins()}
    known = _versions()
    sources = inheritance.resolve(name).pack.sources

    assert sources
    for source in sources:
        assert source.licence == licences[source.repository]
        if source.path != SAMPLER:
            assert (source.repository, source.path, source.sha256) in known


def test_every_template_hash_of_the_first_wave_is_pinned() -> None:
    """Nothing of it was forgotten."""
    wanted = {
        "SimpleQA": {"GRADER_TEMPLATE"},
        "BrowseComp": {"GRADER_TEMPLATE"},
        "HealthBench": {"GRADER_TEMPLATE"},
        "HaluEval": {"(whole file)"},
        "memobase LoCoMo": {"ACCURACY_PROMPT"},
        "MemMachine LoCoMo": {"ACCURACY_PROMPT"},
        "MemMachine LoCoMo (agent)": {"ACCURACY_PROMPT"},
        "inspect_ai model_graded": {
            "DEFAULT_MODEL_GRADED_QA_TEMPLATE",
            "DEFAULT_MODEL_GRADED_FACT_TEMPLATE",
        },
        "MT-Bench": {"single-v1", "single-math-v1"},
    }
    hashes = {
        template[key]
        for entry in _pins()
        for template in entry.get("templates", [])
        if template["name"] in wanted.get(entry["benchmark"], ())
        for key in ("sha256", "prompt_sha256", "system_sha256")
        if key in template
    }
    hashes |= {
        version["template_sha256"]
        for entry in _pins()
        for version in entry.get("history", [])
        if "template_sha256" in version
    }
    pinned = {one.sha256 for name in UPSTREAM for one in _pinned(name)}

    assert len(hashes) == 15
    assert hashes <= pinned


# --- the prompts --------------------------------------------------------------------------------

Q, G, R = "What is {x}? <<rubric>>", "gold {} {target}", "It is {question} {{y}}"


def _loaded(name: str, folder: Path) -> Rubric:
    for suffix, have, _ in _files(name, folder):
        packs.add(name, holding(folder, suffix, have))
    return packs.load(name)


def _prompts(found: Rubric) -> list[tuple[Template, str]]:
    return [(t, rubric.render(found, t, Q, G, R)) for t in found.templates]


def test_simple_evals_prompts_are_what_their_code_fills_in(tmp_path: Path) -> None:
    """By str.format with its own names; the system message before it."""
    for name in ("simpleqa/upstream", "browsecomp/upstream"):
        ((template, prompt),) = _prompts(_loaded(name, tmp_path))

        assert prompt == upstream()[template.sha256].format(
            question=Q, target=G, predicted_answer=R, correct_answer=G, response=R
        )
        assert template.system_sha256 == sha256(template.system or "")


@pytest.mark.parametrize("name", [name for name in UPSTREAM if name.startswith("mem0-")])
def test_mem0_prompts_are_what_its_code_fills_in(name: str, tmp_path: Path) -> None:
    """In each of the four byte forms; a user message only."""
    ((template, prompt),) = _prompts(_loaded(name, tmp_path))

    assert prompt == upstream()[template.sha256].format(
        question=Q, gold_answer=G, generated_answer=R
    )
    assert template.system is None


def test_the_four_forms_of_the_mem0_judge_have_four_pins(tmp_path: Path) -> None:
    """They differ in their text alone."""
    names = [name for name in UPSTREAM if name.startswith("mem0-")]
    found = [_loaded(name, tmp_path) for name in names]

    assert len({one.pin for one in found}) == len(names) == 4
    assert len({(one.fill, one.names, one.labels, str(one.settings)) for one in found}) == 1


def test_mt_bench_shows_a_reference_where_the_category_needs_one(tmp_path: Path) -> None:
    """Routed by category as the upstream does."""
    found = _loaded("mt-bench-single/upstream", tmp_path)
    for kind in ("math", "reasoning", "coding", "writing", "stem"):
        template = rubric.route(found, "81", kind, abstention=False)
        prompt = rubric.render(found, template, Q, G, R)
        text = upstream()[template.sha256]

        assert (G in prompt) == (kind in {"math", "reasoning", "coding"})
        assert prompt == text.format(question=Q, ref_answer_1=G, answer=R)
        assert template.system is not None


def test_healthbench_prompts_are_what_its_chained_replace_makes(tmp_path: Path) -> None:
    """The response as the last message; a conversation that holds a later mark is refused."""
    grader = upstream()["2adffd51fd259554ebcd036ad1072d4aa2b7ce3aec2bbffe36271f911632ed3c"]
    found = _loaded("healthbench/upstream", tmp_path)
    (template,) = found.templates
    messages = [("user", "My head hurts {x} <<conversation>>"), ("assistant", "Since when?")]
    said = "\n\n".join(f"{role}: {text}" for role, text in messages)
    whole = "\n\n".join(f"{role}: {text}" for role, text in [*messages, ("assistant", R)])

    assert rubric.render(found, template, said, "[5] Asks <<conversation>>", R) == (
        grader.replace("<<conversation>>", whole).replace(
            "<<rubric_item>>", "[5] Asks <<conversation>>"
        )
    )
    with pytest.raises(InputError, match="holds the place of a later field"):
        rubric.render(found, template, said, "[5] x", "see <<rubric_item>>")


def test_halueval_joins_instruction_markers_and_values(tmp_path: Path) -> None:
    """The places stand behind the two markers; the instruction is the text before them."""
    for task in ("qa", "dialogue", "summarization"):
        resolved = inheritance.resolve(f"halueval-{task}/upstream")
        (template,) = resolved.outline.templates
        instruction = upstream()[resolved.pack.texts["instruction"].sha256]
        parts = resolved.templates[task].parts or ()
        ends = [0]
        for part in parts:
            assert not isinstance(part, str)
            ends.append(ends[-1] + part.end)

        assert ends[1] == len(instruction)
        assert list(template.places) == ends[2:4]
        assert template.fields == ()
        assert resolved.outline.fields == ("question", "response")


def test_inspects_instructions_stand_where_its_template_says() -> None:
    """The slices leave out that one sign and nothing else."""
    for short in ("qa", "fact"):
        for edition in ("upstream", "partial"):
            resolved = inheritance.resolve(f"inspect-{short}/{edition}")
            text = upstream()[resolved.pack.texts[short].sha256]
            parts = resolved.pack.templates[short].parts or ()
            first, last = parts[0], parts[-1]
            assert not isinstance(first, str)
            assert not isinstance(last, str)

            assert text[first.end : last.start] == "{instructions}"
            assert (first.start, last.end) == (0, len(text))


def test_kinds_labels_and_judges_of_the_first_wave() -> None:
    """As published; an accepted label wherever the kind has one."""
    sheets = {sheet.name: sheet for sheet in packs.survey()}

    assert {name: sheet.kind for name, sheet in sheets.items() if sheet.kind != "binary"} == {
        "inspect-fact/partial": "graded",
        "inspect-qa/partial": "graded",
        "mt-bench-single/upstream": "graded",
        "simpleqa/upstream": "three-way",
    }
    assert sheets["simpleqa/upstream"].judges == ("openai/gpt-4.1-2025-04-14",)
    assert sheets["mt-bench-single/upstream"].settings == {
        "temperature": 0,
        "max_tokens": 2048,
        "n": 1,
    }
    assert sheets["inspect-qa/partial"].scale == {"C": "1", "P": "0.5", "I": "0"}
    assert all(sheet.parser for name, sheet in sheets.items() if name != OURS)


def test_the_pins_of_the_first_three_packs_never_move() -> None:
    """Whatever else a rubric may say today."""
    pins = {sheet.name: (sheet.pin or "")[:12] for sheet in packs.survey()}

    assert pins["correctness/v1"] == "dcc2d4db3c70"
    assert pins["longmemeval/released"] == "25b34a791e68"
    assert pins["longmemeval/upstream"] == "ad954c462069"


def test_a_pack_with_two_sources_takes_each_file_on_its_own(tmp_path: Path) -> None:
    """And says what the other one still has to bring."""
    known = upstream()
    grader, system = (known[one.sha256] for one in _pinned("simpleqa/upstream"))

    first = packs.add("simpleqa/upstream", holding(tmp_path, ".py", [grader]))
    message = packfolder.refused("simpleqa/upstream")
    second = packs.add("simpleqa/upstream", holding(tmp_path, ".py", [system]))

    assert (first.templates, first.absent) == (("grader",), ("grader (system)",))
    assert "template 'grader' (system) is not on this machine" in message
    assert (second.templates, second.absent) == (("grader (system)",), ())
    assert packs.check("simpleqa/upstream").state == "ok"
