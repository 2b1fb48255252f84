"""The five verbs for Python: plan, run, resume, verify, show.

They also work inside a running event loop, as in a notebook: the run then has a thread and a loop
of its own. Signals are left to the caller; a run that was interrupted can be resumed.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from judge import judging
from judge.config import Limits, RunConfig
from judge.judging import Outcome
from judge.planning import Estimate, estimate, freeze
from judge.preregistration import promised
from judge.records import Plan
from judge.recount import Proof, recount
from judge.report.summary import Summary, summarise
from judge.stretch import Settings, Watch

__all__ = ["Planned", "plan", "resume", "run", "show", "verify"]


@dataclass(frozen=True, slots=True)
class Planned:
    """What a run of this configuration would ask."""

    plan: Plan
    plan_sha256: str
    """Can be published before the run: the run repeats it."""
    estimate: Estimate


def plan(config: RunConfig) -> Planned:
    """Check every row, render every prompt once, and return what a run would ask; sends nothing.

    Raises:
        InputError: something that was given cannot be judged.
    """
    with (
        tempfile.TemporaryDirectory(prefix="judge-plan-") as folder,
        freeze(config, Path(folder) / "plan", "0" * 64, {}) as frozen,
    ):
        return Planned(frozen.plan, frozen.manifest.plan_sha256, estimate(frozen))


def run(
    config: RunConfig,
    folder: Path | str,
    watch: Watch | None = None,
    *,
    plan: Path | str | None = None,
) -> Outcome:
    """Freeze, gate, score if the gate passes, seal; return the run recounted from the disk.

    A judge that fails its gate, undecided replies and a provider that stops the run are no
    exceptions here: `Outcome.proof.state`, `Outcome.halt` and `Outcome.exit_code` say so.

    Args:
        config: what to judge, by what, with whom.
        folder: where the run goes; must not exist.
        watch: whom to tell.
        plan: a plan frozen earlier, or its digest; a run that differs from it is refused.

    Raises:
        InputError: nothing was sent, and no folder is left.
        StorageError: the ledger could not be written.
    """
    held = None if plan is None else promised(str(plan))
    return judging.run(config, Path(folder), watch=watch, promise=held)


def resume(
    folder: Path | str,
    *,
    limits: Limits | None = None,
    leave_unknown: bool = False,
    recheck: bool = False,
    watch: Watch | None = None,
) -> Outcome:
    """Go on with a run where it stopped; no decided cell is asked again.

    Args:
        folder: the run.
        limits: of this stretch; by default those the run was frozen with.
        leave_unknown: close cells whose answer may have been lost as undecided.
        recheck: ask the controls of unfinished batches again.
        watch: whom to tell.

    Raises:
        InputError: no run here, or one that is sealed.
        VerificationError: the run is damaged; it is left as it is.
        StorageError: another process writes it, or the disk fails.
    """

    def change(config: RunConfig) -> tuple[RunConfig, Settings]:
        used = limits or config.limits
        return config, Settings(limits=used, leave_unknown=leave_unknown, recheck=recheck)

    return judging.resume(Path(folder), change, watch)


def verify(folder: Path | str, *, public: bool = False, expect_head: str | None = None) -> Proof:
    """Prove a run again, offline, and return what it holds.

    Raises:
        InputError: there is no run here.
        VerificationError: something in it does not follow; names the file and the line.
    """
    return recount(Path(folder), public=public, expect_head=expect_head)


def show(folder: Path | str, *, public: bool = False) -> Summary:
    """Return the counts, rates and flips of a run, recounted first; raises as `verify`."""
    return summarise(recount(Path(folder), public=public))
