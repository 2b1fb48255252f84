"""judge/envelope.py: one exchange in, the judge's words out, or the reason why there are none.

tests/replies/ holds raw replies, one a file: a status, headers, an empty line, the body. A file's
name says what must come of it: `outcome.reason--what`, or `decided.label--what`.
"""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plans import Offer, judge

from judge.envelope import Envelope, open_envelope, strict_json
from judge.reading import Seen, read
from judge.records import Api, ErrorClass, Exchange, Outcome, Reason, Usage

REPLIES = sorted((Path(__file__).parent / "replies").glob("*/*.http"))
MODELS: dict[str, str] = {
    "chat-completions": "gpt-4o-2024-08-06",
    "messages": "claude-opus-5-5",
    "lexical": "lexical/1",
}
APIS: tuple[Api, ...] = get_args(Api)
_json = json.JSONEncoder().encode


def _exchange(
    body: bytes, status: int | None = 200, content_type: str = "application/json"
) -> Exchange:
    headers = (("content-type", content_type),)
    return Exchange(status=status, headers=headers, body=body, error=None, sent=True)


def _stored(path: Path) -> tuple[Exchange, Api]:
    head, _, body = path.read_bytes().partition(b"\n\n")
    first, *rest = head.decode().split("\n")
    api = next(api for api in APIS if api == path.parent.name)
    pairs = [line.split(": ", 1) for line in rest]
    status = None if api == "lexical" else int(first.split()[1])
    headers = tuple((name, value) for name, value in pairs)
    return Exchange(status=status, headers=headers, body=body, error=None, sent=True), api


def _sound(api: Api) -> dict[str, Any]:
    """Return a sound answer of an API."""
    path = REPLIES[0].parent.parent / api / "decided.yes--word-0.http"
    if api == "lexical":
        return {"model": "lexical/1", "text": "yes"}
    found: dict[str, Any] = json.loads(_stored(path)[0].body)
    return found


def _opened(value: object, api: Api) -> Envelope:
    return open_envelope(_exchange(_json(value).encode()), api, MODELS[api])


# --- the corpus -----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", REPLIES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_stored_reply_is_read_as_its_name_says(path: Path) -> None:
    """Its label, or the reason why it has none."""
    exchange, api = _stored(path)
    asked = judge(api=api, expect_model=MODELS[api])
    said = path.stem.partition("--")[0]

    reading, text = read(exchange, asked, Offer(), Seen())

    assert ".".join(filter(None, (reading.outcome, reading.label, reading.reason))) == said
    assert (reading.readings is None) == (text == "")


def test_the_corpus_holds_every_reason_a_reply_can_have() -> None:
    """All but the one that no reply gives, for both APIs."""
    told = {
        api: {path.stem.split("--")[0].partition(".")[2] for path in REPLIES if api in path.parts}
        for api in ("chat-completions", "messages")
    }
    reasons = {*get_args(Reason), "yes", "no"} - {"left_unknown"}

    assert reasons - told["chat-completions"] == set()
    # Messages has its text in blocks, and its filter is a refusal.
    assert reasons - told["messages"] == {"content_filter"}


def test_the_corpus_is_large() -> None:
    """So that an empty folder does not pass for a proof."""
    assert len(REPLIES) > 300


# --- any bytes ------------------------------------------------------------------------------------


@given(
    st.binary(),
    st.sampled_from(APIS),
    st.none() | st.integers(),
    st.lists(st.tuples(st.sampled_from(["content-type", "content-encoding", "x"]), st.text())),
)
def test_any_exchange_gives_an_envelope(
    body: bytes, api: Api, status: int | None, headers: list[tuple[str, str]]
) -> None:
    """Never an exception; and a text only from a status of 200 or the embedded judge."""
    exchange = Exchange(status=status, headers=tuple(headers), body=body, error=None, sent=True)

    found = open_envelope(exchange, api, "m")

    assert found.outcome in get_args(Outcome)
    if found.text is not None:
        assert status == 200 or api == "lexical"


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["text", "yes", "stop", "end_turn", "thinking", "tool_use"]),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.text(), parts, max_size=3),
    max_leaves=5,
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:  # noqa: ANN401
    if path:
        yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in parts:
        if isinstance(part, dict | list):
            yield from _places(part, (*path, key))
        else:
            yield (*path, key)


@settings(max_examples=300)
@given(st.sampled_from(APIS), st.data())
def test_a_sound_answer_with_anything_put_anywhere_gives_an_envelope(
    api: Api, data: st.DataObject
) -> None:
    """Whatever stands where a provider puts something else."""
    answer = _sound(api)
    path = data.draw(st.sampled_from(sorted(_places(answer), key=repr)))
    part = answer
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = data.draw(JSON_VALUES)
    body = _json(answer).encode()

    found = open_envelope(_exchange(body, None if api == "lexical" else 200), api, MODELS[api])

    assert found.outcome in {"decided", "undecided"}
    assert (found.text is None) == (found.outcome == "undecided")
    assert (found.reason is None) == (found.outcome == "decided")


@pytest.mark.parametrize("api", ["chat-completions", "messages"])
def test_a_sound_answer_cut_anywhere_has_no_text(api: Api) -> None:
    """Every proper beginning of it."""
    body = _json(_sound(api)).encode()

    assert {
        open_envelope(_exchange(body[:end]), api, MODELS[api]).outcome for end in range(len(body))
    } == {"undecided"}


@pytest.mark.parametrize("api", ["chat-completions", "messages"])
def test_every_required_part_is_missed(api: Api) -> None:
    """What is checked, no answer can leave out: each part is dropped in turn."""
    answer = _sound(api)
    optional = {
        *("id", "object", "created", "usage", "service_tier", "system_fingerprint", "role"),
        *("logprobs", "refusal", "stop_sequence"),
    }
    needed = set()
    for path in _places(answer):
        spoilt = copy.deepcopy(answer)
        part: Any = spoilt
        for key in path[:-1]:
            part = part[key]
        del part[path[-1]]
        if _opened(spoilt, api).text is None:
            needed.add(path)

    assert {path for path in _places(answer) if not optional & set(path)} == needed


# --- what came instead of an answer ---------------------------------------------------------------


@pytest.mark.parametrize("error", get_args(ErrorClass))
@pytest.mark.parametrize(("sent", "outcome"), [(True, "unknown"), (False, "not_sent")])
def test_an_error_is_unknown_once_a_byte_has_left(
    error: ErrorClass, outcome: Outcome, *, sent: bool
) -> None:
    """Whatever else is there, a whole answer too."""
    body = _json(_sound("chat-completions")).encode()
    exchange = _exchange(body).model_copy(update={"error": error, "sent": sent})

    found = open_envelope(exchange, "chat-completions", MODELS["chat-completions"])

    assert found == Envelope(outcome, error=error)


def test_no_status_and_no_error_is_unknown() -> None:
    """A server's answer has a status; what has none was no answer."""
    found = open_envelope(_exchange(b"{}", None), "messages", "m")

    assert found == Envelope("unknown", error="protocol")


@pytest.mark.parametrize(
    ("statuses", "outcome", "reason"),
    [
        ((100, 103, 199, 201, 202, 204, 206, 299), "undecided", "http_status"),
        ((300, 301, 302, 303, 304, 307, 308, 399), "retry", None),
        ((401, 402, 403, 404, 407), "retry", None),
        ((408, 409, 425, 429), "retry", None),
        ((500, 501, 502, 503, 504, 520, 529, 599, 999), "retry", None),
        ((413,), "undecided", "too_large"),
        ((400, 405, 406, 410, 411, 414, 415, 418, 421, 422, 431, 451), "undecided", None),
    ],
    ids=["1xx-2xx", "3xx", "stop", "wait", "5xx", "413", "4xx"],
)
@pytest.mark.parametrize("api", ["chat-completions", "messages"])
def test_every_status_has_its_place(
    api: Api, statuses: tuple[int, ...], outcome: Outcome, reason: Reason | None
) -> None:
    """A sound answer under any other status than 200 is none."""
    body = _json(_sound(api)).encode()
    reason = reason or ("rejected_request" if outcome == "undecided" else None)

    for status in statuses:
        found = open_envelope(_exchange(body, status), api, MODELS[api])

        assert (found.outcome, found.reason, found.text) == (outcome, reason, None), status


# --- strict JSON ----------------------------------------------------------------------------------


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda parts: st.lists(parts) | st.dictionaries(st.text(), parts),
        max_leaves=8,
    )
)
def test_json_is_read_as_the_standard_library_reads_it(value: object) -> None:
    """Where nothing is doubled and nothing is Infinity or NaN."""
    text = _json(value)
    if "Infinity" not in text:
        assert strict_json(text.encode()) == value


@pytest.mark.parametrize(
    "body",
    [b"", b"NaN", b'{"a":1,"a":1}', b'[{"a":{"b":1,"b":2}}]', b"\xef\xbb\xbf1", b'"\xff"', b"1 1"],
    ids=repr,
)
def test_json_that_can_be_read_two_ways_is_refused(body: bytes) -> None:
    """At any depth."""
    with pytest.raises(ValueError, match=r"."):
        strict_json(body)


@pytest.mark.parametrize(("depth", "read"), [(100, True), (101, False)])
@pytest.mark.parametrize("ends", ["[]", "{}"])
def test_json_is_read_to_a_depth_of_a_hundred(ends: str, depth: int, *, read: bool) -> None:
    """The parser's own limit moves with the machine; ours does not."""
    head = "[" if ends == "[]" else '{"a":'
    body = (head * (depth - 1) + ends + ends[1] * (depth - 1)).encode()

    if read:
        assert strict_json(body)
    else:
        with pytest.raises(ValueError, match="nested too deeply"):
            strict_json(body)


@pytest.mark.parametrize(
    "body",
    [
        b"[" + b"[]," * 500 + b"[]]",
        b'["' + b"[{" * 500 + b'"]',
        rb'["\\",[],"\"' + b"[" * 500 + rb'\\"]',
    ],
    ids=["many side by side", "within a text", "after an escape"],
)
def test_brackets_that_do_not_nest_are_no_depth(body: bytes) -> None:
    """Side by side, or in a text."""
    assert isinstance(strict_json(body), list)


def test_an_integer_has_at_most_six_hundred_digits() -> None:
    """So that no setting of the interpreter decides."""
    assert strict_json(b"9" * 600) == 10**600 - 1
    with pytest.raises(ValueError, match="too long"):
        strict_json(b"9" * 601)


# --- what else an answer says ---------------------------------------------------------------------


def test_a_chat_answer_names_its_facts() -> None:
    """Model, finish, fingerprint, tier, tokens, id."""
    answer = _sound("chat-completions")
    answer["usage"] = {
        "prompt_tokens": 7,
        "completion_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 3, "cache_write_tokens": 2},
        "completion_tokens_details": {"reasoning_tokens": 4},
    }

    assert _opened(answer, "chat-completions") == Envelope(
        "decided",
        text="yes",
        model="gpt-4o-2024-08-06",
        finish="stop",
        fingerprint="fp_1",
        service_tier="default",
        usage=Usage(input=7, output=5, reasoning=4, cache_read=3, cache_write=2),
        response_id="chatcmpl-1",
    )


def test_a_messages_answer_names_its_facts() -> None:
    """The tier stands in the usage, and there is no fingerprint."""
    answer = _sound("messages")
    answer["usage"] = {
        "input_tokens": 7,
        "output_tokens": 5,
        "cache_read_input_tokens": 3,
        "cache_creation_input_tokens": 2,
        "output_tokens_details": {"thinking_tokens": 4},
        "service_tier": "standard",
    }

    assert _opened(answer, "messages") == Envelope(
        "decided",
        text="yes",
        model="claude-opus-5-5",
        finish="end_turn",
        service_tier="standard",
        usage=Usage(input=7, output=5, reasoning=4, cache_read=3, cache_write=2),
        response_id="msg_1",
    )


@pytest.mark.parametrize(
    ("given_count", "count"),
    [(0, 0), (2**53 - 1, 2**53 - 1), (2**53, None), (-1, None), (1.0, None), (True, None)],
)
def test_a_count_that_is_none_is_left_out(given_count: object, count: int | None) -> None:
    """The verdict stands; the tokens are not known."""
    answer = _sound("chat-completions") | {"usage": {"prompt_tokens": given_count}}
    found = _opened(answer, "chat-completions")

    assert found.text == "yes"
    assert found.usage == Usage(
        input=count, output=None, reasoning=None, cache_read=None, cache_write=None
    )


def test_facts_are_kept_of_an_answer_without_a_text() -> None:
    """A cut answer is billed, by a model that has a name."""
    answer = _sound("chat-completions")
    answer["choices"][0]["finish_reason"] = "length"
    found = _opened(answer, "chat-completions")

    assert (found.reason, found.finish, found.model) == ("cut", "length", "gpt-4o-2024-08-06")
    assert found.usage is not None


def test_a_servers_text_is_cut_to_two_hundred_characters() -> None:
    """It goes into a public line."""
    answer = _sound("chat-completions") | {"system_fingerprint": "\U0001f600" * 300}

    assert _opened(answer, "chat-completions").fingerprint == "\U0001f600" * 200


def test_half_a_surrogate_pair_in_a_fact_is_made_visible() -> None:
    """It has no bytes, and a line must have some."""
    answer = _sound("chat-completions") | {"system_fingerprint": "a\ud800"}

    assert _opened(answer, "chat-completions").fingerprint == "a\\ud800"


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_the_text_is_the_replys_own(text: str) -> None:
    """Not trimmed, not folded: a receipt holds what was said."""
    answer = _sound("chat-completions")
    answer["choices"][0]["message"]["content"] = text
    found = _opened(answer, "chat-completions")

    assert found.text == (text if text.strip() else None)
