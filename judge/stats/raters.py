"""Several judges' labels of the same items, some missing, in; Fleiss, Krippendorff and Gwet out.

All are exact fractions. What has no value says why.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Literal

from judge.errors import InputError
from judge.stats.exact import Count, Result
from judge.stats.pairs import distinct

__all__ = ["Ratings", "Reliability", "fleiss_kappa", "gwet_ac1", "krippendorff_alpha", "ratings"]

Label = str | int
Level = Literal["nominal", "ordinal", "interval"]


class Ratings(Result):
    """How many judges gave each label to each item."""

    labels: tuple[Label, ...]
    """In their order, which the ordinal level uses."""
    counts: tuple[tuple[Count, ...], ...]
    """A row per item, a column per label; a missing judgment counts nowhere."""


class Reliability(Result):
    """A coefficient over any number of judges, or the reason why it has no value."""

    items: Count
    judgments: Count
    labels: tuple[Label, ...]
    by_label: tuple[Count, ...]
    value: Fraction | None
    undefined: str | None
    """Null when there is a value."""


def ratings(
    ids: Sequence[str],
    rows: Sequence[Sequence[Label | None]],
    labels: Sequence[Label] = (),
) -> Ratings:
    """Return the labels of each item counted; None is a missing judgment.

    Labels keep the order given, else they are sorted.

    Raises:
        InputError: an id comes twice, a label is not among those given, or none was given at all.
    """
    distinct(ids, rows)
    seen: Counter[Label] = Counter(label for row in rows for label in row if label is not None)
    if not seen:
        raise InputError("no judgment at all: nothing was labelled")
    if len({type(label) for label in seen}) > 1:
        raise InputError("some labels are numbers and some are texts: give one kind")
    # Of one kind, so they can be sorted.
    names = tuple(labels) or tuple(sorted(seen, key=lambda label: (str(type(label)), label)))
    if unknown := [label for label in seen if label not in names]:
        raise InputError(f"label {str(unknown[0])[:80]!r} is not among those given")
    return Ratings(
        definition="judgments by item (row) and label (column)",
        labels=names,
        counts=tuple(tuple(list(row).count(name) for name in names) for row in rows),
    )


def _reliability(
    table: Ratings, definition: str, value: Fraction | None, undefined: str
) -> Reliability:
    by_label = tuple(sum(column) for column in zip(*table.counts, strict=True))
    return Reliability(
        definition=definition,
        items=len(table.counts),
        judgments=sum(by_label),
        labels=table.labels,
        by_label=by_label,
        value=value,
        undefined=None if value is not None else undefined,
    )


def fleiss_kappa(table: Ratings) -> Reliability:
    """Return Fleiss' kappa; every item needs the same number of judgments.

    Source: Fleiss 1971, Psychological Bulletin 76:378.

    Raises:
        InputError: items with different numbers of judgments, or with fewer than two.
    """
    sizes = {sum(row) for row in table.counts}
    if len(sizes) > 1:
        raise InputError(
            f"items have {min(sizes)} to {max(sizes)} judgments, and Fleiss' kappa takes no missing"
            " ones: use krippendorff_alpha"
        )
    judges = sizes.pop()
    if judges < 2:  # noqa: PLR2004 - a pair of judgments is the least that can agree
        raise InputError("one judgment per item agrees with none")
    total = len(table.counts) * judges
    observed = _agreeing(table.counts) / len(table.counts)
    shares = [Fraction(sum(column), total) for column in zip(*table.counts, strict=True)]
    chance = sum((share * share for share in shares), Fraction(0))
    value = (observed - chance) / (1 - chance) if chance != 1 else None
    return _reliability(table, "Fleiss' kappa", value, "every judgment has the same label")


def _agreeing(counts: Sequence[Sequence[int]]) -> Fraction:
    """Return the sum over items of the share of pairs of judgments that agree."""
    total = Fraction(0)
    for row in counts:
        size = sum(row)
        total += Fraction(sum(k * (k - 1) for k in row), size * (size - 1))
    return total


def gwet_ac1(table: Ratings) -> Reliability:
    """Return Gwet's AC1 over any number of judges, missing judgments allowed.

    Source: Gwet 2014, Handbook of Inter-Rater Reliability, 4th edition, chapter 5.
    """
    paired = [row for row in table.counts if sum(row) > 1]
    rated = [row for row in table.counts if sum(row)]
    value = None
    if paired and len(table.labels) > 1:
        shares = [
            sum((Fraction(row[k], sum(row)) for row in rated), Fraction(0)) / len(rated)
            for k in range(len(table.labels))
        ]
        spread = sum((share * (1 - share) for share in shares), Fraction(0))
        chance = spread / (len(table.labels) - 1)
        value = (_agreeing(paired) / len(paired) - chance) / (1 - chance)
    reason = "no item has two judgments" if not paired else "there is one label only"
    return _reliability(table, "Gwet's AC1", value, reason)


def krippendorff_alpha(table: Ratings, level: Level) -> Reliability:
    """Return Krippendorff's alpha; items with one judgment take no part.

    The level is always named, since alpha means nothing without it: `interval` needs whole numbers
    as labels, `ordinal` takes the labels' order.
    Source: Krippendorff 2011, Computing Krippendorff's Alpha-Reliability.

    Raises:
        InputError: the interval level with labels that are no numbers.
    """
    paired = [row for row in table.counts if sum(row) > 1]
    totals = [sum(column) for column in zip(*paired, strict=True)]
    distance = _distance(table.labels, totals, level)
    size, n = range(len(table.labels)), sum(totals)
    observed = expected = Fraction(0)
    for i in size:
        for j in range(i):
            apart = distance(j, i)
            together = sum((Fraction(row[i] * row[j], sum(row) - 1) for row in paired), Fraction(0))
            observed += apart * together
            expected += apart * totals[i] * totals[j] if totals else 0
    value = 1 - (n - 1) * observed / expected if expected else None
    reason = "every judgment has the same label" if paired else "no item has two judgments"
    return _reliability(table, f"Krippendorff's alpha, {level}", value, reason)


def _distance(
    labels: Sequence[Label], totals: Sequence[int], level: Level
) -> Callable[[int, int], Fraction]:
    """Return the squared distance between two labels, by their places, the lower place first."""
    if level == "nominal":
        return lambda _low, _high: Fraction(1)
    if level == "ordinal":
        return lambda low, high: (
            (sum(totals[low : high + 1]) - Fraction(totals[low] + totals[high], 2)) ** 2
        )
    numbers = [label for label in labels if isinstance(label, int)]
    if len(numbers) < len(labels):
        raise InputError("the interval level needs whole numbers as labels")
    return lambda low, high: Fraction(numbers[low] - numbers[high]) ** 2
