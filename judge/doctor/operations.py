"""Two values and an operator in; what is made of them, out."""

import ast
from collections.abc import Sequence

from judge.doctor.documents import FIELD
from judge.doctor.lookups import Lookups, made
from judge.doctor.values import (
    EITHER,
    LABEL,
    UNKNOWN,
    Entries,
    Field,
    Filled,
    Items,
    Known,
    Label,
    Made,
    Reply,
    Scalar,
    Value,
    inside,
    truth,
)

__all__ = ["Operations"]

_LONGEST = 200_000


def _is_number(node: ast.expr, wanted: int) -> bool:
    return isinstance(node, ast.Constant) and node.value in {wanted, bool(wanted)}


class Operations(Lookups):
    """Operators, conditions and texts with fields."""

    accept: str | None
    """The label that counts as correct."""

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
