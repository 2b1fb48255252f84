"""A path in; every known judge the file holds or changed, out."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

from judge import packs
from judge.canonical import digest
from judge.doctor import calls, differing
from judge.doctor.deciding import aspect_of, is_official, placed, together
from judge.doctor.documents import Document, Found, document
from judge.doctor.findings import Aspect, Compared, Diagnosis, Finding, Match
from judge.doctor.known import TELLING, Known, Library, library, plain
from judge.doctor.usage import Plays, usage
from judge.errors import InputError
from judge.packs.files import read

__all__ = ["diagnose"]

_LIMIT = 2_000_000
_NEARLY = 99
"""Of a text that differs: equal runs of words are no equal text."""
_ALIKE = 30
"""Percent of likeness from which a text is taken for a changed copy."""


def diagnose(path: Path, of: str | None = None) -> Diagnosis:
    """Return which pinned judge a file holds exactly, and how a changed copy differs.

    Args:
        path: a script, notebook, prompt or data file; nothing in it is executed.
        of: the only rubric to compare with; None: the likest ones.

    Raises:
        InputError: the file cannot be read or looked into, or the rubric is not known.
    """
    data = read(path, _LIMIT)
    held = document(data, path.name)
    rubrics = [one for one in library() if of is None or one.rubric.name == of]
    if not rubrics:
        raise InputError(f"no rubric is named {(of or '')[:200]!r}; see `judge templates list`")
    plays = Plays(held.tree) if held.tree is not None else None
    compared = [_compared(one, held, plays) for one in rubrics]
    like = [
        one
        for lib, one in zip(rubrics, compared, strict=True)
        if of is not None or _is_like(lib, one)
    ]
    names = {one.rubric for one in like}
    local = {one.rubric.name for one in rubrics if not packs.is_shipped(one.rubric)}
    sources = tuple(one.rubric.name for one in rubrics if _is_source(one, digest(data)))
    unseen = [one.rubric.name for one in rubrics if not one.by_text]
    return Diagnosis(
        file=path.name,
        sha256=digest(data),
        source_of=sources,
        compared=tuple(
            placed(
                one.model_copy(
                    update={"official": True, "unfollowed": (), "agreed": get_args(Aspect)}
                )
                if one.rubric in sources and not one.findings
                else one,
                held.cells,
            )
            for one in sorted(like, key=lambda one: _rank(one, local))
        ),
        unseen=tuple(name for name in unseen if name not in names),
    )


def _is_source(one: Library, sha256: str) -> bool:
    return any(source.sha256 == sha256 for source in one.resolved.pack.sources)


def _is_like(one: Library, compared: Compared) -> bool:
    return _tells(one, compared.matches)


def _tells(one: Library, matches: Sequence[Match]) -> bool:
    names = {known.name for known in one.known if known.telling}
    return any(match.likeness and match.name in names for match in matches)


def _rank(compared: Compared, local: set[str]) -> tuple[bool, float, float, int]:
    # A shipped pin comes before a local edition, however alike the file is to that.
    texts = max(1, len(compared.matches))
    likeness = sum(match.likeness for match in compared.matches) / texts
    # The order of the library, upstream editions first, decides between equals.
    return compared.rubric in local, -compared.exact / texts, -likeness, len(compared.findings)


def _compared(one: Library, held: Document, plays: Plays | None) -> Compared:
    pairs = _paired(one.known, held.texts)
    matches = tuple(_match(known, *pairs.get(known.name, (None, 0))) for known in one.known)
    like = any(match.likeness for match in matches)
    found = list(_findings(one, held, pairs)) if like else []
    followed: frozenset[Aspect] = frozenset()
    # A program that holds nothing telling of a rubric is not followed for its sake.
    telling = _tells(one, matches)
    if telling and plays is not None:
        used = usage(plays, one, _standing(one, pairs))
        found = together(found, used)
        followed = used.followed
    if all(match.state in {"exact", "same words"} for match in matches):
        followed |= {"texts"}
    unfollowed = tuple(aspect for aspect in get_args(Aspect) if aspect not in followed)
    return Compared(
        rubric=one.rubric.name,
        pin=one.rubric.pin,
        by="text" if one.by_text else "hash",
        official=is_official(one, found, unfollowed),
        agreed=tuple(a for a in get_args(Aspect) if a in followed - {*map(aspect_of, found)}),
        unfollowed=unfollowed,
        matches=matches,
        findings=tuple(found),
    )


Pairs = dict[str, tuple[Found | None, int]]


def _paired(known: Sequence[Known], texts: Sequence[Found]) -> Pairs:
    """For each pinned text the likest text of the file; each text stands for one only."""
    hashes = {digest(f.text.encode("utf-8", "surrogatepass")): f for f in reversed(texts)}
    pairs: Pairs = {k.name: (hashes[k.sha256], 100) for k in known if k.sha256 in hashes}
    used = {id(found) for found, _ in pairs.values()}
    open_ = [k for k in known if k.name not in pairs and len(k.words or "") >= TELLING]
    mine = {k.name: differing.runs(k.words or "") for k in open_}
    scored = [
        (differing.likeness(mine[k.name], theirs), k.name, found)
        for found, theirs in _long(texts)
        for k in open_
    ]
    for score, name, found in sorted(scored, key=lambda one: -one[0]):
        if score >= _ALIKE and name not in pairs and id(found) not in used:
            pairs[name] = (found, min(score, _NEARLY))
            used.add(id(found))
    return pairs


def _long(texts: Sequence[Found]) -> Iterator[tuple[Found, frozenset[tuple[str, ...]]]]:
    seen: set[str] = set()
    for found in texts:
        if len(found.text) >= TELLING and found.text not in seen:
            seen.add(found.text)
            yield found, differing.runs(found.text)


def _standing(one: Library, pairs: Pairs) -> dict[str, str]:
    """Each text of the file to the template that it is a copy of."""
    standing: dict[str, str] = {}
    for known in one.known:
        found, _ = pairs.get(known.name, (None, 0))
        if found is not None and known.template is not None:
            standing[found.text] = known.template
    return standing


def _match(known: Known, found: Found | None, likeness: int) -> Match:
    if found is None:
        return Match(name=known.name, state="not found", line=None, likeness=0)
    if digest(found.text.encode("utf-8", "surrogatepass")) == known.sha256:
        return Match(name=known.name, state="exact", line=found.line, likeness=100)
    if plain(found.text) == plain(known.words or ""):
        return Match(name=known.name, state="same words", line=found.line, likeness=likeness)
    return Match(name=known.name, state="changed", line=found.line, likeness=likeness)


def _findings(one: Library, held: Document, pairs: Pairs) -> Iterator[Finding]:
    others = {k.name: k.words for k in one.known if k.words is not None}
    for known in one.known:
        found, _ = pairs.get(known.name, (None, 0))
        if found is None:
            yield from _absent(one, known)
        elif known.words is not None and plain(found.text) != plain(known.words):
            yield from differing.findings(known.name, known.words, found, one.rubric.labels, others)
    yield from _routes(one, held)
    yield from calls.findings(held.code, one.rubric)


def _absent(one: Library, known: Known) -> Iterator[Finding]:
    if known.words is None:
        said = (
            f"not found unchanged here; bring the texts (`judge templates fetch {one.rubric.name}`"
            ", or `add`) to see whether it was edited"
        )
        yield Finding(kind="text", where=known.name, line=None, said=said)
        return
    ways = [way for way in one.rubric.routes if known.template == way.template]
    if known.template is not None and ways:
        taken = " or ".join(_condition(way.id_contains, way.types) for way in ways)
        said = f"the route is missing: no text for {taken}"
        yield Finding(kind="route", where=known.template, line=None, said=said)
    else:
        yield Finding(kind="text", where=known.name, line=None, said="no text stands for it")


def _condition(id_contains: str | None, types: tuple[str, ...] | None) -> str:
    if id_contains is not None:
        return f"ids with {id_contains!r}"
    return f"type {', '.join(types)}" if types else "the other items"


def _routes(one: Library, held: Document) -> Iterator[Finding]:
    """Routes whose condition the code never mentions."""
    words = {found.text for found in held.texts}
    for way in one.rubric.routes:
        if not held.code or way.id_contains is None:
            continue
        if not any(way.id_contains in word for word in words if len(word) < TELLING):
            said = f"the route is missing: nothing looks for {way.id_contains!r} in an id"
            yield Finding(kind="route", where=way.template, line=None, said=said)
