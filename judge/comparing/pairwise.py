"""Two joined sides in; all that may be said about their difference, as one record, out."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from judge.comparing.conclusions import FEW_DISCORDANT, Evidence, MarginTests, concluded
from judge.comparing.joining import Joined, Joint, LeftOut, bounds, letter
from judge.comparing.options import CompareOptions
from judge.comparing.sameness import Sameness, about, sameness
from judge.comparing.sides import SideFacts
from judge.comparing.strata import StrataFile
from judge.errors import InputError
from judge.records import Count, Listed, Record
from judge.stats.agreement import Agreement, agreement, table_of_pairs
from judge.stats.bootstrap import Bootstrap, bootstrap_pairs
from judge.stats.difference import (
    Difference,
    equivalence,
    non_inferiority,
    tango,
)
from judge.stats.exact import checked_level
from judge.stats.mcnemar import McNemar, mcnemar_exact, mcnemar_midp
from judge.stats.multiplicity import holm
from judge.stats.pairs import Pairs, pairs
from judge.stats.proportion import Interval, wilson

__all__ = ["Comparison", "Flip", "Stratum", "against", "evidence", "pairwise"]

_UNTYPED = "(untyped)"


class Flip(Record):
    """One item that the two sides judge differently."""

    id: str
    type: str | None
    first: str
    """The label on the first side."""
    second: str
    same_answer: bool | None
    """Null where a side does not hold its answers."""


class Stratum(Record):
    """The items of one type, or of one stratum."""

    name: str
    pairs: Pairs
    tango: Difference
    mcnemar: McNemar
    holm: Fraction | float
    """p adjusted for the number of strata in the table."""


class Comparison(Record):
    """What two sides show about each other; the difference is first minus second."""

    first: SideFacts
    second: SideFacts
    names: Listed[str]
    """What the two are called in the sentences: A and B."""
    same: Sameness
    about: str
    """What a difference of verdicts is a difference of here."""
    left_out: LeftOut
    bounds: Listed[Fraction] | None
    """The difference over all items, whatever the undecided would have been; null where none is."""
    pairs: Pairs
    first_rate: Interval
    second_rate: Interval
    tango: Difference
    bootstrap: Bootstrap
    mcnemar: McNemar
    midp: McNemar
    agreement: Agreement
    margin: MarginTests | None
    flips: Listed[Flip]
    same_answer_flips: Count | None
    """Flips among the items whose answers are the same; null where that is not known."""
    types: Listed[Stratum]
    """Empty where no item has a type."""
    by: StrataFile | None
    post_hoc: Listed[Stratum]
    """By the file's strata, chosen after the fact: exploratory, whatever the p-values."""
    warnings: Listed[str]
    conclusion: str


def pairwise(
    joined: Joined, options: CompareOptions, places: tuple[int, int] = (0, 1)
) -> Comparison:
    """Return what two of the joined sides show.

    Raises:
        InputError: no such confidence or margin, or there are many items and numpy is missing.
    """
    one, other = places
    table = _table(joined.items, places)
    both, _ = _cells(table)
    level = checked_level(options.confidence)
    margin = None if options.margin is None else against(table, options.margin)
    same = sameness(joined.sides[one], joined.sides[other], joined.items, places)
    flips = tuple(_flips(joined.items, places))
    sentence, confounded = about(same)
    found = tango(table, level)
    tested = mcnemar_exact(table)
    names = letter(one), letter(other)
    return Comparison(
        first=joined.sides[one],
        second=joined.sides[other],
        names=names,
        same=same,
        about=sentence,
        left_out=joined.left_out,
        bounds=bounds(joined, one, other),
        pairs=table,
        first_rate=wilson(both + table.first_only, table.n, level),
        second_rate=wilson(both + table.second_only, table.n, level),
        tango=found,
        bootstrap=bootstrap_pairs(table, level),
        mcnemar=tested,
        midp=mcnemar_midp(table),
        agreement=agreement(table_of_pairs(table)),
        margin=margin,
        flips=flips,
        same_answer_flips=_same_answer_flips(same, flips),
        types=_strata(joined.items, places, [joint.type for joint in joined.items], level),
        by=joined.by,
        post_hoc=_strata(joined.items, places, [joint.stratum for joint in joined.items], level),
        warnings=tuple(_warnings(joined, places, table, confounded=confounded)),
        conclusion=concluded(evidence(names, found, tested.p, margin)),
    )


def evidence(
    names: Sequence[str], found: Difference, p: Fraction | float, margin: MarginTests | None
) -> Evidence:
    """Return what the sentence on one comparison alone rests on."""
    return Evidence(names[0], names[1], found, p, 1, margin, None)


def _table(items: Sequence[Joint], places: tuple[int, int]) -> Pairs:
    one, other = places
    return pairs(
        [joint.id for joint in items],
        [joint.verdicts[one].accepted is True for joint in items],
        [joint.verdicts[other].accepted is True for joint in items],
    )


def _cells(table: Pairs) -> tuple[int, int]:
    if table.both is None or table.neither is None:
        raise InputError("a table made from items has all four cells")
    return table.both, table.neither


def against(table: Pairs, margin: str) -> MarginTests:
    """Return the tests of a table against a margin; raises InputError where it is no share."""
    swapped = table.model_copy(
        update={"first_only": table.second_only, "second_only": table.first_only}
    )
    return MarginTests(
        equivalence=equivalence(table, margin),
        first_not_worse=non_inferiority(table, margin),
        second_not_worse=non_inferiority(swapped, margin),
    )


def _flips(items: Sequence[Joint], places: tuple[int, int]) -> Iterable[Flip]:
    for joint in items:
        one, other = (joint.verdicts[place] for place in places)
        if one.accepted == other.accepted:
            continue
        known = one.answer is not None and other.answer is not None
        yield Flip(
            id=joint.id,
            type=joint.type,
            first=one.label or "",
            second=other.label or "",
            same_answer=one.answer == other.answer if known else None,
        )


def _same_answer_flips(same: Sameness, flips: Sequence[Flip]) -> int | None:
    if same.answers.same is None:
        return None
    return sum(flip.same_answer is True for flip in flips)


def _strata(
    items: Sequence[Joint],
    places: tuple[int, int],
    names: Sequence[str | None],
    level: Fraction,
) -> tuple[Stratum, ...]:
    groups: dict[str, list[Joint]] = {}
    if all(name is None for name in names):
        return ()
    for joint, name in zip(items, names, strict=True):
        groups.setdefault(_UNTYPED if name is None else name, []).append(joint)
    tables = {name: _table(groups[name], places) for name in sorted(groups)}
    tested = [mcnemar_exact(table) for table in tables.values()]
    adjusted = holm([test.p for test in tested]).adjusted
    return tuple(
        Stratum(name=name, pairs=table, tango=tango(table, level), mcnemar=test, holm=p)
        for (name, table), test, p in zip(tables.items(), tested, adjusted, strict=True)
    )


def _warnings(
    joined: Joined, places: tuple[int, int], table: Pairs, *, confounded: bool
) -> Iterable[str]:
    if table.discordant < FEW_DISCORDANT:
        yield (
            f"{table.discordant} discordant items are fewer than {FEW_DISCORDANT}: the bootstrap "
            "interval is too short, read Tango's"
        )
    if confounded:
        yield "more than one thing differs between the sides"
    sides = [joined.sides[place] for place in places]
    if sides[0].sha256 is not None and sides[0].sha256 == sides[1].sha256:
        yield "the two files have the same bytes: they are one set of verdicts"
    for place, side in zip(places, sides, strict=True):
        if side.run is not None and side.run.judge.api == "lexical":
            yield f"{letter(place)} was judged by a string rule, not a language model"
        if side.run is not None and side.run.deviations:
            yield f"{letter(place)} deviates from its rubric: {'; '.join(side.run.deviations)}"
