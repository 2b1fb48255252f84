"""Agreement of judges and the stability of labels."""

from fractions import Fraction

import pytest

from judge.errors import InputError
from judge.stats import raters
from judge.stats.agreement import agreement, cohen_kappa, cross_table, gwet_ac1, table_of_pairs
from judge.stats.exact import percent, printed
from judge.stats.pairs import pairs_counted_elsewhere
from judge.stats.raters import fleiss_kappa, krippendorff_alpha, ratings
from judge.stats.stability import stability

IDS = ["q1", "q2", "q3", "q4"]


def test_high_agreement_can_be_a_middling_kappa() -> None:
    """98.6% agreement, kappa 0.85, AC1 0.98: the prevalence effect."""
    found = agreement(table_of_pairs(pairs_counted_elsewhere(500, 7, 0, 472)))
    assert found.kappa.value is not None
    assert found.ac1.value is not None
    figures = (percent(found.raw), printed(found.kappa.value, 2), printed(found.ac1.value, 2))
    assert figures == ("98.6%", "0.85", "0.98")


def test_one_label_only_leaves_kappa_undefined_with_a_reason() -> None:
    """Never nan, never 1."""
    table = cross_table(IDS, ["yes"] * 4, ["yes"] * 4)
    for found in (cohen_kappa(table), gwet_ac1(table)):
        assert found.value is None
        assert "only one label" in (found.undefined or "")
    assert agreement(table).raw == 1


def test_a_label_that_could_have_been_given_defines_ac1() -> None:
    """With yes and no on offer and yes always given, AC1 is 1 and kappa still undefined."""
    table = cross_table(IDS, ["yes"] * 4, ["yes"] * 4, labels=("yes", "no"))
    assert gwet_ac1(table).value == 1
    assert cohen_kappa(table).value is None


def test_a_label_not_on_offer_is_refused() -> None:
    """A join of two scales is a mistake."""
    with pytest.raises(InputError, match="'maybe' is not among yes, no"):
        cross_table(IDS, ["yes"] * 4, ["maybe"] * 4, labels=("yes", "no"))


def test_agreement_needs_the_concordant_cells_and_items() -> None:
    """Discordant cells alone, and an empty table, have no agreement."""
    with pytest.raises(InputError, match="all four cells"):
        table_of_pairs(pairs_counted_elsewhere(500, 7, 0))
    empty = cross_table(IDS, ["a"] * 4, ["b"] * 4).model_copy(update={"cells": ((0, 0), (0, 0))})
    with pytest.raises(InputError, match="0 items"):
        agreement(empty)


def test_the_table_counts_each_label_on_either_side() -> None:
    """Rows are the first judge's, columns the second's."""
    table = cross_table(IDS, ["a", "a", "b", "b"], ["a", "b", "b", "b"])
    assert (table.cells, table.rows, table.columns) == (((1, 1), (0, 2)), (2, 2), (1, 3))


def test_fleiss_refuses_missing_judgments_by_name() -> None:
    """It is not defined for them, and another coefficient is."""
    with pytest.raises(InputError, match="use krippendorff_alpha"):
        fleiss_kappa(ratings(["a", "b"], [[1, 2], [1, None]]))
    with pytest.raises(InputError, match="agrees with none"):
        fleiss_kappa(ratings(["a", "b"], [[1], [2]]))


def test_judges_with_one_label_have_no_reliability() -> None:
    """Each coefficient gives its reason."""
    table = ratings(["a", "b"], [[1, 1], [1, 1]])
    for found in (
        fleiss_kappa(table),
        krippendorff_alpha(table, "nominal"),
        raters.gwet_ac1(table),
    ):
        assert found.value is None
        assert "label" in (found.undefined or "")


def test_items_judged_once_have_no_reliability() -> None:
    """Nothing can agree."""
    table = ratings(["a", "b"], [[1, None], [None, 2]])
    for found in (krippendorff_alpha(table, "nominal"), raters.gwet_ac1(table)):
        assert (found.value, found.undefined) == (None, "no item has two judgments")


def test_the_interval_level_needs_numbers_and_labels_one_kind() -> None:
    """Texts have no distance."""
    with pytest.raises(InputError, match="whole numbers"):
        krippendorff_alpha(ratings(["a", "b"], [["x", "y"], ["x", "x"]]), "interval")
    with pytest.raises(InputError, match="one kind"):
        ratings(["a", "b"], [["x", 1], ["x", "x"]])


def test_labels_are_those_given_and_at_least_one_judgment_stands() -> None:
    """A label off the scale is refused, and so is a table of nothing."""
    with pytest.raises(InputError, match="'3' is not among"):
        ratings(["a"], [[1, 3]], labels=(1, 2))
    with pytest.raises(InputError, match="no judgment at all"):
        ratings(["a"], [[None, None]])


def test_every_definition_of_a_flip_gives_another_number() -> None:
    """Three repetitions of two items, one of which wavers."""
    found = stability(["a", "b"], [["yes", "no", "yes"], ["no", "no", "no"]])
    assert (found.any_flip, found.pairwise, found.versus_first) == (
        Fraction(1, 2),
        Fraction(1, 3),
        Fraction(1, 4),
    )
    assert (found.consecutive, found.modal_share) == (Fraction(1, 2), Fraction(5, 6))


@pytest.mark.parametrize(
    "rows", [[["yes"], ["no"]], [["yes", "no"], ["yes"]], [["yes", None], ["yes", "no"]]]
)
def test_stability_needs_every_repetition(rows: list[list[str]]) -> None:
    """One repetition, a short row and an undecided label are refused."""
    with pytest.raises(InputError):
        stability(["a", "b"], rows)
