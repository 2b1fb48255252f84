"""The benchmarks still run: a measurement that cannot be repeated is none."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
BENCHMARKS = PROJECT / "benchmarks"
SERVER = PROJECT.parent / "shared" / "bench" / "fakeserver.c"

needs_server = pytest.mark.skipif(
    not SERVER.is_file() or shutil.which("gcc") is None,
    reason="the server the benchmarks ask (../shared), or a compiler for it, is not here",
)


def ran(name: str, *words: str) -> str:
    """What a benchmark prints."""
    done = subprocess.run(
        [sys.executable, BENCHMARKS / name, *words],
        capture_output=True,
        check=True,
        cwd=PROJECT,
        text=True,
    )
    return done.stdout


def test_the_rows_are_the_same_each_time(tmp_path: Path) -> None:
    """Two makings of the rows give the same bytes, so that two measurements can be compared."""
    program = "import sys, pathlib, material; material.written(pathlib.Path(sys.argv[1]), 50)"
    found = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        subprocess.run([sys.executable, "-c", program, folder], check=True, cwd=BENCHMARKS)
        files = sorted(folder.iterdir())
        found.append([hashlib.sha256(file.read_bytes()).hexdigest() for file in files])
    assert found[0] == found[1]
    assert len(found[0]) == 2


@needs_server
def test_one_setting_is_measured_beside_every_bare_loop() -> None:
    """A small throughput run asks through the gate and prints every client and its verdicts."""
    out = ran("throughput.py", "--rows", "40", "--rounds", "1", "--only", "32x0")
    for client in ("create", "httpx2", "aiohttp", "door", "judge"):
        assert f"\n{client} " in out
    assert "rows/s ÷ SDK create, 32" in out
    assert "÷ bare aiohttp, 256" not in out


@needs_server
def test_both_verifiers_are_timed_on_a_run() -> None:
    """A small verify run proves one run by both programs and prints their speeds."""
    out = ran("verify.py", "--rows", "40", "--rounds", "1")
    assert out.startswith("20")
    assert "\njudge verify " in out
    assert "\nreceipts/verify.py " in out
