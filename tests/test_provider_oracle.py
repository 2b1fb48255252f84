"""judge/providers/oracle.py: an SDK that would send something else is not used."""

from collections.abc import Callable

import httpx2
import pytest

from judge.errors import JudgeError
from judge.providers.address import parse
from judge.providers.oracle import HEADERS, Oracle, Transport
from judge.records import Exchange

HOME = "https://judge.example/v1/ask"
KEY = "sk-0123456789"
RIGHT = {**HEADERS, "Authorization": f"Bearer {KEY}"}


def oracle(send: Callable[[httpx2.Client], object]) -> Oracle:
    """Return an oracle over a stand-in for an SDK, which sends like this."""
    transport = Transport()
    client = transport.client()
    return Oracle(transport, lambda: send(client), ZeroDivisionError, "sdk 1")


def test_head_is_what_was_sent() -> None:
    """Request line and headers, without the length of a body that is not ours."""
    told = oracle(lambda client: client.post(HOME, content=b"{}", headers=RIGHT))

    head = told.learn(parse("https://judge.example"), KEY)

    assert head.target == "/v1/ask"
    assert head.lines.startswith(b"POST /v1/ask HTTP/1.1\r\nHost: judge.example\r\n")
    assert head.lines.endswith(b"\r\ncontent-length: ")
    assert head.lines.lower().count(b"content-length") == 1
    assert KEY not in repr(head)


@pytest.mark.parametrize(
    "send",
    [
        lambda client: None,
        lambda client: [client.post(HOME, headers=RIGHT) for _ in range(2)],
        lambda client: client.get(HOME, headers=RIGHT),
        lambda client: client.post("https://other.example/v1/ask", headers=RIGHT),
        lambda client: client.post("http://judge.example/v1/ask", headers=RIGHT),
        lambda client: client.post("https://judge.example:8443/v1/ask", headers=RIGHT),
        lambda client: client.post(HOME + "?x=1", headers=RIGHT),
        lambda client: client.post("https://me:pass@judge.example/v1/ask", headers=RIGHT),
        lambda client: client.post(HOME, headers={**RIGHT, "Authorization": "Bearer other"}),
        lambda client: client.post(HOME, headers=HEADERS),
        lambda client: client.post(HOME, headers={**RIGHT, "Accept-Encoding": "gzip"}),
        lambda client: client.post(HOME, headers={**RIGHT, "Cookie": "a=b"}),
        lambda client: client.post(HOME, headers={**RIGHT, "Expect": "100-continue"}),
        lambda client: client.post(HOME, headers=[*RIGHT.items(), ("Authorization", "Bearer 2")]),
    ],
    ids=[
        "nothing", "twice", "get", "host", "scheme", "port", "query", "user", "key", "no-key",
        "encoding", "cookie", "expect", "two-keys",
    ],
)  # fmt: skip
def test_another_request_is_refused(send: Callable[[httpx2.Client], object]) -> None:
    """Elsewhere, otherwise, or not exactly once: the SDK is not trusted with it."""
    with pytest.raises(JudgeError, match="use another version"):
        oracle(send).learn(parse("https://judge.example"), KEY)


def test_reply_the_sdk_cannot_read_is_named_by_its_status() -> None:
    """An SDK that breaks on a refusal does not break the run."""

    def broken(_: httpx2.Client) -> None:
        raise ValueError("unreadable")

    reply = Exchange(status=418, headers=(), body=b"", error=None, sent=True)

    assert oracle(broken).name(reply) == "status 418"


def test_exchange_without_a_status_has_no_name() -> None:
    """What never came back is not an SDK's to name."""
    lost = Exchange(status=None, headers=(), body=b"", error="cut", sent=True)

    with pytest.raises(JudgeError):
        oracle(lambda client: client.post(HOME, headers=RIGHT)).name(lost)
