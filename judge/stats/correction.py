"""A judge's rate and its record on known answers in; the rate corrected for its errors out."""

from fractions import Fraction
from math import sqrt
from typing import Literal

from judge.errors import InputError
from judge.records import Record
from judge.stats.exact import Count, Probability, Result, checked_counts, checked_level
from judge.stats.exact import normal_quantile as quantile

__all__ = ["Corrected", "Known", "known", "rogan_gladen"]

_EASY = (
    "the known answers are controls, and a control whose response is the gold answer word for word"
    " is easier than a real answer: the correction holds for real answers only as far as the judge"
    " errs on them as it does on the controls"
)


class Known(Record):
    """How a judge did on answers whose right label is known, all right or all wrong ones."""

    right: Count
    asked: Count


class Corrected(Result):
    """The share of right answers, given a judge that errs."""

    accepted: Count
    n: Count
    acceptable: Known
    """Right answers, and how many of them the judge accepted: its sensitivity."""
    unacceptable: Known
    """Wrong answers, and how many of them it rejected: its specificity."""
    source: Literal["controls", "human-labelled"]
    confidence: Fraction
    estimate: Fraction
    """Cut to 0 to 1; the uncut value shows in `uncut`."""
    uncut: Fraction
    low: Probability
    high: Probability
    warning: str | None
    """What the known answers cannot show; null for real answers labelled by people."""


def known(right: int, asked: int) -> Known:
    """Return the record of a judge on known answers of one kind.

    Raises:
        InputError: nothing was asked, or more right than asked.
    """
    checked_counts({"the number right": right, "the number asked": asked})
    if not 0 <= right <= asked or not asked:
        raise InputError(f"{right} of {asked} known answers say nothing about a judge")
    return Known(right=right, asked=asked)


def rogan_gladen(
    accepted: int,
    n: int,
    *,
    acceptable: Known,
    unacceptable: Known,
    source: Literal["controls", "human-labelled"],
    confidence: Fraction | str = "0.95",
) -> Corrected:
    """Return the corrected rate with an interval that carries the uncertainty of the known answers.

    Sources: Rogan and Gladen 1978, American Journal of Epidemiology 107:71; interval of Lang and
    Reiczigel 2014, Preventive Veterinary Medicine 113:13.

    Raises:
        InputError: nothing was judged, more accepted than judged, or a judge no better than chance
            on the known answers, for which no correction exists.
    """
    checked_counts({"the number accepted": accepted, "the number judged": n})
    if not n or accepted > n:
        raise InputError(f"{accepted} of {n} is no rate to correct")
    level = checked_level(confidence)
    sensitivity = Fraction(acceptable.right, acceptable.asked)
    specificity = Fraction(unacceptable.right, unacceptable.asked)
    youden = sensitivity + specificity - 1
    if youden <= 0:
        raise InputError(
            f"a judge that accepts {acceptable.right} of {acceptable.asked} right and rejects"
            f" {unacceptable.right} of {unacceptable.asked} wrong answers is no better than chance:"
            " its rate cannot be corrected"
        )
    uncut = (Fraction(accepted, n) + specificity - 1) / youden
    low, high = _interval(Known(right=accepted, asked=n), acceptable, unacceptable, level)
    return Corrected(
        definition="Rogan-Gladen estimate, Lang-Reiczigel interval",
        accepted=accepted,
        n=n,
        acceptable=acceptable,
        unacceptable=unacceptable,
        source=source,
        confidence=level,
        estimate=min(max(uncut, Fraction(0)), Fraction(1)),
        uncut=uncut,
        low=min(max(low, 0.0), 1.0),
        high=min(max(high, 0.0), 1.0),
        warning=_EASY if source == "controls" else None,
    )


def _interval(
    judged: Known, acceptable: Known, unacceptable: Known, level: Fraction
) -> tuple[float, float]:
    z = quantile((1 + level) / 2)
    n = judged.asked + z * z
    rate = (judged.right + z * z / 2) / n
    # One success and one failure are added to each kind of known answers, so that 12 of 12 right
    # does not count as a judge without error.
    sensitivity = (acceptable.right + 1) / (acceptable.asked + 2)
    specificity = (unacceptable.right + 1) / (unacceptable.asked + 2)
    youden = sensitivity + specificity - 1
    if youden <= 0:
        return 0.0, 1.0
    share = (rate + specificity - 1) / youden
    of_right = share * sensitivity * (1 - sensitivity) / (acceptable.asked + 2)
    of_wrong = (1 - share) * specificity * (1 - specificity) / (unacceptable.asked + 2)
    shift = 2 * z * z * (of_right - of_wrong)
    variance = rate * (1 - rate) / n + share * of_right + (1 - share) * of_wrong
    half = z * sqrt(variance) / youden
    return share + shift - half, share + shift + half
