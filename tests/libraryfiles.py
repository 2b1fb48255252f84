"""Source files built from the upstream texts of ../shared: in a test's own folder, never kept."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from packfolder import SHARED

from judge.canonical import encode

# The one text that is not in the file: it is another with one apostrophe made straight.
_CURLY = "44fb3d8f7a1f37b2430772cf90518a32172e4056b7a0dec085402763fd179b9f"
_STRAIGHT = "62395dd312a631dfd9355026a0b69cc936018274c3198b6365b5c2a5c9bca9e0"


def sha256(text: str) -> str:
    """The digest a pack pins for this text."""
    return hashlib.sha256(text.encode()).hexdigest()


def upstream() -> dict[str, str]:
    """Every upstream text by its digest; skips the test where they are absent."""
    path = SHARED / "upstream" / "other_templates.json"
    if not path.is_file():
        pytest.skip("the upstream texts are not on this machine (../shared)")
    texts = {e["sha256"]: e["text"] for e in json.loads(path.read_text("utf-8"))["templates"]}
    old = texts[_CURLY]
    straight = (old[:n] + "'" + old[n + 1 :] for n, sign in enumerate(old) if sign == "\u2019")
    texts[_STRAIGHT] = next(text for text in straight if sha256(text) == _STRAIGHT)
    longmemeval = json.loads(
        (SHARED / "upstream" / "longmemeval_templates.json").read_text("utf-8")
    )
    return texts | {e["sha256"]: e["text"] for e in longmemeval["templates"].values()}


def holding(folder: Path, suffix: str, texts: Iterable[str]) -> Path:
    """Write a source file of this kind that holds the texts, as an upstream's own would."""
    path = folder / f"source{suffix}"
    if suffix == ".py":
        content = "\n".join(f"TEXT_{n} = {text!r}" for n, text in enumerate(texts))
    elif suffix == ".jsonl":
        content = "\n".join(encode({"prompt_template": text}).decode() for text in texts)
    elif suffix == ".txt":
        (content,) = texts
    else:
        raise ValueError(suffix)
    path.write_text(content, encoding="utf-8")
    return path
