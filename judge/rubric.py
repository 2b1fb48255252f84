"""Composed texts, routes and fields in; the template an item takes and its exact prompt out."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from judge.canonical import digest
from judge.errors import InputError
from judge.filling import filler
from judge.records import Route, Rubric, Template

__all__ = ["Slice", "check", "check_shape", "compose", "render", "route"]

_LONGEST = 10_000_000
"""Characters of one prompt: more than any judge reads, less than what harms this process."""


class Slice(NamedTuple):
    """Characters start to end of a named text, counted in code points, the end left out."""

    template: str
    start: int
    end: int


def compose(parts: Iterable[str | Slice], texts: Mapping[str, str]) -> str:
    """Return the parts joined: literal text as it stands, slices cut from the named texts.

    Raises:
        InputError: no parts, a slice of a text that is not there, or one that is empty or reaches
            beyond its text.
    """
    pieces = [part if isinstance(part, str) else _cut(part, texts) for part in parts]
    if not pieces:
        raise InputError("has no parts")
    return "".join(pieces)


def _cut(part: Slice, texts: Mapping[str, str]) -> str:
    if part.template not in texts:
        raise InputError(f"takes a slice of {part.template[:40]!r}, which is not there")
    text = texts[part.template]
    if not 0 <= part.start < part.end <= len(text):
        raise InputError(
            f"slice {part.start} to {part.end} of {part.template!r} is not within its"
            f" {len(text)} characters"
        )
    return text[part.start : part.end]


def route(rubric: Rubric, row_id: str, row_type: str, *, abstention: bool) -> Template:
    """Return the template an item takes: the first route whose every condition holds.

    Raises:
        InputError: no route takes the item, or the route names no template.
    """
    for way in rubric.routes:
        if _takes(way, row_id, row_type, abstention=abstention):
            for template in rubric.templates:
                if template.name == way.template:
                    return template
            raise InputError(f"{rubric.name}: no template is named {way.template!r}")
    known = sorted({name for way in rubric.routes for name in way.types or ()})
    raise InputError(
        f"{rubric.name}: no route takes item {row_id[:100]!r} of type {row_type[:100]!r}; its"
        f" routes name the types {', '.join(known) or '(none)'}"
    )


def _takes(way: Route, row_id: str, row_type: str, *, abstention: bool) -> bool:
    if way.id_contains is not None and way.id_contains not in row_id:
        return False
    if way.types is not None and row_type not in way.types:
        return False
    return way.abstention is None or way.abstention == abstention


def render(rubric: Rubric, template: Template, question: str, gold: str, response: str) -> str:
    """Return the exact prompt; no value is read again as template.

    Raises:
        InputError: the template does not follow its dialect, or the prompt is too long.
    """
    values = {"question": question, "gold": gold, "response": response}
    fill = _filler(rubric, template)
    try:
        prompt = fill(*(values[field] for field in rubric.fields))
    except InputError as error:
        raise _at(rubric, template, error) from error
    if len(prompt) > _LONGEST:
        raise _at(rubric, template, f"a prompt of {len(prompt)} characters, at most {_LONGEST}")
    return prompt


def _filler(rubric: Rubric, template: Template) -> Callable[..., str]:
    try:
        return filler(rubric.fill, template.text, rubric.fields)
    except InputError as error:
        raise _at(rubric, template, error) from error


def _at(rubric: Rubric, template: Template, what: object) -> InputError:
    return InputError(f"{rubric.name}: template {template.name!r}: {what}")


def check(rubric: Rubric) -> None:
    """Return when every text is the pinned one, follows its dialect and can be filled.

    Raises:
        InputError: naming the rubric and the template or part that is wrong.
    """
    check_shape(rubric)
    for template in rubric.templates:
        found = digest(template.text.encode("utf-8", "surrogatepass"))
        if found != template.sha256:
            raise _at(
                rubric,
                template,
                f"its text has SHA-256 {found[:12]}…, the rubric pins {template.sha256[:12]}…",
            )
        # A filter used wrongly shows only when it is run: here, not after the first call.
        render(rubric, template, "question", "gold", "response")


def check_shape(rubric: Rubric) -> None:
    """Return when labels, fields, routes and template names agree with each other.

    Raises:
        InputError: naming the rubric and what is empty, repeated, unknown or never reached.
    """
    names = [template.name for template in rubric.templates]
    for what, values in (("label", rubric.labels), ("field", rubric.fields), ("template", names)):
        _check_distinct(rubric, what, values)
    if rubric.accept not in rubric.labels:
        raise InputError(f"{rubric.name}: accept {rubric.accept[:40]!r} is not among its labels")
    _check_routes(rubric, names)


def _check_distinct(rubric: Rubric, what: str, values: Iterable[str]) -> None:
    seen = set[str]()
    for value in values:
        if not value or value in seen:
            raise InputError(f"{rubric.name}: {what} {value[:40]!r} is empty or stands there twice")
        seen.add(value)
    if not seen:
        raise InputError(f"{rubric.name}: has no {what}")


def _check_routes(rubric: Rubric, names: list[str]) -> None:
    taken = {way.template for way in rubric.routes}
    if unknown := sorted(taken - set(names)):
        raise InputError(f"{rubric.name}: a route names template {unknown[0][:40]!r}: not there")
    if unused := [name for name in names if name not in taken]:
        raise InputError(f"{rubric.name}: no route leads to template {unused[0]!r}")
    for number, way in enumerate(rubric.routes, 1):
        if way.types == () or way.id_contains == "":
            raise InputError(f"{rubric.name}: route {number} has a condition that says nothing")
        if number < len(rubric.routes) and _is_open(way):
            raise InputError(f"{rubric.name}: route {number} takes every item; none reaches beyond")


def _is_open(way: Route) -> bool:
    return way.id_contains is None and way.types is None and way.abstention is None
