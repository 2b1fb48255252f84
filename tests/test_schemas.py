"""docs/schema: the files are those the code gives, and real files are as they say."""

from pathlib import Path
from typing import Any

import jsonschema
import orjson
import pytest
from smallrun import lines

import judge
from judge import strictyaml
from judge.packs import shipped
from judge.report.summary import summarise
from judge.schemas import SCHEMAS, schema

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "receipts" / "sample"


def _validator(name: str) -> Any:  # noqa: ANN401 - a library without types
    return jsonschema.Draft202012Validator(orjson.loads(schema(name)))


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_file_is_what_the_code_gives(name: str) -> None:
    """Byte for byte; `python -m judge.schemas docs/schema` writes them again."""
    assert (ROOT / "docs" / "schema" / f"{name}.schema.json").read_bytes() == schema(name)


def test_there_is_no_schema_too_many() -> None:
    """Every file has its record."""
    found = {path.name.removesuffix(".schema.json") for path in (ROOT / "docs/schema").iterdir()}

    assert found == set(SCHEMAS)


def _jsonl(name: str) -> list[Any]:
    return [orjson.loads(line) for line in (SAMPLE / "inputs" / name).read_bytes().splitlines()]


@pytest.mark.parametrize("name", ["items", "controls", "references"])
def test_the_inputs_of_the_sample_are_as_their_schema_says(name: str) -> None:
    """And a field more is refused."""
    check = _validator(name)
    rows = _jsonl(f"{name}.jsonl")

    assert rows
    for row in rows:
        check.validate(row)
    with pytest.raises(jsonschema.ValidationError):
        check.validate({**rows[0], "more": 1})


def test_the_sample_is_as_the_schemas_say() -> None:
    """Its manifest, its rubric, every line of its ledger, what is shown of it."""
    _validator("run.json").validate(orjson.loads((SAMPLE / "run.json").read_bytes()))
    [rubric] = (SAMPLE / "inputs" / "rubrics").iterdir()
    _validator("rubric").validate(orjson.loads(rubric.read_bytes()))
    header = set(orjson.loads(schema("header"))["properties"])
    found = lines(SAMPLE)
    assert found
    for line in found:
        fact = {name: value for name, value in line.public.items() if name not in header}
        _validator(f"receipts.{line.kind}").validate(fact)
        _validator("header").validate({name: line.public[name] for name in header})
    loaded = judge.load(SAMPLE)
    _validator("show").validate(summarise(loaded.proof).plain())
    for row in loaded.judgments:
        _validator("judgment").validate(row.plain())


@pytest.mark.parametrize("path", sorted(shipped("templates").glob("*/*.yaml")), ids=str)
def test_every_shipped_pack_is_as_its_schema_says(path: Path) -> None:
    """As people write it."""
    value = strictyaml.load(path.read_bytes(), path.name)

    _validator("pack").validate(value)


@pytest.mark.parametrize(
    "path",
    [p for p in sorted(shipped("controls").glob("*.yaml")) if p.stem != "abstention"],
    ids=str,
)
def test_every_shipped_control_file_is_as_its_schema_says(path: Path) -> None:
    """As people write it."""
    _validator("control-file").validate(strictyaml.load(path.read_bytes(), path.name))


def test_every_field_says_what_it_is() -> None:
    """Where the record says it: the reader of a schema has no source at hand."""
    told = orjson.loads(schema("receipts.receipt"))["properties"]

    assert "The gate lines it stands on" in told["gate_seqs"]["description"]
    assert orjson.loads(schema("judgment"))["properties"]["expect"]["description"]
