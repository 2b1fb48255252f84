"""A ledger whose last write was torn in, the same ledger without the tear out.

What was torn was never acknowledged: it is set aside, kept, and named in a line. Anything else that
is wrong is refused, never repaired.
"""

import contextlib
import os
from pathlib import Path
from typing import NamedTuple

from judge.canonical import NotCanonicalError, digest, parse
from judge.chain import Entry, read_line
from judge.errors import StorageError, VerificationError
from judge.ledger import BATCH_BYTES, hold, open_private, sync_folder, write_durable
from judge.records import Recovered

__all__ = ["recover"]


def recover(path: Path, run_id: str, quarantine: Path) -> Recovered | None:
    """Set a torn tail aside, and return the fact that says so; None when the file is whole.

    A tail is torn when it lies within one batch of the end, or is the last line alone, and nothing
    in it shows that it was on the disk once: it was never acknowledged, or not as it stands. Damage
    before that is refused, never repaired; so is a first line that does not hold, since a run has
    its first line before it has its name. A tail that was set aside by a process that ended before
    it could write so is returned too.

    Raises:
        VerificationError: there is no file, or it is damaged where no torn write could be.
        StorageError: the tail could not be set aside.
    """
    found = _sound(path, run_id)
    lost = found.size - found.good
    if lost == 0:
        return _unsaid(quarantine, found.said)
    with path.open("rb") as file:
        file.seek(found.good)
        tail = file.read() if lost <= BATCH_BYTES or found.last else None
    if found.good == 0 or tail is None or _acknowledged(tail, found.lines):
        raise VerificationError(
            f"{path.name}:{found.lines + 1}: damaged {lost} bytes before its end, which no torn "
            "write explains; the run is refused as it is"
        )
    fd = open_private(path, os.O_WRONLY)
    # What a living writer is about to finish is no torn tail.
    hold(fd, path)
    try:
        _set_aside(tail, quarantine, f"{found.good}-{digest(tail)[:16]}")
        os.ftruncate(fd, found.good)
        os.fsync(fd)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from error
    finally:
        os.close(fd)
    return Recovered(discarded_bytes=len(tail), discarded_sha256=digest(tail))


def _set_aside(tail: bytes, quarantine: Path, name: str) -> None:
    if quarantine.is_symlink():
        raise StorageError(f"{quarantine}: a link; what was torn is kept in the run itself")
    try:
        quarantine.mkdir(mode=0o700, exist_ok=True)
        sync_folder(quarantine.parent)
    except OSError as error:
        raise StorageError(f"{quarantine}: {error.strerror}") from error
    write_durable(quarantine / name, tail)


def _acknowledged(tail: bytes, first: int) -> bool:
    """Whether a tail that starts with line `first` holds a receipt of an intent in it.

    The intent was durable, and all before it, when its request left; the receipt was written later.
    No torn write has both, and to set them aside would be to ask a decided cell again.
    """
    for line in tail.split(b"\n"):
        with contextlib.suppress(NotCanonicalError):
            value = parse(line)
            public = value.get("public") if isinstance(value, dict) else None
            if isinstance(public, dict) and public.get("kind") == "receipt":
                intent = public.get("intent_seq")
                if isinstance(intent, int) and intent >= first:
                    return True
    return False


def _unsaid(quarantine: Path, said: frozenset[str]) -> Recovered | None:
    """Return the fact of a tail in the quarantine that no line of the ledger names."""
    for path in sorted(path for path in quarantine.glob("*") if path.is_file()):
        tail = path.read_bytes()
        found = digest(tail)
        # Its own name tells a whole tail from one whose writing was cut short.
        if found not in said and path.name.endswith(f"-{found[:16]}"):
            return Recovered(discarded_bytes=len(tail), discarded_sha256=found)
    return None


class _Sound(NamedTuple):
    """How much of a ledger holds."""

    lines: int
    """Whole, chained lines from the start."""
    good: int
    """Their bytes."""
    size: int
    last: bool
    """Whether the first line that does not hold is the last one."""
    said: frozenset[str]
    """The digests of the tails that were set aside before."""


def _sound(path: Path, run_id: str) -> _Sound:
    good = lines = 0
    prev = run_id
    said: set[str] = set()
    last = False
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            for line in file:
                entry = _whole(line, lines, prev)
                if entry is None:
                    last = good + len(line) == size
                    break
                if isinstance(entry.fact, Recovered):
                    said.add(entry.fact.discarded_sha256)
                prev = entry.link
                good += len(line)
                lines += 1
    except OSError as error:
        raise VerificationError(f"{path.name}: {error.strerror}") from error
    return _Sound(lines, good, size, last, frozenset(said))


def _whole(line: bytes, number: int, prev: str) -> Entry | None:
    """Return what a line says, if it is whole and the next one."""
    if not line.endswith(b"\n"):
        return None
    try:
        return read_line(line[:-1], number, prev, public=False)
    except VerificationError:
        return None
