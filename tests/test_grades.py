"""Grades as numbers, and what of a graded rubric a control must get."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packfolder import pack, write
from plans import plan, rubric

from judge import packs
from judge.coherence import check_plan
from judge.config import JudgeConfig
from judge.controls import read_controls
from judge.errors import InputError, VerificationError
from judge.gate import expected
from judge.identity import identify
from judge.questions import embedded_labels
from judge.records import Control, GateLabels, Readings, Rubric
from judge.report.grades import Grades, grades, kind_of, numbers
from judge.shapes import check_shape

GATE = GateLabels(accept=("3",), reject=("1",))


def _graded(**changes: object) -> Rubric:
    labels = {"labels": ("1", "2", "3"), "kind": "graded", "accept": None}
    return rubric(**{**labels, **changes})


def _control(expect: object) -> Control:
    texts = {"type": "t", "question": "Q", "gold": "G", "abstention": False, "response": "R"}
    return Control.model_validate(
        {"arm": "positive", "id": "q1", "expect": expect, "source": "own", "donor": None, **texts}
    )


# --- numbers --------------------------------------------------------------------------------------


@given(st.dictionaries(st.sampled_from(["1", "2", "3", "7", "10"]), st.integers(0, 9), min_size=1))
def test_a_mean_and_a_median_are_those_of_the_grades_one_by_one(counts: dict[str, int]) -> None:
    """The definitions, written out."""
    each = sorted(Fraction(label) for label, count in counts.items() for _ in range(count))
    found = grades(counts, {label: Fraction(label) for label in counts})

    assert (found.n, found.distribution) == (len(each), counts)
    if not each:
        assert (found.mean, found.median) == (None, None)
        return
    middle = (each[(len(each) - 1) // 2] + each[len(each) // 2]) / 2
    assert (found.mean, found.median) == (float(sum(each) / len(each)), float(middle))


def test_a_scale_gives_letters_their_numbers() -> None:
    """Exactly: two thirds of one half."""
    letters = _graded(labels=("C", "P", "I"), scale={"C": "1", "P": "0.5", "I": "0"}, gate=None)
    condition = (
        plan({"a": (0,)}, ("a",))
        .conditions[0]
        .model_copy(update={"labels": ("C", "P", "I"), "accept": None})
    )
    scale = numbers(condition, letters)

    assert scale == {"C": Fraction(1), "P": Fraction(1, 2), "I": Fraction(0)}
    assert grades({"C": 1, "P": 1, "I": 1}, scale).mean == 0.5


def test_letters_without_their_scale_have_no_mean() -> None:
    """A public export has the plan, which does not say what P is."""
    condition = (
        plan({"a": (0,)}, ("a",))
        .conditions[0]
        .model_copy(update={"labels": ("C", "P", "I"), "accept": None})
    )

    assert numbers(condition, None) is None
    assert grades({"C": 2, "P": 0, "I": 1}, None) == Grades(
        n=3, mean=None, median=None, distribution={"C": 2, "P": 0, "I": 1}
    )


@pytest.mark.parametrize(
    ("labels", "accept", "kind"),
    [
        (("yes", "no"), "yes", "binary"),
        (("a", "b", "c"), "a", "three-way"),
        (("1", "2"), None, "graded"),
    ],
)
def test_the_kind_is_seen_in_the_plan(labels: tuple[str, ...], accept: str, kind: str) -> None:
    """By its labels alone, so that a public export has it."""
    (condition,) = plan({"a": (0,)}, ("a",)).conditions

    assert kind_of(condition.model_copy(update={"labels": labels, "accept": accept})) == kind


def test_a_plan_accepts_a_label_it_offers() -> None:
    """Or none at all."""
    (condition,) = plan({"a": (0,)}, ("a",)).conditions
    bent = condition.model_copy(update={"name": "a | small/v1 | j", "accept": "maybe"})
    inputs = ({"name": "items.jsonl", "sha256": "0" * 64, "bytes": 1, "rows": 1},)
    whole = plan({"a": (0,)}, ("a",), inputs=inputs).model_copy(update={"conditions": (bent,)})

    with pytest.raises(VerificationError, match="accepts a label it does not offer"):
        check_plan(whole)


# --- what a control must get ----------------------------------------------------------------------


def test_a_gate_says_what_accept_and_reject_are() -> None:
    """A grade in between is right for neither."""
    rules = _graded(gate=GATE)

    assert expected(_control("accept"), rules) == ("3",)
    assert expected(_control("reject"), rules) == ("1",)
    assert expected(_control(("2",)), rules) == ("2",)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"gate": GateLabels(accept=("3",), reject=("4",))}, "its gate names '4'"),
        ({"gate": GateLabels(accept=("3",), reject=("3",))}, "label of its gate '3' is empty or"),
        ({"gate": GateLabels(accept=("3",), reject=())}, "names no label on one side"),
        ({"gate": GateLabels(accept=(), reject=())}, "has no label of its gate"),
        ({"gate": GATE, "kind": "three-way", "accept": "1"}, "which only a graded rubric has"),
        ({"labels": ("1", "x")}, "label 'x' has no number; give it one in scale"),
    ],
)
def test_a_gate_that_makes_no_sense_is_refused(changes: dict[str, object], what: str) -> None:
    """When the rubric is loaded, by name."""
    with pytest.raises(InputError, match=what):
        check_shape(_graded(**changes))


def test_a_gate_does_not_move_the_pin() -> None:
    """It decides neither what is sent nor how a reply is read."""
    assert _graded(gate=GATE).pin == _graded().pin


def test_a_rubric_with_another_gate_is_not_the_shipped_one() -> None:
    """Though its pin is: nobody calls an easier gate official."""
    (sheet,) = packs.survey(("mt-bench-single/upstream",))
    assert sheet.gate is not None
    assert sheet.gate.accept == ("8", "9", "10")

    outline = packs.inheritance.resolve("mt-bench-single/upstream").outline
    easier = outline.model_copy(update={"gate": GateLabels(accept=("5",), reject=("1",))})
    assert packs.is_shipped(outline)
    assert not packs.is_shipped(easier)


def test_an_edition_inherits_the_gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless it gives labels of another kind."""
    monkeypatch.setenv("JUDGE_HOME", str(tmp_path))
    lines = {"kind": "graded", "labels": '["1", "2"]', "accept": None}
    write(tmp_path, "tiny/one", pack(**lines, gate='{accept: ["2"], reject: ["1"]}'))
    heir = "rubric: tiny\nedition: {}\nof: tiny/one\n"
    write(tmp_path, "tiny/same", heir.format("same"))
    binary = 'kind: binary\nlabels: ["yes", "no"]\naccept: "yes"\n'
    write(tmp_path, "tiny/other", heir.format("other") + binary)
    gates = {sheet.name: sheet.gate for sheet in packs.survey(("tiny/same", "tiny/other"))}

    assert gates == {
        "tiny/same": GateLabels(accept=("2",), reject=("1",)),
        "tiny/other": None,
    }


@pytest.mark.parametrize(
    ("span", "what"),
    [
        ("8-10", None),
        ("0-1", None),
        ("10-8", "is no range"),
        ("8-8", "is no range"),
        ("08-10", "is no"),
    ],
)
def test_a_range_is_its_whole_numbers(span: str, what: str | None, tmp_path: Path) -> None:
    """The lower one first, both ends in it."""
    path = tmp_path / "own.yaml"
    row = f'{{id: a, arm: positive, question: q, gold: g, response: r, expect: "{span}"}}'
    path.write_text(f"controls:\n  - {row}\n", encoding="utf-8")
    if what is not None:
        with pytest.raises(InputError, match=f"own.yaml: control 'a': '{span}' {what}"):
            read_controls(str(path))
        return
    (control,) = read_controls(str(path)).controls
    first, last = map(int, span.split("-"))
    assert control.expect == tuple(str(n) for n in range(first, last + 1))


# --- the embedded judge ---------------------------------------------------------------------------


def test_the_embedded_judge_takes_rubrics_that_read_bare_labels() -> None:
    """HaluEval's `No` is the good one."""
    readings = Readings(strict="halueval-strict/1", upstream="halueval-upstream/1")

    assert embedded_labels(rubric()) == ("yes", "no")
    assert embedded_labels(rubric(labels=("Yes", "No"), accept="No", readings=readings)) == (
        "No",
        "Yes",
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "graded", "accept": None},
        {"readings": Readings(strict="letter-abc/1", upstream="simpleqa-upstream/1")},
    ],
)
def test_the_embedded_judge_is_refused_before_it_is_asked(changes: dict[str, object]) -> None:
    """It would be undecided throughout, and its gate would fail for no fault of the rule."""
    assert identify(JudgeConfig(provider="lexical")).api == "lexical"
    with pytest.raises(InputError, match="replies with a bare label, which small/v1 does not take"):
        embedded_labels(rubric(**changes))
