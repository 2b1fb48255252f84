"""Columns in, the shortest names that tell them apart out."""

from collections.abc import Sequence

from judge.studies.columns import Column

__all__ = ["short_names"]


def short_names(columns: Sequence[Column]) -> tuple[str, ...]:
    """Return a name for each column made of the parts in which the columns differ."""
    families = {column.rubric.partition("/")[0] for column in columns}
    parts = [
        (
            column.source,
            column.answers,
            column.rubric.partition("/")[2] if len(families) == 1 else column.rubric,
            column.judge,
            f"@{column.repetition}",
        )
        for column in columns
    ]
    varying = [place for place in range(5) if len({each[place] for each in parts}) > 1]
    used = varying or [1]
    return tuple(" · ".join(each[place] for place in used) for each in parts)
