"""What a join gives: the chosen items and the answer key, streamed from disk as often as asked."""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass

from judge.answers.columns import Answer
from judge.answers.files import Taken
from judge.answers.key import Key
from judge.answers.spool import Rows
from judge.records import AnswerSet, Item, Reference, Source

__all__ = ["Block", "Chosen", "Joined"]


@dataclass(frozen=True, slots=True)
class Block:
    """The chosen rows of one answers file."""

    name: str
    rows: Rows
    positions: "array[int]"
    """Places in the order of the questions, rising."""
    missing: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """The questions of a run in their order, and each file's rows among them."""

    order: "array[int]"
    """Question numbers by position; the unanswered ones last."""
    questions: int
    blocks: tuple[Block, ...]


class Joined:
    """Checked answers joined with their answer key."""

    def __init__(
        self,
        chosen: Chosen,
        key: Key,
        taken: tuple[Taken, ...],
        sources: tuple[Source, ...],
        warnings: tuple[str, ...],
    ) -> None:
        self._chosen = chosen
        self._key = key
        self._ids = key.ids()
        self._taken = taken
        self.sets = _sets(chosen.blocks)
        """The blocks of rows that `items` yields, in the order given."""
        self.questions = chosen.questions
        """Distinct questions among the items."""
        self.sources = sources
        """The files as they lay on disk, answers first."""
        self.warnings = warnings
        """What is allowed and worth a look, one sentence each."""

    def items(self) -> Iterator[Item]:
        """Return the items, set after set, each by rising position.

        Raises:
            InputError: a file has changed since it was checked.
            StorageError: the temporary file cannot be read.
        """
        self._check_unchanged()
        return self._items()

    def references(self) -> Iterator[Reference]:
        """Return every row of the answer key, in its order; raises as `items` does.

        Rows that are not selected too: drawn controls need more than a small selection has.
        """
        self._check_unchanged()
        return (self._key.reference(number, name) for number, name in enumerate(self._ids))

    def _check_unchanged(self) -> None:
        for taken in self._taken:
            taken.check_unchanged()

    def _items(self) -> Iterator[Item]:
        for block in self._chosen.blocks:
            for position in block.positions:
                number = self._chosen.order[position]
                answer = Answer._make(block.rows.get(number))
                reference = self._key.reference(number, self._ids[number])
                yield Item(
                    answers=block.name,
                    position=position,
                    id=reference.id,
                    type=reference.type,
                    question=reference.question,
                    gold=reference.gold,
                    abstention=reference.abstention,
                    response=answer.response,
                    prior=answer.prior,
                )


def _sets(blocks: tuple[Block, ...]) -> tuple[AnswerSet, ...]:
    sets: list[AnswerSet] = []
    first = 0
    for block in blocks:
        rows = len(block.positions)
        sets.append(AnswerSet(name=block.name, first_row=first, rows=rows, missing=block.missing))
        first += rows
    return tuple(sets)
