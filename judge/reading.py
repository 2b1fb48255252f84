"""The judge's words in, a verdict out, or the reason why there is none.

Two readings (`judge.readings`) are computed on every text. The strict one decides; the upstream one
is what the benchmark's own script would have counted, faults included. It never decides, but where
it gives another label than the strict one, neither does that.
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Protocol

from judge.envelope import Envelope, open_envelope
from judge.readings import rule_named
from judge.records import Exchange, Judge, Reading, Readings, Reason

__all__ = ["LEFT_UNKNOWN", "Offer", "Seen", "decided", "read", "reading_named", "settle"]

_WORD = re.compile(r"\w+")
_UNIQUE = 16
"""Characters from which an id is taken to be given once: the providers' own have 20 and more."""


def reading_named(name: str) -> Callable[[str], str | None]:
    """Return the reading of this `name/version`; raises InputError for one that is not known."""
    return rule_named(name).read


class Offer(Protocol):
    """What a label is held against: a rubric, or a condition that repeats its rubric's."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that were offered."""

    @property
    def accept(self) -> str | None:
        """The label that counts as correct; None for a graded rubric."""

    @property
    def readings(self) -> Readings:
        """The names of the two readings."""


class Seen:
    """The response ids of a run so far: an answer that comes twice is nobody's answer.

    Each judge has its own ids. An id too short to be unique says little by itself (some servers
    number from 1, or draw from a thousand), so there the whole answer must come again. Eight bytes
    are kept for each, so that a run of a million answers costs tens of megabytes.
    """

    def __init__(self) -> None:
        self._ids: set[int] = set()

    def again(self, judge: str, response_id: str | None, body: bytes) -> bool:
        """Whether this answer of this judge came before; it is remembered from now on."""
        if response_id is None:
            return False
        told = f"{judge}\n{response_id}\n".encode()
        if len(response_id) < _UNIQUE:
            told += body
        key = int.from_bytes(hashlib.blake2b(told, digest_size=8).digest(), "big")
        if key in self._ids:
            return True
        self._ids.add(key)
        return False


def read(exchange: Exchange, judge: Judge, offer: Offer, seen: Seen) -> tuple[Reading, str]:
    """Return everything a receipt says that follows from the exchange, and the text that was read.

    The text is empty where there was none to read (then `Reading.readings` is None). An answer
    whose response id came before is unknown: it may be the answer to another question.
    """
    envelope = open_envelope(exchange, judge.api, judge.expect_model)
    if seen.again(judge.name, envelope.response_id, exchange.body):
        envelope = Envelope("unknown", error="protocol")
    return settle(envelope, exchange.status, offer)


LEFT_UNKNOWN = Reading(
    outcome="undecided",
    label=None,
    reason="left_unknown",
    error=None,
    status=None,
    model_returned=None,
    finish=None,
    fingerprint=None,
    service_tier=None,
    usage=None,
    readings=None,
)
"""What closes a cell whose answer may have been lost, on the operator's word."""


def settle(envelope: Envelope, status: int | None, offer: Offer) -> tuple[Reading, str]:
    """Return the reading of an opened envelope, and the text that was read."""
    readings: dict[str, str | None] | None = None
    label: str | None = None
    outcome, reason = envelope.outcome, envelope.reason
    if envelope.text is not None:
        readings = _readings(envelope.text, offer)
        label = decided(readings, offer.readings)
        if label is None:
            outcome, reason = "undecided", _why(envelope.text, readings, offer)
    reading = Reading(
        outcome=outcome,
        label=label,
        reason=reason,
        error=envelope.error,
        status=status,
        model_returned=envelope.model,
        finish=envelope.finish,
        fingerprint=envelope.fingerprint,
        service_tier=envelope.service_tier,
        usage=envelope.usage,
        readings=readings,
    )
    return reading, envelope.text or ""


def _readings(text: str, offer: Offer) -> dict[str, str | None]:
    names = (offer.readings.strict, offer.readings.upstream)
    labels = {name: reading_named(name)(text) for name in names}
    # Captured loosely, then held against the labels that were offered.
    return {name: label if label in offer.labels else None for name, label in labels.items()}


def decided(labels: Mapping[str, str | None], names: Readings) -> str | None:
    """Return what the two readings decide: the strict one's label, unless the other differs."""
    strict, upstream = labels[names.strict], labels[names.upstream]
    return None if upstream not in {None, strict} else strict


def _why(text: str, readings: dict[str, str | None], offer: Offer) -> Reason:
    upstream = readings[offer.readings.upstream]
    # Of grades none is the accepting one, so each is a verdict that the strict reading missed.
    if upstream is not None and offer.accept in {None, upstream}:
        return "readings_disagree"
    words = set(_WORD.findall(text.lower()))
    offered = [label for label in offer.labels if label.lower() in words]
    if readings[offer.readings.strict] is not None or len(offered) > 1:
        return "readings_disagree"
    return "off_scale"
