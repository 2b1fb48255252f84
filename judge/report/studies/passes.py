"""Passes over the same questions, and totals of two judgings, as sections."""

from collections.abc import Sequence
from fractions import Fraction

from judge.report.sections import Section, Table
from judge.report.studies.wording import left_out, many, table
from judge.stats.exact import printed
from judge.studies.mixed import Mixed
from judge.studies.passes import Passed

__all__ = ["mixed_section", "section"]


def section(found: Sequence[Passed]) -> Section:
    """Return what holds over passes."""
    return Section(
        key="passes",
        title="Passes over the same questions",
        lead=tuple(each for one in found for each in _lead(one)),
        tables=tuple(_table(one) for one in _distinct(found) if one.flips),
        cautions=(
            *(each for one in found for each in left_out(one.undecided)),
            "half the range is a spread of these passes, not a standard error",
        ),
    )


def _distinct(found: Sequence[Passed]) -> list[Passed]:
    """Those whose flips are not those of one listed before."""
    seen: dict[tuple[object, ...], Passed] = {}
    for one in found:
        seen.setdefault((one.names, one.flips), one)
    return list(seen.values())


def _lead(one: Passed) -> list[str]:
    spread = one.passes.spread
    totals = ", ".join(str(total) for total in spread.totals)
    headline = f"{_number(spread.middle)} ± {_number(spread.half_range)} of {one.passes.n}"
    rule = (
        f"all passes agree: {spread.totals[0]} of {one.passes.n} may be a headline"
        if one.agree
        else f"the passes do not agree, so a headline needs its spread: {headline}"
    )
    again = "" if one.repetition is None else f", repetition {one.repetition}"
    lines = [
        f"{' and '.join(one.names)} ({one.rubric}, {one.judge}{again}): {totals}; {rule}",
        f"right in every pass {one.passes.stable}, flips {one.passes.flips}{_direction(one)}",
    ]
    if one.absent:
        lines.append(f"{many(len(one.absent), 'item')} not in every pass, in no count")
    return lines


def _direction(one: Passed) -> str:
    if one.passes.lost is None:
        return ""
    return f" ({one.passes.lost} right in the first only, {one.passes.gained} in the second only)"


def _number(value: Fraction) -> str:
    return printed(value, 0 if value.denominator == 1 else 1)


def _table(one: Passed) -> Table:
    rows = [
        (flip.id, flip.type, *("right" if right else "wrong" for right in flip.accepted))
        for flip in one.flips
    ]
    return table("items right in some passes only", "|".join(("id", "type", *one.names)), rows)


def mixed_section(one: Mixed) -> Section:
    """Return a total of two judgings, marked as one."""
    return Section(
        key="mixed",
        title="Mixed total: new labels for some types, old ones for the rest",
        lead=(
            (
                f"mixed: {one.accepted_mixed} of {one.items}, with new labels for "
                f"{', '.join(one.types)} ({many(one.from_new, 'item')})"
            ),
            f"not mixed: {one.accepted_old} by {one.old}, {one.accepted_new} by {one.new}",
        ),
        cautions=(
            "a mixed total is no judge's score: it has no interval and is not to be ranked",
            *left_out(one.undecided),
        ),
    )
