"""A file's bytes in; every text in it with its line, and its code as plain text, out."""

import ast
import contextlib
import json
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePath

from judge.doctor import scripts
from judge.errors import InputError
from judge.packs import sources

__all__ = ["FIELD", "Document", "Found", "document"]

FIELD = "\ue000"
"""Stands for a field in a text: a sign nobody's prompt holds."""


@dataclass(frozen=True, slots=True)
class Found:
    """One text of a file, as the program would have it."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Document:
    """A file, looked into."""

    code: str
    """What settings and parsers are looked for in; empty for a file that is no program."""
    texts: tuple[Found, ...]


def document(data: bytes, name: str) -> Document:
    """Return what a file holds, by the kind its name says it is of.

    Raises:
        InputError: a kind that is not known, or a file that is not of its kind.
    """
    kind = PurePath(name).suffix.lower()
    reader = _READERS.get(kind)
    if reader is None:
        return Document("", tuple(Found(text, 1) for text in sources.texts(data, name)))
    try:
        return reader(data.decode("utf-8"))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise InputError(f"{name}: not readable as {kind}: {reason}") from error


def _python(code: str) -> Document:
    return Document(code, tuple(_literals(code)))


def _literals(code: str) -> Iterator[Found]:
    with warnings.catch_warnings():
        # Old escapes in somebody's literals are no concern of ours.
        warnings.simplefilter("ignore")
        tree = ast.parse(code)
    for node in ast.walk(tree):
        text = sources.constant(node, _formatted)
        if text is not None:
            yield Found(text, getattr(node, "lineno", 1))


def _formatted(node: ast.AST) -> str | None:
    """An f-string with a sign for each of its fields."""
    if not isinstance(node, ast.JoinedStr):
        return None
    parts = [value.value if isinstance(value, ast.Constant) else FIELD for value in node.values]
    return "".join(part for part in parts if isinstance(part, str))


def _notebook(text: str) -> Document:
    found: list[Found] = []
    codes: list[str] = []
    lines = 0
    for cell in sources.code_cells(json.loads(text)):
        codes.append(cell)
        with contextlib.suppress(SyntaxError):
            found += [Found(one.text, lines + one.line) for one in _literals(cell)]
        lines += cell.count("\n") + 1
    return Document("\n".join(codes), tuple(found))


def _script(code: str) -> Document:
    texts = [Found(part.text(FIELD), part.line) for part in scripts.strings(code)]
    return Document(code, tuple(texts))


def _prose(text: str) -> Document:
    found = [Found(text, 1), Found(text.removesuffix("\n"), 1)]
    line, counted = 1, 0
    for match in sources.FENCE.finditer(text):
        line += text.count("\n", counted, match.start(1))
        counted = match.start(1)
        found.append(Found(match[1].removesuffix("\n"), line))
    return Document("", tuple(found))


_READERS: dict[str, Callable[[str], Document]] = {
    ".ipynb": _notebook,
    ".js": _script,
    ".jsx": _script,
    ".md": _prose,
    ".mjs": _script,
    ".py": _python,
    ".ts": _script,
    ".tsx": _script,
}
