"""A call in somebody's program; what it gives, and whether it is a request, out.

Functions of the file itself are followed; all others are known by their names alone.
"""

import ast

from judge.doctor.expressions import Expressions
from judge.doctor.foreign import LOADING, SAVING, Arguments, opened, request, rows
from judge.doctor.lookups import made
from judge.doctor.state import LostError, RaisedError, State
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
)

__all__ = ["Calls"]

_ENDING = frozenset({"exit", "quit", "_exit", "abort"})
_TEXT = frozenset(
    {
        *("strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize", "casefold"),
        *("replace", "removeprefix", "removesuffix", "startswith", "endswith"),
    }
)
"""Methods of a text that is written down which are carried out."""
_LONGEST = 200_000


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
        if name not in SAVING and (sent := request(node, arguments)) is not None:
            self.state.sent.append(sent)
            return Reply()
        for value in arguments.all:
            if name not in SAVING or (isinstance(value, Reply) and name == "dumps"):
                self.expressions.reading(value)
            opened(value, name)
        for value in arguments.all:
            if isinstance(value, Field | Filled | Made) and name not in SAVING:
                return made(value, f"changed by {name}()", node.lineno)
        if base is None and (found := rows(name, arguments.values, self.state.region)) is not None:
            return found
        loading = name in LOADING or name.startswith(("load", "read"))
        plain = not any(isinstance(value, Items | Entries | Many) for value in arguments.all)
        return LOOKUP if loading and plain else UNKNOWN
