"""The sealed run that ships with the project, for people to look at and for both verifiers."""

import subprocess
import sys
from pathlib import Path

from judge.recount import recount
from judge.report.summary import summarise

RECEIPTS = Path(__file__).parents[1] / "receipts"


def test_the_sample_is_proved_by_the_package() -> None:
    """The shipped run is complete, and its counts follow."""
    summary = summarise(recount(RECEIPTS / "sample"))
    group = summary.conditions[0]

    assert summary.state == "complete"
    assert (group.accepted, group.asked) == (14, 26)


def test_the_sample_is_proved_by_the_single_file() -> None:
    """The file an auditor runs by itself comes to the same head."""
    head = (RECEIPTS / "sample" / "seal.txt").read_text("ascii").splitlines()[2]
    done = subprocess.run(
        [sys.executable, "-I", RECEIPTS / "verify.py", RECEIPTS / "sample", "--expect-head", head],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert head in done.stdout
