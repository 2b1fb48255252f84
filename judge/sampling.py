"""References in, drawn controls out: seeded, spread over the routes, the same on every machine.

The draw ranks rows by SHA-256 of (seed, purpose, id) and takes the first, so it needs no random
number generator, gives the same rows in every version of Python, and `verify` can repeat it.
"""

import hashlib
import heapq
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from judge.errors import InputError
from judge.records import Control, Item, Reference, Rubric
from judge.rubric import route

__all__ = ["AbstentionTexts", "GoldKind", "Place", "draw", "placer"]

GoldKind = Literal["answer", "explanation", "rubric"]

_SPARE = 64
"""Donor golds looked at beyond one per control before a route counts as too alike."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a reference row goes: its route (one name over all rubrics) and what its gold is."""

    route: str
    gold: GoldKind


@dataclass(frozen=True, slots=True)
class AbstentionTexts:
    """The responses of drawn controls where there is no gold answer to repeat."""

    declining: tuple[str, ...]
    confident: tuple[str, ...]


@dataclass(slots=True)
class _Route:
    gold: GoldKind
    rows: int = 0
    positive: list[tuple[str, int, Reference]] = field(default_factory=list)
    negative: list[tuple[str, int, Reference]] = field(default_factory=list)
    donors: list[tuple[str, int, Reference]] = field(default_factory=list)


def placer(rubrics: tuple[Rubric, ...]) -> Callable[[Item | Reference], Place]:
    """Return where a row goes under all rubrics together, so that one draw serves them all."""

    def place(row: Item | Reference) -> Place:
        templates = [route(found, row.id, row.type, abstention=row.abstention) for found in rubrics]
        names = dict.fromkeys(template.name for template in templates)
        kinds = {template.gold for template in templates}
        # Rubrics that take the gold for different things leave no response that is surely right.
        kind = kinds.pop() if len(kinds) == 1 else "rubric"
        return Place(route=" + ".join(names), gold=kind)

    return place


def draw(
    references: Iterable[Reference],
    place: Callable[[Reference], Place],
    counts: tuple[int, int],
    seed: int,
    texts: AbstentionTexts,
) -> tuple[Control, ...]:
    """Return the drawn controls: positive ones first, each arm by route, then by rank.

    Positive: the gold as the response. Negative: the gold of another question of the same route,
    neither text containing the other. Where the gold is an explanation: declining texts (positive)
    and confident ones (negative). Where it is a rubric: no positive controls.

    Args:
        references: the rows to draw from, in any order; held in memory only as far as drawn.
        place: the route and kind of gold of a row.
        counts: how many positive and negative controls.
        seed: any whole number from 0.
        texts: the texts for explanation routes.

    Raises:
        InputError: an arm with no route, fewer controls than routes, or a route with too few rows.
    """
    routes = _gather(references, place, counts, seed)
    positive = {name: route for name, route in routes.items() if route.gold != "rubric"}
    return (
        *_arm("positive", counts[0], positive, seed, texts),
        *_arm("negative", counts[1], routes, seed, texts),
    )


def _rank(seed: int, purpose: str, key: str) -> str:
    return hashlib.sha256(f"judge-draw/1\n{seed}\n{purpose}\n{key}".encode()).hexdigest()


def _gather(
    references: Iterable[Reference],
    place: Callable[[Reference], Place],
    counts: tuple[int, int],
    seed: int,
) -> dict[str, _Route]:
    routes: dict[str, _Route] = {}
    for number, row in enumerate(references):
        where = place(row)
        route = routes.setdefault(where.route, _Route(where.gold))
        route.rows += 1
        _keep(route.positive, counts[0], seed, "positive", number, row)
        _keep(route.negative, counts[1] + _SPARE, seed, "negative", number, row)
        _keep(route.donors, counts[1] + _SPARE, seed, "donor", number, row)
    for route in routes.values():
        for kept in (route.positive, route.negative, route.donors):
            kept.sort(reverse=True)  # inverted ranks: the lowest rank first
    return dict(sorted(routes.items()))


def _keep(
    kept: list[tuple[str, int, Reference]],
    most: int,
    seed: int,
    purpose: str,
    number: int,
    row: Reference,
) -> None:
    """Keep the `most` lowest ranks: a heap of inverted ranks, so the worst stands on top."""
    entry = (_inverted(_rank(seed, purpose, row.id)), -number, row)
    if len(kept) < most:
        heapq.heappush(kept, entry)
    elif most and entry > kept[0]:
        heapq.heapreplace(kept, entry)


_FLIP = str.maketrans("0123456789abcdef", "fedcba9876543210")


def _inverted(rank: str) -> str:
    return rank.translate(_FLIP)


def _arm(
    arm: Literal["positive", "negative"],
    count: int,
    routes: dict[str, _Route],
    seed: int,
    texts: AbstentionTexts,
) -> Iterator[Control]:
    if count == 0:
        return
    shares = _shares(arm, count, routes, seed)
    for name, share in shares.items():
        route = routes[name]
        if route.gold == "explanation":
            yield from _abstaining(arm, share, route, seed, texts)
        elif arm == "positive":
            yield from (_control(arm, row, row.gold, None) for _, _, row in route.positive[:share])
        else:
            yield from _swapped(name, share, route)


def _shares(arm: str, count: int, routes: dict[str, _Route], seed: int) -> dict[str, int]:
    if not routes:
        raise InputError(
            f"no row can give a drawn {arm} control (a rubric is no answer); name a --controls file"
        )
    if count < len(routes):
        raise InputError(
            f"{count} {arm} controls cannot cover {len(routes)} routes; "
            f"ask for at least {len(routes)} with --{arm}"
        )
    least, more = divmod(count, len(routes))
    favoured = sorted(routes, key=lambda name: _rank(seed, arm + " share", name))[:more]
    shares = {name: least + (name in favoured) for name in routes}
    for name, share in shares.items():
        if routes[name].rows < share:
            raise InputError(
                f"route {name} has {routes[name].rows} reference rows and the draw needs {share} "
                f"{arm} controls from it; lower --{arm}, or add rows or a --controls file"
            )
    return shares


def _abstaining(
    arm: Literal["positive", "negative"],
    share: int,
    route: _Route,
    seed: int,
    texts: AbstentionTexts,
) -> Iterator[Control]:
    offered = texts.declining if arm == "positive" else texts.confident
    order = sorted(offered, key=lambda text: _rank(seed, arm + " text", text))
    kept = route.positive if arm == "positive" else route.negative
    for number, (_, _, row) in enumerate(kept[:share]):
        yield _control(arm, row, order[number % len(order)], None)


def _swapped(name: str, share: int, route: _Route) -> Iterator[Control]:
    """Give each question the next donor's gold that neither contains nor is contained."""
    used: set[str] = set()
    found = 0
    for _, _, row in route.negative:
        if found == share:
            return
        donor = _donor(row, route, used)
        if donor is not None:
            used.add(donor.id)
            found += 1
            yield _control("negative", row, donor.gold, donor.id)
    if found < share:
        raise InputError(
            f"route {name} has only {found} questions with a gold answer unlike another's, and the "
            f"draw needs {share}; lower --negative or name a --controls file"
        )


def _donor(row: Reference, route: _Route, used: set[str]) -> Reference | None:
    own = _words(row.gold)
    for _, _, other in route.donors:
        text = _words(other.gold)
        if other.id in used or other.id == row.id or text in own or own in text:
            continue
        return other
    return None


def _words(text: str) -> str:
    """The text as space-framed words, so that containment is of whole words: 7 is not in 17.

    Empty for a text without words, so that every other text contains it: it may be the same sign.
    """
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    return f" {' '.join(words)} " if words else ""


def _control(
    arm: Literal["positive", "negative"], row: Reference, response: str, donor: str | None
) -> Control:
    return Control(
        arm=arm,
        id=row.id,
        type=row.type,
        question=row.question,
        gold=row.gold,
        abstention=row.abstention,
        response=response,
        expect="accept" if arm == "positive" else "reject",
        source="drawn",
        donor=donor,
    )
