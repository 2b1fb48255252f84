"""How sides are read and compared: what the caller may say."""

from typing import Annotated

import pydantic

from judge.records import Listed, Record

__all__ = ["CompareOptions"]


class CompareOptions(Record):
    """Everything about a comparison but its sides; by default nothing is left out."""

    margin: str | None = None
    """The largest difference that does not matter, a share such as `0.02`; to be fixed before the
    verdicts are seen. With it equivalence and non-inferiority are tested."""
    confidence: str = "0.95"
    """Of the intervals; what it lacks to 1 is the level of the tests."""
    by: str | None = None
    """A file that sorts items into strata, post hoc."""
    by_column: str | None = None
    """Where the stratum stands; by default the only column beside the id."""
    references: str | None = None
    """An answer key that names the items' types, where the sides do not."""
    columns: dict[str, Annotated[tuple[str, ...], pydantic.Strict(False)]] = {}  # noqa: FBT003, RUF012 - pydantic's own spelling; it copies defaults
    """Columns of verdict files by field: id, type, label, response."""
    accept: Listed[str] = ()
    """Labels of verdict files that count as correct, beside `yes`."""
    reject: Listed[str] = ()
    """Labels of verdict files that do not, beside `no`."""
    common: bool = False
    """Compare the items that all sides have, and count the others."""
    decided_only: bool = False
    """Compare the items decided on all sides, and count the others."""
    public: bool = False
    """Run folders without inputs are public exports."""
