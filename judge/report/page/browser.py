"""Every judgment as compact data that a page can search: columns of numbers and a list of texts.

A text stands once however often it is used. Texts of items that got one label everywhere are
embedded up to a limit; what is left out is counted and said.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from judge.report.page.naming import short_names
from judge.report.page.texts import visible
from judge.studies.columns import Column, Row

__all__ = ["Browser", "browser"]

LIMIT = 20_000_000
"""Bytes of texts of items that nobody disagrees on."""
_NONE = -1


@dataclass(frozen=True, slots=True)
class Browser:
    """The data, and what is not in it."""

    data: dict[str, object]
    rows: int
    texts_left_out: int
    """Items whose texts were left out."""


class _Texts:
    """Distinct texts, numbered."""

    def __init__(self) -> None:
        self.list: list[str] = []
        self._places: dict[str, int] = {}

    def put(self, text: str | None) -> int:
        if text is None:
            return _NONE
        if text not in self._places:
            self._places[text] = len(self.list)
            self.list.append(text)
        return self._places[text]


class _Table:
    """The rows of all columns, and the facts of each item once."""

    def __init__(self, differing: Collection[str], texts: str, limit: int) -> None:
        self.found = _Texts()
        self.items: dict[str, int] = {}
        self.kept: list[bool] = []
        self.facts: dict[str, list[object]] = {name: [] for name in _OF_ITEM}
        self.rows: dict[str, list[int]] = {name: [] for name in _OF_ROW}
        self._differing, self._texts, self._left = differing, texts, limit

    def put(self, place: int, row: Row) -> None:
        number = self.items.get(row.item)
        if number is None:
            number = self._item(row)
        said, keep = row.judgment, self.kept[number]
        values = (
            number,
            place,
            self.found.put(row.label),
            self.found.put(None if said is None else said.reason),
            self.found.put(None if said is None else said.prior),
            self.found.put(said.response if said is not None and keep else None),
            self.found.put(row.reply if keep else None),
        )
        for name, value in zip(_OF_ROW, values, strict=True):
            self.rows[name].append(value)

    def _item(self, row: Row) -> int:
        said = row.judgment
        texts = [] if said is None else [said.question, said.gold, said.response, row.reply]
        size = sum(len(text.encode()) for text in texts if text)
        keep = self._keeps(row.item, size)
        number = self.items[row.item] = len(self.items)
        self.kept.append(keep)
        self.facts["id"].append(row.item)
        self.facts["type"].append(self.found.put(row.type))
        self.facts["question"].append(self.found.put(said.question if said and keep else None))
        self.facts["gold"].append(self.found.put(said.gold if said and keep else None))
        return number

    def _keeps(self, item: str, size: int) -> bool:
        if self._texts == "none":
            return False
        if item in self._differing:
            return True
        if self._texts == "flips" or size > self._left:
            return False
        self._left -= size
        return True


_OF_ITEM = ("id", "type", "question", "gold")
_OF_ROW = ("item", "column", "label", "reason", "prior", "response", "reply")


def browser(
    columns: Sequence[Column],
    differing: Collection[str],
    texts: Literal["all", "flips", "none"] = "all",
    limit: int = LIMIT,
) -> Browser:
    """Return the rows of all columns as data.

    Args:
        columns: whose rows.
        differing: items that did not get one label everywhere; their texts are always kept.
        texts: `all`, `flips` (only theirs), or `none`.
        limit: bytes of other texts that are kept.
    """
    table = _Table(differing, texts, limit)
    for place, column in enumerate(columns):
        for row in column.rows:
            table.put(place, row)
    data: dict[str, object] = {
        "columns": [visible(name) for name in short_names(columns)],
        "accept": [table.found.put(column.accept) for column in columns],
        "items": table.facts,
        "differs": [int(item in differing) for item in table.items],
        "rows": table.rows,
        "texts": table.found.list,
    }
    return Browser(data, len(table.rows["item"]), sum(not keep for keep in table.kept))
