"""The labels of the same items over repetitions in; how often they change out, by every definition.

One set of labels gives 0.16 by one definition of a flip and 0.38 by another, so all are returned.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from judge.errors import InputError
from judge.stats.exact import Count, Result
from judge.stats.pairs import distinct

__all__ = ["Stability", "stability"]


class Stability(Result):
    """Exact shares of change, each by its own definition."""

    items: Count
    repetitions: Count
    any_flip: Fraction
    """Items whose labels are not all equal."""
    pairwise: Fraction
    """Pairs of repetitions of an item that differ, averaged over items."""
    versus_first: Fraction
    """Later repetitions that differ from the first."""
    consecutive: Fraction
    """Repetitions that differ from the one before."""
    modal_share: Fraction
    """The share of an item's most frequent label, averaged over items."""


def stability(ids: Sequence[str], labels: Sequence[Sequence[str | int]]) -> Stability:
    """Return the stability of labels, one row of repetitions per item.

    Raises:
        InputError: an id comes twice, fewer than two repetitions, rows of unequal length, or a
            label is missing: an undecided repetition is no label, and leaving it out is a choice.
    """
    n = distinct(ids, labels)
    count = len(labels[0])
    if count < 2:  # noqa: PLR2004 - one repetition cannot change
        raise InputError("stability needs two repetitions or more of every item")
    for identity, row in zip(ids, labels, strict=True):
        if len(row) != count or any(label is None for label in row):
            raise InputError(
                f"item {identity[:80]!r} has not the {count} labels of the first item: leave out"
                " items with undecided repetitions and say how many"
            )
    repeated = [[row.count(label) for label in set(row)] for row in map(list, labels)]
    same = sum(k * (k - 1) for counts in repeated for k in counts)
    return Stability(
        definition="label changes over repetitions of the same items",
        items=n,
        repetitions=count,
        any_flip=Fraction(sum(len(counts) > 1 for counts in repeated), n),
        pairwise=1 - Fraction(same, n * count * (count - 1)),
        versus_first=Fraction(
            sum(label != row[0] for row in labels for label in row[1:]), n * (count - 1)
        ),
        consecutive=Fraction(
            sum(one != other for row in labels for one, other in pairwise(row)), n * (count - 1)
        ),
        modal_share=Fraction(sum(max(counts) for counts in repeated), n * count),
    )
