"""An expression of a program in; which of the judge's fields it is, by its names, out."""

import ast
import re

__all__ = ["role"]

_WORDS: tuple[tuple[str, frozenset[str]], ...] = (
    ("question", frozenset({"question", "query", "problem", "q"})),
    (
        "gold",
        frozenset(
            {
                *("answer", "ans", "gold", "reference", "expected", "target", "truth", "label"),
                *("explanation", "rubric", "correct", "solution", "groundtruth"),
            }
        ),
    ),
    (
        "response",
        frozenset(
            {
                *("response", "hypothesis", "hyp", "prediction", "predicted", "pred", "output"),
                *("generated", "completion", "candidate", "reply", "resp"),
            }
        ),
    ),
)
_SPLIT = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def role(node: ast.expr) -> str | None:
    """Return `question`, `gold` or `response` by the last name in an expression; None: no telling.

    A name that says two things, `predicted_answer`, is told by its model's word.
    """
    name = _name(node)
    if name is None:
        return None
    words = {word.lower() for word in _SPLIT.findall(name)}
    found = [field for field, known in _WORDS if words & known]
    if "response" in found:
        return "response"
    return found[0] if len(found) == 1 else None


def _name(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript):
        key = node.slice
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            return key.value
        return _name(node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
        return _name(node.args[0])  # str(x)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == "get" and node.args and isinstance(node.args[0], ast.Constant):
            return str(node.args[0].value)
        return _name(node.func.value)
    return None
