"""How often a judge changes its label, as a section."""

from collections.abc import Sequence
from fractions import Fraction

from judge.report.sections import Section, Table
from judge.report.studies.wording import left_out, many, table
from judge.stats.exact import percent, printed
from judge.stats.raters import Reliability
from judge.studies.repeats import Noise, Repeated, Said

__all__ = ["section"]


def section(found: Sequence[Repeated]) -> Section:
    """Return what asking again showed."""
    return Section(
        key="repeats",
        title="Repeated judging: the same question to the same judge",
        lead=tuple(each for one in found for each in _lead(one)),
        tables=tuple(each for one in found for each in _tables(one)),
        cautions=tuple(each for one in found for each in left_out(one.undecided, one.absent)),
    )


def _lead(one: Repeated) -> list[str]:
    times, flips = len(one.columns), len(one.flips)
    inside = sum(flip.kind == "repetition" for flip in one.flips)
    how = (
        ""
        if not flips
        else f": {inside} inside a run, {flips - inside} only from one run to another (time)"
    )
    lines = [
        (
            f"{one.name}: asked {times} times, {one.items - flips} of {one.items} items with one "
            f"label throughout, {many(flips, 'flip item')}{how}"
        ),
        *(_accepted(one.noise, one.items) if one.noise else ()),
    ]
    lines.append(
        f"agreement of the repetitions: Fleiss' kappa {_value(one.fleiss)}, Gwet's AC1 "
        f"{_value(one.ac1)}"
    )
    return [*lines, *(_noise(one.noise, one) if one.noise else ())]


def _accepted(noise: Noise, items: int) -> list[str]:
    low, high = min(noise.counts), max(noise.counts)
    span = f"{low} to {high}" if low != high else f"{low}"
    return [f"accepted {span} of {items}, by repetition"]


def _noise(noise: Noise, one: Repeated) -> list[str]:
    timed = any(flip.kind == "time" for flip in one.flips)
    noisy = "the judge's changes, over time too, move" if timed else "the judge's own noise moves"
    moved = printed(noise.deviation, 2)
    if one.undecided:
        return [
            (
                f"{noisy} one repetition's count by {moved} items (standard "
                "deviation, these items fixed); no share, since items are undecided"
            )
        ]
    if noise.upper is not None:
        return [
            (
                f"no item changed: at most {percent(noise.upper)} of such items do (one-sided, "
                "95 %), so the noise is not 0 but below what these repetitions can see"
            )
        ]
    points = Fraction(100, one.items)
    needed = ", ".join(
        f"{count} for ±{printed(Fraction(width) * 100, 2)} points"
        for width, count in noise.needed.items()
    )
    return [
        (
            f"{noisy} one repetition's score by "
            f"{printed(Fraction(noise.deviation) * points, 2)} points (standard deviation, these "
            "items fixed), the mean of all of them by "
            f"{printed(Fraction(noise.deviation_of_mean) * points, 2)}; repetitions whose mean is "
            f"within it (95 %): {needed}"
        )
    ]


def _value(found: Reliability) -> str:
    return f"undefined ({found.undefined})" if found.value is None else printed(found.value, 3)


def _tables(one: Repeated) -> list[Table]:
    stable, times = one.stability, one.stability.repetitions
    later, pairs = one.items * (times - 1), one.items * times * (times - 1) // 2
    defined = [
        ("items whose labels are not all equal", stable.any_flip, one.items),
        ("pairs of repetitions that differ, by item", stable.pairwise, pairs),
        ("later repetitions that differ from the first", stable.versus_first, later),
        ("repetitions that differ from the one before", stable.consecutive, later),
        ("labels that are their item's most frequent", stable.modal_share, one.items * times),
    ]
    shares = [
        (name, int(share * all_), all_, None if one.undecided else percent(share))
        for name, share, all_ in defined
    ]
    heads = "definition|#count|#of|#share"
    tables = [table(f"{one.name}: change, by definition", heads, shares)]
    if one.flips:
        rows = [
            (
                *(flip.id, flip.type, flip.kind),
                *map(_said, flip.said),
            )
            for flip in one.flips
        ]
        heads = "|".join(("id", "type", "changed by", *one.columns))
        tables.append(table("flip items, label (raw reply)", heads, rows))
    return tables


def _said(one: Said) -> str:
    """The label, and the reply where it is known: a verdict file holds none."""
    return one.label if one.reply is None else f"{one.label} ({one.reply})"
