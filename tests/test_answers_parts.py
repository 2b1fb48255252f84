"""Guards inside the reading of answers that no file can reach, each tried by itself."""

import os
from pathlib import Path

import pytest

from judge.answers.columns import Columns, KeyRow
from judge.answers.files import Opened
from judge.answers.key import Key
from judge.answers.places import Place, kind, listed, quoted
from judge.answers.rows import Row
from judge.answers.spool import Rows, Spool
from judge.errors import InputError, StorageError

HERE = Place("f", 1)


def test_a_file_not_read_to_its_end_has_no_digest(tmp_path: Path) -> None:
    """A digest of a part would stand for the whole."""
    path = tmp_path / "rows.jsonl"
    path.write_text("{}\n{}\n")

    with Opened(path) as file:
        assert file.line(10) == b"{}\n"
        with pytest.raises(InputError, match="was not read to its end"):
            file.taken()


def test_a_row_of_the_key_has_no_response() -> None:
    """Asking for one is the harness's own fault."""
    row = Row(HERE, {"id": "a", "question": "q", "gold": "g", "response": "r"})

    with pytest.raises(TypeError):
        Columns("references", ()).answer(row, allow_empty=False)


def test_half_a_row_of_the_key_is_no_reference() -> None:
    """Question and gold are there from the start, or it is the harness's own fault."""
    key = Key(Spool(), ())
    key.put(key.number("a"), HERE, KeyRow("one", "q", None, None))

    with pytest.raises(TypeError):
        key.reference(0, "a")


def test_a_row_that_was_never_put_is_no_row() -> None:
    """Neither its values nor its place are made up."""
    rows = Rows(Spool())
    rows.put(2, HERE, ("x", None))

    assert [number in rows for number in range(4)] == [False, False, True, False]
    assert (rows.get(2), rows.place(2, "f")) == (["x", None], HERE)
    for number in (0, 3):
        with pytest.raises(KeyError):
            rows.get(number)
        with pytest.raises(KeyError):
            rows.place(number, "f")


def test_a_spool_gives_back_what_was_added() -> None:
    """Before and after it has written to disk."""
    spool = Spool()
    texts = [bytes([n]) * 300_000 for n in range(9)]
    offsets = [spool.append(text) for text in texts]

    assert [spool.read(offset, 300_000) for offset in offsets] == texts


def test_a_spool_that_was_cut_is_noticed() -> None:
    """A short read is not taken for a short row."""
    spool = Spool()
    offset = spool.append(b"12345678")
    spool.read(offset, 8)
    os.ftruncate(spool._fd, 4)

    with pytest.raises(StorageError, match="cut short"):
        spool.read(offset, 8)


def test_a_spool_that_cannot_be_read_is_the_disks_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence says what to do."""

    def broken(*_: object) -> bytes:
        raise OSError(5, "Input/output error")

    spool = Spool()
    offset = spool.append(b"12345678")
    monkeypatch.setattr(os, "pread", broken)

    with pytest.raises(StorageError, match="TMPDIR"):
        spool.read(offset, 8)


def test_a_spool_closes_its_file() -> None:
    """Once nobody holds it, so that a long session does not run out of files."""
    spool = Spool()
    descriptor = spool._fd

    del spool

    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)


@pytest.mark.parametrize("place", [Place("f", 3), Place("f", 2**31, 2**32 - 1), Place("f", 1, 1)])
def test_a_place_survives_packing(place: Place) -> None:
    """Line and row come back, and no place is 0."""
    assert place.packed > 0
    assert Place.unpacked("f", place.packed) == place


def test_foreign_text_is_quoted_and_cut() -> None:
    """Sixty characters, with control characters escaped."""
    assert quoted("a\x1b'\n") == '"a\\x1b\'\\n"'
    assert quoted("x" * 61) == f"'{'x' * 60}'…"
    assert listed(["a", "b"], 1) == "'a', …"


def test_a_value_of_no_json_type_has_no_kind() -> None:
    """The ladder ends in a raise."""
    values: tuple[object, ...] = (None, False, 1, 1.5, "", [], {})

    assert [kind(value) for value in values] == [
        "null",
        "true or false",
        "a number",
        "a number",
        "text",
        "a list",
        "an object",
    ]
    with pytest.raises(TypeError):
        kind(b"")
