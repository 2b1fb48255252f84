"""A call of what the file does not hold in; whether it is a request, and what it gives, out."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from judge.doctor.lookups import Lookups
from judge.doctor.state import Sent
from judge.doctor.values import (
    UNKNOWN,
    Entries,
    Filled,
    Items,
    Known,
    Made,
    Many,
    Value,
    inside,
)

__all__ = ["LOADING", "SAVING", "Arguments", "opened", "request", "rows"]

SAVING = frozenset(
    {
        *("print", "append", "write", "dump", "dumps", "update", "critical", "debug", "error"),
        *("exception", "info", "log", "warn", "warning", "set_description", "set_postfix"),
    }
)
"""Calls that put a value away and change nothing of it."""
LOADING = frozenset(
    {
        *("open", "enumerate", "zip", "list", "iter", "sorted", "tqdm", "DictReader", "values"),
        *("items", "iterrows", "itertuples", "to_dict", "parse_args", "copy", "splitlines"),
    }
)
"""Calls, beside those that begin with `load` or `read`, that give the rows as they are."""
_LOOKING = frozenset({"len", "range", "isinstance", "sum", "round", "min", "max", "any", "all"})
"""Calls that change nothing of what they are given."""
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


def rows(name: str, values: list[Value], region: int) -> Value | None:
    """What is gone through by a call that gives rows as they are; None for another call."""
    if not any(isinstance(value, Many | Items) for value in values):
        return None
    each = [value.of if isinstance(value, Many) else Lookups.each(value) for value in values]
    if name == "zip":
        return Many(Items(each, region))
    if name == "enumerate":
        return Many(Items([UNKNOWN, each[0]], region))
    return values[0] if name in {"list", "sorted", "iter", "tqdm", "reversed", "tuple"} else None


def opened(value: Value, name: str) -> None:
    """What is handed to somebody else's code may be changed there."""
    if name in SAVING | LOADING | _LOOKING:
        return
    for part in inside(value):
        if isinstance(part, Items | Entries):
            part.opens()


def request(node: ast.Call, arguments: Arguments) -> Sent | None:
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
