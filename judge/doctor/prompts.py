"""A Python program in; which of its expressions are the filled prompt, out.

Followed by names, as a reader would: what `.format(…)` gives, the names it is assigned to, the
functions that return it, the parameters it is handed to. Nothing is executed.
"""

import ast
from collections.abc import Iterator
from functools import lru_cache

__all__ = ["Prompts", "prompts_of", "walked"]

_LEAST = 2
"""Values that a template of a judge is filled with, at least."""


@lru_cache(maxsize=2)
def walked(tree: ast.AST) -> tuple[ast.AST, ...]:
    """Every node of a program, walked once however many rubrics it is held against."""
    return tuple(ast.walk(tree))


class Prompts:
    """The filled prompts of one program."""

    def __init__(self, tree: ast.Module) -> None:
        """Follow names until nothing more is found."""
        self.tree = tree
        self.names: set[str] = set()
        self.functions: dict[str, ast.FunctionDef] = {}
        self._defined: dict[str, list[ast.FunctionDef]] = {}
        for node in walked(tree):
            if isinstance(node, ast.FunctionDef):
                self._defined.setdefault(node.name, []).append(node)
        self._called = tuple(self._calls())
        self._all_given = tuple(self._given())
        self._returned = {
            name: [
                node.value
                for function in functions
                for node in ast.walk(function)
                if isinstance(node, ast.Return) and node.value is not None
            ]
            for name, functions in self._defined.items()
        }
        while self._more():
            continue

    def fills(self) -> Iterator[ast.Call]:
        """Every call that fills a template."""
        return (n for n in walked(self.tree) if isinstance(n, ast.Call) and _fills(n))

    def calls(self) -> Iterator[tuple[ast.Call, ast.FunctionDef]]:
        """Every call of a function that gives the prompt."""
        for call, function in self._called:
            if function.name in self.functions:
                yield call, function

    def holds(self, node: ast.AST) -> bool:
        """Whether an expression is the prompt, as far as names tell."""
        if isinstance(node, ast.Name):
            return node.id in self.names
        if isinstance(node, ast.Call):
            return _fills(node) or (
                isinstance(node.func, ast.Name) and node.func.id in self.functions
            )
        return isinstance(node, ast.IfExp) and self.holds(node.body) and self.holds(node.orelse)

    def unclear(self) -> bool:
        """Whether a name of the prompt is given something else as well, or a function twice."""
        others = {
            name for name, value in self._all_given if name in self.names and not self.holds(value)
        }
        twice = {name for name in self.functions if len(self._defined[name]) > 1}
        return bool(others or twice)

    def _given(self) -> Iterator[tuple[str, ast.expr]]:
        """Every name with what is assigned to it, or handed to it as a parameter."""
        for node in walked(self.tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        yield target.id, node.value
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                yield node.target.id, node.value or ast.Constant(None)
        for call, function in self._called:
            named = [argument.arg for argument in function.args.args]
            yield from zip(named, call.args, strict=False)
            yield from ((k.arg, k.value) for k in call.keywords if k.arg is not None)

    def _calls(self) -> Iterator[tuple[ast.Call, ast.FunctionDef]]:
        for node in walked(self.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                for function in self._defined.get(node.func.id, ()):
                    yield node, function

    def _more(self) -> bool:
        before = len(self.names) + len(self.functions)
        self.names |= {name for name, value in self._all_given if self.holds(value)}
        for name, values in self._returned.items():
            if any(map(self.holds, values)):
                self.functions[name] = self._defined[name][0]
        return len(self.names) + len(self.functions) > before


def _fills(node: ast.Call) -> bool:
    return (
        isinstance(node.func, ast.Attribute)
        and node.func.attr == "format"
        and len(node.args) + len(node.keywords) >= _LEAST
    )


@lru_cache(maxsize=2)
def prompts_of(tree: ast.Module) -> Prompts:
    """The prompts of a program, followed once."""
    return Prompts(tree)
