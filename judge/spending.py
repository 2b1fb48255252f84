"""Intents and receipts in, the most a run can have cost so far out."""

from judge.records import Intent, Receipt

__all__ = ["Spending"]

_CLIENT, _SERVER = 400, 500
_MAYBE_BILLED = frozenset({408, 425})
"""A gateway says these too, of a question that went on to the model."""


class Spending:
    """Tokens spent at most: what replies report, and the worst case where none did.

    An attempt whose answer was lost, or whose reply does not say what it cost, keeps its worst
    case; one that was not sent, or was refused as the client's fault, costs nothing.
    """

    def __init__(self) -> None:
        self.tokens = 0
        self._open: dict[tuple[object, ...], int] = {}

    def take(self, fact: Intent | Receipt) -> None:
        """Count one line."""
        key = (fact.phase, fact.batch, fact.condition, fact.repetition, fact.row)
        if isinstance(fact, Intent):
            self._open[key] = fact.tokens_max or 0
            self.tokens += self._open[key]
            return
        reserved = self._open.pop(key, 0)
        if fact.outcome != "unknown" and fact.reason != "left_unknown":
            self.tokens += self._cost(fact, reserved) - reserved

    def _cost(self, fact: Receipt, reserved: int) -> int:
        status = fact.status or 0
        if fact.outcome == "not_sent":
            return 0
        if _CLIENT <= status < _SERVER and status not in _MAYBE_BILLED:
            return 0
        usage = fact.usage
        if usage is None or usage.input is None or usage.output is None:
            return reserved
        return usage.input + usage.output
