"""Faults 22 to 39: refusals, waits, and what is not HTTP or not the judge."""

import datetime as dt
from collections.abc import Sequence
from email.utils import format_datetime, localtime

from faultacts import body, often, once, refused, send, top, whole
from faultcase import Case, Fault
from faultserver import Action, Close, Send, http
from smallrun import CONTROLS, Act, Turn

__all__ = ["STATUS", "WAIT_MS"]

WAIT_MS = 400
"""What a busy server asks for in milliseconds."""

_RATE = ("requests", "rate_limit_exceeded")
_FILTERED = "the prompt was blocked by content_filter"
_SPENT = "You have reached your specified API usage limits."


_ALONE = {"max_connections": 1}


def _busy(*headers: tuple[str, str]) -> Act:
    return refused(429, *_RATE, headers=headers)


def _after(wait: str) -> Act:
    return _busy(("retry-after", wait))


def _date(seconds: int) -> Act:
    """Ask to wait until a date this far from now."""

    def act(turn: Turn) -> Sequence[Action] | None:
        date = localtime().astimezone(dt.UTC) + dt.timedelta(seconds=seconds)
        return _after(format_datetime(date, usegmt=True))(turn)

    return act


def _first(data: bytes) -> Act:
    """Put these bytes before a sound answer."""
    return lambda turn: [Send(data + whole(turn))]


def _first_id(turn: Turn) -> Sequence[Action] | None:
    """Answer under the id that the first answer of the run had."""
    name = "chatcmpl-" if turn.provider == "openai" else "msg_"
    return top(id=f"{name}{1:012d}")(turn)


def _twice(turn: Turn) -> Sequence[Action]:
    return [Send(whole(turn) * 2)]


_REFUSALS = (
    Fault(22, "400", refused(400)).no_verdict("rejected_request"),
    Fault(22, "400 to three controls", refused(400), "controls").stops(
        "rejected", *3 * ("undecided: rejected_request",)
    ),
    Fault(22, "400 for a spend limit", refused(400, "invalid_request_error", text=_SPENT)).stops(
        "quota", "retry: 400"
    ),
    Fault(23, "400 by a content filter", refused(400, text=_FILTERED)).no_verdict("content_filter"),
    Fault(24, "401 at the start", refused(401), "controls").stops("key", "retry: 401"),
    Fault(24, "401 in the middle", refused(401)).stops("key", "retry: 401"),
    Fault(25, "402", refused(402)).stops("quota", "retry: 402"),
    Fault(25, "403", refused(403)).stops("key", "retry: 403"),
    Fault(26, "404 at the start", refused(404), "controls").stops("model", "retry: 404"),
    Fault(27, "408, then sound", once(refused(408))).decided("retry: 408"),
    Fault(27, "425, then sound", once(refused(425))).decided("retry: 425"),
    Fault(28, "409 twice, then sound", often(refused(409), 2)).decided(*2 * ("retry: 409",)),
    Fault(28, "409 for good", refused(409)).stops("server", *3 * ("retry: 409",)),
    Fault(29, "413", refused(413)).no_verdict("too_large"),
    Fault(29, "413, HTML", body(b"<p>too large</p>", "text/html", 413)).no_verdict("too_large"),
    Fault(30, "422", refused(422)).no_verdict("rejected_request"),
    Fault(30, "418", refused(418)).no_verdict("rejected_request"),
)

_WAITS = (
    Fault(31, "429, retry-after-ms", once(_busy(("retry-after-ms", str(WAIT_MS))))).decided(
        "retry: 429"
    ),
    Fault(31, "429, retry-after 1", once(_after("1"))).decided("retry: 429"),
    Fault(31, "429 without a wait, then sound", once(_busy())).decided("retry: 429"),
    # One connection: where others are answered meanwhile, the server is busy and not broken.
    Fault(31, "429 for good", _busy(), limits=_ALONE).stops("server", *5 * ("retry: 429",)),
    Fault(31, "429 that says nothing", send(http(429, b"")), limits=_ALONE).stops(
        "server", *5 * ("retry: 429",)
    ),
    Fault(
        32, "429 insufficient_quota", refused(429, "insufficient_quota", "insufficient_quota")
    ).stops("quota", "retry: 429"),
    Fault(
        32,
        "429 insufficient_quota with retry-after",
        refused(429, "insufficient_quota", headers=(("retry-after", "1"),)),
    ).stops("quota", "retry: 429"),
    Fault(
        32, "429 enforced_spend_limit_reached", refused(429, "x", "enforced_spend_limit_reached")
    ).stops("quota", "retry: 429"),
    Fault(33, "retry-after of a day", _after("86400")).stops("retry_after", "retry: 429"),
    Fault(33, "retry-after tomorrow's date", _date(86_400)).stops("retry_after", "retry: 429"),
    Fault(33, "retry-after yesterday's date", once(_date(-86_400))).decided("retry: 429"),
    Fault(33, "retry-after -5", once(_after("-5"))).decided("retry: 429"),
    Fault(33, "retry-after NaN", once(_after("NaN"))).decided("retry: 429"),
    Fault(33, "retry-after 1e99", once(_after("1e99"))).decided("retry: 429"),
    Fault(34, "500 for good", refused(500)).stops("server", *5 * ("retry: 500",)),
    *(
        Fault(number, f"{code}, then sound", once(refused(code))).decided(f"retry: {code}")
        for number, code in ((34, 500), (34, 503), (34, 529), (35, 502), (35, 504), (35, 520))
    ),
    Fault(
        36, "400, x-should-retry: true", refused(400, headers=(("x-should-retry", "true"),))
    ).no_verdict("rejected_request"),
    Fault(
        36, "503, x-should-retry: false", once(refused(503, headers=(("x-should-retry", "false"),)))
    ).decided("retry: 503"),
)

_STRANGERS = (
    Fault(37, "100, then sound", _first(b"HTTP/1.1 100 Continue\r\n\r\n")).decided(),
    Fault(37, "103, then sound", _first(b"HTTP/1.1 103 Early\r\nlink: x\r\n\r\n")).decided(),
    Fault(37, "100, then closed", send(b"HTTP/1.1 100 Continue\r\n\r\n", Close())).lost("cut"),
    Fault(
        37, "101", send(b"HTTP/1.1 101 Switching\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n")
    ).lost("protocol"),
    Fault(37, "bytes that are not HTTP", send(b"\x00\xff\x17\r\n\r\n")).lost("protocol"),
    Fault(37, "HTTP/0.9", send(b'{"model":"m"}\n', Close())).lost("protocol"),
    Fault(37, "HTTP/2.0 in the status line", send(http(version="2.0"))).lost("protocol"),
    Fault(37, "status 600", send(http(600))).lost("protocol"),
    Fault(38, "the answer twice in one packet", _twice).decided(),
    Fault(38, "a response id that came before", _first_id).stops(
        "duplicate_response_id", "unknown: protocol"
    ),
    Fault(39, "JSON of another service", body(b'{"status":"up"}'), "controls").fails_the_gate(
        *CONTROLS * ("undecided: bad_shape",)
    ),
)

STATUS: tuple[Case, ...] = (*_REFUSALS, *_WAITS, *_STRANGERS)
