"""Composed texts, routes and fields in; the template an item takes and its exact prompt out."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from judge.canonical import digest
from judge.errors import InputError
from judge.filling import VALUE_RULES, filler
from judge.records import FieldName, Route, Rubric, Template
from judge.shapes import check_shape

__all__ = ["Slice", "check", "check_shape", "compose", "fields_of", "names_of", "render", "route"]

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


def fields_of(rubric: Rubric, template: Template) -> tuple[FieldName, ...]:
    """Return which of our fields a template takes, in its order."""
    return template.fields or rubric.fields


def names_of(rubric: Rubric, template: Template) -> tuple[str, ...]:
    """Return what a template calls its fields, in the same order."""
    if template.fields:
        return template.names or template.fields
    return template.names or rubric.names or rubric.fields


def render(rubric: Rubric, template: Template, question: str, gold: str, response: str) -> str:
    """Return the exact text of the user message; no value is read again as template.

    The system message, where there is one, is `template.system` as it stands.

    Raises:
        InputError: the template does not follow its dialect, a value cannot be filled in as the
            upstream would, or the prompt is too long.
    """
    rule = VALUE_RULES.get(rubric.values)
    if rule is None:
        raise _at(rubric, template, f"value rule {rubric.values[:40]!r} is not known")
    values = {"question": question, "gold": gold, "response": response}
    fill = _filler(rubric, template)
    try:
        prompt = fill(*(rule(values[field]) for field in fields_of(rubric, template)))
    except InputError as error:
        raise _at(rubric, template, error) from error
    if len(prompt) > _LONGEST:
        raise _at(rubric, template, f"a prompt of {len(prompt)} characters, at most {_LONGEST}")
    return prompt


def _filler(rubric: Rubric, template: Template) -> Callable[..., str]:
    try:
        return filler(rubric.fill, template.text, names_of(rubric, template), template.places)
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
        _check_digest(rubric, template, "its text", template.text, template.sha256)
        if template.system is not None:
            sha256 = template.system_sha256 or "nothing"
            _check_digest(rubric, template, "its system text", template.system, sha256)
        # A filter used wrongly shows only when it is run: here, not after the first call.
        render(rubric, template, "question", "gold", "response")


def _check_digest(rubric: Rubric, template: Template, what: str, text: str, sha256: str) -> None:
    found = digest(text.encode("utf-8", "surrogatepass"))
    if found != sha256:
        raise _at(
            rubric, template, f"{what} has SHA-256 {found[:12]}…, the rubric pins {sha256[:12]}…"
        )
