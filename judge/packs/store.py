"""Texts by their SHA-256, in the user's folder: what is not shipped, brought once, kept."""

import os
import tempfile
from pathlib import Path

from judge.canonical import digest
from judge.errors import InputError, StorageError
from judge.packs.files import home, read

__all__ = ["AbsentError", "get", "holds", "put"]


class AbsentError(InputError):
    """A pinned text is not on this machine."""


def _path(sha256: str) -> Path:
    return home() / "texts" / sha256


def holds(sha256: str) -> bool:
    """Whether a text of this digest was brought here; its bytes are not looked at."""
    return _path(sha256).exists()


def get(sha256: str) -> str:
    """Return the text of this digest.

    Raises:
        AbsentError: it was never brought here.
        InputError: the stored bytes are not those of the digest any more.
    """
    path = _path(sha256)
    if not path.exists():
        raise AbsentError(f"no text of SHA-256 {sha256} in {path.parent}")
    data = read(path)
    if digest(data) != sha256:
        raise InputError(
            f"{path}: the stored text was changed: its SHA-256 is {digest(data)[:12]}…"
        )
    # A digest of pinned text is one of UTF-8: `put` takes nothing else.
    return data.decode("utf-8")


def put(text: str) -> str:
    """Keep a text and return its digest; a damaged copy is replaced.

    Raises:
        StorageError: it cannot be written.
    """
    data = text.encode("utf-8")
    path = _path(digest(data))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix="new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(path)
        finally:
            Path(temporary).unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(f"{path}: cannot be written: {error.strerror}") from error
    return path.name
