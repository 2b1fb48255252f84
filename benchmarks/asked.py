"""One run through the real gate, in a process of its own, so that its CPU time is its alone.

    python benchmarks/asked.py ANSWERS REFERENCES BASE_URL RUN CONNECTIONS [ROWS]

Prints one JSON object: rows (controls included), wall_s (first intent to seal, by the ledger's own
times), cpu_s (first closed attempt to last), and the seconds of the whole run by stage.
"""

import datetime as dt
import json
import sys
import time
from pathlib import Path

from server import MODEL

from judge.asking import Asked
from judge.config import AnswersConfig, JudgeConfig, Limits, ReferencesConfig, RunConfig
from judge.judging import run
from judge.records import Cell
from judge.stretch import Watch


class Stretch(Watch):
    """Counts attempts and the CPU time between the first and the last."""

    def __init__(self) -> None:
        self.count = 0
        self.began = self.ended = 0.0

    def closed(self, cell: Cell, asked: Asked) -> None:
        del cell, asked
        self.count += 1
        self.ended = time.process_time()
        self.began = self.began or self.ended


def configured(answers: str, references: str, base_url: str, connections: int) -> RunConfig:
    return RunConfig(
        answers=(AnswersConfig(file=answers),),
        references=ReferencesConfig(file=references),
        judges=(JudgeConfig(provider="openai", model=MODEL, base_url=base_url, key_env="none"),),
        limits=Limits(max_connections=connections),
    )


def at(line: bytes) -> float:
    return dt.datetime.fromisoformat(json.loads(line)["public"]["at"]).timestamp()


def main(words: list[str]) -> None:
    answers, references, base_url, folder, connections, *rest = words
    config = configured(answers, references, base_url, int(connections))
    if rest:
        config = config.model_copy(update={"limit": int(rest[0]), "allow_partial": True})
    watch = Stretch()
    began = time.time_ns() / 1e9
    outcome = run(config, Path(folder), watch=watch)
    ended = time.time_ns() / 1e9
    if outcome.exit_code != 0:
        sys.exit(f"the run ended with {outcome.exit_code}: {outcome.halt}")
    with (Path(folder) / "receipts.jsonl").open("rb") as file:
        next(file)  # the start line is older than the imports of the SDK
        first = last = next(file)
        for line in file:
            last = line
    found = {
        "rows": watch.count,
        "wall_s": at(last) - at(first),
        "cpu_s": (watch.ended - watch.began) * watch.count / (watch.count - 1),
        "before_s": at(first) - began,
        "after_s": ended - at(last),
    }
    print(json.dumps(found))  # noqa: TID251 - for the parent process


if __name__ == "__main__":
    main(sys.argv[1:])
