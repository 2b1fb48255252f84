"""What a run promises about every request, checked on its lines and on what a server saw.

In: the lines of receipts.jsonl as plain JSON, and how often the server got each body. Out: the
promises that were broken, a sentence each. It shares no code with the package.
"""

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Line", "broken", "digests", "lines", "requests"]


@dataclass(frozen=True)
class Line:
    """One line of receipts.jsonl."""

    public: dict[str, Any]
    private: dict[str, Any]

    @property
    def kind(self) -> str:
        """The line's kind."""
        return str(self.public["kind"])


def lines(folder: Path) -> tuple[Line, ...]:
    """Return every line of a run, as plain JSON."""
    rows = map(json.loads, (folder / "receipts.jsonl").read_bytes().splitlines())
    return tuple(Line(row["public"], row.get("private", {})) for row in rows)


def digests(bodies: Iterable[bytes]) -> Counter[str]:
    """Return how often each body was seen, by its SHA-256."""
    return Counter(hashlib.sha256(body).hexdigest() for body in bodies)


def requests(lines: Iterable[Line]) -> Counter[str]:
    """Return how often each body was intended, by its SHA-256."""
    return digests(_body(line) for line in lines if line.kind == "intent")


def _body(intent: Line) -> bytes:
    kept = intent.private["request"]
    data: str = kept["data"]
    return data.encode() if kept["enc"] == "utf8" else base64.b64decode(data)


def broken(lines: Iterable[Line], seen: Counter[str]) -> list[str]:
    """Return what was promised and not kept; empty when all was.

    Every request seen was intended, as often as it was seen. No cell is asked again after it was
    closed, and an attempt that follows one whose answer may have been lost is marked.
    """
    lines = tuple(lines)
    intended = requests(lines)
    found = [
        f"request {body[:12]} was seen {count} times and intended {intended[body]}"
        for body, count in sorted(seen.items())
        if count > intended[body]
    ]
    return [*found, *_attempts(lines)]


@dataclass
class _Cell:
    attempts: int = 0
    open: bool = False
    lost: bool = False
    closed: bool = False


def _attempts(lines: Iterable[Line]) -> Iterator[str]:
    cells: dict[tuple[object, ...], _Cell] = {}
    for line in lines:
        if line.kind == "resumed" and line.public["recheck"]:
            for key, cell in cells.items():
                cell.closed = cell.closed and key[0] == "answer"
        if line.kind not in {"intent", "receipt"}:
            continue
        key = tuple(
            line.public[name] for name in ("phase", "batch", "condition", "repetition", "row")
        )
        cell = cells.setdefault(key, _Cell())
        if line.kind == "intent":
            yield from _asked(key, cell, line)
        else:
            cell.open = False
            cell.lost = cell.lost or line.public["outcome"] == "unknown"
            cell.closed = line.public["final"]


def _asked(key: tuple[object, ...], cell: _Cell, intent: Line) -> Iterator[str]:
    cell.lost = cell.lost or cell.open
    cell.attempts += 1
    if cell.closed:
        yield f"{key} was asked again after it was closed"
    if intent.public["attempt"] != cell.attempts:
        yield f"{key}: attempt {intent.public['attempt']} is its {cell.attempts}."
    if intent.public["after_unknown"] != cell.lost:
        yield f"{key}: attempt {cell.attempts} is marked {intent.public['after_unknown']}"
    cell.open = True
