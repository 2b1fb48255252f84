"""Model, prompt and settings in, the exact body of a request out; nothing is sent from here.

A body is the canonical JSON of exactly the model, the messages and the settings. A decimal is text
in settings (`"0.7"`), because it is pinned as text, and goes out as the JSON number it spells.
"""

import decimal
import functools
import re
from collections.abc import Iterable, Mapping

import orjson

from judge.canonical import Json, encode
from judge.errors import InputError

__all__ = ["apply", "chat", "check", "lexical", "messages", "tokens_max"]

_DECIMAL = re.compile(r"-?(0|[1-9]\d*)\.\d+", re.ASCII)
_OURS = frozenset({"messages", "model", "stream", "stream_options"})
_SAMPLING = frozenset({"temperature", "top_p", "top_k"})
_CHAT_ONLY = frozenset(
    {
        "frequency_penalty",
        "logit_bias",
        "logprobs",
        "max_completion_tokens",
        "n",
        "parallel_tool_calls",
        "presence_penalty",
        "reasoning_effort",
        "response_format",
        "seed",
        "stop",
        "top_logprobs",
        "verbosity",
    }
)
_OVERHEAD = 64
"""More tokens than either provider wraps around one message."""


def check(settings: Mapping[str, Json]) -> None:
    """Return when the settings can be sent as they are written.

    Raises:
        InputError: a key that is the harness's own or is not ASCII, a decimal that is not in its
            shortest form, a value without a canonical form.
    """
    encode(dict(settings))
    for key, value in settings.items():
        if key in _OURS:
            raise InputError(f"setting {key!r} belongs to the harness and cannot be set")
        _check_decimals(key, value)
        _check_range(key, value)


_WHOLE = frozenset({"max_tokens", "max_completion_tokens", "n", "top_logprobs"})
_RANGES: Mapping[str, tuple[int, int]] = {
    "temperature": (0, 2),
    "top_p": (0, 1),
    "presence_penalty": (-2, 2),
    "frequency_penalty": (-2, 2),
}
"""What either provider documents; a wider one would be refused by every request of a run."""


def _check_range(key: str, value: Json) -> None:
    least = 0 if key == "top_logprobs" else 1
    if key in _WHOLE and (type(value) is not int or value < least):
        raise InputError(f"setting {key!r} is {value!r}: give a whole number of {least} or more")
    if key not in _RANGES:
        return
    low, high = _RANGES[key]
    number = value if type(value) is int or isinstance(value, str) else None
    if number is None or not _DECIMAL_OR_INT.fullmatch(str(number)):
        raise InputError(f"setting {key!r} is {value!r}: give a number from {low} to {high}")
    if not low <= decimal.Decimal(number) <= high:
        raise InputError(f"setting {key!r} is {value}: give a number from {low} to {high}")


_DECIMAL_OR_INT = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,18})?", re.ASCII)


def _check_decimals(key: str, value: Json) -> None:
    if isinstance(value, dict):
        for name, part in value.items():
            _check_decimals(f"{key}.{name}", part)
    elif isinstance(value, list):
        for part in value:
            _check_decimals(key, part)
    elif isinstance(value, str) and _DECIMAL.fullmatch(value):
        _check_decimal(key, value)


def _check_decimal(key: str, text: str) -> None:
    if text.endswith("0"):
        raise InputError(
            f"setting {key!r}: {text[:40]} is not in its shortest form; drop the zeros at its end"
            " (0.7, not 0.70; 1, not 1.0)"
        )
    # More digits than a double holds would reach the model as another number.
    if decimal.Decimal(repr(float(text))) != decimal.Decimal(text):
        raise InputError(f"setting {key!r}: {text[:40]} has more digits than can be sent exactly")


def apply(
    settings: Mapping[str, Json], changed: Mapping[str, Json], unset: Iterable[str]
) -> dict[str, Json]:
    """Return the settings with `--set` and `--unset` carried out.

    Raises:
        InputError: a key both set and unset, a key to unset that is not there, or a result that
            `check` refuses.
    """
    result = {**settings, **changed}
    for key in unset:
        if key in changed:
            raise InputError(f"setting {key!r} is both set and unset; keep one of the two")
        if key not in settings:
            there = ", ".join(sorted(settings)) or "none"
            raise InputError(f"setting {key!r} cannot be unset: the rubric has {there}")
        result.pop(key, None)
    check(result)
    return result


def chat(model: str, prompt: str, settings: Mapping[str, Json], system: str | None = None) -> bytes:
    """Return the Chat Completions body: one user message, a system message before it if given.

    Raises:
        InputError: settings that `check` refuses, or a text that is not Unicode text.
    """
    before, after = _chat_frame(model, _key(settings), system)
    return before + _string(prompt) + after


def messages(
    model: str, prompt: str, settings: Mapping[str, Json], system: str | None = None
) -> bytes:
    """Return the Anthropic Messages body: one user message, a top-level `system` if given.

    Raises:
        InputError: as `chat`; also a setting this API does not take, no `max_tokens`, or a system
            text in the settings beside the rubric's.
    """
    before, after = _messages_frame(model, _key(settings), system)
    return before + _string(prompt) + after


def lexical(prompt_sha256: str, question: str, gold: str, response: str) -> bytes:
    """Return the body of the embedded string rule `lexical/1`.

    Raises:
        InputError: a text that is not Unicode text.
    """
    return encode(
        {
            "gold": gold,
            "model": "lexical/1",
            "prompt_sha256": prompt_sha256,
            "question": question,
            "response": response,
        }
    )


def tokens_max(prompt: str, settings: Mapping[str, Json], system: str | None = None) -> int | None:
    """Return the most tokens one attempt can cost, or None when no output limit is sent.

    A token is at least one byte, so: the UTF-8 bytes of both messages, 64 for what the provider
    wraps around each, the bytes of every setting that holds text (a schema or a system text is
    read by the model too), and the output limit times `n`.
    """
    written = output_max(settings)
    if written is None:
        return None
    texts = sum(len(encode(value)) for value in settings.values() if _holds_text(value))
    read = sum(len(text.encode()) + _OVERHEAD for text in (prompt, system) if text is not None)
    return read + texts + written


def output_max(settings: Mapping[str, Json]) -> int | None:
    """Return the most tokens one reply can hold, or None when no output limit is sent."""
    limits = [settings.get("max_tokens"), settings.get("max_completion_tokens")]
    given = [limit for limit in limits if type(limit) is int]
    if not given:
        return None
    choices = settings.get("n")
    times = choices if type(choices) is int else 1
    return max(given) * times


def _holds_text(value: Json) -> bool:
    if isinstance(value, str):
        return not _DECIMAL.fullmatch(value)
    return isinstance(value, list | dict)


def _string(text: str) -> bytes:
    try:
        return orjson.dumps(text)
    except orjson.JSONEncodeError as error:
        raise InputError(f"the prompt is not Unicode text: {error}") from error


def _dump(value: object) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError as error:
        raise InputError(f"model or settings have no canonical form: {error}") from error


def _key(settings: Mapping[str, Json]) -> bytes:
    # The frames are cached by what the settings say: 1 and true, equal in Python, are two keys.
    return _dump(dict(settings))


@functools.lru_cache(maxsize=256)
def _chat_frame(model: str, key: bytes, system: str | None) -> tuple[bytes, bytes]:
    said = [] if system is None else [{"content": system, "role": "system"}]
    return _frame(model, orjson.loads(key), said, {})


@functools.lru_cache(maxsize=256)
def _messages_frame(model: str, key: bytes, system: str | None) -> tuple[bytes, bytes]:
    settings: dict[str, Json] = orjson.loads(key)
    for name in sorted(settings):
        if name in _SAMPLING:
            raise InputError(
                f"setting {name!r}: current versions of the Messages API reject it; judge without"
                f" it by `--unset {name}` (a named deviation)"
            )
        if name in _CHAT_ONLY:
            raise InputError(
                f"setting {name!r} is not one the Messages API takes; use `--unset {name}`"
            )
        if name == "fallbacks":
            raise InputError("setting 'fallbacks' would let another model answer; remove it")
    if type(settings.get("max_tokens")) is not int:
        raise InputError("the Messages API needs `max_tokens`; give it by `--set max_tokens=N`")
    if system is not None and "system" in settings:
        raise InputError("setting 'system' would replace the rubric's own system message")
    return _frame(model, settings, [], {} if system is None else {"system": system})


def _frame(
    model: str, settings: dict[str, Json], said: list[dict[str, str]], more: dict[str, str]
) -> tuple[bytes, bytes]:
    """Return the bytes before and after the prompt's JSON string."""
    check(settings)
    # JSON text never holds a raw NUL, so it marks the prompt's place without doubt.
    content = orjson.Fragment(b"\0")
    whole = {
        **{key: _numbers(value) for key, value in settings.items()},
        **more,
        "messages": [*said, {"content": content, "role": "user"}],
        "model": model,
    }
    before, _, after = _dump(whole).partition(b"\0")
    return before, after


def _numbers(value: Json) -> object:
    if isinstance(value, dict):
        return {key: _numbers(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_numbers(part) for part in value]
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        return orjson.Fragment(value)
    return value
