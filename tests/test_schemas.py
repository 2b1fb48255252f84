"""docs/schema: the files are those the code gives, and real files are as they say."""

from pathlib import Path
from typing import Any

import jsonschema
import orjson
import pytest
from openruns import ran as small_run
from smallrun import lines
from stretches import EXAMPLES

import judge
from judge import strictyaml
from judge.cli import main
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


@pytest.mark.parametrize("name", [name for name in SCHEMAS if name.startswith("receipts.")])
def test_a_line_must_say_its_kind(name: str) -> None:
    """As the format demands of every key."""
    assert "kind" in orjson.loads(schema(name))["required"]


def _printed(words: list[str], capsys: pytest.CaptureFixture[str]) -> Any:  # noqa: ANN401 - JSON
    capsys.readouterr()
    assert main(words) == 0
    return orjson.loads(capsys.readouterr().out)


def test_what_is_printed_as_json_is_as_its_schema_says(capsys: pytest.CaptureFixture[str]) -> None:
    """By the commands themselves."""
    for name in ("show", "verify"):
        found = _printed([name, str(SAMPLE), "--json"], capsys)
        _validator(name).validate(found)
        assert found.keys() == orjson.loads(schema(name))["properties"].keys()


def test_a_frozen_plan_and_its_files_are_as_their_schemas_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run.yaml that `init` writes, the plan frozen from it, a file of exclusions."""
    monkeypatch.chdir(tmp_path)
    words = ["init", "--answers", str(EXAMPLES / "pass-1.jsonl"), "--judge", "lexical"]
    assert main([*words, "--references", str(EXAMPLES / "references.json")]) == 0
    text = "rows:\n  - {id: user-01, class: wrong key, reason: the key says so}\n"
    Path("questioned.yaml").write_text(text, encoding="utf-8")
    with Path("run.yaml").open("a", encoding="utf-8") as file:
        file.write("study: {exclusions: questioned.yaml, allowed_breaks: 1}\n")
    assert main(["plan", "run.yaml", "--freeze", "plan.json"]) == 0

    for name, path in (("run.yaml", "run.yaml"), ("exclusions", "questioned.yaml")):
        _validator(name).validate(strictyaml.load(Path(path).read_bytes(), path))
    plan = orjson.loads(Path("plan.json").read_bytes())
    _validator("plan").validate(plan)
    assert plan["plan"]["study"]["exclusions"]["rows"][0]["class"] == "wrong key"


def test_a_mark_is_as_its_schema_says(tmp_path: Path) -> None:
    """As `judge mark` writes it."""
    for name in ("one", "two"):
        small_run(tmp_path / name)
    words = ["mark", str(tmp_path / "one"), "--superseded-by", str(tmp_path / "two")]
    assert main([*words, "--reason", "why"]) == 0
    [line] = (tmp_path / "one" / "marks.jsonl").read_bytes().splitlines()

    _validator("marks").validate(orjson.loads(line))


def test_every_field_says_what_it_is() -> None:
    """Where the record says it: the reader of a schema has no source at hand."""
    told = orjson.loads(schema("receipts.receipt"))["properties"]

    assert "The gate lines it stands on" in told["gate_seqs"]["description"]
    assert orjson.loads(schema("judgment"))["properties"]["expect"]["description"]
