"""Columns in; how far a score moves over the templates its answers were judged under out."""

from collections.abc import Sequence
from fractions import Fraction

from judge.records import Count, Record
from judge.studies.columns import Column
from judge.studies.matching import match, named, pairs_differing

__all__ = ["Span", "spans"]


class Span(Record):
    """How far the score of one pass, judge and repetition moves over all templates."""

    answers: str
    judge: str
    repetition: Count | None
    items: Count
    undecided: Count
    """Items left out: under some template they have no verdict."""
    lowest: Count
    highest: Count
    by_rubric: dict[str, Count]

    @property
    def share(self) -> Fraction:
        """The span as a share of the items."""
        return Fraction(self.highest - self.lowest, self.items)


def spans(columns: Sequence[Column]) -> tuple[Span, ...]:
    """Return the span of every score that has two templates: in one run, else over runs.

    Of runs that asked the same under one template, the first counts.

    Raises:
        InputError: a run that scored nothing, or no item with a verdict under every template.
    """
    found: dict[tuple[str, str, str, int | None], dict[str, Column]] = {}
    for pair in pairs_differing(columns, "rubric"):
        source = pair[0].source if pair[0].source == pair[1].source else ""
        for column in pair:
            if column.made is not None:
                key = source, column.made.answers, column.made.judge, column.repetition
                found.setdefault(key, {}).setdefault(column.made.rubric, column)
    names = named(columns, "rubric")
    return tuple(_span(by_pin, names) for by_pin in found.values())


def _span(by_pin: dict[str, Column], names: dict[str, str]) -> Span:
    first = next(iter(by_pin.values()))
    found = match(tuple(by_pin.values()))
    counts = [sum(row.accepted is True for row in rows) for rows in found.rows]
    return Span(
        answers=first.answers,
        judge=first.judge,
        repetition=first.repetition,
        items=len(found.items),
        undecided=len(found.left_out.undecided),
        lowest=min(counts),
        highest=max(counts),
        by_rubric={names[pin]: n for pin, n in zip(by_pin, counts, strict=True)},
    )
