"""The key in every spelling a server may echo it in: not kept, not shown, and the user is told."""

import asyncio
import base64
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import quote

import pytest
from faultserver import Action, Close, FaultServer, Send, Serve, http, json_reply
from smallrun import PROVIDERS, Provider, Ran, SmallJudge, Turn, configured, ran
from typing_extensions import override

from judge.canonical import digest
from judge.providers import Endpoint, open_provider
from judge.providers.address import parse
from judge.providers.oracle import HEADERS, Oracle, Transport
from judge.providers.secret import KEPT_OUT, Secret
from judge.records import Exchange
from judge.stretch import Watch

KEY = "sk-Test+01/23456789abcDEF"
BODY = b'{"messages":[],"model":"m"}'


def escaped(text: str) -> str:
    """Return every character as JSON may escape it."""
    return "".join(f"\\u{ord(character):04X}" for character in text)


def coded(text: str) -> str:
    """Return base64 text."""
    return base64.b64encode(text.encode()).decode()


SPELLINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "upper": str.upper,
    "lower": str.lower,
    "slash": lambda key: key.replace("/", "\\/"),
    "plus": lambda key: key.replace("+", "\\u002b"),
    "escaped": escaped,
    "escaped-twice": lambda key: escaped(key).replace("\\", "\\\\"),
    "percent": lambda key: quote(key, safe=""),
    "percent-all": lambda key: "".join(f"%{ord(character):02x}" for character in key),
    "percent-in-json": lambda key: quote(key, safe="").replace("%", "\\u0025"),
    "hex": lambda key: key.encode().hex(),
    "hex-upper": lambda key: key.encode().hex().upper(),
    "base64": coded,
    "base64-1": lambda key: coded("x" + key + "yz"),
    "base64-2": lambda key: coded("xy" + key + "z"),
    "bearer": lambda key: coded("Bearer " + key),
    "urlsafe": lambda key: base64.urlsafe_b64encode(b"?>" + key.encode()).decode().rstrip("="),
    "utf-16": "\0".join,
}


def asked(
    server: FaultServer, monkeypatch: pytest.MonkeyPatch, key: str = KEY
) -> tuple[Exchange, str]:
    """Ask one question with the key; return what came back and how it is explained."""
    monkeypatch.setenv("OPENAI_API_KEY", key)
    where = Endpoint(provider="openai", base_url=server.base_url("openai"), deadline_ms=5_000)

    async def run() -> tuple[Exchange, str]:
        provider = open_provider(where)
        await provider.open()
        connection = provider.connection()
        try:
            exchange = await connection.ask(BODY, digest(BODY))
        finally:
            connection.close()
        return exchange, provider.explain(exchange)

    return asyncio.run(run())


def answering(serve: Serve, *actions: Action) -> FaultServer:
    """Return a server that always answers so."""
    return serve(lambda _request, _number: actions)


# --- what is found --------------------------------------------------------------------------------


@pytest.mark.parametrize("spell", SPELLINGS.values(), ids=SPELLINGS)
def test_every_spelling_of_the_key_is_found(spell: Callable[[str], str]) -> None:
    """Within other text, whoever would undo which escape."""
    assert Secret(KEY).within(f'{{"id": "x y{spell(KEY)}z"}}')


@pytest.mark.parametrize("length", range(8, len(KEY)))
@pytest.mark.parametrize("spell", [str, escaped, coded, lambda text: text.encode().hex()])
def test_a_text_that_ends_within_the_key_holds_it(spell: Callable[[str], str], length: int) -> None:
    """Eight characters at the very end of what came are too much."""
    whole = spell(KEY)
    told = "you sent " + whole[: len(spell("x" * length).rstrip("="))]

    assert Secret(KEY).within(told)


def test_a_text_cut_within_an_escape_holds_the_key() -> None:
    """The rest of an escape behind the beginning of the key hides nothing."""
    assert Secret(KEY).within('"' + escaped(KEY)[: 6 * 9 + 4])


@pytest.mark.parametrize(
    "text",
    ["", "sk-Test", "sk-Test+01 is how it begins", coded("sk-Test"), "%", "\\u", '{"a":"\\u00e9"}'],
)
def test_other_text_is_left_alone(text: str) -> None:
    """Seven characters, or a beginning in the middle, are no key."""
    assert not Secret(KEY).within(text)
    assert Secret(KEY).hidden(text) == text


def test_hidden_key_leaves_the_rest_readable() -> None:
    """What can be cut out is; where it cannot, nothing of the text is shown."""
    secret = Secret(KEY)

    assert secret.hidden(f"bad {KEY.lower()}, or {KEY.encode().hex()}") == "bad [key], or [key]"
    assert secret.hidden(f"bad {escaped(KEY)}!") == "[key]"


# --- what the door keeps --------------------------------------------------------------------------


@pytest.mark.parametrize("spell", SPELLINGS.values(), ids=SPELLINGS)
def test_answer_that_holds_the_key_is_not_kept(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, spell: Callable[[str], str]
) -> None:
    """A 200 is no answer then, and the reason is said."""
    body = f'{{"{spell(KEY)}": 1}}'.encode()
    server = answering(serve, Send(http(200, body, headers=[("x-request-id", "1")])))

    exchange, told = asked(server, monkeypatch)

    assert (exchange.status, exchange.error, exchange.sent) == (200, "protocol", True)
    assert (exchange.body, exchange.headers) == (b"", ())
    assert told.endswith(f": {KEPT_OUT}")


def test_refusal_that_holds_the_key_keeps_its_status(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Body and the headers that hold it are dropped; status and the other headers stay."""
    headers = [("x-request-id", KEY), ("x-ratelimit-" + KEY.encode().hex(), "1")]
    kept = ("retry-after", "7")
    refusal = http(401, f'"{escaped(KEY)}"'.encode(), headers=[*headers, kept], length=None)
    server = answering(serve, Send(refusal), Close())

    exchange, told = asked(server, monkeypatch)

    assert (exchange.status, exchange.error, exchange.body) == (401, None, b"")
    assert exchange.headers == (kept,)
    assert told == f"AuthenticationError 401 ({KEPT_OUT})"


def test_key_is_found_in_the_host_of_a_redirect(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host is in lower case whatever was sent."""
    key = "Sk-Test-0123456789"
    redirect = http(302, b"", headers=[("Location", f"https://{key}.example/")])
    server = answering(serve, Send(redirect))

    exchange, _ = asked(server, monkeypatch, key)

    assert (exchange.status, exchange.headers) == (302, (("content-length", "0"),))


def test_cut_answer_that_ends_within_the_key_is_not_kept(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bytes of a cut answer are evidence, but not those of a key."""
    server = answering(serve, Send(http(200, b'{"x":"' + KEY[:8].encode(), length=99)), Close())

    exchange, _ = asked(server, monkeypatch)

    assert (exchange.body, exchange.withheld) == (b"", True)


# --- what is shown --------------------------------------------------------------------------------


class _CodeError(Exception):
    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@pytest.mark.parametrize("spell", SPELLINGS.values(), ids=SPELLINGS)
def test_code_of_a_refusal_never_shows_the_key(spell: Callable[[str], str]) -> None:
    """In no spelling, and not the part of it that stands before the cut."""
    codes = [spell(KEY), "y" * 85 + spell(KEY)]
    transport = Transport()
    client = transport.client()
    headers = {**HEADERS, "Authorization": f"Bearer {KEY}"}

    def post() -> None:
        client.post("https://judge.example/v1/ask", content=b"{}", headers=headers)
        if transport.count > 1:
            raise _CodeError(codes.pop())

    sdk = Oracle(transport, post, _CodeError, "sdk 1")
    sdk.learn(parse("https://judge.example"), KEY)
    reply = Exchange(status=400, headers=(), body=b"{}", error=None, sent=True)

    for told in (sdk.name(reply), sdk.name(reply)):
        assert "[key]" in told
        assert not Secret(KEY).within(told)
        assert spell(KEY)[:12] not in told


# --- what a run does ------------------------------------------------------------------------------


class _Notes(Watch):
    def __init__(self) -> None:
        self.notes: list[str] = []

    @override
    def note(self, sentence: str) -> None:
        self.notes.append(sentence)


def scored(
    provider: Provider, folder: Path, act: Callable[[Turn], Sequence[Action] | None]
) -> tuple[Ran, SmallJudge, _Notes]:
    """Run the small run with the key, one question at a time."""
    notes = _Notes()
    with SmallJudge(act) as server:
        config = configured(provider, server.base_url(provider), max_connections=1)
        judges = tuple(judge.model_copy(update={"key_env": "JUDGE_KEY"}) for judge in config.judges)
        return ran(config, folder, {"judges": judges}, notes), server, notes


@pytest.fixture(params=PROVIDERS)
def provider(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Provider:
    """Each provider, with the key in a variable."""
    monkeypatch.setenv("JUDGE_KEY", KEY)
    return request.param  # type: ignore[no-any-return]


def held(found: Ran) -> bool:
    """Whether any file of the run holds the key."""
    files = [path for path in found.outcome.folder.rglob("*") if path.is_file()]
    assert files
    return any(Secret(KEY).within(path.read_text(encoding="utf-8")) for path in files)


def test_refused_key_stops_the_run_though_the_reply_echoes_it(
    provider: Provider, tmp_path: Path
) -> None:
    """One request, cause `key`, and the detail says why there is no body."""
    echo = [
        Send(json_reply({"error": {"code": KEY, "message": f"no such key: {KEY}"}}, status=401))
    ]

    found, server, _ = scored(provider, tmp_path / "run", lambda _turn: echo)

    halt = found.outcome.halt
    assert halt is not None
    assert (halt.cause, len(server.turns)) == ("key", 1)
    assert halt.detail.startswith(f"AuthenticationError 401 ({KEPT_OUT}) at http://")
    assert not held(found)


def test_answers_that_echo_the_key_are_unknown_and_named_once(
    provider: Provider, tmp_path: Path
) -> None:
    """Nothing stops such a run, so a note says why its cells are unknown."""
    echo = [Send(json_reply({"you sent": KEY}))]

    found, server, watch = scored(provider, tmp_path / "run", lambda _turn: echo)

    errors = {line.public["error"] for line in found.of("receipt")}
    assert (errors, found.outcome.halt) == ({"protocol"}, None)
    assert len(server.turns) > 1
    assert watch.notes.count(KEPT_OUT) == 1
    assert not held(found)


@pytest.mark.parametrize("spell", [str, escaped, coded])
def test_another_model_is_never_shown_as_the_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, spell: Callable[[str], str]
) -> None:
    """A server that calls its model by the key gives no answer, so there is no name to show."""
    monkeypatch.setenv("JUDGE_KEY", KEY)
    body = b'{"id":"1","model":"%b"}' % spell(KEY).encode()

    found, _, _ = scored("openai", tmp_path / "run", lambda _turn: [Send(http(200, body))])

    assert found.outcome.halt is None
    assert {line.public["model_returned"] for line in found.of("receipt")} == {None}
    assert not held(found)
