"""Intents and receipts in, the most a run can have cost so far out: in tokens, and in money."""

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from judge.records import Intent, Receipt

__all__ = ["Price", "Spending", "Tokens", "dollars"]

_CLIENT, _SERVER = 400, 500
_MAYBE_BILLED = frozenset({408, 425})
"""A gateway says these too, of a question that went on to the model."""


class Price(NamedTuple):
    """What a judge costs, in US dollars for one token."""

    input: Fraction
    output: Fraction


class Tokens(NamedTuple):
    """Tokens read and written; written ones cost more."""

    input: int
    output: int

    def cost(self, price: Price) -> Fraction:
        """What they cost, in US dollars."""
        return self.input * price.input + self.output * price.output


_NONE = Tokens(0, 0)
_CENT = Fraction(1, 100)


def dollars(amount: Fraction) -> str:
    """Return an amount as text, rounded up to the cent: a worst case is never said too low."""
    cents = -(-amount // _CENT)
    return f"${cents // 100:,}.{cents % 100:02d}"


class Spending:
    """Tokens spent at most: what replies report, and the worst case where none did.

    An attempt whose answer was lost, or whose reply does not say what it cost, keeps its worst
    case; one that was not sent, or was refused as the client's fault, costs nothing.
    """

    def __init__(self, output_limits: Mapping[str, int] | None = None) -> None:
        """Take the most that one reply can hold.

        Args:
            output_limits: by condition; where it is not given, all is counted as input.
        """
        self.tokens = 0
        self._limits = output_limits or {}
        self._of: dict[str, Tokens] = {}
        self._open: dict[tuple[object, ...], Tokens] = {}

    def take(self, fact: Intent | Receipt) -> None:
        """Count one line."""
        key = (fact.phase, fact.batch, fact.condition, fact.repetition, fact.row)
        if isinstance(fact, Intent):
            reserved = self.worst(fact.condition, fact.tokens_max or 0)
            self._open[key] = reserved
            self._add(fact.condition, reserved, _NONE)
            return
        reserved = self._open.pop(key, _NONE)
        if fact.outcome != "unknown" and fact.reason != "left_unknown":
            self._add(fact.condition, self._spent(fact, reserved), reserved)

    def worst(self, condition: str, tokens_max: int) -> Tokens:
        """The most one attempt can cost, as input and output."""
        output = min(self._limits.get(condition, 0), tokens_max)
        return Tokens(tokens_max - output, output)

    def cost(self, prices: Mapping[str, Price]) -> Fraction:
        """The most that was spent, in US dollars, by the price of each condition's judge."""
        return sum(
            (tokens.cost(prices[condition]) for condition, tokens in self._of.items()), Fraction(0)
        )

    def _add(self, condition: str, more: Tokens, less: Tokens) -> None:
        before = self._of.get(condition, _NONE)
        change = Tokens(more.input - less.input, more.output - less.output)
        self._of[condition] = Tokens(before.input + change.input, before.output + change.output)
        self.tokens += change.input + change.output

    def _spent(self, fact: Receipt, reserved: Tokens) -> Tokens:
        status = fact.status or 0
        if fact.outcome == "not_sent":
            return _NONE
        if _CLIENT <= status < _SERVER and status not in _MAYBE_BILLED:
            return _NONE
        usage = fact.usage
        if usage is None or usage.input is None or usage.output is None:
            return reserved
        return Tokens(usage.input, usage.output)
