"""What to do after one attempt: go on, ask again, leave it unknown, or stop the run.

Retries are by class, never by exception: what did not reach the judge may go again at once, what
the server refused may go again after a wait, what may have been answered unseen goes again only on
the operator's word, and what asking again cannot mend stops the run.
"""

import re
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

from judge.envelope import strict_json
from judge.records import Cause, Exchange, Reading

__all__ = ["Again", "Done", "Reaction", "Stop", "Unknown", "react", "retry_after_ms"]

_QUOTA = frozenset(
    {
        "insufficient_quota",
        "billing_hard_limit_reached",
        "billing_error",
        "enforced_spend_limit_reached",
        "contract_spend_limit_reached",
        "ramp_limit_exceeded",
    }
)
_CAUSES: dict[int, Cause] = {401: "key", 402: "quota", 403: "key", 404: "model", 407: "network"}
_SECONDS = re.compile(r"\d{1,9}(\.\d{1,9})?")
_CONFLICT_TRIES = 3
_BUSY = frozenset({429, 503, 529})


@dataclass(frozen=True, slots=True)
class Done:
    """The cell is closed, or may be asked again under `reask`."""


@dataclass(frozen=True, slots=True)
class Again:
    """Refused or never sent: the same cell may be asked again."""

    wait_ms: int | None
    """What the server asked for; None: our own backoff."""
    shared: bool
    """Whether every worker of this judge must wait."""
    tries: int | None
    """A bound lower than the run's own."""
    cause: Cause
    """Why the run stops when the tries are used up."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """The answer may exist, and be billed, unseen."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Asking again cannot mend it."""

    cause: Cause


Reaction = Done | Again | Unknown | Stop


def react(reading: Reading, exchange: Exchange, now_s: float, longest_ms: int) -> Reaction:
    """Return what follows from one attempt.

    Args:
        reading: what the exchange was read as.
        exchange: the exchange itself, for its status, headers and error body.
        now_s: seconds since the epoch, for a Retry-After that names a date.
        longest_ms: the longest wait the run accepts; a server that asks for more stops it.
    """
    if reading.outcome == "not_sent":
        if reading.error == "tls":
            return Stop("tls")
        return Again(None, shared=False, tries=None, cause="network")
    if reading.outcome == "unknown":
        return Unknown()
    if reading.outcome == "retry":
        return _refused(exchange, now_s, longest_ms)
    if reading.reason == "wrong_model":
        return Stop("wrong_model")
    return Done()


def _refused(exchange: Exchange, now_s: float, longest_ms: int) -> Reaction:
    status = exchange.status or 0
    if status in _CAUSES:
        return Stop(_CAUSES[status])
    if status < 400:  # noqa: PLR2004 - the classes of HTTP
        return Stop("redirect")
    if status == 400 or _quota(exchange.body):  # noqa: PLR2004 - a spend limit sent as 400
        return Stop("quota")
    wait = retry_after_ms(exchange.headers, now_s)
    if wait is not None and wait > longest_ms:
        return Stop("retry_after")
    tries = _CONFLICT_TRIES if status == 409 else None  # noqa: PLR2004
    return Again(wait, shared=status in _BUSY, tries=tries, cause="server")


def _quota(body: bytes) -> bool:
    """Whether an error body names money rather than pace: code, type or details.error_code."""
    try:
        value = strict_json(body)
    except ValueError:
        return False
    error = value.get("error") if isinstance(value, dict) else None
    if not isinstance(error, dict):
        return False
    details = error.get("details")
    names = [error.get("code"), error.get("type")]
    if isinstance(details, dict):
        names.append(details.get("error_code"))
    return any(isinstance(name, str) and name in _QUOTA for name in names)


def retry_after_ms(headers: tuple[tuple[str, str], ...], now_s: float) -> int | None:
    """Return the wait a server asked for, in milliseconds; None without a valid positive one.

    `retry-after-ms` wins over `retry-after`, which holds seconds or an HTTP date (RFC 9110,
    section 10.2.3).
    """
    for name, value in headers:
        if name == "retry-after-ms" and _SECONDS.fullmatch(value.strip()):
            return int(float(value)) or None
    for name, value in headers:
        if name == "retry-after":
            if _SECONDS.fullmatch(value.strip()):
                return int(float(value) * 1000) or None
            return _until(value, now_s)
    return None


def _until(value: str, now_s: float) -> int | None:
    try:
        when = parsedate_to_datetime(value)
        # HTTP dates are GMT; one without a zone must not mean this machine's.
        wait = (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() - now_s
    except (ValueError, TypeError, OverflowError):
        return None
    return int(wait * 1000) if wait > 0 else None
