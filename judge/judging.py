"""All the questions of a run: freeze, gate, score, seal; and going on where one stopped.

This module owns the clock and the chance of the package: everything below takes them as arguments.
"""

import asyncio
import datetime as dt
import importlib.metadata
import platform
import secrets
import threading
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge.asking import Clock
from judge.config import JudgeConfig, Limits, RunConfig, parse
from judge.engine import Halt
from judge.errors import InputError
from judge.folder import Frozen
from judge.identity import identify
from judge.ledger import Ledger, Lock, sync_folder, write_seal
from judge.planning import check_cap, estimate, freeze
from judge.preregistration import Promised, hold
from judge.prices import price_of
from judge.providers import Endpoint, Provider, open_provider
from judge.questions import RULES, Rules
from judge.records import Plan, Start
from judge.recount import Proof, recount
from judge.recovery import recover
from judge.stretch import Settings, Stretch, Watch, Way

__all__ = ["Outcome", "Settings", "Watch", "default_folder", "resume", "run", "version"]

_DISTRIBUTION = "judge-harness"
_CLAIMED = ("openai", "anthropic", "httptools", "httpx2", "jinja2", "orjson", "pydantic")
_EXITS: dict[str, int] = {"complete": 0, "gate-failed": 3, "incomplete": 4, "open": 4}
_SIGNAL_EXITS: dict[str, int] = {"sigint": 130, "sigterm": 143, "sighup": 129}
_PROVIDER_EXIT = 5


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a stretch of a run ended."""

    folder: Path
    proof: Proof
    """The run as it lies on the disk, recounted."""
    halt: Halt | None
    """Why it stopped before its end, if it did."""

    @property
    def exit_code(self) -> int:
        """0 complete, 3 gate failed, 4 incomplete or open, 5 provider, 129/130/143 signals."""
        if self.halt is None:
            return _EXITS[self.proof.state]
        return _SIGNAL_EXITS.get(self.halt.cause, _PROVIDER_EXIT)


def version() -> str:
    """Return the version of this package."""
    return importlib.metadata.version(_DISTRIBUTION)


def default_folder(config: RunConfig, home: Path) -> Path:
    """Return `home/<UTC time>-<first rubric>`, where a run goes when nothing is said."""
    stamp = dt.datetime.fromtimestamp(time.time_ns() / 1e9, dt.UTC)
    rubric = Path(config.rubrics[0]).stem if config.rubrics else "run"
    if config.rubrics and not config.rubrics[0].endswith(".yaml"):
        rubric = config.rubrics[0].replace("/", "-")
    return home / f"{stamp:%Y%m%dT%H%M%SZ}-{rubric}"


def run(
    config: RunConfig,
    folder: Path,
    settings: Settings | None = None,
    watch: Watch | None = None,
    rules: Rules = RULES,
    promise: Promised | None = None,
) -> Outcome:
    """Freeze a plan, let the judge take its controls, score if it passes, seal.

    Args:
        config: what to judge, by what, with whom.
        folder: where the run goes; must not exist.
        settings: limits and manners of this stretch; by default the configuration's limits.
        watch: whom to tell.
        rules: the embedded judges that are known.
        promise: the plan that was published before; a run that differs from it is refused.

    Raises:
        InputError: nothing was sent, and no folder is left.
        StorageError: the ledger could not be written.
        ProviderError: a judge could not be prepared.
    """
    settings = settings or Settings(limits=config.limits)
    watch = watch or Watch()
    # run.yaml names the limits that the first stretch goes out under.
    config = config.model_copy(update={"limits": settings.limits})
    # Names, addresses and keys before anything is frozen: a missing key costs nothing.
    for judge in config.judges:
        identify(judge)
    ways = _ways(config, settings.limits)
    environment = _environment(settings.limits)

    def begin(frozen: Frozen) -> None:
        if promise is not None:
            hold(frozen.plan, promise)
        _begin(frozen)

    frozen = freeze(config, folder, secrets.token_hex(32), environment, begin, watch.note)
    with frozen, Lock(folder) as lock:
        watch.frozen(frozen)
        proof = recount(folder, rules=rules, frozen=frozen)
        stretch = Stretch(proof, frozen, settings, watch, rules, _CLOCK)
        halt = _driven(lambda: stretch.go(ways, lock))
    return Outcome(folder, recount(folder, rules=rules), halt)


def _begin(frozen: Frozen) -> None:
    """Write the first line."""
    ledger = Ledger(frozen.folder / "receipts.jsonl", frozen.run_id, 0, _now)
    try:
        ledger.post(Start(plan_sha256=frozen.manifest.plan_sha256))
        ledger.commit_now()
        sync_folder(frozen.folder)
    finally:
        ledger.close()


def resume(
    folder: Path,
    change: Callable[[RunConfig], tuple[RunConfig, Settings]],
    watch: Watch | None = None,
    rules: Rules = RULES,
) -> Outcome:
    """Go on with a run where it stopped.

    Args:
        folder: the run.
        change: given the frozen configuration, returns the one to connect by and the settings of
            this stretch: addresses, keys and limits may differ, nothing else is looked at.
        watch: whom to tell.
        rules: the embedded judges that are known.

    Raises:
        InputError: no run here, one that is sealed, or judges that are not those of its plan.
        VerificationError: the run is damaged; it is left as it is.
        StorageError: another process writes it, or the disk fails.
    """
    watch = watch or Watch()
    with Frozen(folder) as frozen, Lock(folder) as lock:
        if (folder / "seal.txt").exists():
            state = recount(folder, rules=rules, frozen=frozen).state
            raise InputError(f"{folder.name} is sealed ({state}); there is nothing to go on with")
        recovered = recover(folder / "receipts.jsonl", frozen.run_id, folder / "quarantine")
        proof = recount(folder, rules=rules, frozen=frozen, sealing=True)
        if proof.progress.seal is not None:
            # Killed between the last line and seal.txt: the ledger says all there is to say.
            write_seal(folder, frozen.run_id, proof.lines, proof.head)
            return Outcome(folder, recount(folder, rules=rules), None)
        config, settings = change(parse((folder / "inputs" / "run.yaml").read_bytes(), "run.yaml"))
        _check_judges(config, frozen.plan)
        if {settings.limits.max_tokens_total, settings.limits.max_cost_usd} != {None}:
            check_cap(estimate(frozen), config.model_copy(update={"limits": settings.limits}))
        ways = _ways(config, settings.limits)
        watch.frozen(frozen)
        stretch = Stretch(proof, frozen, settings, watch, rules, _CLOCK)
        stretch.resumed(recovered, version())
        halt = _driven(lambda: stretch.go(ways, lock))
    return Outcome(folder, recount(folder, rules=rules), halt)


def _check_judges(config: RunConfig, plan: Plan) -> None:
    """Refuse a configuration whose judges are not those of the plan, whatever else it changes."""
    judges = tuple(identify(judge) for judge in config.judges)
    for judge, planned in zip(judges, plan.judges, strict=False):
        if judge.address != planned.address:
            own = "the provider's own address" if planned.address == "provider" else "a base URL"
            raise InputError(
                f"judge {planned.name}: the plan asks it at {own}, and asking elsewhere would "
                "change what its replies prove; resume without another address, or start a new run"
            )
    if judges != plan.judges:
        raise InputError(
            "the judges are not those of the plan; only address, key and limits may differ"
        )


# --- clock, chance, environment -----------------------------------------------------------------


def _now() -> str:
    stamp = dt.datetime.fromtimestamp(time.time_ns() // 1_000_000 / 1000, dt.UTC)
    return stamp.strftime("%Y-%m-%dT%H:%M:%S.") + f"{stamp.microsecond // 1000:03d}Z"


def _epoch_s() -> float:
    return time.time_ns() / 1e9


_CLOCK = Clock(stamp=_now, now_s=_epoch_s, monotonic_s=time.monotonic)


def _environment(limits: Limits) -> dict[str, str | int | None]:
    """Claims about the machine: versions and limits, no names of it."""
    versions = {name: _installed(name) for name in (_DISTRIBUTION, *_CLAIMED)}
    return {
        **versions,
        "python": platform.python_version(),
        "system": platform.system(),
        "max_connections": limits.max_connections,
        "deadline_s": limits.deadline_s,
        "tries": limits.tries,
    }


def _installed(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


# --- how judges are reached ---------------------------------------------------------------------


def _ways(config: RunConfig, limits: Limits) -> tuple[Way, ...]:
    capped = limits.max_cost_usd is not None
    return tuple(
        Way(judge, _provider(judge, limits), price_of(judge) if capped else None)
        for judge in config.judges
    )


def _provider(judge: JudgeConfig, limits: Limits) -> Provider | None:
    if judge.provider == "lexical":
        return None
    return open_provider(
        Endpoint(
            provider=judge.provider,
            base_url=judge.base_url,
            key_env=judge.key_env,
            ca_file=judge.ca_file,
            insecure_key=judge.insecure_key,
            deadline_ms=limits.deadline_s * 1000,
            max_reply_bytes=limits.max_reply_bytes,
        )
    )


def _driven(stretch: Callable[[], Coroutine[Any, Any, Halt | None]]) -> Halt | None:
    """Run a stretch to its end: here, or in its own thread where a loop is running already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(stretch())
    return _in_thread(stretch)


def _in_thread(stretch: Callable[[], Coroutine[Any, Any, Halt | None]]) -> Halt | None:
    ended: list[Halt | None] = []
    failed: list[BaseException] = []

    def body() -> None:
        try:
            ended.append(asyncio.run(stretch()))
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
            failed.append(error)

    thread = threading.Thread(target=body, name="judge")
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return ended[0]
