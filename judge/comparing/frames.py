"""A data frame in, one side out: pandas, polars, or any mapping of column names to values.

Only `frame[column]` and, where the column has it, `to_list` are used, so no such library is needed.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Protocol

from judge.answers.places import listed, quoted
from judge.comparing.labels import Scale, settled
from judge.comparing.sides import Side, Source, Verdict, print_of, side
from judge.errors import InputError

__all__ = ["Frame", "is_frame", "verdicts"]

_KNOWN = {
    "id": ("question_id", "id"),
    "label": ("label", "verdict"),
    "type": ("question_type", "type"),
    "response": ("hypothesis", "response", "output"),
}
_NEEDED = frozenset({"id", "label"})
_MISSING = {"NAType", "NaTType"}


class Frame(Protocol):
    """What is asked of a frame."""

    def __getitem__(self, name: str, /) -> Iterable[object]:
        """Return the column of this name."""


def is_frame(value: object) -> bool:
    """Say whether a value can be read as columns by name."""
    return isinstance(value, Mapping) or (hasattr(value, "columns") and hasattr(value, "shape"))


def verdicts(
    frame: Frame,
    *,
    columns: Mapping[str, str] | None = None,
    accept: tuple[str, ...] = (),
    reject: tuple[str, ...] = (),
    name: str = "frame",
) -> Side:
    """Return the verdicts of a frame: one row per item; a missing label is undecided.

    Args:
        frame: pandas, polars, or a mapping of names to columns.
        columns: `id`, `label`, `type`, `response` to the frame's own names; by default the usual
            names are looked for.
        accept: labels that count as correct, beside `yes` and true.
        reject: labels that do not, beside `no` and false.
        name: what to call the side.

    Raises:
        InputError: a column is missing, an id is empty or comes twice, or nobody says what a label
            means.
    """
    found = _columns(frame, columns or {}, name)
    rows = {field: _values(frame, column) for field, column in found.items()}
    ids = [_id(value, f"{name}: row {i}") for i, value in enumerate(rows["id"])]
    _check(name, ids, rows)
    labels = [_label(value, f"{name}: row {i}") for i, value in enumerate(rows["label"])]
    counts = Counter(label for label in labels if label is not None)
    accepted = settled(counts, Scale(accept=accept, reject=reject), name)
    types = [None if _missing(v) else str(v) for v in rows.get("type", [None] * len(ids))]
    texts = rows.get("response", [None] * len(ids))
    made = [
        Verdict(
            identity,
            kind,
            label,
            None if label is None else accepted[label],
            print_of(text) if isinstance(text, str) else None,
            None,
        )
        for identity, kind, label, text in zip(ids, types, labels, texts, strict=True)
    ]
    return side(Source(name, "frame"), made)


def _columns(frame: Frame, named: Mapping[str, str], name: str) -> dict[str, str]:
    if unknown := sorted(set(named) - set(_KNOWN)):
        raise InputError(f"{name}: no field {quoted(unknown[0])}; there are {', '.join(_KNOWN)}")
    there = _names(frame)
    found: dict[str, str] = {}
    for field, known in _KNOWN.items():
        wanted = (named[field],) if field in named else known
        candidates = [column for column in wanted if column in there]
        if len(candidates) > 1:
            raise InputError(f"{name}: {field} may stand in {listed(candidates)}; say which")
        if candidates:
            found[field] = candidates[0]
        elif field in _NEEDED or field in named:
            raise InputError(f"{name}: no column for {field}; there are {listed(there, 20)}")
    return found


def _names(frame: Frame) -> list[str]:
    # Iterating polars gives columns, not their names; a mapping has no `columns`.
    names = frame if isinstance(frame, Mapping) else getattr(frame, "columns", ())
    return [str(name) for name in names]


def _values(frame: Frame, column: str) -> list[object]:
    values = frame[column]
    for method in ("to_list", "tolist"):
        if hasattr(values, method):
            return list(getattr(values, method)())
    return list(values)


def _check(name: str, ids: list[str], rows: Mapping[str, list[object]]) -> None:
    for field, values in rows.items():
        if len(values) != len(ids):
            raise InputError(f"{name}: {len(ids)} ids but {len(values)} values of {field}")
    twice = [identity for identity, count in Counter(ids).items() if count > 1]
    if twice:
        raise InputError(
            f"{name}: {len(twice)} ids come more than once ({listed(twice)}); give one row per "
            "item: repeated judgments of one item are not independent items"
        )


def _missing(value: object) -> bool:
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or type(value).__name__ in _MISSING


def _id(value: object, where: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{where}: the id is empty or no text; give every item its own")
    return value


def _label(value: object, where: str) -> str | None:
    if _missing(value):
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    # A column of whole numbers with gaps becomes one of floats.
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return str(int(value))
    if not isinstance(value, str) or not value.strip():
        raise InputError(
            f"{where}: the label is empty, or neither text, true or false nor a whole number"
        )
    return value
