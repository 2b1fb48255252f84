"""Questioned rows of an answer key, as a section."""

from collections.abc import Sequence
from fractions import Fraction

from judge.report.sections import Section
from judge.report.studies.wording import many, of, table
from judge.stats.exact import percent
from judge.studies.exclusions import Counterfactual, Part

__all__ = ["section"]


def section(found: Sequence[Counterfactual]) -> Section:
    """Return scores without the questioned rows, and with them granted, beside the raw ones."""
    first = found[0]
    scores = [
        (one.column, *(_part(part, one) for part in (one.raw, one.without, one.granted)))
        for one in found
    ]
    classes = [
        (one.column, c.class_, c.rows, c.accepted, _part(c.without, one), _part(c.granted, one))
        for one in found
        for c in one.classes
    ]
    rows = [
        (one.column, r.id, r.class_, r.label or "undecided", r.reason)
        for one in found
        for r in one.rows
    ]
    return Section(
        key="exclusions",
        title="Questioned rows of the answer key",
        lead=(
            (
                f"{many(len(first.rows), 'row')} of {first.file} (SHA-256 {first.sha256[:12]}…); "
                "the raw score stays the score"
            ),
        ),
        tables=(
            table(
                "scores",
                "column|#raw|#without them|#with them granted",
                scores,
            ),
            table("by class", "column|class|#rows|#accepted|#without|#granted", classes),
            table("rows", "column|id|class|label|reason", rows),
        ),
        cautions=tuple(dict.fromkeys(each for one in found for each in _cautions(one))),
    )


def _part(part: Part, one: Counterfactual) -> str:
    """Counts, and a share only where every item has a verdict."""
    if not part.asked or one.undecided:
        return of(part.accepted, part.asked)
    share = percent(Fraction(part.accepted, part.asked))
    return f"{of(part.accepted, part.asked)} ({share})"


def _cautions(one: Counterfactual) -> list[str]:
    found: list[str] = []
    if not one.fixed_before:
        found.append("the rows were chosen after the verdicts: post hoc")
    if one.not_asked:
        found.append(f"{many(len(one.not_asked), 'row')} of the file were not asked here")
    if one.undecided:
        found.append(
            f"{one.column}: {many(one.undecided, 'item')} undecided, so there is no share; the "
            "counts are at least these"
        )
    return found
