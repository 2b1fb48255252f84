"""Functions and classes of a program in; what a call of them gives, out."""

import ast
from collections.abc import Sequence

from typing_extensions import override

from judge.doctor.calling import Calls
from judge.doctor.foreign import Arguments
from judge.doctor.state import LostError, RaisedError
from judge.doctor.values import (
    LOOKUP,
    UNKNOWN,
    Code,
    Entries,
    Known,
    Opaque,
    Scalar,
    Value,
)

__all__ = ["Function", "Functions"]

Function = ast.FunctionDef | ast.AsyncFunctionDef
_KEEPING = frozenset({"on_exception", "retry", "staticmethod", "classmethod"})
"""Decorators after which a function still gives what it gives."""
_BASES = frozenset({"object", "BaseModel", "Exception", "Enum", "NamedTuple", "TypedDict", "ABC"})
_SPECIAL = frozenset({"__init__", "__repr__", "__str__", "__enter__", "__exit__", "__len__"})
"""Classes and methods that change nothing of what is called."""


class Functions(Calls):
    """Plays functions of the file."""

    running: list[Function]
    returns: list[list[Value]]

    def block(self, body: Sequence[ast.stmt]) -> bool:
        """Play statements in order; return whether their end is reached."""
        raise NotImplementedError

    @override
    def run(self, code: Code, arguments: Arguments) -> Value:
        """Play a function with what it is given; raises RaisedError where it gives nothing."""
        node = code.node
        if node in self.running:
            return UNKNOWN
        names = self._bound(node.args, arguments)
        self.running.append(node)
        self.returns.append([])
        try:
            with self.state.step(), self.state.frame(names):
                ended = self.block(node.body)
        finally:
            self.running.pop()
            returned = self.returns.pop()
        if any(isinstance(each, ast.Yield | ast.YieldFrom) for each in ast.walk(node)):
            return UNKNOWN
        if ended:
            returned.append(Known(None))
        if not returned:
            raise RaisedError
        first, *others = returned
        for other in others:
            first = self.state.meeting(first, other)
        return first

    def _bound(self, parameters: ast.arguments, given: Arguments) -> dict[str, Value]:
        listed = [*parameters.posonlyargs, *parameters.args]
        names: dict[str, Value] = {}
        words = dict(given.words)
        for parameter, value in zip(listed, given.values, strict=False):
            names[parameter.arg] = value
        for parameter in (*listed[len(given.values) :], *parameters.kwonlyargs):
            names[parameter.arg] = self._one(parameter.arg, words, given, parameters)
        if parameters.vararg is not None:
            names[parameters.vararg.arg] = UNKNOWN
        if parameters.kwarg is not None:
            held: dict[Scalar, Value] = {name: words[name] for name in words}
            whole = given.more is None
            names[parameters.kwarg.arg] = Entries(held, self.state.region, open=not whole)
        return names

    def _one(
        self, name: str, words: dict[str, Value], given: Arguments, parameters: ast.arguments
    ) -> Value:
        if name in words:
            return words.pop(name)
        if given.more is not None:
            spread = isinstance(given.more, Opaque) and given.more.lookup
            return self.given(name) if spread else UNKNOWN
        default = _default(name, parameters)
        return UNKNOWN if default is None else self.expressions.value(default)

    def given(self, name: str) -> Value:
        """Return what a parameter is by its name alone."""
        return LOOKUP if name in {"self", "cls"} else self.expressions.named(name)

    def define(self, node: Function) -> bool:
        """Give a function its name."""
        # A function within a function sees names that are not followed.
        followed = len(self.state.frames) == 1 and _is_kept(node)
        self.state.put(node.name, Code(node) if followed else UNKNOWN)
        return True

    def class_(self, node: ast.ClassDef) -> bool:
        """Note a class's methods; raises LostError where it may change more than they say."""
        if not _is_plain(node):
            raise LostError
        self.state.put(node.name, UNKNOWN)
        for each in node.body:
            if isinstance(each, Function):
                self.state.methods.setdefault(each.name, []).append(Code(each))
        return True

    def import_(self, node: ast.Import | ast.ImportFrom) -> bool:
        """Give what comes from elsewhere its names."""
        for alias in node.names:
            if alias.name == "*":
                raise LostError
            self.state.put(alias.asname or alias.name.partition(".")[0], LOOKUP)
        return True


def _default(name: str, parameters: ast.arguments) -> ast.expr | None:
    listed = [*parameters.posonlyargs, *parameters.args]
    with_default = listed[len(listed) - len(parameters.defaults) :]
    for parameter, default in zip(with_default, parameters.defaults, strict=True):
        if parameter.arg == name:
            return default
    for parameter, keyword in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True):
        if parameter.arg == name:
            return keyword
    return None


def _is_plain(node: ast.ClassDef) -> bool:
    """Whether a class changes nothing but by its methods, each called by its name."""
    bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
    functions = [each for each in node.body if isinstance(each, Function)]
    special = {each.name for each in functions if each.name.startswith("__")}
    return bases <= _BASES and special <= _SPECIAL and all(map(_is_kept, functions))


def _is_kept(node: Function) -> bool:
    """Whether no decorator may give something else than the function does."""
    for decorator in node.decorator_list:
        named = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = named.attr if isinstance(named, ast.Attribute) else getattr(named, "id", "")
        if name not in _KEEPING:
            return False
    return True
