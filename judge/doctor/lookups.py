"""A name, key or place in; what is found there out, what is put there noted."""

import ast

from judge.doctor.naming import ASKING, role
from judge.doctor.state import LostError, RaisedError, State
from judge.doctor.values import (
    LOOKUP,
    UNKNOWN,
    Choice,
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
    Value,
    inside,
)

__all__ = ["Lookups", "made"]

_REPLY = frozenset({"choices", "message", "content", "text"})
"""The way from an answer of the API to its text."""


def made(value: Value, how: str, line: int) -> Value:
    """Return what is made of a value: told for what a prompt is made of, unknown otherwise."""
    if isinstance(value, Field | Filled | Made):
        return Made(value, how, line)
    return UNKNOWN


def _may_replace(name: str, value: Value) -> bool:
    """Whether a function of somebody else's may be replaced by a program."""
    return isinstance(value, Code) or name in ASKING | {"format"}


class Lookups:
    """Finds and keeps values on one state."""

    state: State
    item: dict[str, str]
    """The id and type of the item that is played."""

    def value(self, node: ast.expr) -> Value:
        """Return what an expression stands for."""
        raise NotImplementedError

    def named(self, name: str) -> Value:
        """What something unknown is by its name alone."""
        told = role(name)
        if told in self.item:
            return Known(self.item[told])
        return LOOKUP if told is None else Field(told)

    def _name(self, node: ast.Name) -> Value:
        if node.id == "__name__":
            return Known("__main__")
        found = self.state.get(node.id)
        if found is None:
            return LOOKUP if node.id in {"id", "type"} else self.named(node.id)
        return found

    def _attribute(self, node: ast.Attribute) -> Value:
        base = self.value(node.value)
        if isinstance(base, Reply):
            return base if node.attr in _REPLY else UNKNOWN
        return self.lookup(base, node.attr)

    def lookup(self, base: Value, name: str | None) -> Value:
        """What is found in something unknown under a name."""
        if name is not None and name in self.state.kept and isinstance(base, Opaque):
            return self.state.kept[name]
        if not isinstance(base, Opaque) or not base.lookup:
            return UNKNOWN
        return LOOKUP if name is None else self.named(name)

    def _subscript(self, node: ast.Subscript) -> Value:
        base = self.value(node.value)
        if isinstance(node.slice, ast.Slice):
            return self._sliced(base, node.slice, node.lineno)
        key = self.value(node.slice)
        if isinstance(base, Reply):
            return base
        if isinstance(base, Items | Entries):
            return self.entry(base, key)
        if isinstance(base, Many):
            return base.of
        if isinstance(base, Field | Filled | Made):
            return made(base, "cut", node.lineno)
        written = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
        return self.lookup(base, str(key.value) if written and isinstance(key, Known) else None)

    def entry(self, base: Items | Entries, key: Value) -> Value:
        """What a container holds under a key; raises RaisedError where it holds nothing there."""
        if base.open:
            alike = base.alike()
            return UNKNOWN if alike is None else alike
        held = base.entries if isinstance(base, Entries) else dict(enumerate(base.items))
        if not isinstance(key, Known):
            return Choice(tuple(held.values()))
        at = key.value
        if isinstance(base, Items) and isinstance(at, int) and at < 0:
            at += len(base.items)
        if at not in held:
            raise RaisedError
        return held[at]  # type: ignore[index]

    def _sliced(self, base: Value, part: ast.Slice, line: int) -> Value:
        bounds = [None if b is None else self.value(b) for b in (part.lower, part.upper, part.step)]
        at = [b.value for b in bounds if isinstance(b, Known) and isinstance(b.value, int)]
        written = len(at) == sum(b is not None for b in bounds) and bounds[2] is None
        if isinstance(base, Known) and isinstance(base.value, str) and written:
            start = at.pop(0) if bounds[0] is not None else None
            return Known(base.value[start : at[0] if at else None])
        self.reading(base)
        return made(base, "cut", line)

    @staticmethod
    def each(rows: Value) -> Value:
        """What a loop over something gives each time."""
        if isinstance(rows, Many):
            return rows.of
        alike = rows.alike() if isinstance(rows, Items) else None
        if alike is not None:
            return alike
        return LOOKUP if rows == LOOKUP else UNKNOWN

    def bind(self, target: ast.expr, value: Value) -> None:
        """Give a target of an assignment or a loop its value."""
        if isinstance(target, ast.Name):
            # What was looked up without a telling name is told by the one it is given.
            lookup = isinstance(value, Opaque) and value.lookup
            self.state.put(target.id, self.named(target.id) if lookup else value)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, UNKNOWN)
        elif isinstance(target, ast.Tuple | ast.List):
            for number, each in enumerate(target.elts):
                self.bind(each, self._part(value, number, len(target.elts)))
        else:
            self.store(target, value)

    def _part(self, value: Value, number: int, count: int) -> Value:
        if isinstance(value, Items) and not value.open and len(value.items) == count:
            return value.items[number]
        if isinstance(value, Choice):
            return Choice(tuple(self._part(one, number, count) for one in value.of))
        return LOOKUP if isinstance(value, Opaque) and value.lookup else UNKNOWN

    def store(self, target: ast.expr, value: Value) -> None:
        """Put a value under a key or attribute."""
        if not isinstance(target, ast.Subscript | ast.Attribute):
            return
        base = self.value(target.value)
        own = isinstance(target.value, ast.Name) and target.value.id in {"self", "cls"}
        if isinstance(target, ast.Attribute) and not own and _may_replace(target.attr, value):
            raise LostError
        key = Known(target.attr) if isinstance(target, ast.Attribute) else UNKNOWN
        if isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Slice):
            key = self.value(target.slice)  # type: ignore[assignment]
        if isinstance(base, Items | Entries):
            self._change(base, key, value)
            return
        self.keep(key, value)

    def keep(self, key: Value, value: Value) -> None:
        """Note what is put away in something that is not known."""
        name = key.value if isinstance(key, Known) else None
        was = self.state.kept.get(name)
        if isinstance(was, Label) and not isinstance(value, Label):
            self.state.unclear.add("parser")
        if isinstance(value, Reply | Label):
            self.state.kept[name] = value
            return
        told = role(name) if isinstance(name, str) else None
        if told is not None and value not in (Field(told), Known(self.item.get(told, ""))):
            self.state.unclear.add("routes" if told in self.item else "values")

    def _change(self, base: Items | Entries, key: Value, value: Value) -> None:
        if (
            isinstance(base, Entries)
            and isinstance(key, Known)
            and base.region != self.state.region
        ):
            base.grow(key.value, value)
            return
        if not self.state.changing(base):
            return
        if isinstance(base, Entries) and isinstance(key, Known):
            base.entries[key.value] = value
        else:
            base.opens()

    def spread(self, held: Entries, value: Value) -> None:
        """Put all entries of another dictionary into one."""
        if isinstance(value, Entries):
            held.entries |= value.entries
            if value.open:
                held.opens()
        else:
            held.opens()

    def reading(self, value: Value) -> None:
        """Note that something is done to a reply or a label that is not followed."""
        if any(isinstance(part, Reply | Label) for part in inside(value)):
            self.state.unclear.add("parser")
