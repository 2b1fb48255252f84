"""A program in; which of its functions it may begin with to ask a judge, out."""

import ast
from collections.abc import Iterable

from judge.doctor.naming import ASKING

__all__ = ["asking", "beginnings", "hides"]

Function = ast.FunctionDef | ast.AsyncFunctionDef


_HIDING = frozenset(
    {"eval", "exec", "globals", "locals", "vars", "setattr", "delattr", "__import__", "compile"}
)
"""Calls by which a program may do anything."""


def hides(nodes: Iterable[ast.AST]) -> bool:
    """Return whether a program may do what its text does not say."""
    return any(isinstance(node, ast.Name) and node.id in _HIDING for node in nodes)


def asking(nodes: Iterable[ast.AST]) -> list[ast.Call]:
    """Return the calls that may ask a judge."""
    return [node for node in nodes if isinstance(node, ast.Call) and _may_ask(node)]


def _may_ask(node: ast.Call) -> bool:
    named = isinstance(node.func, ast.Attribute) and node.func.attr in ASKING
    return named or any(word.arg == "messages" for word in node.keywords)


def beginnings(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the functions nothing calls that lead to a request or a filled text, or are passed on.

    Args:
        nodes: all nodes of the program.
    """
    functions: dict[str, set[str]] = {}
    called: set[str] = set()
    heads: set[int] = set()
    names: list[ast.Name] = []
    for node in nodes:
        if isinstance(node, Function):
            functions.setdefault(node.name, set()).update(_calls(ast.walk(node)))
        elif isinstance(node, ast.Call):
            called |= _calls([node])
            heads.add(id(node.func))
        elif isinstance(node, ast.Name):
            names.append(node)
    passed = {name.id for name in names if id(name) not in heads}
    leading = _leading(functions)
    return frozenset(
        name for name in functions if name not in called and (name in leading or name in passed)
    )


def _calls(nodes: Iterable[ast.AST]) -> set[str]:
    """The names of what is called; the empty name for a call that may ask."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Call):
            named = node.func.id if isinstance(node.func, ast.Name) else "?"
            attribute = node.func.attr if isinstance(node.func, ast.Attribute) else named
            found |= {attribute, ""} if attribute == "format" or _may_ask(node) else {attribute}
    return found


def _leading(functions: dict[str, set[str]]) -> set[str]:
    """The functions that ask, or call one that does."""
    leading = {""}
    while new := {name for name, calls in functions.items() if calls & leading} - leading:
        leading |= new
    return leading
