"""A rubric's name in, the rubric with its texts out, or a sheet of all there is to say of it."""

from judge import rubric
from judge.errors import InputError
from judge.packs.files import names, shipped_names
from judge.packs.inheritance import INHERITED, Resolved, compose, resolve
from judge.packs.schema import Sheet, SheetTemplate
from judge.packs.store import AbsentError
from judge.packs.texts import origin, text
from judge.records import Rubric

__all__ = ["check", "is_shipped", "load", "survey"]


def load(name: str) -> Rubric:
    """Return the rubric, its texts in place and held against every pin.

    Raises:
        InputError: no such pack, a pack that is wrong, a pin that does not hold (naming what
            changed), or a text that is not on this machine (naming both ways to bring it).
    """
    resolved = resolve(name)
    texts = {template: text(resolved, template) for template in resolved.templates}
    return _full(resolved, texts)


def check(name: str) -> Sheet:
    """Return the sheet of a rubric that holds: `ok`, or `pins only` where texts are absent.

    Raises:
        InputError: as `load`, but for absent texts.
    """
    resolved = resolve(name)
    texts: dict[str, str] = {}
    for template in resolved.templates:
        try:
            texts[template] = text(resolved, template)
        except AbsentError:
            continue
    whole = len(texts) == len(resolved.templates)
    if whole:
        _full(resolved, texts)
    return _sheet(resolved, texts, whole=whole)


def is_shipped(found: Rubric) -> bool:
    """Whether a rubric is the shipped pack of its name: its pin, and what the pin leaves out.

    Its judges must be among the pack's, so that nobody's own list makes a judge a published one.

    Raises:
        InputError: the shipped pack of that name does not hold.
    """
    if found.name not in shipped_names():
        return False
    outline = resolve(found.name).outline
    kinds = {template.name: template.gold for template in outline.templates}
    same = outline.pin == found.pin and kinds == {t.name: t.gold for t in found.templates}
    return same and set(found.judges) <= set(outline.judges)


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


def _full(resolved: Resolved, texts: dict[str, str]) -> Rubric:
    full = compose(resolved.pack, resolved.templates, texts)
    try:
        rubric.check(full)
    except InputError as error:
        raise InputError(f"{resolved.place.path}: {error}") from error
    return full


def _sheet(resolved: Resolved, texts: dict[str, str], *, whole: bool) -> Sheet:
    outline = resolved.outline
    warnings = () if resolved.pack.pin else (f"no pin; add `pin: {outline.pin}` to guard it",)
    return Sheet(
        name=resolved.place.name,
        state="ok" if whole else "pins only",
        warnings=warnings,
        pin=outline.pin,
        shipped=resolved.place.kind == "shipped",
        templates=tuple(
            SheetTemplate(
                name=template.name,
                sha256=template.sha256,
                gold=template.gold,
                made=_story(resolved, template.name),
                text=texts.get(template.name),
            )
            for template in outline.templates
        ),
        **{field: getattr(outline, field) for field in ("of", *INHERITED)},
    )


def _story(resolved: Resolved, name: str) -> str:
    entry = resolved.pack.templates.get(name)
    if entry is not None:
        return origin(entry)
    return f"{resolved.pack.of} {name}"
