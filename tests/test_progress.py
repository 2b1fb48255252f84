"""judge/progress.py: the state machine of a run."""

import random

import pytest
from legalruns import Line, broken, legal_run
from plans import PIN, gate, intent, layout, plan, receipt

from judge.errors import VerificationError
from judge.layout import Layout
from judge.progress import Progress, Status
from judge.records import (
    Arm,
    Cell,
    Intent,
    Receipt,
    Recovered,
    Resumed,
    Seal,
    Start,
    Stopped,
)

CONTROLS: tuple[Arm, ...] = ("positive", "positive", "negative", "negative")
INJECTED: tuple[Arm, ...] = (*CONTROLS, "injection")


def _layouts() -> dict[str, Layout]:
    return {
        "one condition": layout({"a": (0, 1, 2)}, ("a",), CONTROLS),
        "no batches": layout({"a": (0, 1), "b": (1, 3)}, ("a", "b"), INJECTED, reask=1),
        "batches": layout(
            {"a": (0, 1, 2, 4)}, ("a", "a"), CONTROLS, repetitions=2, batch_size=2, threshold="0.6"
        ),
        "missing": layout({"a": (0,), "b": (0, 1, 2)}, ("a", "b"), CONTROLS, batch_size=1, reask=2),
    }


LAYOUTS = _layouts()
NAMES = sorted(LAYOUTS)


def _public(full: Layout) -> Layout:
    """Return the layout of a public export: neither positions nor arms are known."""
    return Layout(full.plan, (None,) * len(full.arms), None)


def _fed(lines: list[Line], of: Layout) -> Progress:
    progress = Progress(of)
    for seq, line in enumerate(lines):
        progress.feed(seq, line.fact, line.route)
    return progress


def _refused(lines: list[Line], last: Line, of: Layout) -> bool:
    progress = _fed(lines, of)
    try:
        progress.feed(len(lines), last.fact, last.route)
    except VerificationError:
        return True
    return False


# --- random runs ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_runs_that_keep_the_rules_are_accepted(name: str) -> None:
    """Whatever happens to them; and each is sealed as it says."""
    states = set()
    for seed in range(60):
        lines = legal_run(LAYOUTS[name], seed)
        progress = _fed(lines, LAYOUTS[name])
        assert progress.seal == lines[-1].fact
        assert progress.seal is not None
        states.add(progress.seal.state)

    assert states == {"complete", "incomplete", "gate-failed"}


@pytest.mark.parametrize("name", NAMES)
def test_their_public_exports_are_accepted_too(name: str) -> None:
    """Where nobody knows which row is which."""
    for seed in range(60):
        lines = legal_run(LAYOUTS[name], seed)

        assert _fed(lines, _public(LAYOUTS[name])).seal == lines[-1].fact


@pytest.mark.parametrize("name", NAMES)
def test_each_single_illegal_step_is_refused(name: str) -> None:
    """Every line of a run, off in one thing at a time."""
    of = LAYOUTS[name]
    accepted = []
    for seed in range(3):
        lines = legal_run(of, seed)
        for seq, line in enumerate(lines):
            accepted += [
                wrong.fact
                for wrong in broken(line, of)
                if wrong != line and not _refused(lines[:seq], wrong, of)
            ]

    assert accepted == []


@pytest.mark.parametrize("name", NAMES)
def test_a_chance_step_of_many_runs_is_refused(name: str) -> None:
    """Fewer lines of more runs."""
    of = LAYOUTS[name]
    chance = random.Random(0)
    accepted = []
    for seed in range(3, 60):
        lines = legal_run(of, seed)
        seq = chance.randrange(len(lines))
        accepted += [
            wrong.fact
            for wrong in broken(lines[seq], of)
            if wrong != lines[seq] and not _refused(lines[:seq], wrong, of)
        ]

    assert accepted == []


@pytest.mark.parametrize("name", NAMES)
def test_a_line_that_comes_twice_is_refused(name: str) -> None:
    """But what may be said again: that the run goes on, that a tail was set aside."""
    of = LAYOUTS[name]
    lines = legal_run(of, 1)
    twice = [
        line.fact
        for seq, line in enumerate(lines, 1)
        if not isinstance(line.fact, Resumed | Recovered) and not _refused(lines[:seq], line, of)
    ]

    assert twice == []


@pytest.mark.parametrize("name", NAMES)
def test_an_early_seal_is_refused(name: str) -> None:
    """At every line before the last, for every state."""
    of = LAYOUTS[name]
    lines = legal_run(of, 4, crashes=0, sure=True)
    last = lines[-1].fact
    assert isinstance(last, Seal)
    for seq in range(1, len(lines) - 1):
        for state in ("complete", "incomplete", "gate-failed"):
            early = last.model_copy(update={"lines": seq + 1, "state": state})
            assert _refused(lines[:seq], Line(early), of)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_asked_of_a_run_is_what_was_fed(name: str) -> None:
    """Attempts, lost answers, undecided replies, gates: as the lines say."""
    of = LAYOUTS[name]
    for seed in range(10):
        lines = legal_run(of, seed)
        progress = _fed(lines, of)
        asked = [line.fact for line in lines if isinstance(line.fact, Intent)]
        for cell in of.order():
            own = [fact for fact in asked if _cell(fact) == cell]
            assert progress.attempts(cell) == len(own)
            assert progress.was_lost(cell) >= any(fact.after_unknown for fact in own)
        assert progress.lines == len(lines)
        closed = [
            line.fact
            for line in lines
            if isinstance(line.fact, Receipt) and line.fact.final and line.fact.phase == "answer"
        ]
        assert progress.closed_answers == len(closed)
        assert progress.decided == sum(fact.label is not None for fact in closed)


def _cell(fact: Intent | Receipt) -> Cell:
    return Cell(fact.phase, fact.batch, fact.condition, fact.repetition, fact.row)


# --- a run by hand: two controls, two answers -----------------------------------------------------

SMALL = layout({"a": (0, 1)}, ("a",), ("positive", "negative"))
START = Line(Start(plan_sha256=PIN))
STOPPED = Line(Stopped(cause="quota"))
RECOVERED = Line(Recovered(discarded_bytes=1, discarded_sha256=PIN))
ANSWER = Cell("answer", 0, "c1", 1, 0)


def _resumed(*, recheck: bool = False) -> Line:
    return Line(Resumed(recheck=recheck, resend_unknown=0, leave_unknown=False, version="1"))


def _control(row: int, **told: object) -> dict[str, object]:
    return {"phase": "control", "arm": ("positive", "negative")[row], "row": row, **told}


def _asked(row: int, seq: int, attempt: int = 1, **told: object) -> list[Line]:
    """Ask a control and receive its right label, or what is told."""
    label = ("yes", "no")[row]
    said = {"label": label, "expect": (label,), "gate_seqs": None, **told}
    numbers = {"attempt": attempt}
    return [
        Line(intent(**_control(row), **numbers)),
        Line(receipt(**_control(row), **numbers, intent_seq=seq, **said), "base"),
    ]


def _gated(**negative: object) -> list[Line]:
    return [Line(gate()), Line(gate(**{"arm": "negative", **negative}))]


CLEARED = [START, *_asked(0, 1), *_asked(1, 3), *_gated()]
FAILED = [
    START,
    *_asked(0, 1),
    *_asked(1, 3, label="yes"),
    *_gated(**{"correct": 0, "routes": {"base": (1, 0)}, "pass": False}),
]


def _why(lines: list[Line], last: Line, of: Layout = SMALL) -> str:
    with pytest.raises(VerificationError) as caught:
        _fed([*lines, last], of)
    return str(caught.value)


def test_the_first_line_is_the_start() -> None:
    """Whatever it is that comes instead."""
    for line in (STOPPED, RECOVERED, _resumed(), *CLEARED[1:]):
        assert "the first line, and only the first, is the start" in _why([], line)


@pytest.mark.parametrize("stop", [STOPPED, RECOVERED], ids=["stopped", "recovered"])
def test_after_a_stop_the_run_says_that_it_goes_on(stop: Line) -> None:
    """Before anything else is written."""
    for line in (CLEARED[1], STOPPED, Line(gate())):
        assert "follows a stop without a resumed line" in _why([START, stop], line)
    assert not _refused([START, stop], RECOVERED, SMALL)
    assert not _refused([START, stop, RECOVERED], _resumed(), SMALL)


def test_nothing_follows_the_seal() -> None:
    """Not even that the run goes on."""
    sealed = legal_run(SMALL, 1, crashes=0, sure=True)

    for line in (STOPPED, RECOVERED, _resumed(), sealed[-1]):
        assert "a line follows the seal" in _why(sealed, line)


def test_no_answer_is_asked_before_the_gate() -> None:
    """All its groups: one that has passed is not enough."""
    for lines in (CLEARED[:1], CLEARED[:3], CLEARED[:5], CLEARED[:6]):
        assert "before every group of its batch passed" in _why(lines, Line(intent()))
    assert not _refused(CLEARED, Line(intent()), SMALL)


def test_nothing_is_asked_after_a_group_failed() -> None:
    """Neither an answer nor a control."""
    assert "before every group of its batch passed" in _why(FAILED, Line(intent()))
    assert "after a group failed" in _why(FAILED, Line(intent(**_control(0), attempt=2)))


def test_a_failed_group_is_not_asked_again_by_a_recheck() -> None:
    """The run is at its end, and only the seal may come."""
    lines = [*FAILED, _resumed(recheck=True)]
    seal = _fed(lines, SMALL).sealable()

    assert "after a group failed" in _why(lines, Line(intent(**_control(0), attempt=2)))
    assert seal is not None
    assert seal.state == "gate-failed"
    assert not _refused(lines, Line(seal), SMALL)


def test_a_gate_that_failed_before_all_were_written_is_finished_after_a_recheck() -> None:
    """Its other groups were decided by controls that are closed already."""
    first = {"correct": 0, "routes": {"base": (1, 0)}, "pass": False}
    lines = [START, *_asked(0, 1, label="no"), *_asked(1, 3), Line(gate(**first))]

    assert not _refused([*lines, _resumed(recheck=True)], Line(gate(arm="negative")), SMALL)


def test_a_group_is_decided_when_all_controls_of_its_batch_are_closed() -> None:
    """Those of the other arm too."""
    assert "before every control of its batch" in _why(CLEARED[:3], Line(gate()))


def test_a_plan_without_controls_gates_nothing() -> None:
    """And so lets nothing be asked: no arm, no group, no answer."""
    bare = layout({"a": (0,)}, ("a",), ())

    assert "out of order or doubled" in _why([START], Line(gate()), bare)
    assert "before every group of its batch passed" in _why([START], Line(intent()), bare)
    assert _fed([START], bare).sealable() is None


def test_an_answer_left_open_may_be_asked_again_after_a_resumed_line() -> None:
    """Marked; before that line it may not."""
    lines = [*CLEARED, Line(intent())]
    again = intent(attempt=2, after_unknown=True)

    assert "while it was open" in _why(lines, Line(again))
    assert not _refused([*lines, _resumed()], Line(again), SMALL)
    assert "after_unknown" in _why([*lines, _resumed()], Line(intent(attempt=2)))


def test_an_answer_left_open_is_lost() -> None:
    """From the resumed line on, until it is asked again."""
    lines = [*CLEARED, Line(intent())]
    before, after = _fed(lines, SMALL), _fed([*lines, _resumed()], SMALL)
    again = _fed([*lines, _resumed(), Line(intent(attempt=2, after_unknown=True))], SMALL)

    assert [p.is_lost_now(ANSWER) for p in (before, after, again)] == [False, True, False]
    assert [p.was_lost(ANSWER) for p in (before, after, again)] == [False, False, True]
    assert [p.status(ANSWER) for p in (before, after, again)] == [Status.OPEN] * 3
    assert [p.open_cells() for p in (before, after, again)] == [1, 1, 1]
    assert [p.latest_intent(ANSWER) for p in (before, after, again)] == [7, 7, 9]


def test_a_lost_answer_may_be_closed_on_the_operators_word() -> None:
    """Only then, and only a lost one."""
    left = {"outcome": "undecided", "reason": "left_unknown", "label": None}
    fact = receipt(**left, intent_seq=7, gate_seqs=(5, 6))
    lines = [*CLEARED, Line(intent())]

    assert "closes an attempt that is not open" in _why(lines, Line(fact))
    closed = _fed([*lines, _resumed(), Line(fact)], SMALL)
    assert (closed.status(ANSWER), closed.closed_answers, closed.decided) == (Status.FINAL, 1, 0)


def test_a_control_left_unknown_is_marked_when_a_recheck_asks_it_again() -> None:
    """Its first answer may have been billed unseen."""
    left = {"outcome": "undecided", "reason": "left_unknown", "label": None}
    lines = [
        START,
        Line(intent(**_control(0))),
        _resumed(),
        Line(receipt(**_control(0), **left, intent_seq=1, expect=("yes",), gate_seqs=None), "base"),
        _resumed(recheck=True),
    ]
    again = {**_control(0), "attempt": 2}

    assert not _refused(lines, Line(intent(**again, after_unknown=True)), SMALL)
    assert "after_unknown" in _why(lines, Line(intent(**again)))


def test_undecided_answers_are_asked_again_as_often_as_the_plan_says() -> None:
    """And are final after that."""
    twice = layout({"a": (0, 1)}, ("a",), ("positive", "negative"), reask=1)
    open_ = {"outcome": "undecided", "reason": "off_scale", "label": None, "gate_seqs": (5, 6)}
    first = [Line(intent()), Line(receipt(**open_, intent_seq=7, final=False))]
    second = [Line(intent(attempt=2)), Line(receipt(**open_, intent_seq=9, attempt=2))]
    progress = _fed([*CLEARED, *first, *second], twice)

    assert (progress.undecided_so_far(ANSWER), progress.status(ANSWER)) == (2, Status.FINAL)
    assert "after it was closed" in _why(
        [*CLEARED, *first, *second], Line(intent(attempt=3)), twice
    )
    assert "`final` does not follow" in _why(
        [*CLEARED, first[0]], Line(receipt(**open_, intent_seq=7)), twice
    )


@pytest.mark.parametrize("reason", ["rejected_request", "too_large"])
def test_a_request_that_was_refused_for_itself_is_final(reason: str) -> None:
    """However often the plan would ask again."""
    often = layout({"a": (0, 1)}, ("a",), ("positive", "negative"), reask=9)
    told = {"outcome": "undecided", "reason": reason, "label": None, "gate_seqs": (5, 6)}
    lines = [*CLEARED, Line(intent())]

    assert not _refused(lines, Line(receipt(**told, intent_seq=7)), often)
    assert _refused(lines, Line(receipt(**told, intent_seq=7, final=False)), often)


def test_a_refused_answer_is_asked_again_and_not_lost() -> None:
    """Nobody has seen it."""
    refused = receipt(
        outcome="retry", label=None, final=False, status=429, intent_seq=7, gate_seqs=(5, 6)
    )
    progress = _fed([*CLEARED, Line(intent()), Line(refused), Line(intent(attempt=2))], SMALL)

    assert (progress.attempts(ANSWER), progress.was_lost(ANSWER)) == (2, False)


def test_the_gate_lines_of_a_batch_are_told() -> None:
    """By group, and by condition and repetition."""
    progress = _fed(CLEARED, SMALL)

    assert progress.gates(0) == {("c1", 1): (5, 6)}
    assert progress.gates(1) == {}
    assert progress.gate_arms(0) == {("c1", 1, "positive"), ("c1", 1, "negative")}
    assert progress.decided_gates(0)
    assert not _fed(CLEARED[:6], SMALL).decided_gates(0)


def test_a_group_is_weighed_when_its_controls_are_closed() -> None:
    """Not before."""
    progress = _fed(CLEARED[:3], SMALL)

    assert progress.weighed(0, "c1", 1, "positive").passed
    with pytest.raises(VerificationError, match="the negative controls of c1, repetition 1 are"):
        progress.weighed(0, "c1", 1, "negative")


@pytest.mark.parametrize("state", ["complete", "incomplete"])
def test_a_run_can_be_sealed_when_every_answer_is_closed(state: str) -> None:
    """Complete with a label for each."""
    none = {"outcome": "undecided", "reason": "cut", "label": None}
    last = none if state == "incomplete" else {}
    lines = [
        *CLEARED,
        Line(intent()),
        Line(receipt(intent_seq=7, gate_seqs=(5, 6))),
        Line(intent(row=1)),
    ]
    assert _fed(lines, SMALL).sealable() is None
    seal = _fed([*lines, Line(receipt(**last, row=1, intent_seq=9, gate_seqs=(5, 6)))], SMALL)

    assert seal.sealable() == Seal.model_validate(
        {
            "state": state,
            "lines": 12,
            "cells": 2,
            "decided": 2 - bool(last),
            "undecided": int(bool(last)),
        }
    )


def test_a_run_with_a_batch_to_come_cannot_be_sealed() -> None:
    """Though every answer so far is closed."""
    two = layout({"a": (0, 1)}, ("a",), ("positive", "negative"), batch_size=1)
    lines = [*CLEARED, Line(intent()), Line(receipt(intent_seq=7, gate_seqs=(5, 6)))]

    assert _fed(lines, two).sealable() is None


# --- a public export ------------------------------------------------------------------------------

PUBLIC = _public(SMALL)


def test_in_a_public_export_rows_rise() -> None:
    """Within each condition; which rows a batch has is not known."""
    lines = [*CLEARED, Line(intent(row=1))]

    assert "row 0 of c1 was asked out of order" in _why(lines, Line(intent(row=0)), PUBLIC)


def test_in_a_public_export_a_control_keeps_its_arm() -> None:
    """The first line that names it decides."""
    wrong = Line(receipt(**{**_control(0), "arm": "negative"}, intent_seq=1, expect=("yes",)))

    assert "control row 0 is not in the negative arm" in _why(CLEARED[:2], wrong, PUBLIC)


def test_in_a_public_export_a_recheck_opens_each_batch_once() -> None:
    """A control that is closed again stays closed."""
    lines = [*CLEARED, _resumed(recheck=True), *_asked(0, 8, 2)]
    again = Line(intent(**_control(0), attempt=3))

    assert not _refused([*CLEARED, _resumed(recheck=True)], lines[-2], PUBLIC)
    for of in (PUBLIC, SMALL):
        assert "after it was closed" in _why(lines, again, of)
        assert "before every group of its batch passed" in _why(lines, Line(intent()), of)


def test_in_a_public_export_a_recheck_outlasts_a_stop() -> None:
    """Controls opened in one stretch may be asked in the next."""
    lines = [*CLEARED, _resumed(recheck=True), STOPPED, _resumed()]

    for of in (PUBLIC, SMALL):
        assert not _refused(lines, Line(intent(**_control(0), attempt=2)), of)


def test_without_a_recheck_a_closed_control_stays_closed() -> None:
    """In either."""
    again = Line(intent(**_control(0), attempt=2))

    for of in (PUBLIC, SMALL):
        assert "after it was closed" in _why([*CLEARED, _resumed()], again, of)


def test_a_public_plan_is_laid_out_by_its_rows() -> None:
    """Nothing else is needed."""
    assert Layout(plan({"a": (0, 1)}, ["a"]), (None, None), None) == PUBLIC
