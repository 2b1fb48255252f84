"""A judge on loopback that does what it is told, byte by byte, and remembers what it was asked.

`FaultServer` answers each request with a script's actions: bytes, waits, a close, a reset.
`JudgeServer` is a well-behaved judge in both API shapes, with latency and planted faults.
Both run in a thread of their own and serve hundreds of connections at once.
"""

import asyncio
import itertools
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, cast

import orjson
from typing_extensions import override

__all__ = [
    "Action",
    "Close",
    "FaultServer",
    "JudgeServer",
    "Reset",
    "Script",
    "Send",
    "Serve",
    "Sleep",
    "WireRequest",
    "chat_reply",
    "http",
    "json_reply",
    "messages_reply",
]


@dataclass(frozen=True)
class WireRequest:
    """One request as it lay on the wire."""

    connection: int
    """Which accepted connection it came over, from 1."""
    head: bytes
    body: bytes

    @property
    def path(self) -> str:
        """The request's target."""
        return self.head.split(b" ", 2)[1].decode()

    @property
    def headers(self) -> list[tuple[str, str]]:
        """The headers, names in lower case, in the order sent."""
        lines = self.head.decode("latin-1").split("\r\n")[1:]
        pairs = (line.partition(":") for line in lines if line)
        return [(name.lower(), value.strip()) for name, _, value in pairs]

    def header(self, name: str) -> str | None:
        """Return one header's value; fails when it was sent twice."""
        values = [value for key, value in self.headers if key == name]
        assert len(values) < 2, f"{name} sent {len(values)} times"
        return values[0] if values else None

    def json(self) -> dict[str, Any]:
        """Return the body as JSON."""
        return cast("dict[str, Any]", orjson.loads(self.body))


@dataclass(frozen=True)
class Send:
    """Put these bytes on the wire."""

    data: bytes


@dataclass(frozen=True)
class Sleep:
    """Wait this many seconds."""

    seconds: float


@dataclass(frozen=True)
class Close:
    """Close the connection as HTTP servers do: a FIN after all that was sent."""


@dataclass(frozen=True)
class Reset:
    """Drop the connection: a RST, and what was not yet sent is lost."""


Action = Send | Sleep | Close | Reset
Script = Callable[[WireRequest, int], Sequence[Action]]
"""The request and its number, from 1, in; what to do out. An empty list hangs for ever."""


def http(
    status: int = 200,
    body: bytes = b"{}",
    *,
    headers: Sequence[tuple[str, str]] = (("content-type", "application/json"),),
    length: int | None = -1,
    version: str = "1.1",
) -> bytes:
    """Return one answer's bytes; `length` -1 is the body's own, None sends none."""
    lines = [f"HTTP/{version} {status} X", *(f"{name}: {value}" for name, value in headers)]
    if length is not None:
        lines.append(f"content-length: {len(body) if length < 0 else length}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


class _Peer(asyncio.Protocol):
    """One accepted connection."""

    def __init__(self, server: "FaultServer") -> None:
        self._server = server
        self._buffer = bytearray()
        self._tasks: set[asyncio.Task[None]] = set()

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self._server.connections += 1
        self._number = self._server.connections
        self._server.peers.add(self)
        self._perform(self._server.greeting)

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._server.peers.discard(self)
        for task in self._tasks:
            task.cancel()

    @override
    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._server.received += len(data)
        self._server.heard(self.transport)
        while (request := self._take()) is not None:
            self._perform(self._server.asked(request))

    def _take(self) -> WireRequest | None:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return None
        head, start = bytes(self._buffer[:end]), end + 4
        mark = head.lower().find(b"content-length:")
        length = int(head[mark + 15 :].split(b"\r\n", 1)[0]) if mark >= 0 else 0
        if len(self._buffer) < start + length:
            return None
        body = bytes(self._buffer[start : start + length])
        del self._buffer[: start + length]
        return WireRequest(connection=self._number, head=head, body=body)

    def _perform(self, actions: Sequence[Action]) -> None:
        if any(isinstance(action, Sleep) for action in actions):
            task = asyncio.get_running_loop().create_task(self._slowly(actions))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        else:
            for action in actions:
                self._act(action)

    async def _slowly(self, actions: Sequence[Action]) -> None:
        for action in actions:
            if isinstance(action, Sleep):
                await asyncio.sleep(action.seconds)
            else:
                self._act(action)

    def _act(self, action: Action) -> None:
        if isinstance(action, Send):
            self.transport.write(action.data)
        elif isinstance(action, Close):
            self.transport.close()
        else:
            raw = self.transport.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.transport.abort()


class FaultServer:
    """A scripted server on 127.0.0.1 (or another loopback host); use it as a context manager."""

    def __init__(
        self,
        script: Script,
        *,
        tls: ssl.SSLContext | None = None,
        greeting: Sequence[Action] = (),
        host: str = "127.0.0.1",
    ) -> None:
        self.requests: list[WireRequest] = []
        """Every complete request, in the order of arrival."""
        self.connections = 0
        """Connections accepted (over TLS: whose handshake succeeded)."""
        self.received = 0
        """Bytes received, complete requests or not."""
        self.greeting = greeting
        """What is done on every connection before it asks."""
        self.peers: set[_Peer] = set()
        self.window: int | None = None
        """Bytes the kernel takes in before the server reads; None: as many as it likes."""
        self._script = script
        self._tls = tls
        self._host = host
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def origin(self) -> str:
        """`http://host:port`, or `https://`."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"{'https' if self._tls else 'http'}://{host}:{self.port}"

    @property
    def bodies(self) -> list[bytes]:
        """The body of every request."""
        return [request.body for request in self.requests]

    def base_url(self, provider: str) -> str:
        """Return the base URL that this provider's SDK is given."""
        return self.origin + ("/v1" if provider == "openai" else "")

    def asked(self, request: WireRequest) -> Sequence[Action]:
        """Remember a request and return what to do."""
        self.requests.append(request)
        return self._script(request, len(self.requests))

    def heard(self, peer: asyncio.Transport) -> None:
        """Called at every packet, before it is a request; a subclass may act on it."""

    def hang_up(self) -> None:
        """Close every open connection, as a server does with idle ones, and wait until it is so."""
        done = threading.Event()

        def close() -> None:
            for peer in list(self.peers):
                peer.transport.close()
            self._loop.call_later(0.01, done.set)

        self._loop.call_soon_threadsafe(close)
        assert done.wait(5)

    def __enter__(self) -> Self:
        """Start serving; raises OSError where the host cannot be bound."""
        self._listener = socket.socket(socket.AF_INET6 if ":" in self._host else socket.AF_INET)
        try:
            if self.window is not None:
                self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.window)
            self._listener.bind((self._host, 0))
        except OSError:
            self._listener.close()
            raise
        self.port = int(self._listener.getsockname()[1])
        self._thread.start()
        assert self._ready.wait(10), "the server did not start"
        return self

    def __exit__(self, *_: object) -> None:
        """Drop every connection and stop."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(
            self._loop.create_server(
                lambda: _Peer(self), sock=self._listener, ssl=self._tls, backlog=512
            )
        )
        self._ready.set()
        try:
            self._loop.run_forever()
        finally:
            self._loop.run_until_complete(self._drain(server))
            self._loop.close()

    async def _drain(self, server: asyncio.Server) -> None:
        # A connection being accepted becomes a peer only some turns later, and a closed server
        # would leave its socket open.
        for _ in range(5):
            await asyncio.sleep(0)
        server.close()
        for _ in range(5):
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for peer in list(self.peers):
                peer.transport.abort()
            await asyncio.sleep(0)


class Serve(Protocol):
    """Starts a scripted server that stops when the test ends: the fixture `serve`."""

    def __call__(
        self,
        script: Script,
        *,
        tls: ssl.SSLContext | None = None,
        greeting: Sequence[Action] = (),
        host: str = "127.0.0.1",
    ) -> FaultServer:
        """Return the running server."""


# --- a well-behaved judge -------------------------------------------------------------------------


def chat_reply(text: str, *, model: str, number: int, tokens: int = 10) -> dict[str, Any]:
    """Return a Chat Completions reply."""
    return {
        "id": f"chatcmpl-{number:012d}",
        "object": "chat.completion",
        "created": 1_700_000_000 + number,
        "model": model,
        "system_fingerprint": "fp_test",
        "service_tier": "default",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "logprobs": None,
                "message": {"role": "assistant", "content": text, "refusal": None},
            }
        ],
        "usage": {
            "prompt_tokens": tokens,
            "completion_tokens": 1,
            "total_tokens": tokens + 1,
            "prompt_tokens_details": {"cached_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0},
        },
    }


def messages_reply(text: str, *, model: str, number: int, tokens: int = 10) -> dict[str, Any]:
    """Return a Messages reply."""
    return {
        "id": f"msg_{number:012d}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": tokens,
            "output_tokens": 1,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "service_tier": "standard",
        },
    }


def json_reply(value: object, *, status: int = 200, number: int = 0) -> bytes:
    """Return an answer whose body is this value."""
    headers = (("content-type", "application/json"), ("x-request-id", f"req_{number:08d}"))
    return http(status, orjson.dumps(value), headers=headers)


class JudgeServer(FaultServer):
    """A judge in both API shapes: `answer` takes the parsed body and gives the reply's text."""

    def __init__(
        self,
        answer: Callable[[dict[str, Any]], str],
        *,
        model: str | None = None,
        latency: float = 0.0,
        faults: Mapping[int, Sequence[Action]] | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """`model`: what replies name, None: the one asked; `faults`: request number to actions."""
        super().__init__(self._reply, tls=tls)
        self.latency = latency
        self.faults = dict(faults or {})
        self._answer = answer
        self._model = model
        self._ids = itertools.count(1)

    @property
    def asked_texts(self) -> list[str]:
        """The last message of every request."""
        return [str(request.json()["messages"][-1]["content"]) for request in self.requests]

    def _reply(self, request: WireRequest, number: int) -> Sequence[Action]:
        if number in self.faults:
            return self.faults[number]
        asked = request.json()
        shape = messages_reply if request.path.endswith("/messages") else chat_reply
        reply = shape(
            self._answer(asked),
            model=self._model or str(asked["model"]),
            number=next(self._ids),
            tokens=len(request.body) // 4,
        )
        send = Send(json_reply(reply, number=number))
        return [Sleep(self.latency), send] if self.latency else [send]
