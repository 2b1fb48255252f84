"""One cell, one attempt, one receipt.

The intent is durable before the request leaves; the receipt is posted when the answer is read and
rides with the next commit, so a durable intent means that every receipt before it is durable too.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from judge.canonical import Json, digest, encode, encode_typed
from judge.ledger import Ledger
from judge.progress import Progress
from judge.providers.contract import Connection
from judge.questions import Question, Rules, binding_of
from judge.reaction import Reaction, react
from judge.reading import LEFT_UNKNOWN, Seen, read
from judge.records import Cell, Exchange, Intent, Judge, Reading, Receipt
from judge.spending import Spending

__all__ = ["Asked", "Asker", "Clock", "Embedded"]


@dataclass(frozen=True, slots=True)
class Clock:
    """The times an attempt needs, from outside: this module owns no clock."""

    stamp: Callable[[], str]
    """UTC with milliseconds, as a line's `at`."""
    now_s: Callable[[], float]
    """Seconds since the epoch."""
    monotonic_s: Callable[[], float]


@dataclass(frozen=True, slots=True)
class Asked:
    """What one attempt came to."""

    reading: Reading
    reaction: Reaction
    exchange: Exchange
    final: bool
    duplicate: bool
    """A whole answer came whose response id had come before."""


@dataclass(frozen=True, slots=True)
class Posted:
    """An intent in the queue, and its question."""

    cell: Cell
    question: Question
    seq: int
    attempt: int


class Embedded:
    """A judge that is a rule of this process: it answers at once, and nothing is sent."""

    def __init__(self, judge: Judge, rules: Rules) -> None:
        self._judge = judge
        self._rule = rules[judge.model]

    def reply(self, question: Question) -> Exchange:
        """Return the rule's reply to a question."""
        body = encode({"model": self._judge.model, "text": self._rule(question)})
        return Exchange(status=None, headers=(), body=body, error=None, sent=True)


class Asker:
    """Asks one cell at a time and writes down what came of it."""

    def __init__(
        self,
        ledger: Ledger,
        progress: Progress,
        spending: Spending,
        seen: Seen,
        clock: Clock,
    ) -> None:
        self._ledger = ledger
        self._progress = progress
        self._spending = spending
        self._seen = seen
        self._clock = clock
        self.longest_wait_ms = 120_000
        """A server that asks for a longer wait stops the run."""

    def post(self, cell: Cell, question: Question) -> Posted:
        """Put the intent of the next attempt in the queue; nothing waits and nothing is sent."""
        lost = self._progress.was_lost(cell) or self._progress.is_lost_now(cell)
        fact = Intent(
            condition=cell.condition,
            repetition=cell.repetition,
            batch=cell.batch,
            phase=cell.phase,
            arm=question.arm,
            row=cell.row,
            attempt=self._progress.attempts(cell) + 1,
            after_unknown=lost,
            length=len(question.body),
            tokens_max=question.tokens_max,
        )
        # The state machine first: a line it refuses is never queued, let alone written.
        self._progress.feed(self._ledger.next_seq, fact)
        self._spending.take(fact)
        seq = self._ledger.post(fact, {"request": question.body})
        return Posted(cell, question, seq, fact.attempt)

    async def ask(
        self,
        posted: Posted,
        way: Connection | Embedded,
        gate_seqs: tuple[int, ...] | None,
    ) -> Asked:
        """Send what was posted, once it is durable, and post the receipt of what came back.

        Raises:
            StorageError: the intent could not be made durable; nothing was sent.
        """
        await self._ledger.commit()
        started = self._clock.monotonic_s()
        question = posted.question
        if isinstance(way, Embedded):
            exchange = way.reply(question)
        else:
            exchange = await way.ask(question.body, digest(question.body))
        elapsed = round((self._clock.monotonic_s() - started) * 1000)
        return self._close(posted, exchange, gate_seqs, max(elapsed, 0))

    async def settle(self) -> None:
        """Return once every receipt so far is on the disk.

        Raises:
            StorageError: it could not be written; nothing more can be.
        """
        await self._ledger.commit()

    def leave(self, posted: Posted, gate_seqs: tuple[int, ...] | None) -> None:
        """Close a cell whose answer may have been lost as undecided, on the operator's word."""
        nothing = Exchange(status=None, headers=(), body=b"", error=None, sent=True)
        self._receipt(posted, LEFT_UNKNOWN, "", nothing, gate_seqs, None)

    def _close(
        self,
        posted: Posted,
        exchange: Exchange,
        gate_seqs: tuple[int, ...] | None,
        elapsed_ms: int,
    ) -> Asked:
        question = posted.question
        reading, text = read(exchange, question.judge, question.rubric, self._seen)
        final = self._receipt(posted, reading, text, exchange, gate_seqs, elapsed_ms)
        reaction = react(reading, exchange, self._clock.now_s(), self.longest_wait_ms)
        twice = exchange.error is None and reading.outcome == "unknown"
        return Asked(reading, reaction, exchange, final, twice)

    def _receipt(
        self,
        posted: Posted,
        reading: Reading,
        text: str,
        exchange: Exchange,
        gate_seqs: tuple[int, ...] | None,
        elapsed_ms: int | None,
    ) -> bool:
        undecided = self._progress.undecided_so_far(posted.cell) + (reading.outcome == "undecided")
        final = self._progress.is_final(reading, undecided)
        fact = _fact(posted, reading, gate_seqs, elapsed_ms, final=final)
        self._progress.feed(self._ledger.next_seq, fact, posted.question.template.name)
        self._spending.take(fact)
        self._ledger.post(fact, _private(posted.question, reading, text, exchange))
        return final


def _fact(
    posted: Posted,
    reading: Reading,
    gate_seqs: tuple[int, ...] | None,
    elapsed_ms: int | None,
    *,
    final: bool,
) -> Receipt:
    cell, question = posted.cell, posted.question
    return Receipt(
        condition=cell.condition,
        repetition=cell.repetition,
        batch=cell.batch,
        phase=cell.phase,
        arm=question.arm,
        row=cell.row,
        attempt=posted.attempt,
        intent_seq=posted.seq,
        gate_seqs=gate_seqs,
        expect=question.expect,
        rubric_pin=question.condition.rubric_pin,
        template_sha256=question.template.sha256,
        model_requested=question.judge.model,
        binding=binding_of(question.judge),
        elapsed_ms=elapsed_ms,
        final=final,
        **dict(reading),
    )


def _private(
    question: Question, reading: Reading, text: str, exchange: Exchange
) -> Mapping[str, bytes]:
    pairs: list[Json] = [[name, value] for name, value in exchange.headers]
    private = {
        "item": question.item,
        "headers": encode_typed(pairs),
        "response": exchange.body,
    }
    if reading.readings is not None:
        private["reply_text"] = text.encode()
    return private
