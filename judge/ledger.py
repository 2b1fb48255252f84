"""Receipts appended, chained, made durable, sealed, and read back.

One writer, one file, one order: the order of `post` is the order of lines and of durability. A
commit writes and syncs whatever has been posted since the last one, so all the workers that wait
share the price of one sync. A failed write or sync poisons the ledger: nobody is told that anything
was written, and nothing is synced a second time (the second sync may succeed after the data was
dropped).
"""

import asyncio
import contextlib
import errno
import fcntl
import os
import secrets
import stat
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from judge.chain import SALT_BYTES, Committed, Entry, chained, committed, read_line
from judge.errors import StorageError, VerificationError
from judge.records import Fact

__all__ = [
    "BATCH_BYTES",
    "Ledger",
    "Lock",
    "entries",
    "hold",
    "open_private",
    "seal_text",
    "sync_folder",
    "write_durable",
    "write_seal",
]

BATCH_BYTES = 256 * 1024
"""The most one write and sync carry, unless a single line is longer: what a power loss can tear
lies within this of the end, or is the last line alone."""

_NOTHING: Mapping[str, bytes] = {}


class Lock:
    """One writer per run: held while entered, and by the kernel no longer than we live."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "lock"
        self._fd = -1

    def __enter__(self) -> Self:
        """Take the lock; raises StorageError when another process holds it."""
        self._fd = open_private(self._path, os.O_RDWR | os.O_CREAT)
        hold(self._fd, self._path)
        try:
            self.check()
        except StorageError:
            os.close(self._fd)
            raise
        return self

    def check(self) -> None:
        """Raise StorageError when the file we locked is no longer the one at its path."""
        try:
            there = self._path.stat()
        except OSError as error:
            raise StorageError(f"{self._path}: the lock file is gone; stop all writers") from error
        held = os.fstat(self._fd)
        if (there.st_dev, there.st_ino) != (held.st_dev, held.st_ino):
            raise StorageError(f"{self._path}: the lock file was replaced; stop all writers")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give the lock back."""
        os.close(self._fd)


def open_private(path: Path, flags: int) -> int:
    """Return a descriptor of a plain file of this user alone, made with mode 0600.

    Raises:
        StorageError: it cannot be opened, or is a link, has two names or another owner.
    """
    try:
        fd = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from error
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1 or found.st_uid != os.geteuid():
        os.close(fd)
        raise StorageError(f"{path}: not a plain file of this user with one name; refused")
    return fd


def hold(fd: int, path: Path) -> None:
    """Lock an open file of a run folder for as long as its descriptor lives.

    Raises:
        StorageError: another process holds it, or the file system has no locks; `fd` is closed.
    """
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(fd)
        if error.errno in {errno.EAGAIN, errno.EACCES}:
            raise StorageError(
                f"{path.parent.name}: another process is writing this run; "
                "wait for it to end, or stop it"
            ) from error
        raise StorageError(f"{path}: {error.strerror}") from error


class Ledger:
    """The writer of RUN/receipts.jsonl."""

    def __init__(self, path: Path, head: str, lines: int, clock: Callable[[], str]) -> None:
        """Open for appending.

        Args:
            path: receipts.jsonl.
            head: the link of the last line, or the run id for an empty file.
            lines: how many lines stand in the file.
            clock: gives the time of the lines that are written together, UTC with milliseconds.

        Raises:
            StorageError: it cannot be opened, or another process writes it.
        """
        self._fd = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        # The lock file may be deleted and made anew; the ledger itself admits one writer.
        hold(self._fd, path)
        self.head = head
        self.next_seq = lines
        self._clock = clock
        self._waiting: deque[tuple[Fact, Committed]] = deque()
        self._line_seq = lines
        self._futures: list[asyncio.Future[None]] = []
        self._armed = False
        self._poison: StorageError | None = None

    def post(self, fact: Fact, private: Mapping[str, bytes] = _NOTHING) -> int:
        """Put a line at the end of the queue and return its number; `commit` makes it durable."""
        if self._poison:
            raise self._poison
        salts = secrets.token_bytes(SALT_BYTES * len(private))
        self._waiting.append((fact, committed(private, salts)))
        self.next_seq += 1
        return self.next_seq - 1

    async def commit(self) -> None:
        """Return once everything posted so far is on the disk.

        Raises:
            StorageError: it could not be written; nothing more can be.
        """
        if self._poison:
            raise self._poison
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        self._futures.append(future)
        if not self._armed:
            # One tick later: by then every worker that is ready has posted its line too.
            self._armed = True
            loop.call_soon(self._tick)
        await future

    def commit_now(self) -> None:
        """Make everything posted so far durable before returning."""
        if self._poison:
            raise self._poison
        while self._waiting:
            self._write_batch()

    def _tick(self) -> None:
        self._armed = False
        futures, self._futures = self._futures, []
        try:
            self.commit_now()
        except StorageError as error:
            for future in futures:
                if not future.done():
                    future.set_exception(error)
            return
        for future in futures:
            if not future.done():
                future.set_result(None)

    def _write_batch(self) -> None:
        lines: list[bytes] = []
        size = 0
        at = self._clock()
        while self._waiting:
            fact, kept = self._waiting[0]
            line, head = chained(fact, kept, self._line_seq, self.head, at)
            if lines and size + len(line) > BATCH_BYTES:
                break  # made anew for the next batch
            self._waiting.popleft()
            self._line_seq += 1
            self.head = head
            lines.append(line)
            size += len(line)
        try:
            self._write(b"".join(lines))
            os.fdatasync(self._fd)
        except OSError as error:
            self._poison = StorageError(
                f"receipts.jsonl: {error.strerror}; nothing more is written"
            )
            raise self._poison from error

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._fd, rest) :]

    def close(self) -> None:
        """Close the file; what was posted and not committed is not written."""
        os.close(self._fd)


def entries(path: Path, run_id: str, *, public: bool = False) -> Iterator[Entry]:
    """Yield every line of a ledger, each proved to follow the one before.

    Raises:
        VerificationError: the first line that does not, with its number from 1.
    """
    prev = run_id
    for number, line in enumerate(_lines(path)):
        try:
            entry = read_line(line, number, prev, public=public)
        except VerificationError as error:
            raise VerificationError(f"{path.name}:{number + 1}: {error}") from error
        prev = entry.link
        yield entry


def _lines(path: Path) -> Iterator[bytes]:
    if path.exists() and not path.is_file():
        raise VerificationError(f"{path.name}: not a plain file")
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file):
                if not line.endswith(b"\n"):
                    raise VerificationError(
                        f"{path.name}:{number + 1}: the last line is torn; "
                        "`judge resume` sets it aside"
                    )
                yield line[:-1]
    except OSError as error:
        raise VerificationError(f"{path.name}: {error.strerror}") from error


def seal_text(run_id: str, lines: int, head: str) -> bytes:
    """Return the three lines of seal.txt."""
    return f"judge-receipts/v1 {run_id}\n{lines}\n{head}\n".encode()


def write_seal(folder: Path, run_id: str, lines: int, head: str) -> None:
    """Write seal.txt, durable before this returns."""
    write_durable(folder / "seal.txt", seal_text(run_id, lines, head))


def write_durable(path: Path, data: bytes) -> None:
    """Write a whole file under another name, sync it, and give it its name."""
    partial = path.with_name(path.name + ".partial")
    try:
        with contextlib.suppress(FileNotFoundError):
            partial.unlink()
    except OSError as error:
        raise StorageError(f"{partial}: in the way: {error.strerror}") from error
    fd = open_private(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(fd, rest) :]
        os.fsync(fd)
        partial.rename(path)
        sync_folder(path.parent)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from error
    finally:
        os.close(fd)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
