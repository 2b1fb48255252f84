"""A summary in, lines of words out. Foreign text is escaped by whoever prints them."""

from collections.abc import Iterator

from judge.report.conditions import described_flip, described_group
from judge.report.summary import GateLine, Summary

__all__ = ["described"]

_STATES = {
    "complete": "complete: every planned cell decided, all groups passed, sealed",
    "incomplete": "incomplete: every cell closed, some undecided; no rate",
    "gate-failed": "gate failed: the judge did not get its known answers right; nothing was "
    "scored after that, and no rate is printed",
    "open": "open: cells are unknown or not asked; no rate; `judge resume` goes on",
}


def described(
    summary: Summary, *, bounds: bool, flips: int | None = None, failures: int | None = 5
) -> str:
    """Return all that may be said about a run, as text.

    Args:
        summary: the run.
        bounds: whether to say what the rate or the mean would be at worst and at best.
        flips: how many flips to list at most for each condition; None: every one.
        failures: how many wrong controls and undecided answers to list at most.
    """
    lines = [*_head(summary), "", *_gate(summary), *_failures(summary, failures)]
    for group in summary.conditions:
        lines += ["", *described_group(group, summary.state, bounds=bounds, flips=flips)]
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


def _failures(summary: Summary, most: int | None) -> Iterator[str]:
    """What the judge said where it was not right, or said nothing that could be read."""
    for failed in summary.failures[:most]:
        expect = f", expected {'/'.join(failed.expect)}" if failed.expect else ""
        said = " ".join(failed.text.split())[:100]
        yield f"       {failed.where} {failed.id}: {failed.said}{expect}; said {said!r}"
    rest = len(summary.failures) - (len(summary.failures) if most is None else most)
    if rest > 0:
        yield f"       and {rest} more: `judge show RUN --failures`"


# --- the whole run ------------------------------------------------------------------------------


def _same(summary: Summary) -> Iterator[str]:
    if not summary.identical_prompts:
        return
    yield (
        f"same prompt, asked again: {_number(summary.identical_prompts, 'pair')}, "
        f"{_number(len(summary.flips), 'flip')}"
    )
    yield from (described_flip(flip) for flip in summary.flips)


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
