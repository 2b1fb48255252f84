"""Two rubrics in, every difference out: words of each template, and all that is not text."""

import difflib
import re

from judge.canonical import Json
from judge.packs.loading import load
from judge.packs.schema import Change, Diff, TemplateDiff, Word
from judge.records import Rubric, Template

__all__ = ["diff", "words"]

_TOKEN = re.compile(r"\w+|\s|[^\w\s]")
_PARTS = ("source", "fill", "fields", "routes", "labels", "accept", "readings", "judges")


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
    left = {template.name: template for template in a.templates}
    right = {template.name: template for template in b.templates}
    pairs = [(name, left.get(name), right.get(name)) for name in {**left, **right}]
    return tuple(
        _template(name, one, other) for name, one, other in pairs if _sha(one) != _sha(other)
    )


def _template(name: str, a: Template | None, b: Template | None) -> TemplateDiff:
    return TemplateDiff(
        name=name,
        a_sha256=_sha(a),
        b_sha256=_sha(b),
        words=words(a.text if a else "", b.text if b else ""),
    )


def _sha(template: Template | None) -> str | None:
    return template.sha256 if template else None


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
    return {
        **{part: plain[part] for part in _PARTS},
        **{f"settings.{key}": value for key, value in rubric.settings.items()},
        **{f"gold of {template.name}": template.gold for template in rubric.templates},
    }
