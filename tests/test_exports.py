"""judge/judgments.py, tables.py, autoeval.py, loading.py, manifest.py, marks.py, starter.py."""

import csv
import json
import subprocess
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openruns import ran as small_run
from smallrun import SmallJudge, Turn, configured, ran
from stretches import EXAMPLES

import judge
from judge.answers import AnswersFile, ReferencesFile, join
from judge.cli import main
from judge.config import read
from judge.errors import InputError, VerificationError
from judge.judgments import Judgment
from judge.manifest import check_manifest, write_manifest
from judge.marks import mark, read_marks
from judge.records import Selection
from judge.recount import recount
from judge.tables import COLUMNS, kind_of, spreadsheet_safe

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two passes of the examples, judged by the embedded rule, once."""
    folder = tmp_path_factory.mktemp("exports") / "run"
    words = [
        *("--answers", str(EXAMPLES / "pass-1.jsonl"), "--answers", str(EXAMPLES / "pass-2.jsonl")),
        *("--references", str(EXAMPLES / "references.json"), "--judge", "lexical"),
    ]
    assert main(["run", *words, "--out", str(folder)]) == 0
    return folder


# --- rows ---------------------------------------------------------------------------------------


def test_there_is_a_row_for_every_planned_cell(run: Path) -> None:
    """In the order of the plan, with everything the receipts and the inputs say."""
    found = judge.load(run)
    first = found.judgments[0]

    assert len(found.judgments) == 144
    assert len(found.controls) == 48
    assert (first.item, first.answers, first.label) == ("user-01", "pass-1", "yes")
    assert first.response == "You brought home a wire-haired dachshund."
    assert {row.outcome for row in found.judgments} == {"decided"}
    accepted = sum(row.accepted is True for row in found.judgments if row.condition == "c1")
    assert accepted == found.summary.conditions[0].accepted
    assert all(row.expect and row.label in row.expect for row in found.controls)


def test_an_undecided_and_an_open_cell_are_rows_too(tmp_path: Path) -> None:
    """Nothing is dropped: each has its reason, or none was asked."""

    def silent(turn: Turn) -> None:
        if turn.item == "multi-04":
            turn.reply["choices"][0]["message"]["content"] = "well"

    with SmallJudge(silent) as server:
        ran(configured("openai", server.base_url("openai")), tmp_path / "run")
    rows = judge.load(tmp_path / "run").judgments
    [odd] = [row for row in rows if row.label is None]

    assert (odd.item, odd.outcome, odd.reason, odd.accepted) == (
        "multi-04",
        "undecided",
        "off_scale",
        None,
    )
    assert odd.reply_text == "well"


def test_a_public_export_has_rows_without_texts(run: Path, tmp_path: Path) -> None:
    """Its labels are the run's; what it does not hold is null."""
    assert main(["export", str(run), "--public", str(tmp_path / "public")]) == 0
    whole, public = judge.load(run), judge.load(tmp_path / "public", public=True)
    told = {(r.condition, r.item): r.label for r in public.judgments}

    assert told == {(r.condition, r.item): r.label for r in whole.judgments}
    assert {row.question for row in public.judgments} == {None}


def test_rows_of_a_changed_ledger_are_refused(tmp_path: Path) -> None:
    """What is read after the proof must be what was proved."""
    outcome = small_run(tmp_path / "run")
    path = tmp_path / "run" / "receipts.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(VerificationError, match="changed since it was proved"):
        list(judge.judgments.judgments(outcome.proof, tmp_path / "run"))


# --- tables -------------------------------------------------------------------------------------


def test_a_csv_has_one_row_per_judgment(run: Path, tmp_path: Path) -> None:
    """The columns are the documented ones, in their order; every value is read back."""
    path = tmp_path / "rows.csv"
    assert main(["export", str(run), "--csv", str(path), "--with-controls"]) == 0
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = judge.load(run)
    every = (*found.controls, *found.judgments)

    assert tuple(rows[0]) == COLUMNS
    assert len(rows) == len(every)
    for row, said in zip(rows, every, strict=True):
        assert row["accepted"] == {True: "true", False: "false", None: ""}[said.accepted]
        assert row["response"] == spreadsheet_safe(said.response or "")
        assert row["expect"] == ("" if said.expect is None else json.dumps(list(said.expect)))  # noqa: TID251


@given(st.text())
def test_no_cell_is_a_formula(text: str) -> None:
    """Whatever a model wrote; and taking one apostrophe away gives the text back."""
    cell = spreadsheet_safe(text)

    assert not cell.startswith(
        ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
    )
    assert (cell.removeprefix("'") if cell.startswith("'") else cell) == text


def test_a_file_that_exists_is_left_alone(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Unless it is said to be written over; nothing half-written is ever left."""
    path = tmp_path / "rows.csv"
    path.write_text("mine", encoding="utf-8")
    assert main(["export", str(run), "--csv", str(path)]) == 2
    assert "add --force" in capsys.readouterr().err
    assert path.read_text("utf-8") == "mine"
    assert main(["export", str(run), "--csv", str(path), "--force"]) == 0
    assert [each.name for each in tmp_path.iterdir()] == ["rows.csv"]
    assert main(["export", str(run), "--csv", str(tmp_path / "none" / "x.csv")]) == 7
    assert main(["export", str(run)]) == 2


def test_parquet_holds_the_same_rows_typed(run: Path, tmp_path: Path) -> None:
    """And names the run it is from; the same run gives the same bytes."""
    parquet = pytest.importorskip("pyarrow.parquet")
    first, second = tmp_path / "a.parquet", tmp_path / "b.parquet"
    for path in (first, second):
        assert main(["export", str(run), "--parquet", str(path)]) == 0
    table = parquet.read_table(first)
    said = judge.load(run)

    assert table.column_names == list(COLUMNS)
    assert table.num_rows == 144
    assert table["accepted"].to_pylist() == [row.accepted for row in said.judgments]
    assert table["position"].to_pylist() == [row.position for row in said.judgments]
    assert table.schema.metadata[b"judge.head"].decode() == said.proof.head
    assert first.read_bytes() == second.read_bytes()


def test_a_data_frame_counts_as_the_summary_does(run: Path) -> None:
    """Typed, nullable columns."""
    pytest.importorskip("pandas")
    loaded = judge.load(run)
    table = loaded.frame()
    by = table.groupby("condition")["accepted"].sum().to_dict()

    assert by == {group.id: group.accepted for group in loaded.summary.conditions}
    assert list(table.columns) == list(COLUMNS)


def test_the_page_on_tables_lists_every_column() -> None:
    """In order, with what it holds."""
    page = (ROOT / "docs" / "tables.md").read_text("utf-8")
    listed = [
        line.split("|")[1].strip(" `") for line in page.splitlines() if line.startswith("| `")
    ]

    assert listed == list(COLUMNS)
    for name in COLUMNS:
        assert f"| `{name}` | {kind_of(name)} |" in page


# --- LongMemEval's own file ---------------------------------------------------------------------


def test_an_autoeval_file_is_read_back_with_its_labels(run: Path, tmp_path: Path) -> None:
    """This package's own reader takes it, and its labels are the earlier labels then."""
    path = tmp_path / "pass-1.eval-results-lexical.jsonl"
    assert main(["export", str(run), "--autoeval", str(path), "--condition", "c1"]) == 0
    joined = join(
        [AnswersFile(name="again", path=path)],
        ReferencesFile(path=EXAMPLES / "references.json"),
        Selection(only=(), limit=None, allow_partial=False, allow_empty=False),
    )
    said = {row.item: row.label for row in judge.load(run).judgments if row.condition == "c1"}

    assert {item.id: item.prior for item in joined.items()} == said
    row = orjson.loads(path.read_bytes().splitlines()[0])
    assert row.keys() == {"question_id", "hypothesis", "autoeval_label"}
    assert row["autoeval_label"] == {"label": True, "model": "lexical/1"}


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ([], "name one: --condition c1"),
        (["--condition", "c9"], "no condition c9"),
        (["--condition", "c1", "--repetition", "2"], "no repetition 2"),
    ],
)
def test_one_condition_must_be_chosen(
    more: list[str],
    sentence: str,
    run: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The format has room for one."""
    assert main(["export", str(run), "--autoeval", str(tmp_path / "x.jsonl"), *more]) == 2
    assert sentence in capsys.readouterr().err


def test_an_undecided_item_is_never_false(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file is refused, or holds the others and says how many are not in it."""

    def silent(turn: Turn) -> None:
        if turn.item == "multi-04":
            turn.reply["choices"][0]["message"]["content"] = "well"

    with SmallJudge(silent) as server:
        ran(configured("openai", server.base_url("openai")), tmp_path / "run")
    words = ["export", str(tmp_path / "run"), "--autoeval", str(tmp_path / "x.jsonl")]

    assert main(words) == 2
    assert "1 items have no verdict" in capsys.readouterr().err
    assert main([*words, "--decided-only"]) == 0
    assert "1 undecided items are not in" in capsys.readouterr().err
    assert len((tmp_path / "x.jsonl").read_bytes().splitlines()) == 9


# --- manifests ----------------------------------------------------------------------------------


def test_a_manifest_is_the_same_each_time_and_sha256sum_reads_it(tmp_path: Path) -> None:
    """Sorted, one line a file, itself left out."""
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "x y").write_bytes(b"1")
    (tmp_path / "a.txt").write_bytes(b"2")
    assert write_manifest(tmp_path) == 2
    first = (tmp_path / "MANIFEST.sha256").read_bytes()
    assert write_manifest(tmp_path, force=True) == 2

    assert (tmp_path / "MANIFEST.sha256").read_bytes() == first
    assert check_manifest(tmp_path) == 2
    subprocess.run(["sha256sum", "-c", "--quiet", "MANIFEST.sha256"], cwd=tmp_path, check=True)


def test_every_file_that_is_not_as_said_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Changed, missing, and one too many; exit 6."""
    for name in ("kept", "changed", "gone"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    assert main(["manifest", "write", str(tmp_path)]) == 0
    assert main(["manifest", "check", str(tmp_path)]) == 0
    (tmp_path / "changed").write_text("other", encoding="utf-8")
    (tmp_path / "gone").unlink()
    (tmp_path / "new").write_text("new", encoding="utf-8")
    capsys.readouterr()

    assert main(["manifest", "check", str(tmp_path)]) == 6
    said = capsys.readouterr().err
    assert "changed changed; missing gone; not in the manifest new" in said


@pytest.mark.parametrize("kind", ["nothing", "link", "name", "no manifest", "no folder"])
def test_a_manifest_of_what_it_cannot_name_is_refused(kind: str, tmp_path: Path) -> None:
    """Nothing passes vacuously, and no link is followed."""
    folder = tmp_path / "d"
    if kind != "no folder":
        folder.mkdir()
    if kind == "link":
        (folder / "x").symlink_to("/etc/hostname")
    if kind == "name":
        (folder / "a\nb").write_bytes(b"")
    with pytest.raises(InputError):
        check_manifest(folder) if kind == "no manifest" else write_manifest(folder)


@pytest.mark.parametrize("text", ["", "x\n", f"{'0' * 64} one\n", f"{'0' * 64}  a\n" * 2])
def test_a_manifest_that_is_none_holds_nothing(text: str, tmp_path: Path) -> None:
    """It is named with its line."""
    (tmp_path / "a").write_bytes(b"")
    (tmp_path / "MANIFEST.sha256").write_text(text, encoding="utf-8")
    with pytest.raises(VerificationError, match=r"MANIFEST\.sha256"):
        check_manifest(tmp_path)


# --- marks --------------------------------------------------------------------------------------


def test_a_marked_run_proves_what_it_proved_and_everybody_is_warned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The mark stands outside the seal; a second one is added, not written over."""
    one, two = tmp_path / "one", tmp_path / "two"
    small_run(one), small_run(two)
    head = recount(one).head
    words = ["mark", str(one), "--superseded-by", str(two), "--reason"]
    assert main([*words, "a wrong key"]) == 0
    assert main([*words, "and a second reason"]) == 0

    assert recount(one).head == head
    assert [each.reason for each in read_marks(one)] == ["a wrong key", "and a second reason"]
    script = ROOT / "receipts" / "verify.py"
    subprocess.run(["python3", str(script), str(one)], check=True, capture_output=True)
    capsys.readouterr()
    for command in (["show", str(one)], ["compare", str(one), str(two)]):
        assert main(command) == 0
        assert "superseded by two" in capsys.readouterr().err


def test_a_mark_that_says_nothing_is_refused(tmp_path: Path) -> None:
    """No reason, or a run superseded by itself."""
    small_run(tmp_path / "one"), small_run(tmp_path / "two")
    one, two = recount(tmp_path / "one"), recount(tmp_path / "two")
    with pytest.raises(InputError, match="--reason is empty"):
        mark(tmp_path / "one", one, tmp_path / "two", two, " ")
    with pytest.raises(InputError, match="cannot supersede itself"):
        mark(tmp_path / "one", one, tmp_path / "one", one, "why")
    assert read_marks(tmp_path / "one") == ()


@pytest.mark.parametrize("data", [b"{}\n", b"x\n", b'{"v":1}\n'])
def test_a_file_of_marks_that_is_none_is_damage(data: bytes, tmp_path: Path) -> None:
    """As is a mark of another run, and one without its end."""
    small_run(tmp_path / "one"), small_run(tmp_path / "two")
    (tmp_path / "one" / "marks.jsonl").write_bytes(data)
    with pytest.raises(VerificationError, match=r"marks\.jsonl:1"):
        read_marks(tmp_path / "one")
    (tmp_path / "one" / "marks.jsonl").unlink()
    one, two = recount(tmp_path / "one"), recount(tmp_path / "two")
    mark(tmp_path / "one", one, tmp_path / "two", two, "why")
    line = (tmp_path / "one" / "marks.jsonl").read_bytes()
    (tmp_path / "two" / "marks.jsonl").write_bytes(line)
    with pytest.raises(VerificationError, match="a mark of another run"):
        read_marks(tmp_path / "two")
    (tmp_path / "one" / "marks.jsonl").write_bytes(line[:-1])
    with pytest.raises(VerificationError, match="torn"):
        read_marks(tmp_path / "one")


# --- a run.yaml to start from -------------------------------------------------------------------


def test_a_starter_plans_as_it_stands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And with every comment taken away it still is a configuration."""
    monkeypatch.chdir(tmp_path)
    words = ["--answers", str(EXAMPLES / "pass-1.jsonl"), "--judge", "lexical"]
    words += ["--answers", str(EXAMPLES / "pass-2.jsonl")]
    assert main(["init", *words, "--references", str(EXAMPLES / "references.json")]) == 0
    assert main(["plan", "run.yaml"]) == 0
    assert main(["init", *words]) == 2
    assert "exists" in capsys.readouterr().err

    text = (tmp_path / "run.yaml").read_text("utf-8")
    lines = text.splitlines()
    start = next(n for n, line in enumerate(lines) if line == "# study:")
    end = next(n for n, line in enumerate(lines) if line == "limits:" or line.startswith("limits:"))
    opened = [line.removeprefix("# ") for line in lines[start : end - 1]]
    whole = "\n".join([*lines[:start], *opened, *lines[end:]]).replace("# max_", "max_")
    (tmp_path / "whole.yaml").write_text(
        whole.replace("{id: …, class: …, reason: …}", "x"), encoding="utf-8"
    )
    config = read(tmp_path / "whole.yaml")
    assert config.study is not None
    assert [each.name for each in config.study.contrasts] == ["template", "the-two-passes"]
    assert config.limits.max_cost_usd == "5.00"


def test_the_starter_names_a_paid_judge_by_default(tmp_path: Path) -> None:
    """With what else can be said of it beside it, as comments."""
    assert main(["init", str(tmp_path / "x.yaml")]) == 0
    [named] = read(tmp_path / "x.yaml").judges

    assert (named.provider, named.model) == ("openai", "gpt-4o-2024-08-06")
    assert isinstance(Judgment.model_fields["label"].annotation, object)
