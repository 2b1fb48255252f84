"""run.yaml in, one strict record out: the one configuration format; flags build the same record."""

import difflib
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import pydantic
import yaml
from pydantic import Field

from judge import strictyaml
from judge.canonical import Json, NotCanonicalError, encode
from judge.errors import InputError
from judge.records import Contrast, Count, Extract, Listed, Name, Record

__all__ = [
    "AnswersConfig",
    "ComparatorConfig",
    "JudgeConfig",
    "Limits",
    "PriceConfig",
    "ReferencesConfig",
    "RunConfig",
    "StudyConfig",
    "dump",
    "is_address",
    "read",
]


_PATH = r"^[^\x00]+$"
"""A path holds no NUL byte, and is not empty."""


class AnswersConfig(Record):
    """One set of saved answers."""

    name: Name | None = None
    """Null: the file's name without its endings."""
    file: Annotated[str, Field(pattern=_PATH)]
    columns: dict[str, str] = Field(default_factory=dict)
    """Field to column, where the file uses other names than the known ones."""


class ReferencesConfig(Record):
    """The answer key."""

    file: Annotated[str, Field(pattern=_PATH)]
    columns: dict[str, str] = Field(default_factory=dict)


Dollars = Annotated[str, Field(pattern=r"^[0-9]{1,9}(\.[0-9]{1,9})?$")]
"""An amount in US dollars, a decimal as text."""


class PriceConfig(Record):
    """What a judge costs, in US dollars for a million tokens."""

    input: Dollars
    output: Dollars


class JudgeConfig(Record):
    """Who is asked, and where."""

    name: Name | None = None
    """Null: the model's name."""
    provider: Literal["openai", "anthropic", "lexical"]
    model: str | None = None
    snapshot: str | None = None
    """The model name every reply must give, where it is not the requested one."""
    base_url: str | None = None
    key_env: str | None = None
    ca_file: str | None = None
    insecure_key: bool = False
    settings: dict[str, Json] = Field(default_factory=dict)
    """Sent beside or instead of the rubric's; each one is a deviation."""
    unset: Listed[str] = ()
    """Rubric settings that are not sent; each one is a deviation."""
    price: PriceConfig | None = None
    """Null: the list price of the provider's own address, where it is known."""


class Limits(Record):
    """What does not change a verdict: connections, waits, retries. It may differ on resume."""

    max_connections: Annotated[int, Field(ge=1, le=4096)] = 32
    deadline_s: Annotated[int, Field(ge=1, le=86_400)] = 120
    """From the call to the last byte of its answer."""
    tries: Annotated[int, Field(ge=1, le=100)] = 6
    """How often a refused or unsent question goes out before the run stops."""
    backoff_ms: Annotated[int, Field(ge=1, le=600_000)] = 500
    """The first wait of our own; it doubles, with jitter, up to half a minute."""
    retry_after_max_s: Annotated[int, Field(ge=1, le=86_400)] = 120
    """A server that asks for a longer wait stops the run."""
    resend_unknown: Annotated[int, Field(ge=0, le=10)] = 0
    """How often a question whose answer may have been lost is sent again, for each cell."""
    max_reply_bytes: Annotated[int, Field(ge=1024, le=2**30)] = 8_000_000
    max_tokens_total: Annotated[int, Field(ge=1, lt=2**53)] | None = None
    """The run stops before its worst case passes this; it can go on under a higher one."""
    max_cost_usd: Dollars | None = None
    """The same in US dollars; every judge must have a known price."""


class ComparatorConfig(Record):
    """A figure somebody published."""

    name: Annotated[str, Field(min_length=1)]
    count: Count
    n: Annotated[int, Field(ge=1, lt=2**53)]
    source: Annotated[str, Field(pattern=_PATH)]
    """A file at hand, or an address."""
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    """Of the source as it was read; needed with an address, checked against a file."""
    rubric: str | None = None
    judge: str | None = None
    data: str | None = None


class StudyConfig(Record):
    """What will be said about the run, fixed before its first call."""

    contrasts: Listed[Contrast] = ()
    exclusions: Annotated[str, Field(pattern=_PATH)] | None = None
    """A file of questionable rows of the answer key: id, class, reason."""
    comparators: Listed[ComparatorConfig] = ()
    margin: str | None = None
    """The largest difference that does not matter, a share such as `0.02`."""
    allowed_breaks: Count = 0


class RunConfig(Record):
    """Everything a run is made from."""

    answers: Listed[AnswersConfig]
    references: ReferencesConfig | None = None
    rubrics: Listed[str] = ("correctness/v1",)
    judges: Listed[JudgeConfig]
    controls: Listed[Annotated[str, Field(pattern=_PATH)]] = ()
    """Control files added to the draw: a shipped name, or a path."""
    positive: Count = 12
    negative: Count = 12
    threshold: str = "0.9"
    seed: Count = 0
    batch_size: Annotated[int, Field(ge=1, lt=2**53)] | None = None
    repetitions: Annotated[int, Field(ge=1, le=1000)] = 1
    reask: Annotated[int, Field(ge=0, le=10)] = 0
    only: Listed[str] = ()
    limit: Annotated[int, Field(ge=1, lt=2**53)] | None = None
    allow_partial: bool = False
    allow_empty: bool = False
    extract: Extract | None = None
    """What of each saved answer the judge reads; null: all of it."""
    study: StudyConfig | None = None
    limits: Limits = Limits()


def parse(data: bytes, where: str) -> RunConfig:
    """Return the configuration in these bytes.

    Raises:
        InputError: not strict YAML, or a field that is unknown, missing or of another kind.
    """
    value = strictyaml.load(data, where)
    try:
        return RunConfig.model_validate_json(encode(value))
    except NotCanonicalError as error:
        raise InputError(f"{where}: {error}") from error
    except pydantic.ValidationError as error:
        raise InputError(f"{where}: {_wrong(error)}") from error


_KINDS = {
    "missing": "is missing",
    "bool_type": "takes true or false",
    "tuple_type": "takes a list: [one, two]",
    "dict_type": "takes fields: {name: value}",
    "model_type": "takes fields: {name: value}",
}


def _wrong(error: pydantic.ValidationError) -> str:
    """The one thing to mend first: a name that is not known comes before one that is missing."""
    found = error.errors(include_url=False, include_input=False)
    first = next((each for each in found if each["type"] == "extra_forbidden"), found[0])
    field = ".".join(str(part) for part in first["loc"]) or "the file"
    if first["type"] == "extra_forbidden":
        near = difflib.get_close_matches(str(first["loc"][-1]), _names(), n=1)
        hint = f"; did you mean {near[0]}?" if near else "; see docs/run-yaml.md"
        return f"{field} is no field of run.yaml{hint}"
    if first["type"] in _KINDS:
        return f"{field} {_KINDS[first['type']]}"
    return f"{field}: {first['msg'][0].lower()}{first['msg'][1:]}"


def _names() -> list[str]:
    """Every field that can stand somewhere in a run.yaml."""
    records: tuple[type[Record], ...] = (
        RunConfig,
        AnswersConfig,
        ReferencesConfig,
        JudgeConfig,
        PriceConfig,
        StudyConfig,
        ComparatorConfig,
        Contrast,
        Limits,
    )
    return sorted({name for record in records for name in record.model_fields})


def read(path: Path) -> RunConfig:
    """Return the configuration in a file, its paths taken from the file's own folder.

    Raises:
        InputError: there is no such file, or `parse` refuses it.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    config = parse(data, path.name)
    home = path.parent
    references = config.references
    return config.model_copy(
        update={
            "answers": tuple(
                a.model_copy(update={"file": str(home / a.file)}) for a in config.answers
            ),
            "references": references
            and references.model_copy(update={"file": str(home / references.file)}),
            "judges": tuple(
                j.model_copy(update={"ca_file": j.ca_file and str(home / j.ca_file)})
                for j in config.judges
            ),
            "controls": tuple(_beside(home, name) for name in config.controls),
            "rubrics": tuple(_beside(home, name) for name in config.rubrics),
            "study": config.study and _study(config.study, lambda file: str(home / file)),
        }
    )


def _study(study: StudyConfig, moved: Callable[[str], str]) -> StudyConfig:
    """The same with every path moved; an address stays what it is."""
    return study.model_copy(
        update={
            "exclusions": study.exclusions and moved(study.exclusions),
            "comparators": tuple(
                c if is_address(c.source) else c.model_copy(update={"source": moved(c.source)})
                for c in study.comparators
            ),
        }
    )


def is_address(source: str) -> bool:
    """Whether a source is an address, not a file."""
    return source.startswith(("https://", "http://"))


def _beside(home: Path, name: str) -> str:
    """A path is taken from the folder of run.yaml; a plain name stays a name."""
    return str(home / name) if name.endswith((".yaml", ".jsonl")) else name


def dump(config: RunConfig) -> bytes:
    """Return the run.yaml kept in a run: base names only, so that it names no machine's folders."""
    references = config.references
    bare = config.model_copy(
        update={
            "answers": tuple(
                a.model_copy(update={"file": Path(a.file).name}) for a in config.answers
            ),
            "references": references
            and references.model_copy(update={"file": Path(references.file).name}),
            "controls": tuple(Path(name).name for name in config.controls),
            "study": config.study and _study(config.study, lambda file: Path(file).name),
            "rubrics": tuple(
                Path(name).name if name.endswith(".yaml") else name for name in config.rubrics
            ),
            "judges": tuple(
                j.model_copy(
                    update={
                        "ca_file": j.ca_file and Path(j.ca_file).name,
                        "key_env": j.key_env and _bare_key(j.key_env),
                    }
                )
                for j in config.judges
            ),
        }
    )
    text: str = yaml.safe_dump(bare.model_dump(mode="json", exclude_defaults=True), width=100)
    return text.encode()


def _bare_key(key_env: str) -> str:
    """A key's file by its base name: a resume names the path again with --key-env."""
    prefix, colon, path = key_env.partition("file:")
    return key_env if prefix or not colon else f"file:{Path(path).name}"
