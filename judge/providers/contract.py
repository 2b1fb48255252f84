"""What a judge's address is, and what a provider and its connections promise.

In: nothing. Out: the record that names an address, the two protocols the rest of the harness is
written against, and the one exception that must pass through every handler.
"""

from typing import Annotated, Literal, Protocol

from pydantic import Field

from judge.records import Api, Binding, Exchange, Record

__all__ = ["Connection", "Endpoint", "Provider", "Refused", "Vendor"]


class Refused(BaseException):
    """A body that is not the one in the intent, or a connection used twice at once.

    Not an Exception: the SDKs and retry loops catch those, and would ask again.
    """


class Endpoint(Record):
    """Where a judge is asked, with whose key, and for how long at most."""

    provider: Literal["openai", "anthropic"]
    base_url: str | None = None
    """Null: the provider's own address."""
    key_env: str | None = None
    """A variable's name, `file:PATH`, or `none` (no key is wanted); null: the provider's own."""
    ca_file: str | None = None
    """Certificates (PEM) to trust instead of the system's."""
    insecure_key: bool = False
    """Whether a key may travel over plain http beyond this machine."""
    deadline_ms: Annotated[int, Field(ge=1, le=86_400_000)]
    """Milliseconds from the call to the last byte of the answer, connecting included."""
    max_reply_bytes: Annotated[int, Field(ge=1, lt=2**31)] = 8_000_000


class Vendor(Record):
    """What is fixed for all addresses of one provider."""

    name: Literal["openai", "anthropic"]
    api: Api
    home: str
    """The base URL of its own address."""
    key_variable: str
    variables: str
    """How the names of the variables that its SDK reads begin."""


class Connection(Protocol):
    """One worker's way to the judge: one question at a time."""

    async def ask(self, body: bytes, sha256: str) -> Exchange:
        """Send exactly these bytes and return what came back, or what kept it from coming back.

        Raises:
            Refused: the body does not have this digest, another question is open, or the
                connection was closed. Nothing was sent.
        """

    def close(self) -> None:
        """Let go of the socket; what is in flight is lost."""


class Provider(Protocol):
    """A judge that can be asked over connections of its own."""

    @property
    def api(self) -> Api:
        """The dialect of requests and replies."""

    @property
    def binding(self) -> Binding:
        """What ties an answer to its question."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Names of environment variables that are set and were ignored."""

    @property
    def where(self) -> str:
        """The address that is asked, without its key."""

    async def open(self) -> None:
        """Import the SDK and learn the request's head from it; nothing is sent.

        Blocks while it imports, one to four seconds.
        """

    def connection(self) -> Connection:
        """Return a new connection; it connects when it is first asked."""

    def explain(self, exchange: Exchange) -> str:
        """Return what the SDK would call this reply: its error class, status and code."""
