"""One side of a comparison: where its verdicts come from, and one verdict for each item."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from judge.errors import InputError
from judge.records import Count, Judge, Listed, Record, State

__all__ = ["RunFacts", "Side", "SideFacts", "Source", "Verdict", "print_of", "side"]

Kind = Literal["run", "public export", "file", "frame"]


class Verdict(NamedTuple):
    """What one side says of one item."""

    id: str
    type: str | None
    label: str | None
    """Null: undecided in a run, never judged in a file."""
    accepted: bool | None
    """Null where there is no label."""
    answer: bytes | None
    """SHA-256 of the response; null where the side does not hold it, as `prompt`."""
    prompt: bytes | None


class RunFacts(Record):
    """The run, condition and repetition a side was taken from."""

    run_id: str
    head: str
    state: State
    condition: str
    name: str
    repetition: Count
    answers: str
    rubric: str
    rubric_pin: str
    official: bool
    deviations: Listed[str]
    judge: Judge


class SideFacts(Record):
    """Where a side comes from, and its counts before anything is joined."""

    name: str
    """As the caller named it."""
    kind: Kind
    items: Count
    accepted: Count
    undecided: Count
    """Items without a verdict."""
    sha256: str | None
    """Of a verdict file."""
    judges: Listed[str]
    """The models that its rows or its plan name, at most ten."""
    run: RunFacts | None


@dataclass(frozen=True, slots=True)
class Side:
    """One side: its facts, and a verdict for each of its items."""

    facts: SideFacts
    verdicts: tuple[Verdict, ...]


class Source(NamedTuple):
    """What is known of a side beside its verdicts."""

    name: str
    kind: Kind
    sha256: str | None = None
    judges: tuple[str, ...] = ()
    run: RunFacts | None = None


def side(source: Source, verdicts: Sequence[Verdict]) -> Side:
    """Return the side these verdicts make, counted.

    Raises:
        InputError: there are none.
    """
    if not verdicts:
        raise InputError(f"{source.name}: holds no verdict; there is nothing to compare")
    facts = SideFacts(
        name=source.name,
        kind=source.kind,
        items=len(verdicts),
        accepted=sum(verdict.accepted is True for verdict in verdicts),
        undecided=sum(verdict.accepted is None for verdict in verdicts),
        sha256=source.sha256,
        judges=source.judges,
        run=source.run,
    )
    return Side(facts, tuple(verdicts))


def print_of(text: str) -> bytes:
    """Return what two equal texts share: their SHA-256."""
    return hashlib.sha256(text.encode()).digest()
