"""Checked rows in, the same rows out again by number, held on disk and not in memory.

The spool is a file of the temporary folder (TMPDIR) that has no name, so nothing is left behind
however the process ends. It is about as long as the texts that a judge reads.
"""

import os
import tempfile
import weakref
from array import array

import orjson

from judge.answers.places import Place
from judge.errors import StorageError

__all__ = ["Rows", "Spool"]

_BUFFER = 1 << 20

Value = str | bool | None


class Spool:
    """A nameless file that grows, read back by offset."""

    def __init__(self) -> None:
        """Create it; raises StorageError where that fails."""
        try:
            self._fd, name = tempfile.mkstemp(prefix="judge-")
        except OSError as error:
            raise _failed(error) from error
        self.close = weakref.finalize(self, os.close, self._fd)
        os.unlink(name)  # noqa: PTH108 - no Path is made for a name that ends here
        self._held = bytearray()
        self._written = 0

    def append(self, data: bytes) -> int:
        """Add the bytes and return where they begin; raises StorageError."""
        offset = self._written + len(self._held)
        self._held += data
        if len(self._held) >= _BUFFER:
            self._flush()
        return offset

    def read(self, offset: int, length: int) -> bytes:
        """Return the bytes that were added there; raises StorageError."""
        if offset + length > self._written:
            self._flush()
        try:
            data = os.pread(self._fd, length, offset)
        except OSError as error:
            raise _failed(error) from error
        if len(data) != length:
            raise StorageError("the temporary file of this run was cut short; start again")
        return data

    def _flush(self) -> None:
        view = memoryview(self._held)
        try:
            while view:
                count = os.pwrite(self._fd, view, self._written)
                view = view[count:]
                self._written += count
        except OSError as error:
            raise _failed(error) from error
        self._held = bytearray()


def _failed(error: OSError) -> StorageError:
    return StorageError(
        f"the temporary folder cannot hold the input rows ({error.strerror}); "
        "free space there, or set TMPDIR to another folder"
    )


class Rows:
    """Rows by number, each a few values; per row memory holds three integers."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._offsets = array("q")
        self._lengths = array("I")
        self._places = array("q")

    def __contains__(self, number: int) -> bool:
        """Say whether there is a row of this number."""
        return number < len(self._places) and self._places[number] > 0

    def put(self, number: int, place: Place, values: tuple[Value, ...]) -> None:
        """Keep a row under its number, in place of what was there; raises StorageError."""
        missing = number + 1 - len(self._places)
        if missing > 0:
            for column in (self._offsets, self._lengths, self._places):
                column.extend([0] * missing)
        # A named tuple is no tuple to the encoder.
        data = orjson.dumps(tuple(values))
        self._offsets[number] = self._spool.append(data)
        self._lengths[number] = len(data)
        self._places[number] = place.packed

    def place(self, number: int, file: str) -> Place:
        """Return where in its file a row stands; raises KeyError where there is no such row."""
        if number not in self:
            raise KeyError(number)
        return Place.unpacked(file, self._places[number])

    def get(self, number: int) -> list[Value]:
        """Return the values of a row; raises KeyError where there is no such row."""
        if number not in self:
            raise KeyError(number)
        data = self._spool.read(self._offsets[number], self._lengths[number])
        values: list[Value] = orjson.loads(data)
        return values
