"""Judgments of one condition in, LongMemEval's own result file out.

One line for each item: `{autoeval_label: {label, model}, hypothesis, question_id}`, which its
`print_qa_metrics.py` and this package's own reader take. Undecided items are no lines: in that
format there is no way to say that there is no verdict.
"""

from collections.abc import Sequence
from pathlib import Path

from judge.canonical import encode
from judge.errors import InputError
from judge.judgments import Judgment
from judge.recount import Proof
from judge.tables import replaced

__all__ = ["write_autoeval"]

_SHOWN = 8


def write_autoeval(
    proof: Proof,
    rows: Sequence[Judgment],
    path: Path,
    *,
    chosen: tuple[str | None, int | None] = (None, None),
    decided_only: bool = False,
    force: bool = False,
) -> int:
    """Write one condition and repetition of a run and return how many items were left out.

    Args:
        proof: the run.
        rows: its answers.
        path: the file.
        chosen: the condition and the repetition, where there are several.
        decided_only: leave out items without a verdict, instead of refusing.
        force: write over a file that exists.

    Raises:
        InputError: several conditions and none chosen, a run that scored nothing, grades, an item
            without a verdict, no verdict at all, or a public export, which holds no answers.
        StorageError: it cannot be written.
    """
    if proof.state in {"open", "gate-failed"}:
        raise InputError(f"the run is {proof.state}: it has no result to be written")
    condition, repetition = _chosen(proof, chosen)
    own = [r for r in rows if (r.condition, r.repetition) == (condition, repetition)]
    undecided = [row.item for row in own if row.label is None]
    if undecided and not decided_only:
        names = ", ".join(undecided[:_SHOWN]) + (", …" if len(undecided) > _SHOWN else "")
        raise InputError(
            f"{len(undecided)} items have no verdict, and an undecided item is neither true nor "
            f"false: {names}; --decided-only leaves them out"
        )
    if any(row.response is None for row in own):
        raise InputError("a public export holds no saved answers; use the run itself")
    if any(row.label is not None and row.accepted is None for row in own):
        raise InputError("the rubric gives grades, and this format has only true and false")
    if len(undecided) == len(own):
        raise InputError("no item has a verdict: there is no result to be written")
    lines = b"".join(_line(row) for row in own if row.label is not None)
    replaced(path, lambda file: file.write(lines), force=force)
    return len(undecided)


def _chosen(proof: Proof, chosen: tuple[str | None, int | None]) -> tuple[str, int]:
    conditions = [condition.id for condition in proof.plan.conditions]
    condition, repetition = chosen
    if condition is None and len(conditions) > 1:
        raise InputError(f"there are {len(conditions)} conditions; name one: --condition c1")
    if condition is not None and condition not in conditions:
        raise InputError(f"no condition {condition}; there are {', '.join(conditions)}")
    count = proof.plan.repetitions
    if repetition is None and count > 1:
        raise InputError(f"everything was asked {count} times; name one: --repetition 1")
    if repetition is not None and not 1 <= repetition <= count:
        raise InputError(f"no repetition {repetition}; there are 1 to {count}")
    return condition or conditions[0], repetition or 1


def _line(row: Judgment) -> bytes:
    label = {"label": row.accepted is True, "model": row.model_returned or row.model_requested}
    answer = row.response if row.saved is None else row.saved
    told = {"autoeval_label": label, "hypothesis": answer, "question_id": row.item}
    return encode(told) + b"\n"  # type: ignore[arg-type]
