"""A plan in, a file to publish before the run out; and the run held to it.

The file is canonical JSON, `{plan, plan_sha256, v}`, and a line feed. It holds no address, key,
salt, version or retry count: nothing that may differ without changing what is asked.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pydantic

from judge.canonical import Json, NotCanonicalError, digest, encode, parse
from judge.errors import InputError, StorageError
from judge.records import Plan, Record, Sha256, Version

__all__ = ["PlanFile", "Promised", "hold", "promised", "publish"]

_DIGEST = re.compile(r"[0-9a-f]{64}")
_SHOWN = 12


class PlanFile(Record):
    """A plan as it is published before the run."""

    plan: Plan
    plan_sha256: Sha256
    """Of the plan's canonical bytes: what run.json repeats."""
    v: Version


class Promised(pydantic.BaseModel):
    """A plan that was published, or its digest alone."""

    model_config = pydantic.ConfigDict(frozen=True, strict=True, extra="forbid")

    name: str
    """The file, or the digest's first digits: for messages."""
    plan: Plan | None
    plan_sha256: str


def publish(plan: Plan, path: Path) -> str:
    """Write a plan to a file that must not exist, and return the plan's digest.

    Raises:
        InputError: the file exists.
        StorageError: it cannot be written.
    """
    sha256 = digest(encode(plan.plain()))
    data = encode(PlanFile(plan=plan, plan_sha256=sha256, v=1).plain()) + b"\n"
    try:
        with path.open("xb") as file:
            file.write(data)
    except FileExistsError as error:
        raise InputError(
            f"{path} exists; a plan that was frozen is not written over: choose another name"
        ) from error
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from error
    return sha256


def promised(word: str) -> Promised:
    """Return the plan in a file, or the digest that a word is.

    Raises:
        InputError: there is no such file, or it holds no plan that was frozen here.
    """
    if _DIGEST.fullmatch(word):
        return Promised(name=f"{word[:12]}…", plan=None, plan_sha256=word)
    path = Path(word)
    try:
        value = parse(path.read_bytes().removesuffix(b"\n"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except NotCanonicalError as error:
        raise InputError(f"{path}: not a frozen plan: {error}") from error
    if not isinstance(value, dict) or value.keys() != {"plan", "plan_sha256", "v"}:
        raise InputError(f"{path}: not a frozen plan; write one with `judge plan … --freeze FILE`")
    if value["v"] != 1 or value["v"] is True:
        raise InputError(f"{path}: version {value['v']!r} of a frozen plan is not known here")
    try:
        plan = Plan.model_validate_json(encode(value["plan"]))
    except pydantic.ValidationError as error:
        raise InputError(f"{path}: not a plan this version can read") from error
    sha256 = digest(encode(plan.plain()))
    if value["plan_sha256"] != sha256:
        raise InputError(
            f"{path}: was changed: its plan has the digest {sha256}, not the one it says"
        )
    return Promised(name=path.name, plan=plan, plan_sha256=sha256)


def hold(made: Plan, said: Promised) -> None:
    """Return when a plan is the one that was promised.

    Raises:
        InputError: naming what differs.
    """
    sha256 = digest(encode(made.plain()))
    if sha256 == said.plan_sha256:
        return
    if said.plan is None:
        raise InputError(
            f"the plan of this run has the digest {sha256}, not the promised {said.plan_sha256}; "
            "give the frozen file with --plan to see what differs"
        )
    found = list(dict.fromkeys(_differences(said.plan, made)))
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    raise InputError(
        f"this run is not the one frozen in {said.name}: {'; '.join(found[:_SHOWN])}{more}"
    )


def _differences(said: Plan, made: Plan) -> Iterator[str]:
    """Name what differs, the cause before what follows from it."""
    yield from _sources(said, made)
    one, other = said.plain(), made.plain()
    for name in ("judges", "gate", "repetitions", "reask", "selection", "extract", "study"):
        yield from _value(name, one.get(name), other.get(name))
    yield from _rubrics(said, made)
    if not any(True for _ in _sources(said, made)):
        yield from _value("answers", one["answers"], other["answers"])
    yield from _value("conditions", _named(said), _named(made))
    yield from _inputs(said, made)


def _named(plan: Plan) -> list[Json]:
    return [f"{condition.id} {condition.name}" for condition in plan.conditions]


def _sources(said: Plan, made: Plan) -> Iterator[str]:
    one, other = ({(s.role, s.name): s for s in plan.sources} for plan in (said, made))
    for key in dict.fromkeys([*one, *other]):
        before, after = one.get(key), other.get(key)
        what = f"{key[0]} {key[1]}"
        if before is None:
            yield f"{what} is not in the plan"
        elif after is None:
            yield f"{what} is missing"
        elif before.sha256 != after.sha256:
            yield (
                f"{what}: {after.file} has changed (SHA-256 {after.sha256[:12]}…, "
                f"the plan says {before.sha256[:12]}…)"
            )


def _rubrics(said: Plan, made: Plan) -> Iterator[str]:
    one, other = ({c.rubric: c.rubric_pin for c in plan.conditions} for plan in (said, made))
    for name in dict.fromkeys([*one, *other]):
        if name not in one:
            yield f"rubric {name} is not in the plan"
        elif name not in other:
            yield f"rubric {name} is missing"
        elif one[name] != other[name]:
            yield (
                f"rubric {name} has changed: its pin is {other[name][:12]}…, the plan says "
                f"{one[name][:12]}…"
            )


def _inputs(said: Plan, made: Plan) -> Iterator[str]:
    """What follows from the rest, for a change that nothing else shows: our own texts, the draw."""
    one, other = ({f.name: f.sha256 for f in plan.inputs} for plan in (said, made))
    for name in dict.fromkeys([*one, *other]):
        if one.get(name) != other.get(name):
            yield f"inputs/{name} would differ"


def _value(path: str, said: Json, made: Json) -> Iterator[str]:
    """The places where two values differ."""
    if said == made:
        return
    if isinstance(said, Mapping) and isinstance(made, Mapping):
        for key in dict.fromkeys([*said, *made]):
            yield from _value(f"{path}.{key}", said.get(key), made.get(key))
    elif isinstance(said, list) and isinstance(made, list) and len(said) == len(made):
        for number, (one, other) in enumerate(zip(said, made, strict=True), 1):
            yield from _value(f"{path}[{number}]", one, other)
    else:
        yield f"{path} is {_shown(made)}, the plan says {_shown(said)}"


def _shown(value: Json) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"a list of {len(value)}" if len(value) > 3 else _cut(encode(list(value)).decode())  # noqa: PLR2004
    return "absent" if value is None else _cut(encode(value).decode())


def _cut(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:80]}…"  # noqa: PLR2004 - what a line can show
