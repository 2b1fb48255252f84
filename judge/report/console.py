"""A summary in, lines of words out. Foreign text is escaped by whoever prints them."""

from collections.abc import Iterator
from fractions import Fraction

from judge.report.summary import Flip, GateLine, Group, Share, Summary, TypeLine
from judge.stats.exact import percent

__all__ = ["described"]

_STATES = {
    "complete": "complete: every planned cell decided, all groups passed, sealed",
    "incomplete": "incomplete: every cell closed, some undecided; no rate",
    "gate-failed": "gate failed: the judge did not get its known answers right; nothing it said "
    "after that was asked, and no rate is printed",
    "open": "open: cells are unknown or not asked; no rate; `judge resume` goes on",
}
_IDENTITIES = {
    "snapshot": "a dated snapshot, named by every reply",
    "alias": "an alias, held to the snapshot its replies name",
    "pinned-id": "an id its provider documents as constant",
    "label": "a label: whoever runs the server chose it",
    "embedded": "a string rule of this package, not a language model",
}


def described(summary: Summary, *, bounds: bool) -> str:
    """Return all that may be said about a run, as text.

    Args:
        summary: the run.
        bounds: whether to say what the rate would be at worst and at best.
    """
    lines = [*_head(summary), "", *_gate(summary)]
    for group in summary.conditions:
        lines += ["", *_group(summary, group, bounds=bounds)]
    lines += ["", *_same(summary), *_cost(summary)]
    return "\n".join(lines)


def _head(summary: Summary) -> Iterator[str]:
    yield f"run    {summary.run_id}"
    yield f"plan   {summary.plan_sha256}"
    yield f"state  {_STATES[summary.state]}"
    yield f"head   {summary.head}  ({summary.lines} lines)"
    if summary.stops:
        yield f"stops  {', '.join(summary.stops)}"
    if summary.unknown:
        yield (
            f"       {_number(summary.unknown, 'cell')} may have been answered, and billed, "
            f"unseen; asking again costs at most {summary.unknown_tokens_max} tokens "
            "(--resend-unknown 1); --leave-unknown closes them as undecided"
        )


# --- the gate -----------------------------------------------------------------------------------


def _gate(summary: Summary) -> Iterator[str]:
    yield "gate   condition  rep  batch  arm        correct  need  shows"
    for line in summary.gate:
        yield _gate_line(line)
    if not summary.gate:
        yield "       not decided: no group has all its controls"
    kinds = "easy controls only" if summary.easy_controls_only else "the draw and control files"
    yield f"       {kinds}: passing shows that the judge is not broken, not that it is good"
    if not summary.injection_controls:
        yield "       no injection controls: nothing is known about answers that give orders"


def _gate_line(line: GateLine) -> str:
    count = f"{line.correct}/{line.asked}"
    verdict = (
        f"passed: its pass rate on such controls is above {line.bound} (95 %)"
        if line.passed
        else "FAILED"
    )
    if line.undecided:
        verdict += f"; {line.undecided} undecided"
    if line.blind:
        verdict += f"; all wrong on {', '.join(line.blind)}"
    return (
        f"       {line.condition:<9}  {line.repetition:>3}  {line.batch:>5}  {line.arm:<9}  "
        f"{count:>7}  {line.need:>4}  {verdict}"
    )


# --- conditions ---------------------------------------------------------------------------------


def _group(summary: Summary, group: Group, *, bounds: bool) -> Iterator[str]:
    title = f"{group.id}@{group.repetition}  {group.name}"
    yield title + ("  (official)" if group.official else "")
    yield f"  judge      {_IDENTITIES[group.identity]}"
    for sentence in group.deviations:
        yield f"  deviation  {sentence}"
    yield from _counts(group)
    yield from _rate(summary, group)
    if bounds and group.bounds is not None:
        worst, best = group.bounds
        yield (
            f"  bounds     {percent(worst)} if every cell without a label were rejected, "
            f"{percent(best)} if accepted"
        )
    yield from _types(summary, group)
    if group.upstream_of:
        yield (
            f"  upstream   the benchmark's own parser would count {group.upstream_accepts} of "
            f"{group.upstream_of} replies as accepted"
        )
    yield from _prior(group)


def _counts(group: Group) -> Iterator[str]:
    labels = ", ".join(f"{label} {count}" for label, count in group.labels.items())
    yield (
        f"  counts     {group.planned} planned = {group.decided} decided + "
        f"{group.asked - group.decided} undecided + {group.open} open;  {labels}"
    )
    for reason, count in group.undecided.items():
        yield f"  undecided  {count} {reason}"
    if group.missing:
        whole = group.planned + group.missing
        yield f"  coverage   {group.planned} of {whole} questions have a saved answer"


def _rate(summary: Summary, group: Group) -> Iterator[str]:
    if group.rate is None or group.interval is None or group.macro is None:
        why = "the run is " + summary.state
        yield f"  rate       none: {why}"
        return
    low, high = group.interval
    extra = f" on {group.planned} of {group.planned + group.missing}" if group.missing else ""
    yield (
        f"  rate       {percent(group.rate)} accepted ({group.accepted} of {group.asked}{extra}; "
        f"micro), Wilson 95 %: {percent(low)} to {percent(high)}"
    )
    yield f"             {percent(group.macro)} macro: the mean of its types, abstention folded in"
    if group.identity == "embedded":
        yield "             string rule, not a language model"
    if group.later_attempts:
        yield f"             {group.later_attempts} labels came from a later attempt (reask)"


def _types(summary: Summary, group: Group) -> Iterator[str]:
    if not group.types:
        return
    width = max(len(line.type) for line in group.types)
    shown = summary.state == "complete"
    heads = f"{'abstention folded in':>22}  {'answerable':>18}  {'abstention':>16}"
    yield f"  {'type':<{width}}  {heads}"
    for line in group.types:
        yield f"  {line.type:<{width}}  " + _type(line, rates=shown)


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


def _prior(group: Group) -> Iterator[str]:
    prior = group.prior
    if not prior.compared and not prior.foreign:
        return
    table = ", ".join(f"{key} {count}" for key, count in prior.table.items())
    yield f"  prior      {prior.compared} prior labels compared ({table}); {len(prior.flips)} flips"
    if prior.never_judged:
        yield f"             {prior.never_judged} rows had no prior label"
    if prior.foreign:
        yield f"             {prior.foreign} prior labels are none of this rubric's: not compared"
    yield from (_flip(flip) for flip in prior.flips)


def _flip(flip: Flip) -> str:
    return f"             flip {flip.id} ({flip.type}): {flip.before} > {flip.after}, {flip.where}"


# --- the whole run ------------------------------------------------------------------------------


def _same(summary: Summary) -> Iterator[str]:
    if not summary.identical_prompts:
        return
    yield (
        f"same prompt, asked again: {_number(summary.identical_prompts, 'pair')}, "
        f"{_number(len(summary.flips), 'flip')}"
    )
    yield from (_flip(flip) for flip in summary.flips)


def _cost(summary: Summary) -> Iterator[str]:
    least = "at least " if summary.unmetered or summary.unknown else ""
    yield (
        f"requests {summary.requests}, {summary.resent} of them after an unknown; "
        f"tokens {least}{summary.tokens_in} in, {summary.tokens_out} out"
    )
    if len(summary.fingerprints) > 1:
        yield f"warning: {len(summary.fingerprints)} system fingerprints answered; see the receipts"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
