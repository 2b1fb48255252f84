"""Rows per second with durable receipts, beside bare loops over the same bodies.

    python benchmarks/throughput.py [--rows 5000] [--rounds 3] [--only 32x50]

Each measurement is a process of its own, and a round asks every client once before the next round
begins, so that what else the machine does falls on all of them. Medians over rounds.
"""

import argparse
import contextlib
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from asked import configured
from material import written
from measured import machine, median, script
from server import Server, served

from judge.planning import freeze
from judge.questions import Questions

CLIENTS = ("create", "httpx2", "aiohttp", "door", "judge")
SETTINGS = ((1, 0), (32, 0), (256, 0), (32, 50))
"""Connections, and the server's latency in milliseconds."""
SHARES: dict[str, dict[tuple[int, int], float]] = {
    "create": {(1, 0): 0.10, (32, 0): 0.10, (256, 0): 0.16, (32, 50): 0.20},
    "httpx2": {(1, 0): 0.15, (32, 0): 0.20, (256, 0): 0.16, (32, 50): 0.30},
    "aiohttp": {(32, 50): 0.50},
    "judge": {(1, 0): 0.40, (32, 50): 0.60},
    "door": {(32, 50): 0.60},
}
"""How many of the rows a slow client is given."""
TARGETS: tuple[tuple[str, tuple[int, int], str, float, float], ...] = (
    ("rows/s ÷ bare httpx2, 1", (1, 0), "httpx2", 1.5, 2),
    ("rows/s ÷ bare httpx2, 32", (32, 0), "httpx2", 3, 4),
    ("rows/s ÷ bare httpx2, 256", (256, 0), "httpx2", 8, 15),
    ("rows/s ÷ SDK create, 32", (32, 0), "create", 3, 8),
    ("rows/s ÷ SDK create, 256", (256, 0), "create", 8, 20),
    ("rows/s ÷ bare aiohttp, 256", (256, 0), "aiohttp", 0.5, 1),
)
IDEAL = (32, 50)
LEAST_SHARE, DREAM_SHARE = 0.9, 0.97
MOST_MS, DREAM_MS = 0.4, 0.25


@dataclass(frozen=True)
class Speed:
    """Medians of one client under one setting."""

    rows_s: float
    cpu_ms: float


Table = dict[tuple[tuple[int, int], str], Speed]


@dataclass(frozen=True)
class Bench:
    """What all measurements share."""

    folder: Path
    server: Server
    answers: Path
    references: Path
    bodies: list[bytes]

    def measured(self, client: str, setting: tuple[int, int]) -> tuple[float, float]:
        """Rows per second and CPU milliseconds per row of one process."""
        connections, latency = setting
        count = int(len(self.bodies) * SHARES.get(client, {}).get(setting, 1))
        base_url = self.server.base_url(latency)
        if client == "judge":
            with tempfile.TemporaryDirectory(dir=self.folder) as place:
                words = (base_url, Path(place) / "run", connections, count)
                found = script("asked.py", self.answers, self.references, *words)
        else:
            part = self.folder / "part.jsonl"
            part.write_bytes(b"\n".join(self.bodies[:count]))
            found = script("loops.py", client, part, base_url, connections)
        return found["rows"] / found["wall_s"], found["cpu_s"] / found["rows"] * 1000


def bodies(folder: Path, answers: Path, references: Path) -> list[bytes]:
    """The very bodies that a run of these rows sends."""
    config = configured(str(answers), str(references), "http://127.0.0.1:9/v1", 1)
    with freeze(config, folder / "plan", "0" * 64, {}) as frozen:
        asked = Questions(frozen)
        return [asked.of(cell).body for cell in frozen.layout.answers(0)]


def sync_ms(folder: Path) -> float:
    """The median time of making 4 kB durable on this disk."""
    times = []
    with (folder / "sync").open("wb", buffering=0) as file:
        for _ in range(200):
            file.write(bytes(4096))
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


def measured(bench: Bench, settings: list[tuple[int, int]], rounds: int) -> Iterator[Table]:
    for setting in settings:
        found: dict[str, list[tuple[float, float]]] = {client: [] for client in CLIENTS}
        for number in range(rounds):
            for client in CLIENTS:
                if sys.stderr.isatty():
                    print(f"\r{setting} {number + 1}: {client:<8}\r", end="", file=sys.stderr)
                found[client].append(bench.measured(client, setting))
        table = {
            (setting, client): Speed(median(r for r, _ in runs), median(c for _, c in runs))
            for client, runs in found.items()
        }
        shown(setting, found, table)
        yield table


def shown(
    setting: tuple[int, int], found: dict[str, list[tuple[float, float]]], table: Table
) -> None:
    connections, latency = setting
    late = f", {latency} ms latency (ideal {connections * 1000 // latency})" if latency else ""
    print(f"\n{connections} connections{late}")
    print("client     judge ÷ it   rows/s  (lowest to highest)   CPU ms/row")
    ours = table[setting, "judge"]
    for client, runs in found.items():
        speed = table[setting, client]
        low, high = min(r for r, _ in runs), max(r for r, _ in runs)
        spread = f"({low:,.0f} to {high:,.0f})"
        print(
            f"{client:<9}  {ours.rows_s / speed.rows_s:>10.2f}  {speed.rows_s:>7,.0f}  "
            f"{spread:<20}  {speed.cpu_ms:>10.3f}",
            flush=True,
        )


def verdicts(table: Table) -> Iterator[str]:
    """One line for each target whose setting was measured."""
    for name, setting, client, least, dream in TARGETS:
        if (setting, client) in table:
            ratio = table[setting, "judge"].rows_s / table[setting, client].rows_s
            yield _verdict(name, ratio, f"≥ {least:g}", ratio >= least, ratio >= dream)
    for setting in ((32, 0), (256, 0)):
        if (setting, "door") in table:
            added = table[setting, "judge"].cpu_ms - table[setting, "door"].cpu_ms
            what = f"CPU ms/row beyond the bare door, {setting[0]}"
            yield _verdict(what, added, f"≤ {MOST_MS:g}", added <= MOST_MS, added <= DREAM_MS)
    if (IDEAL, "judge") in table:
        share = table[IDEAL, "judge"].rows_s / (IDEAL[0] * 1000 / IDEAL[1])
        met, dream_met = share >= LEAST_SHARE, share >= DREAM_SHARE
        yield _verdict("share of the ideal, 32 and 50 ms", share, "≥ 0.9", met, dream_met)


def _verdict(name: str, value: float, target: str, met: bool, dream: bool) -> str:  # noqa: FBT001
    word = "dream" if dream else "met" if met else "missed"
    return f"{name:<40} {value:>6.2f}   {target:<6}  {word}"


@contextlib.contextmanager
def prepared(rows: int) -> Iterator[Bench]:
    with tempfile.TemporaryDirectory(prefix="throughput-") as name:
        folder = Path(name)
        answers, references = written(folder, rows)
        with served(folder) as server:
            yield Bench(folder, server, answers, references, bodies(folder, answers, references))


def main() -> None:
    parser = argparse.ArgumentParser(description="rows per second beside bare loops")
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", help="one setting: CONNECTIONSxLATENCY_MS, as 256x0")
    args = parser.parse_args()
    settings = [s for s in SETTINGS if args.only in {None, f"{s[0]}x{s[1]}"}]
    if not settings:
        parser.error(f"--only: one of {', '.join(f'{c}x{late}' for c, late in SETTINGS)}")
    print(machine(), flush=True)
    with prepared(args.rows) as bench:
        size = statistics.mean(map(len, bench.bodies))
        print(f"{args.rows:,} rows, bodies of {size:,.0f} bytes; {args.rounds} rounds; ", end="")
        print(f"a sync of 4 kB takes {sync_ms(bench.folder):.2f} ms")
        table: Table = {}
        for part in measured(bench, settings, args.rounds):
            table |= part
    print("\n" + "\n".join(verdicts(table)))
    print(f"\n{machine()}")


if __name__ == "__main__":
    main()
