"""A command in, what it took out: seconds, CPU seconds and the most memory, of that process alone.

Standard library only: a process that starts another lends it its own size, so it must stay small.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PROJECT = HERE.parent


@dataclass(frozen=True)
class Took:
    """What one process took."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    """The largest resident set, in units of 1,000,000 bytes."""
    out: str


def took(*words: object, exit_code: int = 0) -> Took:
    """Run a command to its end; leaves the script with its last words when it fails."""
    began = time.perf_counter()
    with subprocess.Popen(
        [str(word) for word in words], cwd=PROJECT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        out = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != exit_code:
        sys.exit(f"{' '.join(map(str, words[:4]))} … ended with {process.returncode}: {out[-500:]}")
    wall = time.perf_counter() - began
    return Took(wall, usage.ru_utime + usage.ru_stime, _mb(usage), out)


def _mb(usage: resource.struct_rusage) -> float:
    unit = 1 if sys.platform == "darwin" else 1024  # bytes there, kilobytes here
    return usage.ru_maxrss * unit / 1e6


def judge(*words: object) -> Took:
    """Run a judge command in a process of its own."""
    return took(sys.executable, "-m", "judge", *words)


def script(name: str, *words: object) -> dict[str, Any]:
    """Run a script of this folder that prints one JSON object, and return it."""
    found: dict[str, Any] = json.loads(took(sys.executable, HERE / name, *words).out)
    return found


def median(of: Iterable[float]) -> float:
    """Return the median."""
    return statistics.median(of)


def machine() -> str:
    """Say in words what this runs on, and how busy it is."""
    load = os.getloadavg()
    return (
        f"{time.strftime('%Y-%m-%d %H:%M', time.gmtime())} UTC, {os.cpu_count()} cores, Python "
        f"{sys.version.split()[0]}, load {load[0]:.2f} (1 min), {load[2]:.2f} (15 min)"
    )
