"""Several judges of the same answers, as a section."""

from collections.abc import Sequence

from judge.comparing.conclusions import p_value
from judge.report.sections import Section, Table
from judge.report.studies.wording import left_out, many, table
from judge.stats.agreement import Coefficient
from judge.stats.exact import percent, printed
from judge.stats.raters import Reliability
from judge.studies.judges import Judged, JudgePair, Reversal

__all__ = ["section"]


def section(found: Sequence[Judged], reversed_: Sequence[Reversal] = ()) -> Section:
    """Return how far judges agree, and what they reverse."""
    return Section(
        key="judges",
        title="Judge against judge",
        lead=(*(each for one in found for each in _lead(one)), *map(_reversal, reversed_)),
        tables=tuple(each for one in found for each in _tables(one)),
        cautions=(
            *(each for one in found for each in left_out(one.undecided, one.absent)),
            "agreement is no accuracy: two judges can be wrong together",
        ),
    )


def _lead(one: Judged) -> list[str]:
    again = "" if one.repetition is None else f", repetition {one.repetition}"
    lines = [
        f"{one.answers}{again}: "
        + ", ".join(
            f"{name} accepts {count} of {one.items}"
            for name, count in zip(one.judges, one.accepted, strict=True)
        )
    ]
    for pair in one.matrix:
        same = pair.pairs.n - len(pair.disagreements)
        strict = f"{pair.stricter} is stricter" if pair.stricter else "neither is stricter"
        lines.append(
            f"{pair.first} and {pair.second} agree on {same} of {pair.pairs.n}; {strict} "
            f"({pair.pairs.first_only} accepted by {pair.first} alone, {pair.pairs.second_only} by "
            f"{pair.second} alone; exact McNemar {p_value(pair.test.p)})"
        )
    if one.fleiss and one.krippendorff and one.ac1:
        lines.append(
            f"all together: Fleiss' kappa {_value(one.fleiss)}, Krippendorff's alpha (nominal) "
            f"{_value(one.krippendorff)}, Gwet's AC1 {_value(one.ac1)}"
        )
    return lines


def _value(found: Reliability | Coefficient) -> str:
    return f"undefined ({found.undefined})" if found.value is None else printed(found.value, 3)


def _reversal(one: Reversal) -> str:
    where = "over all types" if one.type is None else f"on {one.type}"
    again = "" if one.repetition is None else f", repetition {one.repetition}"
    return (
        f"reversed {where} ({many(one.items, 'item')}, {one.rubric}{again}): "
        f"{one.first_answers} minus {one.second_answers} is {one.margin_first:+d} by "
        f"{one.first_judge} and {one.margin_second:+d} by {one.second_judge}"
    )


def _tables(one: Judged) -> list[Table]:
    agreed = [
        (
            *(pair.first, pair.second, pair.pairs.n, pair.pairs.n - len(pair.disagreements)),
            None if one.undecided else percent(pair.agreement.raw),
            *(_value(pair.agreement.kappa), _value(pair.agreement.ac1)),
        )
        for pair in one.matrix
    ]
    heads = "judge|judge|#items|#agree|#raw|#Cohen's kappa|#Gwet's AC1"
    tables = [table(f"{one.answers}: agreement", heads, agreed)]
    for pair in one.matrix:
        tables += _pair(pair, one.answers)
    return tables


def _pair(pair: JudgePair, answers: str) -> list[Table]:
    tables: list[Table] = []
    if pair.types:
        rows = [(t.type, t.items, t.first_only, t.second_only) for t in pair.types]
        heads = f"type|#items|#{pair.first} alone|#{pair.second} alone"
        tables.append(table(f"{answers}: accepted by one alone, by type", heads, rows))
    if pair.disagreements:
        listed = [(d.id, d.type, d.first, d.second) for d in pair.disagreements]
        tables.append(
            table(
                f"{answers}: items labelled differently",
                f"id|type|{pair.first}|{pair.second}",
                listed,
            )
        )
    return tables
