"""Small plans, layouts and receipt lines, made of records alone: no file, no judge."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judge.canonical import digest
from judge.layout import Layout
from judge.records import (
    AnswerSet,
    Arm,
    Condition,
    Gate,
    GateRule,
    Intent,
    Judge,
    Plan,
    Readings,
    Receipt,
    Rubric,
    Selection,
    Template,
)

__all__ = [
    "PIN",
    "READINGS",
    "Offer",
    "gate",
    "intent",
    "judge",
    "layout",
    "plan",
    "receipt",
    "rubric",
]

PIN = digest(b"any")
READINGS = Readings(strict="yes-no/1", upstream="yes-substring/1")


@dataclass(frozen=True)
class Offer:
    """What labels are held against."""

    labels: tuple[str, ...] = ("yes", "no")
    accept: str | None = "yes"
    readings: Readings = READINGS


def judge(**changes: object) -> Judge:
    """Return a judge behind a server of one's own."""
    fields = {
        "name": "j",
        "provider": "openai",
        "api": "chat-completions",
        "model": "m",
        "expect_model": "m",
        "identity": "label",
        "address": "custom",
        "settings_set": {},
        "settings_unset": (),
    }
    return Judge.model_validate({**fields, **changes})


def rubric(**changes: object) -> Rubric:
    """Return a rubric of two templates: `base`, and `abstention` for abstention questions."""
    texts = {"base": "Q {} G {} R {}", "abstention": "Q {} E {} R {}"}
    templates = tuple(
        Template(
            name=name,
            text=text,
            sha256=digest(text.encode()),
            gold="explanation" if name == "abstention" else "answer",
        )
        for name, text in texts.items()
    )
    fields = {
        "rubric": "small",
        "edition": "v1",
        "fill": "format",
        "fields": ("question", "gold", "response"),
        "templates": templates,
        "routes": ({"template": "abstention", "abstention": True}, {"template": "base"}),
        "labels": ("yes", "no"),
        "accept": "yes",
        "readings": READINGS,
        "settings": {"temperature": "0.5", "max_tokens": 10},
    }
    return Rubric.model_validate({**fields, **changes})


def plan(
    sets: Mapping[str, Sequence[int]],
    conditions: Sequence[str],
    **changes: object,
) -> Plan:
    """Return a plan over these answers sets (name to positions) and conditions (name of a set)."""
    answers: list[AnswerSet] = []
    first = 0
    for name, positions in sets.items():
        answers.append(AnswerSet(name=name, first_row=first, rows=len(positions), missing=0))
        first += len(positions)
    rule = GateRule(
        threshold="0.9", seed=0, positive=2, negative=2, batch_size=None, controls=()
    ).model_copy(update={k: changes.pop(k) for k in ("threshold", "batch_size") if k in changes})
    fields = {
        "v": 1,
        "conditions": tuple(_condition(n, name) for n, name in enumerate(conditions, 1)),
        "judges": (judge(),),
        "gate": rule,
        "repetitions": 1,
        "reask": 0,
        "selection": Selection(only=(), limit=None, allow_partial=False, allow_empty=False),
        "questions": max((p for positions in sets.values() for p in positions), default=-1) + 1,
        "answers": tuple(answers),
        "inputs": (),
        "sources": (),
    }
    return Plan.model_validate({**fields, **changes})


def _condition(number: int, answers: str) -> Condition:
    return Condition(
        id=f"c{number}",
        name=f"condition {number}",
        answers=answers,
        rubric="small/v1",
        rubric_pin=PIN,
        labels=("yes", "no"),
        accept="yes",
        readings=READINGS,
        judge="j",
        deviations=(),
        official=False,
    )


def layout(
    sets: Mapping[str, Sequence[int]],
    conditions: Sequence[str] = ("a",),
    arms: Sequence[Arm] = ("positive", "negative"),
    **changes: object,
) -> Layout:
    """Return the layout of a plan whose inputs are at hand."""
    positions = array("q", [p for rows in sets.values() for p in rows])
    return Layout(plan(sets, conditions, **changes), tuple(arms), positions)


# --- lines ----------------------------------------------------------------------------------------


def intent(**changes: object) -> Intent:
    """Return the first intent of an answer."""
    fields = {
        "condition": "c1",
        "repetition": 1,
        "batch": 0,
        "phase": "answer",
        "arm": None,
        "row": 0,
        "attempt": 1,
        "after_unknown": False,
        "length": 2,
        "tokens_max": 100,
    }
    return Intent.model_validate({**fields, **changes})


def receipt(**changes: object) -> Receipt:
    """Return the receipt of an answer judged `yes`."""
    fields = {
        "condition": "c1",
        "repetition": 1,
        "batch": 0,
        "phase": "answer",
        "arm": None,
        "row": 0,
        "attempt": 1,
        "intent_seq": 1,
        "gate_seqs": (),
        "expect": None,
        "rubric_pin": PIN,
        "template_sha256": PIN,
        "model_requested": "m",
        "model_returned": "m",
        "binding": "http_exchange",
        "status": 200,
        "finish": "stop",
        "usage": None,
        "fingerprint": None,
        "service_tier": None,
        "readings": None,
        "outcome": "decided",
        "label": "yes",
        "reason": None,
        "error": None,
        "elapsed_ms": 5,
        "final": True,
    }
    return Receipt.model_validate({**fields, **changes})


def gate(**changes: object) -> Gate:
    """Return the gate line of a positive group of one control that was right."""
    fields = {
        "condition": "c1",
        "repetition": 1,
        "batch": 0,
        "arm": "positive",
        "asked": 1,
        "correct": 1,
        "undecided": 0,
        "need": 1,
        "routes": {"base": (1, 1)},
        "pass": True,
    }
    return Gate.model_validate({**fields, **changes})
