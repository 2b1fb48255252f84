"""Several joined sides in; each compared with each, the p-values adjusted for their number, out."""

from itertools import combinations

from judge.comparing.conclusions import concluded
from judge.comparing.joining import Joined
from judge.comparing.options import CompareOptions
from judge.comparing.pairwise import Comparison, evidence, pairwise
from judge.comparing.sides import SideFacts
from judge.records import Listed, Record
from judge.stats.multiplicity import Adjusted, holm

__all__ = ["Matrix", "matrix"]


class Matrix(Record):
    """Every two of several sides compared; the sentences hold for all of them together."""

    sides: Listed[SideFacts]
    comparisons: Listed[Comparison]
    """In the order A-B, A-C, …, B-C, …"""
    adjusted: Adjusted
    """The exact McNemar tests of the comparisons."""
    equivalence: Adjusted | None
    """The equivalence tests; null without a margin."""
    conclusion: str


def matrix(joined: Joined, options: CompareOptions) -> Matrix:
    """Return each side compared with each, over the same items.

    Raises:
        InputError: no such confidence or margin, or there are many items and numpy is missing.
    """
    every = list(combinations(range(len(joined.sides)), 2))
    alone = [pairwise(joined, options, places) for places in every]
    adjusted = holm([found.mcnemar.p for found in alone])
    margins = [found.margin for found in alone if found.margin is not None]
    equal = holm([margin.equivalence.p for margin in margins]) if margins else None
    together = []
    for place, found in enumerate(alone):
        told = evidence(found.names, found.tango, adjusted.adjusted[place], found.margin)
        equal_p = None if equal is None else float(equal.adjusted[place])
        sentence = concluded(told._replace(family=len(every), equivalence_p=equal_p))
        together.append(found.model_copy(update={"conclusion": sentence}))
    return Matrix(
        sides=joined.sides,
        comparisons=tuple(together),
        adjusted=adjusted,
        equivalence=equal,
        conclusion=_together(together, adjusted),
    )


def _together(found: list[Comparison], adjusted: Adjusted) -> str:
    level = 1 - found[0].tango.confidence
    shown = [
        f"{one.names[0]}-{one.names[1]}"
        for one, p in zip(found, adjusted.adjusted, strict=True)
        if p <= level
    ]
    rest = len(found) - len(shown)
    head = f"a difference is shown for {', '.join(shown)}" if shown else "no difference is shown"
    tail = f"; for the other {rest} none is shown" if shown and rest else ""
    limit = ", which does not show that any two are equal" if rest else ""
    return f"Of {len(found)} comparisons (Holm): {head}{tail}{limit}."
