"""Tests and intervals in; the one sentence that may be said out.

"Not significant" is never "equal": a difference is shown or it is not shown, and equivalence is
said only where a margin was given and the test for it rejects.
"""

from fractions import Fraction
from typing import NamedTuple

from judge.records import Record
from judge.stats.difference import Difference, Equivalence, NonInferiority
from judge.stats.exact import printed
from judge.stats.pairs import Pairs

__all__ = [
    "FEW_DISCORDANT",
    "Evidence",
    "MarginTests",
    "concluded",
    "p_value",
    "points",
    "share",
    "span",
]

FEW_DISCORDANT = 10
"""Discordant items below which the bootstrap interval is too short."""
_MANY = 2_000
"""Items from which a tenth of a point hides a digit."""
_SMALLEST = Fraction(1, 2_000_000)
"""Below this a p-value with six decimals would print as 0."""


class MarginTests(Record):
    """The tests against a margin."""

    equivalence: Equivalence
    first_not_worse: NonInferiority
    second_not_worse: NonInferiority


class Evidence(NamedTuple):
    """All that the sentence rests on."""

    first: str
    second: str
    tango: Difference
    """Its interval, the items it rests on, and the confidence that fixes the tests' level."""
    p: Fraction | float
    """Of the exact McNemar test; adjusted where it is one of several."""
    family: int
    """How many comparisons p is adjusted for; 1: none."""
    margin: MarginTests | None
    equivalence_p: float | None
    """Adjusted as p is; null where it is not one of several."""

    @property
    def pairs(self) -> Pairs:
        """The items."""
        return self.tango.pairs

    @property
    def level(self) -> Fraction:
        """Of the tests."""
        return 1 - self.tango.confidence


def concluded(found: Evidence) -> str:
    """Return one sentence on what the verdicts show, and do not show."""
    shown = found.p <= found.level
    head = _difference(found) if shown else _nothing_shown(found)
    if found.margin is None:
        return f"{head}." if shown else f"{head}; this does not show that they are equal."
    return f"{head}; {_against_margin(found, found.margin)}."


def _difference(found: Evidence) -> str:
    pairs = found.pairs
    more, less = found.first, found.second
    if pairs.difference < 0:
        more, less = less, more
    return (
        f"{more} is accepted on more items than {less}: {found.first} - {found.second} is "
        f"{points(pairs.difference, pairs.n)} points ({_test(found)}), "
        f"and {_interval(found)} are compatible with the verdicts"
    )


def _nothing_shown(found: Evidence) -> str:
    if not found.pairs.discordant:
        return (
            f"no difference between {found.first} and {found.second} is shown: all "
            f"{found.pairs.n} items have the same verdict on both, and {_interval(found)} are "
            "compatible with that"
        )
    edge = (
        " (the interval leaves 0 out, but the test, which is the stricter, does not reject)"
        if found.tango.low > 0 or found.tango.high < 0
        else ""
    )
    return (
        f"no difference between {found.first} and {found.second} is shown ({_test(found)}): "
        f"{_interval(found)} are compatible with the verdicts{edge}"
    )


def _test(found: Evidence) -> str:
    adjusted = f", Holm over {found.family} comparisons" if found.family > 1 else ""
    return f"exact McNemar {p_value(found.p)}{adjusted}"


def _interval(found: Evidence) -> str:
    n, level = found.pairs.n, share(found.tango.confidence)
    low, high = points(found.tango.low, n), points(found.tango.high, n)
    return f"differences from {low} to {high} points (Tango {level})"


def _against_margin(found: Evidence, margin: MarginTests) -> str:
    limit = f"{float(margin.equivalence.margin * 100):g} points"
    p = margin.equivalence.p if found.equivalence_p is None else found.equivalence_p
    if p <= found.level:
        return (
            f"they are equivalent within the margin of {limit} (two one-sided Tango tests, "
            f"{p_value(p)})"
        )
    held = _not_worse(found, margin)
    words = f"equivalence within the margin of {limit} is not shown ({p_value(p)})"
    # In a family only equivalence is adjusted, so only it is spoken of.
    if found.family > 1:
        return words
    if held:
        told = (f"{name} is not worse by {limit} or more ({q})" for name, q in held)
        return f"{words}, but {' and '.join(told)}"
    return f"{words}, nor is non-inferiority"


def _not_worse(found: Evidence, margin: MarginTests) -> list[tuple[str, str]]:
    tests = (found.first, margin.first_not_worse), (found.second, margin.second_not_worse)
    return [
        (name, f"non-inferiority, {p_value(test.p)}")
        for name, test in tests
        if test.p <= found.level
    ]


def points(value: Fraction | float, n: int) -> str:
    """Return a difference of rates in points, signed; more decimals where n bears them."""
    return printed(value * 100, 1 if n < _MANY else 2, signed=True)


def span(low: Fraction | float, high: Fraction | float, n: int) -> str:
    """Return an interval of differences in points."""
    return f"{points(low, n)} to {points(high, n)}"


def share(level: Fraction) -> str:
    """Return a confidence as `95 %`, with all its digits."""
    return f"{float(level * 100):g} %"


def p_value(p: Fraction | float) -> str:
    """Return `p = 0.677639`, or a bound where six decimals would print as 0."""
    return "p < 0.000001" if p < _SMALLEST else f"p = {printed(p, 6)}"
