"""New labels for some question types, old ones for the rest: a total of two judgings.

Such a total is neither judge's score. It is marked as mixed and has no rate and no interval, so
that nobody ranks it.
"""

from collections.abc import Collection

from judge.errors import InputError
from judge.records import Count, Listed, Record
from judge.studies.columns import Column
from judge.studies.matching import match

__all__ = ["Mixed", "mixed"]


class Mixed(Record):
    """A total made of two columns."""

    old: str
    new: str
    types: Listed[str]
    """Types that take their new labels."""
    items: Count
    from_new: Count
    """Items with a new label."""
    accepted_old: Count
    """By the old labels alone."""
    accepted_new: Count
    accepted_mixed: Count
    undecided: Listed[str]


def mixed(old: Column, new: Column, types: Collection[str]) -> Mixed:
    """Return the mixed total of two columns of the same items.

    Raises:
        InputError: no types, a type that no item has, or no item with a verdict in both.
    """
    if not types:
        raise InputError("a mixed total needs the types that take their new labels")
    found = match((old, new))
    kinds = [
        one.type if one.type is not None else other.type
        for one, other in zip(*found.rows, strict=True)
    ]
    for name in sorted(types):
        if name not in kinds:
            known = ", ".join(sorted({kind for kind in kinds if kind is not None})) or "none"
            raise InputError(f"no item has the type {name!r}; the types are {known}")
    taken = [kind in types for kind in kinds]
    before, after = ([row.accepted is True for row in rows] for rows in found.rows)
    return Mixed(
        old=old.name,
        new=new.name,
        types=tuple(sorted(types)),
        items=len(found.items),
        from_new=sum(taken),
        accepted_old=sum(before),
        accepted_new=sum(after),
        accepted_mixed=sum(
            b if take else a for a, b, take in zip(before, after, taken, strict=True)
        ),
        undecided=found.left_out.undecided,
    )
