"""OpenAI's Chat Completions: what its SDK decides, and what of its environment is kept out."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import httpx2
import openai
import pytest
from faultserver import Send, Serve, json_reply

from judge.canonical import digest
from judge.errors import InputError, JudgeError
from judge.providers import Endpoint, Provider, open_provider
from judge.providers.oracle import Transport
from judge.records import Exchange

KEY = "sk-proj-0123456789abcdefghij"
BODY = b'{"messages":[],"model":"m"}'


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key, and nothing else of OpenAI's in the environment."""
    for name in [name for name in os.environ if name.startswith("OPENAI_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def opened(base_url: str | None = None) -> Provider:
    """Return an open provider."""
    provider = open_provider(Endpoint(provider="openai", base_url=base_url, deadline_ms=5000))
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


def refusal(status: int, body: bytes, *headers: tuple[str, str]) -> Exchange:
    """Return a complete reply."""
    return Exchange(status=status, headers=headers, body=body, error=None, sent=True)


def error(code: str) -> bytes:
    """Return the body of a refusal with this code."""
    return b'{"error":{"code":"%b","type":"t","message":"m"}}' % code.encode()


def test_own_address_is_the_default() -> None:
    """Without a base URL the provider's own origin is asked, and opening sends nothing."""
    provider = opened()

    assert provider.where == "https://api.openai.com/v1/chat/completions"
    assert (provider.api, provider.binding) == ("chat-completions", "http_exchange")


def test_path_of_the_base_url_is_kept(serve: Serve) -> None:
    """A base URL with a path of its own is asked under that path."""
    server = serve(lambda _request, _number: [Send(json_reply({}))])
    provider = opened(f"{server.origin}/team/a/v1")

    asked(provider)

    assert server.requests[0].path == "/team/a/v1/chat/completions"
    assert provider.where == f"{server.origin}/team/a/v1/chat/completions"


def test_variables_of_the_sdk_change_nothing(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Address, headers and organisation of the environment are ignored, and named."""
    elsewhere = serve(lambda _request, _number: [Send(json_reply({}))])
    server = serve(lambda _request, _number: [Send(json_reply({}))])
    plain = asked(opened(server.base_url("openai")))
    monkeypatch.setenv("OPENAI_BASE_URL", elsewhere.origin)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer stolen\nX-Extra: 1")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-other")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-other")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "sk-admin-other")
    monkeypatch.setenv("OPENAI_LOG", "debug")
    provider = opened(server.base_url("openai"))

    exchange = asked(provider)

    assert exchange == plain
    assert server.requests[0].headers == server.requests[1].headers
    assert elsewhere.connections == 0
    assert set(provider.notes) >= {
        "OPENAI_ADMIN_KEY",
        "OPENAI_BASE_URL",
        "OPENAI_CUSTOM_HEADERS",
        "OPENAI_LOG",
        "OPENAI_ORG_ID",
        "OPENAI_PROJECT_ID",
    }


def test_variables_are_there_again_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was hidden while the SDK was built is put back, the key included."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")

    opened()

    assert os.environ["OPENAI_BASE_URL"] == "http://127.0.0.1:1"
    assert os.environ["OPENAI_API_KEY"] == KEY


def test_trust_is_noted_only_where_there_is_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables about certificates mean nothing to a plain http judge on this machine."""
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere")
    near = Endpoint(provider="openai", base_url="http://127.0.0.1:1/v1", deadline_ms=1000)
    home = Endpoint(provider="openai", deadline_ms=1000)

    assert "SSL_CERT_FILE" not in open_provider(near).notes
    assert "SSL_CERT_FILE" in open_provider(home).notes


def test_unreadable_certificates_are_refused(tmp_path: Path) -> None:
    """A ca_file that holds none is said before anything is asked."""
    empty = tmp_path / "ca.pem"
    empty.write_text("no certificate")

    for path in (empty, tmp_path / "absent"):
        provider = open_provider(Endpoint(provider="openai", ca_file=str(path), deadline_ms=1000))
        with pytest.raises(InputError, match="ca_file"):
            asyncio.run(provider.open())


def test_unknown_provider_is_refused() -> None:
    """The ladder of providers ends in a refusal, should a record ever let another name through."""
    known = Endpoint(provider="openai", deadline_ms=1000)

    with pytest.raises(InputError, match="'other' is unknown"):
        open_provider(known.model_copy(update={"provider": "other"}))


def test_provider_must_be_opened_first() -> None:
    """No connection and no explanation before the SDK was asked."""
    provider = open_provider(Endpoint(provider="openai", deadline_ms=1000))

    with pytest.raises(JudgeError, match="open the provider"):
        provider.connection()
    with pytest.raises(JudgeError, match="open the provider"):
        provider.explain(refusal(400, b"{}"))


def test_a_key_of_another_name_is_no_note(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable that is used is not called ignored."""
    monkeypatch.setenv("OPENAI_TEAM_KEY", "sk-team-0123456789")
    where = Endpoint(provider="openai", key_env="OPENAI_TEAM_KEY", deadline_ms=1000)

    assert "OPENAI_TEAM_KEY" not in open_provider(where).notes


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        (400, error("bad"), "BadRequestError 400 'bad'"),
        (401, error("invalid_api_key"), "AuthenticationError 401 'invalid_api_key'"),
        (403, b"{}", "PermissionDeniedError 403"),
        (404, error("model_not_found"), "NotFoundError 404 'model_not_found'"),
        (408, b"", "APIStatusError 408"),
        (413, b"<html>too large</html>", "APIStatusError 413"),
        (422, b"null", "UnprocessableEntityError 422"),
        (429, error("insufficient_quota"), "RateLimitError 429 'insufficient_quota'"),
        (500, b"\xff\xfe", "InternalServerError 500"),
        (502, b"<html>", "InternalServerError 502"),
        (307, b"", "APIStatusError 307"),
        (200, b"{}", "status 200"),
    ],
)
def test_refusal_has_the_sdks_name(status: int, body: bytes, told: str) -> None:
    """A reply is called what the SDK would raise, with its status and code."""
    reply = refusal(status, body, ("content-type", "application/json"))

    assert opened().explain(reply) == told


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b"[" * 30_000 + b"]" * 30_000,
        b'{"error": ["list"]}',
        b'{"error":{"code":' + b'"x' * 500 + b'"}}',
        b'{"error":{"code":5}}',
        b'{"error":{"code":"' + b"y" * 5000 + b'"}}',
    ],
    ids=["cut", "deep", "list", "broken", "number", "long"],
)
def test_hostile_refusal_is_explained_in_one_short_line(body: bytes) -> None:
    """Whatever stands in the body, an explanation is short and never an exception."""
    reply = refusal(400, body, ("content-encoding", "gzip"), ("content-length", "3"))

    told = opened().explain(reply)

    assert "400" in told
    assert len(told) < 200
    assert "\n" not in told


def test_no_answer_is_explained_by_the_systems_reason() -> None:
    """A fault on the way is explained with its class, the address and the reason."""
    provider = opened("http://127.0.0.1:1/v1")

    told = provider.explain(asked(provider))

    assert told.startswith("connect at http://127.0.0.1:1/v1/chat/completions: ")
    assert "refused" in told.lower() or "connect" in told.lower()


def test_key_is_in_no_text(serve: Serve) -> None:
    """Neither repr nor an explanation of an echoing server holds the key."""
    echo = json_reply({"error": {"code": KEY, "message": KEY}}, status=401)
    server = serve(lambda _request, _number: [Send(echo)])
    provider = opened(server.base_url("openai"))

    exchange = asked(provider)
    told = [provider.explain(exchange), repr(vars(provider)), str(exchange), repr(exchange)]

    assert not any(KEY in text for text in told)


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
        "p = open_provider(Endpoint(provider='openai', deadline_ms=1))\n"
        "assert not {'openai', 'anthropic', 'httpx2'} & set(sys.modules)\n"
        "asyncio.run(p.open())\n"
        "assert 'openai' in sys.modules and 'anthropic' not in sys.modules\n"
        "assert logging.getLogger('openai').level == logging.NOTSET\n"
    )
    environment = {**os.environ, "OPENAI_LOG": "debug"}

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=False, env=environment
    )

    assert (done.returncode, done.stderr) == (0, b"")


# --- what we rely on in the SDK -------------------------------------------------------------------


def client(transport: Transport, **options: int) -> openai.OpenAI:
    """Return the SDK's client as the provider builds it."""
    return openai.OpenAI(
        api_key=KEY,
        base_url="https://api.openai.com/v1",
        http_client=transport.client(),
        max_retries=options.get("max_retries", 0),
    )


@pytest.mark.parametrize(("retries", "sends"), [(0, 1), (1, 2)])
def test_sdk_sends_once_only_when_told(retries: int, sends: int) -> None:
    """With max_retries=0 a refusal is sent once; without, the SDK asks again by itself."""
    transport = Transport()
    transport.answer(500, (("retry-after-ms", "1"),), b"{}")

    with pytest.raises(openai.InternalServerError):
        client(transport, max_retries=retries).post(
            "/chat/completions", cast_to=httpx2.Response, content=BODY
        )

    assert transport.count == sends


def test_sdk_takes_its_headers_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable beats the key that was passed: why the environment is hidden."""
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer stolen")
    transport = Transport()

    client(transport).post("/chat/completions", cast_to=httpx2.Response, content=BODY)

    assert transport.request is not None
    assert transport.request.headers["authorization"] == "Bearer stolen"


def test_sdk_sends_the_bytes_it_is_given() -> None:
    """`content=` goes out unchanged, without an idempotency key, and follows no redirect."""
    transport = Transport()
    transport.answer(307, (("location", "https://elsewhere.example/"),), b"")

    with pytest.raises(openai.APIStatusError):
        client(transport).post("/chat/completions", cast_to=httpx2.Response, content=BODY)

    assert transport.count == 1
    assert transport.request is not None
    assert transport.request.content == BODY
    assert "idempotency-key" not in transport.request.headers
