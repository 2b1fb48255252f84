"""Rescue and Harm, token F1."""

from fractions import Fraction
from itertools import product

import pytest

from judge.errors import InputError
from judge.stats.bootstrap import Bootstrap, bootstrap_mean
from judge.stats.exact import percent
from judge.stats.rescue_harm import TaskRuns, cross_pairs, rescue_harm, tasks_from_jsonl
from judge.stats.token_f1 import Answered, answer_line, f1, token_f1


def _runs(resolved: int, runs: int) -> tuple[int, ...]:
    return (1,) * resolved + (0,) * (runs - resolved)


@pytest.mark.parametrize(("k", "m"), list(product(range(4), repeat=2)))
def test_the_formula_is_the_enumeration_of_the_cross_pairs(k: int, m: int) -> None:
    """All sixteen pairs of three runs without and three with memory."""
    nine = list(product(_runs(k, 3), _runs(m, 3)))
    found = cross_pairs(k, 3, m, 3)
    assert found.rescue == Fraction(sum((not b) and a for b, a in nine), 9)
    assert found.harm == Fraction(sum(b and (not a) for b, a in nine), 9)
    assert found.rescue - found.harm == found.change == Fraction(m - k, 3)


def test_any_number_of_runs_has_cross_pairs() -> None:
    """One of two without, three of five with."""
    found = cross_pairs(1, 2, 3, 5)
    assert (found.rescue, found.harm) == (Fraction(3, 10), Fraction(1, 5))


@pytest.mark.parametrize("counts", [(0, 0, 1, 3), (4, 3, 1, 3), (0, 3, 4, 3)])
def test_impossible_runs_have_no_cross_pairs(counts: tuple[int, int, int, int]) -> None:
    """No runs, or more resolved than run."""
    with pytest.raises(InputError, match="no cross pairs"):
        cross_pairs(*counts)


def _tasks() -> list[TaskRuns]:
    counts = [(0, 0), (0, 3), (1, 2), (3, 3), (0, 3), (2, 1), (3, 0), (0, 2), (3, 3), (0, 0)] * 3
    return [
        TaskRuns(
            task=f"t{n}",
            base=_runs(k, 3),  # type: ignore[arg-type]
            memory=_runs(m, 3),  # type: ignore[arg-type]
            solve_tokens=1000,
            memory_tokens=n,
        )
        for n, (k, m) in enumerate(counts)
    ]


def test_rescue_less_harm_is_the_change_over_all_tasks() -> None:
    """The identity survives the mean."""
    found = rescue_harm(_tasks())
    assert found.rescue.mean - found.harm.mean == found.change.mean
    assert found.tasks == 30


def _ends(found: Bootstrap) -> list[str]:
    return [percent(found.low), percent(found.high)]


def test_cross_pairs_taken_as_independent_make_the_interval_too_short() -> None:
    """30 tasks: resampling their 270 cross pairs shows a change that resampling tasks does not."""
    tasks = _tasks()
    crossed = [(base, memory) for row in tasks for base, memory in product(row.base, row.memory)]
    ids = [f"pair {n}" for n in range(len(crossed))]
    found = rescue_harm(tasks)
    rescued = bootstrap_mean(ids, [int(not base and memory) for base, memory in crossed])
    changed = bootstrap_mean(ids, [memory - base for base, memory in crossed])
    assert (rescued.mean, changed.mean) == (found.rescue.mean, found.change.mean)
    assert (_ends(found.rescue), _ends(rescued)) == (["18.5%", "47.0%"], ["26.7%", "37.8%"])
    assert (_ends(found.change), _ends(changed)) == (["-4.4%", "37.8%"], ["8.5%", "24.8%"])


def test_building_the_memory_is_counted_apart_and_in_the_sum() -> None:
    """Tokens of solving leave out the tokens that built the memory."""
    tokens = rescue_harm(_tasks()).tokens
    assert (tokens.solving, tokens.building, tokens.sum) == (30_000, 435, 30_435)


def test_uncounted_tokens_leave_no_sum() -> None:
    """A task without its tokens makes the sum unknown, not smaller."""
    rows = [*_tasks(), TaskRuns(task="last", base=(0,), memory=(1,), solve_tokens=5)]
    tokens = rescue_harm(rows).tokens
    assert (tokens.solving, tokens.building, tokens.sum) == (30_005, None, None)
    assert tokens.uncounted == 1


def test_tasks_are_read_from_lines_with_any_number_of_runs() -> None:
    """One object per line; empty lines are passed over."""
    data = b'{"task":"a","base":[0,1],"memory":[1]}\n\n{"task":"b","base":[0],"memory":[1,0,1]}\n'
    rows = tasks_from_jsonl(data, "tasks.jsonl")
    assert [(row.task, row.base, row.memory) for row in rows] == [
        ("a", (0, 1), (1,)),
        ("b", (0,), (1, 0, 1)),
    ]


@pytest.mark.parametrize(
    "line",
    [
        b'{"task":"a","base":[0,2],"memory":[1]}',
        b'{"task":"a","base":[],"memory":[1]}',
        b'{"task":"a","base":[0]}',
        b'{"task":"a","base":[0],"memory":[1],"more":1}',
        b"not json",
    ],
)
def test_a_line_that_is_no_task_is_named_by_its_number(line: bytes) -> None:
    """Fail at the file and line."""
    with pytest.raises(InputError, match=r"^tasks\.jsonl:2: "):
        tasks_from_jsonl(b'{"task":"z","base":[0],"memory":[1]}\n' + line, "tasks.jsonl")


def test_a_file_without_tasks_is_refused() -> None:
    """Nothing passes vacuously, and a task stands once."""
    with pytest.raises(InputError, match="no tasks"):
        tasks_from_jsonl(b"\n", "tasks.jsonl")
    with pytest.raises(InputError, match="comes 2 times"):
        rescue_harm([TaskRuns(task="a", base=(0,), memory=(1,))] * 2)


@pytest.mark.parametrize(
    ("response", "gold", "share"),
    [
        ("The blue car.", "a blue car", Fraction(1)),
        ("a blue blue car", "blue car", Fraction(4, 5)),
        ("blue blue", "blue blue car", Fraction(4, 5)),
        ("red", "blue", Fraction(0)),
        ("", "", Fraction(1)),
        ("the", "blue", Fraction(0)),
    ],
)
def test_token_f1_counts_shared_tokens(response: str, gold: str, share: Fraction) -> None:
    """As multisets, without case, punctuation and articles."""
    assert f1(response, gold) == share


@pytest.mark.parametrize(
    ("response", "line"),
    [
        ("I think so.\nAnswer: 42", "42"),
        ("Answer: 1\n**Final Answer:** Paris**", "Paris"),
        ("- answer : two words ", "two words"),
        ("Answer:", ""),
        ("My answer: 42", None),
        ("42", None),
    ],
)
def test_the_last_answer_line_is_taken(response: str, line: str | None) -> None:
    """What follows its colon, without emphasis; none where no line begins so."""
    assert answer_line(response) == line


def test_the_form_of_the_answer_is_scored_beside_the_whole_response() -> None:
    """A long response loses F1 that its answer line has; clusters are the unit."""
    rows = [
        Answered(
            id=f"q{n}",
            cluster=f"c{n % 4}",
            response="We looked at every session here.\nAnswer: Paris" if n else "Paris",
            gold="Paris",
        )
        for n in range(12)
    ]
    found = token_f1(rows)
    assert (found.items, found.without_line) == (12, 1)
    assert found.extracted.mean == 1
    assert found.full.mean == Fraction(1, 12) * (11 * Fraction(2, 9) + 1)
    assert found.difference.mean == found.extracted.mean - found.full.mean
    assert len(found.full.clusters) == 4


def test_no_responses_have_no_f1() -> None:
    """Nothing was answered."""
    with pytest.raises(InputError, match="no responses"):
        token_f1([])
