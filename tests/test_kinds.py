"""Three labels and grades, end to end: gate, counts, words, exports, both verifiers, forgeries."""

import contextlib
import importlib.util
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from kindruns import Row, brought, judged, sound
from packfolder import pack
from packfolder import write as write_pack

from judge import packs
from judge.canonical import digest
from judge.cli import main
from judge.comparing import compare
from judge.errors import InputError, VerificationError
from judge.export import export_public
from judge.recount import Proof, recount
from judge.report.console import described
from judge.report.summary import Group, summarise
from judge.selftest.forging import Forged, Plain, put, read, write

_SPEC = importlib.util.spec_from_file_location(
    "verify_kinds", Path(__file__).parents[1] / "receipts" / "verify.py"
)
assert _SPEC is not None
assert _SPEC.loader is not None
verify = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(verify)
_NAMES = ("Aune", "Belt", "Corvo", "Dalum", "Espe", "Fjor", "Gorm", "Hvide", "Inge", "Jorn")
QUIZ = {
    f"q{n}": (
        "place" if n % 2 else "person",
        f"Which mill stands at mile {n}?",
        f"{name} mill",
        (
            "I do not know."
            if n % 5 == 4
            else f"It is {name} mill."
            if n % 3
            else "It is Zorn mill."
        ),
    )
    for n, name in enumerate(_NAMES)
}
"""Five are right, three wrong, two declined."""
TASKS = {
    f"t{n}": (
        "math" if n % 2 else "writing",
        f"Task {n}: name the mill.",
        f"{name} mill",
        f"It is {name} mill." if n % 3 else "Zorn.",
    )
    for n, name in enumerate(_NAMES)
}
LETTERS = {"right": "A", "wrong": "B", "none": "C"}


@pytest.fixture(autouse=True)
def _own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the texts that are brought in a folder of the test's own."""
    monkeypatch.setenv("JUDGE_HOME", str(tmp_path / "home"))


def _letter(row: Row) -> str:
    return LETTERS[sound(row)]


def _rating(row: Row) -> str:
    return f"It was looked at closely.\n\nRating: [[{9 if sound(row) == 'right' else 2}]]"


def _quiz(folder: Path, rule: Callable[[Row], str] = _letter, **changes: object) -> Path:
    outcome = judged(brought("simpleqa/upstream", folder, ".py"), QUIZ, rule, folder, **changes)
    return outcome.folder


def _tasks(folder: Path, rule: Callable[[Row], str] = _rating, **changes: object) -> Path:
    found = brought("mt-bench-single/upstream", folder, ".jsonl")
    return judged(found, TASKS, rule, folder, **changes).folder


def _group(proof: Proof) -> Group:
    (group,) = summarise(proof).conditions
    return group


def _script(folder: Path, *options: str) -> tuple[int, str]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = int(verify.main([str(folder), *options]))
    return code, out.getvalue()


# --- three labels ---------------------------------------------------------------------------------


def test_a_three_way_run_keeps_its_two_rejecting_labels_apart(tmp_path: Path) -> None:
    """Counts, shares and types by label; the rate is that of the accepting one."""
    proof = recount(_quiz(tmp_path))
    group, told = _group(proof), described(summarise(proof), bounds=True)

    assert (proof.state, group.kind, group.mean, group.grades) == (
        "complete",
        "three-way",
        None,
        (),
    )
    assert group.labels == {"CORRECT": 5, "INCORRECT": 3, "NOT_ATTEMPTED": 2}
    assert (group.accepted, group.rejected, group.rate) == (5, 5, 0.5)
    assert "CORRECT 50.0%, INCORRECT 30.0%, NOT_ATTEMPTED 20.0%" in told
    assert [line.labels for line in group.types] == [
        {"CORRECT": 2, "INCORRECT": 2, "NOT_ATTEMPTED": 1},
        {"CORRECT": 3, "INCORRECT": 1, "NOT_ATTEMPTED": 1},
    ]
    assert "would count 5 of 10 replies as accepted (CORRECT 5, INCORRECT 3, NOT_A" in told


def test_both_verifiers_and_a_public_export_prove_it(tmp_path: Path) -> None:
    """The second verifier reads the letters by a table of its own."""
    folder = _quiz(tmp_path)
    proof = export_public(folder, tmp_path / "public")

    assert _group(proof).labels == _group(recount(folder)).labels
    for where, options in ((folder, ()), (tmp_path / "public", ("--public",))):
        code, out = _script(where, *options)
        assert code == 0, out
        assert "accepted 5 (CORRECT 5, INCORRECT 3, NOT_ATTEMPTED 2)" in out
        assert "not known to this file" not in out


@pytest.mark.parametrize(
    ("rule", "undecided"),
    [
        pytest.param(lambda _: "A", 0, id="always-accepts"),
        pytest.param(lambda _: "C", 0, id="never-attempted"),
        pytest.param(lambda row: {"A": "CORRECT", "B": "INCORRECT"}[_letter(row)], 8, id="words"),
        pytest.param(lambda row: f"Based on this: {_letter(row)}", 8, id="prose"),
    ],
)
def test_a_three_way_judge_fails_its_gate(
    rule: Callable[[Row], str], undecided: int, tmp_path: Path
) -> None:
    """The word CORRECT is no verdict, though the benchmark's own parser reads a letter in it."""
    folder = _quiz(tmp_path, rule)
    summary = summarise(recount(folder))

    assert summary.state == "gate-failed"
    assert sum(line.undecided for line in summary.gate) == undecided
    assert summary.conditions[0].rate is None
    assert _script(folder)[0] == 0


def test_a_word_for_a_letter_is_undecided_and_counted_as_the_authors_do(tmp_path: Path) -> None:
    """NOT_ATTEMPTED is a correct answer to their parser; here it is no label, and no rate."""

    def rule(row: Row) -> str:
        return "NOT_ATTEMPTED" if sound(row) == "none" else _letter(row)

    proof = recount(_quiz(tmp_path, rule))
    group = _group(proof)

    assert (proof.state, group.rate) == ("incomplete", None)
    assert group.undecided == {"readings_disagree": 2}
    assert (group.upstream_accepts, group.upstream_of) == (7, 10)


# --- grades ---------------------------------------------------------------------------------------


def test_a_graded_run_has_a_mean_and_never_a_percentage(tmp_path: Path) -> None:
    """Its definition, the median, the distribution, and the same by type."""
    proof = recount(_tasks(tmp_path))
    group, told = _group(proof), described(summarise(proof), bounds=True)

    assert (proof.state, group.kind) == ("complete", "graded")
    assert (group.rate, group.accepted, group.rejected, group.types) == (None, None, None, ())
    assert (group.mean, group.median) == (6.2, 9.0)
    assert group.distribution == {str(n): {2: 4, 9: 6}.get(n, 0) for n in range(1, 11)}
    assert [(line.type, line.grades.mean) for line in group.grades] == [
        ("math", 6.2),
        ("writing", 6.2),
    ]
    assert "mean       6.20: the sum of the grades over 10 graded answers; median 9" in told
    assert "mean 6.20 if every cell without a label had the lowest grade, 6.20 if" in told
    assert "find a grade in 10 of 10 replies, mean 6.20" in told
    assert "%" not in told.partition("\nc1@1")[2]
    assert "math          5    6.20       9  2: 2, 9: 3" in told


def test_both_verifiers_and_a_public_export_prove_grades(tmp_path: Path) -> None:
    """A number is its own scale, so a public export has the mean too."""
    folder = _tasks(tmp_path)
    proof = export_public(folder, tmp_path / "public")

    assert _group(proof).mean == 6.2
    for where, options in ((folder, ()), (tmp_path / "public", ("--public",))):
        code, out = _script(where, *options)
        assert code == 0, out
        assert "decided 10, grades (2 4, 9 6)" in out


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param(lambda _: "Rating: [[5]]", id="always-five"),
        pytest.param(lambda _: "Rating: [[10]]", id="always-ten"),
        pytest.param(lambda row: _rating(row).replace("[[", "[").replace("]]", "]"), id="single"),
        pytest.param(lambda row: f"{_rating(row)} of [[10]]", id="two-ratings"),
    ],
)
def test_a_grading_judge_fails_its_gate(rule: Callable[[Row], str], tmp_path: Path) -> None:
    """The middle of the scale is right for no control; two ratings are none."""
    folder = _tasks(tmp_path, rule)

    assert summarise(recount(folder)).state == "gate-failed"
    assert _script(folder)[0] == 0


def test_grades_that_the_authors_would_lose_are_said(tmp_path: Path) -> None:
    """No mean while two cells are undecided; the lowest and the highest it could be, on request."""

    def rule(row: Row) -> str:
        return "Fine." if row.response == "It is Belt mill." else _rating(row)

    proof = recount(_tasks(tmp_path, rule))
    group, told = _group(proof), described(summarise(proof), bounds=True)

    assert (proof.state, group.mean, group.undecided) == ("incomplete", None, {"off_scale": 1})
    assert group.bounds == (5.4, 6.3)
    assert "mean       none: the run is incomplete" in told
    assert "find a grade in 9 of 10 replies, mean 5.89; 1 without a grade of the scale" in told


def test_grades_are_not_compared(tmp_path: Path) -> None:
    """Compare takes labels that are right or wrong, and says so."""
    folder = str(_tasks(tmp_path))

    with pytest.raises(InputError, match="gives grades, and compare takes labels that are right"):
        compare(folder, folder)


def test_a_control_may_state_a_range(tmp_path: Path) -> None:
    """`8-10` is every whole number from 8 to 10, and another control may name its own."""
    path = tmp_path / "own.yaml"
    rows = (("own-1", "positive", '"8-10"'), ("own-2", "negative", '["1", "2"]'))
    path.write_text(
        "controls:\n"
        + "".join(
            f"  - {{id: {name}, arm: {arm}, type: writing, question: Q, gold: G {name}, "
            f"response: {'G ' + name if arm == 'positive' else 'no'}, expect: {expect}}}\n"
            for name, arm, expect in rows
        ),
        encoding="utf-8",
    )

    def rule(row: Row) -> str:
        return (
            "Rating: [[8]]"
            if row.question == "Q" and row.gold in row.response
            else _rating(Row(row.question, row.gold, row.response))
        )

    folder = _tasks(tmp_path, rule, controls=(str(path),))
    receipts = [line["public"] for line in read(folder).lines]
    told = {tuple(one["expect"]) for one in receipts if one.get("arm") and one.get("expect")}

    assert recount(folder).state == "complete"
    assert told == {("8", "9", "10"), ("1", "2"), ("1", "2", "3")}


# --- forgeries ------------------------------------------------------------------------------------

Edit = Callable[[Forged, str, str], None]


def _told(run: Forged, label: str) -> Plain:
    """The last line of an answer that has this label."""
    places = [p for p, _ in run.facts("receipt", phase="answer", label=label)]
    return run.lines[places[-1]]


def _label(run: Forged, one: str, other: str) -> None:
    _told(run, one)["public"]["label"] = other


def _readings(run: Forged, one: str, other: str) -> None:
    line = _told(run, one)
    line["public"]["label"] = other
    line["public"]["readings"] = dict.fromkeys(line["public"]["readings"], other)


def _reading(run: Forged, one: str, other: str) -> None:
    """The upstream reading alone: it decides nothing, and is counted."""
    line = _told(run, one)["public"]
    line["readings"] = {name: one if "upstream" not in name else other for name in line["readings"]}


def _text(run: Forged, one: str, other: str) -> None:
    """The text that was read too: only the raw reply still says what it was."""
    _readings(run, one, other)
    replies = {"CORRECT": "A", "INCORRECT": "B", "NOT_ATTEMPTED": "C"}
    line = next(
        line
        for line in run.lines
        if line["public"].get("label") == other and line["public"]["phase"] == "answer"
    )
    put(line, "reply_text", replies.get(other, f"Rating: [[{other}]]"))


def _dropped(run: Forged, one: str, _: str) -> None:
    """A verdict called none."""
    line = _told(run, one)["public"]
    line |= {"label": None, "outcome": "undecided", "reason": "off_scale"}


def _expect(run: Forged, _: str, other: str) -> None:
    """A control that a wrong answer to it would pass."""
    public = next(fact for _, fact in run.facts("receipt", phase="control", arm="negative"))
    public["expect"] = [*public["expect"], other]


def _accept(run: Forged, _: str, other: str) -> None:
    run.plan["conditions"][0]["accept"] = None if run.plan["conditions"][0]["accept"] else other


def _scale(run: Forged, _: str, __: str) -> None:
    (rubric,) = (value for name, value in run.inputs.items() if name.startswith("rubrics/"))
    rubric["kind"] = "graded" if rubric["kind"] == "three-way" else "binary"


def _gate(run: Forged, one: str, other: str) -> None:
    """What a control must get, in the inputs: the receipts say something else."""
    (rubric,) = (value for name, value in run.inputs.items() if name.startswith("rubrics/"))
    rubric["gate"] = {"accept": [one], "reject": [other]}


FORGERIES: tuple[Edit, ...] = (
    *(_label, _readings, _reading, _text, _dropped, _expect, _accept, _scale, _gate),
)


@pytest.mark.parametrize("kind", ["three-way", "graded"])
def test_forgeries_are_caught_by_both_verifiers(kind: str, tmp_path: Path) -> None:
    """Each written out whole: every digest, link and count agrees with the forged value."""
    if kind == "three-way":
        folder, one, other = _quiz(tmp_path), "INCORRECT", "NOT_ATTEMPTED"
    else:
        folder, one, other = _tasks(tmp_path), "2", "9"
    write(read(folder), folder)
    assert recount(folder).state == "complete"
    kept = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for edit in FORGERIES:
        run = read(folder)
        edit(run, one, other)
        write(run, folder)
        with pytest.raises(VerificationError):
            pytest.fail(f"{edit.__name__}: {recount(folder).state}")
        assert _script(folder)[0] == 6, edit.__name__
        for path, data in kept.items():
            path.write_bytes(data)


def test_a_reading_the_second_verifier_does_not_know_is_said_to_be_claimed(tmp_path: Path) -> None:
    """It refuses nothing for that, and the package re-reads it all the same."""
    text = "Q {} G {} R {}"
    entry = f"{{one: {{file: one.txt, sha256: {digest(text.encode())}}}}}"
    lines = {
        "templates": entry,
        "routes": "[{template: one}]",
        "labels": "[C, I]",
        "accept": "C",
        "readings": "{strict: grade-cpi/1, upstream: inspect-upstream/1}",
        "source": None,
    }
    path = write_pack(tmp_path / "home", "tiny/one", pack(**lines))
    (path.parent / "one.txt").write_text(text + "\n", encoding="utf-8")

    def rule(row: Row) -> str:
        return f"GRADE: {'C' if sound(row) == 'right' else 'I'}"

    folder = judged(packs.load("tiny/one"), QUIZ, rule, tmp_path).folder
    code, out = _script(folder)
    assert recount(folder).state == "complete"
    assert code == 0
    assert "all that is read by inspect-upstream/1: not known to this file" in out

    forged = read(folder)
    _told(forged, "I")["public"]["readings"]["inspect-upstream/1"] = None
    write(forged, folder)
    assert _script(folder)[0] == 0, "nothing else follows from that reading"
    with pytest.raises(VerificationError, match="readings do not follow from the raw reply"):
        recount(folder)


def test_the_commands_say_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`show`, `show --json` and `verify` of a graded run."""
    folder = str(_tasks(tmp_path))
    codes = [main([*words, folder]) for words in (["show"], ["show", "--json"], ["verify"])]
    out = capsys.readouterr().out

    assert codes == [0, 0, 0]
    assert '"mean": 6.2' in out or '"mean":6.2' in out
    assert "complete" in out
