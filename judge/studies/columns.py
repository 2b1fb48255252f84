"""Runs and verdict files in; columns of labels, each with what it was made from, out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from judge.comparing.sides import Side
from judge.errors import InputError
from judge.judgments import Judgment, judgments
from judge.records import Plan, State, Study
from judge.recount import Proof, recount

__all__ = ["Column", "Made", "Opened", "Row", "of_side", "open_runs"]


class Row(NamedTuple):
    """What one column says of one item."""

    item: str
    type: str | None
    label: str | None
    """Null: undecided in a run, never judged in a file."""
    accepted: bool | None
    """Null without a label, and for grades."""
    judgment: Judgment | None
    """All that the run holds of it; null in a verdict file."""

    @property
    def reply(self) -> str | None:
        """What the judge said, where it is known."""
        return None if self.judgment is None else self.judgment.reply_text


class Made(NamedTuple):
    """What a column of a run was made from: two columns with equal parts share them."""

    answers: str
    """SHA-256 of the answers file."""
    rubric: str
    """The rubric's pin."""
    judge: str
    """Provider, model and settings, one text."""


@dataclass(frozen=True, slots=True)
class Column:
    """The labels of one condition and repetition, or of one verdict file."""

    name: str
    """As a reader names it: `pass1 | longmemeval/released | gpt-4o @2`."""
    source: str
    """The run's folder name, or the file's."""
    condition: str | None
    repetition: int | None
    answers: str
    """The name of the saved answers; the file's where that is all that is known."""
    rubric: str
    judge: str
    made: Made | None
    """Null for a verdict file."""
    labels: tuple[str, ...]
    """The labels of its rubric; empty for a file."""
    accept: str | None
    state: State | None
    """Of its run; null for a verdict file."""
    rows: tuple[Row, ...]

    def by_item(self) -> dict[str, Row]:
        """The rows by their items' ids."""
        return {row.item: row for row in self.rows}


@dataclass(frozen=True, slots=True)
class Opened:
    """One run, proved once, with its rows."""

    name: str
    """The folder's name; where several runs have it, with the folders above that differ."""
    folder: Path
    proof: Proof
    rows: tuple[Judgment, ...]
    """Its answers, in the order of the plan."""
    controls: tuple[Judgment, ...]
    alone: bool = True
    """Whether it is the only run; of several each column says whose it is."""

    @property
    def plan(self) -> Plan:
        """The plan that was frozen."""
        return self.proof.plan

    @property
    def study(self) -> Study:
        """What was fixed beforehand of what is said about it; empty where nothing was."""
        return self.proof.plan.study or Study()

    def columns(self) -> tuple[Column, ...]:
        """Its columns: by repetition, then by condition."""
        return tuple(_columns(self))


def open_runs(folders: Sequence[Path], *, public: bool = False) -> tuple[Opened, ...]:
    """Return the runs, each proved again and read once.

    Args:
        folders: sealed or open runs.
        public: folders without inputs are public exports.

    Raises:
        InputError: no folders, a run named twice or beside its copy, or no run in one of them.
        VerificationError: a run that does not prove what it claims.
    """
    if not folders:
        raise InputError("no run is named; give at least one run folder")
    seen: set[Path] = set()
    for folder in folders:
        if folder.resolve() in seen:
            raise InputError(f"{folder} is named twice")
        seen.add(folder.resolve())
    alone = len(folders) == 1
    opened = tuple(
        _opened(name, folder, public=public, alone=alone)
        for name, folder in zip(_names(folders), folders, strict=True)
    )
    _check_no_copies(opened)
    return opened


def _check_no_copies(runs: Sequence[Opened]) -> None:
    """Return when no run is there twice: a copy agrees with itself and is no second observation."""
    ids: dict[str, Path] = {}
    for run in runs:
        first = ids.setdefault(run.proof.run_id, run.folder)
        if first is not run.folder:
            raise InputError(f"{run.folder} is a copy of the run in {first}; name one of them")


def _names(folders: Sequence[Path]) -> tuple[str, ...]:
    """Names that tell the folders apart: `run`, or `monday/run` beside `tuesday/run`."""
    parts = [folder.resolve().parts for folder in folders]
    by_depth = (
        tuple("/".join(each[-depth:]) for each in parts)
        for depth in range(1, max(map(len, parts)) + 1)
    )
    return next(names for names in by_depth if len(set(names)) == len(names))


def _opened(name: str, folder: Path, *, public: bool, alone: bool) -> Opened:
    bare = public and not (folder / "inputs").is_dir()
    proof = recount(folder, public=bare)
    return Opened(
        name=name,
        folder=folder,
        proof=proof,
        rows=tuple(judgments(proof, folder)),
        controls=tuple(judgments(proof, folder, "control")),
        alone=alone,
    )


def _columns(run: Opened) -> Iterator[Column]:
    rows: dict[tuple[str, int], list[Row]] = {}
    for found in run.rows:
        row = Row(found.item, found.type, found.label, found.accepted, found)
        rows.setdefault((found.condition, found.repetition), []).append(row)
    sources = {s.name: s.sha256 for s in run.plan.sources if s.role == "answers"}
    judges = {judge.name: judge for judge in run.plan.judges}
    for repetition in range(1, run.plan.repetitions + 1):
        for condition in run.plan.conditions:
            judge = judges[condition.judge]
            told = judge.model_dump_json(exclude={"name", "identity", "address"})
            many = f" @{repetition}" if run.plan.repetitions > 1 else ""
            whose = "" if run.alone else f"{run.name}: "
            yield Column(
                name=whose + condition.name + many,
                source=run.name,
                condition=condition.id,
                repetition=repetition,
                answers=condition.answers,
                rubric=condition.rubric,
                judge=condition.judge,
                made=Made(sources[condition.answers], condition.rubric_pin, told),
                labels=condition.labels,
                accept=condition.accept,
                state=run.proof.state,
                rows=tuple(rows.get((condition.id, repetition), ())),
            )


def of_side(side: Side) -> Column:
    """Return the column that one side of a comparison is: a verdict file's, mostly."""
    facts, run = side.facts, side.facts.run
    return Column(
        name=facts.name,
        source=facts.name,
        condition=None if run is None else run.condition,
        repetition=None if run is None else run.repetition,
        answers=facts.name if run is None else run.answers,
        rubric="" if run is None else run.rubric,
        judge=", ".join(facts.judges) if run is None else run.judge.name,
        made=None,
        labels=(),
        accept=None,
        state=None if run is None else run.state,
        rows=tuple(
            Row(verdict.id, verdict.type, verdict.label, verdict.accepted, None)
            for verdict in side.verdicts
        ),
    )
