"""Saved runs and saved answers in; the inputs of figures that need no judge out.

Rescue and Harm take one row per task with the outcomes of its runs without and with memory, or
verdicts of whole runs. Token F1 takes responses beside their gold answers. The power of controls
takes sizes and rates.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from judge.comparing import CompareOptions
from judge.comparing.joining import join
from judge.comparing.opening import read_sides
from judge.comparing.tables import Fields, Picked, TableFile
from judge.errors import InputError
from judge.records import Count, Listed, Record
from judge.stats.controls import (
    GatePass,
    Rows,
    chance_to_pass,
    least_correct,
    rows_needed,
    rows_needed_of_pool,
)
from judge.stats.proportion import Bound, one_sided_upper
from judge.stats.rescue_harm import TaskRuns
from judge.stats.token_f1 import Answered

__all__ = ["Power", "PowerOptions", "answered", "control_power", "tasks_of_sides"]

_IDS = ("question_id", "id")
_GOLD = ("gold", "answer", "reference")
_KNOWN = {
    "id": _IDS,
    "response": ("hypothesis", "response", "output"),
    "gold": _GOLD,
    "cluster": ("cluster",),
}


class PowerOptions(Record):
    """The sizes and rates of control batches."""

    rate: Listed[str] = ("0.01", "0.02", "0.05", "0.1", "0.2")
    """Rates of wrong verdicts that are to be seen."""
    chance: str = "0.95"
    """With which they are to be seen."""
    allowed: Count = 0
    """Failures that still count as a pass."""
    pool: Count | None = None
    """Rows to draw from without replacement, in place of rates."""
    bad: Count | None = None
    """Bad rows in the pool."""
    asked: Count = 12
    """Controls of one arm."""
    threshold: str = "0.9"
    need: Count | None = None
    """Correct ones needed; null: by the threshold."""
    accuracy: Listed[str] = ("0.5", "0.8", "0.9", "0.95", "0.99")
    clean: Listed[Count] = (12, 24, 60, 100, 300)
    """Sizes of batches without a failure."""
    confidence: str = "0.95"


class Power(Record):
    """What control batches show."""

    rows: Listed[Rows]
    """Rows needed to see a rate."""
    gates: Listed[GatePass]
    """The chance that a judge of an accuracy passes one arm."""
    bounds: Listed[Bound]
    """What no failure in so many rows still allows."""


def control_power(options: PowerOptions) -> Power:
    """Return what such batches show; all chances are exact.

    Raises:
        InputError: a share outside 0 to 1, a gate that is none, or a pool without its bad rows.
    """
    least = options.need
    if least is None:
        least = least_correct(options.threshold, options.asked)
    return Power(
        rows=tuple(_rows(options)),
        gates=tuple(chance_to_pass(options.asked, least, one) for one in options.accuracy),
        bounds=tuple(one_sided_upper(0, n, options.confidence) for n in options.clean),
    )


def _rows(options: PowerOptions) -> Iterator[Rows]:
    pool, bad = options.pool, options.bad
    if pool is None and bad is None:
        for rate in options.rate:
            yield rows_needed(rate, options.chance, options.allowed)
    elif pool is None or bad is None:
        raise InputError("--pool N and --bad M go together: M of the N rows are bad")
    else:
        yield rows_needed_of_pool(pool, bad, options.chance, options.allowed)


def tasks_of_sides(
    base: Sequence[str], memory: Sequence[str], options: CompareOptions
) -> tuple[TaskRuns, ...]:
    """Return one task per item: its verdicts on the sides without and on those with memory.

    Tokens are not counted there, so both sums are null.

    Raises:
        InputError: no side without or with memory, or sides that cannot be read or joined.
        VerificationError: a run that does not prove what it claims.
    """
    if not base or not memory:
        raise InputError("Rescue and Harm need runs without memory (--base) and with (--memory)")
    joined = join(read_sides((*base, *memory), options), options)
    return tuple(
        TaskRuns(
            task=joint.id,
            base=tuple(_outcome(v.accepted is True) for v in joint.verdicts[: len(base)]),
            memory=tuple(_outcome(v.accepted is True) for v in joint.verdicts[len(base) :]),
        )
        for joint in joined.items
    )


def _outcome(resolved: bool) -> Literal[0, 1]:  # noqa: FBT001 - the one thing it is about
    return 1 if resolved else 0


def answered(
    path: Path, named: Mapping[str, tuple[str, ...]], references: Path | None = None
) -> tuple[Answered, ...]:
    """Return every response of a file beside its gold answer, in the order of the file.

    Args:
        path: JSON Lines, a JSON list or CSV.
        named: columns by field: id, response, gold, cluster.
        references: an answer key with the gold answers, where the file has none.

    Raises:
        InputError: no table, an id that comes twice, a column or a gold answer that is missing, or
            a cluster on some rows only.
    """
    needed = {"id", "response"} if references else {"id", "response", "gold"}
    fields = Fields(_KNOWN, frozenset(needed), named)
    golds = {} if references is None else _golds(references, named.get("id", ()))
    file, rows, clustered = TableFile(path, fields), list[Answered](), 0
    for name, picked in file:
        clustered += "cluster" in picked.cells
        rows.append(_answered(name, picked, golds if references else None, str(references)))
    fields.check_met()
    if clustered not in {0, len(rows)}:
        raise InputError(
            f"{file.name}: {clustered} of {len(rows)} rows have a cluster; give every row one, "
            "or none"
        )
    return tuple(rows)


def _golds(path: Path, ids: tuple[str, ...]) -> dict[str, str]:
    fields = Fields({"id": _IDS, "gold": _GOLD}, frozenset({"id", "gold"}), {"id": ids})
    return {name: picked.cells["gold"].gold() for name, picked in TableFile(path, fields)}


def _answered(name: str, picked: Picked, golds: Mapping[str, str] | None, key: str) -> Answered:
    if golds is not None and name not in golds:
        raise InputError(f"{picked.place}: no row of {key} has this id; add its gold answer")
    cluster = picked.cells.get("cluster")
    return Answered(
        id=name,
        cluster=name if cluster is None else cluster.id(),
        response=picked.cells["response"].response(allow_empty=True),
        gold=picked.cells["gold"].gold() if golds is None else golds[name],
    )
