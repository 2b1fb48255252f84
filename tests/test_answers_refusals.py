"""Files with one flaw each in `tests/answers/`: every one is refused, with its place."""

import gzip
import re
from pathlib import Path

import pytest

from judge.answers import AnswersFile, ReferencesFile, documents, join
from judge.errors import InputError
from judge.records import Selection

HERE = Path(__file__).parent / "answers"
ALL = Selection(only=(), limit=None, allow_partial=False, allow_empty=False)

FLAWS = {
    # Bytes and lines.
    "byte-order-mark.jsonl": ":1: begins with a byte order mark",
    "not-utf8.jsonl": ":2: not UTF-8 at byte 174 ",
    "not-utf8.json": ":3: not UTF-8 at byte 177 ",
    "not-utf8.csv": ":2: not UTF-8 at byte 41 ",
    "blank-first-line.jsonl": ":1: the line is blank",
    "blank-middle-line.jsonl": ":2: the line is blank",
    "blank-middle-line.csv": ":3: the line is blank",
    "empty.jsonl": " is empty",
    "only-blank-lines.jsonl": " is empty",
    "damaged.jsonl.gz": " cannot be read to its end",
    "trailing-bytes.jsonl.gz": " cannot be read to its end",
    # JSON Lines.
    "not-json.jsonl": ":2: not JSON (Expecting ':' delimiter at character 69)",
    "not-json-first-line.jsonl": ":1: not JSON (Invalid control character",
    "missing-brace-first-line.jsonl": ":1: not JSON (Expecting ',' delimiter",
    "two-rows-on-a-line.jsonl": ":2: not JSON (Extra data",
    "list-row.jsonl": ":2: a row must be an object, not a list",
    "null-row.jsonl": ":2: a row must be an object, not null",
    "text-first-row.jsonl": ":1: a row must be a JSON object",
    "key-twice.jsonl": ":2: the key 'gold' stands twice",
    "key-twice-deep.jsonl": ":2: the key 'x' stands twice",
    "nan.jsonl": ":2: NaN is no JSON number",
    "gold-overflows.jsonl": ":2: column 'gold' is a number beyond what can be counted",
    "too-many-digits.jsonl": ":2: a number has too many digits",
    "nested-too-deep.jsonl": ":2: nested too deep",
    "lone-surrogate.jsonl": ":2: column 'response' holds half a character",
    # JSON documents.
    "no-rows.json": " has no rows",
    "no-list.json": ":4: the object holds no list of rows",
    "empty-list.json": ":1: no column for id",
    "cut-list.json": ":2: not JSON (Expecting value",
    "two-lists.json": ":2: two lists of rows, 'rows' and 'more'",
    "name-twice.json": ":1: the key 'v' stands twice",
    "no-colon.json": ":2: not JSON (a colon is missing after 'rows')",
    "bare-name.json": ":2: not JSON (a name in quotes belongs here)",
    "missing-comma-in-object.json": ":2: a comma or the end of the object is missing",
    "text-row.json": ":2: row 2: a row must be an object",
    "missing-comma.json": ":2: row 1: a comma or the end of the list is missing",
    "trailing-comma.json": ":2: row 2: a row must be an object",
    "not-closed.json": ":3: row 1: a comma or the end of the list is missing",
    "cut-row.json": ":3: row 2: not JSON (Unterminated string starting at character 25)",
    "text-after-end.json": ":4: text follows the end of the JSON document",
    "cut-character.json": ":4: not UTF-8 at byte 104 ",
    "cut-character-in-row.json": ":3: not UTF-8 at byte 166 ",
    "infinity.json": ":2: row 2: -Infinity is no JSON number",
    "nested-too-deep.json": ":2: row 2: nested too deep",
    "lone-surrogate.json": ":2: row 2: column 'response' holds half a character",
    "half-pair.json": ":2: row 2: column 'response' holds half a character",
    # CSV.
    "no-rows.csv": " has no rows",
    "too-few-cells.csv": ":3: the row has 3 cells and the header 4",
    "too-many-cells.csv": ":2: the row has 5 cells and the header 4",
    "column-twice.csv": ":1: two columns are named 'gold'",
    "open-quote.csv": ":3: not CSV",
    "quote-in-cell.csv": ":2: not CSV",
    "plain-text.csv": ":2: no column for id",
    "flag.csv": ":2: column 'abstention' is text; give true or false",
    "label-object.csv": ":2: column 'autoeval_label' is text; give true or false",
    "attempts.csv": ":2: column 'attempts' is no count",
    "empty-answer.csv": ":2: column 'response' is an empty answer",
    "empty-gold.csv": ":2: column 'gold' is empty",
    # Values.
    "response-null.jsonl": ":2: column 'response' is null; give an answer as text",
    "response-boolean.jsonl": ":2: column 'response' is true or false",
    "response-list.jsonl": ":2: column 'response' is a list",
    "response-object.jsonl": ":2: column 'response' is an object",
    "response-number.jsonl": ":2: column 'response' is a number",
    "empty-answer.jsonl": ":2: column 'response' is an empty answer; pass --allow-empty",
    "blank-answer.jsonl": ":2: column 'response' is an empty answer",
    "gold-null.jsonl": ":2: column 'gold' is null; give a gold answer as text or a number",
    "gold-boolean.jsonl": ":2: column 'gold' is true or false",
    "gold-list.jsonl": ":2: column 'gold' is a list",
    "gold-object.jsonl": ":2: column 'gold' is an object",
    "empty-gold.jsonl": ":2: column 'gold' is empty",
    "question-null.jsonl": ":2: column 'question' is null; give text here",
    "question-number.jsonl": ":2: column 'question' is a number",
    "question-list.jsonl": ":2: column 'question' is a list",
    "empty-question.jsonl": ":2: column 'question' is empty",
    "type-null.jsonl": ":2: column 'type' is null",
    "abstention-text.jsonl": ":2: column 'abstention' is text; give true or false",
    "prior-number.jsonl": ":2: column 'prior' is a number",
    "prior-empty.jsonl": ":2: column 'prior' is empty",
    "prior-without-label.jsonl": ":2: column 'autoeval_label' is an object without a label",
    "prior-label-number.jsonl": ":2: column 'autoeval_label' is a number",
    "attempts-text.jsonl": ":2: column 'attempts' is no count",
    "attempts-boolean.jsonl": ":2: column 'attempts' is no count",
    "attempts-negative.jsonl": ":2: column 'attempts' is no count",
    # Ids and columns.
    "id-null.jsonl": ":2: column 'id' is null; give an id as text or a whole number",
    "id-boolean.jsonl": ":2: column 'id' is true or false",
    "id-list.jsonl": ":2: column 'id' is a list",
    "id-fraction.jsonl": ":2: column 'id' is a number",
    "id-empty.jsonl": ":2: column 'id' is empty",
    "id-twice.jsonl": ":3: the id 'a' stands at {file}:1 already",
    "id-number-and-text.jsonl": ":2: the id '1' stands at {file}:1 already",
    "id-twice.json": ":1: row 3: the id 'a' stands at {file}:1: row 1 already",
    "no-id.jsonl": ":2: no column for id; name it with --answers-field id=COLUMN",
    "no-response.jsonl": ":2: no column for response; name it with --answers-field response=",
    "no-reference.jsonl": ":2: the row has no question and gold of its own",
    "two-ids.jsonl": ":2: id may stand in 'question_id', 'id'; say which with --answers-field id=",
    "two-responses.jsonl": ":2: response may stand in 'hypothesis', 'response'",
    "two-golds.jsonl": ":2: gold may stand in 'gold', 'answer'",
    "column-moves.jsonl": ":2: response stands in 'output' here and in 'response' above",
}


def refusal(path: Path) -> str:
    """Return the sentence that refuses the file."""
    with pytest.raises(InputError) as caught:
        join([AnswersFile(name="a", path=path)], None, ALL)
    return str(caught.value)


@pytest.mark.parametrize("name", FLAWS)
def test_a_flawed_file_is_refused_with_its_place(name: str) -> None:
    """The sentence begins with file and line, and says what is wrong there."""
    path = HERE / name

    said = refusal(path)

    assert said.startswith(f"{path}{FLAWS[name].format(file=path)}")


def test_every_flawed_file_is_tried() -> None:
    """No file of the folder is left out of the table above."""
    assert sorted(FLAWS) == sorted(path.name for path in HERE.iterdir())


@pytest.mark.parametrize("name", [name for name in FLAWS if not name.endswith(".gz")])
def test_packing_a_flawed_file_hides_nothing(name: str, tmp_path: Path) -> None:
    """The same flaw is found in the same place when the file is packed."""
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress((HERE / name).read_bytes()))

    said = refusal(path)

    assert said.startswith(f"{path}{FLAWS[name].format(file=path)}")


@pytest.mark.parametrize("name", FLAWS)
def test_a_refusal_is_one_short_line(name: str) -> None:
    """Foreign text is quoted and cut, so that a sentence stays a sentence."""
    said = refusal(HERE / name)

    assert "\n" not in said
    assert len(said.replace(str(HERE), "")) < 250


def test_references_are_held_to_the_same_rules(tmp_path: Path) -> None:
    """A flaw in the answer key names the key's file and its own flag."""
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"id": "a", "response": "x"}\n')
    key = HERE / "two-golds.jsonl"

    with pytest.raises(InputError) as caught:
        join([AnswersFile(name="a", path=answers)], ReferencesFile(path=key), ALL)

    assert str(caught.value).startswith(f"{key}:2: gold may stand in 'gold', 'answer'")
    assert "--references-field gold=COLUMN" in str(caught.value)


def test_a_key_that_holds_an_id_twice_is_refused(tmp_path: Path) -> None:
    """Both lines are named."""
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"id": "a", "response": "x"}\n{"id": "b", "response": "y"}\n')
    key = HERE / "id-twice.jsonl"

    with pytest.raises(InputError, match=re.escape(f"{key}:3: the id 'a' stands at {key}:1")):
        join([AnswersFile(name="a", path=answers)], ReferencesFile(path=key), ALL)


def test_a_bad_byte_is_counted_right_however_the_file_is_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Bytes of a character that is not whole yet are counted once."""
    monkeypatch.setattr(documents, "_CHUNK", 1)

    for name in ("not-utf8.json", "cut-character.json", "cut-character-in-row.json"):
        test_a_flawed_file_is_refused_with_its_place(name)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """The path is named."""
    assert refusal(tmp_path / "no.jsonl").startswith(f"{tmp_path / 'no.jsonl'} cannot be opened")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    """It is not taken for an empty file."""
    assert refusal(tmp_path).startswith(f"{tmp_path} cannot be opened")


@pytest.mark.parametrize("name", ["long.jsonl", "long.json", "long.csv", "wrapped.json"])
def test_a_row_above_10_mb_is_refused(name: str, tmp_path: Path) -> None:
    """Before it is held in memory whole, in every form."""
    text = "é" * 5_000_001
    row = f'{{"id": "a", "question": "q", "gold": "g", "response": "{text}"}}\n'
    forms = {
        "long.jsonl": row,
        "long.json": f"[{row}]",
        "long.csv": f'id,question,gold,response\na,q,g,"{text}"\n',
        "wrapped.json": f'{{"rows": [{row.strip()}]}}\n',
    }
    path = tmp_path / name
    path.write_text(forms[name])

    assert "above 10 MB" in refusal(path)


def test_an_open_quote_does_not_swallow_the_file(tmp_path: Path) -> None:
    """A CSV row ends at 10 MB though its quotes never close."""
    path = tmp_path / "open.csv"
    path.write_text('id,question,gold,response\na,q,g,"' + "some words\n" * 1_000_000)

    assert refusal(path).startswith(f"{path}:2: the row is above 10 MB")


def test_a_row_just_below_10_mb_passes(tmp_path: Path) -> None:
    """The limit is on bytes, line end left out of the row's text."""
    path = tmp_path / "wide.jsonl"
    head = '{"id": "a", "question": "q", "gold": "g", "response": "'
    path.write_text(head + "x" * (10_000_000 - len(head) - 3) + '"}\n')

    joined = join([AnswersFile(name="a", path=path)], None, ALL)

    assert path.stat().st_size == 10_000_000
    assert joined.questions == 1


def test_a_packed_document_cut_in_the_middle_is_refused(tmp_path: Path) -> None:
    """Though all rows before the cut are whole."""
    row = (HERE / "id-twice.jsonl").read_text().splitlines()[0]
    rows = [row.replace('"a"', f'"{number}"') for number in range(20_000)]
    data = gzip.compress(("[\n" + ",\n".join(rows) + "]").encode())
    path = tmp_path / "cut.json.gz"
    path.write_bytes(data[: len(data) // 2])

    assert refusal(path).startswith(f"{path} cannot be read to its end")
