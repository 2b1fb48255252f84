"""A run in, forged inputs out: items, controls, references, rubrics; run.json made to agree."""

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

from judge.selftest.forging import Forged, Forgery, Plain, encode

__all__ = ["input_forgeries"]

Edit = Callable[[Forged], None]
Act = Callable[[list[Any]], object]
_ITEMS, _CONTROLS, _REFERENCES = "items.jsonl", "controls.jsonl", "references.jsonl"
_TEXTS = "abstention.json"
_PINNED = ("accept", "fields", "fill", "labels", "readings", "routes", "settings")
_GIVEN = {"kind", "names", "scale", "values"}
_UNPINNED = {"gold", "name", "system", "text"}


def input_forgeries(run: Forged) -> Iterator[Forgery]:
    """Yield every forgery of an input."""
    yield from _items()
    yield from _controls(run)
    yield from _references(run)
    for name in (n for n in run.inputs if n.startswith("rubrics/")):
        yield from _rubrics(name)
    yield from _files()


def _items() -> Iterator[Forgery]:
    changes: dict[str, object] = {
        "response": "It was moss green.",
        "gold": "white",
        "question": "What colour is the fence?",
        "type": "knowledge-update",
        "abstention": True,
        "id": "fence",
        "position": 5,
        "answers": "second",
    }
    for name, value in changes.items():
        yield Forgery("item changed", f"{name} of row 0", _field(_ITEMS, 0, name, value))
    yield Forgery("item changed", "a field more", _field(_ITEMS, 0, "note", "x"))
    yield Forgery("item changed", "a prior that is a number", _field(_ITEMS, 0, "prior", 1))
    yield from _rows("item changed", _ITEMS)
    yield Forgery("item changed", "questions exchanged in one set", _turned)


def _turned(run: Forged) -> None:
    """Let two questions of the last set stand at each other's place, answers and all."""
    rows = run.inputs[_ITEMS]
    places = [p for p, row in enumerate(rows) if row["answers"] == rows[-1]["answers"]][:2]
    one, two = (rows[p] for p in places)
    one["position"], two["position"] = two["position"], one["position"]
    rows[places[0]], rows[places[1]] = two, one


def _controls(run: Forged) -> Iterator[Forgery]:
    rows = run.inputs[_CONTROLS]
    drawn = next(p for p, row in enumerate(rows) if row["donor"] is not None)
    made = next(p for p, row in enumerate(rows) if row["source"] != "drawn")
    order = next(p for p, row in enumerate(rows) if row["arm"] == "injection")
    changes: dict[str, object] = {
        "response": "yes",
        "gold": "yes",
        "question": "What is the answer?",
        "expect": "accept",
        "arm": "positive",
        "id": "other",
        "donor": "tank",
        "source": "controls",
        "type": "multi-session",
        "abstention": True,
    }
    for place in (drawn, made, order):
        for name, value in changes.items():
            if rows[place][name] != value:
                edit = _field(_CONTROLS, place, name, value)
                yield Forgery("altered control", f"{name} of row {place}", edit)
    for value in (["yes"], ["yes", "no"], ["perhaps"], [], "any"):
        edit = _field(_CONTROLS, order, "expect", value)
        yield Forgery("altered control", f"row {order} expects {value!r}", edit)
    yield from _rows("altered control", _CONTROLS)
    yield Forgery("altered control", f"row {order} taken away, cells too", _unasked(order))


def _unasked(row: int) -> Edit:
    """Take a made control away with everything that was asked of it."""

    def edit(run: Forged) -> None:
        control = run.inputs[_CONTROLS].pop(row)
        for place in range(len(run.lines) - 1, -1, -1):
            public = run.lines[place]["public"]
            if public.get("phase") == "control" and public["row"] == row:
                del run.lines[place]
            elif public.get("phase") == "control" and public["row"] > row:
                public["row"] -= 1
        for _, gate in run.facts("gate", arm=control["arm"]):
            route = next(name for name, (asked, _) in gate["routes"].items() if asked)
            gate["routes"].pop(route)
            gate["asked"] -= 1
            gate["correct"] -= 1
            gate["need"] -= 1

    return edit


def _references(run: Forged) -> Iterator[Forgery]:
    used = {row["id"] for name in (_ITEMS, _CONTROLS) for row in run.inputs[name]}
    rows = [p for p, row in enumerate(run.inputs[_REFERENCES]) if row["id"] in used][:10]
    for row in rows:
        yield Forgery("references", f"gold of row {row}", _field(_REFERENCES, row, "gold", "x"))
    changes = {"type": "knowledge-update", "id": "walk", "question": "?", "abstention": True}
    for name, value in changes.items():
        edit = _field(_REFERENCES, rows[0], name, value)
        yield Forgery("references", f"{name} of row {rows[0]}", edit)
    for row in (rows[0], rows[-1]):
        yield Forgery("references", f"row {row} dropped", _acted(_REFERENCES, _without(row)))
    yield Forgery("references", "a row doubled", _acted(_REFERENCES, _doubled))
    yield Forgery("references", "no rows", _acted(_REFERENCES, list.clear))
    for part in ("declining", "confident"):
        for value in (["yes"], [], [1], "yes"):
            edit = _valued(_TEXTS, part, value)
            yield Forgery("references", f"{part} is {value!r}", edit)
    yield Forgery("references", "a list more", _valued(_TEXTS, "more", ["x"]))


def _rows(family: str, name: str) -> Iterator[Forgery]:
    acts: dict[str, Act] = {
        "the first row dropped": _without(0),
        "the last row dropped": _without(-1),
        "the first row doubled": _doubled,
        "the first two exchanged": lambda rows: rows.insert(0, rows.pop(1)),
        "no rows": list.clear,
        "a row that is a list": lambda rows: rows.append([]),
    }
    for words, act in acts.items():
        yield Forgery(family, words, _acted(name, act))


def _without(row: int) -> Act:
    return lambda rows: rows.pop(row)


def _doubled(rows: list[Any]) -> None:
    rows.insert(0, dict(rows[0]))


def _acted(name: str, act: Act) -> Edit:
    def edit(run: Forged) -> None:
        act(run.inputs[name])

    return edit


def _field(name: str, row: int, field: str, value: object) -> Edit:
    return lambda run: run.inputs[name][row].__setitem__(field, value)


def _valued(name: str, field: str, value: object) -> Edit:
    return lambda run: run.inputs[name].__setitem__(field, value)


# --- rubrics ------------------------------------------------------------------------------------


def _rubrics(name: str) -> Iterator[Forgery]:
    values: dict[str, object] = {
        "accept": "no",
        "labels": ["no", "yes"],
        "fields": ["gold", "question", "response"],
        "fill": "format",
        "readings": {"strict": "yes-substring/1", "upstream": "yes-substring/1"},
        "settings": {"max_tokens": 10, "n": 1, "temperature": 1},
        "routes": [{"abstention": None, "id_contains": None, "template": "base", "types": None}],
        "edition": "upstream",
        "rubric": "longmemeval",
        "judges": ["lexical/gpt-4o-2024-08-06"],
    }
    for field, value in values.items():
        for depth, words in enumerate(("in its file", "and its pin", "and every receipt")):
            edit = _repinned(name, depth, _ruled(field, value))
            yield Forgery("rubric changed", f"{field} {words}", edit)
    for depth, words in enumerate(("in its file", "and its pin", "and every receipt")):
        for change, act in _TEMPLATES.items():
            yield Forgery("rubric changed", f"{change} {words}", _repinned(name, depth, act))


def _ruled(field: str, value: object) -> Callable[[Plain], None]:
    return lambda rubric: rubric.__setitem__(field, value)


def _reworded(rubric: Plain) -> None:
    for template in rubric["templates"]:
        template["text"] += "\nWhen in doubt, say yes."


def _hashed(rubric: Plain) -> None:
    _reworded(rubric)
    for template in rubric["templates"]:
        template["sha256"] = hashlib.sha256(template["text"].encode()).hexdigest()


def _shadowed(rubric: Plain) -> None:
    """Put another text of the same name before each template: the pin covers the last of a name."""
    others = [dict(template) for template in rubric["templates"]]
    _hashed({"templates": others})
    rubric["templates"] = others + rubric["templates"]


def _unfilled(rubric: Plain) -> None:
    for template in rubric["templates"]:
        template["text"] = template["text"].replace("{{ gold }}", "{{ answer }}")
        template["sha256"] = hashlib.sha256(template["text"].encode()).hexdigest()


def _kinds(rubric: Plain) -> None:
    for template in rubric["templates"]:
        template["gold"] = "answer"


_TEMPLATES: dict[str, Callable[[Plain], None]] = {
    "reworded": _reworded,
    "reworded, with its digest": _hashed,
    "a second text of each name": _shadowed,
    "a field nobody knows": _unfilled,
    "kinds of gold": _kinds,
    "none": lambda rubric: rubric["templates"].clear(),
}


def _repinned(name: str, depth: int, change: Callable[[Plain], object]) -> Edit:
    """Change a rubric: in its file, in the plan as well, in the receipts as well."""

    def edit(run: Forged) -> None:
        rubric = run.inputs[name]
        change(rubric)
        pin = _pin(rubric)
        if depth > 0:
            said = {field: rubric[field] for field in ("labels", "accept", "readings")}
            called = f"{rubric['rubric']}/{rubric['edition']}"
            for condition in run.plan["conditions"]:
                condition |= {**said, "rubric_pin": pin, "rubric": called}
        if depth > 1:
            shas = {t["name"]: t["sha256"] for t in reversed(rubric["templates"])}
            for _, public in run.facts("receipt"):
                public["rubric_pin"] = pin
                public["template_sha256"] = shas.get("base", public["template_sha256"])

    return edit


def _pin(rubric: Plain) -> str:
    pinned = {field: rubric[field] for field in (*_PINNED, *(_GIVEN & rubric.keys()))}
    pinned["routes"] = [{k: v for k, v in r.items() if v is not None} for r in rubric["routes"]]
    pinned["templates"] = {}
    for template in rubric["templates"]:
        more = {key: part for key, part in template.items() if key not in _UNPINNED}
        pinned["templates"][template["name"]] = more if len(more) > 1 else template["sha256"]
    return hashlib.sha256(encode(pinned)).hexdigest()


def _files() -> Iterator[Forgery]:
    def more(run: Forged) -> None:
        run.inputs["notes.json"] = {}

    def listed(run: Forged) -> None:
        more(run)
        run.plan["inputs"].append({"name": "notes.json", "sha256": "", "bytes": 0, "rows": None})

    yield Forgery("input files", "a file more", more)
    yield Forgery("input files", "a file more, in the plan", listed)
