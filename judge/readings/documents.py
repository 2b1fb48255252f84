"""A reply that is JSON in; its label out, or None. Nothing cut or broken is repaired.

More than 100 lists and objects within each other are read by nobody here: how deep a parser goes
depends on the stack it is called on, and a run and its recount must read alike.
"""

import json

from judge.envelope import strict_json, too_deep

__all__ = ["healthbench_upstream_1", "json_criteria_1", "json_label_1", "mem0_upstream_1"]

_FENCE = "```"
_LABELS = {"CORRECT", "WRONG"}
_DIGITS = 600


def json_label_1(text: str) -> str | None:
    """Return the `label` of the JSON object that the text is, alone or in one code fence.

    It must be CORRECT or WRONG; whatever else the object holds must be text; no key twice.
    """
    value = _object(text)
    if value is None or not all(isinstance(part, str) for part in value.values()):
        return None
    label = value.get("label")
    return str(label) if label in _LABELS else None


def mem0_upstream_1(text: str) -> str | None:
    """Return CORRECT when the JSON's `label` is that very word, WRONG for any other label.

    mem0's own rule (`metrics/llm_judge.py`): the JSON is what stands between the first two code
    fences anywhere, else all of the text; a reply that is not JSON, or has no label, ends its run
    and so has no label here.
    """
    value = _lenient(_fenced(text))
    if not isinstance(value, dict) or "label" not in value:
        return None
    return "CORRECT" if value["label"] == "CORRECT" else "WRONG"


def json_criteria_1(text: str) -> str | None:
    """Return `true` or `false`: the `criteria_met` of the JSON object that the text is.

    Alone or in one code fence; beside it only an `explanation`, a text; no key twice.
    """
    value = _object(text)
    if value is None or not value.keys() <= {"criteria_met", "explanation"}:
        return None
    if not isinstance(value.get("explanation", ""), str):
        return None
    return _truth(value.get("criteria_met"))


def healthbench_upstream_1(text: str) -> str | None:
    """Return `true` or `false`: the `criteria_met` of the JSON, out of a json fence.

    HealthBench's own rule (`healthbench_eval.py`); where there is none it asks again without end,
    and so there is no label here.
    """
    bare = text.strip()
    if bare.startswith(f"{_FENCE}json"):
        bare = bare.removeprefix(f"{_FENCE}json").lstrip()
    if bare.endswith(_FENCE):
        bare = bare.removesuffix(_FENCE).rstrip()
    value = _lenient(bare)
    return _truth(value.get("criteria_met")) if isinstance(value, dict) else None


def _truth(value: object) -> str | None:
    if value is True:
        return "true"
    return "false" if value is False else None


def _object(text: str) -> dict[str, object] | None:
    """The object that the whole text is, strictly."""
    bare = text.strip()
    if bare.startswith(_FENCE) and bare.endswith(_FENCE):
        bare = bare.removeprefix(_FENCE).removesuffix(_FENCE).removeprefix("json")
    try:
        value = strict_json(bare.encode())
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _fenced(text: str) -> str:
    """What stands between the first two fences, else all of the text."""
    _, first, rest = text.partition(_FENCE)
    inside, second, _ = rest.removeprefix("json").lstrip().partition(_FENCE)
    return (inside if first and second else text).strip()


def _lenient(text: str) -> object:
    """The value as Python's own parser reads it: the last of equal keys, NaN; None for no JSON."""
    try:
        if too_deep(text.encode()):
            return None
        value: object = json.loads(text, parse_int=_whole)
    except ValueError:
        return None
    return value


def _whole(digits: str) -> int:
    # Longer ones are refused by one interpreter and read by another.
    if len(digits) > _DIGITS:
        raise ValueError("an integer too long to be one")
    return int(digits)
