"""Columns of labels made for a test, as a proved run gives them, without the run.

In: the labels, and what the column was made from. Out: the column. Nothing is asked or read.
"""

from collections.abc import Sequence
from typing import Any

from judge.studies.columns import Column, Made, Row

__all__ = ["NO", "YES", "column"]

YES, NO = "yes", "no"


def column(said: Sequence[str | None], **changes: Any) -> Column:  # noqa: ANN401 - its fields
    """Return a column of these labels; `ids` and `type` are of its items, the rest its fields."""
    ids = changes.pop("ids", [f"q{number}" for number in range(len(said))])
    kind = changes.pop("type", "base")
    fields: dict[str, Any] = {
        "source": "run",
        "condition": "c1",
        "repetition": 1,
        "answers": "pass1",
        "rubric": "one/a",
        "judge": "judge-1",
        "labels": (YES, NO),
        "accept": YES,
        "state": "complete" if None not in said else "incomplete",
        **changes,
    }
    shared = fields["answers"], fields["rubric"], fields["judge"]
    made = fields.pop("made", Made(*shared))
    accept = fields["accept"]
    rows = tuple(
        Row(i, kind, label, None if label is None or accept is None else label == accept, None)
        for i, label in zip(ids, said, strict=True)
    )
    name = f"{fields['source']}: {' | '.join(shared)} @{fields['repetition']}"
    return Column(name=name, made=made, rows=rows, **fields)
