"""The most memory of a run, of its verification and of show.

    python benchmarks/memory.py [--rows 100000] [--million]

Resident set at its peak, of each process alone, in units of 1,000,000 bytes. A run of a million
rows takes half an hour and nine gigabytes of disk.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from material import written
from measured import HERE, PROJECT, Took, judge, machine, took
from server import Server, served

MILLION = 1_000_000
MOST_MB = {100_000: 150, MILLION: 250}
_CONNECTIONS = 256


def programs(folder: Path, server: Server, rows: int) -> Iterator[tuple[str, Took]]:
    run = folder / f"run-{rows}"
    answers, references = written(folder, rows)
    words = (answers, references, server.base_url(), run, _CONNECTIONS)
    ran = took(sys.executable, HERE / "asked.py", *words)
    stages = json.loads(ran.out)
    print(
        f"{rows:,} rows: {stages['before_s']:.0f} s to check and freeze, {stages['wall_s']:.0f} s "
        f"to ask, {stages['after_s']:.0f} s to prove; "
        f"{(run / 'receipts.jsonl').stat().st_size / 1e6:,.0f} MB of receipts"
    )
    yield "run", ran
    yield "verify", judge("verify", run)
    yield "show", judge("show", run)
    yield "receipts/verify.py", took(sys.executable, PROJECT / "receipts" / "verify.py", run)


def main() -> None:
    parser = argparse.ArgumentParser(description="peak memory of run, verify and show")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--million", action="store_true", help="a million rows as well")
    args = parser.parse_args()
    print(machine(), flush=True)
    with tempfile.TemporaryDirectory(prefix="memory-") as name, served(Path(name)) as server:
        for rows in (args.rows, *([MILLION] if args.million else [])):
            told(rows, dict(programs(Path(name), server, rows)))
    print(f"\n{machine()}")


def told(rows: int, found: dict[str, Took]) -> None:
    most = MOST_MB.get(rows)
    print("program             peak MB   wall s    CPU s")
    for program, one in found.items():
        line = f"{program:<18}  {one.peak_mb:>7,.0f}  {one.wall_s:>7,.1f}  {one.cpu_s:>7,.1f}"
        if most is not None and program != "receipts/verify.py":
            line += f"   < {most}: {'met' if one.peak_mb < most else 'missed'}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
