"""Files in, a `Joined` out: every row checked, every answer with its row of the answer key.

Each file is read once, forward. What a judge will read is put into a nameless temporary file, so
memory holds per row an id and a few integers; the items come from there, which are the very bytes
whose SHA-256 the sources name.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from judge.answers.choosing import choose
from judge.answers.columns import check_map
from judge.answers.intake import Intake
from judge.answers.joined import Joined
from judge.answers.selecting import Conditions
from judge.errors import InputError
from judge.records import Name, Record, Reference, Selection

__all__ = ["AnswersFile", "ReferencesFile", "join"]


class AnswersFile(Record):
    """One file of saved answers."""

    name: Name
    path: Path
    columns: tuple[tuple[str, str], ...] = ()
    """Field to column: id, response, prior, type, question, gold, abstention. An empty column says
    that the file has no such field."""


class ReferencesFile(Record):
    """The answer key."""

    path: Path
    columns: tuple[tuple[str, str], ...] = ()
    """Field to column: id, type, question, gold, abstention."""


def join(
    answers: Sequence[AnswersFile],
    references: ReferencesFile | None,
    selection: Selection,
    keep: Callable[[Reference], bool] | None = None,
) -> Joined:
    """Return the chosen answers, each joined with its row of the answer key.

    Args:
        answers: the files, one set each, in the order they will be asked.
        references: the answer key; null where the answers carry question and gold themselves.
        selection: which rows; a condition on a column looks at the answer's row first, then at the
            key's. `route=` conditions are the caller's, by `keep`.
        keep: a further condition on the question.

    Raises:
        InputError: no file, two sets of one name, a row that cannot be judged (`file:line: …`), an
            answer without a row in the key or, unless allowed, a question without an answer, rows
            of one question that disagree, nothing selected.
        StorageError: the temporary folder is full or fails.
    """
    _check_files(answers, references)
    conditions = Conditions(selection.only, routed=keep is not None)
    intake = Intake(conditions)
    if references is not None:
        intake.references(references.path, references.columns)
    for file in answers:
        intake.answers(file.name, file.path, file.columns, allow_empty=selection.allow_empty)
    intake.check_complete()
    chosen = choose(intake, conditions, selection, keep)
    return Joined(
        chosen,
        intake.key,
        tuple(intake.taken),
        tuple(sorted(intake.sources, key=lambda source: source.role)),
        tuple(sentence for one in intake.sets for sentence in one.warnings()),
    )


def _check_files(answers: Sequence[AnswersFile], references: ReferencesFile | None) -> None:
    if not answers:
        raise InputError("no answers file is given; name one with --answers FILE")
    names = [file.name for file in answers]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two answers files are named {twice!r}; name each, --answers NAME=FILE")
    for file in answers:
        check_map("answers", file.columns)
    if references is not None:
        check_map("references", references.columns)
