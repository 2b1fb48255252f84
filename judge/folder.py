"""A run folder in, its frozen plan and inputs out, held against their digests.

Rows are read from their files by number, so that a run of a million rows holds a few bytes of each
in memory.
"""

import hashlib
import os
import weakref
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Self, TypeVar

import pydantic

from judge.canonical import Json, NotCanonicalError, digest, encode, encode_typed, parse
from judge.coherence import check_plan
from judge.config import RunConfig
from judge.config import parse as parse_config
from judge.errors import InputError, VerificationError
from judge.extraction import extract
from judge.gate import expected
from judge.layout import Layout
from judge.records import (
    Condition,
    Control,
    FrozenFile,
    Item,
    Judge,
    Plan,
    Record,
    Reference,
    Rubric,
)
from judge.rubric import check_shape
from judge.sampling import AbstentionTexts

__all__ = [
    "FIXED_INPUTS",
    "Frozen",
    "Manifest",
    "Rows",
    "question_key",
    "read_manifest",
    "rubric_file",
]

R = TypeVar("R", bound=Record)

FIXED_INPUTS = ("abstention.json", "controls.jsonl", "items.jsonl", "references.jsonl")
"""The inputs every run has; beside them stands one `rubrics/NAME.json` for each rubric."""


class Manifest(pydantic.BaseModel):
    """run.json: the plan, its digest, the salt, and claims about the machine."""

    model_config = pydantic.ConfigDict(frozen=True, strict=True, extra="forbid")

    v: int = pydantic.Field(ge=1, le=1)
    plan: Plan
    plan_sha256: str
    salt: str = pydantic.Field(pattern=r"^[0-9a-f]{64}$")
    environment: dict[str, str | int | None]

    def encoded(self) -> bytes:
        """The bytes of run.json."""
        return encode(self.model_dump(mode="json"))


def read_manifest(folder: Path) -> tuple[Manifest, str]:
    """Return the manifest and the run id (the SHA-256 of run.json).

    Raises:
        InputError: there is no run here.
        VerificationError: run.json is not what this version writes, or its plan disagrees with
            itself.
    """
    path = folder / "run.json"
    if not path.is_file():
        raise InputError(f"{folder}: not a run folder (it has no run.json)")
    data = path.read_bytes()
    try:
        value = parse(data)
        if isinstance(value, dict) and value.get("v") != 1:
            raise VerificationError(f"run.json: version {value.get('v')!r} is not known here")
        manifest = Manifest.model_validate_json(data)
    except NotCanonicalError as error:
        raise VerificationError(f"run.json: {error}") from error
    except pydantic.ValidationError as error:
        raise VerificationError(f"run.json: {_first(error)}") from error
    if manifest.encoded() != data:
        raise VerificationError("run.json: fields are missing or doubled")
    if digest(encode(manifest.plan.plain())) != manifest.plan_sha256:
        raise VerificationError("run.json: plan_sha256 is not the digest of the plan")
    check_plan(manifest.plan)
    return manifest, digest(data)


def _first(error: pydantic.ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"


class Rows:
    """The lines of one JSONL file, by number; each line canonical."""

    def __init__(self, path: Path) -> None:
        self._name = path.name
        self._starts = array("Q")
        start = 0
        with path.open("rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    raise VerificationError(f"inputs/{path.name}: the last line is torn")
                self._starts.append(start)
                start += len(line)
            # Not mapped: the pages of a mapped file count as this process's memory.
            self._fd = os.dup(file.fileno())
        self._close = weakref.finalize(self, os.close, self._fd)
        self._starts.append(start)

    def __len__(self) -> int:
        """Lines in the file."""
        return len(self._starts) - 1

    def __getitem__(self, number: int) -> bytes:
        """Line `number`, from 0, its LF taken off; raises VerificationError when it is gone."""
        start = self._starts[number]
        length = self._starts[number + 1] - 1 - start
        line = os.pread(self._fd, length, start)
        if len(line) != length:
            raise VerificationError(f"inputs/{self._name}: cut short since it was checked")
        return line

    def close(self) -> None:
        """Let the file go."""
        self._close()
        self._fd = -1  # the number may be another file's by now


class Frozen:
    """The plan of a run and the inputs it names, every byte held against its digest."""

    def __init__(self, folder: Path) -> None:
        """Read the manifest and check every input.

        Raises:
            InputError: there is no run here.
            VerificationError: an input is missing, changed, or one too many.
        """
        self.folder = folder
        if (folder / "run.json").is_file() and not (folder / "inputs").exists():
            raise VerificationError(
                f"{folder.name}: it has no inputs; if it is a public export, add --public"
            )
        self.manifest, self.run_id = read_manifest(folder)
        self.plan = self.manifest.plan
        self.config = self._check_files()
        """What run.yaml says; that the plan follows from it is the recount's to check."""
        inputs = folder / "inputs"
        self._items = Rows(inputs / "items.jsonl")
        self.rubrics = {
            name: self._rubric(name) for name in sorted({c.rubric for c in self.plan.conditions})
        }
        self.controls = tuple(
            _record(Control, line, f"controls.jsonl:{number + 1}")
            for number, line in enumerate(_each(inputs / "controls.jsonl"))
        )
        if not {"positive", "negative"} <= {control.arm for control in self.controls}:
            raise VerificationError("controls.jsonl: an arm is empty, so the gate shows nothing")
        self.judges = {judge.name: judge for judge in self.plan.judges}
        self.conditions = {condition.id: condition for condition in self.plan.conditions}
        self._check_conditions()
        self.keys = array("Q", bytes(8 * self.plan.questions))
        """What is asked at each position: `question_key` of its rows."""
        self.layout = Layout(
            self.plan, tuple(control.arm for control in self.controls), self._positions()
        )
        self.expected = {c.id: self._expected(c) for c in self.plan.conditions}

    # --- what a step asks for -------------------------------------------------------------------

    def item(self, row: int) -> Item:
        """The item in line `row` of items.jsonl, from 0."""
        # Its form was proved when the folder was opened; only its fields are asked for now.
        return Item.model_validate_json(self._items[row])

    def items(self) -> Iterator[Item]:
        """Every item, in order."""
        return (self.item(row) for row in range(len(self._items)))

    def references(self) -> Iterator[Reference]:
        """Every row the controls were drawn from."""
        for number, line in enumerate(_each(self.folder / "inputs" / "references.jsonl")):
            yield _record(Reference, line, f"references.jsonl:{number + 1}")

    def abstention(self) -> AbstentionTexts:
        """The texts of drawn controls where the gold is an explanation."""
        value = _parsed(self.folder / "inputs" / "abstention.json")
        if not isinstance(value, dict) or value.keys() != {"confident", "declining"}:
            raise VerificationError("inputs/abstention.json: not confident and declining texts")
        texts = {name: _texts(part) for name, part in value.items()}
        return AbstentionTexts(declining=texts["declining"], confident=texts["confident"])

    def rubric(self, condition: Condition) -> Rubric:
        """The rubric of a condition."""
        return self.rubrics[condition.rubric]

    def judge(self, condition: Condition) -> Judge:
        """The judge of a condition."""
        return self.judges[condition.judge]

    def close(self) -> None:
        """Let the files go."""
        self._items.close()

    def __enter__(self) -> Self:
        """Return the folder itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let the files go."""
        self.close()

    # --- checks ---------------------------------------------------------------------------------

    def _check_files(self) -> RunConfig:
        names = {c.rubric for c in self.plan.conditions}
        wanted = {*FIXED_INPUTS, *(rubric_file(name) for name in names)}
        listed = [entry.name for entry in self.plan.inputs]
        if set(listed) != wanted or len(listed) != len(wanted):
            raise VerificationError("run.json: the plan does not list the inputs it needs")
        inputs = self.folder / "inputs"
        there = {str(p.relative_to(inputs)) for p in inputs.rglob("*") if not p.is_dir()}
        if there - {"run.yaml"} != wanted:
            odd = sorted((there - {"run.yaml"}) ^ wanted)
            raise VerificationError(f"inputs/{odd[0]}: missing, or not in the plan")
        for entry in self.plan.inputs:
            self._check_file(inputs / entry.name, entry)
        config = self.manifest.environment.get("config_sha256")
        data = (inputs / "run.yaml").read_bytes() if (inputs / "run.yaml").is_file() else None
        if data is None or digest(data) != config:
            raise VerificationError("inputs/run.yaml: missing, or not the one run.json names")
        try:
            return parse_config(data, "inputs/run.yaml")
        except InputError as error:
            raise VerificationError(str(error)) from error

    def _check_file(self, path: Path, entry: FrozenFile) -> None:
        # A pipe would hold the reader for ever, and a loop of links is no file at all.
        if path.is_symlink() or not path.is_file():
            raise VerificationError(f"inputs/{entry.name}: not a plain file")
        found, size, lines = _measured(path)
        if size != entry.bytes or found != entry.sha256:
            raise VerificationError(f"inputs/{entry.name}: changed since the run was frozen")
        rows = lines if entry.name.endswith(".jsonl") else None
        if rows != entry.rows:
            raise VerificationError(f"inputs/{entry.name}: {rows} rows, the plan says {entry.rows}")

    def _rubric(self, name: str) -> Rubric:
        file = rubric_file(name)
        rubric = _record(Rubric, (self.folder / "inputs" / file).read_bytes(), file)
        for template in rubric.templates:
            if digest(template.text.encode()) != template.sha256:
                raise VerificationError(f"inputs/{file}: template {template.name} is not its pin")
            system = None if template.system is None else digest(template.system.encode())
            if system != template.system_sha256:
                raise VerificationError(f"inputs/{file}: template {template.name}: system text")
        if rubric.name != name:
            raise VerificationError(f"inputs/{file}: holds {rubric.name}")
        try:
            # Two templates of one name would share one place in the pin.
            check_shape(rubric)
        except InputError as error:
            raise VerificationError(f"inputs/{file}: {error}") from error
        return rubric

    def _expected(self, condition: Condition) -> tuple[tuple[str, ...], ...]:
        try:
            return tuple(expected(c, self.rubrics[condition.rubric]) for c in self.controls)
        except InputError as error:
            raise VerificationError(f"inputs/controls.jsonl: {error}") from error

    def _check_conditions(self) -> None:
        for condition in self.plan.conditions:
            rubric = self.rubrics[condition.rubric]
            said = (condition.rubric_pin, condition.labels, condition.accept, condition.readings)
            if said != (rubric.pin, rubric.labels, rubric.accept, rubric.readings):
                raise VerificationError(
                    f"run.json: condition {condition.id}: its rubric is not the one of its pin"
                )

    def _positions(self) -> "array[int]":
        """The position of every row: by set, rising, one question at each.

        That the sets have as many rows as the file was seen before: in the plan, and in `inputs`.
        """
        positions = array("q")
        made = {control.id for control in self.controls if control.source != "drawn"}
        for answers in self.plan.answers:
            last = -1
            for row in range(answers.first_row, answers.first_row + answers.rows):
                item = _record(Item, self._items[row], f"items.jsonl:{row + 1}")
                if item.answers != answers.name or not last < item.position < self.plan.questions:
                    raise VerificationError(f"items.jsonl:{row + 1}: out of place in its set")
                if item.id in made:
                    raise VerificationError(f"items.jsonl:{row + 1}: a control of a file as well")
                last = item.position
                self._check_question(row, item)
                self._check_extracted(row, item)
                positions.append(last)
        if 0 in self.keys:
            raise VerificationError("items.jsonl: fewer questions than the plan says")
        return positions

    def _check_extracted(self, row: int, item: Item) -> None:
        rule = self.plan.extract
        if rule is None and item.saved is None:
            return
        if rule is None or item.saved is None or extract(rule, item.saved) != item.response:
            raise VerificationError(
                f"items.jsonl:{row + 1}: its response is not what the plan takes from the answer"
            )

    def _check_question(self, row: int, item: Item) -> None:
        key = question_key(item)
        if self.keys[item.position] not in {0, key}:
            raise VerificationError(
                f"items.jsonl:{row + 1}: another question than the one of its position"
            )
        self.keys[item.position] = key


def question_key(row: Item | Reference) -> int:
    """Eight bytes of digest, never 0, of what a row of items or references asks."""
    said = encode_typed([row.id, row.type, row.question, row.gold, row.abstention])
    return int.from_bytes(hashlib.blake2b(said, digest_size=8).digest(), "big") or 1


def rubric_file(name: str) -> str:
    """The input file of a rubric, by `rubric/edition`."""
    return f"rubrics/{name.replace('/', '.')}.json"


def _measured(path: Path) -> tuple[str, int, int]:
    """Digest, bytes and line ends of a file, read piece by piece."""
    hashed, size, lines = hashlib.sha256(), 0, 0
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            hashed.update(piece)
            size += len(piece)
            lines += piece.count(b"\n")
    return hashed.hexdigest(), size, lines


def _each(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                raise VerificationError(f"inputs/{path.name}: the last line is torn")
            yield line[:-1]


def _parsed(path: Path) -> Json:
    try:
        return parse(path.read_bytes())
    except NotCanonicalError as error:
        raise VerificationError(f"inputs/{path.name}: {error}") from error


def _texts(value: Json) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(t, str) for t in value):
        raise VerificationError("inputs/abstention.json: an empty list, or not texts")
    return tuple(str(text) for text in value)


def _record(kind: type[R], line: bytes, where: str) -> R:
    try:
        record = kind.model_validate_json(line)
    except pydantic.ValidationError as error:
        raise VerificationError(f"inputs/{where}: {_first(error)}") from error
    # Of the records read here only a rubric has parts whose types are not closed.
    written = encode if kind is Rubric else encode_typed
    if written(record.plain()) != line:
        raise VerificationError(f"inputs/{where}: not the canonical form of its record")
    return record
