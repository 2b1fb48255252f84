"""A file's bytes in; every text in it with its line, and its code as plain text, out."""

import ast
import codecs
import contextlib
import io
import json
import tokenize
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


_YAML = 250_000
"""Bytes: a reader of YAML takes some seconds for as many."""


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
    tree: ast.Module | None = None
    """The program, where it is Python."""
    cells: tuple[int, ...] = ()
    """The line before the first of each cell of a notebook."""


def document(data: bytes, name: str) -> Document:
    """Return what a file holds, by the kind its name says it is of.

    Raises:
        InputError: a kind that is not known, or a file that is not of its kind.
    """
    kind = PurePath(name).suffix.lower()
    if kind in {".yaml", ".yml"} and len(data) > _YAML:
        raise InputError(f"{name}: {len(data)} bytes of YAML, at most {_YAML} are looked into")
    reader = _READERS.get(kind)
    if reader is None:
        return Document("", tuple(Found(text, 1) for text in sources.texts(data, name)))
    try:
        return reader(_decoded(data, kind))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        if isinstance(error, SyntaxError) and error.lineno is not None:
            raise InputError(
                f"{name}:{error.lineno}: not readable as {kind}: {error.msg}"
            ) from error
        raise InputError(f"{name}: not readable as {kind}: {reason}") from error


def _decoded(data: bytes, kind: str) -> str:
    """The text of a file; a Python file may name its encoding, and begin with a mark."""
    if kind != ".py":
        return data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return data.decode(encoding)


def _python(code: str) -> Document:
    tree = _tree(code)
    return Document(code, tuple(_literals(tree)), tree)


def _tree(code: str) -> ast.Module:
    with warnings.catch_warnings():
        # Old escapes in somebody's literals are no concern of ours.
        warnings.simplefilter("ignore")
        return ast.parse(code)


def _literals(tree: ast.Module) -> Iterator[Found]:
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
    cells: list[int] = []
    lines = 0
    for cell in sources.code_cells(_cells(json.loads(text))):
        cells.append(lines)
        codes.append(cell)
        with contextlib.suppress(SyntaxError):
            found += [Found(one.text, lines + one.line) for one in _literals(_tree(cell))]
        lines += cell.count("\n") + 1
    code = "\n".join(codes)
    tree: ast.Module | None = None
    with contextlib.suppress(SyntaxError):
        tree = _tree(code)
    return Document(code, tuple(found), tree, tuple(cells))


def _cells(document: object) -> dict[str, object]:
    """A notebook of format 4, or one of format 3 as if it were; raises ValueError for others."""
    if isinstance(document, dict) and isinstance(document.get("cells"), list):
        return document
    sheets = document.get("worksheets") if isinstance(document, dict) else None
    if isinstance(sheets, list) and all(isinstance(sheet, dict) for sheet in sheets):
        old = [cell for sheet in sheets for cell in sheet.get("cells") or ()]
        return {
            "cells": [
                {**cell, "source": cell.get("input", "")} for cell in old if isinstance(cell, dict)
            ]
        }
    raise ValueError("no notebook: it has neither cells nor worksheets")


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
