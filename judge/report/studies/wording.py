"""Counts, items and shares as every section says them."""

from collections.abc import Sequence
from fractions import Fraction

from judge.report.sections import Column, Table
from judge.stats.exact import percent

__all__ = ["cell", "left_out", "many", "of", "table"]

_LISTED = 200
_SHOWN = 12
_CELL = 60


def many(count: int, noun: str) -> str:
    """Return `1 item`, `2 items`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def of(accepted: int, asked: int) -> str:
    """Return `69 of 72`."""
    return f"{accepted} of {asked}"


def left_out(undecided: Sequence[str], absent: int = 0) -> tuple[str, ...]:
    """Return the sentences on items without a verdict, and on items not on every side."""
    names = ", ".join(undecided[:_SHOWN]) + (", …" if len(undecided) > _SHOWN else "")
    without = (
        f"{many(len(undecided), 'item')} without a verdict on some side left out of the "
        f"comparison: {names}"
    )
    missing = f"{many(absent, 'item')} not on every side, in no count"
    return (*([without] if undecided else []), *([missing] if absent else []))


def table(caption: str, heads: str, rows: Sequence[Sequence[object]]) -> Table:
    """Return a table, at most two hundred rows of it.

    Args:
        caption: what it shows.
        heads: the heads, separated by `|`; a head that begins with `#` is of numbers.
        rows: texts and numbers.
    """
    names = heads.split("|")
    return Table(
        caption=caption,
        columns=tuple(Column(head=n.removeprefix("#"), number=n.startswith("#")) for n in names),
        rows=tuple(tuple(cell(value) for value in row) for row in rows[:_LISTED]),
        left_out=max(0, len(rows) - _LISTED),
    )


def cell(value: object) -> str:
    """Return what stands in a table's cell: one line, cut where it is long."""
    if value is None:
        return "-"
    if isinstance(value, Fraction):
        return percent(value)
    text = " ".join(str(value).split())
    return text if len(text) <= _CELL else f"{text[: _CELL - 1]}…"
