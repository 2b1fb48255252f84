"""Columns in; those that belong together, and the items decided in all of them, out."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

from judge.canonical import digest
from judge.errors import InputError
from judge.records import Record
from judge.studies.columns import Column, Made, Row

__all__ = [
    "Factor",
    "LeftOut",
    "Matched",
    "check_usable",
    "common",
    "groups",
    "match",
    "named",
    "pairs_differing",
]

Factor = Literal["answers", "rubric", "judge"]


class LeftOut(Record):
    """Items that are in no comparison, because a column has no verdict for them."""

    undecided: tuple[str, ...]
    absent: tuple[str, ...]
    """Not in every column at all."""


class Matched(NamedTuple):
    """The items that every column has a verdict for, in the order of the first column."""

    items: tuple[str, ...]
    rows: tuple[tuple[Row, ...], ...]
    """By column, in the order of `items`."""
    left_out: LeftOut


def check_usable(columns: Sequence[Column]) -> None:
    """Return when every column may be counted.

    Raises:
        InputError: a run that is open, or whose judge failed its gate, scored nothing.
    """
    for column in columns:
        if column.state == "gate-failed":
            raise InputError(
                f"{column.source}: the judge failed its gate, so it scored nothing to be studied"
            )
        if column.state == "open":
            raise InputError(f"{column.source}: the run is open; `judge resume` it first")


def match(columns: Sequence[Column]) -> Matched:
    """Return what the columns have in common.

    Raises:
        InputError: no item has a verdict in all of them.
    """
    found = common(columns)
    if found is None:
        names = ", ".join(column.name for column in columns)
        raise InputError(f"no item has a verdict in all of {names}; nothing can be compared")
    return found


def common(columns: Sequence[Column]) -> Matched | None:
    """Return what the columns have in common; None where no item has a verdict in all of them.

    Raises:
        InputError: a run that scored nothing.
    """
    check_usable(columns)
    tables = [column.by_item() for column in columns]
    items, undecided, absent = list[str](), list[str](), list[str]()
    for item in dict.fromkeys(item for table in tables for item in table):
        found = [table.get(item) for table in tables]
        if any(row is None for row in found):
            absent.append(item)
        elif any(row is not None and row.label is None for row in found):
            undecided.append(item)
        else:
            items.append(item)
    if not items:
        return None
    return Matched(
        tuple(items),
        tuple(tuple(table[item] for item in items) for table in tables),
        LeftOut(undecided=tuple(undecided), absent=tuple(absent)),
    )


def groups(
    columns: Sequence[Column], key: Callable[[Made], Hashable]
) -> tuple[tuple[Column, ...], ...]:
    """Return the columns of runs that share this part of what they were made from."""
    found: dict[Hashable, list[Column]] = {}
    for column in columns:
        if column.made is not None:
            found.setdefault(key(column.made), []).append(column)
    return tuple(tuple(group) for group in found.values())


def pairs_differing(columns: Sequence[Column], factor: Factor) -> tuple[tuple[Column, Column], ...]:
    """Return every two columns of one repetition that differ in this factor alone.

    Two columns of one run are a pair; columns of two runs are, where no run has both sides of the
    same comparison.
    """
    candidates = [
        (one, other) for one, other in combinations(columns, 2) if _differ(one, other, factor)
    ]
    inside = [pair for pair in candidates if pair[0].source == pair[1].source]
    paired = {_sides(pair, factor) for pair in inside}
    across = [
        pair
        for pair in candidates
        if pair[0].source != pair[1].source and _sides(pair, factor) not in paired
    ]
    return (*inside, *across)


def _differ(one: Column, other: Column, factor: Factor) -> bool:
    if one.made is None or other.made is None or one.repetition != other.repetition:
        return False
    equal = one.made._replace(**{factor: ""}) == other.made._replace(**{factor: ""})
    return equal and getattr(one.made, factor) != getattr(other.made, factor)


def _sides(pair: tuple[Column, Column], factor: Factor) -> Hashable:
    """The comparison: what differs on its two sides, and what they share."""
    first = pair[0]
    shared = None if first.made is None else first.made._replace(**{factor: ""})
    differing = frozenset(getattr(column.made, factor) for column in pair)
    return differing, shared, first.repetition


def named(columns: Sequence[Column], factor: Factor) -> dict[str, str]:
    """Return a name for each answers file, rubric or judge that the columns of runs were made from.

    Two that bear one name, as a rubric before and after an edit, get a part of their digest.
    """
    found = {
        str(getattr(column.made, factor)): str(getattr(column, factor))
        for column in columns
        if column.made is not None
    }
    bearers = Counter(found.values())
    return {
        part: name if bearers[name] == 1 else f"{name} ({_short(part)})"
        for part, name in found.items()
    }


def _short(part: str) -> str:
    return (part if _DIGEST.fullmatch(part) else digest(part.encode()))[:8]


_DIGEST = re.compile("[0-9a-f]{64}")
