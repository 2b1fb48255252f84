"""A run in, the same run with another answer in it out, true to itself down to the last digest.

This is what no verifier can see: somebody who has the harness can always make a run. Only a head
that was published before shows that it is not the run it claims to be.
"""

from pathlib import Path

from judge.folder import Frozen
from judge.questions import Question, Questions, Rules
from judge.records import Cell
from judge.selftest.forging import Forged, encode, put, read, recounted, write

__all__ = ["rewrite"]

_RESPONSE = "None of the above."


def rewrite(folder: Path, row: int, rules: Rules) -> str:
    """Replace the saved answer in `row`, ask and answer its cells anew, and return the new head.

    Args:
        folder: a run of an embedded judge; it is changed in place.
        row: a line of items.jsonl, from 0, whose cells were decided at the first attempt.
        rules: the embedded judges.
    """
    run = read(folder)
    run.inputs["items.jsonl"][row]["response"] = _RESPONSE
    write(run, folder)
    with Frozen(folder) as frozen:
        _ask(run, Questions(frozen), row, rules)
    recounted(run)
    return write(run, folder)


def _ask(run: Forged, questions: Questions, row: int, rules: Rules) -> None:
    for kind in ("intent", "receipt"):
        for place, public in run.facts(kind, phase="answer", row=row):
            cell = Cell("answer", public["batch"], public["condition"], public["repetition"], row)
            question = questions.of(cell)
            if kind == "intent":
                put(run.lines[place], "request", question.body.decode())
                public |= {"length": len(question.body), "tokens_max": question.tokens_max}
            else:
                _answer(run, place, question, rules[question.judge.model](question))


def _answer(run: Forged, place: int, question: Question, label: str) -> None:
    line = run.lines[place]
    put(line, "response", encode({"model": question.judge.model, "text": label}).decode())
    put(line, "reply_text", label)
    line["public"]["label"] = label
    line["public"]["readings"] = dict.fromkeys(line["public"]["readings"], label)
