"""Runs of rubrics with three labels and with grades: a judge on loopback that is told what to say.

In: a pack whose texts ../shared holds, and a judge's rule over question, gold and response. The
texts are brought into a store of the test's own; a test is skipped where they are absent.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faultserver import JudgeServer
from libraryfiles import holding, upstream

from judge import packs, rubric
from judge.canonical import Json, encode
from judge.config import AnswersConfig, JudgeConfig, Limits, RunConfig
from judge.controls import read_controls
from judge.judging import Outcome, run
from judge.records import Rubric

__all__ = ["Row", "Rule", "brought", "judged", "sound"]


@dataclass(frozen=True)
class Row:
    """One thing a judge is asked about."""

    question: str
    gold: str
    response: str
    expect: str | tuple[str, ...] | None = None
    """What a control file says is right; None for answers and drawn controls."""


Rule = Callable[[Row], str]
"""What is asked about in, the judge's words out."""
DECLINING = ("I do not know.", "I cannot say.")


def brought(name: str, folder: Path, suffix: str) -> Rubric:
    """Bring a pack's texts from a file made of ../shared's into the store; return the rubric."""
    sheet = packs.check(name)
    wanted = {t.sha256 for t in sheet.templates} | {t.system_sha256 for t in sheet.templates}
    texts = upstream()
    packs.add(name, holding(folder, suffix, [texts[sha] for sha in sorted(filter(None, wanted))]))
    return packs.load(name)


def sound(row: Row) -> str:
    """Return `right`, `wrong` or `none`: what the response is, as a careful reader sees it."""
    if isinstance(row.expect, tuple):
        return {"CORRECT": "right", "INCORRECT": "wrong", "NOT_ATTEMPTED": "none"}[row.expect[0]]
    if row.expect is not None:
        return "right" if row.expect == "accept" else "wrong"
    if row.response in DECLINING:
        return "none"
    return "right" if row.gold in row.response else "wrong"


def judged(
    found: Rubric,
    rows: Mapping[str, tuple[str, str, str, str]],
    rule: Rule,
    folder: Path,
    **changes: Any,  # noqa: ANN401 - fields of RunConfig
) -> Outcome:
    """Judge rows (id to type, question, gold, response) by this rule and return the outcome."""
    folder.mkdir(exist_ok=True)
    names = tuple(changes.get("controls", ()))
    prompts = dict(_prompts(found, rows, names))
    answers = folder / "answers.jsonl"
    answers.write_bytes(b"".join(encode(_answer(i, row)) + b"\n" for i, row in rows.items()))

    def answer(asked: dict[str, Any]) -> str:
        return rule(prompts[asked["messages"][-1]["content"]])

    with JudgeServer(answer) as server:
        config = RunConfig(
            answers=(AnswersConfig(file=str(answers)),),
            rubrics=(found.name,),
            judges=(JudgeConfig(provider="openai", model="m", base_url=f"{server.origin}/v1"),),
            limits=Limits(deadline_s=10, tries=2, backoff_ms=1),
            **{"positive": 4, "negative": 4, **changes},
        )
        return run(config, folder / "run")


def _answer(name: str, row: tuple[str, str, str, str]) -> dict[str, Json]:
    kind, question, gold, response = row
    return {"id": name, "type": kind, "question": question, "gold": gold, "response": response}


def _prompts(
    found: Rubric, rows: Mapping[str, tuple[str, str, str, str]], controls: tuple[str, ...]
) -> list[tuple[str, Row]]:
    """Every prompt this run can ask, with what it is about."""
    asked = [(name, row[0], Row(*row[1:])) for name, row in rows.items()]
    golds = [gold for _, _, gold, _ in rows.values()]
    asked += [
        (name, kind, Row(q, g, gold)) for name, (kind, q, g, _) in rows.items() for gold in golds
    ]
    asked += [
        (one.id, one.type, Row(one.question, one.gold, one.response, one.expect))
        for word in controls
        for one in read_controls(word).controls
    ]
    return [(_prompt(found, name, kind, row), row) for name, kind, row in asked]


def _prompt(found: Rubric, name: str, kind: str, row: Row) -> str:
    template = rubric.route(found, name, kind, abstention=name.endswith("_abs"))
    return rubric.render(found, template, row.question, row.gold, row.response)
