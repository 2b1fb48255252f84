"""Faults 1 to 21: reaching a judge, whole answers, bytes that are an answer's."""

import gzip
from collections.abc import Sequence

from faultacts import JSON, body, framed, once, refused, send, spliced, top
from faultcase import Case, Fault
from faultserver import Action, Close, Reset, Send, Sleep, http
from smallrun import Turn, sound

__all__ = ["NETWORK"]

_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
_SIZED = _HEAD + b"content-length: 900\r\n\r\n"
_CHUNKED = _HEAD + b"transfer-encoding: chunked\r\n\r\n"
_PART = b'{"id":"x","model":'
_CHUNK = b"12\r\n" + _PART + b"\r\n"
_PAGE = b"<!doctype html><title>Sign in</title>"
_SOON = {"deadline_s": 1}
# A reset drops what was not read yet, so what came before it needs its time.
_PAUSE = Sleep(0.05)


def _drip(_turn: Turn) -> Sequence[Action]:
    drops: list[Action] = [Send(_SIZED)]
    for _ in range(30):
        drops += [Sleep(0.2), Send(b" ")]
    return drops


def _beside(value: bytes) -> bytes:
    return b'{"x":' + value + b',"id"'


_ZIPPED = http(body=gzip.compress(b"0" * 10_000_000), headers=(JSON, ("content-encoding", "gzip")))

_REACHING = (
    Fault(1, "no such host name", sound, "all", place="no-name").stops(
        "network", *5 * ("not_sent: dns",)
    ),
    Fault(2, "connection refused", sound, "all", place="nobody").stops(
        "network", *5 * ("not_sent: connect",)
    ),
    Fault(3, "certificate of an unknown authority", sound, "all", place="untrusted").stops(
        "tls", "not_sent: tls"
    ),
    Fault(3, "plain HTTP at an https address", sound, "all", place="plain").stops(
        "tls", "not_sent: tls"
    ),
    Fault(
        4, "TLS handshake stalls", sound, "all", place="stalling", limits={**_SOON, "tries": 2}
    ).stops("network", *2 * ("not_sent: deadline",)),
    Fault(5, "proxy variables in the environment", sound, place="proxies").decided(),
    Fault(6, "407 proxy authentication required", refused(407)).stops("network", "retry: 407"),
)

_HALVES = (
    Fault(7, "no answer", send(), limits=_SOON).lost("deadline"),
    Fault(7, "headers, then nothing", send(_SIZED), limits=_SOON).lost("deadline"),
    Fault(8, "slow drip", _drip, limits=_SOON).lost("deadline"),
    Fault(9, "closed before the answer", send(Close())).lost("cut"),
    Fault(9, "reset before the answer", send(Reset())).lost("cut"),
    Fault(
        9,
        "closed before the answer, resend_unknown 1",
        once(send(Close())),
        limits={"resend_unknown": 1},
    ).decided("unknown: cut", last="decided, after_unknown"),
    Fault(10, "closed in a body of known length", send(_SIZED + _PART, Close())).lost("cut"),
    Fault(10, "closed in a chunked body", send(_CHUNKED + _CHUNK, Close())).lost("cut"),
    Fault(10, "reset in a body", send(_SIZED + _PART, _PAUSE, Reset())).lost("cut"),
    Fault(11, "closed in a body without length", send(_HEAD + b"\r\n" + _PART, Close())).no_verdict(
        "invalid_json"
    ),
    Fault(
        11, "reset in a body without length", send(_HEAD + b"\r\n" + _PART, _PAUSE, Reset())
    ).lost("cut"),
)

_KINDS = (
    Fault(12, "200, HTML", body(_PAGE, "text/html")).no_verdict("not_json"),
    Fault(12, "200, HTML called JSON", body(_PAGE)).no_verdict("invalid_json"),
    Fault(12, "200, HTML three times in a row", body(_PAGE, "text/html"), "controls").stops(
        "portal", *3 * ("undecided: not_json",)
    ),
    Fault(13, "JSON called text", framed(("content-type", "text/plain"))).no_verdict(
        "content_type"
    ),
    Fault(13, "no content type", framed()).no_verdict("content_type"),
    Fault(13, "two content types", framed(JSON, JSON)).no_verdict("content_type"),
    Fault(
        13, "charset latin-1", framed(("content-type", "application/json; charset=latin-1"))
    ).no_verdict("content_type"),
    Fault(
        13, "charset utf-8", framed(("content-type", "application/json; charset=utf-8"))
    ).decided(),
    Fault(14, "200, empty body", body(b"")).no_verdict("bad_shape"),
    Fault(14, "200, null", body(b"null")).no_verdict("bad_shape"),
    Fault(14, "200, a list", body(b"[]")).no_verdict("bad_shape"),
    Fault(14, "200, an empty object", body(b"{}")).no_verdict("bad_shape"),
    Fault(14, "200, an error object", refused(200)).no_verdict("bad_shape"),
    Fault(14, "200, a sound reply with an error", top(error={"message": "no"})).no_verdict(
        "bad_shape"
    ),
    Fault(15, "204", send(http(204, b"", headers=(), length=None))).no_verdict("http_status"),
    Fault(15, "201, a sound reply", framed(JSON, status=201)).no_verdict("http_status"),
    Fault(15, "206, a sound reply", framed(JSON, status=206)).no_verdict("http_status"),
    *(
        Fault(16, f"{code} to another path", refused(code, headers=(("location", "/v2"),))).stops(
            "redirect", f"retry: {code}"
        )
        for code in (301, 302, 303, 307, 308)
    ),
)

_BYTES = (
    Fault(17, "byte order mark", framed(JSON, encoding="utf-8-sig")).no_verdict("invalid_json"),
    Fault(17, "UTF-16", framed(JSON, encoding="utf-16")).no_verdict("invalid_json"),
    Fault(17, "not UTF-8", spliced(b'"usage"', b'"u\xff"')).no_verdict("invalid_json"),
    Fault(18, "a key twice", spliced(b'{"id"', b'{"id":"1","id"')).no_verdict("invalid_json"),
    Fault(18, "NaN", spliced(b'{"id"', _beside(b"NaN"))).no_verdict("invalid_json"),
    Fault(18, "Infinity", spliced(b'{"id"', _beside(b"-Infinity"))).no_verdict("invalid_json"),
    Fault(18, "1e400 beside a verdict", spliced(b'{"id"', _beside(b"1e400"))).decided(),
    Fault(
        18, "an integer of 1,000 digits beside a verdict", spliced(b'{"id"', _beside(b"7" * 1000))
    ).no_verdict("invalid_json"),
    Fault(19, "40,000 brackets", body(b"[" * 40_000 + b"]" * 40_000)).no_verdict("invalid_json"),
    Fault(
        19,
        "950 brackets beside a verdict",
        spliced(b'{"id"', _beside(b"[" * 950 + b"]" * 950)),
    ).no_verdict("invalid_json"),
    Fault(20, "gzip of 10 MB, not asked for", send(_ZIPPED)).no_verdict("content_type"),
    Fault(20, "gzip, unannounced", body(gzip.compress(b"{}"))).no_verdict("invalid_json"),
    Fault(20, "gzip as transfer coding", send(_HEAD + b"transfer-encoding: gzip\r\n\r\n")).lost(
        "protocol"
    ),
    Fault(21, "endless body", send(_HEAD + b"\r\n" + b" " * 300_000)).lost("too_large"),
    Fault(21, "endless header", send(_HEAD + b"x: " + b"a" * 100_000)).lost("too_large"),
)

NETWORK: tuple[Case, ...] = (*_REACHING, *_HALVES, *_KINDS, *_BYTES)
