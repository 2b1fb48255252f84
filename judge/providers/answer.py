"""Bytes of one answer in as they come, one judgement of them out: complete, or what is wrong.

The parser is httptools'. Here stands only what it leaves to its user: interim answers are not the
answer, trailers are not headers, a body may end with the connection, and everything has a limit.
"""

from typing import Final

import httptools

from judge.records import ErrorClass

__all__ = ["HEAD_MAX", "Answer"]

HEAD_MAX: Final = 65_536
"""Bytes of status lines and headers, interim answers included: no parser below us has a limit."""

_FINAL = range(200, 600)
_INTERIM = range(100, 200)
_REFUSALS = 300
# The colon, the space and the line end of a header.
_LINE = 4


class Answer:
    """What has come back so far for one question."""

    __slots__ = (
        "_head",
        "_max",
        "_parser",
        "_parts",
        "_received",
        "_size",
        "_sized",
        "complete",
        "error",
        "headers",
        "last",
        "status",
    )

    def __init__(self, max_bytes: int) -> None:
        self.status: int | None = None
        """Of the final answer, once its headers are complete."""
        self.headers: list[tuple[bytes, bytes]] = []
        self.error: ErrorClass | None = None
        self.complete = False
        self.last = False
        """Whether the connection is of no use after this answer."""
        self._max = max_bytes
        self._parts: list[bytes] = []
        self._head = self._received = self._size = 0
        self._sized = False
        self._parser = httptools.HttpResponseParser(self)

    @property
    def settled(self) -> bool:
        """Whether nothing that comes can change the answer."""
        return self.complete or self.error is not None

    @property
    def body(self) -> bytes:
        """The body so far, cut at the limit."""
        return b"".join(self._parts)[: self._max]

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the connection."""
        self._received += len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._fail("protocol")
        # An endless header line reaches no callback, and neither does chunk framing without chunks.
        limit = HEAD_MAX if self.status is None else HEAD_MAX + self._max
        if self._received > limit:
            self._fail("too_large")

    def end(self, *, clean: bool) -> None:
        """The connection ended; only a body without a length may end so."""
        if clean and self.status is not None and not self._sized and not self.settled:
            self.complete = self.last = True
        else:
            self._fail("cut")

    def expire(self) -> None:
        """The deadline passed."""
        self._fail("deadline")

    def early(self) -> None:
        """The answer was complete before its question had arrived.

        A refusal may come so early; a success answers something else.
        """
        self.last = True
        if self.status is not None and self.status < _REFUSALS:
            self.complete = False
            self._fail("protocol")

    def _fail(self, error: ErrorClass) -> None:
        self.last = True
        if not self.settled:
            self.error = error

    # --- called by the parser ---------------------------------------------------------------------

    def on_message_begin(self) -> None:
        """Another message begins: after an interim one it is the answer, after the answer stray."""
        if self.complete:
            self.last = True

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header of the head; trailers and what follows the answer are nobody's."""
        if self.status is not None:
            return
        self._head += len(name) + len(value) + _LINE
        if self._head > HEAD_MAX:
            self._fail("too_large")
            return
        self.headers.append((name, value))
        lower = name.lower()
        if lower == b"content-length":
            self._sized = True
        elif lower == b"transfer-encoding":
            self._sized = True
            # Another coding would have to be undone, and the stored body would not be the wire's.
            if value.strip().lower() != b"chunked":
                self._fail("protocol")

    def on_headers_complete(self) -> None:
        """Settle what kind of message it is."""
        if self.status is not None:
            return
        code = self._parser.get_status_code()
        if code in _INTERIM:
            return
        if code not in _FINAL or self._parser.get_http_version() not in {"1.0", "1.1"}:
            self._fail("protocol")
        self.status = code

    def on_body(self, data: bytes) -> None:
        """Keep a part of the body, up to the limit."""
        if self.settled:
            return
        self._size += len(data)
        self._parts.append(data)
        if self._size > self._max:
            self._fail("too_large")

    def on_message_complete(self) -> None:
        """Settle the answer, unless it was an interim one."""
        if self.settled:
            return
        if self.status is None:
            self.headers.clear()
            self._sized = False
            return
        self.complete = True
        self.last = not self._parser.should_keep_alive()
