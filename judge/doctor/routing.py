"""A Python program in; which pinned text each question type takes, out.

An `if` on the type, with texts as literals, names of literals, or entries of a dictionary of
literals, is followed; anything else is not, and that is said.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping

from judge.canonical import digest
from judge.doctor.documents import FIELD
from judge.doctor.prompts import walked
from judge.packs import sources

__all__ = ["Routing", "routing"]


class Routing:
    """What was followed of a program's routes."""

    def __init__(self) -> None:
        self.by_type: dict[str, tuple[str, int]] = {}
        """Question type to the template its branch uses, and the line."""
        self.by_id: dict[str, tuple[str, int]] = {}
        """What is looked for in an id to the template, and the line."""
        self.tests: dict[str, tuple[str, int]] = {}
        """What is looked for in an id to how: `in`, `endswith`, `startswith`, `==`."""
        self.texts: set[str] = set()
        """Templates that some branch or filling uses."""


def routing(tree: ast.Module, known: Mapping[str, str]) -> Routing:
    """Return the routes of a program.

    Args:
        tree: the program.
        known: SHA-256 of each pinned text to its template's name.
    """
    found = Routing()
    look = _Look(tree, known)
    for node in walked(tree):
        if isinstance(node, ast.If):
            _branch(node, look, found)
        if isinstance(node, ast.expr) and (name := look.template(node)) is not None:
            found.texts.add(name)
    _tests(tree, found)
    return found


class _Look:
    """Resolves expressions to pinned texts."""

    def __init__(self, tree: ast.Module, known: Mapping[str, str]) -> None:
        self._known = known
        self._dicts: dict[str, dict[str, str]] = {}
        self._names: dict[str, set[str | None]] = {}
        changed: set[str] = set()
        for node in walked(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self._assigned(target.id, node.value)
            changed |= _changed(node)
        for name in changed:
            # Whoever changes a text after it was written down is not followed.
            self._dicts.pop(name, None)
            self._names.pop(name, None)

    def _assigned(self, name: str, value: ast.expr) -> None:
        if isinstance(value, ast.Dict):
            self._dicts[name] = {
                key.value: text
                for key, entry in zip(value.keys, value.values, strict=True)
                if isinstance(key, ast.Constant)
                and isinstance(key.value, str)
                and (text := sources.constant(entry)) is not None
            }
        else:
            self._names.setdefault(name, set()).add(sources.constant(value))

    def template(self, node: ast.expr) -> str | None:
        """The pinned template an expression is; None where it is none, or not followed."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in {"format", "strip"}:
                return self.template(node.func.value)
            return None
        text = self._text(node)
        return None if text is None else self._known.get(digest(text.encode("utf-8", "replace")))

    def _text(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Name):
            texts = self._names.get(node.id, set())
            return next(iter(texts)) if len(texts) == 1 else None
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            key = node.slice
            known = self._dicts.get(node.value.id, {})
            return known.get(key.value) if isinstance(key, ast.Constant) else None  # type: ignore[arg-type]
        found = sources.constant(node)
        return None if found is None or FIELD in found else found


def _changed(node: ast.AST) -> set[str]:
    """The names whose value a statement changes where it stands."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = [t.value for t in node.targets if isinstance(t, ast.Subscript)]
    elif isinstance(node, ast.AugAssign):
        targets = [node.target]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        targets = [node.func.value] if node.func.attr in {"update", "pop", "setdefault"} else []
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _branch(node: ast.If, look: _Look, found: Routing) -> None:
    types = list(_types(node.test))
    signs = list(_signs(node.test))
    if not types and not signs:
        return
    used = _used(node.body, look)
    if used is None:
        return
    for name in types:
        found.by_type.setdefault(name, (used, node.lineno))
    for sign in signs:
        found.by_id.setdefault(sign, (used, node.lineno))


def _used(body: list[ast.stmt], look: _Look) -> str | None:
    """The one template that a branch uses: the last that it assigns or returns."""
    last: str | None = None
    for statement in body:
        value = statement.value if isinstance(statement, ast.Assign | ast.Return) else None
        if value is not None and (name := look.template(value)) is not None:
            last = name
    return last


def _types(test: ast.expr) -> Iterator[str]:
    """The texts that something is compared with: `== "a"`, `in ["a", "b"]`."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        for value in test.values:
            yield from _types(value)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        right = test.comparators[0]
        if isinstance(test.ops[0], ast.Eq):
            yield from _strings([right])
        elif isinstance(test.ops[0], ast.In) and isinstance(right, ast.List | ast.Tuple | ast.Set):
            yield from _strings(right.elts)


def _strings(nodes: Iterable[ast.expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _signs(test: ast.expr) -> Iterator[str]:
    """What is looked for inside a text: `"_abs" in x`."""
    for sign, _, _ in _looked_for(test):
        yield sign


def _looked_for(node: ast.AST) -> Iterator[tuple[str, str, int]]:
    """Every text that is looked for in another, how, and on which line."""
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In):
        listed = isinstance(node.comparators[0], ast.List | ast.Tuple | ast.Set)
        for sign in _strings([] if listed else [node.left]):
            yield sign, "in", node.lineno
    elif isinstance(node, ast.Call):
        how = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        for sign in _strings(node.args[:1] if how in {"endswith", "startswith"} else []):
            yield sign, how, node.lineno


def _tests(tree: ast.Module, found: Routing) -> None:
    for node in walked(tree):
        for sign, how, line in _looked_for(node):
            # One that looks inside is what counts where there are several.
            if found.tests.get(sign, ("", 0))[0] != "in":
                found.tests[sign] = how, line
