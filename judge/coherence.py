"""A plan or a receipt in; nothing out when it agrees with itself, whatever the texts say.

These checks need no inputs and no private texts, so they hold for a public export too.
"""

import re

from judge.errors import InputError, VerificationError
from judge.gate import threshold
from judge.identity import api_of, strength
from judge.reading import decided
from judge.records import Condition, Judge, Plan, Receipt

__all__ = ["check_plan", "check_receipt", "check_size", "condition_name"]

_OK = 200
_DIGITS = re.compile(r"[0-9]{1,18}")
_ERRORS: dict[str, set[str | None]] = {
    "not_sent": {"dns", "connect", "tls", "deadline"},
    "unknown": {"deadline", "cut", "too_large", "protocol"},
}
"""What can keep a question from being sent, and what an answer from being seen."""
_OF_REPLY = ("model_returned", "finish", "usage", "fingerprint", "service_tier")


def condition_name(answers: str, rubric: str, judge: str) -> str:
    """The readable name of a condition: what it is made of."""
    return f"{answers} | {rubric} | {judge}"


def check_plan(plan: Plan) -> None:
    """Return when the parts of a plan name each other rightly.

    Raises:
        VerificationError: naming the part of run.json that does not follow.
    """
    try:
        threshold(plan.gate.threshold)
    except InputError as error:
        raise VerificationError(f"run.json: {error}") from error
    _check_sets(plan)
    _check_judges(plan)
    _check_conditions(plan)
    files = tuple(source.name for source in plan.sources if source.role == "controls")
    _check_coverage(plan)
    if plan.gate.controls != files:
        raise VerificationError("run.json: the control files are not those of its sources")


def _check_sets(plan: Plan) -> None:
    row = 0
    for answers in plan.answers:
        if answers.first_row != row:
            raise VerificationError(f"run.json: the rows of {answers.name} do not follow")
        row += answers.rows
    if len({answers.name for answers in plan.answers}) != len(plan.answers):
        raise VerificationError("run.json: two sets of answers have one name")
    if [entry.rows for entry in plan.inputs if entry.name == "items.jsonl"] != [row]:
        raise VerificationError(f"run.json: the sets of answers have {row} rows, the items others")
    # Every question stands in at least one row.
    if not 0 < plan.questions <= row:
        raise VerificationError(f"run.json: {plan.questions} questions cannot fill {row} rows")


def _check_coverage(plan: Plan) -> None:
    if not plan.selection.allow_partial and any(answers.missing for answers in plan.answers):
        raise VerificationError("run.json: answers are missing, which the selection does not allow")
    limit = plan.selection.limit
    if limit is not None and limit < plan.questions:
        raise VerificationError(f"run.json: {plan.questions} questions under a limit of {limit}")
    files = [source.name for source in plan.sources if source.role == "answers"]
    if files != [answers.name for answers in plan.answers]:
        raise VerificationError("run.json: the sets of answers are not those of its sources")
    if sum(source.role == "references" for source in plan.sources) > 1:
        raise VerificationError("run.json: more than one answer key among its sources")


def _check_judges(plan: Plan) -> None:
    if len({judge.name for judge in plan.judges}) != len(plan.judges):
        raise VerificationError("run.json: two judges have one name")
    for judge in plan.judges:
        _check_judge(judge)


def _check_judge(judge: Judge) -> None:
    if judge.api != api_of(judge.provider):
        raise VerificationError(f"run.json: judge {judge.name} does not speak {judge.api}")
    if (judge.address == "none") != (judge.provider == "lexical"):
        raise VerificationError(f"run.json: the address of judge {judge.name} cannot be")
    if judge.identity != strength(judge.provider, judge.model, judge.address):
        raise VerificationError(f"run.json: the identity of judge {judge.name} is overstated")


def _check_conditions(plan: Plan) -> None:
    if not plan.conditions:
        raise VerificationError("run.json: a plan without conditions asks nothing")
    sets = {answers.name for answers in plan.answers}
    judges = {judge.name for judge in plan.judges}
    for number, condition in enumerate(plan.conditions):
        where = f"run.json: condition {condition.id}"
        if condition.id != f"c{number + 1}":
            raise VerificationError(f"{where} is out of order")
        if condition.answers not in sets or condition.judge not in judges:
            raise VerificationError(f"{where} names answers or a judge the plan has not")
        name = condition_name(condition.answers, condition.rubric, condition.judge)
        if condition.name != name:
            raise VerificationError(f"{where} is not named after what it is made of")
        if condition.accept not in {None, *condition.labels}:
            raise VerificationError(f"{where} accepts a label it does not offer")


def check_receipt(fact: Receipt, condition: Condition) -> None:
    """Return when outcome, label, reason, readings, error and status of a receipt go together.

    Raises:
        VerificationError: naming the field that does not follow.
    """
    if fact.error not in _ERRORS.get(fact.outcome, {None}):
        raise VerificationError(f"error is {fact.error!r}, the outcome {fact.outcome}")
    if (fact.reason is not None) != (fact.outcome == "undecided"):
        raise VerificationError(f"reason is {fact.reason!r}, the outcome {fact.outcome}")
    if (fact.readings is not None) != _was_read(fact):
        raise VerificationError("readings stand without a text that was read, or are missing")
    if _none_taken(fact) and any(getattr(fact, name) is not None for name in _OF_REPLY):
        raise VerificationError("the receipt tells of a reply that nobody took")
    _check_label(fact, condition)
    if fact.outcome == "not_sent" and fact.status is not None:
        raise VerificationError(f"what was never sent has status {fact.status}")
    whole = None if fact.binding == "embedded" else _OK
    if fact.outcome == "decided" and fact.status != whole:
        raise VerificationError(f"a verdict under status {fact.status}")


def check_size(fact: Receipt, headers: tuple[tuple[str, str], ...], response: bytes) -> None:
    """Return when the length a server announced goes with the bytes that are kept.

    Raises:
        VerificationError: a whole answer is called lost, a part of one is called whole, or what
            was never sent has an answer.
    """
    if fact.outcome == "not_sent" and (headers or response):
        raise VerificationError("what was never sent has headers or a response")
    sizes = [value for name, value in headers if name == "content-length"]
    if len(sizes) != 1 or not _DIGITS.fullmatch(sizes[0]):
        return
    whole = int(sizes[0]) == len(response)
    if fact.outcome == "unknown":
        if whole and fact.status == _OK and fact.error in {"cut", "deadline"}:
            raise VerificationError(f"error is {fact.error!r}, but the whole answer is there")
        return
    # A refusal whose body held a secret is kept without it.
    dropped = not response and fact.status != _OK
    if fact.binding == "http_exchange" and not whole and not dropped:
        raise VerificationError(f"response has {len(response)} bytes, content-length another count")


def _none_taken(fact: Receipt) -> bool:
    return fact.outcome in {"retry", "unknown", "not_sent"} or fact.reason == "left_unknown"


def _was_read(fact: Receipt) -> bool:
    return fact.outcome == "decided" or fact.reason in {"off_scale", "readings_disagree"}


def _check_label(fact: Receipt, condition: Condition) -> None:
    readings = fact.readings or {}
    names = {condition.readings.strict, condition.readings.upstream}
    if readings and readings.keys() != names:
        raise VerificationError("readings are not those of the rubric")
    if any(label not in {None, *condition.labels} for label in readings.values()):
        raise VerificationError("a label that the rubric does not offer")
    if fact.label != (decided(readings, condition.readings) if readings else None):
        raise VerificationError("label is not what the readings decide")
    if (fact.label is not None) != (fact.outcome == "decided"):
        raise VerificationError(f"label is {fact.label!r}, the outcome {fact.outcome}")
