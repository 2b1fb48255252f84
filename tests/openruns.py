"""Small runs that can be stopped anywhere: four saved answers, two controls for each batch.

In: a folder, a server or none (then the embedded rule is the judge), what differs. Out: the run's
configuration, or its outcome.
"""

from pathlib import Path

from faultserver import FaultServer, Send, json_reply
from stretches import EXAMPLES, MODEL

from judge.config import AnswersConfig, JudgeConfig, Limits, ReferencesConfig, RunConfig
from judge.judging import Outcome, run
from judge.stretch import Settings

__all__ = ["ANSWERS", "CONTROLS", "NO_KEY", "configured", "ran"]

ANSWERS = 4
CONTROLS = 2
NO_KEY = Send(json_reply({"error": {"message": "no", "code": "invalid_api_key"}}, status=401))
"""What stops a run, cleanly, at the request it answers."""


def configured(server: FaultServer | None, **changes: object) -> RunConfig:
    """Return the configuration, `changes` over it."""
    judge = JudgeConfig(provider="lexical")
    if server is not None:
        url = server.base_url("openai")
        judge = JudgeConfig(provider="openai", model=MODEL, base_url=url, key_env="none")
    config = RunConfig(
        answers=(AnswersConfig(file=str(EXAMPLES / "pass-1.jsonl")),),
        references=ReferencesConfig(file=str(EXAMPLES / "references.json")),
        judges=(judge,),
        positive=CONTROLS // 2,
        negative=CONTROLS // 2,
        only=("type=single-session-user",),
        limit=ANSWERS,
        limits=Limits(max_connections=1, backoff_ms=1, tries=2, deadline_s=20),
    )
    return config.model_copy(update=changes)


def ran(folder: Path, server: FaultServer | None = None, **changes: object) -> Outcome:
    """Run it until it ends or stops."""
    config = configured(server, **changes)
    return run(config, folder, Settings(limits=config.limits))
