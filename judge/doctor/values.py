"""What an expression of somebody's program stands for, as far as it can be followed."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from string import Formatter

from judge.doctor.documents import FIELD

__all__ = [
    "EITHER",
    "LABEL",
    "LOOKUP",
    "UNKNOWN",
    "Choice",
    "Code",
    "Entries",
    "Field",
    "Filled",
    "Items",
    "Known",
    "Label",
    "Made",
    "Many",
    "Opaque",
    "Reply",
    "Scalar",
    "Value",
    "inside",
    "joined",
    "truth",
]

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Known:
    """A value that is written down."""

    value: Scalar


@dataclass(frozen=True, slots=True)
class Field:
    """The item's question, gold or response, as it is."""

    role: str


@dataclass(frozen=True, slots=True)
class Filled:
    """A text that was filled in: the prompt."""

    text: str
    values: tuple["Value", ...]
    named: tuple[tuple[str, "Value"], ...]
    line: int

    def in_order(self) -> list["Value"] | None:
        """The values in the order they stand in the text; None where that cannot be told."""
        named = dict(self.named)
        given: list[Value] = []
        try:
            parts = list(Formatter().parse(self.text)) if FIELD not in self.text else []
        except ValueError:
            return None
        for _, name, spec, conversion in parts:
            if name is None:
                continue
            at = name or str(len(given))
            if spec or conversion or (at not in named and not at.isdecimal()):
                return None
            if at not in named and int(at) >= len(self.values):
                return None
            given.append(named[at] if at in named else self.values[int(at)])
        return given if parts else list(self.values)


@dataclass(frozen=True, slots=True)
class Made:
    """Something made of another value."""

    of: "Value"
    how: str
    """`cut`, `changed by .strip()`, `joined with other text`."""
    line: int


@dataclass(frozen=True, slots=True)
class Reply:
    """What the judge said."""

    lower: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    """Whether the accepted label stands in the lower-case reply."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several values, by a key that is not known."""

    of: tuple["Value", ...]


@dataclass(frozen=True, slots=True)
class Many:
    """A list, a dictionary's values, or any other row of values that are all alike."""

    of: "Value"


@dataclass(frozen=True, slots=True)
class Opaque:
    """Anything else."""

    lookup: bool = False
    """Reached by names, attributes and keys alone, so that its own name tells what it is."""


@dataclass(frozen=True, slots=True, eq=False)
class Code:
    """A function of the program."""

    node: ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(slots=True)
class Items:
    """A list or tuple."""

    items: list["Value"]
    region: int = field(compare=False)
    """Where it was made: what is changed elsewhere is not followed any further."""
    open: bool = False
    """Whether it may hold something else as well."""
    grown: bool = False
    """Whether that is only more of what it holds, as a loop puts there."""

    def opens(self) -> None:
        """It may hold anything from now on."""
        self.open, self.grown = True, False

    def alike(self) -> "Value | None":
        """The one value of all that it holds; None where there is none."""
        return _alike(self.items) if not self.open or self.grown else None

    def grow(self, values: list["Value"]) -> None:
        """More is put there, nobody knows how often."""
        if not self.open or self.grown:
            self.items += values
            self.open = self.grown = True


@dataclass(slots=True)
class Entries:
    """A dictionary."""

    entries: dict[Scalar, "Value"]
    region: int = field(compare=False)
    open: bool = False
    grown: bool = False

    def opens(self) -> None:
        """It may hold anything from now on."""
        self.open, self.grown = True, False

    def alike(self) -> "Value | None":
        """The one value of all that it holds; None where there is none."""
        values = list(self.entries.values())
        return _alike(values) if not self.open or self.grown else None

    def grow(self, key: Scalar, value: "Value") -> None:
        """A value is put there, perhaps, under this key and others."""
        if self.entries.get(key, value) != value:
            self.opens()
        elif not self.open or self.grown:
            self.entries[key] = value
            self.open = self.grown = True


def _alike(values: list["Value"]) -> "Value | None":
    return values[0] if values and all(value == values[0] for value in values) else None


Value = (
    Known | Field | Filled | Made | Reply | Label | Choice | Many | Opaque | Code | Items | Entries
)

UNKNOWN = Opaque()
EITHER = UNKNOWN
"""Two values that differ, by a condition that is not followed."""
LOOKUP = Opaque(lookup=True)
LABEL = Label()


def joined(one: Value, other: Value) -> Value:
    """Return what a name stands for after either of two ways."""
    # A container counts as the other only where it is the same one or nothing can tell them apart.
    return one if one is other or one == other else EITHER


def truth(value: Value) -> bool | None:
    """Whether a condition holds; None where that is not known."""
    if isinstance(value, Known):
        return bool(value.value)
    if isinstance(value, Filled | Code):
        return True
    if isinstance(value, Items) and not value.open:
        return bool(value.items)
    if isinstance(value, Entries) and not value.open:
        return bool(value.entries)
    return None


def inside(value: Value, depth: int = 0) -> Iterator[Value]:
    """Yield a value and all that it holds or is made of."""
    yield value
    if depth > _DEEPEST:
        return
    parts: list[Value] = []
    if isinstance(value, Made | Many):
        parts = [value.of]
    elif isinstance(value, Items):
        parts = value.items
    elif isinstance(value, Entries):
        parts = list(value.entries.values())
    elif isinstance(value, Choice):
        parts = list(value.of)
    elif isinstance(value, Filled):
        parts = [*value.values, *(part for _, part in value.named)]
    for part in parts:
        yield from inside(part, depth + 1)


_DEEPEST = 6
