"""The headers of an answer in, those that may be stored out: an allow-list, nothing else.

No cookie, no authorization, no address: what is not named here is not kept.
"""

from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import urlsplit

__all__ = ["kept"]

_NAMES = frozenset(
    {
        "anthropic-workspace-id",
        "content-encoding",
        "content-length",
        "content-type",
        "date",
        "openai-organization",
        "openai-processing-ms",
        "openai-version",
        "request-id",
        "retry-after",
        "retry-after-ms",
        "x-request-id",
        "x-should-retry",
    }
)
_PREFIXES = ("anthropic-ratelimit-", "x-ratelimit-")
_LOCATION = "location-host"


def kept(raw: Iterable[tuple[bytes, bytes]], host: str) -> tuple[tuple[str, str], ...]:
    """Return the allowed headers, names in lower case, in the order received.

    Of a `location` only its host is kept, as `location-host`: its path and query are text that a
    server chose. `host` is the one that answered, which a relative location stays at.
    """
    found: list[tuple[str, str]] = []
    for name, value in raw:
        allowed = _allowed(name)
        if allowed is not None:
            text = value.decode("latin-1")
            found.append((allowed, _target(text, host) if allowed == _LOCATION else text))
    return tuple(found)


@lru_cache(maxsize=512)
def _allowed(name: bytes) -> str | None:
    text = name.decode("latin-1").lower()
    if text == "location":
        return _LOCATION
    return text if text in _NAMES or text.startswith(_PREFIXES) else None


def _target(location: str, host: str) -> str:
    try:
        return (urlsplit(location).hostname or host)[:253]
    except ValueError:
        return "unreadable"
