"""Standard output and error that may go away: what cannot be shown never harms a run.

A reader may leave (`| head`), a terminal may close, a disk behind `>` may be full, and a stream may
be closed from the start.
"""

import contextlib
import errno
import io
import os
import sys
from typing import TextIO, cast

__all__ = ["NOBODY", "hold", "let_go", "progress_stream"]

NOBODY = frozenset({errno.EPIPE, errno.EIO})
"""What a stream says when its reader, or its terminal, is gone."""
_STANDARD_ERROR = 2


def hold() -> None:
    """Open nothing under the numbers of streams that are closed.

    The next file opened would get such a number, and a ledger must not be anybody's output.
    """
    while (fd := os.open(os.devnull, os.O_RDWR)) <= _STANDARD_ERROR:
        pass
    os.close(fd)


def let_go(stream: TextIO) -> None:
    """Point a stream that cannot be written at nothing, so that flushing it at exit cannot fail."""
    # A stream that is no file of the system has no number to be pointed elsewhere.
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def progress_stream() -> TextIO:
    """Return standard error as a stream whose writes never fail."""
    # None when it was closed from the start.
    return cast("TextIO", _Kept(sys.stderr)) if sys.stderr is not None else io.StringIO()


class _Kept:
    """What a progress bar needs of a stream, which is let go once it fails."""

    def __init__(self, stream: TextIO) -> None:
        # Kept, not looked up: while a bar is drawn, sys.stderr is something that draws through us.
        self._stream = stream

    @property
    def encoding(self) -> str:
        return self._stream.encoding

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError:
            let_go(self._stream)
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError:
            let_go(self._stream)
