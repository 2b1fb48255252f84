"""An expression of a program in; what it stands for, out; nothing is executed."""

import ast
from collections.abc import Callable, Sequence

from judge.doctor.documents import FIELD
from judge.doctor.naming import ASKING, role
from judge.doctor.state import LostError, RaisedError, State
from judge.doctor.values import (
    EITHER,
    LABEL,
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
    Scalar,
    Value,
    inside,
    truth,
)

__all__ = ["Expressions", "made"]

_LONGEST = 200_000
_REPLY = frozenset({"choices", "message", "content", "text"})
"""The way from an answer of the API to its text."""

Call = Callable[[ast.Call], Value]


def made(value: Value, how: str, line: int) -> Value:
    """Return what is made of a value: told for what a prompt is made of, unknown otherwise."""
    if isinstance(value, Field | Filled | Made):
        return Made(value, how, line)
    return UNKNOWN


def _may_replace(name: str, value: Value) -> bool:
    """Whether a function of somebody else's may be replaced by a program."""
    return isinstance(value, Code) or name in ASKING | {"format"}


def _is_number(node: ast.expr, wanted: int) -> bool:
    return isinstance(node, ast.Constant) and node.value in {wanted, bool(wanted)}


class Expressions:
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

    def value(self, node: ast.expr) -> Value:
        """Return what an expression stands for.

        Raises:
            LostError: the program is too long or too deep to be followed.
            RaisedError: it would stop here.
        """
        with self.state.step():
            known = self._by_kind.get(type(node))
            return UNKNOWN if known is None else known(node)

    def named(self, name: str) -> Value:
        """What something unknown is by its name alone."""
        told = role(name)
        if told in self.item:
            return Known(self.item[told])
        return LOOKUP if told is None else Field(told)

    # --- names and lookups ----------------------------------------------------------------------

    def _constant(self, node: ast.Constant) -> Value:
        plain = node.value is None or isinstance(node.value, str | int | float)
        return Known(node.value) if plain else UNKNOWN  # type: ignore[arg-type]

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

    # --- containers -----------------------------------------------------------------------------

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

    def spread(self, held: Entries, value: Value) -> None:
        """Put all entries of another dictionary into one."""
        if isinstance(value, Entries):
            held.entries |= value.entries
            if value.open:
                held.opens()
        else:
            held.opens()

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

    # --- operations -----------------------------------------------------------------------------

    def _operation(self, node: ast.BinOp) -> Value:
        operands = [node.right]
        left = node.left
        # A long sum of texts is one row of operands, not a depth.
        while isinstance(left, ast.BinOp) and type(left.op) is type(node.op):
            operands.append(left.right)
            left = left.left
        result = self.value(left)
        for each in reversed(operands):
            result = self.operated(node.op, result, self.value(each), node.lineno)
        return result

    def operated(self, op: ast.operator, one: Value, other: Value, line: int) -> Value:
        """What an operator makes of two values."""
        for value in (one, other):
            self.reading(value)
        if isinstance(one, Known) and isinstance(other, Known):
            return self._sum(op, one.value, other.value)
        if isinstance(one, Known) and isinstance(op, ast.Mod) and isinstance(other, Items):
            other = next((v for v in other.items if isinstance(v, Field | Filled | Made)), UNKNOWN)
        for value in (one, other):
            if isinstance(value, Field | Filled | Made):
                return made(value, "joined with other text", line)
        return UNKNOWN

    @staticmethod
    def _sum(op: ast.operator, one: Scalar, other: Scalar) -> Value:
        texts = isinstance(one, str) and isinstance(other, str)
        if not isinstance(op, ast.Add) or not texts or len(one) + len(other) > _LONGEST:  # type: ignore[arg-type]
            return UNKNOWN
        return Known(one + other)  # type: ignore[operator]

    def reading(self, value: Value) -> None:
        """Note that something is done to a reply or a label that is not followed."""
        if any(isinstance(part, Reply | Label) for part in inside(value)):
            self.state.unclear.add("parser")

    def _formatted(self, node: ast.JoinedStr) -> Value:
        values = [
            self.value(each.value if isinstance(each, ast.FormattedValue) else each)
            for each in node.values
        ]
        plain = all(
            part.format_spec is None and part.conversion == -1
            for part in node.values
            if isinstance(part, ast.FormattedValue)
        )
        if len(values) == 1 and plain and isinstance(values[0], Filled | Field | Made):
            return values[0]
        for value in values:
            if any(isinstance(part, Filled) for part in inside(value)):
                return made(value, "put into another text", node.lineno)
        if any(isinstance(value, Field | Made) for value in values):
            return self._written(node, values) if plain else UNKNOWN
        if plain and all(isinstance(value, Known) for value in values):
            return Known("".join(str(v.value) for v in values if isinstance(v, Known))[:_LONGEST])
        return next((v for v in values if isinstance(v, Reply | Label)), UNKNOWN)

    @staticmethod
    def _written(node: ast.JoinedStr, values: Sequence[Value]) -> Value:
        """An f-string is a text that is filled where it stands."""
        text = ""
        given: list[Value] = []
        for part, value in zip(node.values, values, strict=True):
            if isinstance(part, ast.Constant):
                text += str(part.value)
            else:
                text += FIELD
                given.append(value)
        return Filled(text, tuple(given), (), node.lineno)

    def _bool(self, node: ast.BoolOp) -> Value:
        stops = isinstance(node.op, ast.Or)
        known = True
        value: Value = UNKNOWN
        for each in node.values:
            value = self.value(each)
            holds = truth(value)
            if known and holds is stops:
                return value
            known = known and holds is not None
            if isinstance(value, Label):
                self.reading(value)
        return value if known else EITHER

    def _unary(self, node: ast.UnaryOp) -> Value:
        value = self.value(node.operand)
        if isinstance(value, Label):
            self.reading(value)
        if isinstance(node.op, ast.USub) and isinstance(value, Known):
            return Known(-value.value) if isinstance(value.value, int | float) else UNKNOWN
        holds = truth(value) if isinstance(node.op, ast.Not) else None
        return UNKNOWN if holds is None else Known(not holds)

    def _if(self, node: ast.IfExp) -> Value:
        test = self.value(node.test)
        holds = truth(test)
        if holds is not None:
            return self.value(node.body if holds else node.orelse)
        if isinstance(test, Label):
            if _is_number(node.body, 1) and _is_number(node.orelse, 0):
                return LABEL
            self.reading(test)
        with self.state.maybe():
            return self.state.meeting(self.value(node.body), self.value(node.orelse))

    def _compare(self, node: ast.Compare) -> Value:
        values = [self.value(each) for each in (node.left, *node.comparators)]
        if len(values) == 2:  # noqa: PLR2004 - one operator
            return self._compared(node.ops[0], values[0], values[1])
        for value in values:
            self.reading(value)
        return UNKNOWN

    def _compared(self, op: ast.cmpop, one: Value, other: Value) -> Value:
        if isinstance(op, ast.In) and one == Known(self.accept) and other == Reply(lower=True):
            self.state.read = True
            return LABEL
        if isinstance(one, Known) and isinstance(other, Known):
            return self._decided(op, one.value, other.value)
        if isinstance(op, ast.In | ast.NotIn) and isinstance(other, Items | Entries):
            return self._among(one, other, wanted=isinstance(op, ast.In))
        if other not in (Known(None), Known("")):
            self.reading(one)
            self.reading(other)
        return UNKNOWN

    @staticmethod
    def _decided(op: ast.cmpop, one: Scalar, other: Scalar) -> Value:
        if isinstance(op, ast.Eq | ast.Is):
            return Known(one == other)
        if isinstance(op, ast.NotEq | ast.IsNot):
            return Known(one != other)
        if isinstance(op, ast.In | ast.NotIn) and isinstance(one, str) and isinstance(other, str):
            return Known((one in other) is isinstance(op, ast.In))
        return UNKNOWN

    def _among(self, one: Value, held: Items | Entries, *, wanted: bool) -> Value:
        self.reading(one)
        parts: Sequence[Value] = (
            held.items if isinstance(held, Items) else [Known(key) for key in held.entries]
        )
        if held.open or not isinstance(one, Known) or not all(isinstance(p, Known) for p in parts):
            return UNKNOWN
        return Known((one in parts) is wanted)

    # --- the rest -------------------------------------------------------------------------------

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
