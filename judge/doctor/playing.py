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

from judge.doctor.expressions import Expressions
from judge.doctor.foreign import Arguments
from judge.doctor.functions import Function, Functions
from judge.doctor.state import LostError, RaisedError, State
from judge.doctor.values import (
    LOOKUP,
    UNKNOWN,
    Code,
    Entries,
    Items,
    Known,
    Label,
    Value,
    truth,
)

__all__ = ["play"]


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


class _Player(Functions):
    def __init__(self, item: dict[str, str], accept: str | None) -> None:
        self.state = State()
        self.expressions = Expressions(self.state, item, accept, self.called)
        self.running: list[Function] = []
        self.returns: list[list[Value]] = [[]]
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
            ast.FunctionDef: self.define,
            ast.AsyncFunctionDef: self.define,
            ast.ClassDef: self.class_,
            ast.Import: self.import_,
            ast.ImportFrom: self.import_,
            ast.Raise: self._raise,
            ast.Break: self._break,
            ast.Continue: self._continue,
            ast.Pass: lambda _: True,
            ast.Assert: lambda _: True,
        }

    def play(self, tree: ast.Module, first: frozenset[str]) -> None:
        """Play the module, then every function that it may begin with."""
        self.block(tree.body)
        own = [value for value in self.state.frames[0].values() if isinstance(value, Code)]
        for code in (*own, *(one for many in self.state.methods.values() for one in many)):
            if code.node.name in first:
                self._root(code)

    def _root(self, code: Code) -> None:
        arguments = code.node.args
        named = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        words = {name: self.given(name) for name in named}
        with self.state.maybe():
            try:
                self.run(code, Arguments([], words, UNKNOWN))
            except RaisedError:
                return

    @override
    def block(self, body: Sequence[ast.stmt]) -> bool:
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
        self.returns[-1].append(value)
        return False

    def _if(self, node: ast.If) -> bool:
        test = self.expressions.value(node.test)
        holds = truth(test)
        if holds is not None:
            return self.block(node.body if holds else node.orelse)
        counting = all(
            isinstance(each, ast.AugAssign | ast.Expr | ast.Pass)
            for each in (*node.body, *node.orelse)
        )
        if isinstance(test, Label) and not counting:
            self.expressions.reading(test)
        return self.state.either(lambda: self.block(node.body), lambda: self.block(node.orelse))

    def _for(self, node: ast.For | ast.AsyncFor) -> bool:
        rows = self.expressions.value(node.iter)

        def body() -> bool:
            self.expressions.bind(node.target, self.expressions.each(rows))
            return self.block(node.body)

        return self._loop(body, at_least_once=False) and self.block(node.orelse)

    def _while(self, node: ast.While) -> bool:
        forever = truth(self.expressions.value(node.test)) is True

        def body() -> bool:
            self.expressions.value(node.test)
            return self.block(node.body)

        # What a loop tests is looked at again after its body.
        return self._loop(body, at_least_once=forever) and self.block(node.orelse)

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
            ended = self.block(node.body)
            if ended:
                starts.append(self.state.copy())
                if self.block(node.orelse):
                    ends.append(self.state.frames)
        for handler in node.handlers:
            self.state.meet(starts)
            self.state.frames = self.state.copy()
            with self.state.maybe():
                if handler.name is not None:
                    self.state.put(handler.name, UNKNOWN)
                if self.block(handler.body):
                    ends.append(self.state.frames)
        if ends:
            return self.state.meet(ends) and self.block(node.finalbody)
        self.state.meet(starts)
        self.block(node.finalbody)
        return False

    def _with(self, node: ast.With | ast.AsyncWith) -> bool:
        for item in node.items:
            value = self.expressions.value(item.context_expr)
            if "suppress" in ast.unparse(item.context_expr):
                raise LostError
            if item.optional_vars is not None:
                self.expressions.bind(item.optional_vars, value)
        return self.block(node.body)

    def _raise(self, node: ast.Raise) -> bool:
        if node.exc is not None:
            self.expressions.value(node.exc)
        raise RaisedError
