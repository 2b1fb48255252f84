"""A run for a notebook: proved again, with its summary, its judgments and a data frame."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, overload

from typing_extensions import override

from judge.judgments import Judgment
from judge.recount import Proof
from judge.report.summary import Summary, summarise
from judge.studies.columns import Column, Opened, open_runs
from judge.studies.whole import Analyses, study
from judge.tables import frame

__all__ = ["Loaded", "load"]


@dataclass(frozen=True)
class Loaded:
    """One run, as far as it proves itself."""

    opened: Opened

    @override
    def __repr__(self) -> str:
        # What a notebook prints of it: a line, not every judgment.
        state, rows, folder = self.proof.state, len(self.judgments), str(self.opened.folder)
        return f"<run {folder!r}: {state}, {rows} judgments>"

    @property
    def proof(self) -> Proof:
        """What `judge.verify` returns."""
        return self.opened.proof

    @cached_property
    def summary(self) -> Summary:
        """What `judge.show` returns."""
        return summarise(self.opened.proof)

    @property
    def judgments(self) -> tuple[Judgment, ...]:
        """One record per answer, condition and repetition, in the order of the plan."""
        return self.opened.rows

    @property
    def controls(self) -> tuple[Judgment, ...]:
        """One record per control."""
        return self.opened.controls

    @property
    def columns(self) -> tuple[Column, ...]:
        """The labels of each condition and repetition, for `judge.study`."""
        return self.opened.columns()

    def study(self) -> Analyses:
        """Every analysis that applies to this run alone."""
        return study((self.opened,))

    def frame(self) -> Any:  # noqa: ANN401 - pandas is there with its extra only
        """The judgments as a pandas DataFrame; raises InputError without pandas."""
        return frame(self.opened.rows)


@overload
def load(folder: Path | str, *, public: bool = False) -> Loaded: ...
@overload
def load(
    folder: list[Path | str] | tuple[Path | str, ...], *, public: bool = False
) -> tuple[Loaded, ...]: ...
def load(
    folder: Path | str | list[Path | str] | tuple[Path | str, ...], *, public: bool = False
) -> Loaded | tuple[Loaded, ...]:
    """Prove a run again and return it; of several, each, in their order.

    Args:
        folder: a run, or several.
        public: folders without inputs are public exports.

    Raises:
        InputError: there is no run here, or one is named twice.
        VerificationError: something in it does not follow.
    """
    if isinstance(folder, Path | str):
        return Loaded(open_runs([Path(folder)], public=public)[0])
    return tuple(map(Loaded, open_runs([Path(each) for each in folder], public=public)))
