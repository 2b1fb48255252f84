"""Counts of a graded rubric's labels in; their mean, median and distribution out.

A mean of grades is the sum of the numbers the labels stand for, over the answers that have one. It
is no share of anything, so it is never printed as a percentage.
"""

from collections.abc import Mapping
from fractions import Fraction

from judge.errors import InputError
from judge.records import Condition, Count, Kind, Record, Rubric
from judge.shapes import as_number, score

__all__ = ["GradeLine", "Grades", "grades", "kind_of", "numbers", "range_of", "total"]

_TWO = 2


class Grades(Record):
    """What the labels of some answers come to as numbers."""

    n: Count
    """Answers with a label."""
    mean: float | None
    """Sum of the numbers over `n`; null without labels, or without a number for one of them."""
    median: float | None
    """The middle number; of an even count the mean of the middle two."""
    distribution: dict[str, Count]
    """Label to how many, every label of the rubric, in its order."""


class GradeLine(Record):
    """One question type of one condition and repetition of a graded rubric."""

    type: str
    grades: Grades
    undecided: Count


def kind_of(condition: Condition) -> Kind:
    """Return what kind of labels a condition has, from the plan alone."""
    if condition.accept is None:
        return "graded"
    return "three-way" if len(condition.labels) > _TWO else "binary"


def numbers(condition: Condition, rubric: Rubric | None) -> dict[str, Fraction] | None:
    """Return the number of each label.

    None where a label is no number and its scale is not at hand, as in a public export.
    """
    try:
        texts = [
            as_number(label) if rubric is None else score(rubric, label)
            for label in condition.labels
        ]
    except InputError:
        return None
    return dict(zip(condition.labels, map(Fraction, texts), strict=True))


def range_of(scale: Mapping[str, Fraction]) -> tuple[Fraction, Fraction]:
    """Return the lowest and the highest number of a scale."""
    return min(scale.values()), max(scale.values())


def grades(counts: Mapping[str, int], scale: Mapping[str, Fraction] | None) -> Grades:
    """Return what these counts by label come to; without a scale there is no mean."""
    n = sum(counts.values())
    known = scale if n else None
    return Grades(
        n=n,
        mean=None if known is None else float(total(counts, known) / n),
        median=None if known is None else float(_median(counts, known)),
        distribution=dict(counts),
    )


def total(counts: Mapping[str, int], scale: Mapping[str, Fraction]) -> Fraction:
    """Return the sum of the numbers of these labels."""
    return sum((scale[label] * count for label, count in counts.items()), Fraction(0))


def _median(counts: Mapping[str, int], scale: Mapping[str, Fraction]) -> Fraction:
    n = sum(counts.values())
    low, high = _at(counts, scale, (n - 1) // 2), _at(counts, scale, n // 2)
    return (low + high) / 2


def _at(counts: Mapping[str, int], scale: Mapping[str, Fraction], place: int) -> Fraction:
    """The number at a place, from 0, when all stand in order."""
    seen = 0
    for label in sorted(counts, key=lambda label: scale[label]):
        seen += counts[label]
        if seen > place:
            return scale[label]
    raise InputError(f"there is no place {place} among {seen} grades")
