"""The records of rubric packs: what a pack file holds, and what the commands report of it."""

from typing import Annotated, Literal, Self

import orjson
import pydantic
from pydantic import Field

from judge.canonical import Json
from judge.errors import InputError
from judge.records import Origin, Readings, Record, Route
from judge.rubric import Slice

__all__ = [
    "Added",
    "Change",
    "Diff",
    "Entry",
    "Named",
    "Pack",
    "PackRoute",
    "Sheet",
    "SheetTemplate",
    "State",
    "TemplateDiff",
    "Word",
]

Named = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Fields = tuple[Literal["question", "gold", "response"], ...]
Gold = Literal["answer", "explanation", "rubric"]
State = Literal["ok", "pins only", "refused"]


class Entry(Record):
    """One template of a pack: its pin, and where its text comes from."""

    sha256: Sha256
    """Of the text, whatever it is made of."""
    file: str | None = None
    """A file below the pack's folder; the text is its content without the line feed at its end."""
    parts: tuple[str | Slice, ...] | None = None
    """Literal texts and slices of the templates of the pack this one stands on (`of`)."""
    gold: Gold | None = None

    @pydantic.model_validator(mode="after")
    def _one_origin(self) -> Self:
        if self.file is not None and self.parts is not None:
            raise ValueError("has both a file and parts, keep one of the two")
        return self


class PackRoute(Record):
    """Which items take which template, as written in a pack."""

    template: Named
    id_contains: str | None = None
    type: str | tuple[str, ...] | None = None
    abstention: bool | None = None

    @property
    def route(self) -> Route:
        """The rubric's route."""
        return Route(
            template=self.template,
            id_contains=self.id_contains,
            types=(self.type,) if isinstance(self.type, str) else self.type,
            abstention=self.abstention,
        )


class Pack(Record):
    """A pack file as written; what it leaves out comes from the pack it names as `of`."""

    rubric: Named
    edition: Named
    pin: Sha256 | None = None
    of: str | None = None
    source: Origin | None = None
    fill: Literal["format", "jinja"] | None = None
    fields: Fields | None = None
    templates: dict[Named, Entry] = Field(default_factory=dict)
    routes: tuple[PackRoute, ...] | None = None
    labels: tuple[str, ...] | None = None
    accept: str | None = None
    readings: Readings | None = None
    settings: dict[str, Json] | None = None
    judges: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        """`rubric/edition`."""
        return f"{self.rubric}/{self.edition}"

    @classmethod
    def read(cls, value: Json, where: str) -> Self:
        """Return the pack these plain values are.

        Raises:
            InputError: the first field that is missing, unknown or of the wrong kind.
        """
        if not isinstance(value, dict):
            raise InputError(f"{where}: a pack is a mapping of fields, this is not")
        try:
            # By way of JSON, where a strict record takes a list for a tuple; templates keep the
            # order they are written in.
            return cls.load(orjson.dumps(value))
        except pydantic.ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part)[:64] for part in first["loc"]) or "the pack"
            raise InputError(f"{where}: {place}: {first['msg']}") from error


class SheetTemplate(Record):
    """One template as reported."""

    name: str
    sha256: str
    gold: Gold
    made: str
    """What the text is made of, in words."""
    text: str | None
    """Null where the text is not on this machine."""


class Sheet(Record):
    """All there is to say of one rubric; `refused` sheets say only why."""

    name: str
    state: State
    problem: str | None = None
    warnings: tuple[str, ...] = ()
    pin: str | None = None
    shipped: bool = False
    of: str | None = None
    source: Origin | None = None
    fill: str | None = None
    fields: tuple[str, ...] = ()
    templates: tuple[SheetTemplate, ...] = ()
    routes: tuple[Route, ...] = ()
    labels: tuple[str, ...] = ()
    accept: str | None = None
    readings: Readings | None = None
    settings: dict[str, Json] = Field(default_factory=dict)
    judges: tuple[str, ...] = ()


class Added(Record):
    """What `add` or `fetch` brought."""

    name: str
    file: str
    file_sha256: str
    templates: tuple[str, ...]
    """The templates whose text was found."""
    same_file: bool | None
    """Whether the file is the pinned source, byte for byte; null where no source is pinned."""


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
