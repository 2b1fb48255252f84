"""A rubric's name in, the rubric with its texts out, or a sheet of all there is to say of it."""

import contextlib
from collections.abc import Callable

from judge import rubric
from judge.errors import InputError
from judge.packs.files import names, shipped_names
from judge.packs.inheritance import Resolved, compose, resolve
from judge.packs.reported import Sheet, SheetTemplate, Where
from judge.packs.store import AbsentError
from judge.packs.texts import origin, system, text
from judge.records import Rubric

__all__ = ["check", "is_shipped", "load", "survey"]


def load(name: str) -> Rubric:
    """Return the rubric, its texts in place and held against every pin.

    Raises:
        InputError: no such pack, a pack that is wrong, a pin that does not hold (naming what
            changed), or a text that is not on this machine (naming both ways to bring it).
    """
    resolved = resolve(name)
    whole = {template: text(resolved, template) for template in resolved.templates}
    return _full(resolved, whole, _systems(resolved))


def check(name: str) -> Sheet:
    """Return the sheet of a rubric that holds: `ok`, or `pins only` where texts are absent.

    Raises:
        InputError: as `load`, but for absent texts.
    """
    resolved = resolve(name)
    texts = _there(resolved, text)
    systems = _there(resolved, system)
    outline = resolved.outline
    whole = len(texts) == len(outline.templates) and len(systems) == sum(
        template.system is not None for template in outline.templates
    )
    if whole:
        _full(resolved, texts, systems)
    return _sheet(resolved, texts, systems, whole=whole)


def _there(resolved: Resolved, look_up: Callable[[Resolved, str], str | None]) -> dict[str, str]:
    """The texts that are on this machine, by template."""
    found = {}
    for template in resolved.templates:
        with contextlib.suppress(AbsentError):
            found[template] = look_up(resolved, template)
    return {template: text for template, text in found.items() if text is not None}


def _systems(resolved: Resolved) -> dict[str, str]:
    found = {template: system(resolved, template) for template in resolved.templates}
    return {template: text for template, text in found.items() if text is not None}


def is_shipped(found: Rubric) -> bool:
    """Whether a rubric is the shipped pack of its name: its pin, and what the pin leaves out.

    Its judges must be among the pack's, so that nobody's own list makes a judge a published one,
    and what it asks of controls must be what the pack asks.

    Raises:
        InputError: the shipped pack of that name does not hold.
    """
    if found.name not in shipped_names():
        return False
    outline = resolve(found.name).outline
    kinds = {template.name: template.gold for template in outline.templates}
    same = outline.pin == found.pin and kinds == {t.name: t.gold for t in found.templates}
    return same and outline.gate == found.gate and set(found.judges) <= set(outline.judges)


def survey(wanted: tuple[str, ...] = ()) -> tuple[Sheet, ...]:
    """Return a sheet for each rubric named, or for all there are; a wrong one says why.

    Raises:
        InputError: there is no rubric at all.
    """
    sheets = []
    for name in wanted or names():
        try:
            sheets.append(check(name))
        except InputError as error:
            sheets.append(Sheet(name=name, state="refused", problem=str(error)))
    if not sheets:
        raise InputError("no rubric is there to check")
    return tuple(sheets)


def _full(resolved: Resolved, texts: dict[str, str], systems: dict[str, str]) -> Rubric:
    full = compose(resolved.pack, resolved.templates, texts, systems)
    try:
        rubric.check(full)
    except InputError as error:
        raise InputError(f"{resolved.place.path}: {error}") from error
    return full


_REPORTED = (
    "of",
    "source",
    "more_sources",
    "fill",
    "fields",
    "values",
    "routes",
    "kind",
    "labels",
    "accept",
    "scale",
    "readings",
    "settings",
    "judges",
    "gate",
)


def _sheet(
    resolved: Resolved, texts: dict[str, str], systems: dict[str, str], *, whole: bool
) -> Sheet:
    outline = resolved.outline
    warnings = () if resolved.pack.pin else (f"no pin; add `pin: {outline.pin}` to guard it",)
    return Sheet(
        name=resolved.place.name,
        state="ok" if whole else "pins only",
        where=_where(resolved) if whole else "absent",
        warnings=warnings,
        pin=outline.pin,
        shipped=resolved.place.kind == "shipped",
        names=outline.names or outline.fields,
        templates=tuple(
            SheetTemplate(
                name=template.name,
                sha256=template.sha256,
                gold=template.gold,
                fields=rubric.fields_of(outline, template),
                names=rubric.names_of(outline, template),
                places=template.places,
                made=_story(resolved, template.name),
                text=texts.get(template.name),
                system_sha256=template.system_sha256,
                system_made=_system_story(resolved, template.name),
                system=systems.get(template.name),
            )
            for template in outline.templates
        ),
        parser=resolved.pack.parser,
        note=resolved.pack.note,
        **{field: getattr(outline, field) for field in _REPORTED},
    )


def _where(resolved: Resolved) -> Where:
    """Where the texts lie, over all the packs this one stands on."""
    kinds: set[bool] = set()
    step: Resolved | None = resolved
    while step is not None:
        kinds |= {entry.file is None for entry in step.pack.templates.values()}
        step = step.parent
    if kinds == {False}:
        return "shipped"
    return "store" if kinds == {True} else "shipped and store"


def _story(resolved: Resolved, name: str) -> str:
    entry = resolved.pack.templates.get(name)
    if entry is not None:
        return origin(entry)
    return f"{resolved.pack.of} {name}"


def _system_story(resolved: Resolved, name: str) -> str | None:
    entry = resolved.pack.templates.get(name)
    if entry is not None and entry.system is not None:
        return origin(entry.system)
    return f"{resolved.pack.of} {name}" if resolved.templates[name].system else None
