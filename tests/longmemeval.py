"""The LongMemEval files of ../shared, and a server that knows what the saved judge said of them."""

import ast
import hashlib
import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).parents[1].parent / "shared"
PASS_1 = SHARED / "answers" / "longmemeval_s_llama31-8b_pass1.eval-results-gpt-4o-mini.jsonl"
PASS_2 = SHARED / "answers" / "longmemeval_s_llama31-8b_pass2.eval-results-gpt-4o-mini.jsonl"
REFERENCES = SHARED / "references" / "longmemeval_references.json"
MODEL = "gpt-4o-mini-2024-07-18"

needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the folder ../shared with real answer files is not here"
)


def rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def vectors() -> list[dict[str, Any]]:
    """The golden rows: digest and length of the exact prompt, and the saved label."""
    return rows(SHARED / "upstream" / "longmemeval_prompt_vectors.jsonl")


def source_file(folder: Path) -> Path:
    """A Python file that holds the five upstream texts as literals, as their own source does."""
    known = json.loads((SHARED / "upstream" / "longmemeval_templates.json").read_text("utf-8"))
    path = folder / "evaluate.py"
    texts = [f"text_{n} = {part['text']!r}" for n, part in enumerate(known["templates"].values())]
    path.write_text("\n".join(texts), encoding="utf-8")
    ast.parse(path.read_text("utf-8"))
    return path


@cache
def _labels() -> dict[str, list[str]]:
    """Saved labels by prompt digest, in the order of the passes."""
    found: dict[str, list[str]] = {}
    for row in vectors():
        label = "yes" if row["saved_label"] else "no"
        found.setdefault(row["prompt_sha256"], []).append(label)
    return found


@cache
def _golds() -> dict[str, str]:
    known = json.loads(REFERENCES.read_text("utf-8"))
    return {row["question"]: str(row["answer"]) for row in known}


class SavedJudge:
    """Answers every known prompt with its saved label, and controls sensibly."""

    def __init__(self, passes: int) -> None:
        """`passes`: 1 takes the first saved label of a prompt; 2 the next one each time."""
        self._passes = passes
        self._seen: Counter[str] = Counter()

    def __call__(self, body: dict[str, Any]) -> str:
        """The reply to one request body."""
        prompt: str = body["messages"][-1]["content"]
        digest = hashlib.sha256(prompt.encode()).hexdigest()
        labels = _labels().get(digest)
        if labels is None:
            return sensible(prompt)
        number = self._seen[digest] if self._passes > 1 else 0
        self._seen[digest] += 1
        return labels[min(number, len(labels) - 1)]


def sensible(prompt: str) -> str:
    """A judge good enough for controls: the gold stands in the response; abstention declines."""
    response = prompt.rpartition("Response: ")[2].rpartition("\n\n")[0]
    for field in ("Correct Answer: ", "Reference answer: ", "Rubric: "):
        if field in prompt:
            gold = prompt.partition(field)[2].partition("\n\n")[0]
            return "yes" if gold in response else "no"
    words = ("not", "n't", "no ", "unable", "incomplete", "missing", "never", "cannot")
    return "yes" if any(word in response.lower() for word in words) else "no"
