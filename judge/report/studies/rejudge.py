"""Labels given earlier beside labels given now, as a section."""

from collections.abc import Sequence

from judge.report.sections import Section, Table
from judge.report.studies.wording import many, table
from judge.studies.rejudge import Margin, Rejudged

__all__ = ["section"]


def section(
    found: Sequence[Rejudged], margins: Sequence[Margin] = (), left_out: Sequence[str] = ()
) -> Section:
    """Return what re-judging changed; `left_out` says which columns it says nothing of, and why."""
    return Section(
        key="rejudge",
        title="Re-judged: earlier labels beside new ones",
        lead=(*_lead(found), *_resolved(margins)),
        tables=(_overview(found), *_margins(margins), *(t for one in found for t in _tables(one))),
        cautions=(
            *dict.fromkeys(each for one in found for each in _cautions(one)),
            *left_out,
        ),
    )


def _lead(found: Sequence[Rejudged]) -> list[str]:
    if len(found) > _FEW:
        flips = [len(one.flips) for one in found]
        return [
            (
                f"{len(found)} columns beside the earlier labels of their answers: {min(flips)} to "
                f"{many(max(flips), 'flip')} each"
            )
        ]
    return [
        f"{one.column}: {many(len(one.flips), 'flip')} among {one.compared} answers with a label "
        f"from before ({one.before}); accepted {one.accepted_before} before, {one.accepted_after} "
        "now"
        for one in found
    ]


_FEW = 4


def _resolved(margins: Sequence[Margin]) -> list[str]:
    unresolved = sum(not one.resolved for one in margins)
    if not margins:
        return []
    if not unresolved:
        return ["every margin between two sets of answers is larger than the flips seen"]
    return [
        (
            f"{unresolved} of {many(len(margins), 'margin')} between two sets of answers "
            "unresolved: no larger than the flips that re-judging alone showed"
        )
    ]


def _overview(found: Sequence[Rejudged]) -> Table:
    rows = [
        (
            *(one.column, one.compared, one.accepted_before, one.accepted_after),
            *(len(one.flips), one.never_judged, one.foreign, one.undecided),
        )
        for one in found
    ]
    heads = (
        "column|#compared|#accepted before|#accepted now|#flips|#never judged|#foreign|#undecided"
    )
    return table("earlier labels and new ones", heads, rows)


def _margins(margins: Sequence[Margin]) -> list[Table]:
    rows = [
        (
            *(one.first, one.second, one.items, one.accepted_first, one.accepted_second),
            *(one.accepted_first - one.accepted_second, one.flips),
            "resolved" if one.resolved else "unresolved",
        )
        for one in margins
    ]
    heads = "first|second|#items|#first accepted|#second accepted|#margin|#flips seen|"
    return [table("margins beside flips", heads, rows)] if rows else []


def _tables(one: Rejudged) -> list[Table]:
    tables: list[Table] = []
    if one.flips and len(one.types) > 1:
        rows = [(t.type, t.items, t.accepted_before, t.accepted_after, t.flips) for t in one.types]
        heads = "type|#answers|#accepted before|#accepted now|#flips"
        tables.append(table(f"{one.column}: by type", heads, rows))
    if one.flips:
        counts = ", ".join(f"{labels} {count}" for labels, count in one.table.items())
        flips = [
            (f.id, f.type, f.before, f.after, f.question, f.gold, f.response, f.reply)
            for f in one.flips
        ]
        heads = "id|type|before|now|question|gold|answer|reply"
        tables.append(table(f"{one.column}: flips (before > now: {counts})", heads, flips))
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
