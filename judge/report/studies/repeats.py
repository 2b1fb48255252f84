"""How often a judge changes its label, as a section."""

from collections.abc import Sequence
from fractions import Fraction

from judge.report.sections import Section, Table
from judge.report.studies.wording import left_out, many, table
from judge.stats.exact import percent, printed
from judge.stats.raters import Reliability
from judge.studies.repeats import Repeated

__all__ = ["section"]


def section(found: Sequence[Repeated]) -> Section:
    """Return what asking again showed."""
    return Section(
        key="repeats",
        title="Repeated judging: the same question to the same judge",
        lead=tuple(each for one in found for each in _lead(one)),
        tables=tuple(each for one in found for each in _tables(one)),
        cautions=tuple(each for one in found for each in left_out(one.undecided)),
    )


def _lead(one: Repeated) -> list[str]:
    times, flips = len(one.columns), len(one.flips)
    inside = sum(flip.kind == "repetition" for flip in one.flips)
    how = (
        ""
        if not flips
        else f": {inside} inside a run, {flips - inside} only from one run to another (time)"
    )
    counts = one.noise.counts
    span = f"{min(counts)} to {max(counts)}" if min(counts) != max(counts) else f"{counts[0]}"
    lines = [
        (
            f"{one.name}: asked {times} times, {one.items - flips} of {one.items} items with one "
            f"label throughout, {many(flips, 'flip item')}{how}"
        ),
        f"accepted {span} of {one.items}, by repetition",
    ]
    lines.append(
        f"agreement of the repetitions: Fleiss' kappa {_value(one.fleiss)}, Gwet's AC1 "
        f"{_value(one.ac1)}"
    )
    if one.noise.upper is not None:
        bound = percent(one.noise.upper)
        lines.append(
            f"no item changed: at most {bound} of such items do (one-sided, 95 %), so the noise "
            "is not 0 but below what these repetitions can see"
        )
        return lines
    points = Fraction(100, one.items)
    deviation = Fraction(one.noise.deviation) * points
    needed = ", ".join(
        f"{count} for ±{printed(Fraction(width) * 100, 2)} points"
        for width, count in one.noise.needed.items()
    )
    lines.append(
        f"the judge's own noise moves one repetition's score by {printed(deviation, 2)} points "
        f"(standard deviation, these items fixed); repetitions whose mean is within it (95 %): "
        f"{needed}"
    )
    return lines


def _value(found: Reliability) -> str:
    return f"undefined ({found.undefined})" if found.value is None else printed(found.value, 3)


def _tables(one: Repeated) -> list[Table]:
    stable = one.stability
    shares = [
        ("items whose labels are not all equal", stable.any_flip),
        ("pairs of repetitions that differ, by item", stable.pairwise),
        ("later repetitions that differ from the first", stable.versus_first),
        ("repetitions that differ from the one before", stable.consecutive),
        ("share of an item's most frequent label", stable.modal_share),
    ]
    tables = [table(f"{one.name}: change, by definition", "definition|#share", shares)]
    if one.flips:
        rows = [
            (
                *(flip.id, flip.type, flip.kind),
                *(f"{said.label} ({said.reply})" for said in flip.said),
            )
            for flip in one.flips
        ]
        heads = "|".join(("id", "type", "changed by", *one.columns))
        tables.append(table("flip items, label (raw reply)", heads, rows))
    return tables
