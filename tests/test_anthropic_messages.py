"""Anthropic's Messages: what its SDK decides, and what of its environment is kept out."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import anthropic
import httpx2
import pytest
from faultserver import Send, Serve, json_reply
from typing_extensions import override

from judge.canonical import digest
from judge.providers import Endpoint, Provider, open_provider
from judge.providers.oracle import Transport
from judge.records import Exchange

KEY = "sk-ant-0123456789abcdefghij"
BODY = b'{"max_tokens":10,"messages":[],"model":"m"}'


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key, and nothing else of Anthropic's in the environment."""
    for name in [name for name in os.environ if name.startswith("ANTHROPIC_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


def opened(base_url: str | None = None) -> Provider:
    """Return an open provider."""
    provider = open_provider(Endpoint(provider="anthropic", base_url=base_url, deadline_ms=5000))
    asyncio.run(provider.open())
    return provider


def asked(provider: Provider) -> Exchange:
    """Ask one question."""

    async def run() -> Exchange:
        connection = provider.connection()
        try:
            return await connection.ask(BODY, digest(BODY))
        finally:
            connection.close()

    return asyncio.run(run())


def error(kind: str, code: str | None = None) -> bytes:
    """Return the body of a refusal of this type."""
    details = "" if code is None else f',"details":{{"error_code":"{code}"}}'
    text = f'{{"type":"error","error":{{"type":"{kind}","message":"m"{details}}}}}'
    return text.encode()


def test_own_address_is_the_default() -> None:
    """Without a base URL the provider's own origin is asked, and opening sends nothing."""
    provider = opened()

    assert provider.where == "https://api.anthropic.com/v1/messages"
    assert (provider.api, provider.binding) == ("messages", "http_exchange")


def test_version_and_key_go_out_as_the_sdk_has_them(serve: Serve) -> None:
    """The API version is the SDK's, the key a bearer token."""
    server = serve(lambda _request, _number: [Send(json_reply({}))])

    asked(opened(f"{server.origin}/gateway"))

    request = server.requests[0]
    assert request.path == "/gateway/v1/messages"
    assert request.header("authorization") == f"Bearer {KEY}"
    assert request.header("x-api-key") is None
    assert request.header("anthropic-version")


def test_variables_of_the_sdk_change_nothing(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Address, headers, tokens and profiles of the environment are ignored, and named."""
    elsewhere = serve(lambda _request, _number: [Send(json_reply({}))])
    server = serve(lambda _request, _number: [Send(json_reply({}))])
    plain = asked(opened(server.base_url("anthropic")))
    planted = {
        "ANTHROPIC_AUTH_TOKEN": "other-token",
        "ANTHROPIC_BASE_URL": elsewhere.origin,
        "ANTHROPIC_CONFIG_DIR": str(tmp_path),
        "ANTHROPIC_CUSTOM_HEADERS": "Authorization: Bearer stolen\nX-Extra: 1",
        "ANTHROPIC_LOG": "debug",
        "ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE": "content",
        "ANTHROPIC_PROFILE": "other",
    }
    for name, value in planted.items():
        monkeypatch.setenv(name, value)
    provider = opened(server.base_url("anthropic"))

    exchange = asked(provider)

    assert exchange == plain
    assert server.requests[0].headers == server.requests[1].headers
    assert elsewhere.connections == 0
    assert set(provider.notes) >= set(planted)


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        (400, error("invalid_request_error"), "BadRequestError 400 'invalid_request_error'"),
        (401, error("authentication_error"), "AuthenticationError 401 'authentication_error'"),
        (402, error("billing_error"), "PaymentRequiredError 402 'billing_error'"),
        (404, error("not_found_error"), "NotFoundError 404 'not_found_error'"),
        (413, b"<html>", "ContentTooLargeError 413"),
        (429, error("rate_limit_error"), "RateLimitError 429 'rate_limit_error'"),
        (500, b"", "InternalServerError 500"),
        (529, error("overloaded_error"), "OverloadedError 529 'overloaded_error'"),
        (307, b"", "APIStatusError 307"),
        (200, b"{}", "status 200"),
    ],
)
def test_refusal_has_the_sdks_name(status: int, body: bytes, told: str) -> None:
    """A reply is called what the SDK would raise, with its status and type."""
    reply = Exchange(status=status, headers=(), body=body, error=None, sent=True)

    assert opened().explain(reply) == told


def test_spend_limit_is_told_from_a_rate_limit() -> None:
    """The code inside the details is shown rather than the type."""
    body = error("rate_limit_error", "enforced_spend_limit_reached")
    reply = Exchange(status=429, headers=(), body=body, error=None, sent=True)

    told = opened().explain(reply)

    assert told.endswith("429 'enforced_spend_limit_reached'")


def test_explaining_asks_the_sdk_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refusal that the SDK would send again by itself is put to it once, without waiting."""
    sent: list[httpx2.Request] = []
    handle = Transport.handle_request

    def count(self: Transport, request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return handle(self, request)

    monkeypatch.setattr(Transport, "handle_request", count)
    provider = opened()
    reply = Exchange(status=500, headers=(), body=b"{}", error=None, sent=True)

    told = provider.explain(reply)

    assert told == "InternalServerError 500"
    assert len(sent) == 2


def test_building_a_provider_imports_no_sdk() -> None:
    """Only opening pays for the SDK; the other one and a log variable stay out even then."""
    code = (
        "import asyncio, logging, sys\n"
        "from judge.providers import Endpoint, open_provider\n"
        "p = open_provider(Endpoint(provider='anthropic', deadline_ms=1))\n"
        "assert not {'openai', 'anthropic', 'httpx2'} & set(sys.modules)\n"
        "asyncio.run(p.open())\n"
        "assert 'anthropic' in sys.modules and 'openai' not in sys.modules\n"
        "assert logging.getLogger('anthropic').level == logging.NOTSET\n"
    )
    environment = {**os.environ, "ANTHROPIC_LOG": "debug"}

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=False, env=environment
    )

    assert (done.returncode, done.stderr) == (0, b"")


# --- what we rely on in the SDK -------------------------------------------------------------------


def client(transport: Transport, retries: int = 0) -> anthropic.Anthropic:
    """Return the SDK's client as the provider builds it."""
    return anthropic.Anthropic(
        api_key=KEY,
        base_url="https://api.anthropic.com",
        http_client=transport.client(),
        max_retries=retries,
        open_telemetry=False,
    )


@pytest.mark.parametrize(("retries", "sends"), [(0, 1), (1, 2)])
def test_sdk_sends_once_only_when_told(retries: int, sends: int) -> None:
    """With max_retries=0 a refusal is sent once; without, the SDK asks again by itself."""
    transport = Transport()
    transport.answer(529, (("retry-after-ms", "1"),), b"{}")

    with pytest.raises(anthropic.InternalServerError):
        client(transport, retries).post("/v1/messages", cast_to=httpx2.Response, content=BODY)

    assert transport.count == sends


def test_sdk_takes_its_headers_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable beats the key that was passed: why the environment is hidden."""
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "Authorization: Bearer stolen")
    transport = Transport()

    client(transport).post("/v1/messages", cast_to=httpx2.Response, content=BODY)

    assert transport.request is not None
    assert transport.request.headers["authorization"] == "Bearer stolen"


def test_sdk_sends_the_bytes_it_is_given() -> None:
    """`content=` goes out unchanged, without an idempotency key, and follows no redirect."""
    transport = Transport()
    transport.answer(307, (("location", "https://elsewhere.example/"),), b"")

    with pytest.raises(anthropic.APIStatusError):
        client(transport).post("/v1/messages", cast_to=httpx2.Response, content=BODY)

    assert transport.count == 1
    assert transport.request is not None
    assert transport.request.content == BODY
    assert "idempotency-key" not in transport.request.headers


def test_sdk_wraps_what_a_transport_raises() -> None:
    """An Exception becomes a connection error, which a retry loop sends again: so ours is none."""

    class Full(httpx2.BaseTransport):
        @override
        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            raise RuntimeError("disk full")

    broken = anthropic.Anthropic(
        api_key=KEY, http_client=httpx2.Client(transport=Full()), max_retries=0
    )

    with pytest.raises(anthropic.APIConnectionError):
        broken.post("/v1/messages", cast_to=httpx2.Response, content=BODY)
