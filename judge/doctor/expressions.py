"""An expression of a program in; what it stands for, out; nothing is executed."""

import ast
from collections.abc import Callable

from typing_extensions import override

from judge.doctor.operations import Operations
from judge.doctor.state import State
from judge.doctor.values import (
    LOOKUP,
    UNKNOWN,
    Entries,
    Items,
    Known,
    Many,
    Value,
)

__all__ = ["Expressions"]

Call = Callable[[ast.Call], Value]


class Expressions(Operations):
    """Evaluates expressions on one state."""

    def __init__(self, state: State, item: dict[str, str], accept: str | None, call: Call) -> None:
        """Take the id and type of the item that is played, and who follows calls."""
        self.state = state
        self.item = item
        self.accept = accept
        self.call = call
        self._by_kind: dict[type[ast.expr], Callable[..., Value]] = {
            ast.Constant: self._constant,
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Subscript: self._subscript,
            ast.List: self._items,
            ast.Tuple: self._items,
            ast.Set: self._items,
            ast.Dict: self._dict,
            ast.BinOp: self._operation,
            ast.JoinedStr: self._formatted,
            ast.BoolOp: self._bool,
            ast.UnaryOp: self._unary,
            ast.Compare: self._compare,
            ast.IfExp: self._if,
            ast.Call: self._called,
            ast.Await: self._await,
            ast.NamedExpr: self._walrus,
            ast.Yield: self._yield,
            ast.ListComp: self._comprehension,
            ast.SetComp: self._comprehension,
            ast.GeneratorExp: self._comprehension,
            ast.DictComp: self._comprehension,
        }

    @override
    def value(self, node: ast.expr) -> Value:
        """Return what an expression stands for.

        Raises:
            LostError: the program is too long or too deep to be followed.
            RaisedError: it would stop here.
        """
        with self.state.step():
            known = self._by_kind.get(type(node))
            return UNKNOWN if known is None else known(node)

    def _constant(self, node: ast.Constant) -> Value:
        plain = node.value is None or isinstance(node.value, str | int | float)
        return Known(node.value) if plain else UNKNOWN  # type: ignore[arg-type]

    def _items(self, node: ast.List | ast.Tuple | ast.Set) -> Value:
        spread = any(isinstance(each, ast.Starred) for each in node.elts)
        values = [self.value(each) for each in node.elts]
        return Items(values, self.state.region, open=spread)

    def _dict(self, node: ast.Dict) -> Value:
        held = Entries({}, self.state.region)
        for key, each in zip(node.keys, node.values, strict=True):
            value = self.value(each)
            if key is None:
                self.spread(held, value)
                continue
            name = self.value(key)
            if isinstance(name, Known):
                held.entries[name.value] = value
            else:
                held.open = True
        return held

    def _comprehension(self, node: ast.ListComp | ast.DictComp) -> Value:
        with self.state.frame(dict(self.state.frames[-1])), self.state.maybe():
            for loop in node.generators:
                self.bind(loop.target, self.each(self.value(loop.iter)))
                for test in loop.ifs:
                    self.value(test)
            if isinstance(node, ast.DictComp):
                self.value(node.key)
            element = self.value(node.value if isinstance(node, ast.DictComp) else node.elt)
        # Rows that are only looked up stay what is looked up.
        return element if element == LOOKUP else Many(element)

    def _called(self, node: ast.Call) -> Value:
        return self.call(node)

    def _await(self, node: ast.Await) -> Value:
        return self.value(node.value)

    def _yield(self, node: ast.Yield) -> Value:
        if node.value is not None:
            self.value(node.value)
        return UNKNOWN

    def _walrus(self, node: ast.NamedExpr) -> Value:
        value = self.value(node.value)
        self.bind(node.target, value)
        return value
