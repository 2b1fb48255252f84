"""A frozen plan in; what it will ask, cost and be able to show, as a record and in words, out."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from importlib.util import find_spec

from pydantic import Field

from judge.folder import Frozen
from judge.gate import need, threshold
from judge.planning import Estimate
from judge.prices import price_of, price_source
from judge.questions import Questions
from judge.records import ARMS, Arm, Count, Judge, Listed, Plan, Record, Study
from judge.spending import Tokens, dollars
from judge.stats.controls import chance_to_pass
from judge.stats.exact import percent
from judge.stats.mcnemar import exact_p
from judge.stats.power import mcnemar_power
from judge.stats.proportion import lower_bound
from judge.tokens import encoding_of, tokenizer

__all__ = ["Outlook", "described_plan", "foreseen"]

_ACCURACIES = (Fraction(9, 10), Fraction(8, 10))
_DISCORDANCE = Fraction(1, 10)
_POWER = 0.8
_ALPHA = Fraction(1, 20)
_BYTES_PER_TOKEN = 4
"""Of English text, roughly: only where no tokenizer is known, and then it is called a guess."""
_WRAPPED = 16
"""Tokens a provider puts around one prompt at most; 7 were seen."""
_MILLION = 1_000_000
_MANY = 100


class ArmOutlook(Record):
    """What one group of controls can show."""

    arm: Arm
    asked: Count
    need: Count
    bound: str
    """If all are right: a lower bound of the pass rate (95 %, Clopper-Pearson)."""
    passes: dict[str, float]
    """Accuracy to the chance that a judge so good passes."""


class JudgeOutlook(Record):
    """What one judge will read, and what it costs."""

    name: str
    calls: Count
    tokens_in: Count
    """Of all prompts, repetitions included, without what the provider wraps around them."""
    counted_by: str
    """The tokenizer, or `estimate`."""
    price_in: str | None
    """US dollars for a million tokens."""
    price_out: str | None
    price_source: str | None
    cost_max: Fraction | None
    """With every reply as long as it may be; null where a price or an output limit is missing."""


class Design(Record):
    """The smallest difference that two conditions with the same questions can show."""

    items: Count
    least: Count
    """Discordant items, all one way, below which exact McNemar cannot reach 0.05."""
    detectable: Fraction | None
    """The difference found with 80 % power where a tenth of the items are discordant; null: none
    that such a share allows."""


class Outlook(Record):
    """All that `judge plan` says."""

    plan_sha256: str
    plan: Plan
    control_calls: Count
    answer_calls: Count
    prompt_bytes: Count
    tokens_max: int | None = Field(ge=0)
    cost_max: Fraction | None
    judges: Listed[JudgeOutlook]
    gate: Listed[ArmOutlook]
    design: Design | None
    """Null for a single condition asked once."""


def foreseen(frozen: Frozen, found: Estimate) -> Outlook:
    """Return what a frozen plan will ask, cost and be able to show."""
    plan = frozen.plan
    return Outlook(
        plan_sha256=frozen.manifest.plan_sha256,
        plan=plan,
        control_calls=found.control_calls,
        answer_calls=found.answer_calls,
        prompt_bytes=found.prompt_bytes,
        tokens_max=found.tokens_max,
        cost_max=found.cost_max,
        judges=tuple(_judges(frozen)),
        gate=tuple(_arms(frozen)),
        design=_design(plan),
    )


# --- judges -------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Read:
    """What is counted while every prompt is rendered."""

    count: Callable[[str], int]
    counted_by: str
    tokens: int = 0
    calls: int = 0
    written: int | None = 0


def _judges(frozen: Frozen) -> Iterator[JudgeOutlook]:
    found = _read(frozen)
    for judge, config in zip(frozen.plan.judges, frozen.config.judges, strict=True):
        price, read = price_of(config), found[judge.name]
        cost = None
        if price is not None and read.written is not None:
            cost = Tokens(read.tokens + read.calls * _WRAPPED, read.written).cost(price)
        yield JudgeOutlook(
            name=judge.name,
            calls=read.calls,
            tokens_in=read.tokens,
            counted_by=read.counted_by,
            price_in=None if price is None else _for_a_million(price.input),
            price_out=None if price is None else _for_a_million(price.output),
            price_source=None if price is None else price_source(config),
            cost_max=cost,
        )


def _for_a_million(price: Fraction) -> str:
    return f"{float(price * _MILLION):g}"


def _read(frozen: Frozen) -> dict[str, _Read]:
    """Every prompt of the plan counted, by judge."""
    questions = Questions(frozen)
    limits = questions.output_limits()
    found = {judge.name: _Read(*_counter(judge)) for judge in frozen.plan.judges}
    repetitions = frozen.plan.repetitions
    for cell in frozen.layout.order():
        if cell.repetition > 1:
            continue  # the same prompt again
        question = questions.of(cell)
        read = found[question.judge.name]
        texts = (question.prompt, question.template.system or "")
        read.tokens += repetitions * sum(map(read.count, texts))
        read.calls += repetitions
        limit = limits.get(cell.condition, 0 if question.judge.api == "lexical" else None)
        if limit is None or read.written is None:
            read.written = None
        else:
            read.written += repetitions * limit
    return found


def _counter(judge: Judge) -> tuple[Callable[[str], int], str]:
    """How this judge's tokens are counted: by its own tokenizer, or by a rule of thumb."""
    encoding = encoding_of(judge.model) if judge.address == "provider" else None
    if judge.api == "lexical":
        return (lambda _: 0), "none are read"
    if encoding is None or find_spec("bpe_openai") is None:
        return _guess, "estimate"
    return tokenizer(encoding).count, encoding


def _guess(text: str) -> int:
    return -(-len(text.encode()) // _BYTES_PER_TOKEN)


# --- what can be shown --------------------------------------------------------------------------


def _arms(frozen: Frozen) -> Iterator[ArmOutlook]:
    share = threshold(frozen.plan.gate.threshold)
    for arm in ARMS:
        asked = sum(control.arm == arm for control in frozen.controls)
        if not asked:
            continue
        least = asked if arm == "injection" else need(share, asked)
        yield ArmOutlook(
            arm=arm,
            asked=asked,
            need=least,
            bound=f"{float(lower_bound(asked, asked).value):.3f}",
            passes={
                percent(right, 0): float(chance_to_pass(asked, least, right).chance)
                for right in _ACCURACIES
            },
        )


def _design(plan: Plan) -> Design | None:
    if len(plan.conditions) == 1:
        return None
    least = next(b for b in range(1, _MANY) if exact_p(b, 0) < _ALPHA)
    items = plan.questions
    return Design(items=items, least=least, detectable=_detectable(items))


def _detectable(items: int) -> Fraction | None:
    """The least difference, in whole items, that is found with this power; found by halving."""
    discordant = int(items * _DISCORDANCE)
    low, high = 0, discordant
    if not high or not _found(items, high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _found(items, middle) else (middle, high)
    return Fraction(high, items)


def _found(items: int, difference: int) -> bool:
    shift = Fraction(difference, items)
    gain, loss = (_DISCORDANCE + shift) / 2, (_DISCORDANCE - shift) / 2
    return mcnemar_power(items, gain, max(loss, Fraction(0)), _ALPHA).power >= _POWER


# --- in words -----------------------------------------------------------------------------------


def described_plan(plan: Plan, outlook: Outlook) -> list[str]:
    """Return what a plan will ask, cost and be able to show, as lines."""
    return [
        f"plan   {outlook.plan_sha256}",
        *_conditions(plan),
        *_calls(outlook),
        *_cost(outlook),
        *_gate(outlook),
        *_reach(outlook.design),
        *_fixed(plan),
    ]


def _conditions(plan: Plan) -> Iterator[str]:
    for condition in plan.conditions:
        official = "  (official)" if condition.official else ""
        yield f"{condition.id:<5}  {condition.name}{official}"
        yield from (f"       deviation: {sentence}" for sentence in condition.deviations)


def _calls(outlook: Outlook) -> Iterator[str]:
    yield (
        f"calls  {outlook.control_calls} controls and {outlook.answer_calls} answers, "
        f"{outlook.plan.repetitions} repetition(s), without retries"
    )


def _cost(outlook: Outlook) -> Iterator[str]:
    most = outlook.tokens_max
    limit = "no output limit is sent" if most is None else f"{most} at most (one for every byte)"
    yield f"tokens {limit}; {outlook.prompt_bytes} bytes of requests"
    for judge in outlook.judges:
        how = "estimated" if judge.counted_by == "estimate" else f"by {judge.counted_by}"
        yield f"       {judge.name}: {judge.tokens_in} in {judge.calls} prompts, {how}"
        if judge.price_in is None:
            yield f"cost   {judge.name}: unknown; give its `price` in run.yaml"
        elif judge.cost_max is None:
            yield f"cost   {judge.name}: unbounded, since no output limit is sent"
        else:
            yield (
                f"cost   {judge.name}: {dollars(judge.cost_max)} with every reply as long as it "
                f"may be, without retries (${judge.price_in} in, ${judge.price_out} out for a "
                f"million; {judge.price_source})"
            )
    if outlook.cost_max is not None and outlook.cost_max > 0:
        yield f"       a cap reserves up to {dollars(outlook.cost_max)}: a token for every byte"


def _gate(outlook: Outlook) -> Iterator[str]:
    for arm in outlook.gate:
        chances = ", ".join(
            f"one right {name} of the time with {chance:.2f}" for name, chance in arm.passes.items()
        )
        yield (
            f"gate   {arm.arm}: {arm.need} of {arm.asked} must be right; all right shows above "
            f"{arm.bound} (95 %); a judge passes by chance: {chances}"
        )


def _reach(design: Design | None) -> Iterator[str]:
    if design is None:
        return
    yield (
        f"shows  {design.items} questions: fewer than {design.least} that differ, all one way, are "
        "no difference by exact McNemar at 0.05, whatever is repeated"
    )
    if design.detectable is None:
        yield "       with a tenth of them discordant no difference is found with 80 % power"
    else:
        yield (
            f"       with a tenth of them discordant {percent(design.detectable)} is the smallest "
            "difference found with 80 % power"
        )


def _fixed(plan: Plan) -> Iterator[str]:
    for answers in plan.answers:
        if answers.missing:
            yield f"note   {answers.name}: {answers.missing} questions have no saved answer"
    if plan.extract is not None:
        yield f"fixed  of each answer the judge reads its {plan.extract}"
    if plan.study is not None:
        yield from _study(plan.study)


def _study(study: Study) -> Iterator[str]:
    for contrast in study.contrasts:
        sides = contrast.vary and f"conditions that differ in {contrast.vary} alone"
        yield f"fixed  contrast {contrast.name}: {sides or f'{contrast.first}, {contrast.second}'}"
    if study.exclusions is not None:
        yield f"fixed  {len(study.exclusions.rows)} questioned rows ({study.exclusions.file})"
    for one in study.comparators:
        yield f"fixed  comparator {one.name}: {one.count} of {one.n} ({one.source})"
    if study.margin is not None:
        yield f"fixed  margin {study.margin}"
    yield f"fixed  allowed breaks {study.allowed_breaks}"
