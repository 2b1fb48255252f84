"""One condition and repetition of a summary in, its lines of words out."""

from collections.abc import Iterator
from fractions import Fraction

from judge.records import State
from judge.report.figures import Share, TypeLine
from judge.report.grades import GradeLine, Grades
from judge.report.summary import Flip, Group
from judge.stats.exact import percent, printed

__all__ = ["described_flip", "described_group"]

_IDENTITIES = {
    "snapshot": "a dated snapshot, named by every reply",
    "alias": "an alias, held to the snapshot its replies name",
    "pinned-id": "an id its provider documents as constant",
    "label": "a label: whoever runs the server chose it",
    "embedded": "a string rule of this package, not a language model",
}


def described_group(
    group: Group, state: State, *, bounds: bool, flips: int | None = None
) -> Iterator[str]:
    """Yield all that may be said about one condition and repetition, line by line.

    Args:
        group: the condition and repetition.
        state: of the run it belongs to.
        bounds: whether to say what its rate or mean would be at worst and at best.
        flips: how many flips to list at most; None: every one.
    """
    title = f"{group.id}@{group.repetition}  {group.name}"
    yield title + ("  (official)" if group.official else "")
    yield f"  judge      {_IDENTITIES[group.identity]}"
    for sentence in group.deviations:
        yield f"  deviation  {sentence}"
    yield from _counts(group)
    yield from _grades(group, state) if group.kind == "graded" else _rate(group, state)
    if bounds and group.bounds is not None:
        yield _bounds(group, *group.bounds)
    yield from _grade_types(group, state) if group.kind == "graded" else _types(group, state)
    if group.upstream_of:
        yield f"  upstream   {_upstream(group)}"
    yield from _prior(group, flips)


def described_flip(flip: Flip) -> str:
    """Return the line of an item with two labels."""
    return f"             flip {flip.id} ({flip.type}): {flip.before} > {flip.after}, {flip.where}"


def _counts(group: Group) -> Iterator[str]:
    yield (
        f"  counts     {group.planned} planned = {group.decided} decided + "
        f"{group.asked - group.decided} undecided + {group.open} open;  "
        f"{_spread(group.labels) if group.kind == 'graded' else _told(group.labels)}"
    )
    for reason, count in group.undecided.items():
        yield f"  undecided  {count} {reason}"
    if group.missing:
        whole = group.planned + group.missing
        yield f"  coverage   {group.planned} of {whole} questions have a saved answer"


def _told(labels: dict[str, int]) -> str:
    return ", ".join(f"{label} {count}" for label, count in labels.items())


def _spread(labels: dict[str, int]) -> str:
    """Grades and how many: a colon between, since both are numbers."""
    return ", ".join(f"{label}: {count}" for label, count in labels.items())


# --- labels that are right or wrong -------------------------------------------------------------


def _rate(group: Group, state: State) -> Iterator[str]:
    if group.rate is None or group.interval is None or group.macro is None:
        yield f"  rate       none: the run is {state}"
        return
    low, high = group.interval
    yield (
        f"  rate       {percent(group.rate)} accepted ({group.accepted} of {group.asked}"
        f"{_partial(group)}; micro), Wilson 95 %: {percent(low)} to {percent(high)}"
    )
    if group.kind == "three-way":
        yield f"             {_each(group)}"
    yield f"             {percent(group.macro)} macro: the mean of its types, abstention folded in"
    yield from _notes(group)


def _partial(group: Group) -> str:
    return f" on {group.planned} of {group.planned + group.missing}" if group.missing else ""


def _each(group: Group) -> str:
    """The share of every label: two that reject are two answers, not one."""
    shares = {name: Fraction(count, group.asked) for name, count in group.labels.items()}
    return ", ".join(f"{name} {percent(share)}" for name, share in shares.items())


def _notes(group: Group) -> Iterator[str]:
    if group.identity == "embedded":
        yield "             string rule, not a language model"
    if group.later_attempts:
        yield f"             {group.later_attempts} labels came from a later attempt (reask)"


def _types(group: Group, state: State) -> Iterator[str]:
    if not group.types:
        return
    width = max(len(line.type) for line in group.types)
    heads = f"{'abstention folded in':>22}  {'answerable':>18}  {'abstention':>16}"
    yield f"  {'type':<{width}}  {heads}"
    for line in group.types:
        told = f"  {_told(line.labels)}" if group.kind == "three-way" else ""
        yield f"  {line.type:<{width}}  " + _type(line, rates=state == "complete") + told


def _type(line: TypeLine, *, rates: bool) -> str:
    cells = (
        f"{_share(line.folded, rates=rates):>22}",
        f"{_share(line.answerable, rates=rates):>18}",
        f"{_share(line.abstention, rates=rates):>16}",
    )
    tail = f"  {line.undecided} undecided" if line.undecided else ""
    return "  ".join(cells) + tail


def _share(share: Share, *, rates: bool) -> str:
    if share.asked == 0:
        return "-"
    count = f"{share.accepted}/{share.asked}"
    return f"{count} {percent(Fraction(share.accepted, share.asked))}" if rates else count


# --- grades -------------------------------------------------------------------------------------


def _grades(group: Group, state: State) -> Iterator[str]:
    if state != "complete":
        yield f"  mean       none: the run is {state}"
        return
    if group.mean is None or group.median is None:
        yield "  mean       none: the numbers of its labels stand in the rubric, which is not here"
        return
    yield (
        f"  mean       {printed(group.mean, 2)}: the sum of the grades over {group.decided} graded "
        f"answers{_partial(group)}; median {_number(group.median)}"
    )
    yield from _notes(group)


def _number(value: float) -> str:
    return printed(value, 2).rstrip("0").rstrip(".")


def _grade_types(group: Group, state: State) -> Iterator[str]:
    if not group.grades:
        return
    width = max(len(line.type) for line in group.grades)
    yield f"  {'type':<{width}}  {'graded':>6}  {'mean':>6}  {'median':>6}  distribution"
    for line in group.grades:
        yield f"  {line.type:<{width}}  " + _grade_type(line, means=state == "complete")


def _grade_type(line: GradeLine, *, means: bool) -> str:
    told = line.grades
    shown = means and told.mean is not None and told.median is not None
    mean = printed(told.mean or 0.0, 2) if shown else "-"
    median = _number(told.median or 0.0) if shown else "-"
    some = {label: count for label, count in told.distribution.items() if count}
    tail = f"  {line.undecided} undecided" if line.undecided else ""
    return f"{told.n:>6}  {mean:>6}  {median:>6}  {_spread(some)}{tail}"


# --- all kinds ----------------------------------------------------------------------------------


def _bounds(group: Group, worst: float, best: float) -> str:
    if group.kind == "graded":
        return (
            f"  bounds     mean {printed(worst, 2)} if every cell without a label had the lowest "
            f"grade, {printed(best, 2)} if the highest"
        )
    return (
        f"  bounds     {percent(worst)} if every cell without a label were rejected, "
        f"{percent(best)} if accepted"
    )


def _upstream(group: Group) -> str:
    who = "the benchmark's own parser would"
    if group.upstream is not None:
        return f"{who} {_upstream_mean(group.upstream, group.upstream_of)}"
    told = f" ({_told(group.upstream_labels)})" if group.kind == "three-way" else ""
    return f"{who} count {group.upstream_accepts} of {group.upstream_of} replies as accepted{told}"


def _upstream_mean(read: Grades, replies: int) -> str:
    mean = "" if read.mean is None else f", mean {printed(read.mean, 2)}"
    lost = replies - read.n
    tail = f"; {lost} without a grade of the scale" if lost else ""
    return f"find a grade in {read.n} of {replies} replies{mean}{tail}"


def _prior(group: Group, most: int | None) -> Iterator[str]:
    prior = group.prior
    if not prior.compared and not prior.foreign:
        return
    table = ", ".join(f"{key} {count}" for key, count in prior.table.items())
    told = f"prior > new: {table}" if table else "none in common"
    yield f"  prior      {prior.compared} prior labels compared ({told}); {len(prior.flips)} flips"
    if prior.never_judged:
        yield f"             {prior.never_judged} rows had no prior label"
    if prior.foreign:
        yield f"             {prior.foreign} prior labels are none of this rubric's: not compared"
    yield from (described_flip(flip) for flip in prior.flips[:most])
    if most is not None and len(prior.flips) > most:
        yield f"             and {len(prior.flips) - most} more; `judge show` lists every one"
