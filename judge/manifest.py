"""A folder in, one SHA-256 for each of its files out; and the folder held against them.

`MANIFEST.sha256` has a line `digest  path` for every file, sorted, as `sha256sum -c` reads it: the
same folder always gives the same bytes.
"""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from judge.errors import InputError, StorageError, VerificationError
from judge.tables import replaced

__all__ = ["NAME", "check_manifest", "write_manifest"]

NAME = "MANIFEST.sha256"
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
_SHOWN = 12


def write_manifest(folder: Path, *, force: bool = False) -> int:
    """Write the manifest of a folder into it and return how many files it names.

    Raises:
        InputError: no such folder, no file in it, a link or a pipe in it, a name that no line can
            hold, or a manifest that is there already.
        StorageError: a file cannot be read, or the manifest not be written.
    """
    lines = [f"{digest}  {name}\n" for name, digest in _digests(folder)]
    if not lines:
        raise InputError(f"{folder}: holds no file, and a manifest of nothing proves nothing")
    data = "".join(lines).encode()
    replaced(folder / NAME, lambda file: file.write(data), force=force)
    return len(lines)


def check_manifest(folder: Path) -> int:
    """Return how many files a folder has, all as its manifest says.

    Raises:
        InputError: no such folder, or no manifest in it.
        VerificationError: naming every file that changed, is missing, or is not in the manifest.
    """
    said = _read(folder)
    found = dict(_digests(folder))
    wrong = [f"changed {name}" for name in said if name in found and found[name] != said[name]]
    wrong += [f"missing {name}" for name in said if name not in found]
    wrong += [f"not in the manifest {name}" for name in found if name not in said]
    if wrong:
        more = f"; and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        raise VerificationError(f"{folder}: {'; '.join(wrong[:_SHOWN])}{more}")
    return len(said)


def _read(folder: Path) -> dict[str, str]:
    path = folder / NAME
    if not path.is_file():
        raise InputError(f"{folder}: has no {NAME}; `judge manifest write` makes one")
    said: dict[str, str] = {}
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise VerificationError(f"{NAME}: not UTF-8") from error
    if not text:
        raise VerificationError(f"{NAME}: is empty; a manifest of nothing proves nothing")
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        match = _LINE.fullmatch(line)
        if match is None or match[2] in said:
            raise VerificationError(f"{NAME}:{number}: not a digest, two spaces and a new path")
        said[match[2]] = match[1]
    return said


def _digests(folder: Path) -> Iterator[tuple[str, str]]:
    """Every file but the manifest, by its path, in the order of bytes."""
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder")
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    for name in sorted(paths, key=lambda name: name.encode("utf-8", "surrogateescape")):
        path = paths[name]
        if name == NAME or (path.is_dir() and not path.is_symlink()):
            continue
        if path.is_symlink() or not path.is_file():
            raise InputError(f"{path}: a link or no plain file; a manifest names files only")
        if "\n" in name or "\\" in name or not name.isprintable():
            raise InputError(f"{folder}: the name {name!r} cannot stand in a manifest; rename it")
        yield name, _digest(path)


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from error
