"""`judge study` on real runs: what is named, refused, left out and said why."""

import shutil
from pathlib import Path

import orjson
import pytest
from faultserver import JudgeServer
from openruns import ran
from stretches import EXAMPLES

from judge.cli import main
from judge.config import AnswersConfig, ReferencesConfig
from judge.studies.columns import open_runs

FLIPPED = "user-01"


def _server(*, later: bool = False) -> JudgeServer:
    """A judge that accepts all but controls that are wrong; `later`, the other way on one item."""

    def answer(body: dict[str, object]) -> str:
        messages = body["messages"]
        assert isinstance(messages, list)
        prompt = str(messages[-1]["content"])
        gold, _, rest = prompt.partition("\n\nReference answer: ")[2].partition("\n\nResponse: ")
        response = rest.rpartition("\n\n")[0]
        right = gold in response
        return "yes" if right != (later and "dachshund." in response != gold) else "no"

    return JudgeServer(answer)


def _said(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    capsys.readouterr()
    assert main(["study", *map(str, words)]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def _refused(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    capsys.readouterr()
    assert main(["study", *map(str, words)]) == 2
    return capsys.readouterr().err


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same four answers on two days, in folders of one name; one label changed."""
    folder = tmp_path_factory.mktemp("days")
    places = folder / "monday" / "run", folder / "tuesday" / "run"
    for place, later in zip(places, (False, True), strict=True):
        with _server(later=later) as server:
            assert ran(place, server).exit_code == 0
    return places


def test_runs_in_folders_of_one_name_are_two_runs(
    runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """A label that changed from one to the other is time, and the runs are told apart."""
    said = _said(capsys, "repeats", *runs)

    assert [run.name for run in open_runs(runs)] == ["monday/run", "tuesday/run"]
    assert "0 inside a run, 1 only from one run to another (time)" in said
    assert "monday/run@1" in said
    assert FLIPPED in said


def test_two_conditions_are_taken_with_their_replies(
    runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """RUN#c1 of two runs repeats like the runs themselves."""
    said = _said(capsys, "repeats", *(f"{run}#c1@1" for run in runs))

    assert "time        yes (yes)" in said


def test_one_run_repeats_nothing(
    runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """An analysis without a subject is an error with its reason."""
    assert "no condition of these runs was asked more than once" in _refused(
        capsys, "repeats", runs[0]
    )
    assert "no two conditions of these runs differ in their judge alone" in _refused(
        capsys, "judges", runs[0]
    )
    assert "differ in their rubric alone" in _refused(capsys, "templates", runs[0])


def test_all_names_what_does_not_apply(
    runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """And the JSON holds the same reasons."""
    said = _said(capsys, "all", *runs)
    found = orjson.loads(_said(capsys, "all", *runs, "--json"))

    assert "Not applicable" in said
    assert "sensitivity: no two conditions differ in their rubric alone" in said
    assert found["skipped"]["judges"] == "no two conditions differ in their judge alone"
    assert len(found["repeats"]) == 1


def _split(folder: Path) -> tuple[AnswersConfig, AnswersConfig]:
    """Saved answers in two files without a question in common; the second has no labels."""
    lines = [
        line
        for line in (EXAMPLES / "pass-1.jsonl").read_bytes().splitlines(keepends=True)
        if orjson.loads(line)["question_id"].startswith("user-0")
    ]
    first, second = folder / "first.jsonl", folder / "second.jsonl"
    first.write_bytes(b"".join(lines[:2]))
    second.write_bytes(b"".join(_bare(line) for line in lines[2:4]))
    return AnswersConfig(file=str(first)), AnswersConfig(file=str(second))


def _bare(line: bytes) -> bytes:
    row = orjson.loads(line)
    row.pop("autoeval_label", None)
    return orjson.dumps(row) + b"\n"


def test_runs_without_a_common_question_are_still_studied(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two runs over other parts of the questions: what applies is said, and what does not."""
    for name, only in (("one", "id=user-01,user-02"), ("two", "id=user-03,user-04")):
        with _server() as server:
            assert ran(tmp_path / name, server, only=(only,), limit=None).exit_code == 0
    said = _said(capsys, "all", tmp_path / "one", tmp_path / "two")

    assert "repeats: no item has a verdict in all of" in said
    assert "Re-judged: earlier labels beside new ones" in said


def test_a_column_without_earlier_labels_does_not_hide_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of two answer files one has labels: it is re-judged, and the other is named."""
    first, second = _split(tmp_path)
    for name, answers in (("one", first), ("two", second)):
        references = ReferencesConfig(file=str(EXAMPLES / "references.json"))
        with _server() as server:
            outcome = ran(
                tmp_path / name,
                server,
                answers=(answers,),
                references=references,
                allow_partial=True,
                limit=None,
            )
        assert outcome.exit_code == 0
    said = _said(capsys, "rejudge", tmp_path / "one", tmp_path / "two")

    assert "among 2 answers with a label from before (labels of first)" in said
    assert "second | correctness/v1 | gpt-4o-2024-08-06: no saved answer has an earlier" in said
    assert "no saved answer has an earlier label" in _refused(capsys, "rejudge", tmp_path / "two")


def test_a_run_named_twice_is_refused(
    runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """A run agrees with itself, which shows nothing."""
    assert "a run is named twice" in _refused(capsys, "repeats", runs[0], runs[0])


def test_a_copy_of_a_run_is_no_second_run(
    runs: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It agrees with the first on everything; so does a condition named twice."""
    copy = tmp_path / "copy"
    shutil.copytree(runs[0], copy)

    assert "is a copy of the run in" in _refused(capsys, "repeats", runs[0], copy)
    assert "given twice" in _refused(capsys, "repeats", f"{runs[0]}#c1", f"{runs[0]}#c1@1")


def test_a_damaged_run_is_not_studied(
    runs: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every run is proved again first: exit 6."""
    copy = tmp_path / "copy"
    shutil.copytree(runs[0], copy)
    path = copy / "receipts.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"label":"yes"', b'"label":"no"', 1))

    assert main(["study", "all", str(copy)]) == 6
    assert capsys.readouterr().out == ""
