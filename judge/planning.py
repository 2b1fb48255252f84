"""A configuration in, a frozen run folder out: every row checked and every prompt rendered once.

Nothing is sent from here. What the folder holds afterwards is all that the run, its resumption and
its verification will ever look at; the files it was made from are named by their digests.
"""

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from judge import packs, rubric
from judge.agreement import answers_name
from judge.answers import AnswersFile, Joined, ReferencesFile, join
from judge.canonical import Json, digest, encode
from judge.coherence import condition_name
from judge.config import RunConfig, dump
from judge.controls import ControlFile, abstention_texts, check_kind, read_controls
from judge.errors import InputError, StorageError
from judge.extraction import extract
from judge.folder import Frozen, Manifest, rubric_file
from judge.gate import expected, threshold
from judge.identity import deviations, identify, is_official
from judge.intended import intended
from judge.ledger import sync_folder, write_durable
from judge.prices import price_of
from judge.questions import Questions, embedded_labels
from judge.readings import rule_named
from judge.records import (
    Condition,
    Control,
    FrozenFile,
    GateRule,
    Item,
    Judge,
    Plan,
    Record,
    Reference,
    Rubric,
    Selection,
)
from judge.sampling import Place, draw, placer
from judge.spending import Spending

__all__ = ["Estimate", "check_cap", "estimate", "freeze"]

_ROUTE = "route="


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a plan will ask, at least: retries and asking again come on top."""

    control_calls: int
    answer_calls: int
    prompt_bytes: int
    """Bytes of all request bodies."""
    cost_max: Fraction | None
    """The most that can cost in US dollars; None where a price or an output limit is missing."""
    tokens_max: int | None
    """The most it can cost without retries; None when a condition sends no output limit."""


def freeze(
    config: RunConfig,
    folder: Path,
    salt: str,
    environment: dict[str, str | int | None],
    begin: Callable[[Frozen], None] | None = None,
    note: Callable[[str], None] | None = None,
) -> Frozen:
    """Check everything, write `folder` (which must not exist), and return it read back.

    Args:
        config: what to judge, by what, with whom.
        folder: the run folder; appears whole or not at all.
        salt: 64 hexadecimal digits of chance, so that the run id hides the inputs.
        environment: claims about versions and limits, kept beside the plan.
        begin: called with the frozen folder before it has its name, to write what every run has.
        note: told what is allowed and worth a look, a sentence each.

    Raises:
        InputError: something that was given cannot be judged; nothing is left behind.
        StorageError: the folder cannot be written.
    """
    with _storage(folder):
        taken = folder.exists()
    if taken:
        raise InputError(f"{folder} exists; choose another --out, or `judge resume` it")
    with _storage(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        # A name of its own: two runs may want one folder, and nothing of anybody's is overwritten.
        partial = Path(tempfile.mkdtemp(prefix=f"{folder.name}.partial-", dir=folder.parent))
    try:
        for sentence in _write(config, partial, salt, environment):
            if note is not None:
                note(sentence)
        with Frozen(partial) as frozen:
            check_cap(estimate(frozen), config)
            if begin is not None:
                begin(frozen)
        with _storage(folder):
            partial.rename(folder)
            sync_folder(folder.parent)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    return Frozen(folder)


def estimate(frozen: Frozen) -> Estimate:
    """Render every question of a frozen run once and return what asking them takes.

    Raises:
        InputError: a row that no route takes, or that cannot be rendered.
    """
    questions = Questions(frozen)
    prices = {
        judge.name: price_of(config)
        for judge, config in zip(frozen.plan.judges, frozen.config.judges, strict=True)
    }
    worst = Spending(questions.output_limits())
    found = _Sums()
    repetitions = frozen.plan.repetitions
    for cell in frozen.layout.order():
        found.calls[cell.phase] += 1
        if cell.repetition > 1:
            continue  # the same bytes again
        question = questions.of(cell)
        found.size += repetitions * len(question.body)
        if question.tokens_max is None:
            found.limited = False
            continue
        found.tokens += repetitions * question.tokens_max
        price = prices[question.judge.name]
        if price is None:
            found.priced = False
        else:
            tokens = worst.worst(cell.condition, question.tokens_max)
            found.cost += repetitions * tokens.cost(price)
    return Estimate(
        found.calls["control"],
        found.calls["answer"],
        found.size,
        found.cost if found.limited and found.priced else None,
        found.tokens if found.limited else None,
    )


@dataclass(slots=True)
class _Sums:
    """What is added up while every question is rendered."""

    calls: dict[str, int] = field(default_factory=lambda: {"control": 0, "answer": 0})
    size: int = 0
    tokens: int = 0
    cost: Fraction = Fraction(0)
    limited: bool = True
    priced: bool = True


def check_cap(found: Estimate, config: RunConfig) -> None:
    """Return when the caps on tokens and cost, where there are any, can be kept.

    Raises:
        InputError: a condition sends no output limit, so nothing bounds what its answers cost, or
            the price of a judge is not known.
    """
    limits = config.limits
    for option, cap in (("tokens-total", limits.max_tokens_total), ("cost", limits.max_cost_usd)):
        if cap is not None and found.tokens_max is None:
            raise InputError(f"--max-{option} needs an output limit; add --set max_tokens=N")
    if limits.max_cost_usd is None:
        return
    for judge in config.judges:
        if price_of(judge) is None:
            raise InputError(
                f"--max-cost needs a price for {judge.name or judge.model}, which is not known: "
                "give its `price: {input: …, output: …}` in run.yaml, US dollars for a million "
                "tokens"
            )


@contextlib.contextmanager
def _storage(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(f"{folder}: {error.strerror or error}") from error


def _write(
    config: RunConfig, folder: Path, salt: str, environment: dict[str, str | int | None]
) -> tuple[str, ...]:
    threshold(config.threshold)
    rubrics = _rubrics(config)
    judges = _judges(config)
    if any(judge.api == "lexical" for judge in judges):
        for found in rubrics:
            embedded_labels(found)
    joined = _join(config, rubrics)
    files = tuple(read_controls(name) for name in config.controls)
    _unique("control file", [file.source.name for file in files])
    for file in files:
        for found in rubrics:
            check_kind(file, found)
    inputs = folder / "inputs"
    with _storage(folder):
        inputs.mkdir(mode=0o700)
        (inputs / "rubrics").mkdir(mode=0o700)
        written = _inputs(config, inputs, rubrics, joined, files)
    plan = _plan(config, rubrics, judges, joined, files, written)
    _check_arms(inputs, rubrics)
    kept = dump(config)
    manifest = Manifest(
        v=1,
        plan=plan,
        plan_sha256=digest(encode(plan.plain())),
        salt=salt,
        environment={**environment, "config_sha256": digest(kept)},
    )
    with _storage(folder):
        write_durable(inputs / "run.yaml", kept)
        write_durable(folder / "run.json", manifest.encoded())
        sync_folder(inputs)
    return joined.warnings


# --- what was named -----------------------------------------------------------------------------


def _rubrics(config: RunConfig) -> tuple[Rubric, ...]:
    if not config.rubrics:
        raise InputError("no rubric; name one with --rubric (see `judge templates list`)")
    rubrics = tuple(packs.load(name) for name in config.rubrics)
    _unique("rubric", [found.name for found in rubrics])
    for found in rubrics:
        # Here, not at the first reply: a rubric nobody can read must not be asked.
        _check_readings(found)
    return rubrics


def _check_readings(found: Rubric) -> None:
    rule_named(found.readings.upstream)
    strict = rule_named(found.readings.strict)
    if never := [label for label in found.labels if label not in strict.labels]:
        raise InputError(
            f"{found.name}: its reading {found.readings.strict} never gives the label "
            f"{never[0][:40]!r}; it gives {', '.join(sorted(strict.labels))}"
        )


def _judges(config: RunConfig) -> tuple[Judge, ...]:
    if not config.judges:
        raise InputError(
            "no judge; name one with --judge: openai/MODEL, anthropic/MODEL (with --base-url for a "
            "server of your own), or lexical (an embedded string rule, no language model)"
        )
    judges = tuple(identify(judge) for judge in config.judges)
    _unique("judge", [judge.name for judge in judges])
    return judges


def _unique(what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(f"{what} {name!r} is named twice; give each its own name")
        seen.add(name)


def _join(config: RunConfig, rubrics: tuple[Rubric, ...]) -> Joined:
    if not config.answers:
        raise InputError("no saved answers; name a file with --answers FILE")
    names = [answers.name or answers_name(answers.file) for answers in config.answers]
    _unique("answers", names)
    files = [
        AnswersFile(name=name, path=Path(a.file), columns=tuple(a.columns.items()))
        for name, a in zip(names, config.answers, strict=True)
    ]
    key = config.references
    references = (
        ReferencesFile(path=Path(key.file), columns=tuple(key.columns.items())) if key else None
    )
    selection = _selection(config)
    routes = [word.removeprefix(_ROUTE) for word in config.only if word.startswith(_ROUTE)]
    return join(files, references, selection, _on_routes(routes, rubrics))


def _selection(config: RunConfig) -> Selection:
    return Selection(
        only=config.only,
        limit=config.limit,
        allow_partial=config.allow_partial,
        allow_empty=config.allow_empty,
    )


def _on_routes(
    routes: list[str], rubrics: tuple[Rubric, ...]
) -> Callable[[Reference], bool] | None:
    """What `--only route=a,b` keeps: questions on one of these templates under every rubric."""
    if not routes:
        return None
    wanted = [set(word.split(",")) for word in routes]
    known = {template.name for found in rubrics for template in found.templates}
    for name in sorted(set().union(*wanted)):
        if name not in known:
            raise InputError(f"--only route={name}: the routes are {', '.join(sorted(known))}")

    def keep(row: Reference) -> bool:
        names = {
            rubric.route(found, row.id, row.type, abstention=row.abstention).name
            for found in rubrics
        }
        return all(names <= some for some in wanted)

    return keep


# --- what is frozen -----------------------------------------------------------------------------


def _inputs(
    config: RunConfig,
    inputs: Path,
    rubrics: tuple[Rubric, ...],
    joined: Joined,
    files: tuple[ControlFile, ...],
) -> tuple[FrozenFile, ...]:
    """Write every input but run.yaml, and return them as the plan lists them."""
    routes: set[str] = set()
    ids: set[str] = set()
    named = {control.id for file in files for control in file.controls}
    place = placer(rubrics)

    def items() -> Iterator[Item]:
        for item in _extracted(config, joined.items()):
            _check_abstention(item, rubrics)
            routes.add(place(item).route)
            if item.id in named:
                ids.add(item.id)
            yield item

    kept = [_lines(inputs / "items.jsonl", items())]
    if ids:
        raise InputError(
            f"item {min(ids)!r} is both an answer of this run and a control of a file; "
            "take it out of one of them"
        )
    pool = (row for row in joined.references() if _placed(place, row) in routes)
    kept.append(_lines(inputs / "references.jsonl", pool))
    texts = abstention_texts()
    drawn = draw(
        _references(inputs / "references.jsonl"),
        place,
        (config.positive, config.negative),
        config.seed,
        texts,
    )
    controls = (*drawn, *(control for file in files for control in file.controls))
    kept.append(_lines(inputs / "controls.jsonl", controls))
    both: dict[str, Json] = {
        "confident": list(texts.confident),
        "declining": list(texts.declining),
    }
    kept.append(_value(inputs / "abstention.json", encode(both), "abstention.json"))
    for found in rubrics:
        name = rubric_file(found.name)
        kept.append(_value(inputs / name, encode(found.plain()), name))
    return tuple(sorted(kept, key=lambda file: file.name))


def _extracted(config: RunConfig, items: Iterator[Item]) -> Iterator[Item]:
    """The items as the judge reads them; the whole saved answer is kept beside what was taken."""
    rule = config.extract
    if rule is None:
        yield from items
        return
    without: list[Item] = []
    for item in items:
        found = extract(rule, item.response)
        if found is None or (not found.strip() and not config.allow_empty):
            without.append(item)
            continue
        yield item.model_copy(update={"response": found, "saved": item.response})
    if without:
        raise InputError(
            f"--extract {rule}: {len(without)} saved answers have no line that begins with "
            f"`Answer:` and says something; the first is {without[0].id!r} of "
            f"{without[0].answers}; judge whole answers without --extract, or leave them out"
        )


def _placed(place: Callable[[Item | Reference], Place], row: Reference) -> str | None:
    """The route of a row of the answer key; None where a rubric has none for it."""
    try:
        return place(row).route
    except InputError:
        return None  # not among the answers, or the items would have been refused already


def _check_abstention(item: Item, rubrics: tuple[Rubric, ...]) -> None:
    for found in rubrics:
        explained = {t.name for t in found.templates if t.gold == "explanation"}
        template = rubric.route(found, item.id, item.type, abstention=item.abstention)
        if explained and item.abstention != (template.name in explained):
            says = "an abstention question" if item.abstention else "no abstention question"
            raise InputError(
                f"item {item.id!r} of {item.answers} is {says} by its row, but {found.name} sends "
                f"it to {template.name}; mend the row's abstention field or its id"
            )


def _lines(path: Path, records: Iterable[Record]) -> FrozenFile:
    hashed, size, rows = hashlib.sha256(), 0, 0
    with open(path, "xb", opener=_private) as file:
        for record in records:
            line = encode(record.plain()) + b"\n"
            hashed.update(line)
            size += len(line)
            rows += 1
            file.write(line)
        file.flush()
        os.fsync(file.fileno())
    return FrozenFile(name=path.name, sha256=hashed.hexdigest(), bytes=size, rows=rows)


def _private(path: str, flags: int) -> int:
    """Open for this user alone: answers may not be for everybody's eyes."""
    return os.open(path, flags, 0o600)


def _value(path: Path, data: bytes, name: str) -> FrozenFile:
    write_durable(path, data)
    return FrozenFile(name=name, sha256=digest(data), bytes=len(data), rows=None)


def _references(path: Path) -> Iterator[Reference]:
    with path.open("rb") as file:
        for line in file:
            yield Reference.model_validate_json(line)


# --- the plan -----------------------------------------------------------------------------------


def _plan(
    config: RunConfig,
    rubrics: tuple[Rubric, ...],
    judges: tuple[Judge, ...],
    joined: Joined,
    files: tuple[ControlFile, ...],
    written: tuple[FrozenFile, ...],
) -> Plan:
    conditions = tuple(_conditions(config, rubrics, judges, joined))
    return Plan(
        v=1,
        conditions=conditions,
        judges=judges,
        gate=GateRule(
            threshold=config.threshold,
            seed=config.seed,
            positive=config.positive,
            negative=config.negative,
            batch_size=config.batch_size,
            controls=tuple(file.source.name for file in files),
        ),
        repetitions=config.repetitions,
        reask=config.reask,
        selection=_selection(config),
        questions=joined.questions,
        answers=joined.sets,
        inputs=written,
        sources=(*joined.sources, *(file.source for file in files)),
        extract=config.extract,
        study=intended(config.study, conditions, (row.id for row in joined.references())),
    )


def _conditions(
    config: RunConfig, rubrics: tuple[Rubric, ...], judges: tuple[Judge, ...], joined: Joined
) -> Iterator[Condition]:
    """Yield answers x rubric x judge, numbered in that order."""
    number = 0
    for answers in joined.sets:
        for found in rubrics:
            for judge in judges:
                number += 1
                differs = deviations(found, judge, config.threshold)
                yield Condition(
                    id=f"c{number}",
                    name=condition_name(answers.name, found.name, judge.name),
                    answers=answers.name,
                    rubric=found.name,
                    rubric_pin=found.pin,
                    labels=found.labels,
                    accept=found.accept,
                    readings=found.readings,
                    judge=judge.name,
                    deviations=differs,
                    official=is_official(found, judge, differs) and packs.is_shipped(found),
                )


def _check_arms(inputs: Path, rubrics: tuple[Rubric, ...]) -> None:
    """Both arms must be there, and every control must expect labels that are offered."""
    arms: set[str] = set()
    with (inputs / "controls.jsonl").open("rb") as file:
        for line in file:
            control = Control.model_validate_json(line)
            arms.add(control.arm)
            for found in rubrics:
                expected(control, found)
    for arm in ("positive", "negative"):
        if arm not in arms:
            raise InputError(
                f"the {arm} arm is empty, so the gate could not fail there; "
                f"raise --{arm}, or add a file with --controls"
            )
