"""A file that sorts items in; the stratum of each item out.

Used for `--by FILE`, where the sorting is chosen after the fact and is marked so, and for the types
of items in an answer key.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from judge.answers.places import listed, quoted
from judge.answers.values import as_text
from judge.comparing.tables import Fields, Picked, TableFile
from judge.errors import InputError
from judge.records import Record

__all__ = ["Strata", "StrataFile", "read_strata", "read_types"]

_IDS = ("question_id", "id")
_USUAL = ("stratum", "group")


class StrataFile(Record):
    """The file items were sorted by."""

    name: str
    sha256: str
    column: str


@dataclass(frozen=True, slots=True)
class Strata:
    """The strata of items, by id."""

    file: StrataFile
    of: Mapping[str, str]


def read_strata(path: Path, column: str | None, ids: tuple[str, ...]) -> Strata:
    """Return the stratum of every row.

    Args:
        path: JSON Lines, a JSON list, or CSV.
        column: where the stratum stands; by default `stratum` or `group`, else the only column
            beside the id.
        ids: further names of the id column.

    Raises:
        InputError: no table, an id that comes twice, no such column, or a row without a stratum.
    """
    fields = Fields({"id": _IDS}, frozenset({"id"}), {"id": ids})
    file, of = TableFile(path, fields), dict[str, str]()
    used = column
    for name, picked in file:
        used = _used(picked, used, (*_IDS, *ids), file.name)
        of[name] = _stratum(picked, used)
    return Strata(StrataFile(name=file.name, sha256=file.sha256, column=used or ""), of)


def _used(picked: Picked, column: str | None, ids: tuple[str, ...], name: str) -> str:
    if column is not None:
        if column not in picked.row:
            raise InputError(f"{picked.place}: no column {quoted(column)}; give every row one")
        return column
    usual = [other for other in _USUAL if other in picked.row]
    others = usual or [other for other in picked.row if other not in ids]
    if len(others) != 1:
        raise InputError(
            f"{name}: the stratum may stand in {listed(others, 20) or 'no column'}; "
            "say which with --by-column COLUMN"
        )
    return others[0]


def _stratum(picked: Picked, column: str) -> str:
    value = picked.row[column]
    text = as_text(value)
    if value is None or text is None or not text.strip():
        raise InputError(f"{picked.place}: column {quoted(column)} names no stratum; fill it in")
    return text


def read_types(path: Path, ids: tuple[str, ...]) -> Mapping[str, str]:
    """Return the type of every row of an answer key.

    Raises:
        InputError: no table, an id that comes twice, or a row without a type.
    """
    known = {"id": _IDS, "type": ("question_type", "type")}
    fields = Fields(known, frozenset(known), {"id": ids})
    return {name: picked.cells["type"].type() for name, picked in TableFile(path, fields)}
