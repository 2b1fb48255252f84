"""Item ids with two outcomes each in; the table of concordant and discordant items out.

The item is the unit. Repeated judgments of one question are not independent questions, so a table
is made from item ids and refuses an id that comes twice; figures that others have already counted
enter through `pairs_counted_elsewhere`, and everything computed from them says so.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from judge.errors import InputError
from judge.records import Record
from judge.stats.exact import Count, checked_counts

__all__ = ["Pairs", "distinct", "pairs", "pairs_counted_elsewhere"]


class Pairs(Record):
    """How many items two judgments, systems or passes got right together, alone and not at all."""

    n: Count
    first_only: Count
    """b: right in the first, wrong in the second."""
    second_only: Count
    """c: wrong in the first, right in the second."""
    both: Count | None
    """Null where only the discordant items were published, as `neither`."""
    neither: Count | None
    items: Literal["distinct ids", "counted elsewhere"]
    """What the independence of the items rests on."""

    @property
    def discordant(self) -> int:
        """How many items differ, b + c."""
        return self.first_only + self.second_only

    @property
    def difference(self) -> Fraction:
        """First minus second, (b - c) / n, exactly."""
        return Fraction(self.first_only - self.second_only, self.n)


def distinct(ids: Sequence[str], *columns: Sequence[object]) -> int:
    """Return the number of items when every row is one item with an id of its own.

    Raises:
        InputError: no rows, columns of unequal length, an empty id, or an id that comes twice.
    """
    if isinstance(ids, str) or not ids:
        raise InputError("no item ids: a test that needs independent items must be told the items")
    for column in columns:
        if len(column) != len(ids):
            raise InputError(f"{len(ids)} item ids but {len(column)} values: give one per item")
    for identity, count in Counter[object](ids).items():
        if type(identity) is not str or not identity:
            raise InputError(f"item id {identity!r}: give every item a text that names it")
        if count > 1:
            raise InputError(
                f"item {identity[:80]!r} comes {count} times: repeated judgments of one item are"
                " not independent items, so give one row per item or use a test over clusters"
            )
    return len(ids)


def pairs(ids: Sequence[str], first: Sequence[bool], second: Sequence[bool]) -> Pairs:
    """Return the 2x2 table of the items, each judged right or not on either side.

    Raises:
        InputError: an id comes twice, a column is too short, or an outcome is not true or false.
    """
    n = distinct(ids, first, second)
    for identity, one, other in zip(ids, first, second, strict=True):
        if not {type(one), type(other)} <= {bool}:
            raise InputError(
                f"item {identity[:80]!r} has an outcome that is not true or false: an undecided"
                " item belongs in no table, so leave it out on both sides and say how many"
            )
    cells = Counter(zip(first, second, strict=True))
    return Pairs(
        n=n,
        first_only=cells[True, False],
        second_only=cells[False, True],
        both=cells[True, True],
        neither=cells[False, False],
        items="distinct ids",
    )


def pairs_counted_elsewhere(
    n: int, first_only: int, second_only: int, both: int | None = None
) -> Pairs:
    """Return the table of figures that somebody else counted; whether by item, they must say.

    Raises:
        InputError: n is 0, or the cells do not fit into it.
    """
    counts = {"n": n, "first only": first_only, "second only": second_only}
    checked_counts(counts | ({} if both is None else {"both": both}))
    rest = n - first_only - second_only - (both or 0)
    if n == 0:
        raise InputError("0 items have no difference: nothing was compared")
    if rest < 0:
        raise InputError(f"{first_only} + {second_only} + {both or 0} items do not fit into {n}")
    return Pairs(
        n=n,
        first_only=first_only,
        second_only=second_only,
        both=both,
        neither=None if both is None else rest,
        items="counted elsewhere",
    )
