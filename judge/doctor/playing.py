"""A program and one item in; what the program would send for it, as far as it can be followed, out.

The program is played through by its syntax tree, and nothing of it is executed: the item's id and
type are two given texts, its question, gold and response stand for themselves. Where a condition
cannot be decided both ways are gone, and what differs between them is unknown from there on. What
may be changed where that is not seen counts as unknown, too: a result is what the program sends,
or nothing.
"""

import ast
from collections.abc import Callable, Sequence

from typing_extensions import override

from judge.doctor.calling import Arguments, Calls
from judge.doctor.expressions import Expressions
from judge.doctor.state import LostError, RaisedError, State
from judge.doctor.values import (
    LOOKUP,
    UNKNOWN,
    Code,
    Entries,
    Items,
    Known,
    Label,
    Opaque,
    Scalar,
    Value,
    truth,
)

__all__ = ["play"]

Function = ast.FunctionDef | ast.AsyncFunctionDef
_KEEPING = frozenset({"on_exception", "retry", "staticmethod", "classmethod"})
"""Decorators after which a function still gives what it gives."""


_BASES = frozenset({"object", "BaseModel", "Exception", "Enum", "NamedTuple", "TypedDict", "ABC"})
_SPECIAL = frozenset({"__init__", "__repr__", "__str__", "__enter__", "__exit__", "__len__"})
"""Classes and methods that change nothing of what is called."""


def play(
    tree: ast.Module, first: frozenset[str], item: dict[str, str], accept: str | None
) -> State | None:
    """Return what was noted while a program was played through; None where that is not possible.

    Args:
        tree: the program.
        first: the functions it may begin with.
        item: `id` and `type` of the item.
        accept: the label that counts as correct.
    """
    player = _Player(item, accept)
    try:
        player.play(tree, first)
    except (LostError, RecursionError):
        return None
    return player.state


class _Player(Calls):
    def __init__(self, item: dict[str, str], accept: str | None) -> None:
        self.state = State()
        self.expressions = Expressions(self.state, item, accept, self.called)
        self._running: list[Function] = []
        self._returns: list[list[Value]] = [[]]
        self._breaks: list[list[list[dict[str, Value]]]] = []
        self._nexts: list[list[list[dict[str, Value]]]] = []
        self._by_kind: dict[type[ast.stmt], Callable[..., bool]] = {
            ast.Assign: self._assign,
            ast.AnnAssign: self._annotated,
            ast.AugAssign: self._augmented,
            ast.Expr: self._expression,
            ast.Return: self._return,
            ast.If: self._if,
            ast.For: self._for,
            ast.AsyncFor: self._for,
            ast.While: self._while,
            ast.Try: self._try,
            ast.With: self._with,
            ast.AsyncWith: self._with,
            ast.FunctionDef: self._define,
            ast.AsyncFunctionDef: self._define,
            ast.ClassDef: self._class,
            ast.Import: self._import,
            ast.ImportFrom: self._import,
            ast.Raise: self._raise,
            ast.Break: self._break,
            ast.Continue: self._continue,
            ast.Pass: lambda _: True,
            ast.Assert: lambda _: True,
        }

    def play(self, tree: ast.Module, first: frozenset[str]) -> None:
        """Play the module, then every function that it may begin with."""
        self._block(tree.body)
        own = [value for value in self.state.frames[0].values() if isinstance(value, Code)]
        for code in (*own, *(one for many in self.state.methods.values() for one in many)):
            if code.node.name in first:
                self._root(code)

    def _root(self, code: Code) -> None:
        arguments = code.node.args
        named = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        words = {name: self._given(name) for name in named}
        with self.state.maybe():
            try:
                self.run(code, Arguments([], words, UNKNOWN))
            except RaisedError:
                return

    def _given(self, name: str) -> Value:
        return LOOKUP if name in {"self", "cls"} else self.expressions.named(name)

    # --- functions ------------------------------------------------------------------------------

    @override
    def run(self, code: Code, arguments: Arguments) -> Value:
        """Play a function with what it is given; raises RaisedError where it gives nothing."""
        node = code.node
        if node in self._running:
            return UNKNOWN
        names = self._bound(node.args, arguments)
        self._running.append(node)
        self._returns.append([])
        try:
            with self.state.step(), self.state.frame(names):
                ended = self._block(node.body)
        finally:
            self._running.pop()
            returned = self._returns.pop()
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
            return self._given(name) if spread else UNKNOWN
        default = _default(name, parameters)
        return UNKNOWN if default is None else self.expressions.value(default)

    # --- statements -----------------------------------------------------------------------------

    def _block(self, body: Sequence[ast.stmt]) -> bool:
        """Play statements in order; return whether their end is reached."""
        return all(self._statement(node) for node in body)

    def _statement(self, node: ast.stmt) -> bool:
        known = self._by_kind.get(type(node))
        if known is None:
            raise LostError
        with self.state.step():
            try:
                return known(node)
            except RaisedError:
                self.state.stopped()
                return False

    def _assign(self, node: ast.Assign) -> bool:
        value = self.expressions.value(node.value)
        for target in node.targets:
            self.expressions.bind(target, value)
        return True

    def _annotated(self, node: ast.AnnAssign) -> bool:
        if node.value is not None:
            self.expressions.bind(node.target, self.expressions.value(node.value))
        return True

    def _augmented(self, node: ast.AugAssign) -> bool:
        value = self.expressions.value(node.value)
        number = isinstance(value, Known) and isinstance(value.value, int | float)
        if not isinstance(node.target, ast.Name):
            held = self.expressions.value(node.target)
            if not number or held not in (LOOKUP, UNKNOWN):
                self.expressions.store(node.target, UNKNOWN)
            return True
        was = self.expressions.value(node.target)
        if isinstance(was, Items | Entries):
            was.opens()
            return True
        if not isinstance(value, Label):  # what is added up is not read again
            value = self.expressions.operated(node.op, was, value, node.lineno)
        self.state.put(node.target.id, UNKNOWN if isinstance(value, Label) else value)
        return True

    def _expression(self, node: ast.Expr) -> bool:
        self.expressions.value(node.value)
        return True

    def _return(self, node: ast.Return) -> bool:
        value = Known(None) if node.value is None else self.expressions.value(node.value)
        self._returns[-1].append(value)
        return False

    def _if(self, node: ast.If) -> bool:
        test = self.expressions.value(node.test)
        holds = truth(test)
        if holds is not None:
            return self._block(node.body if holds else node.orelse)
        counting = all(
            isinstance(each, ast.AugAssign | ast.Expr | ast.Pass)
            for each in (*node.body, *node.orelse)
        )
        if isinstance(test, Label) and not counting:
            self.expressions.reading(test)
        return self.state.either(lambda: self._block(node.body), lambda: self._block(node.orelse))

    def _for(self, node: ast.For | ast.AsyncFor) -> bool:
        rows = self.expressions.value(node.iter)

        def body() -> bool:
            self.expressions.bind(node.target, self.expressions.each(rows))
            return self._block(node.body)

        return self._loop(body, at_least_once=False) and self._block(node.orelse)

    def _while(self, node: ast.While) -> bool:
        forever = truth(self.expressions.value(node.test)) is True

        def body() -> bool:
            self.expressions.value(node.test)
            return self._block(node.body)

        # What a loop tests is looked at again after its body.
        return self._loop(body, at_least_once=forever) and self._block(node.orelse)

    def _loop(self, body: Callable[[], bool], *, at_least_once: bool) -> bool:
        """Play a loop twice, the second time with what the first left, and go on from its ends."""
        self._breaks.append([])
        ends = [] if at_least_once else [self.state.copy()]
        starts = [self.state.copy()]
        for _ in range(2):
            self._nexts.append([])
            self.state.meet([*starts])
            self.state.frames = self.state.copy()
            with self.state.maybe():
                try:
                    ended = body()
                except RaisedError:
                    ended = False
            again = [*self._nexts.pop(), *([self.state.frames] if ended else [])]
            starts += again
            ends += [] if at_least_once else again
        return self.state.meet([*ends, *self._breaks.pop()])

    def _break(self, _: ast.Break) -> bool:
        self._breaks[-1].append(self.state.copy())
        return False

    def _continue(self, _: ast.Continue) -> bool:
        self._nexts[-1].append(self.state.copy())
        return False

    def _try(self, node: ast.Try) -> bool:
        starts = [self.state.copy()]
        self.state.frames = self.state.copy()
        ends = []
        with self.state.maybe():
            ended = self._block(node.body)
            if ended:
                starts.append(self.state.copy())
                if self._block(node.orelse):
                    ends.append(self.state.frames)
        for handler in node.handlers:
            self.state.meet(starts)
            self.state.frames = self.state.copy()
            with self.state.maybe():
                if handler.name is not None:
                    self.state.put(handler.name, UNKNOWN)
                if self._block(handler.body):
                    ends.append(self.state.frames)
        if ends:
            return self.state.meet(ends) and self._block(node.finalbody)
        self.state.meet(starts)
        self._block(node.finalbody)
        return False

    def _with(self, node: ast.With | ast.AsyncWith) -> bool:
        for item in node.items:
            value = self.expressions.value(item.context_expr)
            if "suppress" in ast.unparse(item.context_expr):
                raise LostError
            if item.optional_vars is not None:
                self.expressions.bind(item.optional_vars, value)
        return self._block(node.body)

    def _define(self, node: Function) -> bool:
        # A function within a function sees names that are not followed.
        followed = len(self.state.frames) == 1 and _is_kept(node)
        self.state.put(node.name, Code(node) if followed else UNKNOWN)
        return True

    def _class(self, node: ast.ClassDef) -> bool:
        if not _is_plain(node):
            raise LostError
        self.state.put(node.name, UNKNOWN)
        for each in node.body:
            if isinstance(each, Function):
                self.state.methods.setdefault(each.name, []).append(Code(each))
        return True

    def _import(self, node: ast.Import | ast.ImportFrom) -> bool:
        for alias in node.names:
            if alias.name == "*":
                raise LostError
            self.state.put(alias.asname or alias.name.partition(".")[0], LOOKUP)
        return True

    def _raise(self, node: ast.Raise) -> bool:
        if node.exc is not None:
            self.expressions.value(node.exc)
        raise RaisedError


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
