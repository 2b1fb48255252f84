"""A run in, forged lines out: every field of every kind of line, and texts, cells and order."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from judge.selftest.forging import Forged, Forgery, Plain

__all__ = ["field_forgeries"]

Values = Callable[[Plain, Forged], tuple[object, ...]]
"""The public part of a line and its run in; what a forger may write into one field out."""

_NOBODY = "0" * 64
_USAGE = {"cache_read": None, "cache_write": None, "input": 9, "output": 1, "reasoning": None}


def _fixed(*values: object) -> Values:
    return lambda _public, _run: values


def _near(name: str) -> Values:
    return lambda public, _run: (public[name] + 1, max(public[name] - 1, 0))


def _flipped(name: str) -> Values:
    return lambda public, _run: (not public[name],)


def _seen(name: str) -> Values:
    """The values that other lines of this kind have."""

    def values(public: Plain, run: Forged) -> tuple[object, ...]:
        found: list[object] = []
        for _, other in run.facts(public["kind"]):
            if other[name] != public[name] and other[name] not in found:
                found.append(other[name])
        return tuple(found[:2])

    return values


def _counts(public: Plain, _run: Forged) -> tuple[object, ...]:
    """Tallies by template, one of them bettered, one with a number too many, one missing."""
    routes: Mapping[str, list[int]] = public["routes"]
    name = next(iter(routes))
    asked, correct = routes[name]
    others = {key: value for key, value in routes.items() if key != name}
    return (
        {**routes, name: [asked, correct - 1]},
        {**routes, name: [asked + 1, correct]},
        {**routes, name: [asked, correct, 0]},
        {**routes, name: [asked]},
        {**routes, "elsewhere": [0, 0]},
        others,
    )


def _readings(public: Plain, _run: Forged) -> tuple[object, ...]:
    readings: Mapping[str, str | None] = public["readings"] or {}
    turned = {"yes": "no", "no": "yes"}
    return (
        {name: turned.get(label or "", "yes") for name, label in readings.items()},
        dict.fromkeys(list(readings)[:1], "yes"),
        {**readings, "mine/1": "yes"},
        None,
    )


_GROUP: dict[str, Values] = {
    "condition": _fixed("c1", "c2", "c9"),
    "repetition": _near("repetition"),
    "batch": _near("batch"),
    "arm": _fixed("positive", "negative", "injection", None),
}
_CELL: dict[str, Values] = {
    **_GROUP,
    "phase": _fixed("control", "answer"),
    "row": _near("row"),
    "attempt": _near("attempt"),
}
_FIELDS: dict[str, dict[str, Values]] = {
    "intent": {
        **_CELL,
        "after_unknown": _flipped("after_unknown"),
        "length": _near("length"),
        "tokens_max": _fixed(7, None),
    },
    "receipt": {
        **_CELL,
        "intent_seq": _seen("intent_seq"),
        "gate_seqs": _seen("gate_seqs"),
        "expect": _fixed(["yes"], ["no"], ["yes", "no"], [], None),
        "rubric_pin": _fixed(_NOBODY),
        "template_sha256": _seen("template_sha256"),
        "model_requested": _fixed("gpt-4o-2024-08-06"),
        "model_returned": _fixed("gpt-4o-2024-08-06", None),
        "binding": _fixed("embedded", "http_exchange", "replay"),
        "status": _fixed(200, 500, None),
        "finish": _fixed("stop", "length", None),
        "usage": _fixed(_USAGE, {**_USAGE, "input": None}, None),
        "fingerprint": _fixed("fp_0123456789", None),
        "service_tier": _fixed("default", None),
        "readings": _readings,
        "outcome": _fixed("decided", "undecided", "retry", "unknown", "not_sent"),
        "label": _fixed("yes", "no", "perhaps", None),
        "reason": _fixed("off_scale", "cut", "left_unknown", None),
        "error": _fixed("deadline", "dns", None),
        "final": _flipped("final"),
    },
    "gate": {
        **_GROUP,
        "correct": lambda public, _run: tuple(range(public["asked"])),
        "asked": _near("asked"),
        "undecided": _near("undecided"),
        "need": _near("need"),
        "routes": _counts,
        "pass": _flipped("pass"),
    },
    "seal": {
        "state": _fixed("complete", "incomplete", "gate-failed"),
        "lines": _near("lines"),
        "cells": _near("cells"),
        "decided": _near("decided"),
        "undecided": _near("undecided"),
    },
    "start": {"plan_sha256": _fixed(_NOBODY)},
}
"""By kind and field: what is written there."""
_FAMILIES = {
    **{
        name: f"moved {name}"
        for name in ("condition", "repetition", "batch", "phase", "arm", "row")
    },
    **dict.fromkeys(("asked", "correct", "need", "routes"), "gate count"),
    **dict.fromkeys(("state", "lines", "cells", "decided"), "seal counts"),
    **dict.fromkeys(("model_requested", "model_returned"), "model"),
    **dict.fromkeys(("fingerprint", "service_tier", "binding", "status", "error"), "other fields"),
    **dict.fromkeys(("length", "tokens_max"), "request"),
    **dict.fromkeys(("attempt", "intent_seq"), "attempt"),
    "pass": "gate pass",
    "plan_sha256": "plan digest",
    "rubric_pin": "rubric pin",
    "template_sha256": "template sha",
}
"""What the forgeries of a field are counted as, where that is not the field's name."""


def field_forgeries(run: Forged) -> Iterator[Forgery]:
    """Yield each field of a few lines of each kind changed alone."""
    for kind, fields in _FIELDS.items():
        for place in _examples(run, kind):
            public = run.lines[place]["public"]
            for name, values in fields.items():
                for value in (v for v in values(public, run) if v != public[name]):
                    said = f"{kind} {place}: {name} is {value!r}"
                    yield Forgery(_family(kind, name), said, _setting(place, name, value))


def _family(kind: str, name: str) -> str:
    if name == "undecided":
        return "gate count" if kind == "gate" else "seal counts"
    return _FAMILIES.get(name, name)


def _setting(place: int, name: str, value: Any) -> Callable[[Forged], None]:  # noqa: ANN401 - JSON
    def edit(run: Forged) -> None:
        run.keeps.add("start")
        run.lines[place]["public"][name] = value

    return edit


def _examples(run: Forged, kind: str) -> Iterator[int]:
    """The first line of each sort: phases, labels and outcomes; every arm of a gate."""
    sorts: set[tuple[object, ...]] = set()
    for place, public in run.facts(kind):
        names = ("arm",) if kind == "gate" else ("phase", "label", "outcome", "final")
        sort = tuple(public.get(name) for name in names)
        if sort not in sorts:
            sorts.add(sort)
            yield place
