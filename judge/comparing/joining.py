"""Several sides in; the items they have in common, each with one verdict a side, out.

An item that one side lacks, or has no verdict on, stops the comparison unless the caller says that
such items may be left out; then they are counted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from judge.answers.places import listed, quoted
from judge.comparing.options import CompareOptions
from judge.comparing.sides import Side, SideFacts, Verdict
from judge.comparing.strata import Strata, StrataFile
from judge.errors import InputError
from judge.records import Count, Listed, Record

__all__ = ["Joined", "Joint", "LeftOut", "bounds", "join", "letter"]

_MOST_SIDES = 26


class Joint(NamedTuple):
    """One item with its verdict on each side."""

    id: str
    type: str | None
    stratum: str | None
    verdicts: tuple[Verdict, ...]


class LeftOut(Record):
    """Items that are in no table, by side."""

    elsewhere: Listed[Count]
    """Items of the side that another side lacks."""
    undecided: Listed[Count]
    """Items all sides have on which this one has no verdict."""
    items: Count
    """Items all sides have that some side has no verdict on."""


@dataclass(frozen=True, slots=True)
class Joined:
    """Sides joined by item id, in the order of the first."""

    sides: tuple[SideFacts, ...]
    items: tuple[Joint, ...]
    left_out: LeftOut
    by: StrataFile | None
    undecided: tuple[Joint, ...]
    """The items left out because a side has no verdict on them."""


def letter(place: int) -> str:
    """Return what a side is called, by its place from 0: A, B, C."""
    return chr(ord("A") + place)


def join(
    sides: Sequence[Side],
    options: CompareOptions,
    types: Mapping[str, str] | None = None,
    strata: Strata | None = None,
) -> Joined:
    """Return the items of all sides.

    Args:
        sides: two or more.
        options: what may be left out.
        types: the items' types from an answer key.
        strata: the items' strata from a file.

    Raises:
        InputError: fewer than two sides, the same one twice, items that a side lacks or has no
            verdict on, types that differ, an item without a type or a stratum, or nothing left.
    """
    _check_sides(sides)
    found = [{verdict.id: verdict for verdict in side.verdicts} for side in sides]
    shared = set(found[0]).intersection(*found[1:])
    if not options.common:
        _check_matched(sides, found)
    if not shared:
        raise InputError("no item id is on every side; look at the ids, or name the id column")
    ids = [verdict.id for verdict in sides[0].verdicts if verdict.id in shared]
    _check_known(ids, types, "a type in the answer key")
    _check_known(ids, strata.of if strata else None, f"a stratum in {_name(strata)}")
    joints = [
        _joint(name, tuple(side[name] for side in found), types, strata.of if strata else None)
        for name in ids
    ]
    whole = [joint for joint in joints if all(v.accepted is not None for v in joint.verdicts)]
    undecided = [joint for joint in joints if any(v.accepted is None for v in joint.verdicts)]
    _check_decided(sides, options, whole, undecided)
    return Joined(
        sides=tuple(side.facts for side in sides),
        items=tuple(whole),
        left_out=LeftOut(
            elsewhere=tuple(len(side) - len(shared) for side in found),
            undecided=tuple(_undecided(undecided, place) for place in range(len(sides))),
            items=len(undecided),
        ),
        by=strata.file if strata else None,
        undecided=tuple(undecided),
    )


def _check_sides(sides: Sequence[Side]) -> None:
    if len(sides) < 2:  # noqa: PLR2004 - what a comparison is
        raise InputError("one side is no comparison; give two or more")
    if len(sides) > _MOST_SIDES:
        raise InputError(f"{len(sides)} sides are more than {_MOST_SIDES}; compare fewer at a time")
    seen: dict[object, str] = {}
    for side in sides:
        facts = side.facts
        same: object = id(side) if facts.sha256 is None else (facts.name, facts.sha256)
        if facts.run is not None:
            same = facts.run.run_id, facts.run.condition, facts.run.repetition
        if same in seen:
            raise InputError(
                f"{quoted(facts.name)} and {quoted(seen[same])} are the same verdicts: "
                "a side agrees with itself and shows nothing"
            )
        seen[same] = facts.name


def _check_matched(sides: Sequence[Side], found: Sequence[Mapping[str, Verdict]]) -> None:
    every = dict.fromkeys(name for side in found for name in side)
    lacking = []
    for place, (side, ids) in enumerate(zip(sides, found, strict=True)):
        missing = [name for name in every if name not in ids]
        if missing:
            lacking.append(
                f"{letter(place)} ({side.facts.name}) lacks {len(missing)} of {len(every)} "
                f"({listed(missing)})"
            )
    if lacking:
        raise InputError(
            f"unmatched item ids: {'; '.join(lacking)}; compare the same items, or pass --common "
            "to compare those that every side has"
        )


def _check_known(ids: Sequence[str], known: Mapping[str, str] | None, what: str) -> None:
    missing = [name for name in ids if known is not None and name not in known]
    if missing:
        raise InputError(
            f"{len(missing)} of {len(ids)} items have not {what} ({listed(missing)}); add the rows"
        )


def _name(strata: Strata | None) -> str:
    return strata.file.name if strata else "no file"


def _joint(
    name: str,
    verdicts: tuple[Verdict, ...],
    types: Mapping[str, str] | None,
    strata: Mapping[str, str] | None,
) -> Joint:
    told = [verdict.type for verdict in verdicts] + ([types[name]] if types else [])
    known = list(dict.fromkeys(kind for kind in told if kind is not None))
    if len(known) > 1:
        raise InputError(
            f"item {quoted(name)} has the types {listed(known)} on different sides; "
            "the same id must mean the same item"
        )
    return Joint(name, known[0] if known else None, strata[name] if strata else None, verdicts)


def _undecided(joints: Sequence[Joint], place: int) -> int:
    return sum(joint.verdicts[place].accepted is None for joint in joints)


def _check_decided(
    sides: Sequence[Side],
    options: CompareOptions,
    whole: Sequence[Joint],
    undecided: Sequence[Joint],
) -> None:
    told = [
        f"{letter(place)} ({side.facts.name}) on {_undecided(undecided, place)}"
        for place, side in enumerate(sides)
        if _undecided(undecided, place)
    ]
    if undecided and not options.decided_only:
        raise InputError(
            f"no verdict: {', '.join(told)} of {len(whole) + len(undecided)} items "
            f"({listed(joint.id for joint in undecided)}); an undecided item is no label, so "
            "complete the side, or pass --decided-only to leave such items out and say how many"
        )
    if not whole:
        raise InputError("no item has a verdict on every side; there is nothing to compare")


def bounds(joined: Joined, first: int, second: int) -> tuple[Fraction, Fraction] | None:
    """Return the lowest and highest difference of rates, first minus second, over all items.

    Every verdict that is missing is taken as it would be worst and best; None when none is.
    """
    if not joined.undecided:
        return None
    n = len(joined.items) + len(joined.undecided)
    low = high = 0
    for joint in (*joined.items, *joined.undecided):
        one, other = joint.verdicts[first].accepted, joint.verdicts[second].accepted
        low += (one is True) - (other is not False)
        high += (one is not False) - (other is True)
    return Fraction(low, n), Fraction(high, n)
