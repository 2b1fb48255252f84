"""Names in, pack files out: where packs lie, how a file is read, what was shipped.

Packs are shipped beside the package (in a checkout) or inside it (in the wheel), and lie in the
user's folder, or anywhere when named by a path. Each shipped pack is held against SHA256SUMS, so
that a change in a comment, a judge or a source is seen as well as one in what the pin covers.
"""

import os
import re
import stat
from pathlib import Path
from typing import Literal

import platformdirs

from judge.canonical import digest
from judge.errors import InputError
from judge.records import Record

__all__ = ["Place", "beside", "home", "locate", "names", "read", "shipped", "shipped_names"]

_PACKAGE = Path(__file__).parent.parent
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}/[a-z0-9][a-z0-9-]{0,63}")
_SUMS = "SHA256SUMS"
_LIMIT = 1_000_000


class Place(Record):
    """Where one pack lies."""

    name: str
    """As the caller wrote it: `rubric/edition`, or a path."""
    path: Path
    kind: Literal["shipped", "home", "file"]


def shipped(folder: str) -> Path:
    """Return a data folder: inside the package (wheel) or beside it (checkout).

    Raises:
        InputError: there is none.
    """
    for root in (_PACKAGE, _PACKAGE.parent):
        if (root / folder).is_dir():
            return root / folder
    raise InputError(f"no folder {folder!r} came with judge; install it again")


def home() -> Path:
    """Return the user's folder: $JUDGE_HOME, else the platform's user data folder."""
    given = os.environ.get("JUDGE_HOME")
    return Path(given) if given else Path(platformdirs.user_data_dir("judge"))


def names() -> tuple[str, ...]:
    """Return the names of all shipped packs, then of the user's own, each sorted."""
    return shipped_names() + _names(home() / "templates")


def shipped_names() -> tuple[str, ...]:
    """Return the names of all shipped packs, sorted."""
    return _names(shipped("templates"))


def _names(root: Path) -> tuple[str, ...]:
    return tuple(f"{path.parent.name}/{path.stem}" for path in sorted(root.glob("*/*.yaml")))


def locate(name: str) -> Place:
    """Return where the pack lies that is called `rubric/edition`, or lies at this path.

    Raises:
        InputError: neither, no such pack, or a user's pack under the name of a shipped one.
    """
    if name.endswith((".yaml", ".yml")):
        return Place(name=name, path=Path(name), kind="file")
    if not _NAME.fullmatch(name):
        raise InputError(f"rubric {name[:200]!r} is neither RUBRIC/EDITION nor a path to a .yaml")
    ours = shipped("templates") / f"{name}.yaml"
    theirs = home() / "templates" / f"{name}.yaml"
    if ours.is_file() and theirs.is_file():
        raise InputError(f"{theirs}: {name} is shipped with judge; give your edition its own name")
    if ours.is_file():
        return Place(name=name, path=ours, kind="shipped")
    if theirs.is_file():
        return Place(name=name, path=theirs, kind="home")
    raise InputError(f"no rubric is named {name!r}; known: {', '.join(names()) or 'none'}")


def read(path: Path, limit: int = _LIMIT) -> bytes:
    """Return a file's bytes.

    Raises:
        InputError: no such file, not a regular one, larger than `limit` bytes, or unreadable.
    """
    try:
        # Not blocking: opening a pipe would otherwise wait for its writer.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InputError(f"{path}: not a regular file")
            data = file.read(limit + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a path"
        raise InputError(f"{path}: cannot be read: {reason}") from error
    if len(data) > limit:
        raise InputError(f"{path}: larger than {limit} bytes")
    return data


def read_pack(place: Place) -> bytes:
    """Return a pack file's bytes; a shipped one as it was shipped.

    Raises:
        InputError: `read` refuses it, or it is not the file that was shipped.
    """
    data = read(place.path)
    if place.kind == "shipped":
        expected = _sums(place.path.parent.parent / _SUMS).get(f"{place.name}.yaml")
        if expected != digest(data):
            says = f"{expected[:12]}…" if expected else "nothing of it"
            raise InputError(
                f"{place.path}: not the file that came with judge: its SHA-256 is"
                f" {digest(data)[:12]}…, {_SUMS} says {says}; restore it, and put changes into an"
                f" edition of your own with `of: {place.name}`"
            )
    return data


def _sums(path: Path) -> dict[str, str]:
    sums = {}
    for number, line in enumerate(read(path).decode("utf-8", "replace").splitlines(), 1):
        match = re.fullmatch(r"([0-9a-f]{64})  (\S+)", line)
        if not match:
            raise InputError(f"{path}:{number}: not a line of sha256sum")
        sums[match[2]] = match[1]
    return sums


def beside(place: Place, name: str) -> bytes:
    """Return the bytes of a file in the pack's folder or below it.

    Raises:
        InputError: a name that leads out of the folder, or `read` refuses the file.
    """
    folder = place.path.parent
    # What was shipped may consist of links into an installer's cache; its names are ours.
    target = folder / name if place.kind == "shipped" else (folder / name).resolve()
    inside = place.kind == "shipped" or target.is_relative_to(folder.resolve())
    if Path(name).is_absolute() or ".." in Path(name).parts or not inside:
        raise InputError(f"{place.path}: file {name[:200]!r} lies outside the pack's folder")
    return read(target)
