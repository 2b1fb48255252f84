"""Foreign text in, the same text out as a page can hold it without obeying or hiding any of it."""

import orjson

from judge.report.terminal import safe

__all__ = ["embedded", "visible"]

_IN_A_SCRIPT = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}


def visible(text: str) -> str:
    """Return the text with tabs kept and every character that hides or reorders text spelled out.

    Markup in it is the template's to escape.
    """
    return "\t".join(safe(part) for part in text.split("\t"))


def embedded(value: object) -> str:
    """Return JSON that can stand inside a script element, whatever texts it holds."""
    text = orjson.dumps(value).decode()
    for sign, escaped in _IN_A_SCRIPT.items():
        text = text.replace(sign, escaped)
    return text
