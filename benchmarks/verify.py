"""Receipts per second of `judge verify` (render, hash, re-read) and of receipts/verify.py.

    python benchmarks/verify.py [--rows 20000] [--rounds 3]

Whole processes, start included; a receipt is one closed attempt (its intent is verified with it, so
there are two lines for each). The round's two programs take turns.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from material import written
from measured import PROJECT, Took, judge, machine, median, script, took
from server import served

TARGETS = {"judge verify": (5_000, 20_000), "receipts/verify.py": (2_000, 4_000)}
_CONNECTIONS = 64


def both(run: Path) -> dict[str, Took]:
    return {
        "judge verify": judge("verify", run),
        "receipts/verify.py": took(sys.executable, PROJECT / "receipts" / "verify.py", run),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="receipts per second of both verifiers")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    print(machine(), flush=True)
    with tempfile.TemporaryDirectory(prefix="verify-") as name:
        folder = Path(name)
        run = folder / "run"
        answers, references = written(folder, args.rows)
        with served(folder) as server:
            words = (answers, references, server.base_url(), run, _CONNECTIONS)
            receipts = script("asked.py", *words)["rows"]
        size = (run / "receipts.jsonl").stat().st_size
        print(f"{receipts:,} receipts, {size / 1e6:,.0f} MB of lines; {args.rounds} rounds\n")
        rounds = [both(run) for _ in range(args.rounds)]
    print("program             receipts/s  (lowest to highest)   CPU µs/receipt  peak MB  target")
    for program, (least, dream) in TARGETS.items():
        times = [one[program].wall_s for one in rounds]
        speed = receipts / median(times)
        word = "dream" if speed >= dream else "met" if speed >= least else "missed"
        spread = f"({receipts / max(times):,.0f} to {receipts / min(times):,.0f})"
        cpu = median(one[program].cpu_s for one in rounds) / receipts * 1e6
        peak = max(one[program].peak_mb for one in rounds)
        print(
            f"{program:<18}  {speed:>10,.0f}  {spread:<20}  {cpu:>14,.0f}  {peak:>7,.0f}  "
            f"≥ {least:,}: {word}"
        )
    print(f"\n{machine()}")


if __name__ == "__main__":
    main()
