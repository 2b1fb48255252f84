"""Items judged twice: the item is the unit."""

from fractions import Fraction

import pytest

from judge.errors import InputError
from judge.stats import mcnemar
from judge.stats.graded import sign_flip_clustered
from judge.stats.mcnemar import mcnemar_exact, mcnemar_midp
from judge.stats.pairs import distinct, pairs, pairs_counted_elsewhere

IDS = ["q1", "q2", "q3", "q4"]


def test_items_fall_into_the_four_cells() -> None:
    """Both, first only, second only, neither."""
    table = pairs(IDS, [True, True, False, False], [True, False, True, False])
    assert (table.both, table.first_only, table.second_only, table.neither) == (1, 1, 1, 1)
    assert (table.n, table.discordant, table.items) == (4, 2, "distinct ids")
    assert table.difference == 0


def test_repeated_judgments_of_one_item_are_refused() -> None:
    """Six discordant judgments of one question are not six questions."""
    with pytest.raises(InputError, match="'q' comes 6 times"):
        pairs(["q"] * 6, [True] * 6, [False] * 6)


def test_six_discordant_judgments_of_one_question_have_p_one_not_a_thirty_second() -> None:
    """The pseudo-replication trap: pooled 0.031, by question 1."""
    ids = [f"q/{k}" for k in range(6)]
    pooled = mcnemar_exact(pairs(ids, [True] * 6, [False] * 6)).p
    by_question = sign_flip_clustered(ids, ["q"] * 6, [1] * 6, [0] * 6)
    assert pooled == Fraction(1, 32)
    assert by_question.p == by_question.units == 1


@pytest.mark.parametrize("ids", [[], "q1", [""], [7]])
def test_a_test_that_needs_independence_refuses_without_item_ids(ids: list[str]) -> None:
    """Nothing, a text, an empty id and a number name no items."""
    with pytest.raises(InputError, match="id"):
        distinct(ids)


def test_columns_must_be_as_long_as_the_ids() -> None:
    """A short column is a join that went wrong."""
    with pytest.raises(InputError, match="4 item ids but 3 values"):
        pairs(IDS, [True] * 4, [True] * 3)


@pytest.mark.parametrize("outcome", [None, 1, "yes"])
def test_an_undecided_item_belongs_in_no_table(outcome: bool) -> None:  # noqa: FBT001
    """Only true and false are outcomes."""
    with pytest.raises(InputError, match="'q2' has an outcome that is not true or false"):
        pairs(IDS, [True, outcome, True, True], [True] * 4)


def test_figures_counted_elsewhere_say_so() -> None:
    """What rests on somebody else's counting carries that."""
    table = pairs_counted_elsewhere(500, 10, 15, 464)
    assert (table.items, table.neither) == ("counted elsewhere", 11)
    assert pairs_counted_elsewhere(500, 10, 15).neither is None


@pytest.mark.parametrize(("n", "b", "c", "both"), [(0, 0, 0, None), (9, 5, 5, None), (9, 5, 4, 1)])
def test_cells_that_do_not_fit_are_refused(n: int, b: int, c: int, both: int | None) -> None:
    """Empty tables and cells above the number of items."""
    with pytest.raises(InputError):
        pairs_counted_elsewhere(n, b, c, both)


def test_without_discordant_items_p_is_one() -> None:
    """Nothing differs, so nothing is shown; both tests agree."""
    table = pairs_counted_elsewhere(50, 0, 0, 50)
    assert (mcnemar_exact(table).p, mcnemar_midp(table).p) == (1, 1)


def test_midp_never_calls_itself_exact() -> None:
    """The name says which test it is, and the result carries the table."""
    table = pairs_counted_elsewhere(500, 10, 15)
    assert "not exact" in mcnemar_midp(table).definition
    assert mcnemar_midp(table).pairs == table


def test_p_goes_on_in_floats_without_a_jump(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same table by fractions and by floats."""
    table = pairs_counted_elsewhere(5000, 2100, 2000)
    exact, midp = mcnemar_exact(table).p, mcnemar_midp(table).p
    assert isinstance(exact, Fraction)
    monkeypatch.setattr(mcnemar, "_FRACTION_LIMIT", 0)
    floats = mcnemar_exact(table).p
    assert isinstance(floats, float)
    assert float(exact) == pytest.approx(floats, rel=1e-10)
    assert float(midp) == pytest.approx(mcnemar_midp(table).p, rel=1e-10)
