"""The door over raw sockets, opened by both providers: every way an answer can fail to be one."""

import asyncio
import base64
import errno
import socket
import ssl
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest
import trustme
from faultserver import (
    Action,
    Close,
    FaultServer,
    JudgeServer,
    Reset,
    Script,
    Send,
    Serve,
    Sleep,
    WireRequest,
    http,
    json_reply,
)
from typing_extensions import override

from judge.canonical import digest
from judge.providers import Connection, Endpoint, Refused, open_provider
from judge.providers.wire import Wire
from judge.records import Exchange

KEY = "sk-test-0123456789abcdef"
BODY = b'{"messages":[{"content":"is it so?","role":"user"}],"model":"m"}'
OTHER = b'{"messages":[{"content":"and this?","role":"user"}],"model":"m"}'
FIRST = json_reply({"answer": "first"})
SECOND = json_reply({"answer": "second"})
STRAY = json_reply({"answer": "stray"})

Use = Callable[[Connection], Awaitable[list[Exchange]]]


@pytest.fixture(params=["openai", "anthropic"])
def provider(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each provider, with a key of its own in the environment."""
    name = str(request.param)
    monkeypatch.setenv(f"{name.upper()}_API_KEY", KEY)
    return name


def endpoint(
    provider: str, base_url: str, *, ms: int = 5_000, cap: int = 8_000_000, ca: str | None = None
) -> Endpoint:
    """Return an endpoint on this machine."""
    return Endpoint.model_validate(
        {
            "provider": provider,
            "base_url": base_url,
            "deadline_ms": ms,
            "max_reply_bytes": cap,
            "ca_file": ca,
        }
    )


def use(where: Endpoint, act: Use) -> list[Exchange]:
    """Open the provider, take one connection, act on it, let it go."""

    async def run() -> list[Exchange]:
        provider = open_provider(where)
        await provider.open()
        connection = provider.connection()
        try:
            return await act(connection)
        finally:
            connection.close()

    return asyncio.run(run())


def ask(where: Endpoint, *bodies: bytes) -> list[Exchange]:
    """Ask these bodies one after another over one connection."""

    async def act(connection: Connection) -> list[Exchange]:
        return [await connection.ask(body, digest(body)) for body in bodies]

    return use(where, act)


def one(where: Endpoint) -> Exchange:
    """Ask one body."""
    return ask(where, BODY)[0]


def always(*actions: Action) -> Script:
    """Return a script that does the same on every request."""
    return lambda _request, _number: actions


def in_turn(*answers: Sequence[Action]) -> Script:
    """Return a script with one list of actions per request."""
    return lambda _request, number: answers[number - 1]


def fate(exchange: Exchange) -> tuple[str | None, bool]:
    """Return what decides what may be done next."""
    return exchange.error, exchange.sent


# --- what goes out --------------------------------------------------------------------------------


def test_body_on_the_wire_is_the_body_given(serve: Serve, provider: str) -> None:
    """The server receives exactly these bytes, and their length."""
    body = '{"text":"ünïcode\\u0000 \\"quoted\\" {braces}"}'.encode()
    server = serve(always(Send(FIRST)))

    ask(endpoint(provider, server.base_url(provider)), body)

    assert server.bodies == [body]
    assert server.requests[0].header("content-length") == str(len(body))


def test_head_is_the_sdks_and_asks_for_plain_bytes(serve: Serve, provider: str) -> None:
    """The key is there once, an encoded reply is not asked for, the host is the server's."""
    server = serve(always(Send(FIRST)))

    one(endpoint(provider, server.base_url(provider)))

    request = server.requests[0]
    assert request.header("authorization") == f"Bearer {KEY}"
    assert request.header("accept-encoding") == "identity"
    assert request.header("content-type") == "application/json"
    assert request.header("host") == f"127.0.0.1:{server.port}"
    assert request.header("cookie") is None


def test_a_body_of_ten_megabytes_arrives_whole(serve: Serve, provider: str) -> None:
    """A write larger than any buffer of the system is still one request."""
    body = b'{"text":"' + b"x" * 10_000_000 + b'"}'
    server = serve(always(Send(FIRST)))

    (exchange,) = ask(endpoint(provider, server.base_url(provider)), body)

    assert fate(exchange) == (None, True)
    assert server.bodies == [body]


def test_another_body_than_the_armed_one_is_refused(serve: Serve, provider: str) -> None:
    """A wrong digest puts no byte on the wire."""
    server = serve(always(Send(FIRST)))

    async def act(connection: Connection) -> list[Exchange]:
        with pytest.raises(Refused):
            await connection.ask(BODY, digest(OTHER))
        await asyncio.sleep(0.05)
        return []

    use(endpoint(provider, server.base_url(provider)), act)

    assert (server.connections, server.received) == (0, 0)


def test_two_questions_at_once_are_refused(serve: Serve, provider: str) -> None:
    """A connection is one worker's; the first question is answered all the same."""
    server = serve(always(Sleep(0.05), Send(FIRST)))

    async def act(connection: Connection) -> list[Exchange]:
        first = asyncio.create_task(_ask(connection))
        await asyncio.sleep(0.01)
        with pytest.raises(Refused):
            await connection.ask(OTHER, digest(OTHER))
        return [await first]

    async def _ask(connection: Connection) -> Exchange:
        return await connection.ask(BODY, digest(BODY))

    (exchange,) = use(endpoint(provider, server.base_url(provider)), act)

    assert exchange.status == 200
    assert server.bodies == [BODY]


def test_a_closed_connection_is_refused(serve: Serve, provider: str) -> None:
    """Closing is for good."""
    server = serve(always(Send(FIRST)))

    async def act(connection: Connection) -> list[Exchange]:
        connection.close()
        with pytest.raises(Refused):
            await connection.ask(BODY, digest(BODY))
        return []

    use(endpoint(provider, server.base_url(provider)), act)

    assert server.received == 0


def test_refusal_passes_every_ordinary_handler() -> None:
    """`except Exception`, as retry loops and SDKs write it, does not catch it."""
    assert not issubclass(Refused, Exception)


# --- never sent -----------------------------------------------------------------------------------


def test_refused_connection_is_not_sent(provider: str) -> None:
    """Nobody listens: connect, nothing sent."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    exchange = one(endpoint(provider, f"http://127.0.0.1:{port}"))

    assert fate(exchange) == ("connect", False)


def test_unknown_name_is_not_sent(provider: str) -> None:
    """The name leads nowhere: dns, nothing sent."""
    where = Endpoint.model_validate(
        {
            "provider": provider,
            "base_url": "https://nonexistent.invalid",
            "key_env": f"{provider.upper()}_API_KEY",
            "deadline_ms": 5_000,
        }
    )

    assert fate(one(where)) == ("dns", False)


def test_name_that_leads_to_a_metadata_address_is_not_asked(
    serve: Serve, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a name turned into is checked again, before a byte is sent."""
    server = serve(always(Send(FIRST)))
    monkeypatch.setattr("judge.providers.door.refused_peer", lambda _: "refused")

    exchange = one(endpoint(provider, server.base_url(provider)))

    assert fate(exchange) == ("connect", False)
    assert server.received == 0


def test_loopback_name_that_leads_elsewhere_is_not_asked(
    serve: Serve, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key that may go to this machine does not go where its name was pointed."""
    server = serve(always(Send(FIRST)))
    monkeypatch.setattr("judge.providers.door.is_loopback", lambda _: False)

    exchange = one(endpoint(provider, f"http://localhost:{server.port}"))

    assert fate(exchange) == ("connect", False)
    assert server.received == 0


def test_silent_network_while_connecting_is_not_sent(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No connection before the deadline: deadline, nothing sent."""
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        # The queue holds one; the next SYN is not answered.
        with socket.create_connection(("127.0.0.1", port)):
            fillers = [socket.socket() for _ in range(2)]
            for filler in fillers:
                filler.setblocking(False)  # noqa: FBT003  the socket module's own signature
                filler.connect_ex(("127.0.0.1", port))
            begun = time.monotonic()
            exchange = one(endpoint(provider, f"http://127.0.0.1:{port}", ms=300))
            took = time.monotonic() - begun
            for filler in fillers:
                filler.close()

    assert fate(exchange) == ("deadline", False)
    assert took < 3


@pytest.fixture
def authority() -> trustme.CA:
    """A certificate authority nobody trusts unless told to."""
    return trustme.CA()


def contexts(authority: trustme.CA, folder: Path, *names: str) -> tuple[ssl.SSLContext, str]:
    """Return a server's context for these names, and the file that makes it trusted."""
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names).configure_cert(server)
    trusted = folder / "ca.pem"
    authority.cert_pem.write_to_path(str(trusted))
    return server, str(trusted)


def test_self_signed_certificate_stops_before_anything_is_sent(
    serve: Serve, provider: str, authority: trustme.CA, tmp_path: Path
) -> None:
    """A certificate the system does not trust: tls, and the server sees no request."""
    context, _ = contexts(authority, tmp_path, "127.0.0.1")
    server = serve(always(Send(FIRST)), tls=context)

    exchange = one(endpoint(provider, server.base_url(provider)))

    assert fate(exchange) == ("tls", False)
    assert server.requests == []


def test_certificate_of_another_name_stops_before_anything_is_sent(
    serve: Serve, provider: str, authority: trustme.CA, tmp_path: Path
) -> None:
    """A trusted certificate for another host: tls."""
    context, trusted = contexts(authority, tmp_path, "other.example")
    server = serve(always(Send(FIRST)), tls=context)

    exchange = one(endpoint(provider, server.base_url(provider), ca=trusted))

    assert fate(exchange) == ("tls", False)
    assert server.requests == []


def test_private_authority_is_trusted_by_its_file(
    serve: Serve, provider: str, authority: trustme.CA, tmp_path: Path
) -> None:
    """With ca_file the judge answers over TLS, twice over one connection."""
    context, trusted = contexts(authority, tmp_path, "127.0.0.1")
    server = serve(in_turn([Send(FIRST)], [Send(SECOND)]), tls=context)

    got = ask(endpoint(provider, server.base_url(provider), ca=trusted), BODY, OTHER)

    assert [exchange.body for exchange in got] == [b'{"answer":"first"}', b'{"answer":"second"}']
    assert server.connections == 1


def test_answer_over_tls_may_end_with_its_connection(
    serve: Serve, provider: str, authority: trustme.CA, tmp_path: Path
) -> None:
    """A body without a length is complete when TLS is closed in order."""
    context, trusted = contexts(authority, tmp_path, "127.0.0.1")
    server = serve(always(Send(http(200, b"{}", length=None)), Close()), tls=context)

    exchange = one(endpoint(provider, server.base_url(provider), ca=trusted))

    assert (exchange.body, exchange.error) == (b"{}", None)


def test_stalled_handshake_ends_at_the_deadline_unsent(serve: Serve, provider: str) -> None:
    """A server that accepts and says nothing to the handshake: deadline, nothing sent."""
    server = serve(always())

    exchange = one(endpoint(provider, f"https://127.0.0.1:{server.port}", ms=200))

    assert fate(exchange) == ("deadline", False)
    assert server.requests == []


def test_plain_text_behind_https_is_a_tls_error(serve: Serve, provider: str) -> None:
    """A server that answers a handshake with HTTP: tls, nothing sent."""
    server = serve(always(), greeting=[Send(b"HTTP/1.1 400 Bad Request\r\n\r\n")])

    exchange = one(endpoint(provider, f"https://127.0.0.1:{server.port}"))

    assert fate(exchange) == ("tls", False)


def test_server_that_speaks_first_is_not_asked(serve: Serve) -> None:
    """What lies on a new connection before any question is an answer to nothing."""
    server = serve(always(Send(FIRST)), greeting=[Send(STRAY)])

    async def run() -> bool:
        _, wire = await asyncio.get_running_loop().create_connection(
            lambda: Wire(1000), "127.0.0.1", server.port
        )
        time.sleep(0.05)  # noqa: ASYNC251  only the kernel may know of the banner
        ready = wire.ready()
        wire.close()
        return ready

    assert not asyncio.run(run())


@pytest.mark.parametrize(
    "greeting", [[Send(STRAY)], [Close()], [Reset()]], ids=["says", "fin", "rst"]
)
def test_connection_that_is_no_use_from_the_start_is_not_sent(
    serve: Serve, provider: str, greeting: list[Action], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that speaks or hangs up before it is asked: connect, nothing sent."""
    server = serve(always(Send(FIRST)), greeting=greeting)
    connect: Callable[..., Awaitable[object]] = asyncio.BaseEventLoop.create_connection

    async def slowly(*args: object, **options: object) -> object:
        made = await connect(*args, **options)
        await asyncio.sleep(0.05)
        return made

    monkeypatch.setattr(asyncio.BaseEventLoop, "create_connection", slowly)

    exchange = one(endpoint(provider, server.base_url(provider)))

    assert fate(exchange) == ("connect", False)
    assert server.received == 0


def test_banner_of_another_protocol_is_no_answer(serve: Serve, provider: str) -> None:
    """Not HTTP, whether it came before the question left or after."""
    server = serve(always(), greeting=[Send(b"SSH-2.0-OpenSSH_9.6\r\n")])

    exchange = one(endpoint(provider, server.base_url(provider)))

    assert exchange.error in {"connect", "protocol"}
    assert exchange.sent == (exchange.error == "protocol")


def test_server_that_hangs_up_at_once_is_no_unknown(serve: Serve, provider: str) -> None:
    """A connection closed before the question left: not sent; or, in a race, cut."""
    server = serve(always(), greeting=[Close()])

    exchange = one(endpoint(provider, server.base_url(provider)))

    assert fate(exchange) in {("connect", False), ("cut", True)}


# --- sent, and no answer --------------------------------------------------------------------------


def test_hang_ends_at_the_deadline(serve: Serve, provider: str) -> None:
    """A server that never answers: deadline, sent, and the connection is not used again."""
    server = serve(in_turn([], [Send(SECOND)]))
    begun = time.monotonic()

    hung, answered = ask(endpoint(provider, server.base_url(provider), ms=200), BODY, OTHER)

    assert fate(hung) == ("deadline", True)
    assert time.monotonic() - begun < 2
    assert answered.body == b'{"answer":"second"}'
    assert server.connections == 2


def test_drip_does_not_outlive_the_deadline(serve: Serve, provider: str) -> None:
    """A byte now and then buys no time; what came is kept."""
    drops = [action for _ in range(40) for action in (Sleep(0.05), Send(b"x"))]
    server = serve(always(Send(http(200, b"", length=100)), *drops))
    begun = time.monotonic()

    exchange = one(endpoint(provider, server.base_url(provider), ms=300))

    assert fate(exchange) == ("deadline", True)
    assert time.monotonic() - begun < 1.5
    assert 1 <= len(exchange.body) <= 7


@pytest.mark.parametrize("end", [Close(), Reset()], ids=["fin", "rst"])
def test_drop_before_headers_is_cut(serve: Serve, provider: str, end: Action) -> None:
    """The connection ends before an answer began: cut, sent, no status."""
    server = serve(always(end))

    exchange = one(endpoint(provider, server.base_url(provider)))

    assert fate(exchange) == ("cut", True)
    assert exchange.status is None


CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n5\r\nwor"
FIXED = http(200, b"hellowor", length=100)


@pytest.mark.parametrize("part", [CHUNKED, FIXED], ids=["chunked", "length"])
@pytest.mark.parametrize("end", [Close(), Reset()], ids=["fin", "rst"])
def test_cut_mid_body_keeps_what_came(
    serve: Serve, provider: str, part: bytes, end: Action
) -> None:
    """An answer that ends early: cut, with its status and the bytes that came."""
    server = serve(always(Send(part), Sleep(0.02), end))

    exchange = one(endpoint(provider, server.base_url(provider)))

    assert fate(exchange) == ("cut", True)
    assert (exchange.status, exchange.body) == (200, b"hellowor")


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x00\x01\x02\x03\x04garbage\r\n\r\n",
        b"<html><body>hello</body></html>",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/0.9 200 OK\r\ncontent-length: 2\r\n\r\n{}",
        b"HTTP/2.0 200 OK\r\ncontent-length: 2\r\n\r\n{}",
        b"HTTP/1.1 099 OK\r\ncontent-length: 2\r\n\r\n{}",
        b"HTTP/1.1 999 OK\r\ncontent-length: 2\r\n\r\n{}",
        b"HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 4\r\n\r\n{}{}",
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nbad header\r\n\r\n{}",
        b"HTTP/1.1 200 OK\ncontent-length: 2\n\n{}",
        b"POST / HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}",
    ],
    ids=[
        "binary", "html", "ssh", "http-0.9", "http-2.0", "status-099", "status-999", "upgrade",
        "length-twice", "two-lengths", "length-and-chunked", "gzip-coding", "bad-chunk",
        "negative-length", "bad-header", "bare-lf", "request",
    ],
)  # fmt: skip
def test_what_is_not_one_http_answer_is_a_protocol_error(
    serve: Serve, provider: str, garbage: bytes
) -> None:
    """Anything that two parsers could read in two ways is no answer."""
    server = serve(always(Send(garbage), Sleep(0.05), Close()))

    exchange = one(endpoint(provider, server.base_url(provider)))

    assert fate(exchange) == ("protocol", True)


class Deaf(FaultServer):
    """Answers at the first bytes it gets, and reads no further."""

    def __init__(self, answer: bytes) -> None:
        super().__init__(always())
        self.answer = answer
        self.window = 4096

    @override
    def heard(self, peer: asyncio.Transport) -> None:
        peer.pause_reading()
        peer.write(self.answer)


@pytest.mark.parametrize("size", [200_000, 30_000_000], ids=["in-the-kernel", "in-the-buffer"])
def test_success_before_the_question_arrived_answers_something_else(
    provider: str, size: int
) -> None:
    """A 200 that is complete while the request is still on its way is not its answer."""
    with Deaf(STRAY) as server:
        (exchange,) = ask(endpoint(provider, server.base_url(provider)), b"x" * size)

    assert fate(exchange) == ("protocol", True)
    assert server.requests == []


@pytest.mark.parametrize(("size", "error"), [(200_000, None), (30_000_000, "protocol")])
def test_early_success_where_the_kernel_does_not_tell(
    provider: str, monkeypatch: pytest.MonkeyPatch, size: int, error: str | None
) -> None:
    """Without the kernel's word only what has not left this process is known."""

    def untold(*_: object) -> bytes:
        raise OSError(errno.ENOTTY, "Inappropriate ioctl for device")

    monkeypatch.setattr("fcntl.ioctl", untold)
    with Deaf(STRAY) as server:
        (exchange,) = ask(endpoint(provider, server.base_url(provider)), b"x" * size)

    assert fate(exchange) == (error, True)


def test_refusal_may_come_before_the_question_arrived(provider: str) -> None:
    """A 413 needs not read what it refuses; the connection is not used again."""
    with Deaf(http(413, b"{}")) as server:
        got = ask(endpoint(provider, server.base_url(provider)), b"x" * 30_000_000, b"x" * 200_000)

    assert [(exchange.status, exchange.error) for exchange in got] == [(413, None)] * 2
    assert server.connections == 2


def test_endless_body_ends_at_the_limit(serve: Serve, provider: str) -> None:
    """Ten megabytes into a limit of 100 kB: too_large at once, the first bytes kept."""
    server = serve(always(Send(http(200, b"x" * 10_000_000, length=None))))
    begun = time.monotonic()

    exchange = one(endpoint(provider, server.base_url(provider), cap=100_000))

    assert fate(exchange) == ("too_large", True)
    assert exchange.body == b"x" * 100_000
    assert time.monotonic() - begun < 2


def test_body_of_exactly_the_limit_is_whole(serve: Serve, provider: str) -> None:
    """The limit itself is allowed, one byte more is not."""
    server = serve(in_turn([Send(http(200, b"x" * 1000))], [Send(http(200, b"x" * 1001))]))

    at, above = ask(endpoint(provider, server.base_url(provider), cap=1000), BODY, OTHER)

    assert (at.error, len(at.body)) == (None, 1000)
    assert (above.error, len(above.body)) == ("too_large", 1000)


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nx: " + b"y" * 200_000,
        b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 30_000 + b"\r\n",
        b"HTTP/1.1 103 Early\r\n\r\n" * 10_000,
    ],
    ids=["line", "lines", "interim"],
)
def test_endless_head_ends_at_a_limit(serve: Serve, provider: str, head: bytes) -> None:
    """Headers are limited too, in a line, in number, and over interim answers."""
    server = serve(always(Send(head)))

    exchange = one(endpoint(provider, server.base_url(provider)))

    assert fate(exchange) == ("too_large", True)


def test_chunk_framing_counts_towards_the_limit(serve: Serve, provider: str) -> None:
    """A chunk extension without end holds no body, and is too large all the same."""
    endless = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;" + b"x" * 1_000_000
    server = serve(always(Send(endless)))

    exchange = one(endpoint(provider, server.base_url(provider), cap=1000))

    assert fate(exchange) == ("too_large", True)


def test_reply_that_holds_the_key_is_dropped(serve: Serve, provider: str) -> None:
    """An echoed key never reaches a receipt: no body, no header, and a 200 is no answer."""

    def echo(request: WireRequest, number: int) -> Sequence[Action]:
        told = request.header("authorization") or ""
        if number == 1:
            return [Send(json_reply({"you sent": told}))]
        return [Send(http(401, b"{}", headers=[("x-request-id", told)]))]

    server = serve(echo)

    got = ask(endpoint(provider, server.base_url(provider)), BODY, OTHER)

    assert [fate(exchange) for exchange in got] == [("protocol", True), (None, True)]
    assert [exchange.status for exchange in got] == [200, 401]
    assert all(exchange.body == b"" for exchange in got)
    assert [exchange.headers for exchange in got] == [(), (("content-length", "2"),)]


@pytest.mark.parametrize(
    "form",
    [
        lambda key: key.replace("/", "\\/"),
        lambda key: base64.b64encode(key.encode()).decode(),
    ],
    ids=["json", "base64"],
)
def test_key_in_another_form_is_dropped_too(
    serve: Serve, provider: str, monkeypatch: pytest.MonkeyPatch, form: Callable[[str], str]
) -> None:
    """A key as JSON writes it, or in base64, is a key."""
    key = "sk/test/0123456789"
    monkeypatch.setenv(f"{provider.upper()}_API_KEY", key)
    server = serve(always(Send(http(200, f'"{form(key)}"'.encode()))))

    exchange = one(endpoint(provider, server.base_url(provider)))

    assert (*fate(exchange), exchange.body) == ("protocol", True, b"")


def test_short_placeholder_is_not_searched_for(
    serve: Serve, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A local server's `EMPTY` is no secret: a reply may hold the word."""
    monkeypatch.setenv(f"{provider.upper()}_API_KEY", "EMPTY")
    server = serve(always(Send(json_reply({"text": "EMPTY"}))))

    exchange = one(endpoint(provider, server.base_url(provider)))

    assert (exchange.error, exchange.body) == (None, b'{"text":"EMPTY"}')


# --- answers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [200, 201, 400, 401, 404, 429, 500, 529])
def test_every_status_is_an_answer(serve: Serve, provider: str, status: int) -> None:
    """Whatever the status, a complete answer is one, with its bytes as they came."""
    body = b'{"error": {"code": "x"}, "raw":  true}\n'
    server = serve(always(Send(http(status, body))))

    exchange = one(endpoint(provider, server.base_url(provider)))

    assert (exchange.status, exchange.body, exchange.error) == (status, body, None)
    assert exchange.sent


def test_no_content_is_an_answer(serve: Serve, provider: str) -> None:
    """204 has no body and ends with its head; the connection goes on."""
    server = serve(in_turn([Send(http(204, b"", length=None))], [Send(SECOND)]))

    empty, second = ask(endpoint(provider, server.base_url(provider)), BODY, OTHER)

    assert (empty.status, empty.body, empty.error) == (204, b"", None)
    assert second.body == b'{"answer":"second"}'
    assert server.connections == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_is_not_followed(serve: Serve, provider: str, status: int) -> None:
    """The other server sees nothing; of its address only the host is recorded."""
    other = serve(always(Send(SECOND)))
    target = f"{other.origin}/secret?q=1"
    server = serve(always(Send(http(status, b"", headers=[("Location", target)]))))

    exchange = one(endpoint(provider, server.base_url(provider)))

    assert (exchange.status, exchange.error) == (status, None)
    assert exchange.headers == (("location-host", "127.0.0.1"), ("content-length", "0"))
    assert other.connections == 0


def test_announced_encoding_is_recorded_and_not_undone(serve: Serve, provider: str) -> None:
    """A reply that says gzip is kept as it came, with the header that says so."""
    packed = bytes.fromhex("1f8b08000000000000030300")
    headers = [("content-type", "application/json"), ("Content-Encoding", "gzip")]
    server = serve(always(Send(http(200, packed, headers=headers))))

    exchange = one(endpoint(provider, server.base_url(provider)))

    assert (exchange.body, exchange.error) == (packed, None)
    assert ("content-encoding", "gzip") in exchange.headers


def test_chunked_answer_is_put_together(serve: Serve, provider: str) -> None:
    """Chunks, an extension and a trailer: the body is the chunks, the trailer is no header."""
    answer = (
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
        b"2;x=1\r\n{}\r\n1\r\n\n\r\n0\r\nx-request-id: trailer\r\n\r\n"
    )
    server = serve(always(Send(answer)))

    exchange = one(endpoint(provider, server.base_url(provider)))

    assert (exchange.body, exchange.headers, exchange.error) == (b"{}\n", (), None)


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_body_may_end_with_the_connection(serve: Serve, provider: str, version: str) -> None:
    """Without a length the end of the connection is the end of the answer."""
    server = serve(always(Send(http(200, b'{"a":1', length=None, version=version)), Close()))

    exchange = one(endpoint(provider, server.base_url(provider)))

    assert (exchange.status, exchange.body, exchange.error) == (200, b'{"a":1', None)


def test_reset_does_not_end_a_body(serve: Serve, provider: str) -> None:
    """Without a length, a connection that breaks has not ended: cut."""
    answer = Send(http(200, b"{}", length=None))
    server = serve(always(answer, Sleep(0.02), Reset()))

    exchange = one(endpoint(provider, server.base_url(provider)))

    assert (*fate(exchange), exchange.body) == ("cut", True, b"{}")


@pytest.mark.parametrize("code", [100, 102, 103])
@pytest.mark.parametrize("apart", [True, False], ids=["apart", "one-packet"])
def test_interim_answer_is_not_the_answer(
    serve: Serve, provider: str, code: int, *, apart: bool
) -> None:
    """1xx is passed over, with its headers."""
    interim = http(code, b"", headers=[("x-request-id", "interim")], length=None)
    parts = [Send(interim), Sleep(0.02), Send(FIRST)] if apart else [Send(interim + FIRST)]
    server = serve(always(*parts))

    exchange = one(endpoint(provider, server.base_url(provider)))

    assert (exchange.status, exchange.body) == (200, b'{"answer":"first"}')
    assert ("x-request-id", "interim") not in exchange.headers


def test_answer_byte_by_byte_is_the_same(serve: Serve, provider: str) -> None:
    """How the bytes are cut into packets changes nothing."""
    drops = [action for byte in FIRST for action in (Send(bytes([byte])), Sleep(0))]
    server = serve(in_turn([Send(FIRST)], drops))

    whole, dripped = ask(endpoint(provider, server.base_url(provider)), BODY, BODY)

    assert whole == dripped


def test_only_listed_headers_are_kept(serve: Serve, provider: str) -> None:
    """Names in lower case, in the order received; cookies and the rest are gone."""
    headers = [
        ("Set-Cookie", "session=secret"),
        ("X-Request-ID", "req_1"),
        ("X-RateLimit-Remaining-Requests", "5"),
        ("Server", "x"),
        ("Authorization", "Bearer x"),
        ("anthropic-ratelimit-tokens-reset", "2026-01-01T00:00:00Z"),
        ("Retry-After", ""),
        ("Content-Type", "application/json; charset=utf-8"),
    ]
    server = serve(always(Send(http(200, b"{}", headers=headers))))

    exchange = one(endpoint(provider, server.base_url(provider)))

    assert exchange.headers == (
        ("x-request-id", "req_1"),
        ("x-ratelimit-remaining-requests", "5"),
        ("anthropic-ratelimit-tokens-reset", "2026-01-01T00:00:00Z"),
        ("retry-after", ""),
        ("content-type", "application/json; charset=utf-8"),
        ("content-length", "2"),
    )


# --- whose answer is it ---------------------------------------------------------------------------


def test_connection_is_kept_alive(serve: Serve, provider: str) -> None:
    """Fifty questions, one connection."""
    server = serve(always(Send(FIRST)))

    got = ask(endpoint(provider, server.base_url(provider)), *[BODY] * 50)

    assert {exchange.body for exchange in got} == {b'{"answer":"first"}'}
    assert (server.connections, len(server.requests)) == (1, 50)


def test_connection_close_is_obeyed(serve: Serve, provider: str) -> None:
    """After `Connection: close` the next question goes over a new connection."""
    closing = http(200, b"{}", headers=[("connection", "close")])
    server = serve(always(Send(closing)))

    got = ask(endpoint(provider, server.base_url(provider)), BODY, OTHER)

    assert [fate(exchange) for exchange in got] == [(None, True)] * 2
    assert server.connections == 2


@pytest.mark.parametrize("seen", [True, False], ids=["loop-saw-it", "only-the-kernel-knows"])
def test_idle_close_is_no_unknown(serve: Serve, provider: str, *, seen: bool) -> None:
    """A connection the server closed between questions is replaced before anything is sent."""
    server = serve(always(Send(FIRST)))

    async def act(connection: Connection) -> list[Exchange]:
        first = await connection.ask(BODY, digest(BODY))
        server.hang_up()
        if seen:
            await asyncio.sleep(0.05)
        return [first, await connection.ask(OTHER, digest(OTHER))]

    got = use(endpoint(provider, server.base_url(provider)), act)

    assert [fate(exchange) for exchange in got] == [(None, True)] * 2
    assert server.bodies == [BODY, OTHER]
    assert server.connections == 2


@pytest.mark.parametrize("extra", [STRAY, b"garbage", STRAY[:20], b"\r\n" + STRAY])
def test_second_answer_in_the_same_packet_is_not_the_next_ones(
    serve: Serve, provider: str, extra: bytes
) -> None:
    """The first answer stands, what follows it ends the connection."""
    server = serve(in_turn([Send(FIRST + extra)], [Send(SECOND)]))

    got = ask(endpoint(provider, server.base_url(provider)), BODY, OTHER)

    assert [exchange.body for exchange in got] == [b'{"answer":"first"}', b'{"answer":"second"}']
    assert server.connections == 2


@pytest.mark.parametrize("seen", [True, False], ids=["loop-saw-it", "only-the-kernel-knows"])
def test_late_second_answer_is_not_the_next_ones(
    serve: Serve, provider: str, *, seen: bool
) -> None:
    """An answer nobody asked for, arriving between questions, ends the connection."""
    server = serve(in_turn([Send(FIRST), Sleep(0.03), Send(STRAY)], [Send(SECOND)]))

    async def act(connection: Connection) -> list[Exchange]:
        first = await connection.ask(BODY, digest(BODY))
        if seen:
            await asyncio.sleep(0.1)
        else:
            time.sleep(0.1)  # noqa: ASYNC251  the loop must not look
        return [first, await connection.ask(OTHER, digest(OTHER))]

    got = use(endpoint(provider, server.base_url(provider)), act)

    assert [exchange.body for exchange in got] == [b'{"answer":"first"}', b'{"answer":"second"}']
    assert server.connections == 2


def test_cancelled_question_leaves_no_answer_behind(serve: Serve, provider: str) -> None:
    """The late answer to a question given up is not the answer to the next one."""
    server = serve(in_turn([Sleep(0.1), Send(FIRST)], [Sleep(0.2), Send(SECOND)]))

    async def act(connection: Connection) -> list[Exchange]:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await connection.ask(BODY, digest(BODY))
        return [await connection.ask(OTHER, digest(OTHER))]

    (exchange,) = use(endpoint(provider, server.base_url(provider)), act)

    assert exchange.body == b'{"answer":"second"}'
    assert server.connections == 2


def test_answers_of_many_workers_are_never_mixed(provider: str) -> None:
    """Sixty-four workers, each with its own connection: every reply names its own question."""

    async def run(server: FaultServer) -> list[tuple[int, Exchange]]:
        judge = open_provider(endpoint(provider, server.base_url(provider)))
        await judge.open()

        async def worker(name: int) -> list[tuple[int, Exchange]]:
            connection = judge.connection()
            got = []
            for turn in range(5):
                number = name * 100 + turn
                text = f'{{"messages":[{{"content":"{number}","role":"user"}}],"model":"m"}}'
                body = text.encode()
                got.append((number, await connection.ask(body, digest(body))))
            connection.close()
            return got

        rows = await asyncio.gather(*(worker(name) for name in range(64)))
        return [pair for row in rows for pair in row]

    with JudgeServer(lambda body: f"echo {body['messages'][0]['content']}.") as server:
        got = asyncio.run(run(server))

    assert len(got) == 320
    assert all(f"echo {number}.".encode() in exchange.body for number, exchange in got)
    assert server.connections == 64


def test_ipv6_and_localhost_are_reached(serve: Serve, provider: str) -> None:
    """An address in brackets and the name of this machine both lead there."""
    if not socket.has_ipv6:
        pytest.skip("no IPv6 on this machine")
    try:
        sixth = serve(always(Send(FIRST)), host="::1")
    except OSError:
        pytest.skip("no IPv6 loopback on this machine")
    fourth = serve(always(Send(SECOND)))

    over_six = one(endpoint(provider, sixth.base_url(provider)))
    by_name = one(endpoint(provider, f"http://localhost:{fourth.port}"))

    assert (over_six.body, by_name.body) == (b'{"answer":"first"}', b'{"answer":"second"}')


def test_proxies_of_the_environment_see_nothing(
    serve: Serve, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every proxy variable is set, and the judge is asked directly."""
    proxy = serve(always(Send(STRAY)))
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy.origin)
        monkeypatch.setenv(name.lower(), proxy.origin)
    server = serve(always(Send(FIRST)))

    exchange = one(endpoint(provider, server.base_url(provider)))

    assert exchange.body == b'{"answer":"first"}'
    assert proxy.connections == 0
