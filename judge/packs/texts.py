"""A text of a pack in, its exact words out: from the store, a file, or parts of other texts."""

from dataclasses import dataclass

from judge import rubric
from judge.canonical import digest
from judge.errors import InputError
from judge.packs import store
from judge.packs.files import Place, beside
from judge.packs.inheritance import Resolved
from judge.packs.schema import Text
from judge.rubric import Slice

__all__ = ["Pinned", "keeper", "origin", "pinned", "sliced", "system", "text"]


@dataclass(frozen=True, slots=True)
class Pinned:
    """One text a pack takes from the store."""

    name: str
    """The template's name, a text's name, or `NAME (system)`."""
    sha256: str
    source: int


def text(resolved: Resolved, name: str) -> str:
    """Return a template's text, held against its pin.

    Raises:
        AbsentError: it is not on this machine; the message names both ways to bring it.
        InputError: it is not the pinned one, or cannot be made; naming the template.
    """
    entry = resolved.pack.templates.get(name)
    if entry is None:
        if resolved.parent is None:
            raise InputError(f"{resolved.place.path}: no template is named {name!r}")
        return text(resolved.parent, name)
    return _held(resolved, f"template {name!r}", entry)


def system(resolved: Resolved, name: str) -> str | None:
    """Return the text of a template's system message, held against its pin; None without one.

    Raises:
        AbsentError, InputError: as `text`.
    """
    entry = resolved.pack.templates.get(name)
    if entry is not None and entry.system is not None:
        return _held(resolved, f"template {name!r} (system)", entry.system)
    return system(resolved.parent, name) if resolved.parent else None


def _held(resolved: Resolved, what: str, entry: Text) -> str:
    made = _made(resolved, what, entry)
    found = digest(made.encode("utf-8"))
    if found != entry.sha256:
        raise InputError(
            f"{resolved.place.path}: {what} was changed: {origin(entry)} has SHA-256"
            f" {found[:12]}…, the pack pins {entry.sha256[:12]}…"
        )
    return made


def _made(resolved: Resolved, what: str, entry: Text) -> str:
    if entry.file is not None:
        return _from_file(resolved.place, entry.file)
    if entry.parts is not None:
        return _from_parts(resolved, what, entry.parts)
    try:
        return store.get(entry.sha256)
    except store.AbsentError as error:
        called = resolved.place.name
        fetch = f"`judge templates fetch {called}` or " if resolved.pack.sources else ""
        raise store.AbsentError(
            f"{called}: the text of {what} is not on this machine; bring it by"
            f" {fetch}`judge templates add {called} --from FILE`"
        ) from error
    except InputError as error:
        raise InputError(f"{resolved.place.name}: {what}: {error}") from error


def _from_file(place: Place, file: str) -> str:
    data = beside(place, file)
    # Every byte of the file counts: without the rule a lost line feed would go unseen.
    if not data.endswith(b"\n"):
        raise InputError(f"{place.path}: file {file!r} does not end in a line feed")
    try:
        return data[:-1].decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{place.path}: file {file!r} is not UTF-8") from error


def _from_parts(resolved: Resolved, what: str, parts: tuple[str | Slice, ...]) -> str:
    wanted = sorted({part.template for part in parts if isinstance(part, Slice)})
    try:
        found = {name: sliced(resolved, name) for name in wanted}
        known = {name: one for name, one in found.items() if one is not None}
        return rubric.compose(parts, known)
    except store.AbsentError:
        raise
    except InputError as error:
        raise InputError(f"{resolved.place.path}: {what}: {error}") from error


def sliced(resolved: Resolved, name: str) -> str | None:
    """Return the text a slice names: one of the pack's `texts`, or of the pack it stands on.

    Raises:
        AbsentError, InputError: as `text`; None where there is none of that name.
    """
    if name in resolved.pack.texts:
        return _held(resolved, f"text {name!r}", resolved.pack.texts[name])
    parent = resolved.parent
    if parent is None:
        return None
    return text(parent, name) if name in parent.templates else sliced(parent, name)


def keeper(resolved: Resolved) -> Resolved:
    """Return the pack itself, or the nearest it stands on, that takes texts from the store.

    Raises:
        InputError: none does; all texts came with the packs.
    """
    step: Resolved | None = resolved
    while step is not None:
        if pinned(step):
            return step
        step = step.parent
    raise InputError(f"{resolved.place.name}: has no text to bring: all of it came with the pack")


def pinned(resolved: Resolved) -> tuple[Pinned, ...]:
    """Return the texts this very pack takes from the store, each once."""
    pack = resolved.pack
    named: list[tuple[str, Text]] = [*pack.templates.items()]
    named += [(f"{n} (system)", e.system) for n, e in pack.templates.items() if e.system]
    named += pack.texts.items()
    found: dict[str, Pinned] = {}
    for name, one in named:
        if one.stored:
            found.setdefault(one.sha256, Pinned(name, one.sha256, one.source))
    return tuple(found.values())


def origin(entry: Text) -> str:
    """Return in words what a text is made of."""
    if entry.file is not None:
        return f"file {entry.file}"
    if entry.parts is not None:
        return " + ".join(
            repr(part) if isinstance(part, str) else f"{part.template}[{part.start}:{part.end}]"
            for part in entry.parts
        )
    return "its own text, kept by its SHA-256"
