"""Words for runs, conditions and verdict files in; columns, and what their plans fixed, out."""

from collections.abc import Sequence
from typing import Any

from judge.cli.compare import columns as field_columns
from judge.cli.words import warn_of_marks
from judge.comparing import CompareOptions
from judge.comparing.opening import named_side, read_sides
from judge.comparing.runs import Chosen
from judge.errors import InputError
from judge.records import Study
from judge.studies.columns import Column, Opened, of_side, open_runs
from judge.studies.matching import check_usable

__all__ = ["Given"]


class Given:
    """What the words named: whole runs, and single sides in the order given."""

    def __init__(self, sides: Sequence[str], words: dict[str, Any]) -> None:
        warn_of_marks(sides)
        options = CompareOptions.model_validate(
            {
                "columns": field_columns(words["field"]),
                "accept": words["accept"],
                "reject": words["reject"],
            }
        )
        named = [(word, named_side(word)) for word in sides]
        chosen = [side for _, side in named if isinstance(side, Chosen)]
        folders = list({side.folder.resolve(): side.folder for side in chosen}.values())
        self.runs = open_runs(folders, public=words["public"]) if folders else ()
        opened = {run.folder.resolve(): run for run in self.runs}
        whole = [side.folder.resolve() for side in chosen if side.condition is None]
        if len(set(whole)) != len(whole):
            raise InputError("a run is named twice; name each once, or its conditions with RUN#c2")
        self.matched = len(whole) == len(named)
        """Whether all sides are whole runs, whose columns find each other."""
        self.owned: list[tuple[Column, Study | None]] = []
        """Each column with what the plan of its run fixed; null where nothing was, or of a file."""
        for word, side in named:
            if isinstance(side, Chosen):
                run = opened[side.folder.resolve()]
                self.owned += ((each, run.plan.study) for each in _of_run(word, side, run))
            else:
                self.owned += ((of_side(each), None) for each in read_sides((word,), options))
        self.columns = [column for column, _ in self.owned]
        _check_distinct(self.columns)
        check_usable(self.columns)

    def two(self, what: str) -> tuple[Column, Column]:
        """The two sides; raises InputError for any other number."""
        if len(self.columns) != 2:  # noqa: PLR2004 - one before, one after
            raise InputError(
                f"{what} takes two sides and was given {len(self.columns)} columns; name a "
                "condition of a run with RUN#c2, a repetition with RUN#c2@3"
            )
        return self.columns[0], self.columns[1]


def _check_distinct(columns: Sequence[Column]) -> None:
    """Return when no column is given twice: one judgment is no second observation of itself."""
    seen: set[tuple[str, str | None, int | None]] = set()
    for column in columns:
        first = next((row.judgment for row in column.rows if row.judgment is not None), None)
        if first is None:
            continue
        key = first.run_id, column.condition, column.repetition
        if key in seen:
            raise InputError(f"{column.name}: the same judgments are given twice; name each once")
        seen.add(key)


def _of_run(word: str, side: Chosen, run: Opened) -> list[Column]:
    """The columns of a run that a word names: all, those of a condition, or one."""
    found = [
        column
        for column in run.columns()
        if side.condition in {None, column.condition}
        and side.repetition in {None, column.repetition}
    ]
    if not found:
        raise InputError(f"{word}: the run has no such condition and repetition")
    return found
