"""Claims, columns and analyses in; the figures that show them out."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from judge.report.page.charts import Bar, Bars, Dot, Dots, Figure, Map, Square
from judge.report.page.claims import RunClaim
from judge.report.page.details import signs
from judge.report.page.naming import short_names
from judge.stats.exact import percent
from judge.stats.proportion import wilson
from judge.studies.columns import Column
from judge.studies.judges import Judged
from judge.studies.whole import Analyses

__all__ = ["figures"]


def figures(
    claims: Sequence[RunClaim],
    columns: Sequence[Column],
    differing: Sequence[str],
    found: Analyses | None,
) -> tuple[Figure, ...]:
    """Return the figures of a report, those that would be empty left out.

    Args:
        claims: of each run.
        columns: of all runs.
        differing: the items that did not get one label everywhere.
        found: every analysis; None where a run is open or failed its gate.
    """
    made = (
        *_scores(claims, columns),
        *_gates(claims),
        *_reasons(claims),
        *_flips(columns, differing),
        *(_agreement(one) for one in (found.judges if found else ())),
    )
    return tuple(made)


def _scores(claims: Sequence[RunClaim], columns: Sequence[Column]) -> Iterator[Figure]:
    whole = {claim.name for claim in claims if claim.state == "complete"}
    shown = [c for c in columns if c.source in whole and c.accept is not None]
    names = short_names(columns)
    named = {id(column): name for column, name in zip(columns, names, strict=True)}
    if not shown:
        return
    found: list[Dot] = []
    for column in shown:
        accepted = sum(row.accepted is True for row in column.rows)
        interval = wilson(accepted, len(column.rows))
        share = Fraction(accepted, len(column.rows))
        told = f"{percent(share)}  ({accepted}/{len(column.rows)})"
        found.append(Dot(named[id(column)], interval.low, float(share), interval.high, told))
    yield Dots("scores", "Score by condition, with Wilson 95 % intervals", tuple(found))


def _gates(claims: Sequence[RunClaim]) -> Iterator[Figure]:
    found = [
        Bar(
            name=f"{claim.name + ' ' if len(claims) > 1 else ''}{line.condition}@{line.repetition} "
            f"{line.arm}" + (f" batch {line.batch}" if line.batch else ""),
            count=line.correct,
            whole=line.asked,
            need=line.need,
            told=f"{line.correct}/{line.asked}, need {line.need}",
            good=line.passed,
        )
        for claim in claims
        for line in claim.summary.gate
    ]
    if found:
        note = "The mark on each bar is the number needed."
        more = (
            f" {len(found) - _GATES} more groups are in the receipts."
            if len(found) > _GATES
            else ""
        )
        yield Bars("controls", "Controls: correct by group", tuple(found[:_GATES]), note + more)


_GATES = 48


def _reasons(claims: Sequence[RunClaim]) -> Iterator[Figure]:
    counts: dict[str, int] = {}
    planned = 0
    for claim in claims:
        for group in claim.groups:
            planned += group.planned
            for reason, count in group.reasons:
                counts[reason] = counts.get(reason, 0) + count
    if counts:
        found = tuple(
            Bar(reason, count, planned, None, f"{count} of {planned}", good=False)
            for reason, count in sorted(counts.items(), key=lambda each: -each[1])
        )
        yield Bars("undecided", "Undecided, by reason", found)


def _flips(columns: Sequence[Column], differing: Sequence[str]) -> Iterator[Figure]:
    if not differing or len(columns) == 1:
        return
    found = signs(columns)
    rows = tuple((item, found[item]) for item in differing)
    yield Map("flips", "Items that did not get one label everywhere", short_names(columns), rows)


def _agreement(one: Judged) -> Figure:
    names = one.judges
    raw: dict[tuple[str, str], float] = {}
    for pair in one.matrix:
        raw[pair.first, pair.second] = raw[pair.second, pair.first] = float(pair.agreement.raw)
    again = "" if one.repetition is None else f", repetition {one.repetition}"
    return Square(
        f"judges-{one.answers}-{one.repetition or 1}",
        f"Judge by judge: share of items labelled alike ({one.answers}{again})",
        names,
        tuple(tuple(raw.get((a, b)) for b in names) for a in names),
    )
