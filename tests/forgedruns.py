"""Sealed runs of hosted judges to forge: every kind of line and most outcomes in one small folder.

In: an empty folder and a provider. Out: a run that was stopped once, lost an answer, was refused
once, had to ask twice, and holds undecided cells; sealed all the same.
"""

from collections.abc import Sequence
from pathlib import Path

from faultserver import Action, Close, Send, http
from smallrun import Provider, SmallJudge, Turn, configured, ran, resumed

from judge.packs import shipped

__all__ = ["MADE", "hosted"]

MADE = shipped("controls") / "selftest" / "controls.yaml"
"""A control file with an injection arm."""
_CUT = {"openai": "length", "anthropic": "max_tokens"}


def hosted(folder: Path, provider: Provider) -> Path:
    """Run the small run against a judge with faults, resume it, and return its sealed folder."""
    with SmallJudge(_faulty) as server:
        config = configured(provider, server.base_url(provider), resend_unknown=1)
        changes = {"controls": (str(MADE),), "reask": 1}
        first = ran(config, folder, changes)
        assert first.outcome.halt is not None
        last = resumed(first)
    assert last.outcome.proof.state == "incomplete"
    return folder


def _faulty(turn: Turn) -> Sequence[Action] | None:
    if turn.item == "temporal-09" and turn.times == 1:
        return [Send(http(401, b'{"error":{"message":"no such key"}}'))]
    if turn.item == "user-02" and turn.times == 1:
        return [Send(http(503))]
    if turn.item == "assistant-03" and turn.times == 1:
        return [Close()]
    if turn.item == "multi-04":
        _finish(turn, _CUT[turn.provider])
    if turn.item == "temporal-04" and turn.times == 1:
        _say(turn, "No. The user said yesterday.")
    return None


def _say(turn: Turn, text: str) -> None:
    if turn.provider == "openai":
        turn.reply["choices"][0]["message"]["content"] = text
    else:
        turn.reply["content"][0]["text"] = text


def _finish(turn: Turn, finish: str) -> None:
    if turn.provider == "openai":
        turn.reply["choices"][0]["finish_reason"] = finish
    else:
        turn.reply["stop_reason"] = finish
