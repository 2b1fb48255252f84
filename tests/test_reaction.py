"""judge/reaction.py: what to do after one attempt."""

import subprocess
import sys
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plans import Offer

from judge.canonical import Json, encode
from judge.envelope import Envelope, open_envelope
from judge.reaction import Again, Done, Reaction, Stop, Unknown, react, retry_after_ms
from judge.reading import settle
from judge.records import Api, Cause, ErrorClass, Exchange, Reason

NOW_S = 1_796_036_400.0
"""2026-11-30 11:00:00 UTC."""
LONGEST_MS = 120_000


def _reacted(envelope: Envelope, exchange: Exchange) -> Reaction:
    reading, _ = settle(envelope, exchange.status, Offer())
    return react(reading, exchange, NOW_S, LONGEST_MS)


def _refused(status: int, error: Json = None, *headers: tuple[str, str]) -> Reaction:
    """React to a status and error body as they come from the wire."""
    body = b"<html>" if error is None else encode({"error": error})
    typed = (("content-type", "application/json"), *headers)
    exchange = Exchange(status=status, headers=typed, body=body, error=None, sent=True)
    return _reacted(open_envelope(exchange, "messages", "m"), exchange)


def _lost(error: ErrorClass, *, sent: bool) -> Reaction:
    exchange = Exchange(status=None, headers=(), body=b"", error=error, sent=sent)
    return _reacted(open_envelope(exchange, "messages", "m"), exchange)


# --- by outcome -----------------------------------------------------------------------------------


@pytest.mark.parametrize("label", ["yes", "no"])
def test_a_verdict_is_done(label: str) -> None:
    """Never asked again."""
    exchange = Exchange(status=200, headers=(), body=b"", error=None, sent=True)

    assert _reacted(Envelope("decided", text=label), exchange) == Done()


@pytest.mark.parametrize("reason", sorted({*get_args(Reason)} - {"wrong_model"}))
def test_no_verdict_is_done_too(reason: Reason) -> None:
    """Whether it is asked again is the plan's word (`reask`), not the server's."""
    exchange = Exchange(status=200, headers=(), body=b"", error=None, sent=True)

    assert _reacted(Envelope("undecided", reason), exchange) == Done()


def test_another_model_stops_the_run() -> None:
    """Every later answer would come from it too."""
    exchange = Exchange(status=200, headers=(), body=b"", error=None, sent=True)

    assert _reacted(Envelope("undecided", "wrong_model"), exchange) == Stop("wrong_model")


@pytest.mark.parametrize("error", get_args(ErrorClass))
def test_what_may_have_been_answered_is_unknown(error: ErrorClass) -> None:
    """Whatever cut it off."""
    assert _lost(error, sent=True) == Unknown()


@pytest.mark.parametrize("error", sorted({*get_args(ErrorClass)} - {"tls"}))
def test_what_never_left_goes_again(error: ErrorClass) -> None:
    """After our own wait, which is nobody else's."""
    assert _lost(error, sent=False) == Again(None, shared=False, tries=None, cause="network")


def test_a_certificate_that_does_not_hold_stops_the_run() -> None:
    """There is no switch to go on without one."""
    assert _lost("tls", sent=False) == Stop("tls")


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "cause"),
    [
        *((status, "redirect") for status in (300, 301, 302, 303, 304, 307, 308)),
        *((401, "key"), (403, "key"), (402, "quota"), (404, "model"), (407, "network")),
    ],
)
def test_what_asking_again_cannot_mend_stops_the_run(status: int, cause: Cause) -> None:
    """At once, whatever wait the server names."""
    assert _refused(status, None, ("retry-after", "1")) == Stop(cause)


@pytest.mark.parametrize(
    ("status", "shared", "tries"),
    [
        *((status, True, None) for status in (429, 503, 529)),
        *((status, False, None) for status in (408, 425, 500, 502, 504, 520)),
        (409, False, 3),
    ],
)
def test_a_refusal_goes_again(status: int, tries: int | None, *, shared: bool) -> None:
    """A busy server is busy for every worker; a conflict does not pass by waiting long."""
    assert _refused(status) == Again(None, shared=shared, tries=tries, cause="server")


@pytest.mark.parametrize(
    "name",
    [
        *("insufficient_quota", "billing_hard_limit_reached", "billing_error"),
        *("enforced_spend_limit_reached", "contract_spend_limit_reached", "ramp_limit_exceeded"),
    ],
)
@pytest.mark.parametrize("place", ["code", "type", "details"])
def test_money_stops_the_run(name: str, place: str) -> None:
    """Under the status of a rate limit, wherever the error names it."""
    error: Json = {"details": {"error_code": name}} if place == "details" else {place: name}

    assert _refused(429, error, ("retry-after", "1")) == Stop("quota")


def test_a_spend_limit_sent_as_a_bad_request_stops_the_run() -> None:
    """Its words are all there is to know it by."""
    error: Json = {"message": "You have reached your specified API usage limits."}

    assert _refused(400, error) == Stop("quota")


@pytest.mark.parametrize(
    "error",
    [
        None,
        "insufficient_quota",
        ["insufficient_quota"],
        {"code": "rate_limit_exceeded", "message": "insufficient_quota"},
        {"code": ["insufficient_quota"]},
        {"code": {"type": "insufficient_quota"}},
        {"details": ["enforced_spend_limit_reached"]},
        {"details": {"error_code": None}},
    ],
    ids=repr,
)
def test_a_rate_limit_is_no_quota(error: Json) -> None:
    """Only the three known places count, and only text in them."""
    assert _refused(429, error) == Again(None, shared=True, tries=None, cause="server")


# --- waits ----------------------------------------------------------------------------------------


def test_the_servers_wait_is_kept() -> None:
    """In milliseconds, up to the longest the run accepts."""
    assert _refused(429, None, ("retry-after", "120")) == Again(
        120_000, shared=True, tries=None, cause="server"
    )


def test_a_longer_wait_than_the_run_accepts_stops_it() -> None:
    """Nobody wants to find a process that sleeps for a day."""
    assert _refused(429, None, ("retry-after-ms", "120001")) == Stop("retry_after")


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ((), None),
        ((("x", "1"),), None),
        ((("retry-after", "3"),), 3000),
        ((("retry-after", " 0.25 "),), 250),
        ((("retry-after", "999999999"),), 999_999_999_000),
        ((("retry-after-ms", "250"),), 250),
        ((("retry-after-ms", "0.9"),), None),
        ((("retry-after", "3"), ("retry-after-ms", "250")), 250),
        ((("retry-after-ms", "soon"), ("retry-after", "3")), 3000),
        ((("retry-after", "3"), ("retry-after", "4")), 3000),
        ((("retry-after", "Mon, 30 Nov 2026 11:00:07 GMT"),), 7000),
        ((("retry-after", "Monday, 30-Nov-26 11:00:07 GMT"),), 7000),
        ((("retry-after", "Mon, 30 Nov 2026 12:00:07 +0100"),), 7000),
        ((("retry-after", "Mon, 30 Nov 2026 11:00:07"),), 7000),
        ((("retry-after", "Mon, 30 Nov 2026 11:00:00 GMT"),), None),
        ((("retry-after", "Mon, 30 Nov 2026 10:00:00 GMT"),), None),
        ((("retry-after", "Mon, 31 Feb 2026 10:00:00 GMT"),), None),
        ((("retry-after", "Mon, 30 Nov 99999999 10:00:00 GMT"),), None),
        ((("retry-after", "0"),), None),
        ((("retry-after", "0.0001"),), None),
        ((("retry-after", "-1"),), None),
        ((("retry-after", "1e3"),), None),
        ((("retry-after", "1000000000"),), None),
        ((("retry-after", "NaN"),), None),
        ((("retry-after", "inf"),), None),
        ((("retry-after", ""),), None),
        ((("retry-after", "5 seconds"),), None),
    ],
    ids=repr,
)
def test_a_wait_is_seconds_milliseconds_or_a_date(
    headers: tuple[tuple[str, str], ...], wait: int | None
) -> None:
    """What is none of them, or is over, leaves the wait to us."""
    assert retry_after_ms(headers, NOW_S) == wait


@given(st.sampled_from(["retry-after", "retry-after-ms"]), st.text())
def test_any_wait_is_a_positive_number_or_none(name: str, value: str) -> None:
    """Never an exception: the header is the server's."""
    wait = retry_after_ms(((name, value),), NOW_S)

    assert wait is None or wait > 0


@given(
    st.from_regex(r"[A-Z][a-z]{2}, ?[0-9]{1,4} [A-Z][a-z]{2} [0-9]{0,6} [0-9:+]{0,12} ?[A-Z0-9+-]*")
)
def test_any_date_is_a_wait_or_none(value: str) -> None:
    """Near-dates too, which the standard library's parser has stumbled over."""
    wait = retry_after_ms((("retry-after", value),), NOW_S)

    assert wait is None or wait > 0


def test_a_date_means_the_same_on_every_machine() -> None:
    """One that names no zone is GMT, wherever the run is."""
    code = (
        "from judge.reaction import retry_after_ms;"
        "print(retry_after_ms((('retry-after', 'Mon, 30 Nov 2026 11:00:07'),), 1796036400.0))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, env={"TZ": "Asia/Tokyo"}
    )

    assert done.stdout == b"7000\n"


@given(
    st.sampled_from(get_args(Api)),
    st.binary(),
    st.integers(100, 599),
    st.lists(st.tuples(st.sampled_from(["retry-after", "content-type"]), st.text())),
)
def test_any_exchange_has_a_reaction(
    api: Api, body: bytes, status: int, headers: list[tuple[str, str]]
) -> None:
    """And only what was refused is asked again."""
    exchange = Exchange(status=status, headers=tuple(headers), body=body, error=None, sent=True)
    envelope = open_envelope(exchange, api, "m")
    found = _reacted(envelope, exchange)

    assert isinstance(found, Again | Stop) == (
        envelope.outcome == "retry" or envelope.reason == "wrong_model"
    )
