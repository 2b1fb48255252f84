"""Response length by label: a caution, and no correction.

Long answers may be accepted for their length, or be long because they are thorough; a table of
lengths cannot tell, so nothing is taken off a score for it.
"""

from collections.abc import Sequence
from fractions import Fraction

from judge.errors import InputError
from judge.records import Count, Listed, Record
from judge.studies.columns import Column
from judge.studies.matching import check_usable

__all__ = ["LabelLengths", "Lengths", "lengths"]


class LabelLengths(Record):
    """Responses with one label, in characters."""

    label: str
    responses: Count
    lower_quartile: Fraction
    median: Fraction
    upper_quartile: Fraction
    words: Fraction
    """Median number of words."""


class Lengths(Record):
    """One column."""

    column: str
    labels: Listed[LabelLengths]
    """The rubric's labels in its order, then `undecided`; those that no response got are absent."""


def lengths(column: Column) -> Lengths:
    """Return how long the responses of each label are.

    Raises:
        InputError: a run that scored nothing, or a side that does not hold its responses.
    """
    check_usable((column,))
    texts: dict[str, list[str]] = {}
    for row in column.rows:
        if row.judgment is None or row.judgment.response is None:
            raise InputError(f"{column.name}: does not hold its responses")
        texts.setdefault(row.label or "undecided", []).append(row.judgment.response)
    order = [*column.labels, "undecided"]
    return Lengths(
        column=column.name,
        labels=tuple(_label(name, texts[name]) for name in order if name in texts),
    )


def _label(name: str, texts: Sequence[str]) -> LabelLengths:
    sizes = sorted(len(text) for text in texts)
    return LabelLengths(
        label=name,
        responses=len(texts),
        lower_quartile=_quantile(sizes, Fraction(1, 4)),
        median=_quantile(sizes, Fraction(1, 2)),
        upper_quartile=_quantile(sizes, Fraction(3, 4)),
        words=_quantile(sorted(len(text.split()) for text in texts), Fraction(1, 2)),
    )


def _quantile(values: Sequence[int], share: Fraction) -> Fraction:
    """The quantile by straight lines between the sorted values (type 7)."""
    place = share * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (place - low) * (values[high] - values[low])
