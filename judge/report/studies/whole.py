"""Every analysis of some runs in, one section for each that applies out."""

from collections.abc import Iterator

from judge.report.sections import Section
from judge.report.studies import (
    comparators,
    exclusions,
    inputs,
    judges,
    lengths,
    passes,
    rejudge,
    repeats,
    sensitivity,
)
from judge.studies.whole import Analyses

__all__ = ["sections"]


def sections(found: Analyses) -> tuple[Section, ...]:
    """Return what a reader sees of all analyses, those that do not apply named at the end."""
    return tuple(_sections(found))


def _sections(found: Analyses) -> Iterator[Section]:
    if found.contrasts:
        yield comparators.contrasts_section(found.contrasts)
    if found.rejudged:
        yield rejudge.section(found.rejudged, found.margins)
    if found.sensitivity:
        yield sensitivity.section(found.sensitivity, found.spans)
    if found.repeats:
        yield repeats.section(found.repeats)
    if found.judges:
        yield judges.section(found.judges, found.reversals)
    if found.passes:
        yield passes.section(found.passes)
    yield from _beside(found)


def _beside(found: Analyses) -> Iterator[Section]:
    if found.exclusions:
        yield exclusions.section(found.exclusions)
    if found.inputs:
        yield inputs.section(found.inputs)
    if found.lengths:
        yield lengths.section(found.lengths)
    if found.comparators:
        yield comparators.section(found.comparators)
    if found.skipped:
        yield Section(
            key="skipped",
            title="Not applicable",
            lead=tuple(f"{name}: {why}" for name, why in found.skipped.items()),
        )
