"""Faults 40 to 53: whole answers of the right shape that are no verdict, or not this judge's."""

from collections.abc import Sequence
from typing import Any

import orjson
from faultacts import edited, once, refused, said, top
from faultcase import Case, Fault
from faultserver import Action, Send, http, json_reply
from smallrun import CONTROLS, Act, Turn

__all__ = ["ANSWER"]

Reply = dict[str, Any]
_REFUSED = CONTROLS * ("undecided: refusal",)
_TOOL = {"id": "t", "type": "function", "function": {"name": "f", "arguments": "{}"}}
_USE = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
_ABSURD = {
    "prompt_tokens": -1,
    "completion_tokens": "many",
    "input_tokens": 2**60,
    "output_tokens": 1.5,
}


def _yes(chat: str | None, messages: str | None) -> Act:
    """Say yes, and end for this reason."""

    def openai(reply: Reply) -> None:
        reply["choices"][0]["finish_reason"] = chat
        reply["choices"][0]["message"]["content"] = "yes"

    def anthropic(reply: Reply) -> None:
        reply["stop_reason"] = messages
        reply["content"][0]["text"] = "yes"

    return edited(openai, anthropic)


def _message(**fields: object) -> Act:
    """Change fields of a chat completion's message."""

    def edit(reply: Reply) -> None:
        reply["choices"][0]["message"].update(fields)

    return edited(edit, edit)


def _content(*blocks: object) -> Act:
    """Answer with these blocks of a Messages reply, whatever else is sound."""
    return top(content=list(blocks))


def _choices(*indexes: int) -> Act:
    """Answer with a choice of each index, all with the sound text."""

    def edit(reply: Reply) -> None:
        first = reply["choices"][0]
        reply["choices"] = [{**first, "index": index} for index in indexes]

    return edited(edit, edit)


def _refusal(turn: Turn) -> Sequence[Action] | None:
    if turn.provider == "openai":
        return _message(refusal="I cannot judge this", content=None)(turn)
    return top(stop_reason="refusal", content=[])(turn)


def _without(name: str) -> Act:
    return edited(lambda reply: reply.pop(name), lambda reply: reply.pop(name))


def _second_differs(turn: Turn) -> Sequence[Action] | None:
    """Say the opposite of the sound label the second time a question comes."""
    return said("no" if turn.label == "yes" else "yes")(turn) if turn.times > 1 else None


def _replayed(turn: Turn) -> Sequence[Action]:
    """Give every question the same bytes."""
    return [Send(json_reply({**turn.reply, "id": "chatcmpl-cached-answer"}))]


def _surrogate(turn: Turn) -> Sequence[Action]:
    """Answer with a text that no bytes can hold."""
    sound = orjson.dumps(turn.reply)
    word = f'"{turn.label}"'.encode()
    return [Send(http(body=sound.replace(word, b'"\\ud800"')))]


_ENDS = (
    Fault(40, "cut at the output limit, saying yes", _yes("length", "max_tokens")).no_verdict(
        "cut"
    ),
    Fault(
        40,
        "model_context_window_exceeded",
        _yes(None, "model_context_window_exceeded"),
        provider="anthropic",
    ).no_verdict("cut"),
    Fault(
        41, "finish_reason content_filter", _yes("content_filter", None), provider="openai"
    ).no_verdict("content_filter"),
    Fault(
        41, "a refusal beside yes", _message(refusal="no", content="yes"), provider="openai"
    ).no_verdict("refusal"),
    Fault(
        41, "stop_reason refusal, saying yes", _yes(None, "refusal"), provider="anthropic"
    ).no_verdict("refusal"),
    Fault(41, "every control refused", _refusal, "controls").fails_the_gate(*_REFUSED),
    Fault(42, "ends with a tool call, saying yes", _yes("tool_calls", "tool_use")).no_verdict(
        "tool_call"
    ),
    Fault(
        42, "function_call, saying yes", _yes("function_call", None), provider="openai"
    ).no_verdict("tool_call"),
    Fault(42, "pause_turn, saying yes", _yes(None, "pause_turn"), provider="anthropic").no_verdict(
        "tool_call"
    ),
    Fault(
        42,
        "tool_calls under finish_reason stop",
        _message(tool_calls=[_TOOL], content="yes"),
        provider="openai",
    ).no_verdict("tool_call"),
    Fault(
        42,
        "tool_use under end_turn",
        _content({"type": "text", "text": "yes"}, _USE),
        provider="anthropic",
    ).no_verdict("tool_call"),
    Fault(42, "an unknown end, saying yes", _yes("done", "done")).no_verdict("bad_shape"),
    Fault(42, "no end, saying yes", _yes(None, None)).no_verdict("bad_shape"),
)

_TEXTS = (
    Fault(43, "null content", said(None)).no_verdict("empty"),
    Fault(43, "empty content", said("")).no_verdict("empty"),
    Fault(43, "white space", said(" \n\t")).no_verdict("empty"),
    Fault(43, "a list as content", said([{"type": "text", "text": "yes"}])).no_verdict("bad_shape"),
    Fault(43, "no content blocks", _content(), provider="anthropic").no_verdict("empty"),
    Fault(43, "half a character", _surrogate).no_verdict("bad_shape"),
    Fault(44, "no choice", _choices(), provider="openai").no_verdict("bad_choices"),
    Fault(44, "two choices", _choices(0, 1), provider="openai").no_verdict("bad_choices"),
    Fault(44, "a choice of index 1", _choices(1), provider="openai").no_verdict("bad_choices"),
    Fault(
        44, "two texts", _content(*2 * ({"type": "text", "text": "yes"},)), provider="anthropic"
    ).no_verdict("bad_choices"),
    Fault(45, "No. The user said yesterday.", said("No. The user said yesterday.")).no_verdict(
        "readings_disagree"
    ),
    Fault(45, "The answer is yes", said("The answer is yes")).no_verdict("readings_disagree"),
    Fault(45, "yes or no", said("yes or no")).no_verdict("readings_disagree"),
    Fault(45, "The answer is no", said("The answer is no")).no_verdict("off_scale"),
    Fault(45, "maybe", said("maybe")).no_verdict("off_scale"),
    Fault(45, "a label between line ends, with a full stop", said("\n NO.\n")).decided(),
    Fault(46, "yes, and a reason against it", said("yes\n\nIt is wrong.")).no_verdict(
        "readings_disagree"
    ),
)

_OTHERS = (
    Fault(47, "another model", top(model="other-model-2026-01-01")).stops(
        "wrong_model", "undecided: wrong_model"
    ),
    Fault(47, "another model, of all controls", top(model="other"), "controls").stops(
        "wrong_model", "undecided: wrong_model"
    ),
    Fault(47, "no model", _without("model")).no_verdict("bad_shape"),
    Fault(
        48, "another fingerprint", top(system_fingerprint="fp_other"), provider="openai"
    ).decided(),
    Fault(49, "404 in the middle", refused(404, "not_found_error", "model_not_found")).stops(
        "model", "retry: 404"
    ),
    Fault(50, "no usage", _without("usage")).decided(),
    Fault(50, "null usage", top(usage=None)).decided(),
    Fault(50, "absurd usage", top(usage=_ABSURD)).decided(),
    Fault(51, "one answer replayed to all", _replayed, "controls").stops(
        "duplicate_response_id", "decided", "unknown: protocol"
    ),
    Fault(
        53, "the second of two repetitions differs", _second_differs, plan={"repetitions": 2}
    ).decided("decided"),
    Fault(53, "undecided, reask 1, then sound", once(said("maybe")), plan={"reask": 1}).decided(
        "undecided: off_scale"
    ),
    Fault(53, "undecided twice, reask 1", said("maybe"), plan={"reask": 1}).no_verdict(
        "off_scale", times=2
    ),
)

ANSWER: tuple[Case, ...] = (*_ENDS, *_TEXTS, *_OTHERS)
