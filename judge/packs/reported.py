"""The records of what the commands of the rubric library report."""

from typing import Literal

from pydantic import Field

from judge.canonical import Json
from judge.packs.schema import Gold, Parser
from judge.records import FieldName, GateLabels, Kind, Origin, Readings, Record, Route, ValueRule

__all__ = [
    "Added",
    "Change",
    "Diff",
    "Sheet",
    "SheetTemplate",
    "Started",
    "State",
    "TemplateDiff",
    "Where",
    "Word",
]

State = Literal["ok", "pins only", "refused"]
Where = Literal["shipped", "store", "shipped and store", "absent"]
"""Where the texts of a rubric are: with the packs, in the user's store, or not on this machine."""


class SheetTemplate(Record):
    """One template as reported."""

    name: str
    sha256: str
    gold: Gold
    fields: tuple[FieldName, ...]
    names: tuple[str, ...]
    """What the text calls its fields, in the same order."""
    places: tuple[int, ...] = ()
    made: str
    """What the text is made of, in words."""
    text: str | None
    """Null where the text is not on this machine."""
    system_sha256: str | None = None
    system_made: str | None = None
    system: str | None = None


class Sheet(Record):
    """All there is to say of one rubric; `refused` sheets say only why."""

    name: str
    state: State
    problem: str | None = None
    warnings: tuple[str, ...] = ()
    pin: str | None = None
    shipped: bool = False
    where: Where = "absent"
    of: str | None = None
    source: Origin | None = None
    more_sources: tuple[Origin, ...] = ()
    fill: str | None = None
    fields: tuple[FieldName, ...] = ()
    names: tuple[str, ...] = ()
    values: ValueRule = "as-is"
    templates: tuple[SheetTemplate, ...] = ()
    routes: tuple[Route, ...] = ()
    kind: Kind = "binary"
    labels: tuple[str, ...] = ()
    accept: str | None = None
    scale: dict[str, str] = Field(default_factory=dict)
    readings: Readings | None = None
    settings: dict[str, Json] = Field(default_factory=dict)
    judges: tuple[str, ...] = ()
    gate: GateLabels | None = None
    parser: Parser | None = None
    note: str | None = None


class Added(Record):
    """What `add` or `fetch` brought."""

    name: str
    file: str
    file_sha256: str
    templates: tuple[str, ...]
    """The templates and other texts that were found."""
    absent: tuple[str, ...]
    """Those of the pack that are not on this machine yet: another of its sources holds them."""
    same_file: bool | None
    """Whether the file is the pinned source, byte for byte; null where no source is pinned."""


class Started(Record):
    """A modified edition that `new` wrote."""

    name: str
    path: str
    pin: str
    templates: tuple[str, ...]
    """The templates that are edited; the rest is inherited."""
    kept: tuple[str, ...]
    """What of the base goes on to hold, though the text is another, a sentence each."""
    warnings: tuple[str, ...]
    """What may not fit the edited text any more."""


class Word(Record):
    """A run of words, spaces and signs that two texts share or do not."""

    op: Literal["same", "removed", "added"]
    text: str


class TemplateDiff(Record):
    """How one template differs; null where one of the two rubrics has none of that name."""

    name: str
    a_sha256: str | None
    b_sha256: str | None
    words: tuple[Word, ...]


class Change(Record):
    """One difference that is not in a text."""

    what: str
    a: Json
    b: Json


class Diff(Record):
    """Every difference between two rubrics; nothing in it means they are the same."""

    a: str
    b: str
    a_pin: str
    b_pin: str
    templates: tuple[TemplateDiff, ...]
    changes: tuple[Change, ...]
