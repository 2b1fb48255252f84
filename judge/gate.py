"""The known answers a judge must get right before it may score: thresholds and group decisions."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from judge.errors import InputError
from judge.records import Arm, Control, Rubric

__all__ = ["Clearance", "Weighed", "expected", "need", "threshold", "weigh"]

_THRESHOLD = re.compile(r"(0|1)(\.[0-9]{1,9})?|[1-9][0-9]{0,5}/[1-9][0-9]{0,5}")

Mark = Literal["correct", "wrong", "undecided"]
"""How one closed control came out."""


@dataclass(frozen=True, slots=True)
class Clearance:
    """Leave to score: every group of this condition, repetition and batch has passed."""

    condition: str
    repetition: int
    batch: int
    gate_seqs: tuple[int, ...]
    """The gate lines that say so, in the same ledger as the verdicts that stand on them."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """What one group of controls came to."""

    asked: int
    correct: int
    undecided: int
    need: int
    routes: dict[str, tuple[int, int]]
    passed: bool


def threshold(text: str) -> Fraction:
    """Return the exact fraction a threshold is: `0.9` is 9/10, never a float.

    Raises:
        InputError: not a decimal or a fraction, or not above 1/2 and at most 1 (at one half a coin
            passes, so nothing would be shown).
    """
    if not _THRESHOLD.fullmatch(text):
        raise InputError(
            f"threshold {text!r} is neither a decimal like 0.9 nor a fraction like 11/12"
        )
    value = Fraction(text)
    if not Fraction(1, 2) < value <= 1:
        raise InputError(
            f"threshold {text} must be above 1/2 and at most 1; a coin passes one half"
        )
    return value


def need(share: Fraction, asked: int) -> int:
    """Return the least whole number of correct controls that reaches this share of `asked`."""
    return -(-share.numerator * asked // share.denominator)


def expected(control: Control, rubric: Rubric) -> tuple[str, ...]:
    """Return the labels that are right for this control under this rubric.

    Of a graded rubric `accept` and `reject` are what its gate says they are.

    Raises:
        InputError: the control names a label the rubric does not offer, or `accept` or `reject` of
            a graded rubric without a gate.
    """
    if isinstance(control.expect, str):
        return _by_sign(control, rubric, accepted=control.expect == "accept")
    unknown = [label for label in control.expect if label not in rubric.labels]
    if unknown or not control.expect:
        offered = ", ".join(rubric.labels)
        raise InputError(
            f"control {control.id!r} expects {unknown or 'nothing'}, "
            f"but {rubric.name} offers {offered}"
        )
    if set(control.expect) == set(rubric.labels):
        raise InputError(
            f"control {control.id!r} expects every label of {rubric.name}, so it can show nothing"
        )
    return tuple(control.expect)


def _by_sign(control: Control, rubric: Rubric, *, accepted: bool) -> tuple[str, ...]:
    if rubric.accept is not None:
        return tuple(label for label in rubric.labels if (label == rubric.accept) == accepted)
    if rubric.gate is None:
        raise InputError(
            f"control {control.id!r} expects {control.expect!r}, but {rubric.name} gives grades: "
            "state the labels that are right, or give its pack a gate"
        )
    return rubric.gate.accept if accepted else rubric.gate.reject


def weigh(arm: Arm, marks: Iterable[tuple[str, Mark]], share: Fraction) -> Weighed:
    """Return what a group of (route, mark) comes to.

    An undecided control counts as not correct. Injection controls allow no failure. A route whose
    controls are all wrong fails the group, whatever the others say: a judge that is blind on one
    route would otherwise hide behind the rest.

    Raises:
        InputError: the group is empty; nothing passes vacuously.
    """
    routes: dict[str, tuple[int, int]] = {}
    undecided = 0
    for route, mark in marks:
        asked, correct = routes.get(route, (0, 0))
        routes[route] = (asked + 1, correct + (mark == "correct"))
        undecided += mark == "undecided"
    total = sum(asked for asked, _ in routes.values())
    if total == 0:
        raise InputError(f"the {arm} arm has no controls, so it can show nothing; add --controls")
    right = sum(correct for _, correct in routes.values())
    least = total if arm == "injection" else need(share, total)
    passed = right >= least and all(correct > 0 for _, correct in routes.values())
    return Weighed(total, right, undecided, least, routes, passed)
