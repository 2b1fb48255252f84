"""A folder in, a small sealed run out: shipped questions, judged by the embedded rule."""

from collections.abc import Iterable
from pathlib import Path

import pydantic

from judge import lexical, packs, strictyaml
from judge.canonical import Json, encode
from judge.config import AnswersConfig, JudgeConfig, ReferencesConfig, RunConfig
from judge.errors import InputError
from judge.judging import Outcome, run
from judge.questions import RULES, Question, Rules
from judge.records import Listed, Record

__all__ = ["SAMPLE_RULES", "Size", "build", "hedging"]

HEDGE = "perhaps"
"""A response with this word makes the hedging judge say both labels."""


class Size(Record):
    """How much a sample asks."""

    sets: int = 2
    """Sets of answers: one condition each."""
    repetitions: int = 2
    controls: int = 6
    """Drawn controls of each arm."""
    made: bool = True
    """Whether the shipped control file, with its injection arm, is added."""


class _Row(Record):
    id: str
    type: str
    question: str
    gold: str
    first: str | None
    second: str | None
    prior: str | None = None


class _File(Record):
    questions: Listed[_Row]


def hedging(question: Question) -> str:
    """Answer as the embedded rule, but with both labels where the response hedges itself."""
    if HEDGE in question.response.lower():
        return "It may be yes, it may be no."
    right = lexical.decide(question.template.gold, question.gold, question.response)
    return "yes" if right else "no"


SAMPLE_RULES: Rules = {lexical.NAME: hedging}
"""The judge of a sample that has undecided cells and second attempts."""


def build(folder: Path, size: Size | None = None, rules: Rules = RULES) -> Outcome:
    """Run the shipped questions in `folder` (which must exist) and return how the run ended.

    The run is `folder`/run; what it was made from stands beside it.

    Raises:
        InputError: the shipped questions are damaged.
    """
    size = size or Size()
    rows = _rows()
    _write(folder / "references.jsonl", map(_reference, rows))
    names = ("first", "second")[: size.sets]
    _write(folder / "first.jsonl", [_answer(row.id, row.first, row.prior) for row in rows])
    _write(folder / "second.jsonl", [_answer(row.id, row.second, None) for row in rows])
    made = packs.shipped("controls") / "selftest" / "controls.yaml"
    config = RunConfig(
        answers=tuple(AnswersConfig(name=n, file=str(folder / f"{n}.jsonl")) for n in names),
        references=ReferencesConfig(file=str(folder / "references.jsonl")),
        judges=(JudgeConfig(provider="lexical"),),
        controls=(str(made),) if size.made else (),
        positive=size.controls,
        negative=size.controls,
        repetitions=size.repetitions,
        reask=1,
        allow_partial=True,
    )
    return run(config, folder / "run", rules=rules)


def _rows() -> tuple[_Row, ...]:
    path = packs.shipped("controls") / "selftest" / "questions.yaml"
    value = strictyaml.load(path.read_bytes(), path.name)
    try:
        return _File.model_validate_json(encode(value)).questions
    except pydantic.ValidationError as error:
        message = f"{path.name}: not the questions that came with judge; install it again"
        raise InputError(message) from error


def _reference(row: _Row) -> dict[str, Json]:
    return {"id": row.id, "type": row.type, "question": row.question, "gold": row.gold}


def _answer(row: str, response: str | None, prior: str | None) -> dict[str, Json] | None:
    return None if response is None else {"id": row, "response": response, "prior": prior}


def _write(path: Path, rows: Iterable[dict[str, Json] | None]) -> None:
    path.write_bytes(b"".join(encode(row) + b"\n" for row in rows if row is not None))
