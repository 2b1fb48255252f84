"""A small real run: ten of our examples, six controls an arm, a judge on loopback that can err.

In: what the server does to a question (`Act`; None is a sound answer). Out: the run's outcome and
every line it wrote, read without the package's own reader.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import orjson
from faultserver import Action, FaultServer, Send, WireRequest, chat_reply, json_reply
from faultserver import messages_reply as _messages_reply

from judge.config import AnswersConfig, JudgeConfig, Limits, ReferencesConfig, RunConfig
from judge.judging import Outcome, resume, run
from judge.stretch import Settings, Watch

__all__ = [
    "ANSWERS",
    "CONTROLS",
    "PROVIDERS",
    "TARGET",
    "Act",
    "Line",
    "Provider",
    "Ran",
    "SmallJudge",
    "Turn",
    "configured",
    "ran",
    "resumed",
    "sound",
]

Provider = Literal["openai", "anthropic"]
PROVIDERS: tuple[Provider, ...] = ("openai", "anthropic")

_EXAMPLES = Path(__file__).parents[1] / "examples"
_MODELS = {"openai": "gpt-4o-2024-08-06", "anthropic": "claude-opus-5-5"}
_IDS = (
    *("user-01", "user-02", "assistant-03", "multi-04", "temporal-04"),
    *("temporal-09", "update-01", "update-06", "preference-01", "multi-11_abs"),
)
TARGET = "multi-04"
"""The saved answer that a fault is shown on; the fourth of ten."""
ANSWERS = len(_IDS)
CONTROLS = 12
"""Six an arm."""
_GOLDS = ("Reference answer", "Rubric", "Explanation")
_DECLINES = ("not ", "n't", "cannot", "no information", "unable", "incomplete")


def _responses() -> dict[str, str]:
    rows = map(orjson.loads, (_EXAMPLES / "pass-1.jsonl").read_bytes().splitlines())
    return {row["hypothesis"]: row["question_id"] for row in rows if row["question_id"] in _IDS}


_ITEMS = _responses()


@dataclass(frozen=True)
class Turn:
    """One question as the server sees it, and how it would be answered soundly."""

    provider: Provider
    item: str | None
    """The id of the saved answer that is asked about; None for a control."""
    kind: str
    """What the gold field is called: `Explanation` is the abstention route."""
    times: int
    """How often this very question has come, from 1."""
    number: int
    """Which request of the server this is, from 1."""
    reply: dict[str, Any]
    """The sound reply, to be spoilt at will."""

    @property
    def label(self) -> str:
        """What a sound judge says."""
        if self.provider == "openai":
            return str(self.reply["choices"][0]["message"]["content"])
        return str(self.reply["content"][0]["text"])


Act = Callable[[Turn], Sequence[Action] | None]


def sound(turn: Turn) -> None:
    """Answer as a sound judge does."""


class SmallJudge(FaultServer):
    """Says yes exactly where the reference answer stands in the response; `act` may say more."""

    def __init__(self, act: Act = sound, **more: Any) -> None:  # noqa: ANN401 - FaultServer's own
        super().__init__(self._reply, **more)
        self._act = act
        self._times: Counter[bytes] = Counter()
        self.turns: list[Turn] = []
        """Every question, in the order of arrival."""

    def _reply(self, request: WireRequest, number: int) -> Sequence[Action]:
        self._times[request.body] += 1
        turn = _turn(request, number, self._times[request.body])
        self.turns.append(turn)
        actions = self._act(turn)
        return [Send(json_reply(turn.reply, number=number))] if actions is None else actions


def _turn(request: WireRequest, number: int, times: int) -> Turn:
    asked = request.json()
    messages = request.path.endswith("/messages")
    prompt = str(asked["messages"][-1]["content"])
    kind = next(name for name in _GOLDS if f"\n\n{name}: " in prompt)
    gold, _, rest = prompt.partition(f"\n\n{kind}: ")[2].partition("\n\nResponse: ")
    response = rest.rpartition("\n\n")[0]
    if kind == "Explanation":
        right = any(word in response for word in _DECLINES)
    else:
        right = gold in response
    shape = _messages_reply if messages else chat_reply
    reply = shape("yes" if right else "no", model=str(asked["model"]), number=number)
    provider: Provider = "anthropic" if messages else "openai"
    return Turn(provider, _ITEMS.get(response), kind, times, number, reply)


# --- the run --------------------------------------------------------------------------------------


def configured(provider: Provider, base_url: str, **limits: int) -> RunConfig:
    """Return the small run's configuration; waits of our own are a millisecond."""
    judge = JudgeConfig(
        provider=provider,
        model=_MODELS[provider],
        base_url=base_url,
        key_env="none",
        # The Messages API takes neither; leaving them out is a named deviation.
        unset=("n", "temperature") if provider == "anthropic" else (),
    )
    small = {"max_connections": 4, "deadline_s": 30, "tries": 5, "backoff_ms": 1}
    return RunConfig(
        answers=(AnswersConfig(file=str(_EXAMPLES / "pass-1.jsonl")),),
        references=ReferencesConfig(file=str(_EXAMPLES / "references.json")),
        judges=(judge,),
        positive=CONTROLS // 2,
        negative=CONTROLS // 2,
        only=("id=" + ",".join(_IDS),),
        limits=Limits.model_validate({**small, "max_reply_bytes": 100_000, **limits}),
    )


@dataclass(frozen=True)
class Line:
    """One line of receipts.jsonl."""

    public: dict[str, Any]
    private: dict[str, Any]

    @property
    def kind(self) -> str:
        """The line's kind."""
        return str(self.public["kind"])

    @property
    def item(self) -> str | None:
        """The id of the row a receipt is about."""
        told = self.private.get("item")
        return None if told is None else cast("str", orjson.loads(told["data"])["id"])


@dataclass(frozen=True)
class Ran:
    """A run and its lines."""

    outcome: Outcome
    lines: tuple[Line, ...]

    def of(self, kind: str) -> list[Line]:
        """Return the lines of a kind."""
        return [line for line in self.lines if line.kind == kind]


def ran(
    config: RunConfig,
    folder: Path,
    changes: Mapping[str, object] | None = None,
    watch: Watch | None = None,
) -> Ran:
    """Run it, `changes` over the configuration, and read back what was written."""
    config = config.model_copy(update=dict(changes or {}))
    outcome = run(config, folder, Settings(limits=config.limits), watch)
    return Ran(outcome, lines(folder))


def resumed(
    found: Ran, *, leave_unknown: bool = False, recheck: bool = False, **limits: int
) -> Ran:
    """Go on with a run as its configuration says, these limits over it."""

    def change(config: RunConfig) -> tuple[RunConfig, Settings]:
        over = Limits.model_validate({**dict(config.limits), **limits})
        return config, Settings(limits=over, leave_unknown=leave_unknown, recheck=recheck)

    outcome = resume(found.outcome.folder, change)
    return Ran(outcome, lines(outcome.folder))


def lines(folder: Path) -> tuple[Line, ...]:
    """Return every line of a run, as plain JSON."""
    data = (folder / "receipts.jsonl").read_bytes()
    rows = [orjson.loads(line) for line in data.splitlines()]
    return tuple(Line(row["public"], row.get("private", {})) for row in rows)
