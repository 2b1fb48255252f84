"""A file or an address in, the pinned upstream texts of a pack into the store."""

import time
import urllib.parse
from collections.abc import Collection
from pathlib import Path

from judge.canonical import digest
from judge.errors import InputError, ProviderError
from judge.packs import sources, store
from judge.packs.files import read
from judge.packs.inheritance import Resolved, resolve
from judge.packs.reported import Added
from judge.packs.texts import Pinned, keeper, pinned
from judge.records import Origin

__all__ = ["HOST", "add", "fetch"]

HOST = "https://raw.githubusercontent.com"
_LIMIT = 5_000_000
_SECONDS = 10.0
_DEADLINE = 60.0


def add(name: str, source: Path) -> Added:
    """Find the pinned texts of a pack in a file and keep them; nothing in it is executed.

    All texts that the pack takes from one of its sources are kept, or none of them.

    Raises:
        InputError: the file cannot be read, or holds no source's texts whole (naming what is
            missing); then nothing is kept.
        StorageError: the store cannot be written.
    """
    return _keep(keeper(resolve(name)), source.name, read(source, _LIMIT))


def fetch(name: str, host: str = HOST) -> tuple[Added, ...]:
    """Bring a pack's texts from its pinned sources: file hashes required, then as `add`.

    Raises:
        InputError: the pack pins no source, or a source lacks a text.
        ProviderError: a source cannot be reached, or serves another file.
        StorageError: the store cannot be written.
    """
    resolved = keeper(resolve(name))
    wanted = {text.source for text in pinned(resolved)}
    sources = [s for n, s in enumerate(resolved.pack.sources, 1) if n in wanted]
    if not sources:
        raise InputError(f"{name}: pins no source to fetch from; use `judge templates add`")
    return tuple(_fetched(resolved, name, source, host) for source in sources)


def _fetched(resolved: Resolved, name: str, source: Origin, host: str) -> Added:
    data = _download(f"{host}/{_address(source)}")
    if digest(data) != source.sha256:
        raise ProviderError(
            f"{name}: {source.repository} serves another file: its SHA-256 is"
            f" {digest(data)[:12]}…, the pack pins {source.sha256[:12]}…"
        )
    return _keep(resolved, Path(source.path).name, data)


def _address(source: Origin) -> str:
    return urllib.parse.quote(f"{source.repository}/{source.commit}/{source.path}")


def _download(url: str) -> bytes:
    # Reached by one command only: what reads packs does not pay for an HTTP stack.
    import httpx2  # noqa: PLC0415

    data = bytearray()
    ends = time.monotonic() + _DEADLINE
    try:
        with (
            # Nothing from the environment: no proxy, no netrc, no certificate file.
            httpx2.Client(trust_env=False, follow_redirects=False, timeout=_SECONDS) as client,
            client.stream("GET", url, headers={"accept-encoding": "identity"}) as reply,
        ):
            if reply.status_code != httpx2.codes.OK:
                raise ProviderError(f"{url}: status {reply.status_code}, 200 is expected")
            for chunk in reply.iter_raw():
                data += chunk
                if len(data) > _LIMIT:
                    raise ProviderError(f"{url}: larger than {_LIMIT} bytes")
                # The time-out of the library bounds one read, not a body that drips.
                if time.monotonic() > ends:
                    raise ProviderError(f"{url}: not complete after {_DEADLINE:.0f} seconds")
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        reason = str(error).partition("\n")[0][:200] or type(error).__name__
        raise ProviderError(f"{url}: cannot be fetched: {reason}") from error
    return bytes(data)


def _keep(resolved: Resolved, file: str, data: bytes) -> Added:
    name, wanted = resolved.place.name, pinned(resolved)
    found = _found(data, file, {text.sha256 for text in wanted})
    whole = _whole(wanted, found)
    if not whole:
        missing = [text.name for text in wanted if text.sha256 not in found]
        raise InputError(
            f"{file}: holds {len(found)} of {len(wanted)} pinned texts of {name}; missing or"
            f" changed: {', '.join(missing)}; nothing was kept"
        )
    kept = [text for text in wanted if text.source in whole]
    for text in kept:
        store.put(found[text.sha256])
    sums = {s.sha256 for n, s in enumerate(resolved.pack.sources, 1) if n in whole}
    return Added(
        name=name,
        file=file,
        file_sha256=digest(data),
        templates=tuple(text.name for text in kept),
        absent=tuple(text.name for text in wanted if not store.holds(text.sha256)),
        same_file=digest(data) in sums if sums else None,
    )


def _whole(wanted: Collection[Pinned], found: Collection[str]) -> set[int]:
    """The sources whose every text was found."""
    return {text.source for text in wanted} - {
        text.source for text in wanted if text.sha256 not in found
    }


def _found(data: bytes, file: str, wanted: Collection[str]) -> dict[str, str]:
    found = {}
    for text in sources.texts(data, file):
        # A literal may hold half a surrogate pair: it has no UTF-8, and is no pinned text.
        sha256 = digest(text.encode("utf-8", "surrogatepass"))
        if sha256 in wanted:
            found[sha256] = text
    return found
