"""Parsed options in, the one configuration record out."""

from pathlib import Path
from typing import Any

import click
import pydantic

from judge import strictyaml
from judge.canonical import Json
from judge.cli.words import named_file, pairs
from judge.config import AnswersConfig, JudgeConfig, ReferencesConfig, RunConfig, read
from judge.errors import InputError

__all__ = ["configured", "reconnected"]

_PLAIN = (
    "positive",
    "negative",
    "threshold",
    "seed",
    "batch_size",
    "repetitions",
    "reask",
    "limit",
    "extract",
    "allow_partial",
    "allow_empty",
)
_LIMITS = {
    "max_connections": "max_connections",
    "deadline": "deadline_s",
    "tries": "tries",
    "resend_unknown": "resend_unknown",
    "max_tokens_total": "max_tokens_total",
    "max_cost": "max_cost_usd",
}
_JUDGE = ("base_url", "key_env", "ca_file", "insecure_key", "snapshot")


def configured(words: dict[str, Any]) -> RunConfig:
    """Return the configuration that a file, if named, and flags over it make.

    Raises:
        InputError: the file or a value is not usable.
        click.UsageError: flags that do not go together.
    """
    base = read(Path(words["config"])) if words["config"] else None
    changes: dict[str, Any] = {k: words[k] for k in _PLAIN if words[k] is not None}
    changes |= _files(words, base)
    for option, field in (("rubric", "rubrics"), ("controls", "controls"), ("only", "only")):
        if words[option]:
            changes[field] = tuple(words[option])
    judges = _judges(words, base)
    limits = _limits(words, base)
    whole = {**(dict(base) if base else {}), **changes, "judges": judges, "limits": limits}
    return _checked(whole)


def _checked(fields: dict[str, Any]) -> RunConfig:
    try:
        return RunConfig.model_validate({"answers": (), **fields})
    except pydantic.ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        option = "--" + "-".join(str(part) for part in first["loc"]).replace("_", "-")
        raise InputError(f"{option}: {first['msg'].lower()}") from error


def _files(words: dict[str, Any], base: RunConfig | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    columns = pairs(words["answers_field"], "--answers-field")
    if words["answers"]:
        named = [named_file(word) for word in words["answers"]]
        found["answers"] = tuple(_answers(name, file, columns) for name, file in named)
    elif columns:
        raise click.UsageError("--answers-field goes with --answers")
    columns = pairs(words["references_field"], "--references-field")
    if words["references"]:
        found["references"] = ReferencesConfig(file=words["references"], columns=columns)
    elif columns:
        raise click.UsageError("--references-field goes with --references")
    del base
    return found


def _answers(name: str | None, file: str, columns: dict[str, str]) -> AnswersConfig:
    try:
        return AnswersConfig(name=name, file=file, columns=columns)
    except pydantic.ValidationError as error:
        raise InputError(
            f"--answers {name}=…: a name is letters, digits and . _ : @ + / -, at most 100"
        ) from error


def _judges(words: dict[str, Any], base: RunConfig | None) -> tuple[JudgeConfig, ...]:
    named = words["judges"]
    judges = tuple(_judge(word) for word in named) if named else (base.judges if base else ())
    changes: dict[str, Any] = {k: words[k] for k in _JUDGE if words.get(k) is not None}
    settings = {k: _value(k, v) for k, v in pairs(words["sets"], "--set").items()}
    if settings:
        changes["settings"] = settings
    if words["unset"]:
        changes["unset"] = tuple(words["unset"])
    if not changes:
        return judges
    if len(judges) != 1:
        option = next(iter(changes)).replace("_", "-").replace("settings", "set")
        raise click.UsageError(f"--{option} is for a single judge; describe several in run.yaml")
    return (judges[0].model_copy(update=changes),)


def _judge(word: str) -> JudgeConfig:
    provider, _, model = word.partition("/")
    if provider not in {"openai", "anthropic", "lexical"}:
        raise click.UsageError(
            f"--judge {word!r}: give openai/MODEL, anthropic/MODEL or lexical; "
            "for a server of your own, openai/MODEL with --base-url"
        )
    # One of the three was just checked; the record checks it again.
    return JudgeConfig.model_validate({"provider": provider, "model": model or None})


def _value(key: str, text: str) -> Json:
    """The value of --set as run.yaml would read it."""
    found = strictyaml.load(f"value: {text}\n".encode("utf-8", "surrogateescape"), f"--set {key}")
    return found["value"] if isinstance(found, dict) else None


def _limits(words: dict[str, Any], base: RunConfig | None) -> dict[str, Any]:
    limits = dict(base.limits) if base else {}
    changes = {f: words[w] for w, f in _LIMITS.items() if words.get(w) is not None}
    return {**limits, **changes}


def reconnected(config: RunConfig, words: dict[str, Any]) -> RunConfig:
    """Return a frozen configuration with this stretch's address, key and limits.

    Raises:
        click.UsageError: an address for several judges.
        InputError: a limit that cannot be.
    """
    changes: dict[str, Any] = {k: words[k] for k in _JUDGE if words.get(k) is not None}
    judges = config.judges
    if changes:
        hosted = [judge for judge in judges if judge.provider != "lexical"]
        if len(hosted) != 1:
            raise click.UsageError("an address or a key goes with a run that has a single judge")
        judges = tuple(
            judge.model_copy(update=changes) if judge is hosted[0] else judge for judge in judges
        )
    return _checked({**dict(config), "judges": judges, "limits": _limits(words, config)})
