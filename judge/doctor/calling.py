"""A call in somebody's program; what it gives, and whether it is a request, out.

Functions of the file itself are followed; all others are known by their names alone.
"""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from judge.doctor.expressions import Expressions, made
from judge.doctor.state import LostError, RaisedError, Sent, State
from judge.doctor.values import (
    LOOKUP,
    UNKNOWN,
    Code,
    Entries,
    Field,
    Filled,
    Items,
    Known,
    Label,
    Made,
    Many,
    Opaque,
    Reply,
    Scalar,
    Value,
    inside,
)

__all__ = ["Arguments", "Calls"]

_ENDING = frozenset({"exit", "quit", "_exit", "abort"})
_TEXT = frozenset(
    {
        *("strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize", "casefold"),
        *("replace", "removeprefix", "removesuffix", "startswith", "endswith"),
    }
)
"""Methods of a text that is written down which are carried out."""
_SAVING = frozenset(
    {
        *("print", "append", "write", "dump", "dumps", "update", "critical", "debug", "error"),
        *("exception", "info", "log", "warn", "warning", "set_description", "set_postfix"),
    }
)
"""Calls that put a value away and change nothing of it."""
_LOADING = frozenset(
    {
        *("open", "enumerate", "zip", "list", "iter", "sorted", "tqdm", "DictReader", "values"),
        *("items", "iterrows", "itertuples", "to_dict", "parse_args", "copy", "splitlines"),
    }
)
"""Calls, beside those that begin with `load` or `read`, that give the rows as they are."""
_LOOKING = frozenset({"len", "range", "isinstance", "sum", "round", "min", "max", "any", "all"})
"""Calls that change nothing of what they are given."""
_LONGEST = 200_000
_MESSAGE = frozenset({"role", "content"})


class Arguments(NamedTuple):
    """What a call is given."""

    values: list[Value]
    words: dict[str, Value]
    more: Value | None
    """What is spread into it and cannot be told apart."""

    @property
    def all(self) -> list[Value]:
        """Every value."""
        return [*self.values, *self.words.values()]


class Calls:
    """Follows calls; functions of the file are run by the one that plays it."""

    state: State
    expressions: Expressions

    def run(self, code: Code, arguments: Arguments) -> Value:
        """Play a function of the file."""
        raise NotImplementedError

    def called(self, node: ast.Call) -> Value:
        """Return what a call gives."""
        self.state.seen.add(id(node))
        target = node.func
        name = target.attr if isinstance(target, ast.Attribute) else None
        base: Value | None = None
        if isinstance(target, ast.Attribute):
            base = self.expressions.value(target.value)
        elif isinstance(target, ast.Name):
            name = target.id
        arguments = self._arguments(node)
        if name in _ENDING:
            raise RaisedError
        if base is None:
            return self._function(node, name, arguments)
        return self._method(node, base, name or "", arguments)

    def _arguments(self, node: ast.Call) -> Arguments:
        values: list[Value] = []
        held = Entries({}, self.state.region)
        more: Value | None = None
        for each in node.args:
            value = self.expressions.value(each.value if isinstance(each, ast.Starred) else each)
            if not isinstance(each, ast.Starred):
                values.append(value)
            elif isinstance(value, Items) and not value.open:
                values += value.items
            else:
                more = UNKNOWN
        for word in node.keywords:
            value = self.expressions.value(word.value)
            if word.arg is not None:
                held.entries[word.arg] = value
                continue
            self.expressions.spread(held, value)
            if held.open:
                more = value if isinstance(value, Opaque) and more is None else UNKNOWN
        words = {str(key): value for key, value in held.entries.items()}
        return Arguments(values, words, more)

    # --- functions ------------------------------------------------------------------------------

    def _function(self, node: ast.Call, name: str | None, arguments: Arguments) -> Value:
        code = self.expressions.value(node.func) if name is not None else UNKNOWN
        if isinstance(code, Code):
            return self.run(code, arguments)
        if name is None or self.state.get(name) is not None:
            return self._foreign(node, name or "", arguments)
        if name in {"str", "int", "bool", "list", "tuple"} and len(arguments.values) == 1:
            [value] = arguments.values
            keeps = isinstance(value, Known) and name == "str" and isinstance(value.value, str)
            if keeps or isinstance(value, Field | Filled | Items):
                return value if name in {"str", "list", "tuple"} else UNKNOWN
            if isinstance(value, Label):
                return value
        if name == "dict" and not arguments.values:
            held: dict[Scalar, Value] = {key: arguments.words[key] for key in arguments.words}
            return Entries(held, self.state.region, open=arguments.more is not None)
        return self._foreign(node, name, arguments)

    # --- methods --------------------------------------------------------------------------------

    def _method(self, node: ast.Call, base: Value, name: str, arguments: Arguments) -> Value:
        if isinstance(base, Known) and isinstance(base.value, str):
            return self._text(base.value, name, arguments, node)
        if isinstance(base, Field | Filled | Made):
            return made(base, f"changed by .{name}()", node.lineno)
        if isinstance(base, Reply | Label):
            return self._reply(base, name, arguments)
        if isinstance(base, Items | Entries):
            return self._container(base, name, arguments)
        return self._unknown(node, base, name, arguments)

    def _unknown(self, node: ast.Call, base: Value, name: str, arguments: Arguments) -> Value:
        if name == "get" and isinstance(base, Opaque) and arguments.values:
            key = arguments.values[0]
            text = key.value if isinstance(key, Known) else None
            written = isinstance(node.args[0], ast.Constant) and isinstance(text, str)
            return self.expressions.lookup(base, str(text) if written else None)
        if isinstance(base, Many) and name in {"get", "pop", "values", "copy"}:
            return base.of if name in {"get", "pop"} else base
        own = self.state.methods.get(name, [])
        if len(own) == 1 and isinstance(base, Opaque):
            return self.run(own[0], Arguments([LOOKUP, *arguments[0]], *arguments[1:]))
        if own:
            raise LostError
        return self._foreign(node, name, arguments, base)

    def _text(self, text: str, name: str, arguments: Arguments, node: ast.Call) -> Value:
        if name == "format":
            if arguments.more is not None or all(isinstance(v, Known) for v in arguments.all):
                return UNKNOWN
            words = tuple(arguments.words.items())
            return Filled(text, tuple(arguments.values), words, node.lineno)
        values = [v.value for v in arguments.values if isinstance(v, Known)]
        plain = len(values) == len(arguments.values) and not arguments.words
        if name not in _TEXT or not plain or not all(isinstance(v, str) for v in values):
            return UNKNOWN
        try:
            result = getattr(text, name)(*values)
        except (TypeError, MemoryError):
            return UNKNOWN
        return UNKNOWN if isinstance(result, str) and len(result) > _LONGEST else Known(result)

    def _reply(self, base: Reply | Label, name: str, arguments: Arguments) -> Value:
        bare = not arguments.all and arguments.more is None
        if isinstance(base, Reply) and bare and name in {"strip", "lower", "json"}:
            return Reply(lower=base.lower or name == "lower")
        self.expressions.reading(base)
        return UNKNOWN

    def _container(self, base: Items | Entries, name: str, arguments: Arguments) -> Value:
        if isinstance(base, Entries) and name == "get" and arguments.values:
            key, *default = arguments.values
            if not base.open and isinstance(key, Known):
                return base.entries.get(key.value, default[0] if default else Known(None))
            return self.expressions.entry(base, key)
        if name in {"items", "keys", "values", "copy", "index", "count"}:
            alike = base.alike() if name == "values" else None
            return UNKNOWN if alike is None else Many(alike)
        if isinstance(base, Items) and name == "append" and base.region != self.state.region:
            base.grow(arguments.values)
            return UNKNOWN
        followed = self.state.changing(base) and arguments.more is None
        if followed and isinstance(base, Items) and name == "append":
            base.items += arguments.values
        elif followed and isinstance(base, Entries) and name == "update":
            self._updated(base, arguments)
        else:
            base.opens()
        return UNKNOWN

    def _updated(self, base: Entries, arguments: Arguments) -> None:
        for value in arguments.values:
            self.expressions.spread(base, value)
        base.entries.update(arguments.words)

    # --- what the file does not hold ------------------------------------------------------------

    def _foreign(
        self, node: ast.Call, name: str, arguments: Arguments, base: Value | None = None
    ) -> Value:
        if name not in _SAVING and (sent := _request(node, arguments)) is not None:
            self.state.sent.append(sent)
            return Reply()
        for value in arguments.all:
            if name not in _SAVING or (isinstance(value, Reply) and name == "dumps"):
                self.expressions.reading(value)
            _opened(value, name)
        for value in arguments.all:
            if isinstance(value, Field | Filled | Made) and name not in _SAVING:
                return made(value, f"changed by {name}()", node.lineno)
        if base is None and (rows := _rows(name, arguments.values, self.state.region)) is not None:
            return rows
        loading = name in _LOADING or name.startswith(("load", "read"))
        plain = not any(isinstance(value, Items | Entries | Many) for value in arguments.all)
        return LOOKUP if loading and plain else UNKNOWN


def _rows(name: str, values: list[Value], region: int) -> Value | None:
    """What is gone through by a call that gives rows as they are; None for another call."""
    if not any(isinstance(value, Many | Items) for value in values):
        return None
    each = [value.of if isinstance(value, Many) else Expressions.each(value) for value in values]
    if name == "zip":
        return Many(Items(each, region))
    if name == "enumerate":
        return Many(Items([UNKNOWN, each[0]], region))
    return values[0] if name in {"list", "sorted", "iter", "tqdm", "reversed", "tuple"} else None


def _opened(value: Value, name: str) -> None:
    """What is handed to somebody else's code may be changed there."""
    if name in _SAVING | _LOADING | _LOOKING:
        return
    for part in inside(value):
        if isinstance(part, Items | Entries):
            part.opens()


def _request(node: ast.Call, arguments: Arguments) -> Sent | None:
    """The request that a call is, where it has messages or a filled prompt."""
    fields = dict(arguments.words)
    messages = fields.pop("messages", None)
    loose = list(arguments.values)
    if messages is None:
        messages = next((v for v in arguments.all if _roles(v) is not None), None)
        fields = {key: value for key, value in fields.items() if value is not messages}
    if messages is None:
        prompt = next((v for v in arguments.all if _is_prompt(v)), None)
        return None if prompt is None else Sent(prompt, None, {}, whole=False, line=node.lineno)
    roles = _roles(messages)
    users = [] if roles is None else [c for r, c in _messages(messages) if r != "system"]
    whole = arguments.more is None and not loose
    content = users[0] if len(users) == 1 else None
    return Sent(content, roles, fields, whole, node.lineno)


def _is_prompt(value: Value) -> bool:
    while isinstance(value, Made):
        value = value.of
    return isinstance(value, Filled) and len(value.values) + len(value.named) > 1


def _roles(value: Value) -> tuple[str | None, ...] | None:
    """The roles of a list of messages; None for anything else, or where it may hold more."""
    if not isinstance(value, Items) or value.open or not value.items:
        return None
    for each in value.items:
        if not isinstance(each, Entries) or each.open or each.entries.keys() != _MESSAGE:
            return None
    return tuple(role for role, _ in _messages(value))


def _messages(value: Value) -> Iterator[tuple[str | None, Value]]:
    for each in value.items if isinstance(value, Items) else ():
        if isinstance(each, Entries):
            said = each.entries["role"]
            role = str(said.value) if isinstance(said, Known) else None
            yield role, each.entries["content"]
