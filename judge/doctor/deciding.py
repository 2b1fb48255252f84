"""What was found and what was followed in; whether it is the official judge, out."""

from collections.abc import Sequence
from typing import get_args

from judge import packs
from judge.doctor.findings import Aspect, Compared, Finding, Kind
from judge.doctor.known import Library
from judge.doctor.usage import Usage

__all__ = ["aspect_of", "is_official", "placed", "together"]

_PLAIN: tuple[tuple[Kind, Aspect], ...] = (
    ("setting", "settings"),
    ("judge", "judge"),
    ("parser", "parser"),
)
"""What is also found by its look, and by which aspect it is followed."""


def aspect_of(finding: Finding) -> Aspect:
    """What a finding is a difference of."""
    plain = dict(_PLAIN)
    if finding.kind in plain:
        return plain[finding.kind]
    if finding.kind not in {"usage", "route"}:
        return "texts"
    told = [aspect for aspect in get_args(Aspect) if aspect == finding.where]
    return told[0] if told else "routes"


def together(found: Sequence[Finding], used: Usage) -> list[Finding]:
    """What stands in a file and what its program does with it, each said once."""
    done = {kind for kind, aspect in _PLAIN if aspect in used.followed}
    wrong = {finding.where for finding in used.findings}
    # What was followed is not contradicted by what only looks like a setting of the judge's.
    kept = [one for one in found if one.kind not in done or one.where in wrong]
    told = {one.where for one in kept if one.kind in {"setting", "judge", "route"}}
    texts = {one.where for one in kept}
    new = [one for one in used.findings if one.where not in told]
    return [*kept, *(one for one in new if one.kind != "text" or one.where not in texts)]


def is_official(
    one: Library, found: Sequence[Finding], unfollowed: Sequence[Aspect]
) -> bool | None:
    """Whether a file is this rubric's own judge; None where that is not established."""
    upstream = one.rubric.of is None and one.rubric.source is not None
    upstream = upstream and packs.is_shipped(one.rubric)
    # By its hash alone an edited copy is not told from one that is written otherwise.
    hidden = {known.name for known in one.known if known.words is None}
    seen = [f for f in found if not (f.kind == "text" and f.line is None and f.where in hidden)]
    if seen or not upstream:
        return False
    return None if unfollowed else True


def placed(compared: Compared, cells: Sequence[int]) -> Compared:
    """The same with each line counted within its cell."""
    if not cells:
        return compared

    def within(line: int | None) -> dict[str, int]:
        before = [start for start in cells if line is not None and start < line]
        return {"cell": len(before), "line": line - before[-1]} if before and line else {}

    return compared.model_copy(
        update={
            "matches": tuple(m.model_copy(update=within(m.line)) for m in compared.matches),
            "findings": tuple(f.model_copy(update=within(f.line)) for f in compared.findings),
        }
    )
