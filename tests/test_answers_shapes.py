"""Shapes of saved answers: how a file holds its rows, and which column holds what."""

import csv
import gzip
import io
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from judge.answers import AnswersFile, Joined, ReferencesFile, documents, join, rows
from judge.errors import InputError
from judge.records import Item, Selection

ALL = Selection(only=(), limit=None, allow_partial=False, allow_empty=False)
Rows = list[dict[str, object]]

TEXTS = [
    "In the drawer.",
    'She said "no, not yet",\nand left.\r\n\r\n',
    "Größe 🦉   日本語 \u0000 \\n {braces} {{ 7*7 }}",
    "  kept as it is \t",
    "a,b;c|d",
]
ROWS: Rows = [
    {
        "id": f"q{n}",
        "type": "kind",
        "question": f"Question {n}?",
        "gold": f"Gold {n}",
        "response": t,
    }
    for n, t in enumerate(TEXTS)
]


def encoded(value: object, indent: int | None = None, *, ascii_only: bool = False) -> str:
    """Return the value as JSON text."""
    return json.JSONEncoder(indent=indent, ensure_ascii=ascii_only).encode(value)


def as_csv(table: Rows) -> str:
    """Return the rows as CSV."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(table[0]))
    writer.writeheader()
    writer.writerows(table)
    return out.getvalue()


FORMS: dict[str, Callable[[Rows], str]] = {
    "lines": lambda table: "".join(encoded(row) + "\n" for row in table),
    "escaped lines": lambda table: "".join(encoded(row, ascii_only=True) + "\n" for row in table),
    "lines with CRLF": lambda table: "".join(encoded(row) + "\r\n" for row in table),
    "lines without an end": lambda table: "\n".join(encoded(row) for row in table),
    "lines and blank ones last": lambda table: "".join(encoded(r) + "\n" for r in table) + " \n\n",
    "array on one line": encoded,
    "array with indent": lambda table: encoded(table, 2),
    "array after blank lines": lambda table: "\n \n" + encoded(table, 1) + "\n\n",
    "array of lines": lambda table: "[\n" + ",\n".join(encoded(row) for row in table) + "\n]\n",
    "object on one line": lambda table: encoded({"version": 1.5, "rows": table, "tags": []}),
    "object with indent": lambda table: encoded({"m": 123456, "n": {"x": [[1]]}, "rows": table}, 2),
    "object after blank lines": lambda table: "\n" + encoded({"rows": table}, 1),
    "csv": as_csv,
    "csv with LF": lambda table: as_csv(table).replace('"\r\n', '"\n'),
}


def joined(path: Path, **columns: str) -> Joined:
    """Return the join of one file that carries its own answer key."""
    return join([AnswersFile(name="a", path=path, columns=tuple(columns.items()))], None, ALL)


def only_item(tmp_path: Path, row: dict[str, object], **columns: str) -> Item:
    """Return the item of a file of one row."""
    path = tmp_path / "row.jsonl"
    path.write_text(encoded({"question": "q?", "response": "r", **row}) + "\n")
    (item,) = joined(path, **columns).items()
    return item


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize(
    ("form", "name"),
    [
        (form, name)
        for form in FORMS
        for name in ("rows.txt", "rows.jsonl", "rows.csv", "rows")
        # A name that says JSON before a text that is none is refused.
        if not (name == "rows.jsonl" and form.startswith("csv"))
    ],
)
def test_a_form_is_known_by_its_content(
    form: str, name: str, tmp_path: Path, *, packed: bool
) -> None:
    """Whatever its name says, a file gives the same items with their texts untouched."""
    path = tmp_path / name
    data = FORMS[form](ROWS).encode()
    path.write_bytes(gzip.compress(data) if packed else data)

    items = list(joined(path).items())

    assert [item.response for item in items] == TEXTS
    assert [item.id for item in items] == [row["id"] for row in ROWS]
    assert [item.gold for item in items] == [row["gold"] for row in ROWS]
    assert {item.type for item in items} == {"kind"}


@pytest.mark.parametrize("form", [form for form in FORMS if "array" in form or "object" in form])
def test_a_document_may_be_cut_anywhere_while_it_is_read(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading one byte, then twice as much, gives the rows that reading it whole gives."""
    monkeypatch.setattr(documents, "_CHUNK", 1)
    monkeypatch.setattr(rows, "_HEAD", 5)
    path = tmp_path / "rows.json"
    path.write_bytes(FORMS[form](ROWS).encode())

    assert [item.response for item in joined(path).items()] == TEXTS


def test_a_long_document_is_read_as_its_standard_reader_reads_it(tmp_path: Path) -> None:
    """Rows of very different lengths, over many pieces of the file."""
    chance = random.Random(7)
    letters = 'abc éü日本🦉\\"\n'
    table: Rows = [
        {
            "id": n,
            "question": "q?",
            "gold": chance.randrange(10**6),
            "response": "x" + "".join(chance.choices(letters, k=int(chance.expovariate(1 / 2000)))),
            "noise": [{"deep": [n, None, True, 1.5]}] * chance.randrange(4),
        }
        for n in range(600)
    ]
    path = tmp_path / "rows.json"
    path.write_text(encoded(table, 1), encoding="utf-8")

    items = list(joined(path).items())

    assert path.stat().st_size > 1_000_000
    assert [item.response for item in items] == [row["response"] for row in table]
    assert [item.gold for item in items] == [str(row["gold"]) for row in table]


def test_one_row_is_not_taken_for_a_document(tmp_path: Path) -> None:
    """A row with a list of objects in it stays a row, for it has an id."""
    item = only_item(tmp_path, {"id": "a", "gold": "g", "messages": [{"role": "user"}]})

    assert item.id == "a"


def test_a_mapped_id_tells_a_row_from_a_document(tmp_path: Path) -> None:
    """Also where the id column has a name of its own."""
    item = only_item(tmp_path, {"qid": "a", "gold": "g", "messages": [{"x": 1}]}, id="qid")

    assert item.id == "a"


def test_a_first_line_longer_than_a_piece_is_read_whole(tmp_path: Path) -> None:
    """JSON Lines are told from a document by their whole first line."""
    item = only_item(tmp_path, {"id": "a", "gold": "g", "response": "word " * 40_000})

    assert len(item.response) == 200_000


@pytest.mark.parametrize(
    ("literal", "text"),
    [
        ('"9"', "9"),
        ("9", "9"),
        ("-0", "0"),
        ("1" + "0" * 30, "1" + "0" * 30),
        ("1.5", "1.5"),
        ("1.50", "1.5"),
        ("1e2", "100.0"),
    ],
)
def test_a_gold_answer_that_is_a_number_is_what_str_makes_of_it(
    literal: str, text: str, tmp_path: Path
) -> None:
    """The benchmark's own script formats it so."""
    path = tmp_path / "row.jsonl"
    path.write_text(f'{{"id": "a", "question": "q?", "response": "r", "gold": {literal}}}')

    (item,) = joined(path).items()

    assert item.gold == text


def test_a_whole_number_is_an_id(tmp_path: Path) -> None:
    """It becomes its digits."""
    assert only_item(tmp_path, {"id": 7, "gold": "g"}).id == "7"


@pytest.mark.parametrize(
    ("name", "own", "abstention"),
    [
        ("a_abs", {}, True),
        ("a_abs_2", {}, True),
        ("a", {}, False),
        ("a_abs", {"abstention": False}, False),
        ("a", {"abstention": True}, True),
        ("a_abs", {"abstention": None}, True),
    ],
)
def test_abstention_is_the_rows_own_word_or_follows_from_the_id(
    name: str, own: dict[str, object], tmp_path: Path, *, abstention: bool
) -> None:
    """Where no column says it, `_abs` anywhere in the id does."""
    assert only_item(tmp_path, {"id": name, "gold": "g", **own}).abstention is abstention


@pytest.mark.parametrize(
    ("row", "prior"),
    [
        ({}, None),
        ({"prior": None}, None),
        ({"prior": True}, "yes"),
        ({"prior": False}, "no"),
        ({"prior": "CORRECT"}, "CORRECT"),
        ({"prior": "x" * 300}, "x" * 200),
        ({"autoeval_label": {"model": "m", "label": True}}, "yes"),
        ({"autoeval_label": {"model": "m", "label": False}}, "no"),
        ({"autoeval_label": {"model": "m", "label": None}}, None),
        ({"autoeval_label": None}, None),
        ({"llm_judge_correct": True, "attempts": 1}, "yes"),
        ({"llm_judge_correct": False, "attempts": 3}, "no"),
        ({"llm_judge_correct": False, "attempts": 0}, None),
        ({"llm_judge_correct": True, "attempts": 0}, None),
        ({"llm_judge_correct": None, "attempts": 1}, None),
        ({"llm_judge_correct": False, "attempts": None}, "no"),
        ({"llm_judge_correct": False}, "no"),
        ({"prior": False, "attempts": 0}, "no"),
    ],
)
def test_the_prior_label_is_read_from_the_known_columns(
    row: dict[str, object], prior: str | None, tmp_path: Path
) -> None:
    """True is yes, false is no, and an answer judged in 0 attempts has none."""
    assert only_item(tmp_path, {"id": "a", "gold": "g", **row}).prior == prior


@pytest.mark.parametrize(
    ("columns", "cells", "prior"),
    [
        ("prior", "True", "True"),
        ("prior", "", None),
        ("llm_judge_correct", "True", "yes"),
        ("llm_judge_correct", "false", "no"),
        ("autoeval_label", "false", "no"),
        ("llm_judge_correct", "", None),
        ("llm_judge_correct,attempts", "False,0", None),
        ("llm_judge_correct,attempts", "False,2", "no"),
        ("llm_judge_correct,attempts", "False,", "no"),
    ],
)
def test_a_label_in_csv_is_text_unless_its_column_is_known(
    columns: str, cells: str, prior: str | None, tmp_path: Path
) -> None:
    """CSV has no booleans: only columns known to hold them are read so."""
    path = tmp_path / "rows.csv"
    path.write_text(f"id,question,gold,response,abstention,{columns}\na,q?,g,r,True,{cells}\n")

    (item,) = joined(path).items()

    assert item.prior == prior
    assert item.abstention


def test_an_empty_cell_of_a_csv_flag_says_nothing(tmp_path: Path) -> None:
    """Abstention then follows from the id."""
    path = tmp_path / "rows.csv"
    path.write_text("id,question,gold,response,abstention\na_abs,q?,g,r,\n")

    (item,) = joined(path).items()

    assert item.abstention


def test_a_row_of_the_evidence_release_carries_its_own_key(tmp_path: Path) -> None:
    """Its eight columns are known, and no references are needed."""
    item = only_item(
        tmp_path,
        {
            "question_id": "a_abs",
            "question_type": "multi-session",
            "gold": 3,
            "abstention": True,
            "llm_judge_correct": False,
            "attempts": 0,
        },
    )

    assert item == Item(
        answers="a",
        position=0,
        id="a_abs",
        type="multi-session",
        question="q?",
        gold="3",
        abstention=True,
        response="r",
        prior=None,
    )


@pytest.mark.parametrize("response", ["response", "hypothesis", "output"])
@pytest.mark.parametrize("gold", ["gold", "answer", "reference"])
def test_plain_names_are_known(response: str, gold: str, tmp_path: Path) -> None:
    """Any of the usual names will do, and a row without a type is untyped."""
    path = tmp_path / "rows.jsonl"
    path.write_text(encoded({"id": 1, "question": "q?", gold: "g", response: "r"}))

    (item,) = joined(path).items()

    assert (item.gold, item.response, item.type) == ("g", "r", "untyped")


def test_a_column_map_wins_over_known_names(tmp_path: Path) -> None:
    """A column that the map names for one field is no candidate for another."""
    item = only_item(
        tmp_path,
        {"qid": "a", "id": "other", "answer": "said", "gold": "g", "score": "A", "prior": "B"},
        id="qid",
        response="answer",
        prior="score",
    )

    assert (item.id, item.response, item.gold, item.prior) == ("a", "said", "g", "A")


def test_an_empty_map_says_that_there_is_no_such_field(tmp_path: Path) -> None:
    """So a column whose name misleads can be left out."""
    item = only_item(
        tmp_path, {"id": "a", "gold": "g", "prior": 3, "type": None}, prior="", type=""
    )

    assert (item.prior, item.type) == (None, "untyped")


def test_a_mapped_column_may_be_absent_from_some_rows(tmp_path: Path) -> None:
    """An optional field is then null."""
    path = tmp_path / "rows.jsonl"
    row = {"question": "q?", "gold": "g", "response": "r"}
    path.write_text(encoded({"id": 1, **row, "mark": "A"}) + "\n" + encoded({"id": 2, **row}))

    assert [item.prior for item in joined(path, prior="mark").items()] == ["A", None]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ((("prior", "mark"),), "--answers-field prior='mark': no row has that column; there are"),
        ((("verdict", "mark"),), "--answers-field 'verdict': no such field; there are id, type"),
        ((("id", "a"), ("id", "b")), "--answers-field id is given twice"),
        ((("id", ""),), "no column for id"),
    ],
)
def test_a_column_map_that_names_nothing_is_refused(
    columns: tuple[tuple[str, str], ...], said: str, tmp_path: Path
) -> None:
    """A slip of the pen must not read as a column that is empty."""
    path = tmp_path / "rows.jsonl"
    path.write_text(FORMS["lines"](ROWS))

    with pytest.raises(InputError) as caught:
        join([AnswersFile(name="a", path=path, columns=columns)], None, ALL)

    assert said in str(caught.value)


def test_references_have_no_response_to_map(tmp_path: Path) -> None:
    """A field of the other role is no field."""
    path = tmp_path / "rows.jsonl"
    path.write_text(FORMS["lines"](ROWS))
    key = ReferencesFile(path=path, columns=(("response", "x"),))

    with pytest.raises(InputError, match="--references-field 'response': no such field"):
        join([AnswersFile(name="a", path=path)], key, ALL)


def test_rows_may_have_any_number_of_other_columns(tmp_path: Path) -> None:
    """Two thousand different sets of columns are read as one."""
    path = tmp_path / "rows.jsonl"
    table: Rows = [
        {"id": n, "question": "q?", "gold": "g", "response": "r", f"extra {n}": n}
        for n in range(2000)
    ]
    path.write_text(FORMS["lines"](table))

    assert joined(path).questions == 2000


def test_a_spreadsheets_csv_may_begin_with_a_mark(tmp_path: Path) -> None:
    """Its first column has its name without it; JSON with one is refused."""
    path = tmp_path / "answers.csv"
    path.write_bytes(
        b"\xef\xbb\xbfid,response,question,gold,type\r\nq1,Yes,Why?,Yes,multi-session\r\n"
    )
    selection = Selection(only=(), limit=None, allow_partial=False, allow_empty=False)
    joined = join([AnswersFile(name="a", path=path)], None, selection)

    assert [(item.id, item.response) for item in joined.items()] == [("q1", "Yes")]
    assert joined.sources[0].bytes == path.stat().st_size
