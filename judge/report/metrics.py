"""Rescue, Harm, token F1 and control power in, lines of words out."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from judge.comparing.conclusions import share
from judge.metrics import Power
from judge.stats.bootstrap import Bootstrap
from judge.stats.clusters import ClusterBootstrap, ClusterError
from judge.stats.controls import GatePass, Rows
from judge.stats.exact import percent, printed
from judge.stats.proportion import Bound
from judge.stats.rescue_harm import RescueHarm, TaskRuns, TokenSums
from judge.stats.token_f1 import TokenF1

__all__ = ["power_words", "rescue_words", "token_f1_words"]

_FEW = 10


# --- Rescue and Harm ----------------------------------------------------------------------------


def rescue_words(found: RescueHarm, tasks: Sequence[TaskRuns]) -> str:
    """Return Rescue, Harm and the change in resolved rate, as text."""
    level = share(found.change.confidence)
    base, memory = (_range([len(runs) for runs in side]) for side in _runs(tasks))
    lines = [
        f"tasks     {found.tasks}; runs of each: {base} without memory, {memory} with",
        _mean("rescue", found.rescue, "fails without memory and succeeds with it"),
        _mean("harm", found.harm, "succeeds without memory and fails with it"),
        _mean("change", found.change, "rescue - harm, which is the change in resolved rate"),
        f"          {level}, exact bootstrap over tasks: cross pairs of a task are not independent",
        *_tokens(found.tokens),
    ]
    if found.tasks < _FEW:
        lines.append(f"warning   {found.tasks} tasks are few: such an interval is too short")
    return "\n".join(lines)


def _runs(tasks: Sequence[TaskRuns]) -> Iterator[list[tuple[int, ...]]]:
    yield [task.base for task in tasks]
    yield [task.memory for task in tasks]


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low} to {high}"


def _mean(name: str, found: Bootstrap, words: str) -> str:
    interval = f"[{printed(found.low * 100, 1)}, {printed(found.high * 100, 1)}]"
    return f"{name:<9} {percent(found.mean):>6}  {interval:<15}  {words}"


def _tokens(found: TokenSums) -> Iterator[str]:
    def said(count: int | None) -> str:
        return "not counted" if count is None else f"{count}"

    yield (
        f"tokens    solving {said(found.solving)}; building the memory {said(found.building)}; "
        f"together {said(found.sum)}"
    )
    if found.uncounted:
        lack = "task lacks" if found.uncounted == 1 else "tasks lack"
        yield f"          {found.uncounted} {lack} one of the two counts"


# --- token F1 -----------------------------------------------------------------------------------


def token_f1_words(found: TokenF1, errors: Sequence[ClusterError]) -> str:
    """Return the means of both texts and their difference, as text.

    Args:
        found: the figures.
        errors: the cluster-robust intervals of full, extracted and difference.
    """
    clusters = len(found.full.clusters)
    whole, line, apart = errors
    lines = [
        f"items       {found.items} in {clusters} clusters",
        _f1("full", found.full, whole, "the whole response"),
        _f1("line", found.extracted, line, "what follows its last `Answer:`"),
        _f1("line - full", found.difference, apart, "what the form of the answer alone is worth"),
        f"            {share(found.full.confidence)}: {found.full.definition}; cluster-robust t",
        f"            sampler: {found.full.sampler}, {found.full.resamples} resamples",
        f"            {found.definition}",
    ]
    if found.without_line:
        lines.append(
            f"note        {found.without_line} responses have no answer line: their whole text "
            "stands in for it"
        )
    return "\n".join(lines)


def _f1(name: str, found: ClusterBootstrap, error: ClusterError, words: str) -> str:
    drawn = f"[{_points(found.low)}, {_points(found.high)}]"
    robust = f"[{_points(error.low)}, {_points(error.high)}]"
    return f"{name:<11} {_points(found.mean):>6}  {drawn:<15}  {robust:<15}  {words}"


def _points(value: Fraction | float) -> str:
    return printed(value * 100, 1)


# --- controls -----------------------------------------------------------------------------------


def power_words(found: Power) -> str:
    """Return what control batches of these sizes show, as three short tables."""
    lines: list[str] = []
    if found.rows:
        lines += ["rows needed to see a rate of wrong verdicts", *_rows(found.rows), ""]
    if found.gates:
        lines += ["chance that a judge passes a gate", *_gates(found.gates), ""]
    if found.bounds:
        lines += ["what no failure still allows", *_bounds(found.bounds), ""]
    return "\n".join(lines[:-1])


def _rows(rows: Sequence[Rows]) -> Iterator[str]:
    yield f"  {'rate':>8}  {'chance':>8}  {'allowed':>7}  {'pool':>7}  {'rows':>7}"
    for row in rows:
        pool = "-" if row.pool is None else str(row.pool)
        yield (
            f"  {percent(row.rate):>8}  {percent(row.chance):>8}  {row.allowed:>7}  {pool:>7}  "
            f"{row.rows:>7}"
        )


def _gates(gates: Sequence[GatePass]) -> Iterator[str]:
    yield f"  {'accuracy':>8}  {'gate':>9}  {'one arm':>8}  two arms, equally accurate on both"
    for gate in gates:
        of = f"{gate.need}/{gate.asked}"
        yield (
            f"  {percent(gate.accuracy):>8}  {of:>9}  {percent(gate.chance):>8}  "
            f"{percent(gate.chance**2):>8}"
        )


def _bounds(bounds: Sequence[Bound]) -> Iterator[str]:
    yield f"  {'failures':>8}  {'rows':>7}  rate at most ({share(bounds[0].confidence)}, one-sided)"
    for bound in bounds:
        yield f"  {bound.k:>8}  {bound.n:>7}  {_least(bound.value):>8}"


def _least(value: Fraction | float) -> str:
    """A share with two decimals; one too small for them is not called none."""
    told = percent(value, 2)
    return "< 0.01%" if value > 0 and told == "0.00%" else told
