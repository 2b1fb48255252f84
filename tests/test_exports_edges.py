"""judge/tables.py, autoeval.py, manifest.py, loading.py and `judge export`: where they could slip.

What a model wrote, a file system holds or a caller mistypes must not pass for something else.
"""

import csv
import io
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openruns import ran as small_run

from judge.errors import StorageError
from judge.tables import csv_line, replaced


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small sealed run, judged by the embedded rule, once."""
    folder = tmp_path_factory.mktemp("edges") / "run"
    small_run(folder)
    return folder


# --- tables -------------------------------------------------------------------------------------


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=2))
def test_a_row_stays_one_row(cells: list[str]) -> None:
    """Whatever its cells hold, Python's strict reader gives them back."""
    line = csv_line(cells)

    assert list(csv.reader(io.StringIO(line, newline=""), strict=True)) == [cells]


def test_a_carriage_return_begins_no_row() -> None:
    """A reply may hold one alone, with a formula after it."""
    assert csv_line(["a\r=1+1", "b"]) == '"a\r=1+1",b\n'


@pytest.mark.parametrize(("umask", "mode"), [(0o077, 0o600), (0o022, 0o644)])
def test_a_file_is_as_private_as_its_user_says(umask: int, mode: int, tmp_path: Path) -> None:
    """A table holds every text of a run whose own files nobody else can read."""
    before = os.umask(umask)
    try:
        replaced(tmp_path / "x", lambda file: file.write(b"x"), force=False)
    finally:
        os.umask(before)

    assert (tmp_path / "x").stat().st_mode & 0o777 == mode


@pytest.mark.parametrize("name", ["plain/x.csv", "none/x.csv", "a" * 300, "folder"])
def test_what_cannot_be_written_is_one_sentence(name: str, tmp_path: Path) -> None:
    """Below a file, in no folder, under a name too long, over a folder: and nothing is left."""
    (tmp_path / "plain").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "kept").write_bytes(b"")
    with pytest.raises(StorageError, match=name[:20]):
        replaced(tmp_path / name, lambda file: file.write(b"x"), force=True)

    assert sorted(each.name for each in tmp_path.iterdir()) == ["folder", "plain"]
