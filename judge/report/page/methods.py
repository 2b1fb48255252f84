"""Proved runs in, the paragraph a paper needs out."""

from collections.abc import Iterator, Sequence

from judge.records import Plan
from judge.report.summary import Summary
from judge.studies.columns import Opened

__all__ = ["methods"]


def methods(runs: Sequence[Opened], summaries: Sequence[Summary]) -> str:
    """Return how the verdicts came about, in sentences that can be checked against the receipts."""
    return "\n\n".join(
        " ".join(_sentences(run, summary)) for run, summary in zip(runs, summaries, strict=True)
    )


def _sentences(run: Opened, summary: Summary) -> Iterator[str]:
    plan = run.plan
    yield from _asked(plan)
    yield from _rubrics(run)
    yield from _judges(plan)
    yield from _gate(plan, summary)
    yield (
        "A reply without a verdict is undecided, never counted as right or wrong, and no rate is "
        "given while any cell is undecided; intervals of rates are Wilson score intervals (95 %)."
    )
    yield (
        f"Every verdict follows from a stored request and raw reply (judge format 1, state "
        f"{summary.state}, plan {summary.plan_sha256}, head {summary.head}, {summary.lines} lines)."
    )


def _asked(plan: Plan) -> Iterator[str]:
    sets = "; ".join(
        f"{source.file} ({source.rows} rows, SHA-256 {source.sha256})"
        for source in plan.sources
        if source.role == "answers"
    )
    chosen = f" selected by {', '.join(plan.selection.only)}" if plan.selection.only else ""
    times = "once" if plan.repetitions == 1 else f"{plan.repetitions} times"
    yield (
        f"Saved answers to {plan.questions} questions{chosen} were judged {times} under "
        f"{len(plan.conditions)} condition(s): {sets}."
    )
    if plan.extract is not None:
        yield f"Of each answer the judge read its {plan.extract}."


def _rubrics(run: Opened) -> Iterator[str]:
    pins = {c.rubric: c for c in run.plan.conditions}
    for name, condition in pins.items():
        how = (
            "as published"
            if condition.official
            else "with these deviations: "
            + ("; ".join(condition.deviations) or "not a published judge of this rubric")
        )
        yield f"The rubric was {name} (SHA-256 {condition.rubric_pin}), {how}."


def _judges(plan: Plan) -> Iterator[str]:
    for judge in plan.judges:
        if judge.api == "lexical":
            yield "The judge was a string rule of the harness (lexical/1), not a language model."
            continue
        changed = ", ".join(sorted(judge.settings_set))
        told = f", with {changed} set" if changed else ""
        without = f", without {', '.join(judge.settings_unset)}" if judge.settings_unset else ""
        yield (
            f"The judge was {judge.model} ({judge.provider}, {judge.identity}; every reply named "
            f"{judge.expect_model}){told}{without}."
        )


def _gate(plan: Plan, summary: Summary) -> Iterator[str]:
    passed = sum(line.passed for line in summary.gate)
    files = f" and the control files {', '.join(plan.gate.controls)}" if plan.gate.controls else ""
    batch = f", before every {plan.gate.batch_size} questions" if plan.gate.batch_size else ""
    yield (
        f"Before scoring{batch}, each condition and repetition had to get {plan.gate.threshold} of "
        f"its known answers right ({plan.gate.positive} positive, {plan.gate.negative} negative, "
        f"drawn with seed {plan.gate.seed}{files}); {passed} of {len(summary.gate)} groups passed."
    )
