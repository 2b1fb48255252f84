"""A Python program in; what it sends with each request, and how it reads a reply, out."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from judge.doctor.prompts import walked

__all__ = ["Request", "plain_reading", "requests"]


class Request(NamedTuple):
    """The fields of one request, as they stand together in a call or a dictionary."""

    fields: dict[str, ast.expr]
    whole: bool
    """Whether nothing is spread into it from elsewhere."""
    line: int


def requests(tree: ast.Module) -> Iterator[Request]:
    """Yield every call or dictionary that has messages."""
    for node in walked(tree):
        fields: dict[str, ast.expr] = {}
        whole = True
        if isinstance(node, ast.Call):
            fields = {word.arg: word.value for word in node.keywords if word.arg is not None}
            whole = len(fields) == len(node.keywords)
        elif isinstance(node, ast.Dict):
            pairs = list(zip(node.keys, node.values, strict=True))
            named = [(k.value, v) for k, v in pairs if isinstance(k, ast.Constant)]
            fields = {str(name): value for name, value in named}
            whole = len(named) == len(pairs)
        if "messages" in fields and isinstance(node, ast.Call | ast.Dict):
            yield Request(fields, whole, node.lineno)


def plain_reading(tree: ast.Module, label: str) -> bool | None:
    """Return whether a reply is read as `"yes" in reply.lower()` and by nothing else.

    None where that cannot be followed: the test stands inside another, what it looks at is cut, or
    its function returns something else as well.
    """
    tests = [node for node in walked(tree) if _looks_for(node, label)]
    if len(tests) != 1:
        return None
    [test] = tests
    if any(_inside(node, test) for node in walked(tree)):
        return None
    for function in walked(tree):
        if isinstance(function, ast.FunctionDef) and test in ast.walk(function):
            returns = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
            if len(returns) > 1:
                return None
    return True


def _looks_for(node: ast.AST, label: str) -> bool:
    if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.In):
        return False
    left, right = node.left, node.comparators[0]
    lowered = (
        isinstance(right, ast.Call)
        and isinstance(right.func, ast.Attribute)
        and right.func.attr == "lower"
        and isinstance(right.func.value, ast.Name | ast.Attribute)
    )
    return isinstance(left, ast.Constant) and left.value == label and lowered


def _inside(node: ast.AST, test: ast.AST) -> bool:
    """Whether a test is a part of another condition."""
    if isinstance(node, ast.BoolOp):
        return test in node.values
    if isinstance(node, ast.UnaryOp):
        return node.operand is test
    return isinstance(node, ast.Compare) and node is not test and test in node.comparators
