"""A comparison in, lines of words out. Foreign text is escaped by whoever prints them."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from judge.comparing.conclusions import p_value, points, share, span
from judge.comparing.joining import LeftOut, letter
from judge.comparing.matrix import Matrix
from judge.comparing.pairwise import Comparison, Flip, Stratum
from judge.comparing.sides import SideFacts
from judge.stats.agreement import Coefficient
from judge.stats.exact import percent, printed
from judge.stats.pairs import Pairs
from judge.stats.proportion import Interval

__all__ = ["described", "described_matrix"]

_FLIPS_SHOWN = 40
_FEW = 0
"""Bounds are no estimate: a tenth of a point will do."""
_ANSWERS = {True: "same answer", False: "another answer", None: "answers not known"}


def described(found: Comparison) -> str:
    """Return all that may be said about two sides, as text."""
    lines = [
        *_side(found.names[0], found.first, found.first_rate),
        *_side(found.names[1], found.second, found.second_rate),
        *_same(found),
        f"joined      {found.pairs.n} items by id",
        *_left_out(found.names, found.left_out, found.bounds),
        "",
        *_table(found),
        "",
        *_figures(found),
        *_margin(found),
        *_strata("type", found.types, found),
        *_post_hoc(found),
        "",
        *_flips(found),
        *(f"warning     {warning}" for warning in found.warnings),
        f"conclusion  {found.conclusion}",
    ]
    return "\n".join(lines)


# --- the sides ----------------------------------------------------------------------------------


def _side(name: str, side: SideFacts, rate: Interval) -> Iterator[str]:
    yield f"{name:<11} {side.name}"
    yield from (f"            {line}" for line in _origin(side))
    yield (
        f"            accepts {rate.k} of the {rate.n} joined items, {percent(rate.rate)}; Wilson "
        f"{share(rate.confidence)}: {percent(rate.low)} to {percent(rate.high)}"
    )


def _origin(side: SideFacts) -> Iterator[str]:
    run = side.run
    if run is None:
        judges = ", ".join(side.judges) or "none"
        digest = f", SHA-256 {side.sha256[:12]}…" if side.sha256 else ""
        yield f"{side.kind}{digest}; judge named in it: {judges}; its verdicts are not proved"
        return
    official = " (official)" if run.official else ""
    yield f"{side.kind}, recounted: {run.condition}@{run.repetition} {run.name}{official}"
    yield f"state {run.state}; run {run.run_id[:12]}…, head {run.head[:12]}…"


def _same(found: Comparison) -> Iterator[str]:
    for name in ("answers", "prompts", "rubric", "judge"):
        part = getattr(found.same, name)
        yield f"{name:<11} {part.state}: {part.words}"
    yield f"about       {found.about}"


def _left_out(
    names: Sequence[str], left: LeftOut, bounds: Sequence[Fraction] | None
) -> Iterator[str]:
    for name, count in zip(names, left.elsewhere, strict=False):
        if count:
            yield f"left out    {count} items of {name} that another side lacks"
    if left.items:
        each = ", ".join(
            f"{count} by {letter(place)}" for place, count in enumerate(left.undecided) if count
        )
        yield f"left out    {left.items} items without a verdict ({each})"
    if bounds is not None:
        low, high = bounds
        yield (
            f"bounds      {points(low, _FEW)} to {points(high, _FEW)} points over all items, "
            "whatever the missing verdicts would have been"
        )


# --- the figures --------------------------------------------------------------------------------


def _table(found: Comparison) -> Iterator[str]:
    one, other = found.names
    table = found.pairs
    yield f"            {f'{other} accepts':>10}  {f'{other} rejects':>10}"
    yield f"{f'{one} accepts':<11} {table.both:>10}  {table.first_only:>10}"
    yield f"{f'{one} rejects':<11} {table.second_only:>10}  {table.neither:>10}"


def _figures(found: Comparison) -> Iterator[str]:
    table, n, level = found.pairs, found.pairs.n, share(found.tango.confidence)
    one, other = found.names
    yield (
        f"difference  {one} - {other}: {points(table.difference, n)} points "
        f"({table.first_only} - {table.second_only} of {n})"
    )
    yield f"            {span(found.tango.low, found.tango.high, n)}  Tango score, {level}"
    yield (
        f"            {span(found.bootstrap.low, found.bootstrap.high, n)}  exact bootstrap of "
        f"pairs, percentile, {level}"
    )
    yield (
        f"McNemar     exact, two-sided: {p_value(found.mcnemar.p)}; "
        f"mid-p (not exact): {p_value(found.midp.p)}; {table.discordant} discordant items"
    )
    agreed = found.agreement
    yield (
        f"agreement   raw {percent(agreed.raw)}, Cohen's kappa {_coefficient(agreed.kappa)}, "
        f"Gwet's AC1 {_coefficient(agreed.ac1)}"
    )


def _coefficient(found: Coefficient) -> str:
    return f"undefined ({found.undefined})" if found.value is None else printed(found.value, 3)


def _margin(found: Comparison) -> Iterator[str]:
    margin = found.margin
    if margin is None:
        return
    one, other = found.names
    yield (
        f"margin      {float(margin.equivalence.margin * 100):g} points, which must have been "
        "fixed before the verdicts were seen"
    )
    yield f"            equivalence (TOST): {p_value(margin.equivalence.p)}"
    yield (
        f"            non-inferiority: {one} {p_value(margin.first_not_worse.p)}, "
        f"{other} {p_value(margin.second_not_worse.p)}"
    )


def _post_hoc(found: Comparison) -> Iterator[str]:
    if found.by is None:
        return
    yield from _strata("stratum", found.post_hoc, found)
    yield (
        f"post hoc    strata by {found.by.column} of {found.by.name} (SHA-256 "
        f"{found.by.sha256[:12]}…) were chosen after the fact: they suggest, they do not show"
    )


def _strata(head: str, strata: Sequence[Stratum], found: Comparison) -> Iterator[str]:
    if not strata:
        return
    one, other = found.names
    width = max(len(head), *(len(stratum.name) for stratum in strata))
    yield ""
    yield (
        f"{head:<{width}}  {'n':>6}  {one:>6}  {other:>6}  {f'{one} only':>6}  {f'{other} only':>6}"
        f"  {'points':>7}  {'Tango':<18}  {'McNemar':<12}  Holm over {len(strata)}"
    )
    yield from (_stratum(stratum, width) for stratum in strata)


def _stratum(stratum: Stratum, width: int) -> str:
    table, n = stratum.pairs, stratum.pairs.n
    both = table.both or 0
    return (
        f"{stratum.name:<{width}}  {n:>6}  {both + table.first_only:>6}  "
        f"{both + table.second_only:>6}  {table.first_only:>6}  {table.second_only:>6}"
        f"  {points(table.difference, n):>7}  {span(stratum.tango.low, stratum.tango.high, n):<18}"
        f"  {p_value(stratum.mcnemar.p):<12}  {p_value(stratum.holm)}"
    )


# --- items --------------------------------------------------------------------------------------


def _flips(found: Comparison) -> Iterator[str]:
    one, other = found.names
    table = found.pairs
    yield (
        f"flips       {table.discordant}: {table.first_only} accepted by {one} only, "
        f"{table.second_only} by {other} only"
    )
    if found.same_answer_flips is not None:
        yield (
            f"            {found.same_answer_flips} of them among the {found.same.answers.same} "
            "items whose answers are the same"
        )
    # What an identical answer got twice says most about the judge, so it is never cut off.
    first = sorted(found.flips, key=lambda flip: flip.same_answer is not True)
    yield from (_flip(flip) for flip in first[:_FLIPS_SHOWN])
    if len(first) > _FLIPS_SHOWN:
        yield f"            and {len(first) - _FLIPS_SHOWN} more; --csv FILE has them all"


def _flip(flip: Flip) -> str:
    kind = f" ({flip.type})" if flip.type is not None else ""
    return (
        f"            {flip.id}{kind}: {flip.first} > {flip.second}, {_ANSWERS[flip.same_answer]}"
    )


# --- several sides ------------------------------------------------------------------------------


def described_matrix(found: Matrix) -> str:
    """Return all that may be said about several sides, as text."""
    names = [letter(place) for place in range(len(found.sides))]
    head = found.comparisons[0]
    lines: list[str] = []
    rates = dict(rate for one in found.comparisons for rate in _rates(one))
    for name, side in zip(names, found.sides, strict=True):
        lines += _side(name, side, rates[name])
    lines += [f"joined      {head.pairs.n} items by id"]
    lines += _left_out(names, head.left_out, None)
    lines += ["", *_square(names, found), "", *_lines(found), ""]
    lines += dict.fromkeys(
        f"warning     {warning}" for one in found.comparisons for warning in _named_warnings(one)
    )
    lines += [f"conclusion  {one.conclusion}" for one in found.comparisons]
    lines += [f"            {found.conclusion}"]
    return "\n".join(lines)


def _rates(found: Comparison) -> Iterator[tuple[str, Interval]]:
    yield found.names[0], found.first_rate
    yield found.names[1], found.second_rate


def _named_warnings(found: Comparison) -> Iterator[str]:
    name = f"{found.names[0]}-{found.names[1]}"
    for warning in found.warnings:
        own = warning.startswith((f"{found.names[0]} ", f"{found.names[1]} "))
        yield warning if own else f"{name}: {warning}"


def _square(names: Sequence[str], found: Matrix) -> Iterator[str]:
    """Above the diagonal row minus column in points, below it the adjusted p."""
    yield "row minus column in points above the diagonal, exact McNemar p after Holm below"
    yield "            " + "".join(f"{name:>10}" for name in names)
    cells: dict[tuple[str, str], str] = {}
    for one, p in zip(found.comparisons, found.adjusted.adjusted, strict=True):
        first, second = one.names
        cells[first, second] = points(one.pairs.difference, one.pairs.n)
        cells[second, first] = p_value(p).removeprefix("p = ").removeprefix("p ")
    for row in names:
        yield f"{row:<12}" + "".join(f"{cells.get((row, column), '-'):>10}" for column in names)


def _lines(found: Matrix) -> Iterator[str]:
    yield (
        f"{'pair':<6}{'first':>7}{'second':>8}{'only 1':>8}{'only 2':>8}{'points':>8}  "
        f"{'Tango':<16}{'bootstrap':<16}{'McNemar':<14}{'Holm':<14}{'raw':>7}{'kappa':>8}{'AC1':>8}"
    )
    for one, p in zip(found.comparisons, found.adjusted.adjusted, strict=True):
        yield _line(one, one.pairs, p)


def _line(one: Comparison, table: Pairs, p: Fraction | float) -> str:
    n, agreed = table.n, one.agreement
    kappa, ac1 = (
        "-" if part.value is None else printed(part.value, 3) for part in (agreed.kappa, agreed.ac1)
    )
    return (
        f"{'-'.join(one.names):<6}{one.first_rate.k:>7}{one.second_rate.k:>8}"
        f"{table.first_only:>8}{table.second_only:>8}{points(table.difference, n):>8}  "
        f"{span(one.tango.low, one.tango.high, n):<16}"
        f"{span(one.bootstrap.low, one.bootstrap.high, n):<16}"
        f"{p_value(one.mcnemar.p):<14}{p_value(p):<14}{percent(agreed.raw):>7}{kappa:>8}{ac1:>8}"
    )
