"""The records of this package in, a JSON Schema of every file format out.

`python -m judge.schemas docs/schema` writes them; a test holds the files to the code. A schema says
which fields a file has and of what kind; what follows from what is said in receipts/FORMAT.md and
checked by `judge verify`.
"""

import ast
import inspect
import sys
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pydantic

from judge.config import RunConfig
from judge.controls import ControlsFile
from judge.exclusions import ExclusionsFile
from judge.folder import Manifest
from judge.judgments import Judgment
from judge.marks import Mark
from judge.packs.schema import Pack
from judge.preregistration import PlanFile
from judge.records import (
    Control,
    Gate,
    Header,
    Intent,
    Item,
    Receipt,
    Recovered,
    Reference,
    Resumed,
    Rubric,
    Seal,
    Start,
    Stopped,
)
from judge.report.proved import Proved
from judge.report.summary import Summary

__all__ = ["SCHEMAS", "schema", "write_schemas"]

Model = type[pydantic.BaseModel]

_INPUTS = "inputs/{}, one line each"
SCHEMAS: dict[str, tuple[Model, str]] = {
    "run.json": (Manifest, "RUN/run.json: the plan, its digest, a salt, and claims"),
    "items": (Item, _INPUTS.format("items.jsonl")),
    "controls": (Control, _INPUTS.format("controls.jsonl")),
    "references": (Reference, _INPUTS.format("references.jsonl")),
    "rubric": (Rubric, "inputs/rubrics/NAME.json: a composed rubric, texts included"),
    "header": (Header, "the public part of every line of receipts.jsonl, beside its fact"),
    **{
        f"receipts.{model.model_fields['kind'].default}": (model, "a fact of receipts.jsonl")
        for model in (Start, Intent, Receipt, Gate, Resumed, Recovered, Stopped, Seal)
    },
    "marks": (Mark, "RUN/marks.jsonl, one line each"),
    "plan": (PlanFile, "what `judge plan --freeze` writes, to be published before the run"),
    "run.yaml": (RunConfig, "run.yaml, read as strict YAML"),
    "pack": (Pack, "templates/RUBRIC/EDITION.yaml"),
    "control-file": (ControlsFile, "a file of --controls, read as strict YAML"),
    "exclusions": (ExclusionsFile, "a file of questionable rows, read as strict YAML"),
    "judgment": (Judgment, "one row of a CSV, a Parquet file or a data frame"),
    "show": (Summary, "what `judge show --json` prints"),
    "verify": (Proved, "what `judge verify --json` prints"),
}
"""File name to the record it is made from, and what it describes."""


def schema(name: str) -> bytes:
    """Return one schema as JSON: indented, keys sorted, the same bytes each time."""
    model, told = SCHEMAS[name]
    found = model.model_json_schema()
    found["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    found["$comment"] = told
    if name.startswith("receipts."):
        # A record knows its own kind; a line must say it.
        found["required"] = ["kind", *found["required"]]
    classes = {each.__name__: each for each in _models(model)}
    for part in (found, *found.get("$defs", {}).values()):
        _describe(part, classes.get(part.get("title", "")))
    return orjson.dumps(found, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n"


def _describe(part: dict[str, Any], model: Model | None) -> None:
    """Put the docstring of every field where a reader of the schema finds it."""
    if model is None:
        return
    told = _docstrings(model)
    for name, field in model.model_fields.items():
        place = part.get("properties", {}).get(field.alias or name)
        if place is not None and name in told:
            place["description"] = told[name]


@cache
def _docstrings(model: Model) -> dict[str, str]:
    """The texts that stand below the fields of a record, those of its bases too."""
    found: dict[str, str] = {}
    for each in reversed(model.__mro__):
        if not issubclass(each, pydantic.BaseModel) or each is pydantic.BaseModel:
            continue
        body = ast.parse(inspect.cleandoc("\n" + inspect.getsource(each))).body[0]
        assert isinstance(body, ast.ClassDef)  # noqa: S101 - the source of a class
        for field, text in zip(body.body, body.body[1:], strict=False):
            if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
                told = ast.literal_eval(text.value)
                found[ast.unparse(field.target)] = " ".join(str(told).split())
    return found


def _models(model: Model) -> set[Model]:
    """A record and every record in its fields."""
    found: set[Model] = set()
    waiting: list[object] = [model]
    while waiting:
        one = waiting.pop()
        if inspect.isclass(one) and issubclass(one, pydantic.BaseModel):
            if one in found:
                continue
            found.add(one)
            waiting += [field.annotation for field in one.model_fields.values()]
        waiting += getattr(one, "__args__", ())
    return found


def write_schemas(folder: Path) -> int:
    """Write every schema as NAME.schema.json into a folder and return how many."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in SCHEMAS:
        (folder / f"{name}.schema.json").write_bytes(schema(name))
    return len(SCHEMAS)


if __name__ == "__main__":
    write_schemas(Path(sys.argv[1]))
