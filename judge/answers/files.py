"""A path in; its bytes, unpacked, out, with the SHA-256 and length of the file on disk."""

import gzip
import hashlib
import io
import os
import stat
import zlib
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, NamedTuple, Self

from typing_extensions import Buffer, override

from judge.answers.places import shown
from judge.errors import InputError

__all__ = ["Opened", "Taken"]

_GZIP = b"\x1f\x8b"
_BUFFER = 1 << 17


class Taken(NamedTuple):
    """What a file was when it was read."""

    path: Path
    sha256: str
    bytes: int
    """As it lies on disk: packed bytes for gzip."""
    identity: tuple[int, ...] | None
    """Device, inode, size and times; null for a pipe, which cannot be read twice."""

    def check_unchanged(self) -> None:
        """Return when the file still has the bytes that were read.

        Raises:
            InputError: it has others, or cannot be read any more.
        """
        try:
            if self.identity is None or _identity(self.path.stat()) == self.identity:
                return
            with self.path.open("rb") as file:
                now = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise InputError(
                f"{shown(self.path)} cannot be read again ({error.strerror}); "
                "leave the input files where they are while a run is prepared"
            ) from error
        if now != self.sha256:
            raise InputError(
                f"{shown(self.path)} has changed since it was checked; "
                "start again when nothing writes to it"
            )


class _Hashed(io.RawIOBase):
    """A file whose every byte is hashed and counted as it is read."""

    def __init__(self, file: io.FileIO) -> None:
        self._file = file
        self.hash = hashlib.sha256()
        self.bytes = 0

    @override
    def readable(self) -> bool:
        return True

    @override
    def readinto(self, buffer: Buffer) -> int:
        count = self._file.readinto(buffer)
        self.hash.update(memoryview(buffer)[:count])
        self.bytes += count
        return count


class Opened:
    """A file opened once and read forward; gzip, known by its first bytes, is unpacked."""

    def __init__(self, path: Path) -> None:
        """Open the file; raises InputError where that fails."""
        self.path = path
        self.shown = shown(path)
        try:
            self._file = path.open("rb", buffering=0)
        except OSError as error:
            raise InputError(
                f"{self.shown} cannot be opened ({error.strerror}); check the path"
            ) from error
        state = os.fstat(self._file.fileno())
        self._identity = _identity(state) if stat.S_ISREG(state.st_mode) else None
        self._hashed = _Hashed(self._file)
        raw = io.BufferedReader(self._hashed, _BUFFER)
        self._raw = raw
        self._stream: BinaryIO = raw
        if self._peek().startswith(_GZIP):
            self._stream = io.BufferedReader(gzip.GzipFile(fileobj=raw, mode="rb"), _BUFFER)

    def _peek(self) -> bytes:
        try:
            return self._raw.peek(len(_GZIP))
        except OSError as error:
            self._file.close()
            raise self._unreadable(error) from error

    def __enter__(self) -> Self:
        """Return itself; leaving closes the file."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self._file.close()

    def line(self, most: int) -> bytes:
        """Return the next line with its end, or its next `most` bytes; empty at the end.

        Raises:
            InputError: the disk or the gzip data fails.
        """
        try:
            return self._stream.readline(most)
        except (OSError, EOFError, zlib.error) as error:
            raise self._unreadable(error) from error

    def read(self, most: int) -> bytes:
        """Return at most `most` bytes, empty at the end; raises as `line` does."""
        try:
            return self._stream.read(most)
        except (OSError, EOFError, zlib.error) as error:
            raise self._unreadable(error) from error

    def taken(self) -> Taken:
        """Return what was read; raises InputError where bytes are left over."""
        # The gzip reader looks for another member, so at its end the packed file is at its end too.
        if self.read(1) or self._raw.read(1):
            raise InputError(f"{self.shown} was not read to its end")
        return Taken(self.path, self._hashed.hash.hexdigest(), self._hashed.bytes, self._identity)

    def _unreadable(self, error: Exception) -> InputError:
        return InputError(
            f"{self.shown} cannot be read to its end ({error}); "
            "it is damaged or cut short, bring a whole copy"
        )


def _identity(state: os.stat_result) -> tuple[int, ...]:
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns
