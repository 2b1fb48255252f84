"""Stretches of a run: `judge` in a process of its own that can be hurt, or going on here."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longmemeval import sensible

from judge.config import JudgeConfig, RunConfig
from judge.judging import Outcome, resume
from judge.questions import RULES, Rules
from judge.stretch import Settings, Watch

__all__ = [
    "EXAMPLES",
    "FILES",
    "MODEL",
    "Ended",
    "command",
    "ended",
    "labelled",
    "on_server",
    "resumed",
    "started",
    "until",
]

EXAMPLES = Path(__file__).parents[1] / "examples"
FILES = (
    *("--answers", str(EXAMPLES / "pass-1.jsonl")),
    *("--references", str(EXAMPLES / "references.json")),
)
MODEL = "gpt-4o-2024-08-06"
_LAUNCHER = Path(__file__).with_name("launcher.py")
_PATIENCE_S = 60.0


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    err: str


def on_server(base_url: str, connections: int = 4) -> tuple[str, ...]:
    """Return the words that ask a model behind this address."""
    return (
        *("--judge", f"openai/{MODEL}", "--base-url", base_url, "--key-env", "none"),
        *("--max-connections", str(connections)),
    )


def labelled(body: dict[str, Any]) -> str:
    """Answer a request as a sound judge of our own rubric does."""
    return sensible(body["messages"][-1]["content"])


def command(*words: str, taken: tuple[str, ...] = ()) -> list[str]:
    """Return how `judge WORDS` is started; see launcher.py for what can be taken away."""
    return [sys.executable, "-P", str(_LAUNCHER), *taken, "--", *words]


def started(
    *words: str,
    taken: tuple[str, ...] = (),
    env: Mapping[str, str] | None = None,
    stdout: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
) -> "subprocess.Popen[str]":
    """Start `judge WORDS` in a process of its own."""
    return subprocess.Popen(
        command(*words, taken=taken),
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        text=True,
    )


def ended(process: "subprocess.Popen[str]") -> Ended:
    """Wait for a command to end; one that does not is killed, and the test fails."""
    try:
        out, err = process.communicate(timeout=_PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"the command did not end: {out!r} {err!r}") from None
    return Ended(process.returncode, out, err)


def until(condition: Callable[[], bool]) -> None:
    """Return as soon as this holds; fail when it does not come to hold."""
    limit = time.monotonic() + _PATIENCE_S
    while not condition():
        assert time.monotonic() < limit, "it did not come to this"
        time.sleep(0.002)


def resumed(
    folder: Path,
    judge: Mapping[str, object] | None = None,
    *,
    leave_unknown: bool = False,
    recheck: bool = False,
    rules: Rules = RULES,
    **limits: int,
) -> Outcome:
    """Go on with a run in this process; `judge` changes its single judge."""

    def change(config: RunConfig) -> tuple[RunConfig, Settings]:
        judges: tuple[JudgeConfig, ...] = config.judges
        if judge:
            judges = (judges[0].model_copy(update=dict(judge)),)
        changed = config.limits.model_copy(update={"backoff_ms": 1, **limits})
        settings = Settings(limits=changed, leave_unknown=leave_unknown, recheck=recheck)
        return config.model_copy(update={"judges": judges}), settings

    return resume(folder, change, Watch(), rules)
