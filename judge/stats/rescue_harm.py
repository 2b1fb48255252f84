"""Tasks run several times without and with memory in; Rescue, Harm and token sums out.

Rescue is the chance that a run without memory fails and one with memory succeeds, over all cross
pairs of a task's runs; Harm is the reverse. Rescue - Harm is the change in resolved rate, exactly.
The cross pairs are not independent: intervals resample tasks.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Literal

import pydantic
from pydantic import Field

from judge.errors import InputError
from judge.records import Record
from judge.stats.bootstrap import Bootstrap, bootstrap_mean
from judge.stats.exact import Count, Result, checked_counts

__all__ = [
    "CrossPairs",
    "RescueHarm",
    "TaskRuns",
    "TokenSums",
    "cross_pairs",
    "rescue_harm",
    "tasks_from_jsonl",
]

Outcomes = Annotated[tuple[Literal[0, 1], ...], Field(min_length=1)]


class TaskRuns(Record):
    """One task: 1 for each run that resolved it, 0 for each that did not."""

    task: Annotated[str, Field(min_length=1)]
    base: Outcomes
    """Runs without memory."""
    memory: Outcomes
    """Runs with memory."""
    solve_tokens: Count | None = None
    """Tokens spent on solving with memory, over its runs; null: not counted."""
    memory_tokens: Count | None = None
    """Tokens spent on building the memory; null: not counted."""


class CrossPairs(Result):
    """One task's shares over all pairs of a run without and a run with memory."""

    base_resolved: Count
    base_runs: Count
    memory_resolved: Count
    memory_runs: Count
    rescue: Fraction
    harm: Fraction
    change: Fraction
    """The resolved rate with memory minus the one without; equals rescue - harm."""


class TokenSums(Record):
    """Tokens over all tasks; null when any task has not counted them."""

    solving: Count | None
    building: Count | None
    """Of the memory: left out of the solving tokens, and so easily left out of the cost."""
    sum: Count | None
    uncounted: Count
    """Tasks that lack one of the two."""


class RescueHarm(Result):
    """The means over tasks, each with the exact interval of a bootstrap over tasks."""

    tasks: Count
    rescue: Bootstrap
    harm: Bootstrap
    change: Bootstrap
    tokens: TokenSums


def cross_pairs(
    base_resolved: int, base_runs: int, memory_resolved: int, memory_runs: int
) -> CrossPairs:
    """Return Rescue and Harm of one task from its counts: (r - k) m / (r s) and k (s - m) / (r s).

    With k of r runs resolved without and m of s with memory.

    Raises:
        InputError: no runs, or more resolved than run.
    """
    k, r, m, s = base_resolved, base_runs, memory_resolved, memory_runs
    checked_counts({"resolved without": k, "runs without": r, "resolved with": m, "runs with": s})
    if not (0 <= k <= r and 0 <= m <= s and r and s):
        raise InputError(f"{k} of {r} and {m} of {s} runs have no cross pairs")
    return CrossPairs(
        definition="shares of all cross pairs of runs of one task",
        base_resolved=k,
        base_runs=r,
        memory_resolved=m,
        memory_runs=s,
        rescue=Fraction((r - k) * m, r * s),
        harm=Fraction(k * (s - m), r * s),
        change=Fraction(m, s) - Fraction(k, r),
    )


def rescue_harm(tasks: Sequence[TaskRuns], confidence: Fraction | str = "0.95") -> RescueHarm:
    """Return Rescue, Harm and the change in resolved rate, averaged over tasks.

    Raises:
        InputError: no tasks, a task that comes twice, no such confidence, or numpy is missing and
            there are many tasks.
    """
    ids = [row.task for row in tasks]
    found = [
        cross_pairs(sum(row.base), len(row.base), sum(row.memory), len(row.memory)) for row in tasks
    ]
    return RescueHarm(
        definition="means over tasks of the cross-pair shares, bootstrap over tasks",
        tasks=len(tasks),
        rescue=bootstrap_mean(ids, [pair.rescue for pair in found], confidence),
        harm=bootstrap_mean(ids, [pair.harm for pair in found], confidence),
        change=bootstrap_mean(ids, [pair.change for pair in found], confidence),
        tokens=_tokens(tasks),
    )


def _tokens(tasks: Sequence[TaskRuns]) -> TokenSums:
    solving = _sum([row.solve_tokens for row in tasks])
    building = _sum([row.memory_tokens for row in tasks])
    return TokenSums(
        solving=solving,
        building=building,
        sum=None if solving is None or building is None else solving + building,
        uncounted=sum(None in {row.solve_tokens, row.memory_tokens} for row in tasks),
    )


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def tasks_from_jsonl(data: bytes, source: str) -> tuple[TaskRuns, ...]:
    """Return the tasks of a JSONL file, one object per line; `source` is its name in messages.

    Raises:
        InputError: no task, or a line that is not one, with its number.
    """
    tasks = []
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        try:
            tasks.append(TaskRuns.load(line))
        except pydantic.ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "the line"
            raise InputError(
                f"{source}:{number}: {where[:80]}: {first['msg'][:120]}; a task is"
                ' {"task", "base": [0 or 1, …], "memory": [0 or 1, …],'
                ' "solve_tokens", "memory_tokens"}'
            ) from error
    if not tasks:
        raise InputError(f"{source}: no tasks")
    return tuple(tasks)
