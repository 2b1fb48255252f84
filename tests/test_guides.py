"""docs/guides: every transcript is run again, and prints what the page says.

A page's blocks of `$ command` lines are run in their order, in a folder with the examples and the
files that the page shows; the server of the pages is tests/guidejudge.py. `JUDGE_GUIDES=write`
writes what was printed into the pages.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from guidejudge import GuideJudge

ROOT = Path(__file__).parents[1]
GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))
_FILE = re.compile(r"`(\S+\.yaml)`:\n\n```yaml\n(.*?)```", re.DOTALL)
_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
_ADDRESS = "http://127.0.0.1:8001/v1"
_VARYING = (
    (re.compile(r"\b[0-9a-f]{64}\b"), "…"),
    (re.compile(r"\b[0-9a-f]{12}…"), "…"),
    (re.compile(r"\b\d+ bytes, opens offline"), "… bytes, opens offline"),
    (re.compile(r"written to \S+;"), "written to …;"),
)
"""What differs from run to run, or from machine to machine."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder as a reader has it, and a `judge` on the path that is this one."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    command = tmp_path / "bin" / "judge"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m judge "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return tmp_path


def _commands(block: str) -> Iterator[tuple[str, str]]:
    """Each command of a block with what the page says it prints."""
    parts = re.split(r"(?m)^\$ ", block)
    assert parts[0] == "", "a block begins with a command"
    for part in parts[1:]:
        lines = part.splitlines(keepends=True)
        end = next(n for n, line in enumerate(lines) if not line.rstrip().endswith("\\")) + 1
        yield "".join(lines[:end]), "".join(lines[end:])


def _ran(command: str, folder: Path, address: str) -> str:
    environment = {
        **os.environ,
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "JUDGE_HOME": str(folder / "home"),
        "NO_COLOR": "1",
    }
    done = subprocess.run(
        ["sh", "-c", command.replace(_ADDRESS, address)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in {0, 2}, done.stderr
    said = done.stdout + ("" if done.returncode == 0 else done.stderr)
    return _plain(said.replace(address, _ADDRESS))


def _plain(text: str) -> str:
    for pattern, instead in _VARYING:
        text = pattern.sub(instead, text)
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def _shown(said: str, page: str) -> str:
    """What was printed, shortened as the page has it: a line `…` stands for lines left out."""
    return page if _holds(said.splitlines(), page.splitlines()) else said


def _holds(said: list[str], page: list[str]) -> bool:
    """Whether the page's lines come in this order, with gaps only where it has a line `…`."""
    place, gap = 0, False
    for line in page:
        if line == "…":
            gap = True
            continue
        if gap:
            while place < len(said) and said[place] != line:
                place += 1
        if place >= len(said) or said[place] != line:
            return False
        place, gap = place + 1, False
    return gap or place == len(said)


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_a_guide_prints_what_it_says(guide: Path, folder: Path) -> None:
    """Command by command."""
    text = guide.read_text("utf-8")
    written = text
    with GuideJudge() as server:
        for name, content in _FILE.findall(text):
            own = content.replace(_ADDRESS, server.base_url("openai"))
            (folder / name).write_text(own, encoding="utf-8")
        for block in _BLOCK.findall(text):
            again = ""
            for command, page in _commands(block):
                said = _ran(command, folder, server.base_url("openai"))
                again += f"$ {command}{_shown(said, page)}"
            written = written.replace(f"```console\n{block}```", f"```console\n{again}```")
    if os.environ.get("JUDGE_GUIDES") == "write":
        guide.write_text(written, encoding="utf-8")
        return
    assert written == text


def test_there_is_a_guide_for_each_use() -> None:
    """And each has a transcript."""
    assert {path.stem for path in GUIDES} >= {
        "re-judge",
        "template-sensitivity",
        "repeated-judging",
        "second-judge",
    }
    for guide in GUIDES:
        assert _BLOCK.search(guide.read_text("utf-8")), guide


def test_a_gap_is_no_way_to_leave_a_wrong_line() -> None:
    """Lines must come, in order; a gap only skips."""
    said = ["a", "b", "c", "d"]

    assert _holds(said, ["a", "…", "d"])
    assert _holds(said, ["a", "b", "c", "d"])
    assert _holds(said, ["a", "…"])
    assert not _holds(said, ["a", "d"])
    assert not _holds(said, ["a", "…", "x"])
    assert not _holds(said, ["a", "b"])
