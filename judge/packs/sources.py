"""A file somebody has in, every text in it out: string literals and values, nothing executed."""

import ast
import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import PurePath

import yaml

from judge.errors import InputError

__all__ = ["SUFFIXES", "texts"]

_YAML_LIMIT = 1_000_000
_DEEPEST = 50
"""Literals joined by `+` in one expression."""


def texts(data: bytes, name: str) -> Iterator[str]:
    """Yield every text the file holds, by the kind its name says it is of.

    Raises:
        InputError: a kind that is not known, or a file that is not of its kind.
    """
    kind = PurePath(name).suffix.lower()
    if kind not in _READERS:
        raise InputError(f"{name}: cannot look into {kind or 'a file without suffix'}; {SUFFIXES}")
    try:
        yield from _READERS[kind](data)
    except (SyntaxError, ValueError, RecursionError, MemoryError, yaml.YAMLError) as error:
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise InputError(f"{name}: not readable as {kind}: {reason}") from error


def _python(data: bytes | str) -> Iterator[str]:
    with warnings.catch_warnings():
        # Old escapes in somebody's literals are no concern of ours.
        warnings.simplefilter("ignore")
        tree = ast.parse(data)
    # Literals that stand side by side are one constant already.
    for node in ast.walk(tree):
        if (text := _constant(node)) is not None:
            yield text


def _constant(node: ast.AST, depth: int = 0) -> str | None:
    """The text a literal expression is: constants, joined by `+`, stripped of outer space."""
    if depth > _DEEPEST:
        return None
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _constant(node.left, depth + 1), _constant(node.right, depth + 1)
        return None if left is None or right is None else left + right
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        inner = _constant(node.func.value, depth + 1)
        bare = not node.args and not node.keywords
        return inner.strip() if inner is not None and bare and node.func.attr == "strip" else None
    return None


def _notebook(data: bytes) -> Iterator[str]:
    document = json.loads(data)
    cells = document.get("cells") if isinstance(document, dict) else None
    for cell in cells if isinstance(cells, list) else ():
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            yield from _cell(cell.get("source"))


def _cell(source: object) -> Iterator[str]:
    lines = source if isinstance(source, list) else [source]
    whole = "".join(line for line in lines if isinstance(line, str))
    # Shell and magic lines are not Python; within a literal they would be, so each cell is first
    # read as it stands.
    bare = "\n".join("" if line.startswith(("%", "!")) else line for line in whole.split("\n"))
    for text in (whole, bare):
        try:
            yield from list(_python(text))
        except (SyntaxError, ValueError):
            continue
        return


def _json(data: bytes) -> Iterator[str]:
    yield from _values(json.loads(data))


def _json_lines(data: bytes) -> Iterator[str]:
    for line in data.splitlines():
        if line.strip():
            yield from _values(json.loads(line))


def _values(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from _values(part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from _values(part)


def _yaml(data: bytes) -> Iterator[str]:
    if len(data) > _YAML_LIMIT:
        raise ValueError(f"larger than {_YAML_LIMIT} bytes")
    # Events only: somebody's tags construct nothing, and aliases are not followed.
    for event in yaml.parse(data.decode("utf-8"), Loader=yaml.SafeLoader):
        if isinstance(event, yaml.ScalarEvent):
            yield event.value


def _whole(data: bytes) -> Iterator[str]:
    text = data.decode("utf-8")
    yield text
    if text.endswith("\n"):
        yield text[:-1]


_READERS: dict[str, Callable[[bytes], Iterator[str]]] = {
    ".ipynb": _notebook,
    ".j2": _whole,
    ".jinja": _whole,
    ".json": _json,
    ".jsonl": _json_lines,
    ".md": _whole,
    ".py": _python,
    ".txt": _whole,
    ".yaml": _yaml,
    ".yml": _yaml,
}
SUFFIXES = f"known are {', '.join(_READERS)}"
