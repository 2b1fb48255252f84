"""A pinned rubric and edited texts in; a modified edition, written as slices and pins, out."""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import yaml

from judge.canonical import digest
from judge.errors import InputError, StorageError
from judge.packs import sources
from judge.packs.files import home, locate, names, read
from judge.packs.inheritance import Resolved, resolve
from judge.packs.loading import load
from judge.packs.reported import Started
from judge.packs.slicing import slices
from judge.records import Rubric
from judge.rubric import Slice, compose

__all__ = ["start"]

_LIMIT = 1_000_000
_ALIKE = 0.5
"""Likeness from which a text of the edited file is taken for an edit of a template."""


def start(name: str, of: str, source: Path, template: str | None = None) -> Started:
    """Write a modified edition made from an edited file, and return what it changes.

    The file may hold one text or many, in any form `add` reads. A text that equals a pinned one is
    inherited; one that is like it is an edit of it; others are none of this rubric's.

    Args:
        name: `rubric/edition` of the new pack, in the user's folder.
        of: the rubric it stands on, its texts on this machine.
        source: the edited file.
        template: which template a file with one text is an edit of; None: the likest.

    Raises:
        InputError: the name is taken or wrong, the rubric cannot be loaded or is joined from
            pieces (`concat`), or the file holds no edited text.
        StorageError: the pack cannot be written.
    """
    _check_name(name, of)
    parent = load(of)
    if parent.fill == "concat":
        raise InputError(f"{of}: its prompt is joined from pieces; write its edition by hand")
    texts = {one.name: one.text for one in parent.templates}
    if template is not None and template not in texts:
        raise InputError(f"{of}: no template is named {template[:40]!r}: {', '.join(texts)}")
    held = list(dict.fromkeys(sources.texts(read(source, _LIMIT), source.name)))
    wanted = texts if template is None else {template: texts[template]}
    edits = _edits(held, wanted, only=template is not None)
    if not edits:
        raise InputError(
            f"{source.name}: holds no edited text of {of}: each is as it is pinned, or like none"
        )
    path = home() / "templates" / f"{name}.yaml"
    parts = {one: _parts(resolve(of), one, text, texts) for one, text in edits.items()}
    _write(path, _pack(name, of, edits, parts))
    return _loaded(name, path, edits, parent)


def _kept(found: Rubric, parent: Rubric) -> tuple[str, ...]:
    """What the new edition takes over from the one it stands on, besides its texts."""
    settings = ", ".join(f"{key} {value}" for key, value in found.settings.items()) or "none"
    strict, own = found.readings.strict, found.readings.upstream
    kept = [
        f"readings {strict} (strict) and {own} (the parser of {parent.name}, its faults included)",
        f"settings {settings}",
        f"labels {', '.join(found.labels)}",
    ]
    if found.source is not None:
        kept.append(
            f"source {found.source.repository}: of the words the slices are cut from, not of yours"
        )
    if found.judges:
        kept.append("published judges: they were published for the text as it was")
    return tuple(kept)


def _doubts(edits: Mapping[str, str], parent: Rubric) -> Iterator[str]:
    """Where the edited text may ask for another reply than the reading takes."""
    for template in parent.templates:
        text = edits.get(template.name)
        if text is None:
            continue
        reading = parent.readings.strict
        if text.rstrip().rpartition("\n")[2] != template.text.rstrip().rpartition("\n")[2]:
            yield (
                f"{template.name}: the closing line was edited, and replies are still read by "
                f"{reading}; if they look otherwise now, name another reading in the pack"
            )
        gone = [label for label in parent.labels if _asks(template.text, label)]
        gone = [label for label in gone if not _asks(text, label)]
        if gone:
            yield (
                f"{template.name}: does not ask for {' and '.join(gone)} any more, which "
                f"{reading} looks for"
            )


def _asks(text: str, label: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text, re.IGNORECASE) is not None


def _check_name(name: str, of: str) -> None:
    if name in names():
        raise InputError(f"{name} is there already; give the new edition another name")
    try:
        locate(name)
    except InputError as error:
        # Only a name that could be a pack's, and is none's yet, gets that far.
        if not str(error).startswith("no rubric is named"):
            raise
    if name.endswith((".yaml", ".yml")) or of.endswith((".yaml", ".yml")):
        raise InputError("name both rubrics as RUBRIC/EDITION; a path is no name")


def _edits(held: Sequence[str], texts: Mapping[str, str], *, only: bool) -> dict[str, str]:
    """The edited text of each template that has one; each text stands for one template."""
    pinned = set(texts.values())
    open_ = [text for text in held if text not in pinned]
    open_ = [text for text in open_ if text.rstrip("\n") not in pinned]
    exact = {name for name, text in texts.items() if text in held}
    scored = [
        # Between a file's text with and without its last line feed, the pinned text's own end.
        (_likeness(text, words), text.endswith("\n") == words.endswith("\n"), -number, name, text)
        for name, words in texts.items()
        if name not in exact
        for number, text in enumerate(open_)
    ]
    edits: dict[str, str] = {}
    used: set[str] = set()
    for score, _, _, name, text in sorted(scored, reverse=True):
        # With and without its last line feed it is one text.
        if (only or score >= _ALIKE) and name not in edits and text.rstrip("\n") not in used:
            edits[name] = text
            used.add(text.rstrip("\n"))
    return {name: edits[name] for name in texts if name in edits}


def _likeness(one: str, other: str) -> float:
    """Shared words in order, as a share of both texts."""
    return difflib.SequenceMatcher(None, one.split(), other.split(), autojunk=False).ratio()


def _parts(
    parent: Resolved, name: str, text: str, texts: Mapping[str, str]
) -> tuple[str | Slice, ...]:
    # Its own template first: where two have the same words, the slice names the nearer one.
    near = {name: texts[name], **texts}
    parts = slices(text, near)
    if compose(parts, texts) != text:
        raise InputError(f"{parent.place.name}: template {name!r} cannot be cut into slices")
    return parts


def _pack(
    name: str, of: str, edits: Mapping[str, str], parts: Mapping[str, tuple[str | Slice, ...]]
) -> str:
    rubric, _, edition = name.partition("/")
    pack = {
        "rubric": rubric,
        "edition": edition,
        "of": of,
        "templates": {
            one: {
                "parts": [part if isinstance(part, str) else list(part) for part in parts[one]],
                "sha256": digest(text.encode()),
            }
            for one, text in edits.items()
        },
    }
    return yaml.dump(pack, sort_keys=False, allow_unicode=True, default_flow_style=None, width=110)


def _write(path: Path, content: str, mode: Literal["x", "a"] = "x") -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open(mode, encoding="utf-8") as file:
            file.write(content)
    except OSError as error:
        raise StorageError(f"{path}: cannot be written: {error.strerror}") from error


def _loaded(name: str, path: Path, edits: Mapping[str, str], parent: Rubric) -> Started:
    """Hold the new pack against itself, and write its pin; a pack that does not hold goes."""
    try:
        found = load(name)
        _write(path, f'pin: "{found.pin}"\n', "a")
        load(name)
    except (InputError, StorageError):
        path.unlink()
        raise
    return Started(
        name=name,
        path=str(path),
        pin=found.pin,
        templates=tuple(edits),
        kept=_kept(found, parent),
        warnings=tuple(_doubts(edits, parent)),
    )
