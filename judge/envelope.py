"""One exchange in, the judge's words out, or the reason why there are none.

Every check that stands before the label is read: did an answer come, is it whole, is it the
provider's own shape, is it the model that was asked, did it end by itself. Total: any bytes give an
`Envelope`, never an exception. What an SDK parses is not evidence; these are the raw bytes.
"""

import json
import re
from dataclasses import dataclass
from typing import NoReturn

from judge.records import Api, ErrorClass, Exchange, Outcome, Reason, Usage

__all__ = ["Envelope", "open_envelope", "strict_json", "too_deep"]

_JSON_TYPE = re.compile(r"application/json\s*(;\s*charset\s*=\s*\"?utf-8\"?\s*)?", re.IGNORECASE)
_DEEPEST = 100
_LONGEST = 600
_BRACKETS = re.compile(rb'"(?:[^"\\]+|\\.)*"?|[\[\]{}]', re.DOTALL)
"""A whole text, whatever stands in it, or one bracket."""
_CAP = 200
_SAFE = 2**53

_OK = 200
_STOPS = frozenset({401, 402, 403, 404, 407})
"""Refused for a cause that asking again will not change before somebody acts."""
_WAITS = frozenset({408, 409, 425, 429})
_SERVER = 500
_REDIRECT = 300
_CLIENT = 400
_TOO_LARGE = 413
_QUOTA_400 = "specified API usage limits"
"""How Anthropic words a spend limit that it sends as a plain 400."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """What an exchange holds before its label is read."""

    outcome: Outcome
    """`decided` here means: there is a text to read."""
    reason: Reason | None = None
    error: ErrorClass | None = None
    text: str | None = None
    model: str | None = None
    finish: str | None = None
    fingerprint: str | None = None
    service_tier: str | None = None
    usage: Usage | None = None
    response_id: str | None = None


class _NoVerdict(Exception):  # noqa: N818 - it is a result, not an error
    """There is an answer, and it holds no text to read."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason: Reason = reason


def open_envelope(exchange: Exchange, api: Api, expect_model: str) -> Envelope:
    """Return what the exchange holds under this API.

    Args:
        exchange: status, allow-listed headers and raw body, or what kept them from coming.
        api: the shape the answer must have.
        expect_model: what the answer's `model` must be, byte for byte.
    """
    if exchange.error is not None:
        return Envelope("unknown" if exchange.sent else "not_sent", error=exchange.error)
    if exchange.status is None:
        if api != "lexical":
            return Envelope("unknown", error="protocol")
    elif exchange.status != _OK:
        return _refused(exchange.status, exchange.body)
    return _answered(exchange, api, expect_model)


def _refused(status: int, body: bytes) -> Envelope:
    if status < _REDIRECT:
        return Envelope("undecided", "http_status")
    if status < _CLIENT or status in _STOPS or status in _WAITS or status >= _SERVER:
        return Envelope("retry")
    if status == _TOO_LARGE:
        return Envelope("undecided", "too_large")
    if status == _CLIENT and _QUOTA_400.encode() in body:
        return Envelope("retry")
    if b"content_filter" in body or b"content_policy" in body:
        return Envelope("undecided", "content_filter")
    return Envelope("undecided", "rejected_request")


def _answered(exchange: Exchange, api: Api, expect_model: str) -> Envelope:
    facts: dict[str, object] = {}
    try:
        answer = _parsed(exchange) if api != "lexical" else _object(strict_json(exchange.body))
        facts |= _facts(answer, api)
        text = _checked_text(answer, api, expect_model)
    except _NoVerdict as none:
        return Envelope("undecided", none.reason, **facts)  # type: ignore[arg-type]
    except ValueError:
        return Envelope("undecided", "invalid_json")
    return Envelope("decided", text=text, **facts)  # type: ignore[arg-type]


def _checked_text(answer: dict[str, object], api: Api, expect_model: str) -> str:
    if answer["model"] != expect_model:
        raise _NoVerdict("wrong_model")
    return _TEXTS[api](answer)


def _parsed(exchange: Exchange) -> dict[str, object]:
    types = [value for name, value in exchange.headers if name == "content-type"]
    is_json = len(types) == 1 and _JSON_TYPE.fullmatch(types[0].strip()) is not None
    codings = [value for name, value in exchange.headers if name == "content-encoding"]
    if any(coding.strip().lower() != "identity" for coding in codings):
        raise _NoVerdict("content_type")
    if not exchange.body:
        raise _NoVerdict("bad_shape")
    try:
        value = strict_json(exchange.body)
    except ValueError:
        raise _NoVerdict("invalid_json" if is_json else "not_json") from None
    if not is_json:
        raise _NoVerdict("content_type")
    return _object(value)


def strict_json(body: bytes) -> object:
    """Return the JSON value of strict UTF-8 bytes.

    Raises:
        ValueError: a byte order mark, bad UTF-8, a duplicate key, NaN or Infinity, nesting beyond
            100, an integer beyond 600 digits, or anything else that is not one JSON value.
    """
    if body.startswith(b"\xef\xbb\xbf"):
        raise ValueError("byte order mark")
    if too_deep(body):
        raise ValueError("nested too deeply")
    return _DECODER.decode(body.decode("utf-8"))


def too_deep(body: bytes) -> bool:
    """Whether lists and objects stand more than `_DEEPEST` deep.

    The parser's own limit moves with the stack it is called on and the version of Python: a reply
    just below it was once read as a verdict by the run and as broken by the recount.
    """
    if body.count(b"[") + body.count(b"{") <= _DEEPEST:
        return False
    depth = 0
    for found in _BRACKETS.finditer(body):
        mark = found[0]
        if mark in {b"[", b"{"}:
            depth += 1
        elif mark in {b"]", b"}"}:
            depth -= 1
        if depth > _DEEPEST:
            return True
    return False


def _integer(digits: str) -> int:
    # Below 640 digits no setting of the interpreter refuses an integer, so all read it alike.
    if len(digits) > _LONGEST:
        raise ValueError("an integer too long to be one")
    return int(digits)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("duplicate key")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_no_constant, parse_int=_integer
)


def _object(value: object) -> dict[str, object]:
    # An error object under status 200 is not an answer, whatever else it holds.
    if not isinstance(value, dict) or value.get("error") is not None:
        raise _NoVerdict("bad_shape")
    if not isinstance(value.get("model"), str):
        raise _NoVerdict("bad_shape")
    return value


# --- what else the answer says ------------------------------------------------------------------


def _facts(answer: dict[str, object], api: Api) -> dict[str, object]:
    facts: dict[str, object] = {
        "model": _foreign(answer["model"]),
        "fingerprint": _foreign(answer.get("system_fingerprint")),
        "service_tier": _foreign(answer.get("service_tier")),
        "response_id": _foreign(answer.get("id")),
        "finish": None,
        "usage": None,
    }
    usage = answer.get("usage")
    if api == "messages":
        facts["finish"] = _foreign(answer.get("stop_reason"))
    elif api == "chat-completions":
        choices = answer.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            facts["finish"] = _foreign(choices[0].get("finish_reason"))
    if isinstance(usage, dict):
        facts["usage"] = _USAGES[api](usage)
        if api == "messages":
            facts["service_tier"] = _foreign(usage.get("service_tier"))
    return facts


def _foreign(value: object) -> str | None:
    """Text a server chose, cut to what a public line may carry; lone surrogates made visible."""
    if not isinstance(value, str):
        return None
    return value.encode("utf-8", "backslashreplace").decode("utf-8")[:_CAP]


def _count(value: object) -> int | None:
    if type(value) is int and 0 <= value < _SAFE:
        return value
    return None


def _part(usage: dict[str, object], name: str, key: str) -> int | None:
    part = usage.get(name)
    return _count(part.get(key)) if isinstance(part, dict) else None


def _chat_usage(usage: dict[str, object]) -> Usage:
    return Usage(
        input=_count(usage.get("prompt_tokens")),
        output=_count(usage.get("completion_tokens")),
        reasoning=_part(usage, "completion_tokens_details", "reasoning_tokens"),
        cache_read=_part(usage, "prompt_tokens_details", "cached_tokens"),
        cache_write=_part(usage, "prompt_tokens_details", "cache_write_tokens"),
    )


def _messages_usage(usage: dict[str, object]) -> Usage:
    return Usage(
        input=_count(usage.get("input_tokens")),
        output=_count(usage.get("output_tokens")),
        reasoning=_part(usage, "output_tokens_details", "thinking_tokens"),
        cache_read=_count(usage.get("cache_read_input_tokens")),
        cache_write=_count(usage.get("cache_creation_input_tokens")),
    )


# --- the text, or why there is none -------------------------------------------------------------

_CHAT_FINISH: dict[str, Reason] = {
    "length": "cut",
    "content_filter": "content_filter",
    "tool_calls": "tool_call",
    "function_call": "tool_call",
}
_STOP_REASON: dict[str, Reason] = {
    "max_tokens": "cut",
    "model_context_window_exceeded": "cut",
    "refusal": "refusal",
    "tool_use": "tool_call",
    "pause_turn": "tool_call",
}
_THOUGHTS = ["thinking", "redacted_thinking"]
"""A list: what a block calls its type may be anything, hashable or not."""


def _chat_text(answer: dict[str, object]) -> str:
    choices = answer.get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], dict):
        raise _NoVerdict("bad_choices")
    choice = choices[0]
    index = choice.get("index")
    if type(index) is not int or index != 0:
        raise _NoVerdict("bad_choices")
    message = choice.get("message")
    if not isinstance(message, dict):
        raise _NoVerdict("bad_shape")
    _check_finish(choice.get("finish_reason"), "stop", _CHAT_FINISH)
    if message.get("refusal"):
        raise _NoVerdict("refusal")
    if message.get("tool_calls") or message.get("function_call"):
        raise _NoVerdict("tool_call")
    return _text(message.get("content"))


def _messages_text(answer: dict[str, object]) -> str:
    blocks = answer.get("content")
    if answer.get("type") != "message" or not isinstance(blocks, list):
        raise _NoVerdict("bad_shape")
    _check_finish(answer.get("stop_reason"), "end_turn", _STOP_REASON)
    if not blocks:
        raise _NoVerdict("empty")
    kinds = [block.get("type") if isinstance(block, dict) else None for block in blocks]
    if "tool_use" in kinds:
        raise _NoVerdict("tool_call")
    # Thinking may stand before the one text; anything after it, or a second text, is no verdict.
    if kinds[-1] != "text" or any(kind not in _THOUGHTS for kind in kinds[:-1]):
        raise _NoVerdict("bad_choices")
    return _text(blocks[-1].get("text"))


def _lexical_text(answer: dict[str, object]) -> str:
    return _text(answer.get("text"))


def _check_finish(finish: object, whole: str, reasons: dict[str, Reason]) -> None:
    if finish == whole:
        return
    if not isinstance(finish, str):
        raise _NoVerdict("bad_shape")
    raise _NoVerdict(reasons.get(finish, "bad_shape"))


def _text(value: object) -> str:
    if value is None:
        raise _NoVerdict("empty")
    if not isinstance(value, str):
        raise _NoVerdict("bad_shape")
    if not value.strip():
        raise _NoVerdict("empty")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        # A lone surrogate has no bytes, so no receipt could hold what was read.
        raise _NoVerdict("bad_shape") from None
    return value


_TEXTS = {
    "chat-completions": _chat_text,
    "messages": _messages_text,
    "lexical": _lexical_text,
}
_USAGES = {
    "chat-completions": _chat_usage,
    "messages": _messages_usage,
    "lexical": _chat_usage,
}
