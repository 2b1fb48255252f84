"""A file of rows in, its fields out, their columns found by name.

A column the caller names for a field wins; where a file has none of those, the names that are known
count. Two candidates in one row are refused, never chosen between.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from judge.answers.files import Opened
from judge.answers.places import Place, listed, quoted, shown
from judge.answers.rows import Row, table
from judge.answers.values import Cell
from judge.errors import InputError

__all__ = ["Fields", "Picked", "TableFile"]

_LAYOUTS = 1000
"""Sets of columns remembered: a file whose every row has its own must not fill memory."""


class Picked(NamedTuple):
    """One row: the fields it has, each as a cell and as it stands in the file."""

    place: Place
    cells: Mapping[str, Cell]
    values: Mapping[str, object]
    row: Mapping[str, object]
    """All columns of the row."""


class Fields:
    """The fields wanted of every file, the columns known for them, and those the caller named."""

    def __init__(
        self,
        known: Mapping[str, tuple[str, ...]],
        needed: frozenset[str],
        named: Mapping[str, tuple[str, ...]],
    ) -> None:
        """Take them together.

        Raises:
            InputError: the caller named a field there is not.
        """
        for field in named:
            if field not in known:
                raise InputError(
                    f"--field {quoted(field)}: no such field; there are {', '.join(known)}"
                )
        self.known = known
        self.needed = needed
        self.named = named
        self._met: set[str] = set()

    @property
    def ids(self) -> tuple[str, ...]:
        """The names the id column may have."""
        return (*self.named.get("id", ()), *self.known["id"])

    def column(self, field: str, row: Row) -> str | None:
        """Return the row's column for a field, null where it has none.

        Raises:
            InputError: there are several, or none and the field is needed.
        """
        named = [name for name in self.named.get(field, ()) if name in row.cells]
        self._met.update(named)
        taken = {name for names in self.named.values() for name in names}
        known = [name for name in self.known[field] if name in row.cells and name not in taken]
        found = named or known
        if len(found) > 1:
            raise InputError(
                f"{row.place}: {field} may stand in {listed(found)}; say which with "
                f"--field {field}=COLUMN"
            )
        if not found and field in self.needed:
            raise InputError(
                f"{row.place}: no column for {field}; name it with --field {field}=COLUMN; "
                f"there are {listed(row.cells, 20)}"
            )
        return found[0] if found else None

    def check_met(self) -> None:
        """Return when every column the caller named was met in some file.

        Raises:
            InputError: one was in none: a slip of the pen would read another column unseen.
        """
        for field, names in self.named.items():
            for name in names:
                if name not in self._met:
                    raise InputError(
                        f"--field {field}={quoted(name)}: no file has that column; "
                        "mend the name or leave it out"
                    )


class TableFile:
    """One file, read forward once; ids come once each."""

    def __init__(self, path: Path, fields: Fields) -> None:
        self._path = path
        self._fields = fields
        self.name = shown(path)
        self.sha256 = ""
        """Known when every row was read."""
        self._layouts: dict[tuple[str, ...], dict[str, str]] = {}
        self._used: dict[str, str] = {}

    def __iter__(self) -> Iterator[tuple[str, Picked]]:
        """Yield each row with its id.

        Raises:
            InputError: not a table, a column that is missing or moves, or an id that comes twice.
        """
        seen: dict[str, int] = {}
        with Opened(self._path) as source:
            form, rows = table(source, self._fields.ids)
            for row in rows:
                picked = self._picked(row, csv=form == "csv")
                name = picked.cells["id"].id()
                if seen.setdefault(name, row.place.packed) != row.place.packed:
                    first = Place.unpacked(self.name, seen[name])
                    raise InputError(
                        f"{row.place}: id {quoted(name)} stands at {first} already; the item is "
                        "the unit, so give one row per item: repeated judgments of one item are "
                        "not independent items"
                    )
                yield name, picked
            self.sha256 = source.taken().sha256
        if not seen:
            raise InputError(f"{self.name}: has no rows")

    def _picked(self, row: Row, *, csv: bool) -> Picked:
        layout, place, values = self._layout(row), row.place, row.cells
        return Picked(
            place,
            {field: Cell(place, name, values[name], csv=csv) for field, name in layout.items()},
            {field: values[name] for field, name in layout.items()},
            values,
        )

    def _layout(self, row: Row) -> dict[str, str]:
        names = tuple(row.cells)
        layout = self._layouts.get(names)
        if layout is None:
            if len(self._layouts) >= _LAYOUTS:
                self._layouts.clear()
            layout = self._layouts[names] = self._found(row)
        return layout

    def _found(self, row: Row) -> dict[str, str]:
        layout: dict[str, str] = {}
        for field in self._fields.known:
            column = self._fields.column(field, row)
            if column is None:
                continue
            if self._used.setdefault(field, column) != column:
                raise InputError(
                    f"{row.place}: {field} stands in {quoted(column)} here and in "
                    f"{quoted(self._used[field])} above; give every row the same columns"
                )
            layout[field] = column
        return layout
