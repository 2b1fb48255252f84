"""A folder of packs of a test's own, and the upstream texts where the shared folder has them."""

import json
from pathlib import Path

import pytest

from judge import packs
from judge.canonical import digest
from judge.errors import InputError

SHARED = Path(__file__).parents[2] / "shared"
TEXTS = {"one": "Q {} G {} R {}?\nyes or no", "two": "Two: {} / {} / {}"}
SOURCE = (
    f"{{repository: a/b, commit: {'a' * 40}, path: x/eval.py, sha256: {'b' * 64}, licence: MIT}}"
)


def upstream_texts() -> dict[str, str]:
    """Return LongMemEval's five texts; skips the test where they are absent."""
    path = SHARED / "upstream" / "longmemeval_templates.json"
    if not path.is_file():
        pytest.skip("the upstream texts are not on this machine (../shared)")
    templates = json.loads(path.read_text(encoding="utf-8"))["templates"]
    return {name: entry["text"] for name, entry in templates.items()}


def upstream_script(folder: Path, **changed: str) -> Path:
    """Write a Python file in the upstream's manner that holds the five texts."""
    texts = {**upstream_texts(), **changed}
    lines = [
        f"    if task == {name!r}:\n        template = {text!r}" for name, text in texts.items()
    ]
    path = folder / "evaluate_qa.py"
    path.write_text("def prompt(task):\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def pack(name: str = "tiny/one", /, **lines: str | None) -> str:
    """Return a small pack file with two stored texts; a line given as None is left out."""
    rubric, edition = name.split("/")
    one, two = sha("one"), sha("two")
    whole: dict[str, str | None] = {
        "rubric": rubric,
        "edition": edition,
        "source": SOURCE,
        "fill": "format",
        "templates": f"{{one: {{sha256: {one}}}, two: {{sha256: {two}, gold: rubric}}}}",
        "routes": "[{type: [x], template: two}, {template: one}]",
        "labels": '["yes", "no"]',
        "accept": '"yes"',
        "readings": "{strict: yes-no/1, upstream: yes-substring/1}",
        "settings": "{temperature: 0.5, max_tokens: 10}",
        **lines,
    }
    return "".join(f"{key}: {value}\n" for key, value in whole.items() if value is not None)


def sha(name: str) -> str:
    """Return the digest of one of the small texts."""
    return digest(TEXTS[name].encode())


def write(folder: Path, name: str, text: str) -> Path:
    """Put a pack where the user's own packs lie."""
    path = folder / "templates" / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def script(folder: Path, *texts: str) -> Path:
    """Write a Python file that holds these texts, the small ones by default."""
    path = folder / "eval.py"
    literals = texts or tuple(TEXTS.values())
    path.write_text("\n".join(f"_ = {text!r}" for text in literals), encoding="utf-8")
    return path


def refused(name: str) -> str:
    """Return why a rubric cannot be loaded."""
    with pytest.raises(InputError) as caught:
        packs.load(name)
    return str(caught.value)
