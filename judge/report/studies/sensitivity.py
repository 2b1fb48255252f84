"""How much of a score the template decides, as a section."""

from collections.abc import Sequence

from judge.comparing.conclusions import p_value
from judge.report.sections import Section, Table
from judge.report.studies.wording import many, table
from judge.stats.exact import printed
from judge.studies.sensitivity import Carrier, Sensitivity
from judge.studies.spans import Span

__all__ = ["section"]


def section(found: Sequence[Sensitivity], spans: Sequence[Span]) -> Section:
    """Return what two templates make of the same answers."""
    return Section(
        key="templates",
        title="Template sensitivity: the same answers under other templates",
        lead=(*(each for one in found for each in _lead(one)), *_span(spans)),
        tables=tuple(each for one in found for each in _tables(one)),
        cautions=(
            (
                "repetitions and passes of one question are not independent questions: tests and "
                "counts of items are by question"
            ),
            *_left_out(found),
        ),
    )


def _lead(one: Sensitivity) -> list[str]:
    items = many(one.discordant_items, "question")
    lines = [
        (
            f"{one.first} against {one.second}: {one.discordant_judgments} of {one.judgments} "
            f"matched judgments differ; they are {items} of {one.items}"
        ),
        (
            f"by question: {one.first_items} accepted more by {one.first}, {one.second_items} by "
            f"{one.second}; exact sign-flip test over questions, {p_value(one.test.p)}"
        ),
    ]
    steady = one.steady
    if one.discordant_items:
        lines.append(
            f"every time, in every pass and repetition: {steady.first} by {one.first} alone, "
            f"{steady.second} by {one.second} alone; exact McNemar over these, "
            f"{p_value(steady.p)}; {many(steady.unstable, 'question')} not every time, in neither "
            "count"
        )
    same = sum(carrier.same_prompt for carrier in one.carriers)
    if same:
        lines.append(
            f"{same} of the differing judgments have one and the same prompt under both: there "
            "the judge differs, not the template"
        )
    parsers = sum(each.disagree for each in one.parsers)
    read = sum(each.replies for each in one.parsers)
    lines.append(
        f"apart from that, the benchmark's own parser and the strict reading differ on {parsers} "
        f"of {read} replies"
    )
    return lines


def _span(spans: Sequence[Span]) -> list[str]:
    if not spans:
        return []
    widest = max(spans, key=lambda span: span.share)
    counts = f"{widest.lowest} to {widest.highest} of {widest.items}"
    if any(span.undecided for span in spans):
        return [f"the number accepted moves by at most {counts} over templates"]
    points = printed(widest.share * 100, 1)
    return [f"the score moves by at most {points} points over templates ({counts})"]


def _left_out(found: Sequence[Sensitivity]) -> list[str]:
    compared = [each for one in found for each in one.comparisons]
    return [
        *(
            f"{each.answers}, repetition {each.repetition}: {many(each.absent, 'item')} asked "
            "under one template only, in no count"
            for each in compared
            if each.absent
        ),
        *(
            ["items undecided under some template are in no count, and there is no share"]
            if any(each.undecided for each in compared)
            else []
        ),
    ]


def _tables(one: Sensitivity) -> list[Table]:
    compared = [
        (
            *(c.answers, c.judge, c.repetition, c.items),
            *(c.accepted_first, c.accepted_second, c.first_only, c.second_only, c.undecided),
        )
        for c in one.comparisons
    ]
    heads = (
        f"answers|judge|#repetition|#items|#{one.first}|#{one.second}|#first only|#second only|"
        "#undecided"
    )
    tables = [table("accepted, pass by pass and repetition by repetition", heads, compared)]
    if one.carriers:
        rows = [
            (c.id, c.type, c.first_only, c.second_only, c.compared, _kind(c)) for c in one.carriers
        ]
        tables.append(
            table(
                "questions that the template decides",
                "id|type|#first only|#second only|#comparisons|",
                rows,
            )
        )
    return tables


def _kind(carrier: Carrier) -> str:
    if carrier.steady:
        return "every time"
    if carrier.same_prompt == carrier.first_only + carrier.second_only:
        return "the judge's, not the template's"
    return "not every time"
