"""A Python program in; which of its expressions are the filled prompt, out.

Followed by names, as a reader would: what `.format(…)` gives, the names it is assigned to, the
functions that return it. Nothing is executed.
"""

import ast
from collections.abc import Iterator

__all__ = ["Prompts"]

_LEAST = 2
"""Values that a template of a judge is filled with, at least."""


class Prompts:
    """The filled prompts of one program."""

    def __init__(self, tree: ast.Module) -> None:
        """Follow names until nothing more is found."""
        self.tree = tree
        self.names: set[str] = set()
        self.functions: dict[str, ast.FunctionDef] = {}
        self._defined = {
            node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
        }
        while self._more():
            continue

    def fills(self) -> Iterator[ast.Call]:
        """Every call that fills a template."""
        return (node for node in ast.walk(self.tree) if _fills(node))  # type: ignore[misc]

    def calls(self) -> Iterator[tuple[ast.Call, ast.FunctionDef]]:
        """Every call of a function that gives the prompt."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                found = self.functions.get(node.func.id)
                if found is not None:
                    yield node, found

    def holds(self, node: ast.AST) -> bool:
        """Whether an expression is the prompt, as far as names tell."""
        if _fills(node):
            return True
        if isinstance(node, ast.Name):
            return node.id in self.names
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return node.func.id in self.functions
        return isinstance(node, ast.IfExp) and self.holds(node.body) and self.holds(node.orelse)

    def _more(self) -> bool:
        before = len(self.names) + len(self.functions)
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign) and self.holds(node.value):
                self.names |= {t.id for t in node.targets if isinstance(t, ast.Name)}
        for name, function in self._defined.items():
            returned = [n.value for n in ast.walk(function) if isinstance(n, ast.Return)]
            if any(value is not None and self.holds(value) for value in returned):
                self.functions[name] = function
        return len(self.names) + len(self.functions) > before


def _fills(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "format"
        and len(node.args) + len(node.keywords) >= _LEAST
    )
