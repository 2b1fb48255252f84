"""judge/sources.py: that a run was made from this very file."""

from pathlib import Path

import pytest
from smallfiles import frozen

from judge.errors import InputError, VerificationError
from judge.folder import Frozen
from judge.records import Plan
from judge.sources import check_source


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Plan]:
    """Freeze a run, and return its sources' folder and its plan."""
    folder = tmp_path_factory.mktemp("sources")
    with Frozen(frozen(folder)) as found:
        return folder, found.plan


def test_a_file_the_run_was_made_from_is_named_by_its_role(
    made: tuple[Path, Plan], tmp_path: Path
) -> None:
    """Wherever it lies now, under whatever name: its bytes count."""
    folder, plan = made
    moved = tmp_path / "moved.txt"
    moved.write_bytes((folder / "a.jsonl").read_bytes())

    assert check_source(plan, folder / "key.json") == "key.json (references references)"
    assert check_source(plan, moved) == "moved.txt (answers a)"


def test_another_file_is_refused(made: tuple[Path, Plan]) -> None:
    """One byte more is another file; the sentence names the right ones."""
    folder, plan = made
    other = folder / "other.jsonl"
    other.write_bytes((folder / "a.jsonl").read_bytes() + b"\n")

    with pytest.raises(VerificationError, match=r"is no file this run was made from; .*a\.jsonl"):
        check_source(plan, other)


def test_a_file_that_is_not_there_is_refused(made: tuple[Path, Plan]) -> None:
    """Exit code 2: it was given."""
    folder, plan = made

    with pytest.raises(InputError, match=r"none\.jsonl: No such file"):
        check_source(plan, folder / "none.jsonl")
