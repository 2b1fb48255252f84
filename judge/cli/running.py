"""`judge plan`, `judge run`, `judge resume`."""

import tempfile
from pathlib import Path
from typing import Any

import click

from judge import judging
from judge.cli.building import configured, reconnected
from judge.cli.printing import print_json, print_text
from judge.cli.words import connection_options, output_options, run_options
from judge.config import RunConfig
from judge.planning import estimate, freeze
from judge.preregistration import promised, publish
from judge.report.bar import Bar
from judge.report.console import described
from judge.report.numbers import plain_numbers
from judge.report.outlook import described_plan, foreseen
from judge.report.summary import summarise
from judge.stretch import Settings

__all__ = ["plan", "resume", "run"]

_HOME = Path("receipts")
_LEAVES_UNDECIDED = {"wrong_model", "portal", "rejected"}
"""Stops that come after replies which are closed without a label."""


@click.command()
@run_options
@click.option(
    "--freeze", "target", metavar="FILE", type=click.Path(path_type=Path), help="Write the plan."
)
@output_options
def plan(*, target: Path | None, as_json: bool, **words: Any) -> None:  # noqa: ANN401 - click gives what was parsed
    """Check everything and say what a run would ask; nothing is sent.

    CONFIG is a run.yaml; options stand over what it says. With --freeze the plan is written down,
    to be published before the run: `judge run … --plan FILE` refuses whatever differs.
    """
    config = configured(words)
    with (
        tempfile.TemporaryDirectory(prefix="judge-plan-") as folder,
        freeze(config, Path(folder) / "plan", "0" * 64, {}, note=_note) as frozen,
    ):
        outlook = foreseen(frozen, estimate(frozen))
        if target is not None:
            publish(frozen.plan, target)
        if as_json:
            print_json(plain_numbers(outlook))
        else:
            print_text("\n".join(described_plan(frozen.plan, outlook)))
            if target is not None:
                print_text(f"frozen {target}; publish it, or its digest, before the run")


def _note(sentence: str) -> None:
    print_text(f"note: {sentence}", err=True)


@click.command()
@run_options
@click.option("--out", metavar="RUN", help="The run folder [receipts/TIME-RUBRIC].")
@click.option("--plan", "promise", metavar="FILE|DIGEST", help="Refuse what differs from it.")
@output_options
@click.pass_context
def run(
    ctx: click.Context,
    /,
    *,
    out: str | None,
    promise: str | None,
    as_json: bool,
    **words: Any,  # noqa: ANN401
) -> None:
    """Freeze a plan, let the judge take its controls, score if it passes, seal.

    CONFIG is a run.yaml; options stand over what it says.
    """
    config = configured(words)
    held = None if promise is None else promised(promise)
    folder = Path(out) if out else judging.default_folder(config, _HOME)
    settings = Settings(limits=config.limits, signals=True)
    with Bar() as bar:
        outcome = judging.run(config, folder, settings, bar, promise=held)
    _ended(ctx, outcome, as_json=as_json)


@click.command()
@click.argument("folder", metavar="RUN", type=click.Path(file_okay=False, path_type=Path))
@connection_options
@click.option("--leave-unknown", is_flag=True, help="Close lost cells as undecided.")
@click.option("--recheck", is_flag=True, help="Ask the controls of open batches again.")
@output_options
@click.pass_context
def resume(
    ctx: click.Context,
    /,
    *,
    folder: Path,
    leave_unknown: bool,
    recheck: bool,
    as_json: bool,
    **words: Any,  # noqa: ANN401
) -> None:
    """Go on with RUN where it stopped: no decided cell is asked again."""

    def change(config: RunConfig) -> tuple[RunConfig, Settings]:
        changed = reconnected(config, words)
        return changed, Settings(
            limits=changed.limits, leave_unknown=leave_unknown, recheck=recheck, signals=True
        )

    with Bar() as bar:
        outcome = judging.resume(folder, change, bar)
    _ended(ctx, outcome, as_json=as_json)


def _ended(ctx: click.Context, outcome: judging.Outcome, *, as_json: bool) -> None:
    summary = summarise(outcome.proof)
    if as_json:
        print_json(summary.plain())
    else:
        print_text(f"{outcome.folder}\n" + described(summary, bounds=False, flips=10))
    if outcome.halt is not None:
        detail = f": {outcome.halt.detail}" if outcome.halt.detail else ""
        print_text(f"judge: stopped ({outcome.halt.cause}){detail}", err=True)
        if outcome.halt.cause in _LEAVES_UNDECIDED and not outcome.proof.tally.gates:
            print_text(
                "judge: controls answered before the stop stay undecided; once the cause is "
                "mended, `judge resume RUN --recheck` asks the controls again",
                err=True,
            )
    ctx.exit(outcome.exit_code)
