"""What was read in, the rows of a run out: selected, ordered, counted."""

from array import array
from collections.abc import Callable

from judge.answers.intake import AnswerRows, Intake
from judge.answers.joined import Block, Chosen
from judge.answers.places import listed
from judge.answers.selecting import MATCH, Conditions
from judge.errors import InputError
from judge.records import Reference, Selection

__all__ = ["choose"]


def choose(
    intake: Intake,
    conditions: Conditions,
    selection: Selection,
    keep: Callable[[Reference], bool] | None,
) -> Chosen:
    """Return the questions that meet every condition, and each file's rows among them.

    The order is that of the first answers file, then of the questions only later files answer,
    then of the answer key for those nobody answers; a limit cuts it there.

    Raises:
        InputError: nothing selected, in all files or in one; questions without an answer that the
            selection does not allow.
    """
    choice = _Choice(intake, conditions, keep)
    conditions.check_met()
    order, answered = choice.order(selection.limit)
    if not answered:
        raise InputError(f"nothing selected: no answer meets {_words(selection)}")
    blocks = tuple(choice.block(one, order, selection) for one in intake.sets)
    return Chosen(order, answered, blocks)


def _words(selection: Selection) -> str:
    words = [f"--only {only!r}" for only in selection.only]
    if selection.limit is not None:
        words.append(f"--limit {selection.limit}")
    return " and ".join(words) or "the conditions"


class _Choice:
    def __init__(
        self,
        intake: Intake,
        conditions: Conditions,
        keep: Callable[[Reference], bool] | None,
    ) -> None:
        self._key = intake.key
        self._sets = intake.sets
        self._ids = intake.key.ids()
        self._fits = self._fitting(conditions, keep)

    def _fitting(
        self, conditions: Conditions, keep: Callable[[Reference], bool] | None
    ) -> bytearray:
        """Return for each question 1 where its row of the key meets the conditions."""
        if not conditions.joined and keep is None:
            return bytearray(b"\1" * len(self._ids))
        fits = bytearray(len(self._ids))
        for number, name in enumerate(self._ids):
            reference = self._key.reference(number, name)
            fits[number] = conditions.hold(reference) and (keep is None or keep(reference))
        return fits

    def _selected(self, number: int, one: AnswerRows) -> bool:
        """Say whether this file has a row for the question, and the row is to be judged."""
        if number not in one.rows or not self._fits[number]:
            return False
        marks = zip(one.marks.get(number), self._key.marks.get(number), strict=True)
        return all((own or keys) == MATCH for own, keys in marks)

    def _wanted(self, number: int) -> bool:
        """Say whether the answer key alone makes this a question of the run."""
        return bool(self._fits[number]) and all(
            mark == MATCH for mark in self._key.marks.get(number)
        )

    def order(self, limit: int | None) -> tuple["array[int]", int]:
        """Return the questions' numbers in their order, and how many of them are answered."""
        order = array("q")
        placed = bytearray(len(self._ids))
        for one in self._sets:
            for number in one.order:
                if not placed[number] and any(self._selected(number, any_) for any_ in self._sets):
                    placed[number] = 1
                    order.append(number)
        answered = len(order)
        for number in range(len(self._ids)):
            if not any(number in one.rows for one in self._sets) and self._wanted(number):
                order.append(number)
        order = order[:limit]
        return order, min(answered, len(order))

    def block(self, one: AnswerRows, order: "array[int]", selection: Selection) -> Block:
        """Return one file's rows among the questions; raises InputError."""
        positions = array("q")
        missing = array("q")
        for position, number in enumerate(order):
            if self._selected(number, one):
                positions.append(position)
            elif number not in one.rows and self._wanted(number):
                missing.append(number)
        if missing and not selection.allow_partial:
            raise InputError(
                f"{one.file}: {len(missing)} of {len(order)} selected questions have no answer "
                f"here ({listed([self._ids[number] for number in missing])}); add the answers, "
                "or pass --allow-partial to judge those that are there"
            )
        if not positions:
            raise InputError(
                f"{one.file}: nothing selected: no answer of this file meets {_words(selection)}"
            )
        return Block(one.name, one.rows, positions, len(missing))
