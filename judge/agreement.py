"""A run.yaml and the frozen run it stands in; nothing out when the plan is what it asks for.

What only paths say is compared by base names: the paths themselves are not kept.
"""

from collections.abc import Iterator
from pathlib import PurePosixPath

from judge import rubric
from judge.answers.values import as_text
from judge.config import RunConfig, StudyConfig, is_address
from judge.errors import InputError, VerificationError
from judge.folder import Frozen
from judge.identity import identify
from judge.records import Item, Plan, Rubric, Study, named

__all__ = ["answers_name", "check_config", "check_selected"]

_OF_ITEM = ("id", "type", "abstention")


def answers_name(file: str) -> str:
    """The file's base name without the endings that say how it is written."""
    name = PurePosixPath(file).name
    for ending in (".gz", ".jsonl", ".json", ".csv"):
        name = name.removesuffix(ending)
    plain = "".join(c if (c.isalnum() and c.isascii()) or c in "._-" else "_" for c in name)
    return named(plain, "answers")


def check_config(config: RunConfig, plan: Plan) -> None:
    """Return when the plan is the one that run.yaml asks for; limits are no part of it.

    Raises:
        VerificationError: naming the field of run.yaml that says something else.
    """
    try:
        judges = tuple(identify(judge) for judge in config.judges)
    except InputError as error:
        raise VerificationError(f"inputs/run.yaml: judges: {error}") from error
    if judges != plan.judges:
        raise VerificationError("inputs/run.yaml: judges are not those of the plan")
    for field, said, planned in _pairs(config, plan):
        if said != planned:
            raise VerificationError(f"inputs/run.yaml: {field} is not what the plan says")
    rubrics = tuple(dict.fromkeys(condition.rubric for condition in plan.conditions))
    if len(rubrics) != len(config.rubrics) or not all(
        word.endswith(".yaml") or name == word
        for word, name in zip(config.rubrics, rubrics, strict=True)
    ):
        raise VerificationError("inputs/run.yaml: rubrics are not those of the plan")


def _pairs(config: RunConfig, plan: Plan) -> Iterator[tuple[str, object, object]]:
    for field in ("threshold", "seed", "positive", "negative", "batch_size"):
        yield field, getattr(config, field), getattr(plan.gate, field)
    for field in ("repetitions", "reask"):
        yield field, getattr(config, field), getattr(plan, field)
    for field in ("only", "limit", "allow_partial", "allow_empty"):
        yield field, getattr(config, field), getattr(plan.selection, field)
    yield "extract", config.extract, plan.extract
    yield from _study_pairs(config.study, plan.study)
    names = tuple(named(_base(word).removesuffix(".yaml"), "controls") for word in config.controls)
    yield "controls", names, plan.gate.controls
    names = tuple(one.name or answers_name(one.file) for one in config.answers)
    yield "answers", names, tuple(one.name for one in plan.answers)


def _study_pairs(
    config: StudyConfig | None, fixed: Study | None
) -> Iterator[tuple[str, object, object]]:
    yield "study", config is None, fixed is None
    if config is None or fixed is None:
        return
    for field in ("contrasts", "margin", "allowed_breaks"):
        yield f"study.{field}", getattr(config, field), getattr(fixed, field)
    file = config.exclusions and _base(config.exclusions)
    yield "study.exclusions", file, fixed.exclusions and fixed.exclusions.file
    said = [
        (c.name, c.count, c.n, c.source if is_address(c.source) else _base(c.source))
        for c in config.comparators
    ]
    kept = [(c.name, c.count, c.n, c.source) for c in fixed.comparators]
    yield "study.comparators", said, kept
    said_of = [(c.rubric, c.judge, c.data) for c in config.comparators]
    yield "study.comparators", said_of, [(c.rubric, c.judge, c.data) for c in fixed.comparators]


def _base(word: str) -> str:
    return PurePosixPath(word).name


def check_selected(frozen: Frozen) -> None:
    """Return when every item meets the conditions of its selection; columns are not kept.

    Raises:
        VerificationError: naming the first item that does not.
    """
    found = [word.partition("=") for word in frozen.plan.selection.only]
    known = [(f, set(v.split(","))) for f, _, v in found if f in {*_OF_ITEM, "route"}]
    if not known:
        return
    rubrics = tuple(frozen.rubrics.values())
    for number, item in enumerate(frozen.items()):
        for field, values in known:
            if not _texts(field, item, rubrics) <= values:
                raise VerificationError(
                    f"inputs/items.jsonl:{number + 1}: does not meet the plan's `only` on {field}"
                )


def _texts(field: str, item: Item, rubrics: tuple[Rubric, ...]) -> set[str | None]:
    if field != "route":
        return {as_text(getattr(item, field))}
    return {
        rubric.route(one, item.id, item.type, abstention=item.abstention).name for one in rubrics
    }
