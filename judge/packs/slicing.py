"""An edited text and the pinned texts it was made from in; the parts that make it, out."""

from collections.abc import Mapping

from judge.rubric import Slice

__all__ = ["slices"]

LEAST = 12
"""Characters two texts must share for a slice: shorter ones are anybody's words."""


def slices(edited: str, texts: Mapping[str, str], least: int = LEAST) -> tuple[str | Slice, ...]:
    """Return parts that make the edited text: slices of the pinned texts where they share words.

    At each place the longest shared run is taken, of the first text that has it; what no text
    shares for at least `least` characters is literal.
    """
    parts: list[str | Slice] = []
    literal: list[str] = []
    at = 0
    while at < len(edited):
        found = _longest(edited, at, texts, least)
        if found is None:
            literal.append(edited[at])
            at += 1
            continue
        if literal:
            parts.append("".join(literal))
            literal = []
        parts.append(found)
        at += found.end - found.start
    return (*parts, "".join(literal)) if literal else tuple(parts)


def _longest(edited: str, at: int, texts: Mapping[str, str], least: int) -> Slice | None:
    """The longest run of a text that the edited one has at this place."""
    best: Slice | None = None
    size = least
    for name, text in texts.items():
        start = text.find(edited[at : at + size])
        while start >= 0 and at + size <= len(edited):
            length = _shared(edited, at, text, start)
            best = Slice(name, start, start + length)
            # Only a longer run is worth another look.
            size = length + 1
            start = text.find(edited[at : at + size], start + 1)
    return best


def _shared(edited: str, at: int, text: str, start: int) -> int:
    most = min(len(edited) - at, len(text) - start)
    length = 0
    while length < most and edited[at + length] == text[start + length]:
        length += 1
    return length
