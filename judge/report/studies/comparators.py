"""Published figures beside a run's own, and the contrasts a plan fixed, as sections."""

from collections.abc import Iterator, Sequence

from judge.comparing.conclusions import p_value, points, span
from judge.report.sections import Section
from judge.report.studies.wording import left_out, of, table
from judge.stats.exact import percent
from judge.stats.proportion import Interval
from judge.studies.comparators import Compared
from judge.studies.contrasts import Contrasted

__all__ = ["contrasts_section", "section"]


def section(found: Sequence[Compared]) -> Section:
    """Return published figures beside each column; nothing is ranked."""
    return Section(
        key="comparators",
        title="Published figures, for orientation",
        lead=(),
        tables=tuple(
            table(
                f"{one.column}: {of(one.accepted, one.asked)}"
                + ("" if one.interval is None else f", {_interval(one.interval)}"),
                "published|#figure|Wilson 95 %|comparable|source|SHA-256",
                list(_rows(one)),
            )
            for one in found
        ),
        cautions=(
            "figures are held against each other only where rubric, judge and data are the same",
        ),
    )


def _rows(one: Compared) -> Iterator[tuple[object, ...]]:
    for each in one.comparators:
        told = each.why
        if each.difference is not None:
            told = f"yes: {each.difference:+d} here"
        figure = of(each.interval.k, each.interval.n)
        yield (
            *(each.name, figure, _interval(each.interval)),
            *(told, each.source, f"{each.sha256[:12]}…"),
        )


def _interval(found: Interval) -> str:
    return f"{percent(found.low)} to {percent(found.high)}"


def contrasts_section(found: Sequence[Contrasted]) -> Section:
    """Return the contrasts that were fixed before the first call."""
    rows = [
        (
            *(one.name, pair.first, pair.second, pair.pairs.n),
            *(pair.pairs.first_only, pair.pairs.second_only),
            points(pair.pairs.difference, pair.pairs.n),
            span(pair.tango.low, pair.tango.high, pair.pairs.n),
            p_value(pair.p),
        )
        for one in found
        for pair in one.pairs
    ]
    heads = "contrast|first|second|#n|#first only|#second only|#points|Tango 95 %|exact McNemar"
    undecided = (pair.undecided for one in found for pair in one.pairs)
    return Section(
        key="contrasts",
        title="Contrasts fixed in the plan",
        lead=tuple(_contrast(one) for one in found),
        tables=(table("pairs, each by itself", heads, rows),),
        cautions=tuple(dict.fromkeys(each for names in undecided for each in left_out(names))),
    )


def _contrast(one: Contrasted) -> str:
    family = "" if one.family == 1 else f", Holm over {one.family} contrasts {p_value(one.holm)}"
    return (
        f"{one.name}: {one.conclusion} ({one.items} items, exact sign-flip test over items "
        f"{p_value(one.test.p)}{family})"
    )
