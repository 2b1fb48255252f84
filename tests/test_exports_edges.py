"""judge/tables.py, autoeval.py, manifest.py, loading.py and `judge export`: where they could slip.

What a model wrote, a file system holds or a caller mistypes must not pass for something else.
"""

import csv
import io
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kindruns import brought, judged, sound
from openruns import ran as small_run
from smallrun import SmallJudge, Turn, configured, ran

from judge import load, verify
from judge.autoeval import write_autoeval
from judge.cli import main
from judge.config import read
from judge.errors import InputError, StorageError, VerificationError
from judge.manifest import NAME, check_manifest, write_manifest
from judge.marks import read_marks
from judge.tables import csv_line, replaced

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small sealed run, judged by the embedded rule, once."""
    folder = tmp_path_factory.mktemp("edges") / "run"
    small_run(folder)
    return folder


# --- tables -------------------------------------------------------------------------------------


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=2))
def test_a_row_stays_one_row(cells: list[str]) -> None:
    """Whatever its cells hold, Python's strict reader gives them back."""
    line = csv_line(cells)

    assert list(csv.reader(io.StringIO(line, newline=""), strict=True)) == [cells]


def test_a_carriage_return_begins_no_row() -> None:
    """A reply may hold one alone, with a formula after it."""
    assert csv_line(["a\r=1+1", "b"]) == '"a\r=1+1",b\n'


@pytest.mark.parametrize(("umask", "mode"), [(0o077, 0o600), (0o022, 0o644)])
def test_a_file_is_as_private_as_its_user_says(umask: int, mode: int, tmp_path: Path) -> None:
    """A table holds every text of a run whose own files nobody else can read."""
    before = os.umask(umask)
    try:
        replaced(tmp_path / "x", lambda file: file.write(b"x"), force=False)
    finally:
        os.umask(before)

    assert (tmp_path / "x").stat().st_mode & 0o777 == mode


@pytest.mark.parametrize("name", ["plain/x.csv", "none/x.csv", "a" * 300, "folder"])
def test_what_cannot_be_written_is_one_sentence(name: str, tmp_path: Path) -> None:
    """Below a file, in no folder, under a name too long, over a folder: and nothing is left."""
    (tmp_path / "plain").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "kept").write_bytes(b"")
    with pytest.raises((InputError, StorageError), match=name[:20]):
        replaced(tmp_path / name, lambda file: file.write(b"x"), force=True)

    assert sorted(each.name for each in tmp_path.iterdir()) == ["folder", "plain"]


# --- `judge export` -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--csv", "x", "--parquet", "x"], "two outputs have one name"),
        (["--csv", "x", "--parquet", "../o/x"], "two outputs have one name"),
        (["--csv", "x", "--condition", "c1"], "--condition goes with --autoeval"),
        (["--csv", "x", "--repetition", "1"], "--repetition goes with --autoeval"),
        (["--csv", "x", "--decided-only"], "--decided-only goes with --autoeval"),
        (["--public", "x", "--with-controls"], "--with-controls goes with --csv or --parquet"),
        (["--csv", "x", "--public", "there"], "there exists"),
        (["--csv", "x", "--public", "there", "--force"], "there exists"),
        (["--csv", "x", "--autoeval", "y", "--condition", "c9"], "no condition c9"),
        (["--csv", "x", "--autoeval", "y", "--repetition", "2"], "no repetition 2"),
    ],
)
def test_a_refused_export_leaves_nothing_behind(
    words: list[str],
    said: str,
    run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Neither one of several outputs, nor a file made as if an option had not been there."""
    (tmp_path / "o" / "there").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "o")

    assert main(["export", str(run), *words]) == 2
    assert said in capsys.readouterr().err
    assert [each.name for each in (tmp_path / "o").iterdir()] == ["there"]


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("gone")])
@pytest.mark.parametrize(
    "words", [("export", "--csv"), ("export", "--autoeval"), ("report", "--out")]
)
def test_what_is_no_plain_file_is_never_replaced(
    make: Callable[[Path], None],
    words: tuple[str, str],
    run: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Not even with --force: a device or a pipe would be gone, and a file stand in its place."""
    path = tmp_path / "out"
    make(path)
    kind = path.lstat().st_mode

    assert main([words[0], str(run), words[1], str(path), "--force"]) == 2
    assert "exists and is no plain file" in capsys.readouterr().err
    assert path.lstat().st_mode == kind


@pytest.mark.parametrize(
    "words", [("export", "--csv"), ("export", "--autoeval"), ("report", "--out")]
)
@pytest.mark.parametrize("name", ["run.json", "new.csv", "inputs/items.jsonl"])
def test_nothing_is_written_among_a_runs_own_files(
    words: tuple[str, str],
    name: str,
    run: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A sealed run stays what it is, --force or not."""
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}

    assert main([words[0], str(run), words[1], str(run / name), "--force"]) == 2
    assert "lies in the run run; write it beside the run" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


def test_several_outputs_come_from_one_proof(run: Path, tmp_path: Path) -> None:
    """Each asked for by its name; all are there."""
    table, result, copy = tmp_path / "t.csv", tmp_path / "r.jsonl", tmp_path / "p"
    words = ["--csv", str(table), "--autoeval", str(result), "--public", str(copy)]

    assert main(["export", str(run), *words]) == 0
    assert len(result.read_bytes().splitlines()) == 4
    assert verify(copy, public=True).head == verify(run).head


def test_a_run_without_a_verdict_has_no_result_file(tmp_path: Path) -> None:
    """An empty file would read as a result."""

    def silent(turn: Turn) -> None:
        if turn.item:
            turn.reply["choices"][0]["message"]["content"] = "well"

    with SmallJudge(silent) as server:
        ran(configured("openai", server.base_url("openai")), tmp_path / "run")
    found = load(tmp_path / "run")
    with pytest.raises(InputError, match="no item has a verdict"):
        write_autoeval(found.proof, found.judgments, tmp_path / "x", decided_only=True)

    assert not (tmp_path / "x").exists()


_QUIZ = {
    f"q{n}": ("place", f"Which mill stands at mile {n}?", f"Mill {name}", said)
    for n, (name, said) in enumerate(
        [
            *(
                ("Aune", "It is Mill Aune."),
                ("Belt", "It is Mill Zorn."),
                ("Corvo", "I cannot say."),
            ),
            *((name, "It is Mill Zorn.") for name in ("Dalum", "Espe", "Fjor", "Gorm", "Hvide")),
            *((name, "It is Mill Zorn.") for name in ("Inge", "Jorn", "Kell", "Lund", "Mols")),
        ]
    )
}


def test_three_labels_become_two_and_grades_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The accepting label is true, both others false; the table keeps them apart."""
    monkeypatch.setenv("JUDGE_HOME", str(tmp_path / "home"))
    quiz, grades, result = tmp_path / "quiz", tmp_path / "grades", tmp_path / "result"
    quiz.mkdir()
    grades.mkdir()
    rubric = brought("simpleqa/upstream", quiz, ".py")
    letters = {"right": "A", "wrong": "B", "none": "C"}
    told = judged(rubric, _QUIZ, lambda row: letters[sound(row)], quiz).folder
    rubric = brought("mt-bench-single/upstream", grades, ".jsonl")
    rating = {"right": "Rating: [[9]]", "wrong": "Rating: [[2]]", "none": "Rating: [[2]]"}
    graded = judged(rubric, _QUIZ, lambda row: rating[sound(row)], grades).folder

    assert main(["export", str(told), "--autoeval", str(result)]) == 0
    rows = [orjson.loads(line) for line in result.read_bytes().splitlines()]
    assert [row["autoeval_label"]["label"] for row in rows] == [True, *[False] * 12]
    assert [row.label for row in load(told).judgments[:3]] == [
        "CORRECT",
        "INCORRECT",
        "NOT_ATTEMPTED",
    ]
    assert {row.accepted for row in load(graded).judgments} == {None}
    assert main(["export", str(graded), "--autoeval", str(tmp_path / "other")]) == 2
    assert "the rubric gives grades" in capsys.readouterr().err


# --- `judge.load` -------------------------------------------------------------------------------


def test_a_loaded_run_shows_itself_in_a_line(run: Path) -> None:
    """A notebook prints what stands last in a cell; thousands of judgments help nobody there."""
    assert repr(load(run)) == f"<run {str(run)!r}: complete, 4 judgments>"


def test_several_runs_are_loaded_in_their_order(run: Path, tmp_path: Path) -> None:
    """Each proved; one named twice is refused."""
    small_run(tmp_path / "other")
    first, second = load([run, tmp_path / "other"])

    assert (first.opened.name, second.opened.name) == ("run", "other")
    with pytest.raises(InputError, match="named twice"):
        load([run, str(run)])


# --- manifests ----------------------------------------------------------------------------------


def _manifested(folder: Path) -> None:
    for name in ("a", "b", "c"):
        (folder / name).write_text(name, encoding="utf-8")
    write_manifest(folder)


def test_a_file_that_became_a_link_is_named_among_the_others(tmp_path: Path) -> None:
    """It is a change like any other, exit 6, though it leads to the same bytes."""
    folder = tmp_path / "d"
    folder.mkdir()
    _manifested(folder)
    (folder / "a").rename(tmp_path / "a")
    (folder / "a").symlink_to(tmp_path / "a")
    (folder / "b").write_text("other", encoding="utf-8")
    (folder / "more").symlink_to(tmp_path)

    with pytest.raises(VerificationError) as error:
        check_manifest(folder)
    assert "a link or no plain file 'a'; changed b; not in the manifest 'more'" in str(error.value)


def test_a_manifest_that_is_a_link_is_refused(tmp_path: Path) -> None:
    """What it leads to is not in the folder."""
    folder = tmp_path / "d"
    folder.mkdir()
    _manifested(folder)
    (folder / NAME).rename(tmp_path / NAME)
    (folder / NAME).symlink_to(tmp_path / NAME)
    with pytest.raises(VerificationError, match="is a link"):
        check_manifest(folder)


def test_a_folder_that_cannot_be_read_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A manifest without its files would look whole."""
    _manifested(tmp_path)
    (tmp_path / "closed").mkdir()
    real = os.scandir

    def scandir(path: str) -> object:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(StorageError, match="closed: Permission denied"):
        write_manifest(tmp_path, force=True)
    with pytest.raises(StorageError, match="closed: Permission denied"):
        check_manifest(tmp_path)


def test_names_that_other_people_use_can_stand_in_a_manifest(tmp_path: Path) -> None:
    """Spaces of every kind and letters of any script; sha256sum reads them too."""
    for name in ("a b", "10.00\u202fAM.png", "試\u3000験", " lead", "tail "):
        (tmp_path / name).write_text(name, encoding="utf-8")
    write_manifest(tmp_path)

    assert check_manifest(tmp_path) == 5
    subprocess.run(["sha256sum", "-c", "--quiet", NAME], cwd=tmp_path, check=True)


@pytest.mark.parametrize("name", [b"a\\b", b"a\x1bb", b"a\x7fb", b"a\xff"])
def test_names_that_no_line_can_hold_are_refused(name: bytes, tmp_path: Path) -> None:
    """sha256sum would escape them, each tool in its way."""
    (tmp_path / os.fsdecode(name)).write_bytes(b"")
    with pytest.raises(InputError, match="a name that cannot stand in a manifest"):
        write_manifest(tmp_path)


# --- marks and a first run.yaml -----------------------------------------------------------------


def test_a_public_export_can_be_marked(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was published is what most needs the mark; its chain still proves what it did."""
    small_run(tmp_path / "next")
    for source, target in ((run, "one"), (tmp_path / "next", "two")):
        assert main(["export", str(source), "--public", str(tmp_path / target)]) == 0
    one, two = str(tmp_path / "one"), str(tmp_path / "two")

    assert main(["mark", one, "--superseded-by", two, "--reason", "why", "--public"]) == 0
    assert [each.reason for each in read_marks(tmp_path / "one")] == ["why"]
    capsys.readouterr()
    assert main(["show", one, "--public"]) == 0
    assert "superseded by two" in capsys.readouterr().err
    assert main(["verify", one, "--public"]) == 0
    subprocess.run(
        ["python3", str(ROOT / "receipts" / "verify.py"), "--public", one],
        check=True,
        capture_output=True,
    )


@pytest.mark.parametrize("word", ["openai", "lexical/x", "mine/m", "openai/", "/m"])
def test_a_starter_names_no_judge_that_cannot_be_asked(
    word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It would write a run.yaml that says something else, or that nothing reads."""
    assert main(["init", str(tmp_path / "run.yaml"), "--judge", word]) == 2
    assert "give openai/MODEL, anthropic/MODEL or lexical" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_name_with_a_line_end_adds_no_line_to_the_starter(tmp_path: Path) -> None:
    """It would stand there as a field."""
    path = tmp_path / "a\nseed: 7"
    assert main(["init", str(path), "--judge", "lexical"]) == 0

    assert read(path).seed == 0


def test_every_option_of_the_starter_can_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All comments that hold one, taken away at once, give a run.yaml that says each of them."""
    monkeypatch.chdir(tmp_path)
    assert main(["init"]) == 0
    option = re.compile(r"( *)# ([a-z_]+: ?.*|  +(?:- \{|[a-z_]+:).*)")
    lines = Path("run.yaml").read_text("utf-8").splitlines()
    opened = [(found[1] + found[2] if (found := option.fullmatch(x)) else x) for x in lines]
    Path("all.yaml").write_text("\n".join(opened) + "\n", encoding="utf-8")
    config = read(Path("all.yaml"))
    [named], study = config.judges, config.study

    assert (config.batch_size, config.limit, config.extract) == (200, 20, "last-answer-line")
    assert (config.controls[0], config.only) == ("paraphrase", ("type=knowledge-update",))
    assert (named.key_env, named.price and named.price.output) == ("MY_KEY", "10")
    assert named.settings == {"max_completion_tokens": 2000}
    assert study is not None
    assert (study.margin, len(study.contrasts), study.comparators[0].count) == ("0.02", 2, 477)
    assert (config.limits.max_tokens_total, config.limits.max_cost_usd) == (2_000_000, "5.00")
