"""A file of questionable answer-key rows in; ids, classes and reasons out.

The file is strict YAML, `rows:` with `{id, class, reason}`; or JSON Lines, a JSON list or CSV with
those three columns.
"""

from collections.abc import Iterator
from pathlib import Path

import pydantic
from pydantic import Field

from judge import strictyaml
from judge.answers.documents import Row
from judge.answers.files import Opened
from judge.answers.rows import table
from judge.answers.values import as_text
from judge.canonical import NotCanonicalError, digest, encode
from judge.errors import InputError
from judge.records import Excluded, Exclusions, Listed, Record

__all__ = ["ExclusionsFile", "read_exclusions"]

_FIELDS = ("id", "class", "reason")


class ExclusionsFile(Record):
    """A file of exclusions as people write it."""

    rows: Listed[Excluded] = Field(min_length=1)


def read_exclusions(path: Path) -> Exclusions:
    """Return the rows of a file of exclusions.

    Raises:
        InputError: no such file, no rows, a row without id, class or reason, or an id twice.
    """
    rows = tuple(_yaml(path) if path.suffix in {".yaml", ".yml"} else _table(path))
    seen: set[str] = set()
    for row in rows:
        if not all(text.strip() for text in (row.id, row.class_, row.reason)):
            raise InputError(f"{path.name}: {row.id!r}: give id, class and reason, none empty")
        if row.id in seen:
            raise InputError(f"{path.name}: {row.id!r} stands there twice; give one reason")
        seen.add(row.id)
    if not rows:
        raise InputError(f"{path.name}: excludes nothing")
    return Exclusions(file=path.name, sha256=digest(_bytes(path)), rows=rows)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; name a file of exclusions") from error


def _yaml(path: Path) -> tuple[Excluded, ...]:
    value = strictyaml.load(_bytes(path), path.name)
    try:
        return ExclusionsFile.model_validate_json(encode(value)).rows
    except NotCanonicalError as error:
        raise InputError(f"{path.name}: {error}") from error
    except pydantic.ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise InputError(
            f"{path.name}: {place}: {first['msg'][0].lower()}{first['msg'][1:]}; "
            "rows are {id, class, reason}"
        ) from error


def _table(path: Path) -> Iterator[Excluded]:
    with Opened(path) as source:
        for row in table(source, ("id", "question_id")).rows:
            yield _row(row)


def _row(row: Row) -> Excluded:
    texts = {name: as_text(row.cells.get(name)) for name in _FIELDS}
    texts["id"] = texts["id"] or as_text(row.cells.get("question_id"))
    for name, text in texts.items():
        if text is None:
            raise InputError(f"{row.place}: no {name}; a row is id, class and reason")
    return Excluded.model_validate(texts)
