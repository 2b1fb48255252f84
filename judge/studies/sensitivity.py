"""The same answers under two templates: how much of a score the template decides.

The item is the unit. However often an item is asked, in however many passes, it is one item: six
discordant judgments of one question are one question. The test is the exact sign-flip test over
items of the net difference, which for one comparison is the exact McNemar test. Beside it stands
the exact McNemar test over the items that differ in every comparison, in one direction: no majority
is taken of the others, which are unstable.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from judge.records import Count, Listed, Record
from judge.stats.graded import SignFlip, sign_flip_clustered
from judge.stats.mcnemar import exact_p
from judge.studies.columns import Column, Row
from judge.studies.matching import LeftOut, match, named, pairs_differing
from judge.studies.spans import Span, spans

__all__ = ["Carrier", "Compared", "Parsers", "Sensitivity", "Steady", "sensitivity"]


class Carrier(Record):
    """One item that the template decides, at least once."""

    id: str
    type: str | None
    first_only: Count
    """Matched comparisons in which the first template alone accepts it."""
    second_only: Count
    compared: Count
    """Matched comparisons it was in."""
    same_prompt: Count
    """Of the discordant ones, those whose prompts are the same bytes: not the template's doing."""

    @property
    def steady(self) -> bool:
        """Whether every comparison differs, and in one direction."""
        return self.compared in {self.first_only, self.second_only}


class Compared(Record):
    """One pass, judge and repetition under both templates."""

    answers: str
    judge: str
    repetition: Count | None
    items: Count
    accepted_first: Count
    accepted_second: Count
    first_only: Count
    second_only: Count
    undecided: Count
    """Items left out, since one side has no verdict."""
    absent: Count
    """Items that one side was never asked."""


class Steady(Record):
    """The items that every comparison decides in one direction."""

    first: Count
    """Accepted by the first template alone, every time."""
    second: Count
    unstable: Count
    """Items that differ in some comparisons only, or in both directions: in neither count."""
    p: Fraction | float
    """Of the exact two-sided McNemar test over `first` and `second`."""


class Parsers(Record):
    """How often the two readings of one reply differ, which is no matter of the template."""

    column: str
    replies: Count
    """Replies that were read."""
    disagree: Count
    """Of those, how many the benchmark's own parser reads as another label, or as one where the
    strict reading finds none."""


class Sensitivity(Record):
    """Two templates over the same answers."""

    first: str
    second: str
    comparisons: Listed[Compared]
    judgments: Count
    """Pairs of judgments compared: not independent of each other."""
    discordant_judgments: Count
    items: Count
    """Distinct items."""
    discordant_items: Count
    """Items with any discordant pair."""
    first_items: Count
    """Of those, net more often accepted by the first template alone."""
    second_items: Count
    carriers: Listed[Carrier]
    test: SignFlip
    steady: Steady
    parsers: Listed[Parsers]


class _Pair(NamedTuple):
    """One item in one matched comparison."""

    item: str
    first: Row
    second: Row

    @property
    def net(self) -> int:
        return int(self.first.accepted is True) - int(self.second.accepted is True)

    @property
    def same_prompt(self) -> bool:
        one, other = self.first.judgment, self.second.judgment
        return one is not None and other is not None and one.prompt_sha256 == other.prompt_sha256


def sensitivity(columns: Sequence[Column]) -> tuple[tuple[Sensitivity, ...], tuple[Span, ...]]:
    """Return every two templates compared, and the span of each score over all of them.

    Columns of grades take no part: nothing in them is accepted or not.

    Raises:
        InputError: a run that scored nothing, or no item that two columns have in common.
    """
    labelled = [column for column in columns if column.accept is not None]
    names = named(labelled, "rubric")
    by_pins: dict[tuple[str, str], list[tuple[Column, Column]]] = {}
    for one, other in pairs_differing(labelled, "rubric"):
        pins = _pin(one), _pin(other)
        # A later run may name the templates in another order; an item is still tested once.
        turned = pins[::-1] in by_pins
        by_pins.setdefault(pins[::-1] if turned else pins, []).append(
            (other, one) if turned else (one, other)
        )
    return tuple(
        _sensitivity(pairs, (names[first], names[second]))
        for (first, second), pairs in by_pins.items()
    ), spans(labelled)


def _pin(column: Column) -> str:
    return "" if column.made is None else column.made.rubric


def _sensitivity(pairs: Sequence[tuple[Column, Column]], names: tuple[str, str]) -> Sensitivity:
    compared, every = list[Compared](), list[_Pair]()
    for one, other in pairs:
        found = match((one, other))
        rows = [_Pair(*each) for each in zip(found.items, *found.rows, strict=True)]
        every += rows
        compared.append(_compared(one, rows, found.left_out))
    carriers = _carriers(every)
    first = [each.first.accepted is True for each in every]
    second = [each.second.accepted is True for each in every]
    places = [f"{number}" for number in range(len(every))]
    test = sign_flip_clustered(
        places, [each.item for each in every], list(map(int, first)), list(map(int, second))
    )
    return Sensitivity(
        first=names[0],
        second=names[1],
        comparisons=tuple(compared),
        judgments=len(every),
        discordant_judgments=sum(each.net != 0 for each in every),
        items=len({each.item for each in every}),
        discordant_items=len(carriers),
        first_items=sum(each.first_only > each.second_only for each in carriers),
        second_items=sum(each.first_only < each.second_only for each in carriers),
        carriers=tuple(carriers),
        test=test,
        steady=_steady(carriers),
        parsers=tuple(_parsers(column) for column in _columns(pairs)),
    )


def _steady(carriers: Sequence[Carrier]) -> Steady:
    first = sum(each.steady and each.first_only > 0 for each in carriers)
    second = sum(each.steady and each.second_only > 0 for each in carriers)
    return Steady(
        first=first,
        second=second,
        unstable=len(carriers) - first - second,
        p=exact_p(first, second),
    )


def _columns(pairs: Sequence[tuple[Column, Column]]) -> list[Column]:
    return list({id(column): column for pair in pairs for column in pair}.values())


def _compared(one: Column, rows: Sequence[_Pair], left_out: LeftOut) -> Compared:
    return Compared(
        answers=one.answers,
        judge=one.judge,
        repetition=one.repetition,
        items=len(rows),
        accepted_first=sum(each.first.accepted is True for each in rows),
        accepted_second=sum(each.second.accepted is True for each in rows),
        first_only=sum(each.net > 0 for each in rows),
        second_only=sum(each.net < 0 for each in rows),
        undecided=len(left_out.undecided),
        absent=len(left_out.absent),
    )


def _carriers(every: Sequence[_Pair]) -> list[Carrier]:
    by_item: dict[str, list[_Pair]] = {}
    for each in every:
        by_item.setdefault(each.item, []).append(each)
    found = [_carrier(item, pairs) for item, pairs in by_item.items()]
    carriers = [each for each in found if each.first_only or each.second_only]
    return sorted(carriers, key=lambda each: -(each.first_only + each.second_only))


def _carrier(item: str, pairs: Sequence[_Pair]) -> Carrier:
    return Carrier(
        id=item,
        type=pairs[0].first.type,
        first_only=sum(each.net > 0 for each in pairs),
        second_only=sum(each.net < 0 for each in pairs),
        compared=len(pairs),
        same_prompt=sum(each.net != 0 and each.same_prompt for each in pairs),
    )


def _parsers(column: Column) -> Parsers:
    told = [row.judgment for row in column.rows if row.judgment is not None]
    read = [each for each in told if each.label is not None or each.reason in _READ_WITHOUT_A_LABEL]
    return Parsers(
        column=column.name,
        replies=len(read),
        disagree=sum(
            each.upstream_label is not None and each.upstream_label != each.label for each in read
        ),
    )


_READ_WITHOUT_A_LABEL = frozenset({"off_scale", "readings_disagree"})
