"""judge/config.py: run.yaml in, one strict record out, and back."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from judge.config import (
    AnswersConfig,
    JudgeConfig,
    Limits,
    ReferencesConfig,
    RunConfig,
    dump,
    parse,
    read,
)
from judge.errors import InputError

SMALL = """
answers: [{file: a.jsonl}]
judges: [{provider: lexical}]
"""
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
ASCII = st.text(st.characters(max_codepoint=127))
NAMES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._:@+/-]{0,20}", fullmatch=True)
FILES = TEXT.map(lambda text: Path("x" + text.replace("/", "").replace("\0", "")).name)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | TEXT,
    lambda parts: st.lists(parts, max_size=2) | st.dictionaries(ASCII, parts, max_size=2),
    max_leaves=4,
)


def _refused(text: str) -> str:
    with pytest.raises(InputError) as caught:
        parse(text.encode(), "run.yaml")
    return str(caught.value)


# --- read -----------------------------------------------------------------------------------------


def test_a_small_file_has_the_documented_defaults() -> None:
    """Twelve controls an arm, nine tenths, one repetition, nothing asked again."""
    found = parse(SMALL.encode(), "run.yaml")

    assert found == RunConfig(
        answers=(AnswersConfig(file="a.jsonl"),), judges=(JudgeConfig(provider="lexical"),)
    )
    assert found.rubrics == ("correctness/v1",)
    assert (found.positive, found.negative, found.threshold, found.seed) == (12, 12, "0.9", 0)
    assert (found.batch_size, found.repetitions, found.reask, found.limit) == (None, 1, 0, None)
    assert (found.allow_partial, found.allow_empty) == (False, False)
    assert found.limits.max_tokens_total is None
    assert found.limits == Limits()
    assert (found.limits.resend_unknown, found.limits.tries) == (0, 6)


def test_words_stay_words() -> None:
    """A bare yes is no truth, a decimal no float, a threshold exactly what was written."""
    text = SMALL + "threshold: 0.90\nonly: [type=yes, no]\n"
    found = parse(text.encode(), "run.yaml")

    assert (found.threshold, found.only) == ("0.90", ("type=yes", "no"))


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("seeed: 1", "seeed is no field of run.yaml; did you mean seed?"),
        ("seed: 1.5", "seed: input should be a valid integer"),
        ("seed: '1'", "seed: input should be a valid integer"),
        ("seed: -1", "seed: input should be greater than or equal to 0"),
        ("repetitions: 0", "repetitions: input should be greater than or equal to 1"),
        ("repetitions: 1001", "repetitions: input should be less than or equal to 1000"),
        ("reask: 11", "reask: input should be less than or equal to 10"),
        ("batch_size: 0", "batch_size: input should be greater than or equal to 1"),
        ("limit: 0", "limit: input should be greater"),
        ("limits: {max_tokens_total: 0}", "limits.max_tokens_total: input should be greater"),
        ("threshold: 1", "threshold: input should be a valid string"),
        ("allow_partial: yes", "allow_partial takes true or false"),
        ("limits: {tries: 0}", "limits.tries: input should be greater"),
        ("limits: {deadline_s: 90000}", "limits.deadline_s: input should be less"),
        ("limits: {resend_unknown: 11}", "limits.resend_unknown: input should be less"),
        ("limits: {max_connections: 5000}", "limits.max_connections: input should be less"),
        ("references: key.json", "references takes fields: {name: value}"),
        ("references: {file: k, columns: {id: 1}}", "references.columns.id: input should be a val"),
        ("seed: 1\nseed: 2", "key 'seed' again"),
        ("größe: 1", "run.yaml: key 'größe' is not ASCII text"),
    ],
    ids=lambda value: value[:40],
)
def test_a_field_of_another_kind_is_refused(line: str, what: str) -> None:
    """The sentence names the file and the field."""
    found = _refused(SMALL + line + "\n")

    assert found.startswith("run.yaml:")
    assert what in found


def test_a_pattern_is_quoted_as_it_is() -> None:
    """In lower case it would be another one."""
    found = _refused("answers: [{file: a, name: 'a b'}]\njudges: []\n")

    assert "answers.0.name: string should match pattern '^[A-Za-z0-9]" in found


@pytest.mark.parametrize("text", ["answers: []\n", "judges: []\n", "null\n", "[]\n", "yes\n"])
def test_a_file_without_its_parts_is_refused(text: str) -> None:
    """Answers and judges are named, if only as empty lists."""
    assert "run.yaml: " in _refused(text)


@pytest.mark.parametrize("provider", ["cohere", "OpenAI", ""])
def test_an_unknown_provider_is_refused(provider: str) -> None:
    """The sentence lists the known ones."""
    text = f"answers: []\njudges: [{{provider: '{provider}', model: m}}]\n"

    assert "judges.0.provider: input should be 'openai', 'anthropic' or 'lexical'" in _refused(text)


# --- paths ----------------------------------------------------------------------------------------

WHOLE = """
answers: [{file: a.jsonl, name: one}, {file: /data/b.csv}]
references: {file: sub/key.json}
rubrics: [correctness/v1, mine.yaml]
controls: [shipped, mine/hard.yaml, more.jsonl]
judges: [{provider: openai, model: m, ca_file: ca.pem}, {provider: lexical}]
"""


def test_paths_are_taken_from_the_files_own_folder(tmp_path: Path) -> None:
    """Names stay names, and a whole path stays what it is."""
    file = tmp_path / "run.yaml"
    file.write_text(WHOLE, encoding="utf-8")
    found = read(file)
    home = str(tmp_path)

    assert [a.file for a in found.answers] == [f"{home}/a.jsonl", "/data/b.csv"]
    assert found.references == ReferencesConfig(file=f"{home}/sub/key.json")
    assert found.rubrics == ("correctness/v1", f"{home}/mine.yaml")
    assert found.controls == ("shipped", f"{home}/mine/hard.yaml", f"{home}/more.jsonl")
    assert [j.ca_file for j in found.judges] == [f"{home}/ca.pem", None]


def test_a_file_without_an_answer_key_has_none(tmp_path: Path) -> None:
    """There is nothing to take from anywhere."""
    file = tmp_path / "run.yaml"
    file.write_text(SMALL, encoding="utf-8")

    assert read(file).references is None


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    """A folder, or nothing."""
    with pytest.raises(InputError, match=r"run\.yaml: No such file"):
        read(tmp_path / "run.yaml")
    with pytest.raises(InputError, match="Is a directory"):
        read(tmp_path)


def test_what_is_kept_names_no_folder(tmp_path: Path) -> None:
    """Base names only: a run says nothing of the machine it was made on."""
    file = tmp_path / "run.yaml"
    file.write_text(WHOLE, encoding="utf-8")
    kept = dump(read(file))

    assert tmp_path.name.encode() not in kept
    assert b"/data" not in kept
    assert parse(kept, "run.yaml").rubrics == ("correctness/v1", "mine.yaml")
    assert parse(kept, "run.yaml").judges[0].ca_file == "ca.pem"


# --- kept and read again --------------------------------------------------------------------------

JUDGES = st.builds(
    JudgeConfig,
    name=st.none() | NAMES,
    provider=st.sampled_from(["openai", "anthropic", "lexical"]),
    model=st.none() | TEXT,
    base_url=st.none() | TEXT,
    settings=st.dictionaries(ASCII, VALUES, max_size=3),
    unset=st.lists(TEXT, max_size=2).map(tuple),
    insecure_key=st.booleans(),
)
CONFIGS = st.builds(
    RunConfig,
    answers=st.lists(
        st.builds(
            AnswersConfig,
            name=st.none() | NAMES,
            file=FILES,
            columns=st.dictionaries(ASCII, TEXT, max_size=2),
        ),
        max_size=2,
    ).map(tuple),
    references=st.none() | st.builds(ReferencesConfig, file=FILES),
    judges=st.lists(JUDGES, max_size=2).map(tuple),
    threshold=TEXT,
    only=st.lists(TEXT, max_size=2).map(tuple),
    seed=st.integers(0, 2**53 - 1),
    limit=st.none() | st.integers(1, 9),
    limits=st.builds(Limits, tries=st.integers(1, 100)),
)


@settings(max_examples=150)
@given(CONFIGS)
def test_what_is_kept_is_read_again(config: RunConfig) -> None:
    """Whatever text stands in it: `judge resume` must be able to."""
    # A key's file keeps its base name alone.
    assume(not any((judge.key_env or "").startswith("file:") for judge in config.judges))
    assert parse(dump(config), "run.yaml") == config


def test_a_key_file_keeps_its_base_name_alone() -> None:
    """A run names no machine's folders."""
    judge = JudgeConfig(provider="openai", model="m", key_env="file:/somewhere/secret/key.txt")
    config = RunConfig(answers=(), judges=(judge,))

    assert parse(dump(config), "run.yaml").judges[0].key_env == "file:key.txt"


def test_two_judges_with_one_object_are_kept_apart() -> None:
    """YAML's writer would make an anchor and an alias of it, which its reader refuses."""
    shared: dict[str, Any] = {"response_format": {"type": "json_object"}}
    judges = tuple(
        JudgeConfig(provider="openai", model=model, settings=shared) for model in ("a", "b")
    )
    config = RunConfig(answers=(), judges=judges)

    assert parse(dump(config), "run.yaml") == config
