"""The variables that would change address, headers, organisation, trust or logging: kept out.

In: how a provider's variables begin. Out: which of them are set, and a block they do not exist in.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["hidden", "ignored"]

_PROXIES = ("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY")
_GENERAL = frozenset(
    (
        *_PROXIES,
        *(name.lower() for name in _PROXIES),
        "SSLKEYLOGFILE",
        "SSL_CERT_DIR",
        "SSL_CERT_FILE",
    )
)


def ignored(prefix: str, used: frozenset[str]) -> tuple[str, ...]:
    """Return the names that are set and have no effect, sorted; `used` ones are left out."""
    return tuple(sorted(_present(prefix) - used))


@contextmanager
def hidden(prefix: str) -> Iterator[None]:
    """Take the variables out of this process's environment, and put them back afterwards.

    By prefix, not by list: a later SDK may read a variable this one does not know.
    """
    saved = {name: os.environ.pop(name) for name in _present(prefix)}
    try:
        yield
    finally:
        os.environ.update(saved)


def _present(prefix: str) -> frozenset[str]:
    return frozenset(name for name in os.environ if name in _GENERAL or name.startswith(prefix))
