"""Cells in, receipts out: workers, retries by class, waits, stops.

Every worker owns one connection to each judge. Cells leave one turnstile in the plan's order; what
happens to a cell after its first attempt is its worker's business alone.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import tenacity

from judge.asking import Asked, Asker, Embedded, Posted
from judge.config import Limits
from judge.errors import JudgeError
from judge.gate import Clearance
from judge.progress import Progress, Status
from judge.providers.contract import Connection, Provider
from judge.questions import Question, Questions
from judge.reaction import Again, Done, Stop, Unknown
from judge.records import Cause, Cell
from judge.spending import Price, Spending, dollars

__all__ = ["Engine", "Halt", "Observer", "Ways"]

_LONGEST_BACKOFF_S = 30.0
_NOT_FOUND = 404
_PORTAL = 3
"""Pages that are not JSON, one after another, before it is taken for a captive portal."""
_REJECTED = 3
"""Controls refused with one status before the request itself is taken for wrong."""

Ways = Mapping[str, Provider | Embedded]
"""How each judge is reached, by name."""
Clearances = Mapping[tuple[str, int], Clearance]
"""Leave to score, by condition and repetition; empty while controls are asked."""
Observer = Callable[[Cell, Asked], None]
"""Told of every closed attempt: for a progress bar."""


@dataclass(frozen=True, slots=True)
class Halt:
    """Why the run stops."""

    cause: Cause
    detail: str = ""
    """What the provider said, for the user: a class, a status, a code; never a key."""


@dataclass(slots=True)
class _Session:
    """One cell in the hands of one worker."""

    cell: Cell
    question: Question
    posted: Posted | None
    refused: int = 0
    unknown: int = 0
    wait_ms: int | None = 0
    told: bool = True
    shared: bool = False
    answered: int = 0
    """Answers the judge had given when this cell was last refused."""


@dataclass(slots=True)
class _Streaks:
    """What several replies together say."""

    pages: int = 0
    rejected: dict[int, int] = field(default_factory=dict)


class Engine:
    """Asks cells until they are closed, or until something stops the run."""

    def __init__(
        self,
        asker: Asker,
        progress: Progress,
        questions: Questions,
        limits: Limits,
        spending: Spending,
        prices: Mapping[str, Price] | None = None,
    ) -> None:
        self._asker = asker
        self._progress = progress
        self._questions = questions
        self.ways: Ways = {}
        """Set before anything is asked."""
        self._limits = limits
        self._spending = spending
        self._cap = limits.max_tokens_total
        self._budget = None if limits.max_cost_usd is None else Fraction(limits.max_cost_usd)
        self._prices = prices or {}
        self._stopped = asyncio.Event()
        self._turnstile = asyncio.Lock()
        self._ready_at: dict[str, float] = {}
        self._answered: dict[str, int] = {}
        self._streaks = _Streaks()
        self._backoff = tenacity.wait_exponential_jitter(
            multiplier=limits.backoff_ms / 1000,
            max=_LONGEST_BACKOFF_S,
            jitter=limits.backoff_ms / 1000,
        )
        self.halt: Halt | None = None
        self.observer: Observer = _ignore

    def stop(self, halt: Halt) -> None:
        """Take no more cells; what is in flight is finished. The first cause stands."""
        if self.halt is None:
            self.halt = halt
            self._stopped.set()

    async def ask(self, cells: Iterable[Cell], clearances: Clearances) -> None:
        """Ask these cells until each is closed, unknown, or the run stops.

        Raises:
            StorageError: the ledger could not be written; nothing more is sent.
        """
        queue = iter(cells)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._limits.max_connections):
                    group.create_task(self._work(queue, clearances))
        except BaseExceptionGroup as errors:
            # One worker's error ends all: the first is the cause, the others are its echo.
            raise _first(errors) from errors

    # --- one worker -----------------------------------------------------------------------------

    async def _work(self, queue: Iterator[Cell], clearances: Clearances) -> None:
        own: dict[str, Connection | Embedded] = {}
        try:
            while session := await self._take(queue):
                way = self._way(own, session.question.judge.name)
                cleared = clearances.get((session.cell.condition, session.cell.repetition))
                await self._close(session, way, cleared.gate_seqs if cleared else None)
            await self._asker.settle()
        finally:
            for way in own.values():
                if not isinstance(way, Embedded):
                    way.close()

    def _way(self, own: dict[str, Connection | Embedded], judge: str) -> Connection | Embedded:
        if judge not in own:
            provider = self.ways[judge]
            own[judge] = provider if isinstance(provider, Embedded) else provider.connection()
        return own[judge]

    async def _take(self, queue: Iterator[Cell]) -> _Session | None:
        # One at a time from here to the intent's place in the queue: the order of lines is the
        # plan's order, whoever of the workers is ready first.
        if self._turnstile.locked():
            await self._asker.settle()
        async with self._turnstile:
            if self._stopped.is_set():
                return None
            cell = next(queue, None)
            if cell is None:
                return None
            question = self._questions.of(cell)
            await self._until_ready(question.judge.name)
            status = self._progress.status(cell)
            lost = status == Status.UNKNOWN or self._progress.is_lost_now(cell)
            posted = self._post(cell, question)
        # Asking what was lost is itself one of the resends that were allowed.
        return _Session(cell, question, posted, unknown=int(lost)) if posted else None

    def _post(self, cell: Cell, question: Question) -> Posted | None:
        """Post the next intent; None when the run has stopped or would pass its cap."""
        if self._stopped.is_set():
            return None
        halt = self._over(question)
        if halt is not None:
            self.stop(halt)
            return None
        return self._asker.post(cell, question)

    def _over(self, question: Question) -> Halt | None:
        """Why this question may not be asked: its worst case would pass a cap."""
        spending, most = self._spending, question.tokens_max or 0
        if self._cap is not None and spending.tokens + most > self._cap:
            return Halt("token_cap", f"{spending.tokens} of {self._cap} tokens")
        if self._budget is None:
            return None
        condition = question.condition.id
        next_one = spending.worst(condition, most).cost(self._prices[condition])
        spent = spending.cost(self._prices)
        if spent + next_one <= self._budget:
            return None
        return Halt("cost_cap", f"{dollars(spent)} of {dollars(self._budget)} at most")

    async def _close(
        self, session: _Session, way: Connection | Embedded, gates: tuple[int, ...] | None
    ) -> None:
        if not await self._attempt(session, way, gates):
            return  # the usual case, which need not pay for the machinery of retries
        session.told = False
        retrying = tenacity.AsyncRetrying(
            retry=tenacity.retry_if_result(bool),
            wait=lambda state: self._wait_s(session, state),
            stop=tenacity.stop_never,
            sleep=self._sleep,
        )
        await retrying(self._attempt_again, session, way, gates)

    async def _attempt_again(
        self, session: _Session, way: Connection | Embedded, gates: tuple[int, ...] | None
    ) -> bool:
        """Report the attempt that was made already, so that a wait comes next; then attempt."""
        if not session.told:
            session.told = True
            return True
        return await self._attempt(session, way, gates)

    async def _attempt(
        self, session: _Session, way: Connection | Embedded, gates: tuple[int, ...] | None
    ) -> bool:
        """Make one attempt; True when the cell is to be asked again."""
        if session.posted is None:
            await self._until_ready(session.question.judge.name)
            session.posted = self._post(session.cell, session.question)
            if session.posted is None:
                return False
        asked = await self._asker.ask(session.posted, way, gates)
        session.posted = None
        self.observer(session.cell, asked)
        self._watch(session, asked)
        return self._again(session, asked) and not self._stopped.is_set()

    # --- what follows ---------------------------------------------------------------------------

    def _again(self, session: _Session, asked: Asked) -> bool:
        session.wait_ms, session.shared = 0, False
        reaction = asked.reaction
        match reaction:
            case Done():
                return not asked.final
            case Unknown():
                session.unknown += 1
                return session.unknown <= self._limits.resend_unknown
            case Stop():
                self.stop(Halt(reaction.cause, self._explain(session, asked)))
                return False
            case Again():
                return self._refused(session, asked, reaction)

    def _refused(self, session: _Session, asked: Asked, reaction: Again) -> bool:
        judge = session.question.judge.name
        if reaction.shared and self._answered.get(judge, 0) > session.answered:
            # A server that asks for patience and answers others is busy, not broken.
            session.refused = 0
        session.answered = self._answered.get(judge, 0)
        session.refused += 1
        tries = min(self._limits.tries, reaction.tries or self._limits.tries)
        if session.refused >= tries:
            self.stop(Halt(reaction.cause, self._explain(session, asked)))
            return False
        session.wait_ms = reaction.wait_ms
        session.shared = reaction.shared
        if reaction.shared and reaction.wait_ms is not None:
            until = asyncio.get_running_loop().time() + reaction.wait_ms / 1000
            self._ready_at[judge] = max(until, self._ready_at.get(judge, 0.0))
        return True

    def _watch(self, session: _Session, asked: Asked) -> None:
        """Stop on what only several replies together show."""
        reading = asked.reading
        if isinstance(asked.reaction, Done):
            judge = session.question.judge.name
            self._answered[judge] = self._answered.get(judge, 0) + 1
        if asked.duplicate:
            self.stop(Halt("duplicate_response_id", "a reply came twice; one of them is not ours"))
        self._streaks.pages = self._streaks.pages + 1 if reading.reason == "not_json" else 0
        if self._streaks.pages >= _PORTAL:
            self.stop(Halt("portal", "pages instead of JSON; is there a login page in between?"))
        if reading.reason == "rejected_request" and session.cell.phase == "control":
            status = reading.status or 0
            count = self._streaks.rejected[status] = self._streaks.rejected.get(status, 0) + 1
            if count >= _REJECTED:
                self.stop(Halt("rejected", self._explain(session, asked)))

    def _explain(self, session: _Session, asked: Asked) -> str:
        if asked.reading.reason == "wrong_model":
            judge = session.question.judge
            return f"{asked.reading.model_returned!r} answered, {judge.expect_model!r} was expected"
        way = self.ways[session.question.judge.name]
        if isinstance(way, Embedded):
            return ""
        told = way.explain(asked.exchange)
        if asked.reading.error is None:
            told += f" at {way.where}"
        if asked.reading.status == _NOT_FOUND:
            told += "; check the model's name, and that a base URL ends in /v1"
        return told

    # --- waits ----------------------------------------------------------------------------------

    def _wait_s(self, session: _Session, state: tenacity.RetryCallState) -> float:
        own: float = self._backoff(state)
        if session.wait_ms is None:
            return own
        # After a wait for everybody not all come back at once: each adds a wait of its own.
        return session.wait_ms / 1000 + (own if session.shared else 0.0)

    async def _sleep(self, seconds: float) -> None:
        """Wait, or until the run stops."""
        # A receipt rides with the next intent; where none comes soon it must not wait for one, or
        # a kill would make an answer that was read an unknown one.
        if seconds > 0:
            await self._asker.settle()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopped.wait(), seconds)

    async def _until_ready(self, judge: str) -> None:
        """Wait while this judge has asked everyone to wait."""
        loop = asyncio.get_running_loop()
        while not self._stopped.is_set() and self._ready_at.get(judge, 0.0) > loop.time():
            await self._sleep(self._ready_at[judge] - loop.time())


def _ignore(cell: Cell, asked: Asked) -> None:
    del cell, asked


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    for error in errors.exceptions:
        if isinstance(error, BaseExceptionGroup):
            return _first(error)
        if isinstance(error, JudgeError):
            return error
    return errors.exceptions[0]
