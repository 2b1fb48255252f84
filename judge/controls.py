"""Control files in, controls out: hand-made items whose right label is known."""

from pathlib import Path
from typing import Annotated, Literal, TypeVar

import pydantic
from pydantic import Field

from judge import strictyaml
from judge.canonical import NotCanonicalError, digest, encode
from judge.errors import InputError
from judge.packs import shipped
from judge.records import Arm, Control, Kind, Listed, Record, Rubric, Source, named
from judge.sampling import AbstentionTexts

__all__ = ["ControlFile", "ControlsFile", "abstention_texts", "check_kind", "read_controls"]

F = TypeVar("F", bound=Record)


_Range = Annotated[str, Field(pattern=r"^[0-9]{1,3}-[0-9]{1,3}$")]
_Sign = Literal["accept", "reject"]
_SIGNS: dict[str, _Sign] = {"accept": "accept", "reject": "reject"}


class _Row(Record):
    """One control as people write it."""

    arm: Arm
    id: str = Field(min_length=1)
    type: str = "untyped"
    question: str
    gold: str
    response: str
    abstention: bool = False
    expect: _Sign | _Range | Listed[str] | None = None
    """Null: `accept` in the positive arm, `reject` in the negative one. A range, `8-10`, is the
    whole numbers from one end to the other."""


class ControlsFile(Record):
    """A file of controls as people write it."""

    kind: Kind | None = None
    """Of the labels it is made for; null: for any."""
    controls: Listed[_Row] = Field(min_length=1)


class _Texts(Record):
    declining: Listed[str] = Field(min_length=1)
    confident: Listed[str] = Field(min_length=1)


class ControlFile(Record):
    """What one file of controls gives."""

    source: Source
    kind: Kind | None
    """Of the labels it is made for; null: for any."""
    controls: Listed[Control]


def read_controls(word: str) -> ControlFile:
    """Return the controls of a shipped file's name or of a path.

    Raises:
        InputError: no such file, not strict YAML, an unknown or missing field, two controls of one
            id, or an injection control that does not say what is expected.
    """
    path = _found(word)
    data = _bytes(path)
    file = _valid(ControlsFile, data, path.name)
    name = named(path.name.removesuffix(".yaml"), "controls")
    if name == "drawn":
        raise InputError(f"{path.name}: drawn controls have that name; give the file another")
    seen: set[str] = set()
    for row in file.controls:
        if row.id in seen:
            raise InputError(f"{path.name}: two controls have the id {row.id!r}; give each its own")
        seen.add(row.id)
    controls = tuple(_control(row, name, path.name) for row in file.controls)
    source = Source(
        role="controls",
        name=name,
        file=path.name,
        sha256=digest(data),
        bytes=len(data),
        rows=len(controls),
    )
    return ControlFile(source=source, kind=file.kind, controls=controls)


def check_kind(file: ControlFile, rubric: Rubric) -> None:
    """Return when a file's controls are made for a rubric's kind of labels.

    Raises:
        InputError: they are made for another, so that passing them would show little.
    """
    if file.kind in {None, rubric.kind}:
        return
    raise InputError(
        f"control file {file.source.name} is made for {file.kind} labels, and {rubric.name} has "
        f"{rubric.kind} ones; choose a file for those (docs/controls.md lists them)"
    )


def _control(row: _Row, source: str, file: str) -> Control:
    return Control(
        arm=row.arm,
        id=row.id,
        type=row.type,
        question=row.question,
        gold=row.gold,
        abstention=row.abstention,
        response=row.response,
        expect=_expected(row, file),
        source=source,
        donor=None,
    )


def _expected(row: _Row, file: str) -> _Sign | tuple[str, ...]:
    if row.expect is None:
        if row.arm == "injection":
            raise InputError(
                f"{file}: injection control {row.id!r} must say `expect: accept` or `reject`"
            )
        return "accept" if row.arm == "positive" else "reject"
    if isinstance(row.expect, tuple):
        return row.expect
    return _SIGNS.get(row.expect) or _numbers(row.expect, f"{file}: control {row.id!r}")


def _numbers(span: str, where: str) -> tuple[str, ...]:
    first, last = map(int, span.split("-"))
    if span != f"{first}-{last}" or first >= last:
        raise InputError(f"{where}: {span!r} is no range; write the lower number first, as in 8-10")
    return tuple(str(number) for number in range(first, last + 1))


def abstention_texts() -> AbstentionTexts:
    """Return the shipped texts of drawn controls on routes whose gold is an explanation."""
    path = shipped("controls") / "abstention.yaml"
    texts = _valid(_Texts, _bytes(path), path.name)
    return AbstentionTexts(declining=texts.declining, confident=texts.confident)


def _found(word: str) -> Path:
    path = Path(word)
    if path.suffix == ".yaml" or "/" in word:
        return path
    named = shipped("controls") / f"{word}.yaml"
    if not named.is_file():
        there = sorted(p.stem for p in shipped("controls").glob("*.yaml") if p.stem != "abstention")
        raise InputError(
            f"no control file is named {word!r}; shipped: {', '.join(there) or 'none'}; "
            "a file of your own is named by its path, ending in .yaml"
        )
    return named


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; name a control file that exists") from error


def _valid(kind: type[F], data: bytes, where: str) -> F:
    value = strictyaml.load(data, where)
    try:
        return kind.model_validate_json(encode(value))
    except NotCanonicalError as error:
        raise InputError(f"{where}: {error}") from error
    except pydantic.ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "the file"
        raise InputError(
            f"{where}: {field}: {first['msg'][0].lower()}{first['msg'][1:]}"
        ) from error
