"""Verdict files made for a test: ids, labels, and whatever else the rows hold."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["both", "labelled", "written"]

Row = Mapping[str, object]


def written(path: Path, rows: Sequence[Row]) -> Path:
    """Write rows as JSON Lines and return the path."""
    text = "".join(json.dumps(row) + "\n" for row in rows)  # noqa: TID251 - a foreign file
    path.write_text(text, encoding="utf-8")
    return path


def labelled(path: Path, labels: Sequence[object], **more: Sequence[object]) -> Path:
    """Write one row per label, with ids q0, q1, … and further columns."""
    rows = [
        {"id": f"q{i}", "label": label, **{name: column[i] for name, column in more.items()}}
        for i, label in enumerate(labels)
    ]
    return written(path, rows)


def both(folder: Path, n: int, b: int, c: int, agreed: int | None = None) -> tuple[str, str]:
    """Write two files of n items: b accepted by the first only, c by the second only."""
    yes = (n - b - c) // 2 if agreed is None else agreed
    no = n - b - c - yes
    first = [True] * b + [False] * c + [True] * yes + [False] * no
    second = [False] * b + [True] * c + [True] * yes + [False] * no
    return (
        str(labelled(folder / "first.jsonl", first)),
        str(labelled(folder / "second.jsonl", second)),
    )
