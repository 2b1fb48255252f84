"""A run folder in, plain values out, and back: what somebody would write who wants to be believed.

Whatever is changed in the values, `write` makes every digest, link, commitment and line number
agree with it again, and the seal on top. Bytes and hashes are made as receipts/FORMAT.md says, not
by the code that is under test.
"""

import base64
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

__all__ = [
    "DERIVED",
    "Forged",
    "Forgery",
    "Plain",
    "commitment",
    "encode",
    "overwrite",
    "put",
    "read",
    "recounted",
    "text",
    "write",
]

Plain = dict[str, Any]
"""A JSON object of the run, free to be changed."""

DERIVED = (
    *("model_returned", "status", "finish", "usage", "fingerprint", "service_tier"),
    *("readings", "outcome", "label", "reason", "error"),
)
"""What a receipt says of its reply."""


@dataclass(slots=True)
class Forged:
    """A run as plain values."""

    manifest: Plain
    lines: list[Plain]
    inputs: dict[str, Any]
    """By name: the rows of a .jsonl, the value of a .json."""
    config: bytes
    """run.yaml."""
    before: int
    """How many lines there were."""
    keeps: set[str] = field(default_factory=set)
    """What `write` leaves as it stands: `inputs` (digests in the plan), `plan_sha256`, `start`."""

    @property
    def plan(self) -> Plain:
        """The plan in run.json."""
        plan: Plain = self.manifest["plan"]
        return plan

    def facts(self, kind: str, **wanted: object) -> Iterator[tuple[int, Plain]]:
        """Yield (place, public part) of the lines of a kind whose fields are as wanted."""
        for place, line in enumerate(self.lines):
            public = line["public"]
            if public["kind"] == kind and all(public[k] == v for k, v in wanted.items()):
                yield place, public


@dataclass(frozen=True, slots=True)
class Forgery:
    """One change to a run; everything that can be made to agree with it is made to by `write`."""

    family: str
    name: str
    edit: Callable[[Forged], None]


def read(folder: Path) -> Forged:
    """Return the run in a folder as plain values; a public export has no inputs."""
    inputs = folder / "inputs"
    lines = [orjson.loads(line) for line in (folder / "receipts.jsonl").read_bytes().splitlines()]
    manifest: Plain = orjson.loads((folder / "run.json").read_bytes())
    names = [e["name"] for e in manifest["plan"]["inputs"]] if inputs.is_dir() else []
    return Forged(
        manifest=manifest,
        lines=lines,
        inputs={name: _value(inputs / name) for name in names},
        config=(inputs / "run.yaml").read_bytes() if names else b"",
        before=len(lines),
    )


def _value(path: Path) -> object:
    data = path.read_bytes()
    if path.suffix == ".jsonl":
        return [orjson.loads(line) for line in data.splitlines()]
    return orjson.loads(data)


def text(line: Plain, name: str) -> str:
    """Return a private text of a line."""
    data: str = line["private"][name]["data"]
    return data


def put(line: Plain, name: str, data: str) -> None:
    """Change a private text of a line."""
    line["private"][name]["data"] = data
    line["private"][name]["enc"] = "utf8"


def recounted(run: Forged) -> None:
    """Make every gate line and the seal agree with the receipts, as far as they show it."""
    for _, gate in run.facts("gate"):
        group = {k: gate[k] for k in ("condition", "repetition", "batch", "arm")}
        marks = [
            public["label"] in public["expect"]
            for _, public in run.facts("receipt", phase="control", final=True, **group)
        ]
        gate["correct"] = sum(marks)
        gate["pass"] = gate["correct"] >= gate["need"]
    closed = [public for _, public in run.facts("receipt", phase="answer", final=True)]
    for _, seal in run.facts("seal"):
        seal["decided"] = sum(public["label"] is not None for public in closed)
        seal["undecided"] = len(closed) - seal["decided"]


def write(run: Forged, folder: Path) -> str:
    """Write the run to its folder, hashed, chained and sealed anew; return its head."""
    for name, value in run.inputs.items():
        _write_input(run, folder / "inputs" / name, name, value)
    if run.config:
        overwrite(folder / "inputs" / "run.yaml", run.config)
    if "plan_sha256" not in run.keeps:
        run.manifest["plan_sha256"] = hashlib.sha256(encode(run.plan)).hexdigest()
    manifest = encode(run.manifest)
    overwrite(folder / "run.json", manifest)
    run_id = hashlib.sha256(manifest).hexdigest()
    head, lines = _chained(run, run_id)
    overwrite(folder / "receipts.jsonl", b"".join(lines))
    seal = f"judge-receipts/v1 {run_id}\n{len(lines)}\n{head}\n"
    overwrite(folder / "seal.txt", seal.encode())
    return head


def _write_input(run: Forged, path: Path, name: str, value: Any) -> None:  # noqa: ANN401 - rows or a value
    rows = len(value) if isinstance(value, list) else None
    data = b"".join(encode(row) + b"\n" for row in value) if rows is not None else encode(value)
    overwrite(path, data)
    entry = next((e for e in run.plan["inputs"] if e["name"] == name), None)
    if entry is not None and "inputs" not in run.keeps:
        entry |= {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data), "rows": rows}


def _chained(run: Forged, run_id: str) -> tuple[str, list[bytes]]:
    _renumber(run)
    prev, lines = run_id, []
    for line in run.lines:
        public, private = line["public"], line.get("private", {})
        public["prev"] = prev
        public["commit"] = {name: commitment(name, part) for name, part in private.items()}
        if public["kind"] == "start" and "start" not in run.keeps:
            public["plan_sha256"] = run.manifest["plan_sha256"]
        lines.append(encode(line) + b"\n")
        prev = hashlib.sha256(b"judge-receipt/v1\n" + encode(public)).hexdigest()
    return prev, lines


def _renumber(run: Forged) -> None:
    """Number the lines and follow every reference to a line that has moved."""
    moved = {line["public"]["seq"]: place for place, line in enumerate(run.lines)}
    for place, line in enumerate(run.lines):
        public = line["public"]
        public["seq"] = place
        if public.get("intent_seq") is not None:
            public["intent_seq"] = moved.get(public["intent_seq"], public["intent_seq"])
        if public.get("gate_seqs") is not None:
            public["gate_seqs"] = [moved.get(seq, seq) for seq in public["gate_seqs"]]
        if public["kind"] == "seal":
            public["lines"] += len(run.lines) - run.before


def overwrite(path: Path, data: bytes) -> None:
    """Make a file hold these bytes and no others.

    In place: some file systems bring a file to the disk at once when it is emptied and written, and
    thousands of defects would take minutes.
    """
    if not path.exists():
        path.write_bytes(data)
        return
    with path.open("r+b") as file:
        file.write(data)
        file.truncate()


def encode(value: object) -> bytes:
    """Return the canonical bytes of a value of text, whole numbers, booleans, null and these."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def commitment(name: str, part: Plain) -> str:
    """Return what a public part says of a private text."""
    data = base64.b64decode(part["data"]) if part["enc"] == "base64" else part["data"].encode()
    head = b"judge-commit/v1\n" + name.encode() + b"\n"
    return hashlib.sha256(head + bytes.fromhex(part["salt"]) + data).hexdigest()
