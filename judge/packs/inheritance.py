"""A pack's name in, the pack with all it inherits out, held against its own pin."""

from dataclasses import dataclass
from pathlib import PurePath

from judge import request, rubric, strictyaml
from judge.errors import InputError
from judge.packs.files import Place, locate, read_pack
from judge.packs.schema import Entry, Pack
from judge.records import Rubric, Template

__all__ = ["INHERITED", "Resolved", "compose", "resolve"]

INHERITED = (
    "source",
    "fill",
    "fields",
    "routes",
    "labels",
    "accept",
    "readings",
    "settings",
    "judges",
)
_NEEDED = ("fill", "routes", "labels", "accept", "readings", "settings")


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
    for field in _NEEDED:
        if getattr(pack, field) is None:
            raise InputError(f"{place.path}: {field}: missing, and no pack to take it from")
    templates = _templates(pack, parent)
    outline = compose(pack, templates, dict.fromkeys(templates, ""))
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
    missing = {field: getattr(parent, field) for field in INHERITED if getattr(own, field) is None}
    return own.model_copy(update=missing)


def _templates(pack: Pack, parent: Resolved | None) -> dict[str, Entry]:
    inherited = parent.templates if parent else {}
    routed = {route.template for route in pack.routes or ()}
    # An inherited template no route leads to is no part of this rubric; one of its own is a slip,
    # which the check of the rubric's shape reports.
    merged = {name: entry for name, entry in inherited.items() if name in routed}
    for name, entry in pack.templates.items():
        before = inherited[name].gold if name in inherited else None
        merged[name] = entry.model_copy(update={"gold": entry.gold or before or "answer"})
    return merged


def compose(pack: Pack, templates: dict[str, Entry], texts: dict[str, str]) -> Rubric:
    """Return the rubric a pack, its templates and their texts make; nothing is checked."""
    values = {field: getattr(pack, field) for field in INHERITED if field != "routes"}
    values["fields"] = pack.fields or ("question", "gold", "response")
    return Rubric(
        rubric=pack.rubric,
        edition=pack.edition,
        of=pack.of,
        routes=tuple(route.route for route in pack.routes or ()),
        templates=tuple(
            Template(name=name, text=texts[name], sha256=entry.sha256, gold=entry.gold or "answer")
            for name, entry in templates.items()
        ),
        **{**values, "judges": pack.judges or ()},
    )


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
