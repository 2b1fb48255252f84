"""The variables that would change address, headers, organisation, trust or logging: kept out.

In: how a provider's variables begin. Out: which of them are set, and a block they do not exist in.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["TRUST", "hidden", "ignored"]

_PROXIES = ("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY")
TRUST: Final = frozenset({"SSLKEYLOGFILE", "SSL_CERT_DIR", "SSL_CERT_FILE"})
"""Those that would change whom TLS trusts, or write its secrets to a file."""
_GENERAL = TRUST | {*_PROXIES, *(name.lower() for name in _PROXIES)}


def ignored(prefix: str, moot: frozenset[str]) -> tuple[str, ...]:
    """Return the names that are set and have no effect, sorted, less those it is moot to name."""
    return tuple(sorted(_present(prefix) - moot))


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
