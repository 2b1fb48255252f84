"""A proved run in, what `judge verify --json` says of it out."""

from collections.abc import Iterable

from judge.records import Count, Listed, Record, Sha256, State
from judge.recount import Proof

__all__ = ["Proved", "proved"]


class Proved(Record):
    """What a proof of a run holds, in a few words for other programs."""

    run_id: Sha256
    state: State
    head: Sha256
    """The link of the last line: compare it with one published earlier."""
    lines: Count
    """Of receipts.jsonl."""
    public: bool
    """Whether the run is a public export, whose prompts were not rendered again."""
    sources: Listed[str]
    """The files named with --source that the run was made from."""


def proved(proof: Proof, sources: Iterable[str]) -> Proved:
    """Return what is said of a proof."""
    return Proved(
        run_id=proof.run_id,
        state=proof.state,
        head=proof.head,
        lines=proof.lines,
        public=proof.frozen is None,
        sources=tuple(sources),
    )
