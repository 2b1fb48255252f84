"""A run folder in, one damaged file at a time out: a byte, a line or an end changed."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Damage", "damages", "files_of"]

_SIGNS = b' \t\n0123456789abcdef"{}[],:'
_RARER = 20
"""Of every other kind of damage there is one case for so many changed bytes."""


@dataclass(frozen=True, slots=True)
class Damage:
    """One file of a run as it must not be."""

    family: str
    name: str
    file: str
    """Its place in the run folder."""
    data: bytes


def files_of(folder: Path) -> dict[str, bytes]:
    """Return every file of a run that means something, by its place in the folder."""
    found = {str(p.relative_to(folder)): p for p in sorted(folder.rglob("*")) if p.is_file()}
    return {
        name: path.read_bytes()
        for name, path in found.items()
        if name != "lock" and not name.startswith("quarantine/")
    }


def damages(files: dict[str, bytes], cases: int, seed: int) -> Iterator[Damage]:
    """Yield `cases` changed bytes over all files, and one in twenty of each other kind.

    Half of the places are spread evenly over the files, half over their bytes, so that small files
    are tried everywhere and large ones are tried often.

    Args:
        files: what `files_of` returns.
        cases: how many changed bytes.
        seed: any whole number; the same seed gives the same damage.
    """
    chance = random.Random(seed)  # noqa: S311 - where to strike need not be a secret
    others = max(1, cases // _RARER)
    for name in _places(files, cases, chance):
        yield _changed(name, files[name], chance)
    for family, act in _BYTES.items():
        for name in _places(files, others, chance):
            yield Damage(family, name, name, act(files[name], chance))
    rows = {name: data for name, data in files.items() if name.endswith(".jsonl")}
    for family, change in _LINES.items():
        for name in _places(rows, others, chance):
            yield Damage(family, name, name, b"".join(change(_split(rows[name]), chance)))


def _places(files: dict[str, bytes], cases: int, chance: random.Random) -> Iterator[str]:
    names = list(files)
    sizes = [len(files[name]) for name in names]
    for number in range(cases):
        weights = sizes if number % 2 else None
        yield chance.choices(names, weights)[0]


def _changed(name: str, data: bytes, chance: random.Random) -> Damage:
    place = chance.randrange(len(data))
    # Signs that a careless reader skips or takes for one another, as often as any byte.
    sign = chance.choice(_SIGNS) if chance.random() < 1 / 2 else chance.randrange(256)
    if sign == data[place]:
        sign ^= 0x20
    said = f"byte {place} of {name}: {data[place]} to {sign}"
    return Damage("byte changed", said, name, data[:place] + bytes([sign]) + data[place + 1 :])


def _deleted(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data))
    return data[:place] + data[place + 1 :]


def _inserted(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data) + 1)
    return data[:place] + bytes([chance.choice(_SIGNS)]) + data[place:]


def _cut(data: bytes, chance: random.Random) -> bytes:
    """Cut the end off, at any byte or at the end of a line."""
    place = chance.randrange(len(data))
    line = data.rfind(b"\n", 0, place) + 1
    return data[: line if chance.random() < 1 / 2 else place]


_BYTES: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "byte deleted": _deleted,
    "byte inserted": _inserted,
    "end cut off": _cut,
}


def _split(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


def _dropped(lines: list[bytes], chance: random.Random) -> list[bytes]:
    del lines[chance.randrange(len(lines))]
    return lines


def _doubled(lines: list[bytes], chance: random.Random) -> list[bytes]:
    place = chance.randrange(len(lines))
    lines.insert(chance.randrange(len(lines) + 1), lines[place])
    return lines


def _swapped(lines: list[bytes], chance: random.Random) -> list[bytes]:
    one, two = chance.sample(range(len(lines)), 2)
    lines[one], lines[two] = lines[two], lines[one]
    return lines


_LINES: dict[str, Callable[[list[bytes], random.Random], list[bytes]]] = {
    "line dropped": _dropped,
    "line doubled": _doubled,
    "lines swapped": _swapped,
}
