"""Two rubrics in, every difference out: words of each template, and all that is not text."""

import difflib
import re

from judge.canonical import Json, digest
from judge.packs.loading import load
from judge.packs.reported import Change, Diff, TemplateDiff, Word
from judge.records import Rubric

__all__ = ["diff", "words"]

_TOKEN = re.compile(r"\w+|\s|[^\w\s]")
_PARTS = (
    "source",
    "more_sources",
    "fill",
    "fields",
    "names",
    "values",
    "routes",
    "kind",
    "labels",
    "accept",
    "scale",
    "readings",
    "judges",
    "gate",
)
_OF_TEMPLATES = ("gold", "fields", "names", "places")


def diff(a: str, b: str) -> Diff:
    """Return every difference between two rubrics.

    Raises:
        InputError: as `load`; a text that is absent cannot be compared.
    """
    first, second = load(a), load(b)
    return Diff(
        a=first.name,
        b=second.name,
        a_pin=first.pin,
        b_pin=second.pin,
        templates=_templates(first, second),
        changes=tuple(_changes(first, second)),
    )


def words(a: str, b: str) -> tuple[Word, ...]:
    """Return the texts as runs of words, single spaces and signs: shared, removed, added."""
    left, right = _TOKEN.findall(a), _TOKEN.findall(b)
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    runs = []
    for op, start, end, other_start, other_end in matcher.get_opcodes():
        removed, added = "".join(left[start:end]), "".join(right[other_start:other_end])
        if op == "equal":
            runs.append(Word(op="same", text=removed))
            continue
        if removed:
            runs.append(Word(op="removed", text=removed))
        if added:
            runs.append(Word(op="added", text=added))
    return tuple(runs)


def _templates(a: Rubric, b: Rubric) -> tuple[TemplateDiff, ...]:
    left, right = _texts(a), _texts(b)
    return tuple(
        TemplateDiff(
            name=name,
            a_sha256=digest(left[name].encode()) if name in left else None,
            b_sha256=digest(right[name].encode()) if name in right else None,
            words=words(left.get(name, ""), right.get(name, "")),
        )
        for name in {**left, **right}
        if left.get(name) != right.get(name)
    )


def _texts(rubric: Rubric) -> dict[str, str]:
    """Every text of a rubric by name, system texts after their templates."""
    found: dict[str, str] = {}
    for template in rubric.templates:
        found[template.name] = template.text
        if template.system is not None:
            found[f"{template.name} (system)"] = template.system
    return found


def _changes(a: Rubric, b: Rubric) -> list[Change]:
    left, right = _facts(a), _facts(b)
    return [
        Change(what=what, a=left.get(what, _ABSENT), b=right.get(what, _ABSENT))
        for what in {**left, **right}
        # A setting of null and a missing one are two different requests.
        if left.get(what, _ABSENT) != right.get(what, _ABSENT)
    ]


_ABSENT = "(absent)"


def _facts(rubric: Rubric) -> dict[str, Json]:
    plain = rubric.plain()
    facts: dict[str, Json] = {part: plain[part] for part in _PARTS if part in plain}
    facts |= {f"settings.{key}": value for key, value in rubric.settings.items()}
    for template in rubric.templates:
        own = template.plain()
        facts |= {f"{part} of {template.name}": own[part] for part in _OF_TEMPLATES if part in own}
    return facts
