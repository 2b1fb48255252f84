"""A template of a pack in, its exact text out: from the store, a file, or parts of other texts."""

from judge import rubric
from judge.canonical import digest
from judge.errors import InputError
from judge.packs import store
from judge.packs.files import Place, beside
from judge.packs.inheritance import Resolved
from judge.packs.schema import Entry
from judge.rubric import Slice

__all__ = ["keeper", "origin", "pinned", "text"]


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
    made = _made(resolved, name, entry)
    found = digest(made.encode("utf-8"))
    if found != entry.sha256:
        raise InputError(
            f"{resolved.place.path}: template {name!r} was changed: {origin(entry)} has SHA-256"
            f" {found[:12]}…, the pack pins {entry.sha256[:12]}…"
        )
    return made


def _made(resolved: Resolved, name: str, entry: Entry) -> str:
    if entry.file is not None:
        return _from_file(resolved.place, entry.file)
    if entry.parts is not None:
        return _from_parts(resolved, name, entry.parts)
    try:
        return store.get(entry.sha256)
    except store.AbsentError as error:
        called = resolved.place.name
        fetch = f"`judge templates fetch {called}` or " if resolved.pack.source else ""
        raise store.AbsentError(
            f"{called}: the text of template {name!r} is not on this machine; bring it by"
            f" {fetch}`judge templates add {called} --from FILE`"
        ) from error
    except InputError as error:
        raise InputError(f"{resolved.place.name}: template {name!r}: {error}") from error


def _from_file(place: Place, file: str) -> str:
    data = beside(place, file)
    # Every byte of the file counts: without the rule a lost line feed would go unseen.
    if not data.endswith(b"\n"):
        raise InputError(f"{place.path}: file {file!r} does not end in a line feed")
    try:
        return data[:-1].decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{place.path}: file {file!r} is not UTF-8") from error


def _from_parts(resolved: Resolved, name: str, parts: tuple[str | Slice, ...]) -> str:
    wanted = {part.template for part in parts if isinstance(part, Slice)}
    parent = resolved.parent
    known = parent.templates if parent else {}
    try:
        texts = {one: text(parent, one) for one in sorted(wanted) if parent and one in known}
        return rubric.compose(parts, texts)
    except store.AbsentError:
        raise
    except InputError as error:
        raise InputError(f"{resolved.place.path}: template {name!r}: {error}") from error


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


def pinned(resolved: Resolved) -> dict[str, str]:
    """Return SHA-256 to template name, of the texts this very pack takes from the store."""
    return {
        entry.sha256: name
        for name, entry in resolved.pack.templates.items()
        if entry.file is None and entry.parts is None
    }


def origin(entry: Entry) -> str:
    """Return in words what a text is made of."""
    if entry.file is not None:
        return f"file {entry.file}"
    if entry.parts is not None:
        return " + ".join(
            repr(part) if isinstance(part, str) else f"{part.template}[{part.start}:{part.end}]"
            for part in entry.parts
        )
    return "its own text, kept by its SHA-256"
