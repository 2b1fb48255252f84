"""Opened runs in; every analysis that applies to them out, and why the others do not."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from judge.errors import InputError
from judge.records import Listed, Record
from judge.studies.columns import Column, Opened
from judge.studies.comparators import Compared, comparators
from judge.studies.contrasts import Contrasted, contrasts
from judge.studies.exclusions import Counterfactual, exclude
from judge.studies.inputs import InputAudit, audit
from judge.studies.judges import Judged, Reversal, judges, reversals
from judge.studies.lengths import Lengths, lengths
from judge.studies.matching import check_usable
from judge.studies.passes import Passed, several_passes
from judge.studies.prompts import billed, encoding_for
from judge.studies.rejudge import Margin, Rejudged, margins, rejudge
from judge.studies.repeats import Repeated, repeats
from judge.studies.sensitivity import Sensitivity, sensitivity
from judge.studies.spans import Span
from judge.tokens import tokenizer

__all__ = ["Analyses", "study"]

T = TypeVar("T")


class Analyses(Record):
    """All that may be said about runs beside each other."""

    rejudged: Listed[Rejudged]
    margins: Listed[Margin]
    sensitivity: Listed[Sensitivity]
    spans: Listed[Span]
    repeats: Listed[Repeated]
    judges: Listed[Judged]
    reversals: Listed[Reversal]
    passes: Listed[Passed]
    exclusions: Listed[Counterfactual]
    inputs: Listed[InputAudit]
    lengths: Listed[Lengths]
    contrasts: Listed[Contrasted]
    comparators: Listed[Compared]
    skipped: dict[str, str]
    """Analysis to why it does not apply."""


def study(runs: Sequence[Opened], encoding: str | None = None) -> Analyses:
    """Return every analysis that applies to these runs.

    Args:
        runs: sealed runs.
        encoding: the tokenizer of judges whose model's name does not tell it.

    Raises:
        InputError: a run that is open, or whose judge failed its gate.
    """
    columns = [column for run in runs for column in run.columns()]
    check_usable(columns)
    labelled = [column for column in columns if column.accept is not None]
    skipped: dict[str, str] = {}
    rejudged = _each(labelled, rejudge)
    compared = _whole("sensitivity", lambda: (sensitivity(labelled),), skipped)
    found, spans = compared[0] if compared else ((), ())
    analyses = Analyses(
        rejudged=tuple(rejudged),
        margins=margins(labelled, {one.column: one for one in rejudged}),
        sensitivity=found,
        spans=spans,
        repeats=_whole("repeats", lambda: repeats(columns), skipped),
        judges=_whole("judges", lambda: judges(labelled), skipped),
        reversals=reversals(labelled),
        passes=_whole("passes", lambda: several_passes(labelled), skipped),
        exclusions=tuple(_exclusions(runs)),
        inputs=tuple(_inputs(runs, encoding, skipped)),
        lengths=tuple(_each(columns, lengths)),
        contrasts=tuple(
            found
            for run in runs
            for found in contrasts([c for c in run.columns() if c.accept is not None], run.study)
        ),
        comparators=tuple(_comparators(runs)),
        skipped=skipped,
    )
    for name, why in _WHY.items():
        if not getattr(analyses, name):
            skipped.setdefault(name, why)
    return analyses.model_copy(update={"skipped": dict(sorted(skipped.items()))})


_WHY = {
    "rejudged": "no saved answer has an earlier label of the rubric's",
    "sensitivity": "no two conditions differ in their rubric alone",
    "repeats": "no condition was asked twice",
    "judges": "no two conditions differ in their judge alone",
    "passes": "no two conditions differ in their answers alone",
    "exclusions": "no questionable rows were fixed in the plan; `judge study exclusions` takes a "
    "file",
    "inputs": "no judge with a published tokenizer said what it billed",
    "lengths": "the responses are not here",
    "contrasts": "no contrast was fixed in the plan",
    "comparators": "no comparators were fixed in the plan",
}


def _whole(
    name: str, analysis: Callable[[], tuple[T, ...]], skipped: dict[str, str]
) -> tuple[T, ...]:
    """What an analysis of all columns gives; where they have nothing in common, why it does not."""
    try:
        return analysis()
    except InputError as error:
        skipped[name] = str(error)
        return ()


def _each(columns: Sequence[Column], analysis: Callable[[Column], T]) -> list[T]:
    """What an analysis gives for every column it applies to."""
    found: list[T] = []
    for column in columns:
        try:
            found.append(analysis(column))
        except InputError:
            continue  # `skipped` says why, where it applies to none
    return found


def _exclusions(runs: Sequence[Opened]) -> list[Counterfactual]:
    found: list[Counterfactual] = []
    for run in runs:
        rows = run.study.exclusions
        if rows is not None:
            columns = [column for column in run.columns() if column.accept is not None]
            found += _each(columns, lambda column: exclude(column, rows, fixed_before=True))  # noqa: B023 - used at once
    return found


def _comparators(runs: Sequence[Opened]) -> list[Compared]:
    return [
        comparators(column, run.study.comparators)
        for run in runs
        if run.study.comparators
        for column in run.columns()
        if column.accept is not None
    ]


def _inputs(
    runs: Sequence[Opened], encoding: str | None, skipped: dict[str, str]
) -> list[InputAudit]:
    found: list[InputAudit] = []
    for run in runs:
        for judge in run.plan.judges:
            name = encoding or encoding_for(run, judge.name)
            if name is None or judge.api == "lexical":
                continue
            try:
                chosen = tokenizer(name)
                rows = billed(run, judge.name, chosen)
                found.append(audit(f"{run.name} {judge.name}", chosen.name, rows))
            except InputError as error:
                skipped["inputs"] = str(error)
    return found
