"""What a faulty server does to a question, built from small parts.

In: bytes, statuses, changes of a sound reply. Out: an `Act` for tests/smallrun.py.
"""

import copy
from collections.abc import Callable, Sequence
from typing import Any

import orjson
from faultserver import Action, Send, http, json_reply
from smallrun import Act, Turn

__all__ = [
    "JSON",
    "body",
    "edited",
    "framed",
    "often",
    "once",
    "refused",
    "said",
    "send",
    "spliced",
    "top",
    "whole",
]

JSON = ("content-type", "application/json")
Edit = Callable[[dict[str, Any]], object]


def send(*parts: bytes | Action) -> Act:
    """Put these bytes on the wire, or do these actions, whatever is asked; nothing hangs."""
    actions = [Send(part) if isinstance(part, bytes) else part for part in parts]
    return lambda _turn: actions


def body(data: bytes, kind: str = "application/json", status: int = 200) -> Act:
    """Answer with this body under this content type."""
    return send(http(status, data, headers=(("content-type", kind),)))


def once(act: Act) -> Act:
    """Do it the first time a question comes, and answer soundly afterwards."""
    return often(act, 1)


def often(act: Act, times: int) -> Act:
    """Do it the first `times` times a question comes, and answer soundly afterwards."""
    return lambda turn: act(turn) if turn.times <= times else None


def whole(turn: Turn) -> bytes:
    """Return the bytes of a sound answer."""
    return json_reply(turn.reply, number=turn.number)


def framed(*headers: tuple[str, str], status: int = 200, encoding: str = "utf-8") -> Act:
    """Answer with a sound reply under this status and these headers, in this encoding."""

    def act(turn: Turn) -> Sequence[Action]:
        data = orjson.dumps(turn.reply).decode().encode(encoding)
        return [Send(http(status, data, headers=headers))]

    return act


def spliced(old: bytes, new: bytes) -> Act:
    """Answer soundly but for these bytes of the body."""

    def act(turn: Turn) -> Sequence[Action]:
        data = orjson.dumps(turn.reply)
        assert old in data, f"{old!r} is not in a sound reply"
        return [Send(http(body=data.replace(old, new, 1)))]

    return act


def edited(openai: Edit, anthropic: Edit) -> Act:
    """Answer soundly but for this change of the reply, in each provider's own shape."""

    def act(turn: Turn) -> Sequence[Action]:
        reply = copy.deepcopy(turn.reply)
        (openai if turn.provider == "openai" else anthropic)(reply)
        return [Send(json_reply(reply, number=turn.number))]

    return act


def top(**changes: object) -> Act:
    """Answer soundly but for these top-level fields."""
    return edited(lambda reply: reply.update(changes), lambda reply: reply.update(changes))


def said(text: object) -> Act:
    """Answer in sound shape with this content."""
    return edited(
        lambda reply: reply["choices"][0]["message"].update(content=text),
        lambda reply: reply["content"][0].update(text=text),
    )


def refused(
    status: int,
    kind: str = "some_error",
    code: str | None = None,
    *,
    text: str = "no",
    headers: Sequence[tuple[str, str]] = (),
) -> Act:
    """Answer with an error object in the provider's own shape."""

    def act(turn: Turn) -> Sequence[Action]:
        error: dict[str, object] = {"type": kind, "message": text}
        if turn.provider == "openai":
            value: dict[str, object] = {"error": {**error, "param": None, "code": code}}
        else:
            details = {} if code is None else {"details": {"error_code": code}}
            value = {"type": "error", "error": {**error, **details}}
        return [Send(http(status, orjson.dumps(value), headers=(JSON, *headers)))]

    return act
