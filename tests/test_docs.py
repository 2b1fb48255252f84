"""What the README and the guides say is what happens."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from judge.cli import main
from judge.config import read

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
_FENCE = re.compile(r"<!-- transcript: (\w+) -->\n```\n(.*?)```", re.DOTALL)
_PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with the examples, and a `judge` on the path that is this one."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    command = tmp_path / "bin" / "judge"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m judge "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return tmp_path


def test_the_readme_transcript_is_what_the_demo_prints(checkout: Path) -> None:
    """Every line of the shortened transcript comes, in that order; hashes are left out of it."""
    path = f"{checkout / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "examples/demo.sh"],
        cwd=checkout,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    printed = iter(done.stdout.splitlines())
    [(name, transcript)] = _FENCE.findall(README)

    assert name == "demo"
    for line in transcript.splitlines():
        assert line in printed, line


def test_the_python_guide_runs_and_prints_what_it_says(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The guide's code, run as it stands, prints the lines the guide names."""
    guide = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    monkeypatch.chdir(checkout)
    scope: dict[str, object] = {}
    for code in _PYTHON.findall(guide):
        exec(compile(code, "python.md", "exec"), scope)
    lines = capsys.readouterr().out.splitlines()

    assert lines
    for line in lines:
        assert f"`{line}`" in guide


@pytest.mark.parametrize(
    "file",
    [
        "README.md",
        *(
            f"docs/{name}.md"
            for name in ("run-yaml", "python", "show", "studies", "report", "tables")
        ),
        *(f"docs/guides/{path.name}" for path in sorted((ROOT / "docs/guides").glob("*.md"))),
    ],
)
def test_links_lead_somewhere(file: str) -> None:
    """Every relative link of the page names a file of the project."""
    page = ROOT / file
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_every_option_the_readme_names_exists(capsys: pytest.CaptureFixture[str]) -> None:
    """No page teaches an option that the commands do not take."""
    known = set()
    for command in ("run", "plan", "resume", "show", "verify", "export", "selftest"):
        main([command, "--help"])
        known |= set(re.findall(r"--[a-z][a-z-]+", capsys.readouterr().out))
    groups = (("templates", "add"), ("templates", "new"), ("controls", "show"), ("compare",))
    for group in (*groups, ("report",), ("init",), ("mark",), ("study", "improvement")):
        words = [*group, "--help"]
        main(words)
        known |= set(re.findall(r"--[a-z][a-z-]+", capsys.readouterr().out))

    assert set(re.findall(r"--[a-z][a-z-]+", README)) <= known


def test_the_example_run_yaml_is_read(tmp_path: Path) -> None:
    """The guide's run.yaml is a configuration as it stands."""
    guide = (ROOT / "docs" / "run-yaml.md").read_text(encoding="utf-8")
    text = re.findall(r"```yaml\n(.*?)```", guide, re.DOTALL)[0]
    path = tmp_path / "run.yaml"
    path.write_text(text, encoding="utf-8")
    config = read(path)

    assert [answers.name for answers in config.answers] == ["pass1", "pass2"]
    assert config.judges[1].settings == {"max_completion_tokens": 2000, "reasoning_effort": "low"}
    assert config.threshold == "0.9"
