"""Labels given earlier beside labels given now, as a section."""

from collections.abc import Sequence

from judge.report.sections import Section, Table
from judge.report.studies.wording import many, of, table
from judge.studies.rejudge import Margin, Rejudged

__all__ = ["section"]


def section(found: Sequence[Rejudged], margins: Sequence[Margin] = ()) -> Section:
    """Return what re-judging changed."""
    return Section(
        key="rejudge",
        title="Re-judged: earlier labels beside new ones",
        lead=(*(_lead(one) for one in found), *(_margin(one) for one in margins)),
        tables=tuple(each for one in found for each in _tables(one)),
        cautions=tuple(each for one in found for each in _cautions(one)),
    )


def _lead(one: Rejudged) -> str:
    return (
        f"{one.column}: {many(len(one.flips), 'flip')} among {one.compared} answers with a label "
        f"from before ({one.before}); accepted {one.accepted_before} before, {one.accepted_after} "
        "now"
    )


def _margin(one: Margin) -> str:
    gap = abs(one.accepted_first - one.accepted_second)
    verdict = (
        f"larger than the {many(one.flips, 'flip')} that re-judging showed"
        if one.resolved
        else f"unresolved: re-judging alone flipped {one.flips}"
    )
    return (
        f"{one.first} {of(one.accepted_first, one.items)}, {one.second} "
        f"{of(one.accepted_second, one.items)}: a margin of {gap}, {verdict}"
    )


def _tables(one: Rejudged) -> list[Table]:
    tables = [table(f"{one.column}: before > now", "labels|#answers", list(one.table.items()))]
    if one.types:
        rows = [(t.type, t.items, t.accepted_before, t.accepted_after, t.flips) for t in one.types]
        tables.append(table("by type", "type|#answers|#accepted before|#accepted now|#flips", rows))
    if one.flips:
        flips = [(f.id, f.type, f.before, f.after, f.gold, f.response, f.reply) for f in one.flips]
        tables.append(table("flips", "id|type|before|now|gold|answer|reply", flips))
    return tables


def _cautions(one: Rejudged) -> list[str]:
    found: list[str] = []
    if one.never_judged:
        found.append(
            f"{one.column}: {many(one.never_judged, 'answer')} never judged before, in no count"
        )
    if one.foreign:
        found.append(
            f"{one.column}: {many(one.foreign, 'answer')} with an earlier label that is none of "
            "the rubric's, in no count"
        )
    if one.undecided:
        found.append(f"{one.column}: {many(one.undecided, 'answer')} without a new label")
    return found
