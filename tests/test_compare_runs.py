"""Runs, conditions and repetitions as sides: recounted first, whole or refused."""

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from faultacts import refused, said
from faultserver import Action
from smallrun import ANSWERS, TARGET, Act, SmallJudge, Turn, configured, ran

import judge
from judge import AnswersConfig, CompareOptions, JudgeConfig, ReferencesConfig, RunConfig
from judge.cli import main
from judge.comparing.opening import read_sides
from judge.comparing.sides import Verdict
from judge.errors import InputError, VerificationError
from judge.export import export_public

EXAMPLES = Path(__file__).parents[1] / "examples"
Made = Callable[[Act], Path]


@pytest.fixture(autouse=True)
def _quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for no disk: what must survive a crash is not asked here."""
    monkeypatch.setattr(os, "fsync", lambda _fd: None)
    monkeypatch.setattr(os, "fdatasync", lambda _fd: None)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two answer sets, asked twice, with the embedded judge."""
    made = tmp_path_factory.mktemp("runs") / "run"
    config = RunConfig(
        answers=tuple(
            AnswersConfig(file=str(EXAMPLES / name)) for name in ("pass-1.jsonl", "pass-2.jsonl")
        ),
        references=ReferencesConfig(file=str(EXAMPLES / "references.json")),
        rubrics=("correctness/v1",),
        judges=(JudgeConfig(provider="lexical"),),
        repetitions=2,
    )
    assert judge.run(config, made).exit_code == 0
    return made


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Make a small run with a judge that can err."""

    def make(act: Act) -> Path:
        with SmallJudge(act) as server:
            config = configured("openai", server.base_url("openai"))
            return ran(config, tmp_path / "small").outcome.folder

    return make


def _on_target(act: Act) -> Act:
    """Do it on one saved answer, be right on all others."""

    def acted(turn: Turn) -> Sequence[Action] | None:
        return act(turn) if turn.item == TARGET else None

    return acted


# --- what a run brings --------------------------------------------------------------------------


def test_two_conditions_of_a_run_are_compared(folder: Path) -> None:
    """61 of 72 answers are the same; ten verdicts differ, none of them among those."""
    found = judge.compare(f"{folder}#c1@1", f"{folder}#c2@1")
    assert (found.pairs.n, found.pairs.first_only, found.pairs.second_only) == (72, 6, 4)
    assert (found.same.answers.same, found.same.prompts.same) == (61, 61)
    assert (found.same.rubric.state, found.same.judge.state) == ("same", "same")
    assert found.same_answer_flips == 0
    assert len(found.types) == 6
    assert found.first.run is not None
    assert found.first.run.head == judge.verify(folder).head


def test_two_repetitions_show_the_judges_own_unsteadiness(folder: Path) -> None:
    """With everything the same, a difference would be the judge's alone."""
    found = judge.compare(f"{folder}#c1@1", f"{folder}#c1@2")
    assert found.same.prompts.state == "same"
    assert "the same prompts were put to the same judge" in found.about


def test_a_string_rule_is_named(folder: Path) -> None:
    """Verdicts of the embedded judge are never taken for a language model's."""
    found = judge.compare(f"{folder}#c1@1", f"{folder}#c2@1")
    assert "A was judged by a string rule, not a language model" in found.warnings


def test_a_run_is_compared_with_a_file(folder: Path, tmp_path: Path) -> None:
    """What the file does not hold is unknown, never the same."""
    rows = judge.compare(f"{folder}#c1@1", f"{folder}#c2@1")
    path = tmp_path / "labels.csv"
    ids = [verdict.id for verdict in _ids(folder)]
    path.write_text("id,label\n" + "".join(f"{name},yes\n" for name in ids))
    found = judge.compare(f"{folder}#c1@1", path)
    assert found.first_rate.k == rows.first_rate.k
    assert found.same.rubric.state == found.same.prompts.state == "unknown"
    assert "whether the answers and the rubric and the judge are the same" in found.about


def _ids(folder: Path) -> Sequence[Verdict]:
    (side,) = read_sides([f"{folder}#c1@1"], CompareOptions())
    return side.verdicts


def test_two_judges_of_the_same_answers_are_told_apart(folder: Path, made: Made) -> None:
    """Ten answers were judged by both; only the judge differs, and the rubric is the same."""
    small = made(lambda _turn: None)
    found = judge.compare(f"{folder}#c1@1", small, CompareOptions(common=True))
    assert found.pairs.n == ANSWERS
    assert (found.same.answers.state, found.same.prompts.state) == ("same", "same")
    assert found.same.judge.state == "different"
    assert "the judges differ: discordant items are their disagreements" in found.about
    assert found.left_out.elsewhere == (62, 0)


def test_a_server_of_ones_own_proves_no_judge(made: Made, tmp_path: Path) -> None:
    """The name behind another address is a label, and the comparison says so."""
    first = made(lambda _turn: None)
    first = first.rename(tmp_path / "first")
    found = judge.compare(first, made(_on_target(said("no"))))
    assert found.same.judge.state == "same"
    assert "a label that whoever runs the server chose" in found.same.judge.words
    assert found.pairs.discordant in {0, 1}


def test_another_setting_is_another_judge(made: Made, tmp_path: Path) -> None:
    """Under one name, reached or set differently, with its deviation named."""
    first = made(lambda _turn: None).rename(tmp_path / "first")
    with SmallJudge() as server:
        config = configured("openai", server.base_url("openai"))
        other = config.judges[0].model_copy(update={"settings": {"max_tokens": 20}})
        second = ran(config, tmp_path / "second", {"judges": (other,)}).outcome.folder
    found = judge.compare(first, second)
    assert found.same.judge.words == "gpt-4o-2024-08-06, reached or set differently"
    assert any(warning.startswith("B deviates from its rubric: ") for warning in found.warnings)


def test_another_rubric_is_named_with_both_pins(made: Made, tmp_path: Path) -> None:
    """One judge, the same answers, two rubrics: nothing else differs."""
    first = made(lambda _turn: None).rename(tmp_path / "first")
    pack = _edited(tmp_path)
    with SmallJudge() as server:
        config = configured("openai", server.base_url("openai"))
        second = ran(config, tmp_path / "second", {"rubrics": (pack,)}).outcome.folder
    found = judge.compare(first, second)
    assert (found.same.rubric.state, found.same.prompts.state) == ("different", "same")
    assert "correctness/v1" in found.same.rubric.words
    assert "the rubrics differ: a difference is the rubric's share" in found.about


def _edited(folder: Path) -> str:
    """Write our rubric again under another name, and another limit of its reply."""
    shipped = EXAMPLES.parent / "templates" / "correctness"
    shutil.copytree(shipped, folder / "correctness")
    pack = folder / "correctness" / "v1.yaml"
    text = pack.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("pin:")]
    changed = "\n".join(lines).replace("edition: v1", "edition: mine")
    assert changed != text
    pack = pack.rename(pack.with_name("mine.yaml"))
    pack.write_text(changed.replace("max_tokens: 10", "max_tokens: 20") + "\n", encoding="utf-8")
    return str(pack)


def test_labels_of_runs_are_not_renamed(folder: Path) -> None:
    """A run has its labels from its rubric."""
    options = CompareOptions(accept=("no",))
    with pytest.raises(InputError, match="--accept and --reject are for verdict files"):
        judge.compare(f"{folder}#c1@1", f"{folder}#c2@1", options)


def test_answers_and_judge_that_differ_together_are_warned_of(folder: Path, made: Made) -> None:
    """The difference can be laid to neither of them."""
    small = made(lambda _turn: None)
    found = judge.compare(f"{folder}#c2@1", small, CompareOptions(common=True))
    assert found.about.startswith("answers and judge differ together")
    assert "more than one thing differs between the sides" in found.warnings


# --- which of its verdicts ----------------------------------------------------------------------


def test_a_run_with_several_conditions_names_them(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """None is chosen for the caller, exit 2."""
    assert main(["compare", str(folder), f"{folder}#c2@1"]) == 2
    err = capsys.readouterr().err
    assert "the run has 2 conditions; name one" in err
    assert f"{folder}#c1 (pass-1 | correctness/v1 | lexical)" in err


def test_several_repetitions_are_never_taken_as_independent(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One of them must be named, exit 2."""
    assert main(["compare", f"{folder}#c1", f"{folder}#c2"]) == 2
    err = capsys.readouterr().err
    assert "repeated judgments of one item are not independent items" in err
    assert f"{folder}#c1@1, {folder}#c1@2" in err


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ("#c3@1", "no condition c3; there are c1, c2"),
        ("#c1@3", "no repetition 3; there are 1 to 2"),
    ],
)
def test_a_part_the_run_has_not_is_refused(part: str, told: str, folder: Path) -> None:
    """With what there is."""
    with pytest.raises(InputError, match=told):
        judge.compare(f"{folder}{part}", f"{folder}#c1@1")


def test_one_cell_of_a_run_twice_is_no_comparison(folder: Path) -> None:
    """Under two spellings of its folder it is still itself."""
    with pytest.raises(InputError, match="are the same verdicts"):
        judge.compare(f"{folder}#c1@1", f"{folder}/../run#c1@1")


# --- runs without verdicts ----------------------------------------------------------------------


def test_a_damaged_run_is_refused_before_any_count(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 6: a run is recounted before a verdict of it is used."""
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    ledger = copy / "receipts.jsonl"
    data = ledger.read_bytes()
    at = data.index(b'"label":"yes"')
    ledger.write_bytes(data[:at] + b'"label":"no" ' + data[at + 13 :])
    assert main(["compare", f"{copy}#c1@1", f"{copy}#c2@1"]) == 6
    assert "receipts.jsonl:" in capsys.readouterr().err


def test_a_run_that_failed_its_gate_has_no_verdicts(made: Made, folder: Path) -> None:
    """A judge that says yes to everything scored nothing."""
    small = made(said("yes"))
    with pytest.raises(InputError, match="the judge failed its gate"):
        judge.compare(small, f"{folder}#c1@1", CompareOptions(common=True))


def test_an_open_run_is_finished_first(made: Made, folder: Path) -> None:
    """Some of its cells were not asked."""
    small = made(_on_target(refused(401)))
    with pytest.raises(InputError, match="the run is open; finish it with `judge resume`"):
        judge.compare(small, f"{folder}#c1@1", CompareOptions(common=True, decided_only=True))


def test_an_incomplete_run_names_its_undecided_cells(
    made: Made, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An undecided cell is no label: refused with the count, exit 2."""
    small = made(_on_target(said("perhaps")))
    assert main(["compare", str(small), f"{folder}#c1@1", "--common"]) == 2
    err = capsys.readouterr().err
    assert f"incomplete: 1 of its {ANSWERS} cells are undecided" in err


def test_undecided_cells_are_left_out_only_on_purpose(
    made: Made, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are counted, and bound the difference over all items."""
    small = made(_on_target(said("perhaps")))
    words = [str(small), f"{folder}#c1@1", "--common", "--decided-only"]
    assert main(["compare", *words]) == 0
    out = capsys.readouterr().out
    assert f"joined      {ANSWERS - 1} items by id" in out
    assert "left out    1 items without a verdict (1 by A)" in out
    assert "bounds      " in out
    assert "state incomplete" in out


# --- public exports -----------------------------------------------------------------------------


def test_a_public_export_is_compared_when_it_is_named_as_one(folder: Path, tmp_path: Path) -> None:
    """It holds verdicts and types, and neither answers nor prompts."""
    target = tmp_path / "public"
    export_public(folder, target)
    found = judge.compare(f"{target}#c1@1", f"{folder}#c2@1", CompareOptions(public=True))
    assert (found.pairs.first_only, found.pairs.second_only) == (6, 4)
    assert (found.first.kind, found.second.kind) == ("public export", "run")
    assert (found.same.answers.state, found.same.rubric.state) == ("unknown", "same")
    assert len(found.types) == 6


def test_a_public_export_is_not_taken_for_a_run(folder: Path, tmp_path: Path) -> None:
    """Without the word for it, missing inputs are damage."""
    target = tmp_path / "public"
    export_public(folder, target)
    with pytest.raises(VerificationError):
        judge.compare(f"{target}#c1@1", f"{folder}#c2@1")


# --- the guide ----------------------------------------------------------------------------------


def test_the_guides_python_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The code of docs/compare.md does what stands there."""
    guide = (EXAMPLES.parent / "docs" / "compare.md").read_text(encoding="utf-8")
    code = guide.partition("```python\n")[2].partition("```")[0]
    assert "receipts/demo#c1" in code
    for condition in ("c1", "c2"):
        code = code.replace(f"receipts/demo#{condition}", f"{folder}#{condition}@1")
    exec(code, {})
    out = capsys.readouterr().out
    assert out.startswith("6 4 0.75390625 no difference between A and B is shown")
    assert out.endswith("\nb\n")
