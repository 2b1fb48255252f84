"""A verdict file in, one side out.

Known are LongMemEval's eval results (`autoeval_label`), the rows of its evidence release
(`llm_judge_correct`, `attempts`), and JSON Lines, JSON or CSV with an id and a label column.
"""

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from judge.answers.places import listed
from judge.comparing.labels import Scale, settled
from judge.comparing.sides import Side, Source, Verdict, print_of, side
from judge.comparing.tables import Fields, Picked, TableFile
from judge.errors import InputError

__all__ = ["read_file", "verdict_fields"]

_KNOWN = {
    "id": ("question_id", "id"),
    "type": ("question_type", "type"),
    "label": ("autoeval_label", "llm_judge_correct", "label", "verdict", "prior"),
    "response": ("hypothesis", "response", "output"),
}
_NAMED_AT_MOST = 10
_MODEL_CAP = 200
_BOOLEANS = {"true": "yes", "false": "no"}


def verdict_fields(named: Mapping[str, tuple[str, ...]]) -> Fields:
    """Return the fields of verdict files, with the columns the caller named.

    Raises:
        InputError: the caller named a field there is not.
    """
    return Fields(_KNOWN, frozenset({"id"}), named)


class _Row(NamedTuple):
    id: str
    type: str | None
    label: str | None
    answer: bytes | None


def read_file(path: Path, fields: Fields, scale: Scale) -> Side:
    """Return the verdicts of a file, in its order; a row without a label is undecided.

    Raises:
        InputError: not a table, an id that comes twice, no label column, or a label of which
            nobody says whether it counts as correct; names file and line.
    """
    file = TableFile(path, fields)
    models: dict[str, None] = {}
    columns: dict[str, None] = {}
    rows: list[_Row] = []
    labelled = 0
    for name, picked in file:
        rows.append(_row(name, picked))
        labelled += "label" in picked.values
        if not labelled:
            columns.update(dict.fromkeys(picked.row))
        model = _model(picked.values.get("label"))
        if model is not None and len(models) < _NAMED_AT_MOST:
            models[model] = None
    if not labelled:
        raise InputError(
            f"{file.name}: no column for label; name it with --field label=COLUMN; there are "
            f"{listed(columns, 20)}"
        )
    counts = Counter(row.label for row in rows if row.label is not None)
    accepted = settled(counts, scale, file.name)
    verdicts = [
        Verdict(
            row.id,
            row.type,
            row.label,
            None if row.label is None else accepted[row.label],
            row.answer,
            None,
        )
        for row in rows
    ]
    return side(Source(file.name, "file", file.sha256, tuple(models)), verdicts)


def _row(name: str, picked: Picked) -> _Row:
    kind, response = picked.cells.get("type"), picked.values.get("response")
    # A type is missing where the column is empty; an answer that is no text is simply not compared.
    known = kind is not None and picked.values["type"] not in {None, ""}
    text = isinstance(response, str)
    if text:
        response = picked.cells["response"].response(allow_empty=True)
    return _Row(
        name,
        sys.intern(kind.type()) if kind is not None and known else None,
        _label(picked),
        print_of(response) if isinstance(response, str) else None,
    )


def _label(picked: Picked) -> str | None:
    value = picked.values.get("label")
    # Writers of JSON Lines leave out what is null.
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        return sys.intern(str(value))
    try:
        label = picked.cells["label"].prior(picked.row.get("attempts"))
    except InputError as error:
        if isinstance(value, float):
            raise InputError(
                f"{picked.place}: the label is a number with decimals: a grade, not a verdict; "
                "compare labels, or round the grades to them first"
            ) from error
        raise
    if label is None:
        return None
    # CSV has no booleans, and some writers quote them in JSON.
    return sys.intern(_BOOLEANS.get(label.lower(), label))


def _model(value: object) -> str | None:
    model = value.get("model") if isinstance(value, dict) else None
    return model[:_MODEL_CAP] if isinstance(model, str) and model else None
