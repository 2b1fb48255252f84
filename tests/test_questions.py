"""judge/questions.py: a cell in, its exact request out."""

from collections.abc import Iterator

import orjson
import pytest
from plans import judge, plan, rubric
from smallfiles import frozen

from judge import questions, request
from judge.canonical import digest, encode
from judge.config import JudgeConfig
from judge.errors import InputError, VerificationError
from judge.folder import Frozen
from judge.lexical import decide
from judge.questions import RULES, Question, Questions, binding_of
from judge.records import Cell
from judge.rubric import render

JUDGES = (
    JudgeConfig(provider="openai", model="gpt-4o-2024-08-06", settings={"seed": 7}),
    JudgeConfig(provider="anthropic", model="claude-opus-5-5", unset=("n", "temperature")),
    JudgeConfig(provider="lexical"),
)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Frozen]:
    """Freeze a run of three judges."""
    run = frozen(tmp_path_factory.mktemp("questions"), judges=JUDGES)
    with Frozen(run) as opened:
        yield opened


def _answer(number: int, row: int = 0) -> Cell:
    return Cell("answer", 0, f"c{number}", 1, row)


def _control(number: int, row: int) -> Cell:
    return Cell("control", 0, f"c{number}", 1, row)


# --- what is asked --------------------------------------------------------------------------------


def test_the_prompt_is_the_rendered_template_of_the_row(found: Frozen) -> None:
    """Rendered here once more, from the item alone."""
    item = found.item(0)
    asked = Questions(found).of(_answer(1))
    prompt = render(asked.rubric, asked.template, item.question, item.gold, item.response)

    assert asked.template.name == "base"
    assert orjson.loads(asked.body)["messages"] == [{"content": prompt, "role": "user"}]
    assert item.response in prompt


def test_a_body_is_model_messages_and_settings(found: Frozen) -> None:
    """The rubric's settings, what was set and unset over them; nothing else."""
    chat, messages, _ = (orjson.loads(Questions(found).of(_answer(n)).body) for n in (1, 2, 3))
    del chat["messages"], messages["messages"]

    assert chat == {
        "model": "gpt-4o-2024-08-06",
        "max_tokens": 10,
        "n": 1,
        "seed": 7,
        "temperature": 0,
    }
    assert messages == {"model": "claude-opus-5-5", "max_tokens": 10}


def test_the_embedded_judge_is_asked_what_its_rule_reads(found: Frozen) -> None:
    """And which prompt a model would have got."""
    item = found.item(0)
    asked = Questions(found).of(_answer(3))
    prompt = render(asked.rubric, asked.template, item.question, item.gold, item.response)

    assert orjson.loads(asked.body) == {
        "model": "lexical/1",
        "prompt_sha256": digest(prompt.encode()),
        "question": item.question,
        "gold": item.gold,
        "response": item.response,
    }


def test_a_cell_is_asked_the_same_each_time(found: Frozen) -> None:
    """In every repetition and batch, by the run and by the recount."""
    first, second = Questions(found), Questions(found)
    cells = [cell for cell in found.layout.order() if cell.repetition == 1]
    for cell in cells:
        again = cell._replace(repetition=2, batch=5)
        assert first.of(cell) == second.of(again)


def test_a_control_is_asked_as_an_answer_is(found: Frozen) -> None:
    """The judge cannot tell them apart: nothing of the control goes out but its row."""
    for row, control in enumerate(found.controls):
        asked = Questions(found).of(_control(1, row))
        prompt = render(
            asked.rubric, asked.template, control.question, control.gold, control.response
        )
        assert asked.body == request.chat(
            "gpt-4o-2024-08-06", prompt, {"temperature": 0, "max_tokens": 10, "n": 1, "seed": 7}
        )
        assert asked.arm == control.arm
        assert asked.expect == (("yes",) if control.arm == "positive" else ("no",))


def test_an_answer_has_neither_arm_nor_expected_label(found: Frozen) -> None:
    """Nobody knows what is right for it."""
    asked = Questions(found).of(_answer(1))

    assert (asked.arm, asked.expect) == (None, None)


def test_what_is_kept_private_of_a_row_is_canonical(found: Frozen) -> None:
    """Id, route and type."""
    asked = Questions(found).of(_answer(1, 6))

    assert asked.item == encode(
        {"id": "a0_abs", "route": "abstention", "type": "single-session-user"}
    )


def test_a_question_says_what_it_can_cost(found: Frozen) -> None:
    """A token has at least a byte; the embedded judge has none."""
    costs = [Questions(found).of(_answer(n)).tokens_max for n in (1, 2, 3)]
    prompt = orjson.loads(Questions(found).of(_answer(1)).body)["messages"][0]["content"]

    assert costs[2] == 0
    assert costs[0] is not None
    assert costs[0] >= len(prompt.encode()) + 10


@pytest.mark.parametrize(
    ("cell", "what"),
    [
        (_answer(9), "c9 is not in the plan"),
        (_answer(1, 9), "there is no answer row 9"),
        (_control(1, 6), "there is no control row 6"),
    ],
    ids=["condition", "answer", "control"],
)
def test_a_cell_that_is_not_planned_asks_nothing(found: Frozen, cell: Cell, what: str) -> None:
    """A ledger may name any."""
    with pytest.raises(VerificationError, match=what):
        Questions(found).of(cell)


# --- judges ---------------------------------------------------------------------------------------


def test_a_reply_is_bound_to_its_request_by_its_judge() -> None:
    """By the exchange, or by being computed here."""
    assert binding_of(judge()) == "http_exchange"
    assert binding_of(judge(api="lexical")) == "embedded"


def test_the_embedded_rule_gives_the_rubrics_labels(found: Frozen) -> None:
    """The accepting one where the rule accepts, else the other."""
    said = []
    for row in range(len(found.controls)):
        asked = Questions(found).of(_control(3, row))
        right = decide(asked.template.gold, asked.gold, asked.response)
        assert RULES["lexical/1"](asked) == ("yes" if right else "no")
        said.append(RULES["lexical/1"](asked))

    assert said == ["yes"] * 3 + ["no"] * 3


def _asked(**rules: object) -> Question:
    whole = rubric(**rules)
    return Question(
        condition=plan({"a": (0,)}, ["a"]).conditions[0],
        judge=judge(),
        rubric=whole,
        template=whole.templates[0],
        arm=None,
        expect=None,
        gold="g",
        response="g",
        prompt="",
        body=b"",
        tokens_max=0,
        item=b"",
    )


def test_the_embedded_rule_gives_no_grades() -> None:
    """It can only accept or not."""
    with pytest.raises(InputError, match=r"embedded judge .*small/v1"):
        RULES["lexical/1"](_asked(labels=("1", "2"), kind="graded", accept=None))


def test_no_request_is_made_for_an_unknown_api(found: Frozen) -> None:
    """The ladder ends in a refusal."""
    odd = judge().model_copy(update={"api": "responses"})

    with pytest.raises(InputError, match="judge j: no requests are made for responses"):
        questions._body(odd, "prompt", {}, found.item(0), None)
