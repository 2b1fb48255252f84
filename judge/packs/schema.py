"""The records of a rubric pack: what a pack file holds."""

from typing import Annotated, Literal, Self

import orjson
import pydantic
from pydantic import Field

from judge.canonical import Json
from judge.errors import InputError
from judge.records import (
    FieldName,
    Fill,
    GateLabels,
    Kind,
    Origin,
    Readings,
    Record,
    Route,
    ValueRule,
)
from judge.rubric import Slice

__all__ = ["Entry", "Field_", "Gold", "Named", "Pack", "PackRoute", "Parser", "Text"]

Named = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Field_ = FieldName | Annotated[dict[str, FieldName], Field(min_length=1, max_length=1)]
"""One of our fields, under its own name or under the upstream's: `{target: gold}`."""
Gold = Literal["answer", "explanation", "rubric"]


class Text(Record):
    """One pinned text, and where it comes from."""

    sha256: Sha256
    """Of the text, whatever it is made of."""
    file: str | None = None
    """A file below the pack's folder; the text is its content without the line feed at its end."""
    parts: tuple[str | Slice, ...] | None = None
    """Literal texts, and slices of this pack's `texts` and of the templates and texts of the pack
    it stands on (`of`)."""
    source: Annotated[int, Field(ge=1)] = 1
    """Which of the pack's sources holds it, from 1; for a text kept in the store."""

    @pydantic.model_validator(mode="after")
    def _one_origin(self) -> Self:
        if self.file is not None and self.parts is not None:
            raise ValueError("has both a file and parts, keep one of the two")
        return self

    @property
    def stored(self) -> bool:
        """Whether the text is brought from elsewhere and kept by its digest."""
        return self.file is None and self.parts is None


class Entry(Text):
    """One template of a pack."""

    gold: Gold | None = None
    system: Text | None = None
    fields: tuple[Field_, ...] | None = None
    places: tuple[Annotated[int, Field(ge=0)], ...] | None = None


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


class Parser(Record):
    """How the benchmark itself reads a reply, in our words; outside the pin."""

    path: str
    """The file it stands in, in the source's repository."""
    rule: str
    faults: str
    """What it gets wrong, or counts without saying so."""


class Pack(Record):
    """A pack file as written; what it leaves out comes from the pack it names as `of`."""

    rubric: Named
    edition: Named
    pin: Sha256 | None = None
    of: str | None = None
    source: Origin | tuple[Origin, ...] | None = None
    texts: dict[Named, Text] = Field(default_factory=dict)
    """Pinned texts that are no templates by themselves; templates take slices of them."""
    fill: Fill | None = None
    fields: tuple[Field_, ...] | None = None
    values: ValueRule | None = None
    templates: dict[Named, Entry] = Field(default_factory=dict)
    routes: tuple[PackRoute, ...] | None = None
    labels: tuple[str, ...] | None = None
    kind: Kind | None = None
    accept: str | None = None
    scale: dict[str, str] | None = None
    readings: Readings | None = None
    settings: dict[str, Json] | None = None
    judges: tuple[str, ...] | None = None
    gate: GateLabels | None = None
    """Graded only: the labels a control must get; outside the pin."""
    parser: Parser | None = None
    note: str | None = None
    """What one has to know to use it, a sentence or two; outside the pin."""

    @property
    def name(self) -> str:
        """`rubric/edition`."""
        return f"{self.rubric}/{self.edition}"

    @property
    def sources(self) -> tuple[Origin, ...]:
        """The files its texts come from, in the order written."""
        if self.source is None:
            return ()
        return (self.source,) if isinstance(self.source, Origin) else self.source

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
