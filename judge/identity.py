"""A judge's name in, how much it proves out; and what differs from the rubric as published."""

import re
from collections.abc import Mapping
from typing import Literal

from judge.canonical import Json, encode
from judge.config import JudgeConfig
from judge.errors import InputError
from judge.gate import threshold
from judge.records import Api, Identity, Judge, Rubric, named

__all__ = ["api_of", "deviations", "identify", "is_official", "strength"]

_APIS: Mapping[str, Api] = {
    "openai": "chat-completions",
    "anthropic": "messages",
    "lexical": "lexical",
}
_OPENAI_DATED = re.compile(r".+-\d{4}-\d\d-\d\d")
_ANTHROPIC_DATED = re.compile(r"claude-.+-\d{8}")
_ANTHROPIC_VERSION = re.compile(r"claude-[a-z]+-(\d{1,2})(?:-(\d{1,2}))?")
_PINNED_FROM = (4, 6)
"""From Claude 4.6 on a dateless id is documented as constant for its lifetime."""
_LONGEST = 200


def identify(config: JudgeConfig) -> Judge:
    """Return the judge a configuration names, with the strength of its identity.

    Raises:
        InputError: no model, or one whose name is too long; or a name that may come to mean
            another model, with no `snapshot` to hold it to.
    """
    if config.provider == "lexical":
        return _embedded(config)
    model = config.model
    if not model:
        raise InputError(f"a judge of {config.provider} needs a model: {config.provider}/MODEL")
    if max(len(model), len(config.snapshot or "")) > _LONGEST:
        raise InputError(f"{model[:40]!r}…: a model's name has at most {_LONGEST} characters")
    address: Literal["provider", "custom"] = "provider" if config.base_url is None else "custom"
    identity = strength(config.provider, model, address)
    if identity == "alias" and config.snapshot is None:
        raise InputError(
            f"{config.provider}/{model} is an alias: the provider may point it at another model. "
            "Name the dated model, or give --snapshot with the name its replies must carry"
        )
    return Judge(
        name=config.name or named(model, "judge"),
        provider=config.provider,
        api=_APIS[config.provider],
        model=model,
        expect_model=config.snapshot or model,
        identity=identity,
        address=address,
        settings_set=config.settings,
        settings_unset=config.unset,
    )


def _embedded(config: JudgeConfig) -> Judge:
    model = config.model or "lexical/1"
    if model != "lexical/1":
        raise InputError(f"the embedded judge is lexical/1; {model!r} is not known")
    given = [f for f in ("base_url", "key_env", "ca_file", "snapshot") if getattr(config, f)]
    if given:
        raise InputError(f"the embedded judge reaches no server, so it takes no {given[0]}")
    return Judge(
        name=config.name or "lexical",
        provider="lexical",
        api="lexical",
        model=model,
        expect_model=model,
        identity="embedded",
        address="none",
        settings_set=config.settings,
        settings_unset=config.unset,
    )


def api_of(provider: str) -> Api:
    """Return what a provider speaks; raises KeyError for one that is not known."""
    return _APIS[provider]


def strength(provider: str, model: str, address: str) -> Identity:
    """Return how much a model's name proves at this provider and address."""
    if provider == "lexical":
        return "embedded"
    if address != "provider":
        return "label"
    if provider == "openai":
        return "snapshot" if _OPENAI_DATED.fullmatch(model) else "alias"
    if _ANTHROPIC_DATED.fullmatch(model):
        return "pinned-id"
    version = _ANTHROPIC_VERSION.fullmatch(model)
    if version and (int(version[1]), int(version[2] or 0)) >= _PINNED_FROM:
        return "pinned-id"
    return "alias"


def deviations(rubric: Rubric, judge: Judge, share: str) -> tuple[str, ...]:
    """Return what differs from the rubric as it is published, a sentence each."""
    found: list[str] = []
    asked = f"{judge.provider}/{judge.expect_model}"
    if rubric.judges and asked not in rubric.judges:
        found.append(f"the judge {asked} is not among the published ones")
    if judge.address == "custom":
        found.append("asked at an address other than the provider's own")
    for key, value in sorted(judge.settings_set.items()):
        was = rubric.settings.get(key)
        said = "not set" if key not in rubric.settings else _shown(was)
        found.append(f"setting {key} is {_shown(value)}, the rubric's is {said}")
    found += [f"setting {key} is not sent" for key in judge.settings_unset]
    if threshold(share) < threshold("0.9"):
        found.append(f"the threshold of the gate is {share}, below 0.9")
    return tuple(found)


def _shown(value: Json) -> str:
    return value if isinstance(value, str) else encode(value).decode()


def is_official(rubric: Rubric, judge: Judge, found: tuple[str, ...]) -> bool:
    """Whether the word may be used: an upstream edition, a published judge and no deviation.

    Whether the edition is the upstream one is not its own word to give: the caller holds its pin
    against the shipped pack of that name.
    """
    published = f"{judge.provider}/{judge.expect_model}" in rubric.judges
    return rubric.edition == "upstream" and rubric.of is None and published and not found
