"""One TCP connection, one question at a time; bytes nobody asked for end it.

In: a request's bytes and a deadline. Out: the answer, complete or with what is wrong with it.
"""

import asyncio
import fcntl
import select
import termios
from asyncio.trsock import TransportSocket
from typing import cast

from typing_extensions import override

from judge.providers.answer import Answer

__all__ = ["Wire"]


class Wire(asyncio.Protocol):
    """A connection that is thrown away at the first doubt about whose bytes are on it."""

    def __init__(self, max_bytes: int) -> None:
        self._max = max_bytes
        self._open = False
        self._used = False
        self._answer: Answer | None = None

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._open = True
        self._socket: TransportSocket = transport.get_extra_info("socket")
        self._peek = select.poll()
        self._peek.register(self._socket.fileno(), select.POLLIN)
        # TLS tickets come after the handshake and are no answer.
        self._quiet = transport.get_extra_info("ssl_object") is None

    @property
    def peer(self) -> str:
        """The IP address at the other end; empty when it is gone again."""
        name = self._transport.get_extra_info("peername")
        return str(name[0]) if name else ""

    def ready(self) -> bool:
        """Return whether a question may be written: open, and nothing waiting to be read.

        Asks the kernel, not only the loop: bytes or an end that came since the loop last looked
        would otherwise be taken for the answer to a question not yet sent.
        """
        # A closed socket's number may be another's by now: it is asked for, not remembered.
        if not self._open or self._transport.is_closing() or self._socket.fileno() < 0:
            return False
        return not ((self._used or self._quiet) and self._peek.poll(0))

    async def exchange(self, data: bytes, deadline: float) -> Answer:
        """Write the request and return its answer; `deadline` is a time of the running loop."""
        loop = asyncio.get_running_loop()
        answer = self._answer = Answer(self._max)
        self._used = True
        self._done = loop.create_future()
        timer = loop.call_at(deadline, self._expire)
        self._transport.write(data)
        try:
            await self._done
        finally:
            timer.cancel()
            self._answer = None
            if not answer.settled:
                self.close()
        return answer

    def close(self) -> None:
        """Drop the connection; nothing more is read."""
        if self._open:
            self._open = False
            self._transport.abort()

    # --- called by the loop -----------------------------------------------------------------------

    @override
    def data_received(self, data: bytes) -> None:
        answer = self._answer
        if answer is None:
            # Unsolicited: handed on, it would become the next question's answer.
            self.close()
            return
        answer.feed(data)
        if answer.settled:
            self._settle(answer)

    @override
    def eof_received(self) -> None:
        self._end(clean=True)

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._end(clean=exc is None)

    def _end(self, *, clean: bool) -> None:
        answer = self._answer
        if answer is not None:
            answer.end(clean=clean)
            self._settle(answer)
        self.close()

    def _expire(self) -> None:
        answer = self._answer
        if answer is not None:
            answer.expire()
            self._settle(answer)

    def _settle(self, answer: Answer) -> None:
        # From here on no question is open: what else comes is stray, even before the worker wakes.
        self._answer = None
        if answer.complete and self._leaving():
            answer.early()
        if answer.last:
            self.close()
        if not self._done.done():
            self._done.set_result(None)

    def _leaving(self) -> bool:
        """Return whether a part of the question has not reached the other machine yet."""
        if self._transport.get_write_buffer_size():
            return True
        try:
            queue = fcntl.ioctl(self._socket.fileno(), termios.TIOCOUTQ, bytes(4))
        except (OSError, ValueError):
            # Only Linux says how much of a socket's data is not acknowledged; a closed one, nobody.
            return False
        return queue != bytes(4)
