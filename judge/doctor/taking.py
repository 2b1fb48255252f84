"""A rubric in, every way of an item out; texts taken for them in, sentences out."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from judge.doctor.findings import Finding, Kind
from judge.errors import InputError
from judge.records import Rubric
from judge.rubric import route

__all__ = ["Taken", "Way", "findings", "ways"]

_OTHER = "a type of its own"
"""A type no rubric knows."""


class Way(NamedTuple):
    """One way through the routes of a rubric, by an item made up for it."""

    id: str
    type: str
    template: str | None
    """Null where the rubric refuses the item."""
    sign: str | None = None
    """What its id holds."""

    @property
    def ends(self) -> bool:
        """Whether the sign stands at the end of the id."""
        return self.sign is not None and self.id.endswith(self.sign)


class Taken(NamedTuple):
    """What a program takes for one of them."""

    way: Way
    name: str | None
    """Null for a text that is none of the rubric's."""
    line: int


def ways(rubric: Rubric) -> Iterator[Way]:
    """Every type by a plain id, and with each sign at the end of its id and within it."""
    types = [name for way in rubric.routes for name in way.types or ()]
    for name in dict.fromkeys((*types, _OTHER)):
        yield _way(rubric, "q1", name, None)
    for sign in dict.fromkeys(way.id_contains for way in rubric.routes):
        for name in types if sign is not None else ():
            yield _way(rubric, f"q1{sign}", name, sign)
            yield _way(rubric, f"q{sign}_1", name, sign)


def _way(rubric: Rubric, row: str, name: str, sign: str | None) -> Way:
    try:
        template = route(rubric, row, name, abstention=sign is not None).name
    except InputError:
        template = None
    return Way(row, name, template, sign)


def findings(taken: Sequence[Taken]) -> Iterator[Finding]:
    """Yield one sentence for all types, or ids, that take the same wrong text."""
    wrong = [one for one in taken if one.way.template is None or one.name != one.way.template]
    types: dict[tuple[str | None, str | None], list[Taken]] = {}
    signs: dict[str, list[Taken]] = {}
    for one in wrong:
        if one.way.sign is None:
            types.setdefault((one.way.template, one.name), []).append(one)
        else:
            signs.setdefault(one.way.sign, []).append(one)
    for (template, _), many in types.items():
        yield _finding(many[0], _types(template, many))
    for sign, many in signs.items():
        within = "" if any(one.way.ends for one in many) else " in their middle"
        told = f"ids with {sign!r}{within} take {_text(many[0])}; the rubric's is "
        yield _finding(many[0], f"{told}{many[0].way.template}, wherever that stands in an id")


def _types(template: str | None, many: Sequence[Taken]) -> str:
    names = list(dict.fromkeys(one.way.type for one in many))
    if template is None:
        return f"a type the rubric does not know takes {_text(many[0])}; the rubric refuses it"
    if names == [_OTHER]:
        return f"every item takes {_text(many[0])}; the rubric's is {template}"
    kind, takes = ("type", "takes") if len(names) == 1 else ("types", "take")
    return f"{kind} {', '.join(names)} {takes} {_text(many[0])}; the rubric's is {template}"


def _text(one: Taken) -> str:
    return f"the text of {one.name}" if one.name else "a text that is none of the pinned ones"


def _finding(one: Taken, said: str) -> Finding:
    # A text that is none of theirs may be told word by word elsewhere.
    kind: Kind = "usage" if one.name else "text"
    return Finding(kind=kind, where=one.way.template or "routes", line=one.line, said=said)
