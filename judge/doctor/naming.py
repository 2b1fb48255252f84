"""A name in a program in; which part of an item it is, out."""

import re

__all__ = ["ASKING", "role"]

ASKING = frozenset(
    {
        *("create", "acreate", "parse", "completion", "acompletion", "complete", "generate"),
        *("agenerate", "invoke", "ainvoke", "chat"),
    }
)
"""Names of calls that may ask a judge."""

_WORDS: tuple[tuple[str, frozenset[str]], ...] = (
    ("question", frozenset({"question", "query", "problem", "q"})),
    (
        "gold",
        frozenset(
            {
                *("answer", "ans", "gold", "reference", "expected", "target", "truth"),
                *("explanation", "rubric", "correct", "solution", "groundtruth"),
            }
        ),
    ),
    (
        "response",
        frozenset(
            {
                *("response", "hypothesis", "hyp", "prediction", "predicted", "pred"),
                *("generated", "candidate", "resp"),
            }
        ),
    ),
)
_IDS = frozenset({"id", "qid", "uid"})
_TYPES = frozenset({"type", "qtype", "task", "category"})
_BESIDE = frozenset({"question", "q", "item", "row", "sample", "entry", "task"})
"""What may stand beside `id` or `type` in the name of an item's: not `model_type`."""
_SPLIT = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def role(name: str) -> str | None:
    """Return `id`, `type`, `question`, `gold` or `response`; None: no telling.

    A name that says two things, `predicted_answer`, is told by its model's word. A plural is a
    list of them, not one.
    """
    words = {word.lower() for word in _SPLIT.findall(name)}
    for known, marks in (("id", _IDS), ("type", _TYPES)):
        if words & marks and words - marks <= _BESIDE:
            return known
    found = [field for field, known in _WORDS if words & known]
    if "response" in found:
        return "response"
    return found[0] if len(found) == 1 else None
