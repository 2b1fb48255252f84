"""A pack's name in, the pack with all it inherits out, held against its own pin."""

from dataclasses import dataclass
from pathlib import PurePath
from typing import TypeVar

from judge import request, rubric, strictyaml
from judge.errors import InputError
from judge.packs.files import Place, locate, read_pack
from judge.packs.schema import Entry, Field_, Pack
from judge.records import FieldName, Rubric, Template

__all__ = ["Resolved", "compose", "resolve"]

_INHERITED = (
    "source",
    "fill",
    "fields",
    "values",
    "routes",
    "labels",
    "kind",
    "accept",
    "scale",
    "readings",
    "settings",
    "judges",
    "gate",
    "parser",
    "note",
)
_NEEDED = ("fill", "routes", "labels", "readings", "settings")


@dataclass(frozen=True, slots=True)
class Resolved:
    """A pack with what it inherits; its texts are not looked at yet."""

    place: Place
    pack: Pack
    """Every inherited field filled in; templates are its own only."""
    parent: "Resolved | None"
    templates: dict[str, Entry]
    """Its own and the inherited ones its routes lead to, `gold` filled in."""
    outline: Rubric
    """The rubric with empty texts: its pin needs their digests only."""


def resolve(name: str, heirs: tuple[str, ...] = ()) -> Resolved:
    """Return the pack with what it inherits, its own pin checked.

    Raises:
        InputError: no such pack, or a pack that is wrong, changed, or stands on itself.
    """
    place = locate(name)
    # A pack loaded twice in one chain stands on itself, under whatever name it was reached.
    if str(place.path.absolute()) in heirs:
        raise InputError(f"{place.path}: stands on itself by way of `of`")
    own = _read(place)
    parent = resolve(own.of, (*heirs, str(place.path.absolute()))) if own.of else None
    pack = _inherit(own, parent.pack) if parent else own
    needed = _NEEDED if pack.kind == "graded" else (*_NEEDED, "accept")
    for field in needed:
        if getattr(pack, field) is None:
            raise InputError(f"{place.path}: {field}: missing, and no pack to take it from")
    templates = _templates(pack, parent)
    _check_sources(place, pack)
    outline = compose(pack, templates, {}, {})
    _check_shape(place, outline)
    _check_pin(place, pack, outline)
    return Resolved(place=place, pack=pack, parent=parent, templates=templates, outline=outline)


def _read(place: Place) -> Pack:
    pack = Pack.read(strictyaml.load(read_pack(place), str(place.path)), str(place.path))
    if place.kind != "file" and pack.name != place.name:
        raise InputError(f"{place.path}: calls itself {pack.name}, its place says {place.name}")
    if place.kind == "shipped" and pack.pin is None:
        raise InputError(f"{place.path}: pin: missing; a shipped pack carries the rubric's pin")
    if pack.of is not None and PurePath(pack.of).suffix:
        raise InputError(f"{place.path}: of: {pack.of[:200]!r} is not RUBRIC/EDITION")
    return pack


def _inherit(own: Pack, parent: Pack) -> Pack:
    # A graded rubric accepts no single label, whatever the one it stands on accepts; another kind
    # has no use for what a graded one asks of its controls.
    left = {"accept"} if own.kind == "graded" else {"gate"} if own.kind else set()
    taken = set(_INHERITED) - left
    missing = {field: getattr(parent, field) for field in taken if getattr(own, field) is None}
    return own.model_copy(update=missing)


def _templates(pack: Pack, parent: Resolved | None) -> dict[str, Entry]:
    inherited = parent.templates if parent else {}
    routed = {route.template for route in pack.routes or ()}
    # An inherited template no route leads to is no part of this rubric; one of its own is a slip,
    # which the check of the rubric's shape reports.
    merged = {name: entry for name, entry in inherited.items() if name in routed}
    for name, entry in pack.templates.items():
        merged[name] = _merged(entry, inherited.get(name))
    return merged


def _merged(entry: Entry, before: Entry | None) -> Entry:
    """An entry with what it leaves out taken from the one of its name before it."""
    gold = entry.gold or (before.gold if before else None) or "answer"
    if before is None:
        return entry.model_copy(update={"gold": gold})
    kept = {
        field: getattr(before, field)
        for field in ("system", "fields", "places")
        if getattr(entry, field) is None
    }
    return entry.model_copy(update={"gold": gold, **kept})


def _check_sources(place: Place, pack: Pack) -> None:
    entries = list(pack.templates.values())
    texts = [*entries, *pack.texts.values(), *(e.system for e in entries if e.system is not None)]
    for text in texts:
        if text.stored and text.source > max(1, len(pack.sources)):
            raise InputError(f"{place.path}: source {text.source}: the pack names no such source")
    if odd := [name for name, text in pack.texts.items() if not text.stored]:
        raise InputError(f"{place.path}: text {odd[0]!r} is made of others; make it a template")


def compose(
    pack: Pack, templates: dict[str, Entry], texts: dict[str, str], systems: dict[str, str]
) -> Rubric:
    """Return the rubric a pack, its templates and their texts make; nothing is checked.

    A text that is not given is left empty.
    """
    fields, names = _fields(pack.fields)
    sources = pack.sources
    return Rubric(
        rubric=pack.rubric,
        edition=pack.edition,
        of=pack.of,
        source=sources[0] if sources else None,
        more_sources=sources[1:],
        fill=_given(pack.fill),
        fields=fields or ("question", "gold", "response"),
        names=names,
        values=pack.values or "as-is",
        templates=tuple(
            _template(name, entry, texts.get(name, ""), systems.get(name, ""))
            for name, entry in templates.items()
        ),
        routes=tuple(route.route for route in _given(pack.routes)),
        labels=_given(pack.labels),
        kind=pack.kind or "binary",
        accept=pack.accept,
        scale=pack.scale or {},
        readings=_given(pack.readings),
        settings=_given(pack.settings),
        judges=pack.judges or (),
        gate=pack.gate,
    )


T = TypeVar("T")


def _given(value: T | None) -> T:
    # `resolve` refuses a pack that lacks one of these before it composes.
    assert value is not None  # noqa: S101
    return value


def _template(name: str, entry: Entry, text: str, system: str) -> Template:
    fields, names = _fields(entry.fields)
    return Template(
        name=name,
        text=text,
        sha256=entry.sha256,
        gold=entry.gold or "answer",
        system=None if entry.system is None else system,
        system_sha256=None if entry.system is None else entry.system.sha256,
        fields=fields,
        names=names,
        places=entry.places or (),
    )


def _fields(written: tuple[Field_, ...] | None) -> tuple[tuple[FieldName, ...], tuple[str, ...]]:
    """Our fields, and what the text calls them: nothing where it uses our names."""
    pairs: list[tuple[str, FieldName]] = []
    for part in written or ():
        pairs += [(part, part)] if isinstance(part, str) else list(part.items())
    fields = tuple(field for _, field in pairs)
    names = tuple(name for name, _ in pairs)
    return fields, () if names == fields else names


def _check_shape(place: Place, outline: Rubric) -> None:
    try:
        rubric.check_shape(outline)
        request.check(outline.settings)
    except InputError as error:
        raise InputError(f"{place.path}: {error}") from error


def _check_pin(place: Place, pack: Pack, outline: Rubric) -> None:
    if pack.pin is not None and pack.pin != outline.pin:
        raise InputError(
            f"{place.path}: its pin is {pack.pin[:12]}…, what it says has {outline.pin[:12]}…: the"
            " pin itself, a template's SHA-256, fill, fields, routes, labels, accept, readings or"
            " settings were changed, here or in the pack it stands on"
        )
