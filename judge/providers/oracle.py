"""The SDK asked what it would send and what it would call a reply; nothing leaves this process.

In: an SDK's client over our transport. Out: the request line and headers it chose, and the name of
the error it makes of a reply. httpx2 is imported here, so import this only to open a provider.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import httpx2
from typing_extensions import override

from judge.errors import JudgeError
from judge.providers.address import PORTS, Address
from judge.providers.secret import Secret
from judge.records import Exchange

__all__ = ["HEADERS", "Head", "Oracle", "Transport"]

HEADERS: Final = {"Accept-Encoding": "identity", "Content-Type": "application/json"}
"""What we add to the SDK's own headers: the body is JSON, and the reply's bytes are the body's."""

# The body is ours, so its length is; the rest the SDK decides.
_DROPPED = frozenset({b"content-length", b"transfer-encoding"})
_BODY_MAX = 65_536


@dataclass(frozen=True, slots=True)
class Head:
    """Where the SDK would send a request, and what stands above its body."""

    target: str
    lines: bytes = field(repr=False)
    """Up to the value of `content-length`."""


class Transport(httpx2.BaseTransport):
    """Keeps the request, and answers it with what it was given."""

    def __init__(self) -> None:
        self.request: httpx2.Request | None = None
        self.count = 0
        self._reply: tuple[int, tuple[tuple[str, str], ...], bytes] = (200, (), b"{}")

    def client(self) -> httpx2.Client:
        """Return a client that can reach nothing but this object."""
        return httpx2.Client(transport=self, trust_env=False, follow_redirects=False)

    def answer(self, status: int, headers: tuple[tuple[str, str], ...], body: bytes) -> None:
        """Answer the next request so."""
        self._reply = (status, headers, body)

    @override
    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        self.request = request
        self.count += 1
        status, headers, body = self._reply
        # The body is given decoded and whole, whatever the headers said of it on the wire.
        told = [(name, value) for name, value in headers if not name.startswith("content-")]
        told.append(("content-type", "application/json"))
        return httpx2.Response(status, headers=told, content=body, request=request)


class Oracle:
    """One SDK client that can be asked, and its transport."""

    def __init__(
        self, transport: Transport, post: Callable[[], object], error: type[Exception], version: str
    ) -> None:
        self._transport = transport
        self._post = post
        self._error = error
        self._secret = Secret("")
        self.version = version
        """The SDK's name and version."""

    def learn(self, address: Address, key: str) -> Head:
        """Return the head of every request to this address.

        Raises:
            JudgeError: the SDK would send elsewhere, or without exactly this key, or take an
                encoded reply.
        """
        self._secret = Secret(key)
        self._post()
        request = self._transport.request
        if request is None or self._transport.count != 1:
            raise JudgeError(
                f"{self.version} did not send exactly one request: use another version"
            )
        self._check(request, address, key)
        lines = [b"%b %b HTTP/1.1\r\n" % (request.method.encode(), request.url.raw_path)]
        lines += [
            b"%b: %b\r\n" % (name, value)
            for name, value in request.headers.raw
            if name.lower() not in _DROPPED
        ]
        return Head(target=request.url.path, lines=b"".join((*lines, b"content-length: ")))

    def _check(self, request: httpx2.Request, address: Address, key: str) -> None:
        url = request.url
        port = url.port or PORTS.get(url.scheme)
        found = (request.method, url.scheme, url.host, port, url.userinfo, url.query)
        if found != ("POST", address.scheme, address.host, address.port, b"", b""):
            raise JudgeError(
                f"{self.version} would not send to {address.origin}: use another version"
            )
        wanted = {
            "authorization": [f"Bearer {key}"],
            "accept-encoding": ["identity"],
            "content-type": ["application/json"],
            "cookie": [],
            "expect": [],
        }
        for name, values in wanted.items():
            if request.headers.get_list(name) != values:
                raise JudgeError(
                    f"{self.version} would send another {name} header: use another version"
                )

    def name(self, exchange: Exchange) -> str:
        """Return the SDK's name for a refusal, with status and code: `RateLimitError 429 'x'`.

        A code that holds the key is shown without it.
        """
        if exchange.status is None:
            raise JudgeError("only an answer with a status can be explained")
        self._transport.answer(exchange.status, exchange.headers, exchange.body[:_BODY_MAX])
        try:
            self._post()
        except self._error as error:
            codes = (getattr(error, name, None) for name in ("code", "error_code", "type"))
            code = next((code for code in codes if isinstance(code, str)), None)
            told = f"{type(error).__name__} {exchange.status}"
            # Cut afterwards: what is left of a key is no longer found.
            return told if code is None else f"{told} {self._secret.hidden(code)[:100]!r}"
        except (ValueError, RecursionError):
            # What the SDK cannot read has no name there.
            return f"status {exchange.status}"
        return f"status {exchange.status}"
