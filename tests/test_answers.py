"""Saved answers joined with their answer key: what comes out, and what keeps a join from it."""

import errno
import gzip
import hashlib
import json
import os
import tempfile
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest

from judge.answers import AnswersFile, Joined, ReferencesFile, join
from judge.errors import InputError, StorageError
from judge.records import AnswerSet, Item, Reference, Selection, Source

SHARED = Path(__file__).parents[1].parent / "shared"
PASSES = {
    "pass1": "longmemeval_s_llama31-8b_pass1.eval-results-gpt-4o-mini.jsonl",
    "pass2": "longmemeval_s_llama31-8b_pass2.eval-results-gpt-4o-mini.jsonl",
}
ALL = Selection(only=(), limit=None, allow_partial=False, allow_empty=False)
Row = dict[str, object]

KEY: list[Row] = [
    {"id": "a", "question_type": "one", "question": "qa", "answer": "ga"},
    {"id": "b_abs", "question_type": "two", "question": "qb", "answer": 2},
]
ANSWERS: list[Row] = [{"id": "a", "response": "ra"}, {"id": "b_abs", "response": "rb"}]
OWN: list[Row] = [
    {"id": "a", "type": "one", "question": "qa", "gold": "ga", "response": "ra"},
    {"id": "b_abs", "type": "two", "question": "qb", "gold": "2", "response": "rb"},
]


def written(path: Path, table: list[Row]) -> Path:
    """Write the rows, one per line, and return their path."""
    path.write_text("".join(json.JSONEncoder().encode(row) + "\n" for row in table))
    return path


def saved(path: Path, table: list[Row], name: str = "s") -> AnswersFile:
    """Write an answers file."""
    return AnswersFile(name=name, path=written(path, table))


def key(path: Path, table: list[Row]) -> ReferencesFile:
    """Write an answer key."""
    return ReferencesFile(path=written(path, table))


@pytest.fixture
def pair(tmp_path: Path) -> tuple[AnswersFile, ReferencesFile]:
    """Two answers and their key."""
    return saved(tmp_path / "s.jsonl", ANSWERS), key(tmp_path / "key.jsonl", KEY)


@pytest.fixture(scope="module")
def real() -> Joined:
    """Two real passes over the 500 questions of LongMemEval."""
    if not SHARED.is_dir():
        pytest.skip("the real answers are not part of the repository")
    files = [AnswersFile(name=n, path=SHARED / "answers" / file) for n, file in PASSES.items()]
    path = SHARED / "references" / "longmemeval_references.json"
    return join(files, ReferencesFile(path=path), ALL)


def test_two_real_passes_are_a_thousand_items(real: Joined) -> None:
    """Five hundred questions, each twice, at the same position."""
    items = list(real.items())

    assert real.sets == (
        AnswerSet(name="pass1", first_row=0, rows=500, missing=0),
        AnswerSet(name="pass2", first_row=500, rows=500, missing=0),
    )
    assert real.questions == 500
    assert [item.position for item in items] == [*range(500), *range(500)]
    assert [item.id for item in items[:500]] == [item.id for item in items[500:]]
    assert real.warnings == ()


def test_the_real_prior_labels_are_those_that_were_published(real: Joined) -> None:
    """264 of 500 and 253 of 500."""
    assert Counter((item.answers, item.prior) for item in real.items()) == {
        ("pass1", "yes"): 264,
        ("pass1", "no"): 236,
        ("pass2", "yes"): 253,
        ("pass2", "no"): 247,
    }


def test_the_real_answer_key_is_whole(real: Joined) -> None:
    """Thirty questions have no answer, and 32 gold answers are numbers that became text."""
    file = SHARED / "references" / "longmemeval_references.json"
    raw = json.loads(file.read_text(encoding="utf-8"))
    references = list(real.references())

    assert [reference.gold for reference in references] == [str(row["answer"]) for row in raw]
    assert sum(isinstance(row["answer"], int) for row in raw) == 32
    assert sum(reference.abstention for reference in references) == 30
    assert len({reference.type for reference in references}) == 6


def test_the_real_responses_are_untouched(real: Joined) -> None:
    """Word for word what the files say."""
    lines = [
        json.loads(line)
        for file in PASSES.values()
        for line in (SHARED / "answers" / file).read_text(encoding="utf-8").splitlines()
    ]

    assert [(row["question_id"], row["hypothesis"]) for row in lines] == [
        (item.id, item.response) for item in real.items()
    ]


def test_plain_hypotheses_have_no_prior_label(real: Joined) -> None:
    """They are the same answers as those of the file with labels."""
    file = AnswersFile(
        name="plain", path=SHARED / "answers" / "longmemeval_s_llama31-8b_pass1.hypotheses.jsonl"
    )
    path = SHARED / "references" / "longmemeval_references.json"

    plain = list(join([file], ReferencesFile(path=path), ALL).items())

    assert {item.prior for item in plain} == {None}
    assert [item.response for item in plain] == [
        item.response for item in real.items() if item.answers == "pass1"
    ]


def test_an_item_is_an_answer_with_its_row_of_the_key(
    pair: tuple[AnswersFile, ReferencesFile],
) -> None:
    """Every field comes from one of the two."""
    joined = join([pair[0]], pair[1], ALL)

    assert list(joined.items())[1] == Item(
        answers="s",
        position=1,
        id="b_abs",
        type="two",
        question="qb",
        gold="2",
        abstention=True,
        response="rb",
        prior=None,
    )
    assert list(joined.references()) == [
        Reference(id="a", type="one", question="qa", gold="ga", abstention=False),
        Reference(id="b_abs", type="two", question="qb", gold="2", abstention=True),
    ]


def test_items_can_be_streamed_again_and_side_by_side(
    pair: tuple[AnswersFile, ReferencesFile],
) -> None:
    """Two streams of one join do not disturb each other."""
    joined = join([pair[0]], pair[1], ALL)

    first, second = joined.items(), joined.items()

    assert [next(first), next(second), *first, *second] == [
        item for twin in zip(joined.items(), joined.items(), strict=True) for item in twin
    ]


def test_the_references_are_the_whole_key(pair: tuple[AnswersFile, ReferencesFile]) -> None:
    """Rows that are not selected are there too, in the order of their file."""
    selection = Selection(only=("type=two",), limit=1, allow_partial=False, allow_empty=False)

    joined = join([pair[0]], pair[1], selection)

    assert [item.id for item in joined.items()] == ["b_abs"]
    assert [reference.id for reference in joined.references()] == ["a", "b_abs"]


def test_sources_are_the_files_as_they_lie_on_disk(tmp_path: Path) -> None:
    """Base name, digest and length of the packed bytes, rows; answers before references."""
    plain = written(tmp_path / "plain.jsonl", ANSWERS)
    packed = tmp_path / "answers.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    whole = key(tmp_path / "key.jsonl", KEY)

    joined = join([AnswersFile(name="s", path=packed)], whole, ALL)

    def source(role: str, name: str, path: Path) -> Source:
        data = path.read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        return Source.model_validate(
            {"role": role, "name": name, "file": path.name, "sha256": digest}
            | {"bytes": len(data), "rows": 2}
        )

    assert joined.sources == (
        source("answers", "s", packed),
        source("references", "references", whole.path),
    )


def test_a_link_to_a_file_is_followed(tmp_path: Path) -> None:
    """Inputs may be links; the name is the link's."""
    written(tmp_path / "s.jsonl", OWN)
    link = tmp_path / "link.jsonl"
    link.symlink_to("s.jsonl")

    joined = join([AnswersFile(name="s", path=link)], None, ALL)

    assert joined.sources[0].file == "link.jsonl"


def test_a_pipe_can_be_read(tmp_path: Path) -> None:
    """A file is read once and forward, so another program may write it."""
    data = written(tmp_path / "s.jsonl", OWN).read_bytes()
    out, into = os.pipe()
    os.write(into, data)
    os.close(into)

    joined = join([AnswersFile(name="s", path=Path(f"/dev/fd/{out}"))], None, ALL)
    os.close(out)

    assert [item.response for item in joined.items()] == ["ra", "rb"]
    assert joined.sources[0].sha256 == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("stream", ["items", "references"])
@pytest.mark.parametrize("which", [0, 1], ids=["answers", "references"])
def test_a_file_that_changed_is_refused(
    which: int, stream: str, pair: tuple[AnswersFile, ReferencesFile]
) -> None:
    """Also when it is as long as before."""
    joined = join([pair[0]], pair[1], ALL)
    path = pair[which].path
    path.write_text(path.read_text().replace("a", "z", 1))

    with pytest.raises(InputError, match=f"{path.name} has changed since it was checked"):
        getattr(joined, stream)()


def test_a_file_with_a_new_date_and_the_same_bytes_passes(
    pair: tuple[AnswersFile, ReferencesFile],
) -> None:
    """The bytes decide."""
    joined = join([pair[0]], pair[1], ALL)
    os.utime(pair[0].path, (1, 1))

    assert len(list(joined.items())) == 2


def test_a_file_that_is_gone_is_refused(pair: tuple[AnswersFile, ReferencesFile]) -> None:
    """Whoever checks the run later would not find it either."""
    joined = join([pair[0]], pair[1], ALL)
    pair[1].path.unlink()

    with pytest.raises(InputError, match=r"key\.jsonl cannot be read again"):
        joined.items()


def test_answers_without_a_row_in_the_key_are_refused(tmp_path: Path) -> None:
    """The count and the first few ids are named, with the line of the first."""
    table = [*ANSWERS]
    table += [{"id": f"x{n}", "response": "r"} for n in range(7)]
    file, whole = saved(tmp_path / "s.jsonl", table), key(tmp_path / "key.jsonl", KEY)

    with pytest.raises(InputError) as caught:
        join([file], whole, ALL)

    assert str(caught.value).startswith(
        f"{file.path}:3: 7 of 9 answers have no row in {whole.path} "
        "('x0', 'x1', 'x2', 'x3', 'x4', …); "
    )


def test_an_id_may_be_a_number_in_one_file_and_text_in_the_other(tmp_path: Path) -> None:
    """Both become the same digits."""
    file = saved(tmp_path / "s.jsonl", [{"id": 1, "response": "r"}])
    whole = key(tmp_path / "key.jsonl", [{"id": "1", "question": "q", "answer": "g"}])

    assert [item.id for item in join([file], whole, ALL).items()] == ["1"]


def test_a_run_without_answers_is_refused(pair: tuple[AnswersFile, ReferencesFile]) -> None:
    """There is nothing to judge."""
    with pytest.raises(InputError, match="no answers file is given"):
        join([], pair[1], ALL)


def test_two_sets_of_one_name_are_refused(pair: tuple[AnswersFile, ReferencesFile]) -> None:
    """A name is the key of a condition."""
    with pytest.raises(InputError, match="two answers files are named 's'"):
        join([pair[0], pair[0]], pair[1], ALL)


def test_one_file_may_be_two_sets(pair: tuple[AnswersFile, ReferencesFile]) -> None:
    """Under two names, to ask the same answers twice on purpose."""
    again = AnswersFile(name="again", path=pair[0].path)

    assert [one.name for one in join([pair[0], again], pair[1], ALL).sets] == ["s", "again"]


def test_empty_answers_pass_where_they_are_declared(tmp_path: Path) -> None:
    """They reach the judge as they are."""
    table: list[Row] = [{**OWN[0], "response": ""}, {**OWN[1], "response": " \n"}]
    selection = Selection(only=(), limit=None, allow_partial=False, allow_empty=True)

    joined = join([saved(tmp_path / "s.jsonl", table)], None, selection)

    assert [item.response for item in joined.items()] == ["", " \n"]


def test_equal_answers_are_counted(tmp_path: Path) -> None:
    """They are allowed, and said."""
    table: list[Row] = [
        {"id": n, "question": "q", "gold": "g", "response": text}
        for n, text in enumerate(["same", "same", "other", "twin", "same", "twin"])
    ]
    file = saved(tmp_path / "s.jsonl", table)

    assert join([file], None, ALL).warnings == (
        f"{file.path}: 5 of 6 answers are byte-identical to another row's",
    )


def test_answers_with_a_nul_are_counted(tmp_path: Path) -> None:
    """JSON allows it, and some servers refuse it."""
    file = saved(tmp_path / "s.jsonl", [{**OWN[0], "response": "a\0b"}, OWN[1]])

    assert join([file], None, ALL).warnings == (
        f"{file.path}: 1 of 2 answers hold a NUL character, which some servers refuse",
    )


def test_rows_that_carry_the_key_may_be_held_against_it(tmp_path: Path) -> None:
    """A number in one place and its digits in the other are equal."""
    joined = join(
        [saved(tmp_path / "s.jsonl", OWN)], key(tmp_path / "key.jsonl", list(reversed(KEY))), ALL
    )

    assert [item.gold for item in joined.items()] == ["ga", "2"]
    assert [reference.id for reference in joined.references()] == ["b_abs", "a"]


@pytest.mark.parametrize("field", ["type", "question", "gold"])
def test_rows_that_disagree_with_the_key_are_refused(field: str, tmp_path: Path) -> None:
    """Both places are named, and what each says."""
    file = saved(tmp_path / "s.jsonl", [OWN[0], {**OWN[1], field: "other"}])
    whole = key(tmp_path / "key.jsonl", KEY)
    ours = {"type": "two", "question": "qb", "gold": "2"}[field]

    with pytest.raises(InputError) as caught:
        join([file], whole, ALL)

    assert str(caught.value).startswith(
        f"{file.path}:2: {field} is 'other' here and '{ours}' at {whole.path}:2; "
    )


def test_a_column_that_only_looks_like_the_key_can_be_left_out(tmp_path: Path) -> None:
    """An empty map says that the file has no such field."""
    path = written(tmp_path / "s.jsonl", [{**row, "reference": "doc 7"} for row in ANSWERS])
    file = AnswersFile(name="s", path=path, columns=(("gold", ""),))

    joined = join([file], key(tmp_path / "key.jsonl", KEY), ALL)

    assert [item.gold for item in joined.items()] == ["ga", "2"]


def test_what_the_key_leaves_open_the_answers_fill(tmp_path: Path) -> None:
    """Type and abstention, for a key that has no such columns."""
    bare: list[Row] = [{"id": "a", "question": "qa", "gold": "ga"}]
    file = saved(tmp_path / "s.jsonl", [{**OWN[0], "abstention": True}])

    (item,) = join([file], key(tmp_path / "key.jsonl", bare), ALL).items()

    assert (item.type, item.abstention) == ("one", True)


@pytest.mark.parametrize(
    ("field", "one", "other"), [("gold", "ga", "gb"), ("abstention", True, False)]
)
def test_two_files_that_disagree_on_a_question_are_refused(
    field: str, one: object, other: object, tmp_path: Path
) -> None:
    """Where the answers carry the key, the first file's row is held against the second's."""
    first = saved(tmp_path / "one.jsonl", [{**OWN[0], field: one}], "one")
    second = saved(tmp_path / "two.jsonl", [{**OWN[0], field: other}], "two")

    with pytest.raises(InputError, match=r"two\.jsonl:1: .* at .*one\.jsonl:1; "):
        join([first, second], None, ALL)


def test_a_later_file_may_lean_on_the_key_an_earlier_one_carries(tmp_path: Path) -> None:
    """Its own rows need only an id and a response."""
    first = saved(tmp_path / "one.jsonl", OWN, "one")
    second = saved(tmp_path / "two.jsonl", ANSWERS, "two")

    assert [item.gold for item in join([first, second], None, ALL).items()] == ["ga", "2"] * 2


def test_a_strange_file_name_is_shown_escaped(tmp_path: Path) -> None:
    """A path cannot write to the terminal through a message."""
    path = tmp_path / "a\x1b[2Jb.jsonl"
    path.write_text("")

    with pytest.raises(InputError) as caught:
        join([AnswersFile(name="s", path=path)], None, ALL)

    assert "\x1b" not in str(caught.value)
    assert "a\\x1b[2Jb.jsonl" in str(caught.value)


def test_a_file_name_that_is_no_utf8_is_kept_escaped(tmp_path: Path) -> None:
    """A source's name must have a canonical form."""
    path = written(tmp_path / os.fsdecode(b"\xff.jsonl"), OWN)

    joined = join([AnswersFile(name="s", path=path)], None, ALL)

    assert joined.sources[0].file == "\\udcff.jsonl"


def test_nothing_is_left_in_the_temporary_folder(
    pair: tuple[AnswersFile, ReferencesFile], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even while the join is in use: a killed process leaves nothing behind."""
    spool = tmp_path / "spool"
    spool.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spool))

    joined = join([pair[0]], pair[1], ALL)

    assert list(spool.iterdir()) == []
    assert len(list(joined.items())) == 2


def test_a_temporary_folder_that_is_gone_is_named(
    pair: tuple[AnswersFile, ReferencesFile], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the disk's fault, not the input's."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "no"))

    with pytest.raises(StorageError, match="the temporary folder cannot hold"):
        join([pair[0]], pair[1], ALL)


def test_a_full_temporary_folder_stops_the_join(
    pair: tuple[AnswersFile, ReferencesFile], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentence says what to do."""

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    joined = join([pair[0]], pair[1], ALL)
    monkeypatch.setattr(os, "pwrite", full)

    with pytest.raises(StorageError, match=r"No space left on device.*TMPDIR"):
        list(joined.items())


def test_a_disk_that_fails_while_a_file_is_read_stops_the_join(
    pair: tuple[AnswersFile, ReferencesFile], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cut file must not pass for a short one."""

    class Failing:
        def readinto(self, _: object) -> int:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        def fileno(self) -> int:
            return 0

        def close(self) -> None:
            pass

    monkeypatch.setattr(Path, "open", lambda *_, **__: Failing())

    with pytest.raises(InputError, match="cannot be read to its end"):
        join([pair[0]], pair[1], ALL)


def peak_while_joining(answers: AnswersFile, references: ReferencesFile | None) -> int:
    """Return the most bytes Python held while the files were joined and streamed."""
    tracemalloc.start()
    try:
        joined = join([answers], references, ALL)
        assert sum(1 for _ in joined.items()) == joined.questions
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_holds_no_texts(tmp_path: Path) -> None:
    """Ten megabytes of answers pass through a tenth of that."""
    text = "word " * 400
    table: list[Row] = [
        {"id": f"q{n}", "question": f"{n}?", "gold": "g", "response": f"{n} {text}"}
        for n in range(5000)
    ]
    file = saved(tmp_path / "s.jsonl", table)
    assert file.path.stat().st_size > 10_000_000

    # One buffer of the spool and about 0.2 kB a row.
    assert peak_while_joining(file, None) < 4_000_000


def test_memory_holds_one_row_of_a_document(tmp_path: Path) -> None:
    """Forty megabytes of haystack in an answer key on one line."""
    haystack = [[{"role": "user", "content": "word " * 200}] * 10] * 80
    table: list[Row] = [
        {"id": n, "question": "q?", "gold": "g", "haystack_sessions": haystack} for n in range(50)
    ]
    path = tmp_path / "key.json"
    path.write_text(json.JSONEncoder().encode(table))
    assert path.stat().st_size > 40_000_000
    file = saved(tmp_path / "s.jsonl", [{"id": n, "response": "r"} for n in range(50)])

    assert peak_while_joining(file, ReferencesFile(path=path)) < 12_000_000
