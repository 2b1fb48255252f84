"""kill -9 at random moments of a run of 500 real saved answers, resumed, proved, held to its word.

    python benchmarks/kills.py [--kills 20] [--seed 0] [--latency-ms 40] [--connections 8]

Needs ../shared. The judge runs in one process, the server it asks in another, and this one kills.
One line a kill; exit 1 when a promise was broken. What is promised: tests/promises.py.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).parents[1]
sys.path.insert(0, str(PROJECT / "tests"))

from faultserver import Action, JudgeServer, WireRequest  # noqa: E402
from longmemeval import MODEL, PASS_1, REFERENCES, SavedJudge, source_file  # noqa: E402
from promises import broken, digests, lines, requests  # noqa: E402

CONTROLS = 24
ROWS = 500
FEWEST_UNKNOWN = 5


# --- the server, in a process of its own ---------------------------------------------------------


class Logged(JudgeServer):
    """Writes the digest of every body it gets, before it answers."""

    def __init__(self, log: Path, latency_s: float) -> None:
        super().__init__(SavedJudge(1), latency=latency_s)
        self._log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def asked(self, request: WireRequest) -> Sequence[Action]:
        os.write(self._log, next(iter(digests([request.body]))).encode() + b"\n")
        return super().asked(request)


def serve(log: Path, latency_s: float) -> None:
    with Logged(log, latency_s) as server:
        print(server.base_url("openai"), flush=True)
        sys.stdin.read()  # until the other process closes it


@contextmanager
def served(log: Path, latency_ms: int) -> Iterator[str]:
    words = ["--serve", str(log), "--latency-ms", str(latency_ms)]
    with subprocess.Popen(
        [sys.executable, __file__, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.communicate()


# --- one run and its kill -------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """Where runs are made."""

    home: Path
    log: Path
    base_url: str
    connections: int

    def judge(self, *words: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "judge", *words],
            cwd=PROJECT,
            env={**os.environ, "JUDGE_HOME": str(self.home)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, folder: Path) -> "subprocess.Popen[str]":
        return self.judge(
            *("run", "--answers", str(PASS_1), "--references", str(REFERENCES)),
            *("--rubric", "longmemeval/upstream", "--judge", f"openai/{MODEL}"),
            *("--base-url", self.base_url, "--key-env", "none", "--out", str(folder)),
            *("--max-connections", str(self.connections)),
        )

    def ended(self, *words: str) -> int:
        process = self.judge(*words)
        process.communicate()
        return process.returncode

    def seen(self, since: int) -> Counter[str]:
        return Counter(self.log.read_text().splitlines()[since:])

    def length(self) -> int:
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0


@dataclass
class Kill:
    """What one kill came to."""

    moment_ms: int
    phase: str
    on_disk: int
    torn: bool
    sent: int
    unknown: int
    careful: int
    word: str
    told: int
    state: str
    resent: int
    requests: int
    intents: int
    faults: list[str]

    def line(self, number: int) -> str:
        return (
            f"{number:>4}  {self.moment_ms:>6}  {self.phase:<8}  {self.on_disk:>6}  "
            f"{'torn' if self.torn else '-':<4}  {self.sent:>5}  {self.unknown:>7}  "
            f"{self.careful:>4}  {self.word:<18}  {self.told:>4}  {self.state:<10}  "
            f"{self.resent:>6}  {self.requests:>8}  {self.intents:>7}  "
            f"{'; '.join(self.faults) or 'kept'}"
        )


HEAD = (
    "kill      ms  phase     lines  tail   sent  unknown  exit  then                exit  "
    "state       resent  requests  intents  promises"
)


def wait_for_requests(place: Place, process: "subprocess.Popen[str]", count: int) -> None:
    while place.length() < count and process.poll() is None:
        time.sleep(0.002)


def timed(place: Place, folder: Path) -> tuple[float, float]:
    """Return the seconds from the first request to the last control's, and to the end."""
    since = place.length()
    process = place.run(folder)
    wait_for_requests(place, process, since + 1)
    began = time.monotonic()
    wait_for_requests(place, process, since + CONTROLS)
    controls = time.monotonic() - began
    wait_for_requests(place, process, since + CONTROLS + ROWS)
    whole = time.monotonic() - began
    process.communicate()
    assert process.returncode == 0, process.returncode
    return controls, whole


def killed(place: Place, folder: Path, moment_s: float, word: tuple[str, ...]) -> Kill:
    since = place.length()
    process = place.run(folder)
    wait_for_requests(place, process, since + 1)
    time.sleep(moment_s)
    process.kill()
    process.communicate()
    assert process.returncode == -9, "the run ended before its kill"
    ledger = folder / "receipts.jsonl"
    torn = not ledger.read_bytes().endswith(b"\n")
    phase = "answers" if b'"phase":"answer"' in ledger.read_bytes() else "controls"
    on_disk = ledger.read_bytes().count(b"\n")
    sent = place.seen(since).total()
    faults: list[str] = []
    careful = place.ended("resume", str(folder))
    unknown = lost(folder)
    faults += checked(place, folder, since)
    if careful != (4 if unknown else 0):
        faults.append(f"resume ended with {careful} and {unknown} unknown")
    told = place.ended("resume", *word, str(folder)) if unknown else careful
    faults += checked(place, folder, since)
    state = sealed(folder)
    wanted = ("incomplete", 4) if unknown and word[0] == "--leave-unknown" else ("complete", 0)
    if word[0] == "--leave-unknown" and phase == "controls":
        wanted = (state, told)  # left controls may or may not fail the gate
    if (state, told) != wanted:
        faults.append(f"{state} with exit {told}, not {wanted}")
    found = lines(folder)
    resent = sum(line.kind == "intent" and line.public["after_unknown"] for line in found)
    return Kill(
        round(moment_s * 1000),
        phase,
        on_disk,
        torn,
        sent,
        unknown,
        careful,
        " ".join(word).removeprefix("--") if unknown else "-",
        told,
        state,
        resent,
        place.seen(since).total(),
        requests(found).total(),
        faults,
    )


def lost(folder: Path) -> int:
    """Count the attempts without a receipt, or whose receipt says unknown."""
    state: dict[tuple[object, ...], bool] = {}
    for line in lines(folder):
        if line.kind in {"intent", "receipt"}:
            names = ("phase", "batch", "condition", "repetition", "row")
            key = tuple(line.public[name] for name in names)
            state[key] = line.kind == "intent" or line.public["outcome"] == "unknown"
    return sum(state.values())


def sealed(folder: Path) -> str:
    last = lines(folder)[-1]
    return str(last.public["state"]) if last.kind == "seal" else "open"


def checked(place: Place, folder: Path, since: int) -> list[str]:
    """Return what does not hold of a run as it lies there."""
    faults = broken(lines(folder), place.seen(since))
    expected = 4 if sealed(folder) == "open" else 0
    code = place.ended("verify", str(folder))
    if code != expected:
        faults.append(f"judge verify says {code}")
    script = PROJECT / "receipts" / "verify.py"
    if script.exists():
        alone = subprocess.run(
            [sys.executable, script, folder], capture_output=True, check=False, text=True
        )
        if alone.returncode != expected:
            faults.append(f"receipts/verify.py says {alone.returncode}: {alone.stdout.strip()}")
    return faults


# --- all of them ----------------------------------------------------------------------------------


def prepared(folder: Path) -> Path:
    """Bring the upstream texts into a store of our own."""
    home = folder / "home"
    subprocess.run(
        [
            *(sys.executable, "-m", "judge", "templates", "add", "longmemeval/upstream"),
            *("--from", str(source_file(folder))),
        ],
        cwd=PROJECT,
        env={**os.environ, "JUDGE_HOME": str(home)},
        check=True,
        capture_output=True,
    )
    return home


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--latency-ms", type=int, default=40)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--serve", type=Path)
    args = parser.parse_args()
    if args.serve:
        serve(args.serve, args.latency_ms / 1000)
        return 0
    chance = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with served(folder / "log", args.latency_ms) as base_url:
            place = Place(prepared(folder), folder / "log", base_url, args.connections)
            controls_s, whole_s = timed(place, folder / "whole")
            print(f"unharmed: controls {controls_s:.2f} s, all {whole_s:.2f} s\n{HEAD}", flush=True)
            kills = []
            for number in range(args.kills):
                # The first falls among the controls, the others anywhere.
                moment = chance.uniform(0, (controls_s if number == 0 else whole_s) * 0.95)
                word = ("--leave-unknown",) if number % 5 == 4 else ("--resend-unknown", "1")
                kills.append(killed(place, folder / f"run-{number}", moment, word))
                print(kills[-1].line(number + 1), flush=True)
    return told(kills)


def told(kills: list[Kill]) -> int:
    faults = sum(len(kill.faults) for kill in kills)
    unknown = sum(kill.unknown > 0 for kill in kills)
    controls = sum(kill.phase == "controls" for kill in kills)
    print(
        f"{len(kills)} kills, {controls} among the controls; {unknown} left unknowns; "
        f"{sum(k.requests for k in kills)} requests, {sum(k.intents for k in kills)} intents; "
        f"{faults} promises broken"
    )
    enough = controls >= 1 and unknown >= min(FEWEST_UNKNOWN, len(kills))
    return 0 if faults == 0 and enough else 1


if __name__ == "__main__":
    sys.exit(main())
