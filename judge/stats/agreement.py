"""Two judges' labels of the same items in; agreement, kappa, weighted kappa and AC1 out.

They are printed together: with 95 % of one label, 98.6 % agreement can be a kappa of 0.85. All are
exact fractions. A coefficient whose chance agreement is complete is undefined, and says so.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from judge.errors import InputError
from judge.stats.exact import Count, Result
from judge.stats.pairs import Pairs, distinct

__all__ = [
    "Agreement",
    "Coefficient",
    "Table",
    "agreement",
    "cohen_kappa",
    "cross_table",
    "gwet_ac1",
    "raw_agreement",
    "table_of_pairs",
    "weighted_kappa",
]

_NO_CHANCE = "only one label was given, so that agreement by chance is complete"


class Table(Result):
    """How often the first judge gave one label (row) where the second gave another (column)."""

    labels: tuple[str, ...]
    cells: tuple[tuple[Count, ...], ...]
    items: Literal["distinct ids", "counted elsewhere"]

    @property
    def n(self) -> int:
        """The number of items."""
        return sum(sum(row) for row in self.cells)

    @property
    def rows(self) -> tuple[int, ...]:
        """The first judge's labels, counted."""
        return tuple(sum(row) for row in self.cells)

    @property
    def columns(self) -> tuple[int, ...]:
        """The second judge's labels, counted."""
        return tuple(sum(column) for column in zip(*self.cells, strict=True))


class Coefficient(Result):
    """A coefficient of agreement, or the reason why it has no value."""

    table: Table
    value: Fraction | None
    undefined: str | None
    """Null when there is a value."""


class Agreement(Result):
    """The figures that are printed together."""

    table: Table
    raw: Fraction
    kappa: Coefficient
    ac1: Coefficient


def cross_table(
    ids: Sequence[str], first: Sequence[str], second: Sequence[str], labels: Sequence[str] = ()
) -> Table:
    """Return the table of two judges' labels; the labels in the order given, else sorted.

    Raises:
        InputError: an id comes twice, a label is no text or not among those given, or no items.
    """
    distinct(ids, first, second)
    seen = set(first) | set(second)
    names = tuple(labels) or tuple(sorted(seen))
    if unknown := sorted(seen - set(names)):
        raise InputError(f"label {unknown[0][:80]!r} is not among {', '.join(names)}")
    place = {name: i for i, name in enumerate(names)}
    cells = [[0] * len(names) for _ in names]
    for one, other in zip(first, second, strict=True):
        cells[place[one]][place[other]] += 1
    return Table(
        definition="items by the label of the first (row) and of the second judge (column)",
        labels=names,
        cells=tuple(tuple(row) for row in cells),
        items="distinct ids",
    )


def table_of_pairs(table: Pairs) -> Table:
    """Return the table of right and wrong.

    Raises:
        InputError: the table has only its discordant cells.
    """
    if table.both is None or table.neither is None:
        raise InputError("agreement needs all four cells, and only two were published")
    return Table(
        definition="items by right and wrong of the first (row) and of the second (column)",
        labels=("right", "wrong"),
        cells=((table.both, table.first_only), (table.second_only, table.neither)),
        items=table.items,
    )


def raw_agreement(table: Table) -> Fraction:
    """Return the share of items with the same label.

    Raises:
        InputError: no items.
    """
    if not table.n:
        raise InputError("0 items have no agreement: nothing was compared")
    return Fraction(sum(row[i] for i, row in enumerate(table.cells)), table.n)


def agreement(table: Table) -> Agreement:
    """Return raw agreement, Cohen's kappa and Gwet's AC1, which belong side by side.

    Raises:
        InputError: no items.
    """
    return Agreement(
        definition="raw agreement, Cohen's kappa, Gwet's AC1",
        table=table,
        raw=raw_agreement(table),
        kappa=cohen_kappa(table),
        ac1=gwet_ac1(table),
    )


def cohen_kappa(table: Table) -> Coefficient:
    """Return Cohen's kappa; undefined when both judges gave one and the same label only.

    Source: Cohen 1960, Educational and Psychological Measurement 20:37.

    Raises:
        InputError: no items.
    """
    return _weighted(table, 0, "Cohen's kappa")


def weighted_kappa(table: Table, weights: Literal["linear", "quadratic"]) -> Coefficient:
    """Return Cohen's weighted kappa; the labels' order is their order in the table, equally spaced.

    Source: Cohen 1968, Psychological Bulletin 70:213.

    Raises:
        InputError: no items.
    """
    power = 1 if weights == "linear" else 2
    return _weighted(table, power, f"Cohen's weighted kappa, {weights} weights")


def _weighted(table: Table, power: int, definition: str) -> Coefficient:
    """Return 1 - observed / expected disagreement, weighted by |i - j|^power (power 0: 0 or 1)."""
    raw_agreement(table)
    size = range(len(table.labels))
    weigh = {(i, j): abs(i - j) ** power if i != j else 0 for i in size for j in size}
    observed = sum(weigh[i, j] * table.cells[i][j] for i in size for j in size)
    expected = sum(weigh[i, j] * table.rows[i] * table.columns[j] for i in size for j in size)
    return Coefficient(
        definition=definition,
        table=table,
        value=1 - Fraction(observed * table.n, expected) if expected else None,
        undefined=None if expected else _NO_CHANCE,
    )


def gwet_ac1(table: Table) -> Coefficient:
    """Return Gwet's AC1, whose chance agreement falls as one label prevails.

    Undefined when the table has one label. Source: Gwet 2008, British Journal of Mathematical and
    Statistical Psychology 61:29.

    Raises:
        InputError: no items.
    """
    raw, size = raw_agreement(table), len(table.labels)
    value = None
    if size > 1:
        shares = [
            Fraction(row + column, 2 * table.n)
            for row, column in zip(table.rows, table.columns, strict=True)
        ]
        chance = sum((share * (1 - share) for share in shares), Fraction(0)) / (size - 1)
        value = (raw - chance) / (1 - chance)
    return Coefficient(
        definition="Gwet's AC1",
        table=table,
        value=value,
        undefined=None if size > 1 else _NO_CHANCE,
    )
