"""The door: one worker's connection, armed with the digest of the body it may send.

In: a body and its digest. Out: an Exchange, whatever the network does. It follows no redirect,
reads no proxy, sends no other header than those learnt from the SDK, and opens nothing but the one
address. What it cannot know is said in `sent`: false only where no byte was handed to the system.
"""

import asyncio
import socket
import ssl
from dataclasses import dataclass, field

from judge.canonical import digest
from judge.providers.address import Address, is_loopback, refused_peer
from judge.providers.answer import Answer
from judge.providers.contract import Refused
from judge.providers.headers import kept
from judge.providers.keys import Key
from judge.providers.secret import Secret
from judge.providers.wire import Wire
from judge.records import ErrorClass, Exchange

__all__ = ["Door", "Way"]

_OK = 200
_RACE_S = 0.25


@dataclass(frozen=True, slots=True)
class Way:
    """What every door to one judge shares."""

    address: Address
    head: bytes = field(repr=False)
    """Request line and headers, up to the value of the last one, `content-length`."""
    key: Key
    tls: ssl.SSLContext | None
    deadline_s: float
    max_bytes: int
    reasons: dict[ErrorClass, str]
    """The last reason the system gave for each way of not getting through."""

    def secret(self) -> Secret:
        """Return what no reply may hold."""
        return Secret(self.key.reveal() if self.key.secret else "")


class Door:
    """One worker's connection to the judge."""

    def __init__(self, way: Way) -> None:
        self._way = way
        self._secret = way.secret()
        self._wire: Wire | None = None
        self._busy = self._closed = False

    async def ask(self, body: bytes, sha256: str) -> Exchange:
        """Send exactly these bytes and return what came back, or what kept it from coming back.

        Raises:
            Refused: the body does not have this digest, another question is open, or the door is
                closed. Nothing was sent.
        """
        if self._closed or self._busy:
            raise Refused("the connection is closed, or has another question open")
        if digest(body) != sha256:
            raise Refused("the body is not the one in the intent")
        self._busy = True
        try:
            return await self._ask(body)
        finally:
            self._busy = False

    def close(self) -> None:
        """Let go of the socket; what is in flight is lost."""
        self._closed = True
        self._drop()

    def _drop(self) -> None:
        if self._wire is not None:
            self._wire.close()
            self._wire = None

    async def _ask(self, body: bytes) -> Exchange:
        way = self._way
        deadline = asyncio.get_running_loop().time() + way.deadline_s
        wire = self._wire
        if wire is None or not wire.ready():
            self._drop()
            opened = await self._connect(deadline)
            if not isinstance(opened, Wire):
                return _unsent(opened)
            wire = self._wire = opened
        request = b"%b%d\r\n\r\n%b" % (way.head, len(body), body)
        return self._exchange(await wire.exchange(request, deadline))

    async def _connect(self, deadline: float) -> Wire | ErrorClass:
        wire = await self._reach(deadline)
        if not isinstance(wire, Wire):
            return wire
        reason = self._foreign(wire.peer)
        if not wire.ready():
            reason = "it speaks or hangs up before it is asked"
        if reason is None:
            return wire
        wire.close()
        return self._because("connect", reason)

    async def _reach(self, deadline: float) -> Wire | ErrorClass:
        way = self._way
        limit = asyncio.timeout_at(deadline)
        try:
            async with limit:
                _, wire = await asyncio.get_running_loop().create_connection(
                    lambda: Wire(way.max_bytes),
                    way.address.host,
                    way.address.port,
                    ssl=way.tls,
                    happy_eyeballs_delay=_RACE_S if way.address.named else None,
                )
        except OSError as error:
            if limit.expired():
                return self._because("deadline", f"no connection within {way.deadline_s} s")
            return self._because(_class(error), str(error))
        return wire

    def _foreign(self, peer: str) -> str | None:
        # A name is checked again, as the address it led to: the key must not follow it anywhere.
        if self._way.address.loopback and not is_loopback(peer):
            return f"{self._way.address.host} led to {peer}, which is not this machine"
        return refused_peer(peer)

    def _because(self, error: ErrorClass, reason: str) -> ErrorClass:
        self._way.reasons[error] = reason[:300]
        return error

    def _exchange(self, answer: Answer) -> Exchange:
        status, body, error = answer.status, answer.body, answer.error
        headers = () if status is None else kept(answer.headers, self._way.address.host)
        clean = self._clean(headers)
        if clean == headers and not self._secret.within(body.decode("latin-1")):
            return Exchange(status=status, headers=headers, body=body, error=error, sent=True)
        # The bytes would be evidence, but a receipt is no place for a key. What a refusal is stands
        # in its status; of an answer nothing is left.
        if status == _OK:
            clean, error = (), "protocol"
        return Exchange(
            status=status, headers=clean, body=b"", error=error, sent=True, withheld=True
        )

    def _clean(self, headers: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        # All at once first: every answer pays for this.
        if not self._secret.begun("\n".join(map("\n".join, headers))):
            return headers
        return tuple(pair for pair in headers if not any(map(self._secret.within, pair)))


def _class(error: OSError) -> ErrorClass:
    if isinstance(error, socket.gaierror):
        return "dns"
    return "tls" if isinstance(error, ssl.SSLError) else "connect"


def _unsent(error: ErrorClass) -> Exchange:
    return Exchange(status=None, headers=(), body=b"", error=error, sent=False)
