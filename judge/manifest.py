"""A folder in, one SHA-256 for each of its files out; and the folder held against them.

`MANIFEST.sha256` has a line `digest  path` for every file, sorted, as `sha256sum -c` reads it: the
same folder always gives the same bytes.
"""

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path

from judge.errors import InputError, StorageError, VerificationError
from judge.tables import refuse_existing, replaced

__all__ = ["NAME", "check_manifest", "write_manifest"]

NAME = "MANIFEST.sha256"
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
_SHOWN = 12
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\\\\\ud800-\udfff]")
"""What no line can hold as it stands: controls, the backslash, bytes that are not UTF-8."""


def write_manifest(folder: Path, *, force: bool = False) -> int:
    """Write the manifest of a folder into it and return how many files it names.

    Raises:
        InputError: no such folder, no file in it, a link or a pipe in it, a name that no line can
            hold, or a manifest that is there already.
        StorageError: a folder or a file cannot be read, or the manifest not be written.
    """
    paths = _paths(folder)
    refuse_existing(folder / NAME, force=force)
    for name, path in paths.items():
        fault = _fault(name, path)
        if fault is not None:
            raise InputError(f"{folder}: {fault} {name!r}; take it away, or name another folder")
    lines = [f"{_digest(path)}  {name}\n" for name, path in paths.items()]
    if not lines:
        raise InputError(f"{folder}: holds no file, and a manifest of nothing proves nothing")
    data = "".join(lines).encode()
    replaced(folder / NAME, lambda file: file.write(data), force=force)
    return len(lines)


def check_manifest(folder: Path) -> int:
    """Return how many files a folder has, all as its manifest says.

    Raises:
        InputError: no such folder, or no manifest in it.
        StorageError: a folder or a file cannot be read.
        VerificationError: naming every file that changed, is missing, or is not in the manifest.
    """
    paths = _paths(folder)
    said = _read(folder)
    wrong = [fault for name, sha256 in said.items() if (fault := _differs(name, sha256, paths))]
    wrong += [_unknown(name, path) for name, path in paths.items() if name not in said]
    if wrong:
        more = f"; and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        raise VerificationError(f"{folder}: {'; '.join(wrong[:_SHOWN])}{more}")
    return len(said)


def _differs(name: str, sha256: str, paths: Mapping[str, Path]) -> str | None:
    path = paths.get(name)
    if path is None:
        return f"missing {name}"
    fault = _fault(name, path)
    if fault is not None:
        return f"{fault} {name!r}"
    return None if _digest(path) == sha256 else f"changed {name}"


def _unknown(name: str, path: Path) -> str:
    return f"not in the manifest {name if _fault(name, path) is None else repr(name)}"


def _read(folder: Path) -> dict[str, str]:
    path = folder / NAME
    if path.is_symlink():
        raise VerificationError(f"{path}: is a link; a manifest stands in the folder itself")
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


def _paths(folder: Path) -> dict[str, Path]:
    """Everything in a folder but its manifest and its folders, in the order of its names' bytes."""
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder")
    found: dict[str, Path] = {}
    # Not Path.rglob: it passes over a folder that it may not read, without a word.
    for home, folders, files in os.walk(folder, onerror=_unreadable):
        paths = [Path(home, name) for name in (*folders, *files)]
        found |= {
            p.relative_to(folder).as_posix(): p for p in paths if p.is_symlink() or not p.is_dir()
        }
    found.pop(NAME, None)
    return {name: found[name] for name in sorted(found, key=os.fsencode)}


def _unreadable(error: OSError) -> None:
    raise StorageError(f"{error.filename}: {error.strerror}") from error


def _fault(name: str, path: Path) -> str | None:
    """Why a manifest cannot name this, if so."""
    if path.is_symlink() or not path.is_file():
        return "a link or no plain file"
    if _UNFIT.search(name):
        return "a name that cannot stand in a manifest"
    return None


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from error
