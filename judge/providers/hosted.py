"""A judge behind an address: key, trust and head settled once, then connections of our own.

In: an endpoint and what is fixed for its provider. Out: a Provider.
"""

import os
import ssl
from collections.abc import Callable
from typing import Protocol

from judge.errors import InputError, JudgeError
from judge.providers import address, environment, keys
from judge.providers.contract import Endpoint, Vendor
from judge.providers.door import Door, Way
from judge.providers.secret import KEPT_OUT
from judge.records import Api, Binding, ErrorClass, Exchange

__all__ = ["Hosted", "Sdk"]

_SENT: dict[ErrorClass, str] = {
    "cut": "the connection ended before the answer did",
    "deadline": "no complete answer before the deadline",
    "protocol": "what came back is not one HTTP/1.1 answer to this request",
    "too_large": "the answer is larger than allowed",
}


class _Head(Protocol):
    @property
    def target(self) -> str: ...
    @property
    def lines(self) -> bytes: ...


class Sdk(Protocol):
    """What an SDK is asked: see judge.providers.oracle, which is imported only when opened."""

    version: str

    def learn(self, address: address.Address, key: str) -> _Head:
        """Return the head of every request."""

    def name(self, exchange: Exchange) -> str:
        """Return the SDK's name for a refusal."""


Dial = Callable[[str, str, float], Sdk]
"""Base URL, key and seconds in, the SDK out."""


class Hosted:
    """A Provider over HTTP."""

    binding: Binding = "http_exchange"

    def __init__(self, endpoint: Endpoint, vendor: Vendor, dial: Dial) -> None:
        self.api: Api = vendor.api
        self._endpoint = endpoint
        self._vendor = vendor
        self._dial = dial
        self._base = endpoint.base_url or vendor.home
        self._address = address.parse(self._base)
        self._key = keys.find(endpoint, self._address, vendor, os.environ)
        moot = frozenset({vendor.key_variable, endpoint.key_env or vendor.key_variable})
        if self._address.scheme == "http":
            moot |= environment.TRUST
        self.notes = environment.ignored(vendor.variables, moot)
        self._reasons: dict[ErrorClass, str] = {}
        self._sdk: Sdk | None = None
        self._way: Way | None = None
        self.where = self._address.origin
        """The address that is asked; with its path once the provider is open."""

    async def open(self) -> None:
        """Import the SDK and learn the request's head from it; nothing is sent.

        Raises:
            InputError: the certificates cannot be read.
            JudgeError: the SDK would send something else than we expect.
        """
        seconds = self._endpoint.deadline_ms / 1000
        with environment.hidden(self._vendor.variables):
            self._sdk = self._dial(self._base, self._key.reveal(), seconds)
            head = self._sdk.learn(self._address, self._key.reveal())
            tls = self._trust() if self._address.scheme == "https" else None
        self.where = self._address.origin + head.target
        self._way = Way(
            address=self._address,
            head=head.lines,
            key=self._key,
            tls=tls,
            deadline_s=seconds,
            max_bytes=self._endpoint.max_reply_bytes,
            reasons=self._reasons,
        )

    def connection(self) -> Door:
        """Return a new connection; it connects when it is first asked."""
        if self._way is None:
            raise JudgeError("open the provider before a connection is taken")
        return Door(self._way)

    def explain(self, exchange: Exchange) -> str:
        """Return what the SDK would call this reply, or why there is none."""
        if self._sdk is None:
            raise JudgeError("open the provider before a reply is explained")
        if exchange.error is None:
            told = self._sdk.name(exchange)
            return f"{told} ({KEPT_OUT})" if exchange.withheld else told
        if exchange.withheld:
            return f"{exchange.error} at {self.where}: {KEPT_OUT}"
        reasons = _SENT if exchange.sent else self._reasons
        return f"{exchange.error} at {self.where}: {reasons.get(exchange.error, 'no reason given')}"

    def _trust(self) -> ssl.SSLContext:
        if self._endpoint.ca_file is None:
            import httpx2  # noqa: PLC0415  slow to import, and the SDK has done so by now

            context = httpx2.create_ssl_context(trust_env=False)
        else:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            try:
                context.load_verify_locations(cafile=self._endpoint.ca_file)
            except (OSError, ValueError) as error:
                shown = repr(self._endpoint.ca_file[:200])
                raise InputError(f"ca_file {shown} cannot be used: {error}") from error
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["http/1.1"])
        return context
