"""A cell in, its exact request out: the same for asking it and for proving that it was asked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from judge import lexical, request, rubric
from judge.canonical import Json, digest, encode_typed
from judge.errors import InputError, VerificationError
from judge.folder import Frozen
from judge.readings import rule_named
from judge.records import Arm, Binding, Cell, Condition, Control, Item, Judge, Rubric, Template

__all__ = ["RULES", "Question", "Questions", "Rules", "binding_of", "embedded_labels"]


@dataclass(frozen=True, slots=True)
class Question:
    """What one cell asks."""

    condition: Condition
    judge: Judge
    rubric: Rubric
    template: Template
    arm: Arm | None
    expect: tuple[str, ...] | None
    gold: str
    response: str
    prompt: str
    """The user message, rendered."""
    body: bytes
    tokens_max: int | None
    item: bytes
    """Canonical {id, route, type}: what a receipt keeps private of the row."""


Rules = Mapping[str, Callable[[Question], str]]
"""Embedded judges by model name: a question in, the reply's text out."""


def _lexical_1(question: Question) -> str:
    right = lexical.decide(question.template.gold, question.gold, question.response)
    return embedded_labels(question.rubric)[0 if right else 1]


def embedded_labels(found: Rubric) -> tuple[str, str]:
    """Return what an embedded judge replies where an answer is right, and where it is not.

    Raises:
        InputError: the rubric gives grades, or its reading does not take a bare label for one.
    """
    strict = rule_named(found.readings.strict)
    others = [label for label in found.labels if label != found.accept]
    if found.accept is None or any(strict.read(label) != label for label in found.labels):
        raise InputError(
            f"the embedded judge replies with a bare label, which {found.name} does not take "
            f"(its reading is {found.readings.strict}); name a judge that is a language model"
        )
    return found.accept, others[0]


RULES: Rules = {"lexical/1": _lexical_1}


def binding_of(judge: Judge) -> Binding:
    """What ties a reply to its request for this judge."""
    return "embedded" if judge.api == "lexical" else "http_exchange"


class Questions:
    """The questions of one frozen run."""

    def __init__(self, frozen: Frozen) -> None:
        self._frozen = frozen
        self._settings: dict[str, dict[str, Json]] = {
            c.id: request.apply(
                frozen.rubric(c).settings,
                frozen.judge(c).settings_set,
                frozen.judge(c).settings_unset,
            )
            for c in frozen.plan.conditions
        }
        # Conditions that share a row ask for it one after another.
        self._item = lru_cache(maxsize=1024)(frozen.item)

    def output_limits(self) -> dict[str, int]:
        """The most tokens a reply can hold, by condition; those that send no limit are left out."""
        found = {
            name: request.output_max(settings)
            for name, settings in self._settings.items()
            if self._frozen.judge(self._frozen.conditions[name]).api != "lexical"
        }
        return {name: limit for name, limit in found.items() if limit is not None}

    def of(self, cell: Cell) -> Question:
        """Return what this cell asks.

        Raises:
            VerificationError: the plan has no such cell.
        """
        condition = self._frozen.conditions.get(cell.condition)
        if condition is None:
            raise VerificationError(f"{cell.condition} is not in the plan")
        row = self._row(cell)
        arm = row.arm if isinstance(row, Control) else None
        expect = self._frozen.expected[condition.id][cell.row] if arm else None
        return self._asked(condition, row, arm, expect)

    def _row(self, cell: Cell) -> Item | Control:
        rows = self._frozen.layout.rows
        if cell.phase == "control":
            if cell.row < len(self._frozen.controls):
                return self._frozen.controls[cell.row]
        elif cell.row < rows:
            return self._item(cell.row)
        raise VerificationError(f"there is no {cell.phase} row {cell.row}")

    def _asked(
        self,
        condition: Condition,
        row: Item | Control,
        arm: Arm | None,
        expect: tuple[str, ...] | None,
    ) -> Question:
        rules, judge = self._frozen.rubric(condition), self._frozen.judge(condition)
        settings = self._settings[condition.id]
        template = rubric.route(rules, row.id, row.type, abstention=row.abstention)
        prompt = rubric.render(rules, template, row.question, row.gold, row.response)
        return Question(
            condition=condition,
            judge=judge,
            rubric=rules,
            template=template,
            arm=arm,
            expect=expect,
            gold=row.gold,
            response=row.response,
            prompt=prompt,
            body=_body(judge, prompt, settings, row, template.system),
            tokens_max=(
                0
                if judge.api == "lexical"
                else request.tokens_max(prompt, settings, template.system)
            ),
            item=encode_typed({"id": row.id, "route": template.name, "type": row.type}),
        )


def _body(
    judge: Judge,
    prompt: str,
    settings: Mapping[str, Json],
    row: Item | Control,
    system: str | None,
) -> bytes:
    if judge.api == "chat-completions":
        return request.chat(judge.model, prompt, settings, system)
    if judge.api == "messages":
        return request.messages(judge.model, prompt, settings, system)
    if judge.api == "lexical":
        return request.lexical(digest(prompt.encode()), row.question, row.gold, row.response)
    raise InputError(f"judge {judge.name}: no requests are made for {judge.api}")
