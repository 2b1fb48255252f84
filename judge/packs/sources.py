"""A file somebody has in, every text in it out: string literals and values, nothing executed."""

import ast
import json
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import PurePath

import yaml

from judge.errors import InputError

__all__ = ["FENCE", "SUFFIXES", "code_cells", "constant", "texts"]

_YAML_LIMIT = 1_000_000
_YAML_DEEPEST = 100
FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
"""A block of code in a Markdown page."""
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
        if (text := constant(node)) is not None:
            yield text


def _none(_: ast.AST) -> str | None:
    return None


def constant(
    node: ast.AST, other: Callable[[ast.AST], str | None] = _none, depth: int = 0
) -> str | None:
    """Return the text a literal expression is, or None.

    Args:
        node: constants, joined by `+`, stripped of outer space.
        other: what a further kind of node is.
        depth: how deep in an expression the node stands.
    """
    if depth > _DEEPEST:
        return None
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = (constant(side, other, depth + 1) for side in (node.left, node.right))
        return None if left is None or right is None else left + right
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        inner = constant(node.func.value, other, depth + 1)
        bare = not node.args and not node.keywords
        return inner.strip() if inner is not None and bare and node.func.attr == "strip" else None
    return other(node)


def _notebook(data: bytes) -> Iterator[str]:
    for cell in code_cells(json.loads(data)):
        try:
            yield from list(_python(cell))
        except (SyntaxError, ValueError):
            continue


def code_cells(document: object) -> Iterator[str]:
    """Yield the code of a notebook's cells, shell and magic lines left empty where they must be."""
    cells = document.get("cells") if isinstance(document, dict) else None
    for cell in cells if isinstance(cells, list) else ():
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            source = cell.get("source")
            lines = source if isinstance(source, list) else [source]
            yield _without_magic("".join(line for line in lines if isinstance(line, str)))


def _without_magic(whole: str) -> str:
    # Shell and magic lines are not Python; within a literal they would be, so each cell is first
    # read as it stands.
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(whole)
    except (SyntaxError, ValueError):
        return "\n".join("" if line.startswith(("%", "!")) else line for line in whole.split("\n"))
    return whole


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
    depth = 0
    for event in yaml.parse(data.decode("utf-8"), Loader=yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        # The parser's time grows with the square of how deep a file goes.
        if depth > _YAML_DEEPEST:
            raise ValueError(f"more than {_YAML_DEEPEST} lists and objects within each other")
        if isinstance(event, yaml.ScalarEvent):
            yield event.value


def _markdown(data: bytes) -> Iterator[str]:
    yield from _whole(data)
    for match in FENCE.finditer(data.decode("utf-8")):
        yield match[1]
        yield match[1].removesuffix("\n")


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
    ".md": _markdown,
    ".py": _python,
    ".txt": _whole,
    ".yaml": _yaml,
    ".yml": _yaml,
}
SUFFIXES = f"known are {', '.join(_READERS)}"
