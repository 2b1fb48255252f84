"""Foreign text in, text that is safe to print out: what a terminal would obey or hide is spelled.

Escaped: control characters but the line feed, bidirectional and zero-width controls, the tag
block, line and paragraph separators, halves of surrogate pairs. Each could move the cursor, write
the clipboard, set a title, reorder a line or hide in it.
"""

import re

__all__ = ["safe", "safe_json"]

_RISKY = re.compile(
    "["
    "\x00-\x09\x0b-\x1f\x7f-\x9f"  # C0 but LF, DEL, C1
    "\u00ad\u061c\u180e"  # soft hyphen, Arabic letter mark, vowel separator
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"  # zero-width, separators, bidi, invisible
    "\ufff9-\ufffb"  # interlinear annotation
    "\ud800-\udfff"  # half of a pair
    "\U000e0000-\U000e007f"  # tags
    "]"
)


def safe(text: str) -> str:
    """Return the text with every risky character as `⟨U+202E⟩`."""
    return _RISKY.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text)


def safe_json(document: bytes) -> str:
    r"""Return the same JSON document with every risky character as `\u202e`.

    Outside its strings a JSON document holds none of them but tabs and carriage returns, which
    compact JSON does not have; so the values stay what they were.
    """
    return _RISKY.sub(_escape, document.decode("utf-8"))


def _escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))
