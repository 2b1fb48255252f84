"""judge/layout.py: the cells of a plan, and the one order in which they are first asked."""

import time
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plans import layout, plan

from judge.errors import VerificationError
from judge.layout import Layout
from judge.records import Arm, Cell


@dataclass(frozen=True)
class Shape:
    """A plan in a few numbers."""

    sets: dict[str, tuple[int, ...]]
    conditions: tuple[str, ...]
    controls: int
    repetitions: int
    batch_size: int | None

    def layout(self) -> Layout:
        """Return the plan's layout."""
        arms: list[Arm] = ["positive", "negative"] * self.controls
        return layout(
            self.sets,
            self.conditions,
            arms[: self.controls],
            repetitions=self.repetitions,
            batch_size=self.batch_size,
        )


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    """Draw a small plan: up to three answers sets, some with questions missing."""
    names = draw(st.sampled_from(["a", "ab", "abc"]))
    positions = st.sets(st.integers(0, 6), min_size=1).map(lambda rows: tuple(sorted(rows)))
    return Shape(
        sets={name: draw(positions) for name in names},
        conditions=tuple(draw(st.lists(st.sampled_from(names), min_size=1, max_size=4))),
        controls=draw(st.integers(1, 4)),
        repetitions=draw(st.integers(1, 3)),
        batch_size=draw(st.none() | st.integers(1, 8)),
    )


def _by_the_rule(shape: Shape, found: Layout) -> list[Cell]:
    """Rule 2 of FORMAT.md as a sort: each cell's place is worked out by itself."""
    ids = [f"c{number}" for number in range(1, len(shape.conditions) + 1)]
    size = shape.batch_size or found.plan.questions
    batches = -(-found.plan.questions // size)
    placed: list[tuple[tuple[int, ...], Cell]] = []
    for number, name in enumerate(shape.conditions):
        first = found.sets[name].first_row
        for repetition in range(1, shape.repetitions + 1):
            for row in range(shape.controls):
                turn = (number - (row + repetition - 1)) % len(ids)
                placed += [
                    (
                        (batch, 0, repetition, row, turn),
                        Cell("control", batch, ids[number], repetition, row),
                    )
                    for batch in range(batches)
                ]
            for row, position in enumerate(shape.sets[name], first):
                turn = (number - (position + repetition - 1)) % len(ids)
                batch = position // size
                cell = Cell("answer", batch, ids[number], repetition, row)
                placed.append(((batch, 1, repetition, position, turn), cell))
    return [cell for _, cell in sorted(placed)]


@given(shapes())
def test_the_order_is_the_formats(shape: Shape) -> None:
    """Batch, controls before answers, repetition, position, and the conditions in rotation."""
    found = shape.layout()

    assert list(found.order()) == _by_the_rule(shape, found)


@given(shapes())
def test_the_counts_are_those_of_the_order(shape: Shape) -> None:
    """Every cell once; each answer in its batch."""
    found = shape.layout()
    cells = list(found.order())
    answers = [cell for cell in cells if cell.phase == "answer"]

    assert len(set(cells)) == len(cells)
    assert found.cells == len(answers)
    assert found.rows == sum(map(len, shape.sets.values()))
    assert {cell.batch for cell in cells} == set(range(found.batches))
    assert all(cell.batch == found.batch_of(cell.row) for cell in answers)


def test_conditions_take_turns_at_being_first() -> None:
    """So that no condition always meets the server fresh or tired."""
    found = layout({"a": (0, 1, 2)}, ("a", "a", "a"), ("positive",))
    first = [cell.condition for cell in found.answers(0)]

    assert first == ["c1", "c2", "c3", "c2", "c3", "c1", "c3", "c1", "c2"]


def test_a_condition_without_the_question_is_passed_over() -> None:
    """The others keep their turns."""
    found = layout({"a": (0, 1), "b": (1,)}, ("a", "b"), ("positive",))

    assert [(cell.condition, cell.row) for cell in found.answers(0)] == [
        ("c1", 0),
        ("c2", 2),
        ("c1", 1),
    ]


def test_without_batches_all_is_one_batch() -> None:
    """However many questions."""
    found = layout({"a": range(50)})

    assert (found.batches, found.batch_of(49)) == (1, 0)


def test_a_public_export_has_no_order() -> None:
    """It does not say which rows stand where."""
    found = Layout(plan({"a": (0, 1)}, ["a"], batch_size=1), (None, None), None)

    assert (found.cells, found.batch_of(1), found.batches) == (2, 0, 2)
    with pytest.raises(VerificationError, match="public export"):
        list(found.order())


def test_many_batches_cost_no_more_than_their_cells() -> None:
    """A batch is found in its own time, not in that of the whole run."""
    found = layout({"a": range(40_000)}, batch_size=20)
    started = time.process_time()
    count = sum(1 for _ in found.order())

    assert count == 2000 * 2 + 40_000
    # Going through all rows for each batch takes some ten seconds.
    assert time.process_time() - started < 2
