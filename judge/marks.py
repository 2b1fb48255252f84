"""A run marked as superseded by another: a line beside its seal, outside it.

What was published is kept and marked, never deleted: `RUN/marks.jsonl` has one canonical line for
each mark. It is a claim of whoever wrote it and changes nothing that the run proves.
"""

import os
from pathlib import Path

import pydantic

from judge.canonical import NotCanonicalError, encode, parse
from judge.errors import InputError, StorageError, VerificationError
from judge.folder import read_manifest
from judge.ledger import open_private
from judge.records import Record, Sha256, Version
from judge.recount import Proof

__all__ = ["Mark", "mark", "read_marks"]

_FILE = "marks.jsonl"


class Mark(Record):
    """One mark: the run beside it is superseded."""

    v: Version
    run_id: Sha256
    """Of the run the mark stands beside."""
    by_name: str
    """The folder name of the run that supersedes it."""
    by_run_id: Sha256
    by_head: Sha256
    reason: str

    @property
    def sentence(self) -> str:
        """What is said wherever the run is used."""
        return f"superseded by {self.by_name} (run {self.by_run_id[:12]}…): {self.reason}"


def mark(folder: Path, proof: Proof, by: Path, by_proof: Proof, reason: str) -> Mark:
    """Mark a run as superseded by another, both proved, and return the mark.

    Raises:
        InputError: no reason, or a run that would supersede itself.
        StorageError: the mark cannot be written.
    """
    if not reason.strip():
        raise InputError("--reason is empty; say why, since the mark is all that readers will see")
    if proof.run_id == by_proof.run_id:
        raise InputError(f"{by}: a run cannot supersede itself")
    made = Mark(
        v=1,
        run_id=proof.run_id,
        by_name=by.resolve().name,
        by_run_id=by_proof.run_id,
        by_head=by_proof.head,
        reason=reason,
    )
    read_marks(folder)  # what is there must be whole before anything is added
    try:
        fd = open_private(folder / _FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        with os.fdopen(fd, "ab") as file:
            file.write(encode(made.plain()) + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise StorageError(f"{folder / _FILE}: {error.strerror}") from error
    return made


def read_marks(folder: Path) -> tuple[Mark, ...]:
    """Return the marks beside a run, oldest first; none is the usual case.

    Raises:
        VerificationError: a line that is no mark, or one of another run.
    """
    path = folder / _FILE
    if not path.exists():
        return ()
    if not path.is_file():
        raise VerificationError(f"{_FILE}: not a plain file")
    lines = path.read_bytes().splitlines(keepends=True)
    return tuple(_read(number, line, folder) for number, line in enumerate(lines, 1))


def _read(number: int, line: bytes, folder: Path) -> Mark:
    try:
        parse(line.removesuffix(b"\n"))
        found = Mark.load(line)
    except (NotCanonicalError, pydantic.ValidationError) as error:
        raise VerificationError(f"{_FILE}:{number}: not a mark of this version") from error
    if not line.endswith(b"\n"):
        raise VerificationError(f"{_FILE}:{number}: the last line is torn; take it away")
    if found.run_id != read_manifest(folder)[1]:
        raise VerificationError(f"{_FILE}:{number}: a mark of another run")
    return found
