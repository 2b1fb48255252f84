"""A run and a tokenizer in; what each request was billed beside the tokens of its prompt."""

from collections.abc import Iterator

from judge.errors import InputError
from judge.judgments import Judgment
from judge.questions import Questions
from judge.records import Cell
from judge.studies.columns import Opened
from judge.studies.inputs import Billed
from judge.tokens import Tokenizer, encoding_of

__all__ = ["billed", "encoding_for"]


def encoding_for(run: Opened, judge: str) -> str | None:
    """Return the encoding of a judge of a run by its model's name; None where none is published."""
    found = next(each for each in run.plan.judges if each.name == judge)
    return None if found.api == "lexical" else encoding_of(found.model)


def billed(run: Opened, judge: str, tokenizer: Tokenizer) -> Iterator[Billed]:
    """Yield every closed cell of one judge of a run, its controls too, prompts rendered again.

    Raises:
        InputError: a public export, which holds no prompts.
    """
    frozen = run.proof.frozen
    if frozen is None:
        raise InputError(f"{run.name}: a public export holds no prompts to be counted")
    of_judge = {c.id for c in run.plan.conditions if c.judge == judge}
    counted: dict[str, int] = {}
    questions = Questions(frozen)
    cells = [
        *(c for batch in range(frozen.layout.batches) for c in frozen.layout.controls(batch)),
        *(c for batch in range(frozen.layout.batches) for c in frozen.layout.answers(batch)),
    ]
    for cell, row in zip(cells, (*run.controls, *run.rows), strict=True):
        if cell.condition not in of_judge or row.outcome == "open":
            continue
        question = questions.of(cell)
        key = f"{row.prompt_sha256}{question.template.system_sha256}"
        if key not in counted:
            texts = question.prompt, question.template.system or ""
            counted[key] = sum(map(tokenizer.count, texts))
        yield _billed(cell, row, counted[key])


def _billed(cell: Cell, row: Judgment, tokens: int) -> Billed:
    where = f"{cell.condition}@{cell.repetition}"
    place = where if row.arm is None else f"{where} {row.arm} control"
    return Billed(row.item, row.route, place, tokens, row.tokens_in)
