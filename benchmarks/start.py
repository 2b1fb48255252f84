"""How long one waits before anything happens: help, show, and the first call of a run.

    python benchmarks/start.py [--rows 500] [--times 7]

Whole processes, medians. The SDK's import is timed apart, after all that the command imports
itself, so it is what the SDK adds.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from material import written
from measured import Took, judge, machine, median, script, took
from server import Server, served

TARGETS_S = {
    "python -c pass": (None, None),
    "judge --help": (0.3, 0.15),
    "judge run --help": (0.6, 0.3),
    "judge show": (0.8, 0.4),
    "judge verify": (None, None),
    "first call, SDK import apart": (1.0, 0.4),
    "the SDK's import": (None, None),
}


Waited = tuple[float, float | None]
"""Seconds, and CPU seconds where the process did nothing else."""


def waits(folder: Path, server: Server, rows: int, times: int) -> dict[str, Waited]:
    answers, references = written(folder, rows)
    firsts = [
        first(answers, references, server.base_url(), folder / f"run-{number}")
        for number in range(times)
    ]
    run = folder / "run-0"
    commands: dict[str, Callable[[], Took]] = {
        "python -c pass": lambda: took(sys.executable, "-c", "pass"),
        "judge --help": lambda: judge("--help"),
        "judge run --help": lambda: judge("run", "--help"),
        "judge show": lambda: judge("show", run),
        "judge verify": lambda: judge("verify", run),
    }
    found = {name: medians(times, measure) for name, measure in commands.items()}
    found["first call, SDK import apart"] = median(whole - sdk for whole, sdk in firsts), None
    found["the SDK's import"] = median(sdk for _, sdk in firsts), None
    return found


def medians(times: int, measure: Callable[[], Took]) -> Waited:
    each = [measure() for _ in range(times)]
    return median(one.wall_s for one in each), median(one.cpu_s for one in each)


def first(answers: Path, references: Path, base_url: str, run: Path) -> tuple[float, float]:
    """Seconds from the start of a process to its first intent, and the SDK's part of them."""
    began = time.time_ns() / 1e9
    found = script("first.py", answers, references, base_url, run)
    return found["at_s"] - began, found["sdk_s"]


def main() -> None:
    parser = argparse.ArgumentParser(description="seconds until something happens")
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--times", type=int, default=7)
    args = parser.parse_args()
    print(machine(), flush=True)
    with tempfile.TemporaryDirectory(prefix="start-") as name, served(Path(name)) as server:
        found = waits(Path(name), server, args.rows, args.times)
    print(f"{args.rows:,} rows; medians of {args.times}\n")
    print("what                              seconds  CPU s   target")
    for what, (seconds, cpu) in found.items():
        least, dream = TARGETS_S[what]
        used = "     " if cpu is None else f"{cpu:.3f}"
        line = f"{what:<32}  {seconds:>7.3f}  {used}"
        if least is not None and dream is not None:
            word = "dream" if seconds < dream else "met" if seconds < least else "missed"
            line += f"   < {least:g}: {word}"
        print(line)
    print(f"\n{machine()}")


if __name__ == "__main__":
    main()
