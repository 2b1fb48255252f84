"""One stretch of a run: from the ledger as it lies on the disk to its seal, or to a stop.

Controls first, batch by batch; answers only behind a gate that has passed; a stop finishes what is
in flight.
"""

import asyncio
import contextlib
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field

from judge.asking import Asked, Asker, Clock, Embedded, Posted
from judge.config import JudgeConfig, Limits
from judge.engine import Clearances, Engine, Halt, Ways
from judge.errors import VerificationError
from judge.folder import Frozen
from judge.gate import Clearance
from judge.ledger import Ledger, Lock, write_seal
from judge.progress import Status
from judge.providers import Provider
from judge.providers.secret import KEPT_OUT
from judge.questions import Questions, Rules
from judge.records import Cause, Cell, Gate, Recovered, Resumed, Start, Stopped
from judge.recount import Proof
from judge.spending import Price

__all__ = ["Settings", "Stretch", "Watch", "Way"]

_SIGNALS: tuple[tuple[signal.Signals, Cause], ...] = (
    (signal.SIGINT, "sigint"),
    (signal.SIGTERM, "sigterm"),
    (signal.SIGHUP, "sighup"),
)


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
class Way:
    """A judge by name, and the provider that reaches it; None for an embedded one."""

    config: JudgeConfig
    provider: Provider | None
    price: Price | None = None
    """Null where it is not known."""


class Stretch:
    """From the ledger as it lies on the disk to its seal, or to a stop."""

    def __init__(
        self,
        proof: Proof,
        frozen: Frozen,
        settings: Settings,
        watch: Watch,
        rules: Rules,
        clock: Clock,
    ) -> None:
        self._frozen = frozen
        self._settings = settings
        self._watch = watch
        self._rules = rules
        self._proof = proof
        self._progress = proof.progress
        self._questions = Questions(frozen)
        path = frozen.folder / "receipts.jsonl"
        self._ledger = Ledger(path, proof.head, proof.lines, clock.stamp)
        self._asker = Asker(
            self._ledger,
            self._progress,
            proof.spending,
            proof.seen,
            clock,
        )
        self._warned = False
        self._asker.longest_wait_ms = settings.limits.retry_after_max_s * 1000

    async def go(self, ways: tuple[Way, ...], lock: Lock) -> Halt | None:
        """Ask what is not closed yet; return why it stopped, or None when it came to an end."""
        try:
            engine = Engine(
                self._asker,
                self._progress,
                self._questions,
                self._settings.limits,
                self._proof.spending,
                self._prices(ways),
            )
            engine.observer = self._closed
            # Before an SDK is imported: a signal in those seconds must stop the run as any other.
            with _signals(engine, self._watch, on=self._settings.signals):
                engine.ways = await self._opened(ways)
                # What was signalled meanwhile is heard now, before anything is asked.
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                for batch in range(self._frozen.layout.batches):
                    if not await self._batch(engine, batch):
                        break
            self._end(engine, lock)
        finally:
            self._ledger.close()
        return engine.halt

    def _closed(self, cell: Cell, asked: Asked) -> None:
        # An unknown stops nothing, so no stop would ever say it.
        if asked.exchange.withheld and not self._warned:
            self._warned = True
            self._watch.note(KEPT_OUT)
        self._watch.closed(cell, asked)

    def _prices(self, ways: tuple[Way, ...]) -> dict[str, Price]:
        """What each condition costs, where a cap needs it; the cap was held to that before."""
        judges = zip(self._frozen.plan.judges, ways, strict=True)
        known = {judge.name: way.price for judge, way in judges if way.price is not None}
        conditions = self._frozen.plan.conditions
        return {c.id: known[c.judge] for c in conditions if c.judge in known}

    async def _opened(self, ways: tuple[Way, ...]) -> Ways:
        found: dict[str, Provider | Embedded] = {}
        for judge, way in zip(self._frozen.plan.judges, ways, strict=True):
            if way.provider is None:
                found[judge.name] = Embedded(judge, self._rules)
                continue
            await way.provider.open()
            for name in way.provider.notes:
                self._watch.note(f"{name} is set in the environment and ignored")
            self._watch.note(f"{judge.name} is asked at {way.provider.where}")
            found[judge.name] = way.provider
        return found

    def _line(self, fact: Gate | Resumed | Recovered | Start | Stopped) -> None:
        """Write a line of the run's own, durable before this returns."""
        self._progress.feed(self._ledger.next_seq, fact)
        self._ledger.post(fact)
        self._ledger.commit_now()

    def resumed(self, recovered: Recovered | None, version: str) -> None:
        """Say that the run goes on, and what was set aside before."""
        if recovered is not None:
            self._line(recovered)
        self._line(
            Resumed(
                recheck=self._settings.recheck,
                resend_unknown=self._settings.limits.resend_unknown,
                leave_unknown=self._settings.leave_unknown,
                version=version,
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
