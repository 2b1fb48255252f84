"""All the questions of a run: freeze, gate, score, seal; and going on where one stopped.

This module owns the clock and the chance of the package: everything below takes them as arguments.
"""

import asyncio
import contextlib
import datetime as dt
import importlib.metadata
import platform
import secrets
import signal
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from judge.asking import Asked, Asker, Clock, Embedded, Posted
from judge.config import JudgeConfig, Limits, RunConfig, parse
from judge.engine import Clearances, Engine, Halt, Ways
from judge.errors import InputError, VerificationError
from judge.folder import Frozen
from judge.gate import Clearance
from judge.identity import identify
from judge.ledger import Ledger, Lock, recover, sync_folder, write_seal
from judge.planning import freeze
from judge.progress import Status
from judge.providers import Endpoint, Provider, open_provider
from judge.questions import RULES, Questions, Rules
from judge.records import (
    Cause,
    Cell,
    Gate,
    Plan,
    Recovered,
    Resumed,
    Start,
    Stopped,
)
from judge.recount import Proof, recount

__all__ = ["Outcome", "Settings", "Watch", "default_folder", "resume", "run", "version"]

_DISTRIBUTION = "judge-harness"
_CLAIMED = ("openai", "anthropic", "httptools", "httpx2", "jinja2", "orjson", "pydantic")
_SIGNALS: tuple[tuple[signal.Signals, Cause], ...] = (
    (signal.SIGINT, "sigint"),
    (signal.SIGTERM, "sigterm"),
    (signal.SIGHUP, "sighup"),
)
_EXITS: dict[str, int] = {"complete": 0, "gate-failed": 3, "incomplete": 4, "open": 4}
_SIGNAL_EXITS: dict[str, int] = {"sigint": 130, "sigterm": 143, "sighup": 129}
_PROVIDER_EXIT = 5


@dataclass(frozen=True, slots=True)
class Settings:
    """What may differ from one stretch of a run to the next."""

    limits: Limits = field(default_factory=Limits)
    leave_unknown: bool = False
    """Close cells whose answer may have been lost as undecided."""
    recheck: bool = False
    """Ask the controls of unfinished batches again."""
    signals: bool = False
    """Finish what is in flight on SIGINT, SIGTERM and SIGHUP: for the command, not a notebook."""


class Watch:
    """Told what happens, and silent about it: a progress bar overrides what it shows."""

    def frozen(self, frozen: Frozen) -> None:
        """The plan is frozen; nothing has been sent in this stretch."""

    def note(self, sentence: str) -> None:
        """Something the user should know."""

    def closed(self, cell: Cell, asked: Asked) -> None:
        """An attempt was closed."""

    def stopping(self, cause: Cause) -> None:
        """A signal came: what is in flight is finished; a second one ends the process at once."""


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
) -> Outcome:
    """Freeze a plan, let the judge take its controls, score if it passes, seal.

    Args:
        config: what to judge, by what, with whom.
        folder: where the run goes; must not exist.
        settings: limits and manners of this stretch; by default the configuration's limits.
        watch: whom to tell.
        rules: the embedded judges that are known.

    Raises:
        InputError: nothing was sent, and no folder is left.
        StorageError: the ledger could not be written.
        ProviderError: a judge could not be prepared.
    """
    settings = settings or Settings(limits=config.limits)
    watch = watch or Watch()
    # Names, addresses and keys before anything is frozen: a missing key costs nothing.
    for judge in config.judges:
        identify(judge)
    ways = _ways(config, settings.limits)
    environment = _environment(settings.limits)
    frozen = freeze(config, folder, secrets.token_hex(32), environment, _begin, watch.note)
    with frozen, Lock(folder) as lock:
        watch.frozen(frozen)
        proof = recount(folder, rules=rules, frozen=frozen)
        stretch = _Stretch(proof, frozen, settings, watch, rules)
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
        ways = _ways(config, settings.limits)
        watch.frozen(frozen)
        stretch = _Stretch(proof, frozen, settings, watch, rules)
        stretch.resumed(recovered)
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


@dataclass(frozen=True, slots=True)
class _Way:
    """A judge by name, and the provider that reaches it; None for an embedded one."""

    config: JudgeConfig
    provider: Provider | None


def _ways(config: RunConfig, limits: Limits) -> tuple[_Way, ...]:
    return tuple(_Way(judge, _provider(judge, limits)) for judge in config.judges)


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


# --- one stretch --------------------------------------------------------------------------------


class _Stretch:
    """From the ledger as it lies on the disk to its seal, or to a stop."""

    def __init__(
        self, proof: Proof, frozen: Frozen, settings: Settings, watch: Watch, rules: Rules
    ) -> None:
        self._frozen = frozen
        self._settings = settings
        self._watch = watch
        self._rules = rules
        self._proof = proof
        self._progress = proof.progress
        self._questions = Questions(frozen)
        path = frozen.folder / "receipts.jsonl"
        self._ledger = Ledger(path, proof.head, proof.lines, _now)
        self._asker = Asker(
            self._ledger,
            self._progress,
            proof.spending,
            proof.seen,
            Clock(now_s=_epoch_s, monotonic_s=time.monotonic),
        )
        self._asker.longest_wait_ms = settings.limits.retry_after_max_s * 1000

    async def go(self, ways: tuple[_Way, ...], lock: Lock) -> Halt | None:
        """Ask what is not closed yet; return why it stopped, or None when it came to an end."""
        try:
            engine = Engine(
                self._asker,
                self._progress,
                self._questions,
                await self._opened(ways),
                self._settings.limits,
                self._proof.spending,
            )
            engine.observer = self._watch.closed
            with _signals(engine, self._watch, on=self._settings.signals):
                for batch in range(self._frozen.layout.batches):
                    if not await self._batch(engine, batch):
                        break
            self._end(engine, lock)
        finally:
            self._ledger.close()
        return engine.halt

    async def _opened(self, ways: tuple[_Way, ...]) -> Ways:
        found: dict[str, Provider | Embedded] = {}
        for judge, way in zip(self._frozen.plan.judges, ways, strict=True):
            if way.provider is None:
                found[judge.name] = Embedded(judge, self._rules)
                continue
            await way.provider.open()
            for name in way.provider.notes:
                self._watch.note(f"{name} is set in the environment and ignored")
            found[judge.name] = way.provider
        return found

    def _line(self, fact: Gate | Resumed | Recovered | Start | Stopped) -> None:
        """Write a line of the run's own, durable before this returns."""
        self._progress.feed(self._ledger.next_seq, fact)
        self._ledger.post(fact)
        self._ledger.commit_now()

    def resumed(self, recovered: Recovered | None) -> None:
        """Say that the run goes on, and what was set aside before."""
        if recovered is not None:
            self._line(recovered)
        self._line(
            Resumed(
                recheck=self._settings.recheck,
                resend_unknown=self._settings.limits.resend_unknown,
                leave_unknown=self._settings.leave_unknown,
                version=version(),
            )
        )

    async def _batch(self, engine: Engine, batch: int) -> bool:
        """Gate a batch, score it if it passes; whether the next one may come."""
        progress = self._progress
        await engine.ask(self._open(self._frozen.layout.controls(batch), {}), {})
        if engine.halt is not None or not progress.controls_closed(batch):
            return False
        self._decide(batch)
        if progress.failed:
            return False
        cleared = {
            key: Clearance(key[0], key[1], batch, seqs)
            for key, seqs in progress.gates(batch).items()
        }
        await engine.ask(self._open(self._frozen.layout.answers(batch), cleared), cleared)
        return engine.halt is None

    def _open(self, cells: Iterator[Cell], cleared: Clearances) -> Iterator[Cell]:
        """The cells to ask, in order; those left unknown on the operator's word are closed."""
        for cell in cells:
            status = self._progress.status(cell)
            if status == Status.FINAL:
                continue
            if status == Status.UNKNOWN or self._progress.is_lost_now(cell):
                if self._settings.leave_unknown:
                    self._leave(cell, cleared)
                elif self._settings.limits.resend_unknown > 0:
                    yield cell
                continue
            yield cell

    def _leave(self, cell: Cell, cleared: Clearances) -> None:
        seq = self._progress.latest_intent(cell)
        if seq is None:
            raise VerificationError("a cell is unknown without an intent")
        posted = Posted(cell, self._questions.of(cell), seq, self._progress.attempts(cell))
        leave = cleared.get((cell.condition, cell.repetition))
        self._asker.leave(posted, leave.gate_seqs if leave else None)

    def _decide(self, batch: int) -> None:
        """Write the gate lines of a batch that are not there yet."""
        there = self._progress.gate_arms(batch)
        for repetition, condition, arm in self._progress.groups(batch):
            if (condition, repetition, arm) in there:
                continue
            found = self._progress.weighed(batch, condition, repetition, arm)
            fact = Gate(
                condition=condition,
                repetition=repetition,
                batch=batch,
                arm=arm,
                asked=found.asked,
                correct=found.correct,
                undecided=found.undecided,
                need=found.need,
                routes=found.routes,
                passed=found.passed,
            )
            self._progress.feed(self._ledger.next_seq, fact)
            self._ledger.post(fact)
        self._ledger.commit_now()

    def _end(self, engine: Engine, lock: Lock) -> None:
        self._ledger.commit_now()
        if engine.halt is not None:
            self._line(Stopped(cause=engine.halt.cause))
            return
        seal = self._progress.sealable()
        if seal is None:
            return
        lock.check()
        self._progress.feed(self._ledger.next_seq, seal)
        self._ledger.post(seal)
        self._ledger.commit_now()
        write_seal(
            self._frozen.folder, self._frozen.run_id, self._ledger.next_seq, self._ledger.head
        )


@contextlib.contextmanager
def _signals(engine: Engine, watch: Watch, *, on: bool) -> Iterator[None]:
    """The first signal finishes what is in flight; the second ends the process at once.

    A signal that was ignored from the start stays ignored (`nohup`), and a second hang-up is none:
    a closing terminal sends two.
    """
    if not on:
        yield
        return
    loop = asyncio.get_running_loop()
    heard = [pair for pair in _SIGNALS if signal.getsignal(pair[0]) is not signal.SIG_IGN]

    def caught(cause: Cause) -> None:
        engine.stop(Halt(cause))
        for number, _ in heard:
            loop.remove_signal_handler(number)
            again = signal.SIG_IGN if number == signal.SIGHUP else signal.SIG_DFL
            signal.signal(number, again)
        watch.stopping(cause)

    for number, cause in heard:
        loop.add_signal_handler(number, caught, cause)
    try:
        yield
    finally:
        for number, _ in heard:
            loop.remove_signal_handler(number)
