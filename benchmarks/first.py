"""The command itself, with its SDK imported and timed beforehand.

    python benchmarks/first.py ANSWERS REFERENCES BASE_URL RUN

Prints one JSON object: modules_s (what the command imports itself), sdk_s (what the SDK adds to
that), and at_s, the moment of the first intent in seconds since the epoch.
"""

import contextlib
import importlib
import io
import json
import sys
import time
from pathlib import Path

from asked import at
from server import MODEL

OURS = ("judge.cli", "judge.cli.running", "judge.providers.openai_chat")
SDK = ("httpx2", "openai", "judge.providers.oracle")
"""What opening a judge imports: see judge.providers.openai_chat."""


def timed(names: tuple[str, ...]) -> float:
    began = time.perf_counter()
    for name in names:
        importlib.import_module(name)
    return time.perf_counter() - began


def main(words: list[str]) -> None:
    answers, references, base_url, folder = words
    modules_s, sdk_s = timed(OURS), timed(SDK)
    from judge.cli import main as judge  # noqa: PLC0415 - timed above

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        code = judge(
            [
                *("run", "--answers", answers, "--references", references),
                *("--judge", f"openai/{MODEL}", "--base-url", base_url, "--key-env", "none"),
                *("--out", folder),
            ]
        )
    if code != 0:
        sys.exit(f"the run ended with {code}")
    with (Path(folder) / "receipts.jsonl").open("rb") as file:
        next(file)
        first = at(next(file))
    print(json.dumps({"modules_s": modules_s, "sdk_s": sdk_s, "at_s": first}))  # noqa: TID251 - for the parent process


if __name__ == "__main__":
    main(sys.argv[1:])
