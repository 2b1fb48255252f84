"""judge/spending.py: the most a run can have cost so far."""

import pytest
from plans import intent, receipt

from judge.records import Usage
from judge.spending import Spending

WORST = 100
USED = {"input": 30, "output": 1, "reasoning": None, "cache_read": None, "cache_write": None}


def _spent(**changes: object) -> int:
    """Return what an attempt that can cost 100 costs once its receipt is there."""
    found = Spending()
    found.take(intent(tokens_max=WORST))
    found.take(receipt(**changes))
    return found.tokens


def test_an_open_attempt_costs_its_worst() -> None:
    """Before anything has come back."""
    found = Spending()
    found.take(intent(tokens_max=WORST))
    found.take(intent(row=1, tokens_max=WORST))

    assert found.tokens == 2 * WORST


def test_a_reply_that_says_what_it_cost_costs_that() -> None:
    """Reasoning and cache are within the two."""
    assert _spent(usage=Usage.model_validate({**USED, "reasoning": 1, "cache_read": 20})) == 31


def test_a_reply_may_cost_more_than_its_worst_case() -> None:
    """What the provider says stands, not what was expected."""
    assert _spent(usage=Usage.model_validate({**USED, "input": 5000})) == 5001


@pytest.mark.parametrize("usage", [None, {**USED, "input": None}, {**USED, "output": None}])
def test_a_reply_that_does_not_say_costs_its_worst(usage: dict[str, int | None] | None) -> None:
    """Half an account is none."""
    assert _spent(usage=usage and Usage.model_validate(usage)) == WORST


@pytest.mark.parametrize("status", [400, 401, 404, 409, 413, 422, 429, 499])
def test_a_refusal_as_the_clients_fault_costs_nothing(status: int) -> None:
    """The model never saw it."""
    assert _spent(status=status, outcome="retry", label=None, final=False) == 0


@pytest.mark.parametrize("status", [None, 200, 302, 408, 425, 500, 502, 503, 504, 529])
def test_a_refusal_that_may_have_been_billed_costs_its_worst(status: int | None) -> None:
    """A gateway says so of a question the model went on with."""
    assert _spent(status=status, outcome="retry", label=None, final=False) == WORST


def test_what_was_not_sent_costs_nothing() -> None:
    """Not a byte left."""
    assert _spent(status=None, outcome="not_sent", label=None, error="dns", final=False) == 0


def test_a_lost_answer_costs_its_worst() -> None:
    """It may be billed unseen, and may not be counted back later."""
    lost = receipt(status=None, outcome="unknown", label=None, error="cut", final=False)
    left = receipt(status=None, outcome="undecided", label=None, reason="left_unknown")
    found = Spending()
    for fact in (intent(tokens_max=WORST), lost, left):
        found.take(fact)

    assert found.tokens == WORST


def test_asking_again_is_paid_again() -> None:
    """Each attempt by itself, the one that was left open too."""
    used = Usage.model_validate(USED)
    found = Spending()
    for fact in (intent(tokens_max=WORST), intent(tokens_max=WORST, attempt=2)):
        found.take(fact)
    found.take(receipt(attempt=2, usage=used))

    assert found.tokens == WORST + 31


def test_cells_are_told_apart() -> None:
    """By phase, batch, condition, repetition and row."""
    cells: list[dict[str, object]] = [
        {},
        {"row": 1},
        {"batch": 1},
        {"repetition": 2},
        {"condition": "c2"},
        {"phase": "control", "arm": "positive"},
    ]
    found = Spending()
    for cell in cells:
        found.take(intent(tokens_max=WORST, **cell))
    found.take(receipt(usage=Usage.model_validate(USED)))

    assert found.tokens == 5 * WORST + 31


def test_an_embedded_judge_costs_nothing() -> None:
    """It has no tokens, and says nothing of them."""
    found = Spending()
    found.take(intent(tokens_max=0))
    found.take(receipt(status=None, binding="embedded"))

    assert found.tokens == 0


def test_an_attempt_without_a_limit_costs_what_it_reports() -> None:
    """Nothing can be reserved for it; a cap needs a limit."""
    found = Spending()
    found.take(intent(tokens_max=None))
    before = found.tokens
    found.take(receipt(usage=Usage.model_validate(USED)))

    assert (before, found.tokens) == (0, 31)
