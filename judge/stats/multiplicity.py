"""Several p-values in; p-values adjusted for their number out."""

from collections.abc import Sequence
from fractions import Fraction

from judge.errors import InputError
from judge.stats.exact import Result

__all__ = ["Adjusted", "benjamini_hochberg", "holm"]

P = Fraction | float


class Adjusted(Result):
    """Adjusted p-values in the order of those given; fractions stay fractions."""

    p: tuple[P, ...]
    adjusted: tuple[P, ...]


def holm(p: Sequence[P]) -> Adjusted:
    """Return Holm's step-down p-values: the chance of any false rejection stays below the level.

    Source: Holm 1979, Scandinavian Journal of Statistics 6:65.

    Raises:
        InputError: no p-values, or one outside 0 to 1.
    """
    order = _order(p)
    adjusted: list[P] = list(p)
    largest: P = Fraction(0)
    for rank, i in enumerate(order):
        scaled: P = (len(order) - rank) * p[i]
        largest = max(largest, min(scaled, Fraction(1)))
        adjusted[i] = largest
    return Adjusted(definition="Holm step-down", p=tuple(p), adjusted=tuple(adjusted))


def benjamini_hochberg(p: Sequence[P]) -> Adjusted:
    """Return Benjamini and Hochberg's p-values: the expected share of false rejections.

    Source: Benjamini and Hochberg 1995, Journal of the Royal Statistical Society B 57:289.

    Raises:
        InputError: no p-values, or one outside 0 to 1.
    """
    order = _order(p)
    adjusted: list[P] = list(p)
    smallest: P = Fraction(1)
    for rank, i in reversed(list(enumerate(order, 1))):
        scaled: P = p[i] * Fraction(len(order), rank)
        smallest = min(smallest, scaled)
        adjusted[i] = smallest
    return Adjusted(definition="Benjamini-Hochberg", p=tuple(p), adjusted=tuple(adjusted))


def _order(p: Sequence[P]) -> list[int]:
    if not p:
        raise InputError("no p-values to adjust: nothing was tested")
    for value in p:
        if not 0 <= value <= 1:
            raise InputError(f"{value} is no p-value: it must lie between 0 and 1")
    return sorted(range(len(p)), key=lambda i: p[i])
