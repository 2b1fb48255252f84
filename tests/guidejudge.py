"""The stand-in judge of the guides: sensible, and with the habits that a guide shows.

Says of the examples what a careful reader would, and of other texts yes where the reference answer
stands in the response. Under a template that asks for exactness
it rejects what says more than that; `my-strict-model` always does; one question gets another label
every third time it is asked.
"""

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from faultserver import Action, FaultServer, Send, WireRequest, chat_reply, json_reply

__all__ = ["GuideJudge"]

_GOLDS = ("Reference answer", "Rubric", "Explanation")
_DECLINES = ("not ", "n't", "cannot", "no information", "unable", "incomplete")
_WAVERS = "Where is the project meeting held now?"
_LONG = 52


class GuideJudge(FaultServer):
    """One server for all guides."""

    def __init__(self) -> None:
        super().__init__(self._reply)
        self._times: Counter[bytes] = Counter()

    def _reply(self, request: WireRequest, number: int) -> Sequence[Action]:
        self._times[request.body] += 1
        asked = request.json()
        prompt, model = str(asked["messages"][-1]["content"]), str(asked["model"])
        right = _right(prompt, strict=model == "my-strict-model")
        if self._times[request.body] % 3 == 0 and _WAVERS in prompt:
            right = not right
        reply = chat_reply("yes" if right else "no", model=model, number=number, tokens=len(prompt))
        return [Send(json_reply(reply, number=number))]


_EXAMPLES = Path(__file__).parents[1] / "examples"
_SLIPS = {"assistant-03": True, "multi-04": False, "update-12_abs": False}
"""The labels of the examples that are wrong on purpose, as a careful reader would have them."""


@cache
def _labels() -> dict[str, bool]:
    """What a careful reader says of each saved answer that has a label."""
    found: dict[str, bool] = {}
    for name in ("pass-1.jsonl", "pass-2.jsonl"):
        for line in (_EXAMPLES / name).read_text("utf-8").splitlines():
            row = json.loads(line)
            if "autoeval_label" in row:
                label = bool(row["autoeval_label"]["label"])
                found[row["hypothesis"]] = _SLIPS.get(row["question_id"], label)
    return found


def _right(prompt: str, *, strict: bool) -> bool:
    kind = next(name for name in _GOLDS if f"\n\n{name}: " in prompt)
    gold, _, rest = prompt.partition(f"\n\n{kind}: ")[2].partition("\n\nResponse: ")
    response = rest.rpartition("\n\n")[0]
    if kind == "Explanation":
        return _labels().get(response, any(word in response for word in _DECLINES))
    says_more = len(response) - len(gold) > _LONG
    right = response == gold or _labels().get(response, gold in response)
    return right and not ((strict or "exactly" in prompt) and says_more)
