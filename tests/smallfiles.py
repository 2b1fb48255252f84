"""Saved answers on the disk, the configuration that judges them, and a frozen folder of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
from plans import PIN, intent

from judge.canonical import digest, encode
from judge.config import AnswersConfig, JudgeConfig, ReferencesConfig, RunConfig
from judge.ledger import Ledger
from judge.planning import freeze
from judge.records import Start

__all__ = ["AT", "KEY", "RUN_ID", "SALT", "configured", "frozen", "refrozen", "written"]

RUN_ID = digest(b"run")
AT = "2026-11-30T10:00:00.000Z"

SALT = "5a" * 32
KEY: tuple[dict[str, Any], ...] = tuple(
    {
        "question_id": f"{kind[0]}{number}" + ("_abs" if kind == "abstention" else ""),
        "question_type": "temporal-reasoning" if kind == "temporal" else "single-session-user",
        "question": f"Question {kind} {number}?",
        "answer": f"{kind} gold {number}",
    }
    for kind in ("user", "temporal", "abstention")
    for number in range(3)
)
"""Nine questions on three routes of correctness/v1."""


def configured(folder: Path, *sets: str, **changes: object) -> RunConfig:
    """Write the answer key and a file for each set of answers; return what judges them all."""
    key = folder / "key.json"
    key.write_bytes(orjson.dumps(list(KEY)))
    answers = []
    for number, name in enumerate(sets or ("a",)):
        file = folder / f"{name}.jsonl"
        rows = [
            {"question_id": row["question_id"], "hypothesis": f"It is {row['answer']}."}
            # Later sets leave out the first question, so that rows and positions differ.
            for row in KEY[number:]
        ]
        file.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
        answers.append(AnswersConfig(file=str(file)))
    fields: dict[str, object] = {
        "answers": tuple(answers),
        "references": ReferencesConfig(file=str(key)),
        "judges": (JudgeConfig(provider="lexical"),),
        "positive": 3,
        "negative": 3,
        "allow_partial": True,
    }
    return RunConfig.model_validate({**fields, **changes})


def frozen(folder: Path, *sets: str, **changes: object) -> Path:
    """Freeze such a run without asking anything, and return its folder."""
    run = folder / "run"
    freeze(configured(folder, *sets, **changes), run, SALT, {"python": "3"}).close()
    return run


def refrozen(run: Path, name: str, change: Callable[[Any], Any]) -> None:
    """Change one input or the plan, and make every digest above it anew.

    A `.jsonl` input is given to `change` as the list of its rows, the plan as `run.json`'s `plan`.
    """
    manifest = orjson.loads((run / "run.json").read_bytes())
    plan = manifest["plan"]
    if name == "plan":
        manifest["plan"] = plan = change(plan)
    else:
        data = _changed((run / "inputs" / name).read_bytes(), change, lines=name.endswith("l"))
        (run / "inputs" / name).write_bytes(data)
        for entry in plan["inputs"]:
            if entry["name"] == name:
                rows = data.count(b"\n") if name.endswith("l") else None
                entry |= {"sha256": digest(data), "bytes": len(data), "rows": rows}
    manifest["plan_sha256"] = digest(encode(plan))
    (run / "run.json").write_bytes(encode(manifest))


def _changed(data: bytes, change: Callable[[Any], Any], *, lines: bool) -> bytes:
    if not lines:
        found: bytes = _bytes(change(orjson.loads(data)))
        return found
    rows = change([orjson.loads(line) for line in data.splitlines()])
    return b"".join(_bytes(row) + b"\n" for row in rows)


def _bytes(value: Any) -> bytes:  # noqa: ANN401 - plain JSON, or bytes as they are to stand
    return value if isinstance(value, bytes) else encode(value)


def written(path: Path, *sizes: int) -> list[int]:
    """Write a ledger: a start line, an intent for each size of request. Return where lines end."""
    book = Ledger(path, RUN_ID, 0, lambda: AT)
    ends = []
    book.post(Start(plan_sha256=PIN))
    book.commit_now()
    ends.append(path.stat().st_size)
    for row, size in enumerate(sizes):
        book.post(intent(row=row), {"request": b"x" * size})
        book.commit_now()
        ends.append(path.stat().st_size)
    book.close()
    return ends
