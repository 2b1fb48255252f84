"""Which rows of the saved answers are judged, in which order, and what is missing."""

import json
from pathlib import Path

import pytest

from judge.answers import AnswersFile, Joined, ReferencesFile, join
from judge.errors import InputError
from judge.records import Reference, Selection

Row = dict[str, object]

KEY: list[Row] = [
    {"id": "a", "type": "one", "question": "qa", "gold": "ga", "split": "dev", "n": 1},
    {"id": "b", "type": "two", "question": "qb", "gold": "gb", "split": "test", "n": 2},
    {"id": "c_abs", "type": "one", "question": "qc", "gold": "gc", "split": "dev", "n": None},
    {"id": "d", "type": "three", "question": "qd", "gold": "gd", "split": "test", "n": 1.5},
]


def written(path: Path, table: list[Row]) -> Path:
    """Write the rows and return their path."""
    path.write_text("".join(json.JSONEncoder().encode(row) + "\n" for row in table))
    return path


def answered(ids: str, **more: object) -> list[Row]:
    """Return one answer per letter, for the ids that begin with it."""
    full = {str(row["id"])[0]: row["id"] for row in KEY}
    return [{"id": full[letter], "response": f"r{letter}", **more} for letter in ids]


class Desk:
    """A folder with an answer key and some answers files, joined on demand."""

    def __init__(self, folder: Path) -> None:
        self.key = ReferencesFile(path=written(folder / "key.jsonl", KEY))
        self.folder = folder

    def join(
        self,
        *tables: list[Row],
        only: tuple[str, ...] = (),
        limit: int | None = None,
        partial: bool = False,
    ) -> Joined:
        """Return the join of the tables, named s1, s2 …."""
        selection = Selection(only=only, limit=limit, allow_partial=partial, allow_empty=False)
        return join(self.files(*tables), self.key, selection)

    def files(self, *tables: list[Row]) -> list[AnswersFile]:
        """Write the tables and return their files."""
        return [
            AnswersFile(name=f"s{n}", path=written(self.folder / f"s{n}.jsonl", table))
            for n, table in enumerate(tables, 1)
        ]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A desk in a folder of its own."""
    return Desk(tmp_path)


def ids(joined: Joined, name: str = "s1") -> str:
    """Return the first letters of one set's ids, in their order."""
    return "".join(item.id[0] for item in joined.items() if item.answers == name)


@pytest.mark.parametrize(
    ("only", "left"),
    [
        (("type=one",), "ac"),
        (("type=two,three",), "bd"),
        (("id=d,a",), "ad"),
        (("abstention=true",), "c"),
        (("abstention=false",), "abd"),
        (("abstention=true,false",), "abcd"),
        (("split=dev",), "ac"),
        (("n=1",), "a"),
        (("n=null",), "c"),
        (("n=1.5",), "d"),
        (("type=one", "split=dev", "abstention=false"), "a"),
        (("question=qb",), "b"),
        (("response=rb,rc",), "bc"),
        (("type=one", "id=a,b"), "a"),
    ],
)
def test_conditions_choose_rows(only: tuple[str, ...], left: str, desk: Desk) -> None:
    """Values of one condition are alternatives, and every condition must hold."""
    joined = desk.join(answered("abcd"), only=only)

    assert ids(joined) == left
    assert joined.questions == len(left)
    assert [item.position for item in joined.items()] == list(range(len(left)))


def test_a_column_of_the_answer_comes_before_the_keys(desk: Desk) -> None:
    """Where both rows have the column, the answer's own word counts."""
    table = [*answered("ab", split="mine"), *answered("cd")]

    assert ids(desk.join(table, only=("split=mine,dev",))) == "abc"


def test_a_condition_on_a_column_may_choose_other_rows_in_each_file(desk: Desk) -> None:
    """A question that one file leaves out by its own column is not missing there."""
    joined = desk.join(
        [*answered("ab", good=True), *answered("cd", good=False)],
        [*answered("bc", good=True), *answered("ad", good=False)],
        only=("good=true",),
    )

    assert (ids(joined, "s1"), ids(joined, "s2")) == ("ab", "bc")
    assert [one.missing for one in joined.sets] == [0, 0]
    assert [item.position for item in joined.items()] == [0, 1, 1, 2]


@pytest.mark.parametrize(
    ("only", "said"),
    [
        ("colour=red", "no row has a field 'colour'; there are id, type, abstention, route and"),
        ("type=four", "nothing selected by --only 'type=four': no row has 'type' 'four'"),
        ("type=one,fuor", "no row has 'type' 'fuor'"),
        ("id=a,z,y", "no row has 'id' 'y', 'z'"),
        ("split=train", "no row has 'split' 'train'"),
        ("abstention=yes", "no row has 'abstention' 'yes'"),
        ("type", "must be FIELD=VALUE"),
        ("=one", "must be FIELD=VALUE"),
        ("route=base", "needs a rubric"),
    ],
)
def test_a_condition_that_selects_nothing_is_refused(only: str, said: str, desk: Desk) -> None:
    """A slip of the pen must not shrink a run without a word."""
    with pytest.raises(InputError) as caught:
        desk.join(answered("abcd"), only=(only,))

    assert said in str(caught.value)


def test_conditions_no_row_meets_together_are_refused(desk: Desk) -> None:
    """Each holds somewhere, but nowhere both."""
    with pytest.raises(InputError, match="nothing selected: no answer meets --only 'type=two' and"):
        desk.join(answered("abcd"), only=("type=two", "split=dev"))


def test_a_file_with_none_of_the_questions_is_refused(desk: Desk) -> None:
    """A set of no rows would be judged without being asked."""
    with pytest.raises(InputError, match=r"s2\.jsonl: nothing selected: no answer of this file"):
        desk.join(answered("abcd"), answered("b"), only=("type=one",), partial=True)


def test_a_condition_of_the_caller_is_one_more(desk: Desk) -> None:
    """It sees the joined reference, and then `route=` is the caller's affair."""
    seen: list[Reference] = []

    def keep(reference: Reference) -> bool:
        seen.append(reference)
        return reference.question != "qb"

    selection = Selection(
        only=("route=x", "abstention=false"), limit=None, allow_partial=False, allow_empty=False
    )
    joined = join(desk.files(answered("abcd")), desk.key, selection, keep)

    assert ids(joined) == "ad"
    assert [reference.id for reference in seen] == ["a", "b", "d"]
    assert seen[0] == Reference(id="a", type="one", question="qa", gold="ga", abstention=False)


def test_a_caller_who_keeps_nothing_is_refused(desk: Desk) -> None:
    """Nothing selected is never a run."""
    selection = Selection(only=(), limit=None, allow_partial=True, allow_empty=False)

    with pytest.raises(InputError, match="nothing selected: no answer meets the conditions"):
        join(desk.files(answered("abcd")), desk.key, selection, lambda _: False)


def test_the_order_is_that_of_the_first_file(desk: Desk) -> None:
    """Every set has a question at the same position, however its file is ordered."""
    joined = desk.join(answered("dbca"), answered("abcd"))

    assert ids(joined, "s1") == ids(joined, "s2") == "dbca"
    assert [item.position for item in joined.items()] == [0, 1, 2, 3] * 2
    assert [one.first_row for one in joined.sets] == [0, 4]
    assert [item.response for item in joined.items()] == ["rd", "rb", "rc", "ra"] * 2


def test_questions_only_later_files_answer_come_last(desk: Desk) -> None:
    """A position may be empty in one set and filled in another."""
    joined = desk.join(answered("cb"), answered("abc"), answered("dc"), partial=True)

    assert (ids(joined, "s1"), ids(joined, "s2"), ids(joined, "s3")) == ("cb", "cba", "cd")
    assert [item.position for item in joined.items()] == [0, 1, 0, 1, 2, 0, 3]
    assert joined.questions == 4
    assert [one.missing for one in joined.sets] == [2, 1, 2]
    assert [(one.first_row, one.rows) for one in joined.sets] == [(0, 2), (2, 3), (5, 2)]


def test_a_limit_takes_the_first_questions_that_are_left(desk: Desk) -> None:
    """It counts questions, not rows, after the conditions."""
    joined = desk.join(answered("dcba"), answered("abcd"), only=("type=one,three",), limit=2)

    assert ids(joined, "s1") == ids(joined, "s2") == "dc"
    assert joined.questions == 2


def test_a_limit_of_none_of_the_rows_is_refused(desk: Desk) -> None:
    """A run of no questions is no run."""
    with pytest.raises(InputError, match="nothing selected: no answer meets --limit 0"):
        desk.join(answered("abcd"), limit=0)


def test_a_limit_above_the_number_of_questions_changes_nothing(desk: Desk) -> None:
    """All are taken."""
    assert ids(desk.join(answered("abcd"), limit=99)) == "abcd"


def test_missing_answers_are_refused(desk: Desk) -> None:
    """The file, the count and the first ids are named, and what to do."""
    with pytest.raises(InputError) as caught:
        desk.join(answered("bd"))

    assert str(caught.value) == (
        f"{desk.folder / 's1.jsonl'}: 2 of 4 selected questions have no answer here "
        "('a', 'c_abs'); add the answers, or pass --allow-partial to judge those that are there"
    )


def test_missing_answers_are_counted_where_they_are_allowed(desk: Desk) -> None:
    """The count stands in the set, and the questions are those that have an answer."""
    joined = desk.join(answered("bd"), partial=True)

    assert [(one.rows, one.missing) for one in joined.sets] == [(2, 2)]
    assert joined.questions == 2


def test_only_selected_questions_can_be_missing(desk: Desk) -> None:
    """The key's own columns decide for a question that nobody answers."""
    assert ids(desk.join(answered("bd"), only=("split=test",))) == "bd"


def test_a_question_left_out_by_the_limit_is_not_missing(desk: Desk) -> None:
    """Questions nobody answers stand last, so a limit reaches them last."""
    assert ids(desk.join(answered("bd"), limit=2)) == "bd"
    with pytest.raises(InputError, match=r"1 of 3 selected questions have no answer here \('a'\)"):
        desk.join(answered("bd"), limit=3)


def test_a_file_of_one_answers_key_is_held_to_the_other_files_questions(tmp_path: Path) -> None:
    """Where the answers carry the key, its questions are those of all files."""
    table = [{**row, "response": "r"} for row in KEY]
    files = [
        AnswersFile(name="s1", path=written(tmp_path / "s1.jsonl", table)),
        AnswersFile(name="s2", path=written(tmp_path / "s2.jsonl", table[:3])),
    ]
    selection = Selection(only=(), limit=None, allow_partial=False, allow_empty=False)

    with pytest.raises(InputError, match=r"s2\.jsonl: 1 of 4 selected questions .* \('d'\)"):
        join(files, None, selection)
