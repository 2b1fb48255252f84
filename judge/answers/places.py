"""Where a fault lies, and how foreign text is shown in a sentence about it."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, Self

from typing_extensions import override

__all__ = ["Place", "kind", "listed", "quoted", "shown"]

_CAP = 60
_FEW = 5


class Place(NamedTuple):
    """A line of a file and, in a JSON document, whose lines mean little, the row."""

    file: str
    line: int
    row: int | None = None

    @override
    def __str__(self) -> str:
        """`file:line`, with the row behind it in a JSON document."""
        head = f"{self.file}:{self.line}"
        return head if self.row is None else f"{head}: row {self.row}"

    @property
    def packed(self) -> int:
        """Line and row in one integer above 0, for one is kept per row of a file."""
        return self.line << 32 | (self.row or 0)

    @classmethod
    def unpacked(cls, file: str, packed: int) -> Self:
        """Return the place in this file that `packed` stands for."""
        return cls(file, packed >> 32, packed & 0xFFFF_FFFF or None)


def shown(path: Path) -> str:
    """Return the path as its user wrote it, escaped where it would not print."""
    text = str(path)
    return text if text.isprintable() else repr(text)


def quoted(text: str) -> str:
    """Return the text quoted, escaped and cut to 60 characters."""
    return repr(text) if len(text) <= _CAP else f"{text[:_CAP]!r}…"


def listed(texts: Iterable[str], most: int = _FEW) -> str:
    """Return the first few texts quoted, with an ellipsis where there are more."""
    texts = list(texts)
    head = ", ".join(quoted(text) for text in texts[:most])
    return head if len(texts) <= most else f"{head}, …"


def kind(value: object) -> str:
    """Return what a JSON value is, in words.

    Raises:
        TypeError: no JSON value has this type.
    """
    if value is None:
        return "null"
    # The order matters: a bool is an int to Python.
    for types, words in (
        (bool, "true or false"),
        ((int, float), "a number"),
        (str, "text"),
        (list, "a list"),
        (dict, "an object"),
    ):
        if isinstance(value, types):
            return words
    raise TypeError(f"no JSON value is a {type(value).__name__}")
