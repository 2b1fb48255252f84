"""Every fault that a network, a server or a model can show, through the whole job."""

import base64
import contextlib
import itertools
import os
import socket
import ssl
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import trustme
from faultacts import refused
from faultcase import Case, told
from faultcases import CASES, PAGE, renewed
from faultserver import Action, Close, Send, http
from smallrun import (
    ANSWERS,
    CONTROLS,
    PROVIDERS,
    TARGET,
    Act,
    Line,
    Provider,
    Ran,
    SmallJudge,
    Turn,
    configured,
    ran,
    resumed,
)
from statusfaults import WAIT_MS
from typing_extensions import override

from judge.recount import recount
from judge.stretch import Watch

_EACH = [
    pytest.param(case, provider, id=f"{case.id}-{provider}")
    for case in CASES
    for provider in PROVIDERS
    if case.fault.provider in {None, provider}
]
_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


@pytest.fixture(autouse=True)
def _quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for no disk: three hundred runs would spend most of their time there."""
    monkeypatch.setattr(os, "fsync", lambda _fd: None)
    monkeypatch.setattr(os, "fdatasync", lambda _fd: None)


@pytest.mark.parametrize(("case", "provider"), _EACH)
def test_fault_is_recorded_and_ends_as_it_must(
    case: Case, provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Receipts, state, cause and exit are the expected ones; the wire and the ledger agree."""
    with _server(case) as server, _origin(case, server, monkeypatch) as origin:
        found = _run(case, provider, origin, tmp_path / "run")

    outcome = found.outcome
    assert _receipts(case, found) == list(case.receipts)
    assert (outcome.proof.state, outcome.exit_code) == (case.state, case.exit)
    assert (outcome.halt.cause if outcome.halt else None) == case.stop
    assert [line.public["cause"] for line in found.of("stopped")] == [case.stop][: bool(case.stop)]
    assert _bodies_sent(found) == Counter(server.bodies)
    assert recount(outcome.folder).head == outcome.proof.head


def _run(case: Case, provider: Provider, origin: str, folder: Path) -> Ran:
    # One worker where all meet the fault, so that how many did is no matter of chance.
    limits = {} if case.fault.where == "answer" else {"max_connections": 1}
    base_url = origin + ("/v1" if provider == "openai" else "")
    config = configured(provider, base_url, **{**limits, **case.fault.limits})
    return ran(config, folder, case.fault.plan)


def _receipts(case: Case, found: Ran) -> list[str]:
    again = {line.public["seq"]: line.public["after_unknown"] for line in found.of("intent")}
    return [
        told(line, again=again[line.public["intent_seq"]])
        for line in found.of("receipt")
        if case.fault.where != "answer" or _is_target(line)
    ]


def _is_target(line: Line) -> bool:
    return line.item == TARGET and line.public["phase"] == "answer"


def _bodies_sent(found: Ran) -> Counter[bytes]:
    """Return the body of every intent but those that never left."""
    unsent = {
        line.public["intent_seq"]
        for line in found.of("receipt")
        if line.public["outcome"] == "not_sent"
    }
    return Counter(
        line.private["request"]["data"].encode()
        for line in found.of("intent")
        if line.public["seq"] not in unsent
    )


_STOPPED = [
    pytest.param(case, id=case.id)
    for case in CASES
    if case.stop is not None and case.fault.place == "server"
]


@pytest.mark.parametrize("case", _STOPPED)
def test_stopped_run_goes_on(case: Case, tmp_path: Path) -> None:
    """Once the cause is gone all that was refused is decided, and nothing decided asked again.

    What stands undecided or unknown stays so: a control that is undecided fails the gate.
    """
    cured = False
    with SmallJudge(lambda turn: None if cured else _where_met(case)(turn)) as server:
        found = _run(case, "openai", server.origin, tmp_path / "run")
        cured = True
        found = resumed(found)

    last, _, _ = case.receipts[-1].partition(":")
    undecided = "incomplete" if case.fault.where == "answer" else "gate-failed"
    state = {"retry": "complete", "unknown": "open", "undecided": undecided}[last]
    assert found.outcome.proof.state == state
    decided = [line for line in found.of("receipt") if line.public["outcome"] == "decided"]
    assert len({(line.public["phase"], line.public["row"]) for line in decided}) == len(decided)
    assert _bodies_sent(found) == Counter(server.bodies)


# --- where the judge's address leads --------------------------------------------------------------


@contextlib.contextmanager
def _server(case: Case) -> Iterator[SmallJudge]:
    tls = None
    if case.fault.place == "untrusted":
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        trustme.CA().issue_cert("127.0.0.1").configure_cert(tls)
    greeting = [Send(http(400))] if case.fault.place == "plain" else []
    with SmallJudge(_where_met(case), tls=tls, greeting=greeting) as server:
        yield server


def _where_met(case: Case) -> Act:
    fault = case.fault
    return lambda turn: fault.act(turn) if fault.met(turn, TARGET) else None


@contextlib.contextmanager
def _origin(case: Case, server: SmallJudge, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    match case.fault.place:
        case "server" | "untrusted":
            yield server.origin
        case "plain" | "stalling":
            yield server.origin.replace("http:", "https:")
        case "no-name":
            yield "http://judge.invalid"
        case "nobody":
            with socket.socket() as bound:
                # Bound and not listening: no other process can take the port meanwhile.
                bound.bind(("127.0.0.1", 0))
                yield f"http://127.0.0.1:{bound.getsockname()[1]}"
        case "proxies":
            with SmallJudge() as proxy:
                for name in _PROXIES:
                    monkeypatch.setenv(name, proxy.origin)
                yield server.origin
                assert (proxy.connections, proxy.received) == (0, 0)


# --- what a row of the page cannot say ------------------------------------------------------------


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_wait_holds_for_every_worker(provider: Provider, tmp_path: Path) -> None:
    """After one 429 nobody asks before the wait is over, but who was on the way already."""
    times: list[float] = []
    told_at: list[float] = []

    def act(turn: Turn) -> Sequence[Action] | None:
        times.append(time.monotonic())
        if turn.item != TARGET or turn.times > 1:
            return None
        told_at.append(times[-1])
        wait = ("retry-after-ms", str(WAIT_MS))
        return refused(429, code="rate_limit_exceeded", headers=(wait,))(turn)

    with SmallJudge(act) as server:
        config = configured(provider, server.base_url(provider), max_connections=2)
        found = ran(config, tmp_path / "run")

    (start,) = told_at
    early = [at for at in times if start < at < start + WAIT_MS / 1000]
    assert len(early) <= 1, "more than the other worker's question came during the wait"
    assert len([at for at in times if at >= start + WAIT_MS / 1000]) >= ANSWERS - 5
    assert found.outcome.exit_code == 0


def test_own_waits_grow(tmp_path: Path) -> None:
    """Without a wait from the server ours doubles from its first length."""
    times: list[float] = []

    def act(turn: Turn) -> list[Send] | None:
        if turn.item != TARGET:
            return None
        times.append(time.monotonic())
        return [Send(http(503))] if turn.times < 4 else None

    with SmallJudge(act) as server:
        ran(configured("openai", server.base_url("openai"), backoff_ms=40), tmp_path / "run")

    waits = [after - before for before, after in itertools.pairwise(times)]
    assert [wait >= least for wait, least in zip(waits, (0.04, 0.08, 0.16), strict=True)] == [
        True,
        True,
        True,
    ]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_came_of_a_cut_answer_is_kept(provider: Provider, tmp_path: Path) -> None:
    """The bytes before the cut are the receipt's private response."""
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n"
    part = b'{"id":"\xff'

    def act(turn: Turn) -> list[Send | Close] | None:
        return [Send(head + part), Close()] if turn.item == TARGET else None

    with SmallJudge(act) as server:
        found = ran(configured(provider, server.base_url(provider)), tmp_path / "run")

    (receipt,) = [line for line in found.of("receipt") if _is_target(line)]
    kept = receipt.private["response"]
    assert (kept["enc"], base64.b64decode(kept["data"])) == ("base64", part)


def test_fingerprints_are_counted(tmp_path: Path) -> None:
    """One answer from another fingerprint is told apart in the tally."""

    def act(turn: Turn) -> None:
        if turn.item == TARGET:
            turn.reply["system_fingerprint"] = "fp_other"

    with SmallJudge(act) as server:
        found = ran(configured("openai", server.base_url("openai")), tmp_path / "run")

    counts = found.outcome.proof.tally.fingerprints
    assert counts == {"fp_test": CONTROLS + ANSWERS - 1, "fp_other": 1}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_answers_that_tell_no_cost_are_counted(provider: Provider, tmp_path: Path) -> None:
    """Tokens are "at least" where one answer has no usage."""

    def act(turn: Turn) -> None:
        if turn.item == TARGET:
            del turn.reply["usage"]

    with SmallJudge(act) as server:
        found = ran(configured(provider, server.base_url(provider)), tmp_path / "run")

    assert found.outcome.proof.tally.unmetered == 1


def test_ignored_variables_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who runs it is told that a proxy or a header of the environment has no effect."""
    notes: list[str] = []

    class Listening(Watch):
        @override
        def note(self, sentence: str) -> None:
            notes.append(sentence)

    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "authorization: Bearer other")
    with SmallJudge() as server:
        config = configured("openai", server.base_url("openai"))
        ran(config, tmp_path / "run", watch=Listening())

    named = {note.partition(" ")[0] for note in notes}
    assert {"HTTPS_PROXY", "OPENAI_CUSTOM_HEADERS"} <= named


def test_a_stop_tells_what_the_sdk_calls_it(tmp_path: Path) -> None:
    """The detail is the SDK's error class, the status and the code."""

    def act(turn: Turn) -> Sequence[Action] | None:
        return refused(404, code="model_not_found")(turn) if turn.item == TARGET else None

    with SmallJudge(act) as server:
        found = ran(configured("openai", server.base_url("openai")), tmp_path / "run")

    assert found.outcome.halt is not None
    detail = found.outcome.halt.detail
    assert detail.startswith("NotFoundError 404 'model_not_found' at http://127.0.0.1:")
    assert detail.endswith("; check the model's name, and that a base URL ends in /v1")


# --- the list itself ------------------------------------------------------------------------------


def test_every_fault_has_a_case_or_a_reason() -> None:
    """Of the faults 1 to 53 only sentinels have no case, and the page says why."""
    assert set(range(1, 54)) - {case.fault.number for case in CASES} == {52}
    assert "\n| 52 | sentinel" in PAGE.read_text(encoding="utf-8")


def test_page_is_what_the_cases_say() -> None:
    """The table of docs/faults.md is written anew by `python tests/faultcases.py`."""
    page = PAGE.read_text(encoding="utf-8")
    assert page == renewed(page)
