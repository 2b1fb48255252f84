"""A rubric in; an error out where labels, fields, routes and templates contradict each other."""

import re
from collections.abc import Iterable, Sequence

from judge.errors import InputError
from judge.records import Route, Rubric, Template

__all__ = ["as_number", "check_shape", "score"]

_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?", re.ASCII)
_THREE = 3
_LEAST = 2


def check_shape(rubric: Rubric) -> None:
    """Return when labels, fields, routes and template names agree with each other.

    Raises:
        InputError: naming the rubric and what is empty, repeated, unknown or never reached.
    """
    names = [template.name for template in rubric.templates]
    for what, values in (("label", rubric.labels), ("field", rubric.fields), ("template", names)):
        _check_distinct(rubric, what, values)
    _check_labels(rubric)
    _check_gate(rubric)
    _check_fields(rubric, "its fields", rubric.fields, rubric.names)
    for template in rubric.templates:
        _check_template(rubric, template)
    _check_routes(rubric, names)


def score(rubric: Rubric, label: str) -> str:
    """Return the number a label of a graded rubric stands for, as decimal text.

    Raises:
        InputError: the label has none.
    """
    number = rubric.scale.get(label, label)
    try:
        return as_number(number)
    except InputError as error:
        where = f"{rubric.name}: label {label[:40]!r}"
        raise InputError(f"{where} {error}; give it one in scale") from error


def as_number(text: str) -> str:
    """Return the text when it is a decimal number; raises InputError for any other."""
    if not _NUMBER.fullmatch(text):
        raise InputError("has no number")
    return text


def _check_distinct(rubric: Rubric, what: str, values: Iterable[str]) -> None:
    seen = set[str]()
    for value in values:
        if not value or value in seen:
            raise InputError(f"{rubric.name}: {what} {value[:40]!r} is empty or stands there twice")
        seen.add(value)
    if not seen:
        raise InputError(f"{rubric.name}: has no {what}")


def _check_labels(rubric: Rubric) -> None:
    if rubric.kind == "graded":
        _check_graded(rubric)
        return
    if len(rubric.labels) < _LEAST:
        raise InputError(f"{rubric.name}: one label decides nothing; offer the other one too")
    if rubric.accept not in rubric.labels:
        accept = (rubric.accept or "")[:40]
        raise InputError(f"{rubric.name}: accept {accept!r} is not among its labels")
    if rubric.scale:
        raise InputError(f"{rubric.name}: has a scale, which only a graded rubric has")
    if rubric.kind == "three-way" and len(rubric.labels) != _THREE:
        raise InputError(f"{rubric.name}: {len(rubric.labels)} labels, a three-way rubric has 3")


def _check_graded(rubric: Rubric) -> None:
    if rubric.accept is not None:
        raise InputError(f"{rubric.name}: a graded rubric accepts no single label; drop accept")
    if len(rubric.labels) < _LEAST:
        raise InputError(f"{rubric.name}: one label is no scale")
    if odd := sorted(set(rubric.scale) - set(rubric.labels)):
        raise InputError(f"{rubric.name}: scale names {odd[0][:40]!r}, which is not a label")
    for label in rubric.labels:
        score(rubric, label)


def _check_gate(rubric: Rubric) -> None:
    if rubric.gate is None:
        return
    if rubric.kind != "graded":
        raise InputError(f"{rubric.name}: has a gate, which only a graded rubric has; drop it")
    named = (*rubric.gate.accept, *rubric.gate.reject)
    _check_distinct(rubric, "label of its gate", named)
    if odd := sorted(set(named) - set(rubric.labels)):
        raise InputError(f"{rubric.name}: its gate names {odd[0][:40]!r}, which is not a label")
    if not rubric.gate.accept or not rubric.gate.reject:
        raise InputError(f"{rubric.name}: its gate names no label on one side; name both")


def _check_fields(rubric: Rubric, whose: str, fields: Sequence[str], names: Sequence[str]) -> None:
    if names:
        _check_distinct(rubric, "field name", names)
        if len(names) != len(fields):
            raise InputError(f"{rubric.name}: {whose}: {len(names)} names for {len(fields)} fields")


def _check_template(rubric: Rubric, template: Template) -> None:
    whose = f"template {template.name!r}"
    if template.fields:
        _check_distinct(rubric, f"{whose}: field", template.fields)
    _check_fields(rubric, whose, template.fields or rubric.fields, template.names)
    if (template.system is None) != (template.system_sha256 is None):
        raise InputError(f"{rubric.name}: {whose}: a system text and its SHA-256 go together")


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
