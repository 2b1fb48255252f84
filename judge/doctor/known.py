"""The texts the rubric library knows, each with its words where they are on this machine."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from judge.doctor.documents import FIELD
from judge.errors import InputError
from judge.packs import AbsentError, names
from judge.packs.inheritance import Resolved, resolve
from judge.packs.texts import sliced, system, text
from judge.records import Rubric
from judge.rubric import Slice

__all__ = ["TELLING", "Known", "Library", "library", "plain"]

TELLING = 60
"""Characters from which a text is compared by its words, and tells whose it is."""
_JINJA = re.compile(r"\{\{-?\s*[\w.]+\s*(?:\|[^{}]*)?-?\}\}")
_SINGLE = re.compile(r"(?<!\{)\{\w*\}(?!\})")
_BRACED = re.compile(r"\{\{|\}\}|\$\{[^{}]*\}|\{\$\w+\}|<<\w+>>|\{\w*\}")


@dataclass(frozen=True, slots=True)
class Known:
    """One pinned text, as its author's file holds it."""

    name: str
    """The template, a text that templates are cut from, or `NAME (system)`."""
    template: str | None
    """The template it is; null for a piece or a system text."""
    sha256: str
    words: str | None
    """Null where they are not on this machine."""
    telling: bool
    """Long enough that nobody else has it by chance: a file that holds it holds this judge."""


@dataclass(frozen=True, slots=True)
class Library:
    """One rubric and its pinned texts."""

    resolved: Resolved
    known: tuple[Known, ...]

    @property
    def rubric(self) -> Rubric:
        """The rubric, its texts left empty."""
        return self.resolved.outline

    @property
    def by_text(self) -> bool:
        """Whether all its words are on this machine."""
        return all(one.words is not None for one in self.known)


def library() -> tuple[Library, ...]:
    """Return every rubric that holds, upstream editions first; one that is refused is left out."""
    found = []
    for name in sorted(names(), key=lambda name: (not name.endswith("/upstream"), name)):
        try:
            resolved = resolve(name)
            found.append(Library(resolved, tuple(_known(resolved))))
        except InputError:
            continue
    return tuple(found)


def plain(words: str) -> str:
    """Return a text with one sign for each field, and no brace doubled, whatever its dialect."""
    # `{{x}}` is a field in Jinja, and a brace written twice where there are fields like `{x}`.
    if _JINJA.search(words) and not _SINGLE.search(words):
        return _JINJA.sub(FIELD, words)
    return _BRACED.sub(
        lambda sign: sign.group()[0] if sign.group() in {"{{", "}}"} else FIELD, words
    )


def _known(resolved: Resolved) -> Iterator[Known]:
    pieces: dict[str, Known] = {}
    for template in resolved.outline.templates:
        owner, parts = _parts(resolved, template.name)
        if parts and {part.template for part in parts} <= owner.pack.texts.keys():
            for part in parts:
                sha256 = owner.pack.texts[part.template].sha256
                telling = part.end - part.start >= TELLING
                one = Known(part.template, None, sha256, _piece(owner, part.template), telling)
                pieces.setdefault(part.template, one)
        else:
            words = _template(resolved, template.name)
            yield Known(template.name, template.name, template.sha256, words, telling=True)
        if template.system_sha256 is not None:
            words = _system(resolved, template.name)
            telling = len(words or "") >= TELLING
            yield Known(f"{template.name} (system)", None, template.system_sha256, words, telling)
    yield from pieces.values()


def _parts(resolved: Resolved, name: str) -> tuple[Resolved, list[Slice]]:
    """The pack a template is written in, and the slices it is cut from."""
    entry = resolved.pack.templates.get(name)
    if entry is None and resolved.parent is not None:
        return _parts(resolved.parent, name)
    parts = (entry.parts or ()) if entry else ()
    return resolved, [part for part in parts if isinstance(part, Slice)]


def _template(resolved: Resolved, name: str) -> str | None:
    try:
        return text(resolved, name)
    except AbsentError:
        return None


def _system(resolved: Resolved, name: str) -> str | None:
    try:
        return system(resolved, name)
    except AbsentError:
        return None


def _piece(resolved: Resolved, name: str) -> str | None:
    try:
        return sliced(resolved, name)
    except AbsentError:
        return None
