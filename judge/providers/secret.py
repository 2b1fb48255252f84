"""A key and a text in; whether the text holds the key, in whatever spelling a server may echo it.

Looked for: plain in any case, JSON's and URLs' escapes (one within the other too), hexadecimal,
base64 wherever the key begins in it, and the beginning of any of these where the text ends.
"""

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

__all__ = ["HIDDEN", "KEPT_OUT", "Secret"]

HIDDEN: Final = "[key]"
KEPT_OUT: Final = "the reply held the key; it was not kept"

# A shorter key is a placeholder such as `EMPTY`: a reply may hold it by chance.
_SHORTEST = 8
_ROUNDS = 3
"""How often one escape may stand within another: an error told within an error within a page."""
# A key is printable ASCII, so no other escape can be part of one.
_JSON = re.compile(r'\\(?:u00([2-7][0-9a-fA-F])|(["\\/]))')
_URL = re.compile(r"%([2-7][0-9a-fA-F])()")
_CUT = re.compile(r"(?:\\u?[0-9a-fA-F]{0,3}|%[0-9a-fA-F]?)\Z")
_MARKED = ((_JSON, "\\"), (_URL, "%"))
# The characters of a base64 text that the bytes before the key have a part in.
_SHARED = (0, 2, 3)


@dataclass(frozen=True, slots=True)
class _Needle:
    """One spelling, in lower case, and how it begins: enough of it to be told from chance."""

    text: str = field(repr=False)
    begin: str = field(repr=False)


class Secret:
    """What must not be kept or shown; a key too short to be one is not looked for."""

    __slots__ = ("_needles",)

    def __init__(self, key: str) -> None:
        spelt = _spellings(key) if len(key) >= _SHORTEST else {}
        self._needles = tuple(_Needle(text, text[:least]) for text, least in spelt.items())

    def begun(self, text: str) -> bool:
        """Whether the key begins anywhere in the text: true wherever a part of it is `within`."""
        return any(self._begun(view.lower()) for view in self._views(text))

    def within(self, text: str) -> bool:
        """Whether the text holds the key, or ends within it."""
        return any(
            needle.text in view or _ends(view, needle)
            for view in map(str.lower, self._views(text))
            for needle in self._begun(view)
        )

    def hidden(self, text: str) -> str:
        """Return the text with `[key]` for the key; only `[key]` where that cannot be cut out."""
        if not self.within(text):
            return text
        spelt = "|".join(re.escape(needle.text) for needle in self._needles)
        told = re.sub(spelt, HIDDEN, text, flags=re.IGNORECASE)
        return HIDDEN if self.within(told) else told

    def _views(self, text: str) -> Iterator[str]:
        return _views(text) if self._needles else iter(())

    def _begun(self, text: str) -> list[_Needle]:
        return [needle for needle in self._needles if needle.begin in text]


def _spellings(key: str) -> dict[str, int]:
    """Return every spelling in lower case, with the length of eight characters of the key in it."""
    data = key.encode()
    found = {key.lower(): _SHORTEST, data.hex(): 2 * _SHORTEST}
    for before in range(3):
        coded = base64.b64encode(bytes(before) + data).decode()
        # Without what stands for the bytes on either side, whatever these are.
        own = coded[_SHARED[before] : 8 * (before + len(data)) // 6]
        for text in (own, own.replace("+", "-").replace("/", "_")):
            found[text.lower()] = 4 * _SHORTEST // 3
    return found


def _views(text: str) -> Iterator[str]:
    """Yield the text as it is and as those who undo its escapes would read it."""
    yield text
    if "\0" in text:  # ASCII in UTF-16 or UTF-32
        text = text.replace("\0", "")
        yield text
    for _ in range(_ROUNDS):
        before = text
        for pattern, mark in _MARKED:
            undone = pattern.sub(_character, text) if mark in text else text
            if undone != text:
                text = undone
                yield text
        if text == before:
            break
    whole = _CUT.sub("", text)
    if whole != text:
        yield whole


def _character(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else found[2]


def _ends(text: str, needle: _Needle) -> bool:
    """Whether the text was cut within this spelling."""
    at = text.find(needle.begin, max(len(text) - len(needle.text), 0))
    while at >= 0:
        if needle.text.startswith(text[at:]):
            return True
        at = text.find(needle.begin, at + 1)
    return False
