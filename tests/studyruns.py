"""The template study on real saved answers: 72 questions, 2 passes, 2 templates, 3 repetitions.

A judge on loopback gives every saved answer the label its file has, under either template, except
where a test plants a flip: by template, by repetition, or by time (another run).
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from faultserver import Action, FaultServer, Send, WireRequest, chat_reply, json_reply
from longmemeval import MODEL, PASS_1, PASS_2, REFERENCES, SHARED, rows, sensible

from judge.config import AnswersConfig, JudgeConfig, Limits, ReferencesConfig, RunConfig

__all__ = [
    "PASSES",
    "Asked",
    "Flip",
    "StudyJudge",
    "configured",
    "knowledge_updates",
    "upstream_texts",
]

PASSES = (PASS_1, PASS_2)
RUBRICS = ("longmemeval/upstream", "longmemeval/released")


@dataclass(frozen=True)
class Asked:
    """One question on the wire, as the server can tell it from its prompt."""

    item: str | None
    """The question's id; null for a control."""
    passes: tuple[int, ...]
    """Which passes gave this very response, from 1."""
    rubric: str
    repetition: int
    """How often this prompt was asked for each of those passes, from 1."""
    digest: str


Flip = Callable[[Asked], bool]
"""Whether the judge says the opposite here."""


@cache
def knowledge_updates() -> dict[str, dict[str, Any]]:
    """The 72 answerable questions of the type, by question text."""
    known = json.loads(REFERENCES.read_text("utf-8"))
    return {
        row["question"]: row
        for row in known
        if row["question_type"] == "knowledge-update" and "_abs" not in row["question_id"]
    }


@cache
def _saved() -> dict[tuple[str, str], tuple[tuple[int, ...], bool]]:
    """By id and response: the passes it stands in, and the first saved label."""
    found: dict[tuple[str, str], tuple[tuple[int, ...], bool]] = {}
    for number, path in enumerate(PASSES, 1):
        for row in rows(path):
            key = row["question_id"], row["hypothesis"]
            passes, label = found.get(key, ((), bool(row["autoeval_label"]["label"])))
            found[key] = (*passes, number), label
    return found


@cache
def _upstream_head() -> str:
    known = json.loads((SHARED / "upstream" / "longmemeval_templates.json").read_text("utf-8"))
    text: str = known["templates"]["knowledge-update"]["text"]
    return text.partition("{}")[0]


class StudyJudge(FaultServer):
    """Says what the files say, `flip` aside; `controls` may spoil the answers to controls."""

    def __init__(
        self,
        flip: Flip = lambda _: False,
        controls: Callable[[str, str], str] = lambda _, sound: sound,
        billed: Callable[[str], int] = lambda prompt: len(prompt) // 4,
    ) -> None:
        """`billed`: the input tokens that a reply to this prompt names."""
        super().__init__(self._reply)
        self.order: list[Asked] = []
        """Every saved answer that was asked about, in the order of arrival."""
        self._flip, self._controls, self._billed = flip, controls, billed
        self._times: Counter[str] = Counter()

    def _reply(self, request: WireRequest, number: int) -> Sequence[Action]:
        prompt = str(request.json()["messages"][-1]["content"])
        text = self._answer(prompt)
        reply = chat_reply(text, model=MODEL, number=number, tokens=self._billed(prompt))
        return [Send(json_reply(reply, number=number))]

    def _answer(self, prompt: str) -> str:
        digest = hashlib.sha256(prompt.encode()).hexdigest()
        question = prompt.partition("Question: ")[2].partition("\n\nCorrect Answer: ")[0]
        response = prompt.partition("\n\nModel Response: ")[2].rpartition("\n\n")[0]
        row = knowledge_updates().get(question)
        saved = _saved().get((row["question_id"], response)) if row else None
        rubric = RUBRICS[0] if prompt.startswith(_upstream_head()) else RUBRICS[1]
        if row is None or saved is None:
            return self._controls(rubric, sensible(prompt.replace("Model Response", "Response")))
        passes, label = saved
        self._times[digest] += 1
        again = -(-self._times[digest] // len(passes))
        asked = Asked(row["question_id"], passes, rubric, again, digest)
        self.order.append(asked)
        return "yes" if label != self._flip(asked) else "no"


def configured(server: StudyJudge, **changes: object) -> RunConfig:
    """Return the study's configuration, `changes` over it."""
    config = RunConfig(
        answers=tuple(
            AnswersConfig(name=f"pass{number}", file=str(path))
            for number, path in enumerate(PASSES, 1)
        ),
        references=ReferencesConfig(file=str(REFERENCES)),
        rubrics=RUBRICS,
        judges=(
            JudgeConfig(
                provider="openai", model=MODEL, base_url=server.base_url("openai"), key_env="none"
            ),
        ),
        only=("route=knowledge-update",),
        repetitions=3,
        limits=Limits(max_connections=1, deadline_s=20),
    )
    return config.model_copy(update=changes)


def upstream_texts(folder: Path) -> Path:
    """A Python file that holds the five upstream texts as literals."""
    known = json.loads((SHARED / "upstream" / "longmemeval_templates.json").read_text("utf-8"))
    path = folder / "evaluate.py"
    texts = [f"text_{n} = {part['text']!r}" for n, part in enumerate(known["templates"].values())]
    path.write_text("\n".join(texts), encoding="utf-8")
    return path
