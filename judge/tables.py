"""Judgments in, tables out: CSV and Parquet, one row per judgment, columns as in `Judgment`.

The columns are the fields of `judge.judgments.Judgment` in their order; docs/tables.md lists them.
"""

import contextlib
import os
import secrets
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any, get_args

from judge.canonical import encode_typed
from judge.errors import InputError, StorageError
from judge.judgments import Judgment
from judge.recount import Proof

__all__ = [
    "COLUMNS",
    "csv_line",
    "frame",
    "refuse_existing",
    "refuse_in_a_run",
    "replaced",
    "spreadsheet_safe",
    "write_csv",
    "write_parquet",
]

COLUMNS: tuple[str, ...] = tuple(Judgment.model_fields)

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20", "'")
"""How a cell begins that a spreadsheet would take for a formula, full-width signs too; and the
apostrophe that is put before it, so that taking one away always gives the text back."""


def spreadsheet_safe(text: str) -> str:
    """Return the text with an apostrophe before it where a spreadsheet would calculate it."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def csv_line(cells: Iterable[str]) -> str:
    """Return one row as RFC 4180 has it, with its LF.

    The csv module leaves a lone carriage return bare before an LF, and readers end the row there:
    what a model wrote after it would begin a row of its own, formulas too.
    """
    return ",".join(map(_quoted, cells)) + "\n"


def _quoted(cell: str) -> str:
    doubled = cell.replace('"', '""')
    return f'"{doubled}"' if any(sign in cell for sign in ',"\r\n') else cell


def write_csv(rows: Iterable[Judgment], path: Path, *, force: bool = False) -> int:
    """Write judgments as CSV (RFC 4180, UTF-8, LF) and return how many.

    Null is an empty cell, a boolean `true` or `false`, a list its JSON. Texts that a spreadsheet
    would calculate are made safe by `spreadsheet_safe`.

    Raises:
        InputError: the file exists and `force` is not given.
        StorageError: it cannot be written.
    """
    count = 0

    def put(file: IO[bytes]) -> None:
        nonlocal count
        file.write(csv_line(COLUMNS).encode())
        for row in rows:
            file.write(csv_line(_cell(getattr(row, name)) for name in COLUMNS).encode())
            count += 1

    replaced(path, put, force=force)
    return count


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, tuple):
        return encode_typed(list(value)).decode()
    if isinstance(value, str):
        return spreadsheet_safe(value)
    raise TypeError(f"no cell holds a {type(value).__name__}")


def write_parquet(
    rows: Iterable[Judgment], path: Path, proof: Proof, *, force: bool = False
) -> int:
    """Write judgments as Parquet with typed columns and return how many.

    The file's metadata names the run, its head and its plan. Texts are as they are: Parquet is read
    by programs, and none of them calculates a text.

    Raises:
        InputError: pyarrow is not installed, or the file exists and `force` is not given.
        StorageError: it cannot be written.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra, asked for by name
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError as error:
        raise InputError("Parquet needs pyarrow; install judge-harness[tables]") from error
    said = {
        "judge.run_id": proof.run_id,
        "judge.head": proof.head,
        "judge.plan_sha256": proof.manifest.plan_sha256,
        "judge.state": proof.state,
    }
    schema = pa.schema([(name, _arrow(pa, name)) for name in COLUMNS], metadata=said)
    columns: dict[str, list[object]] = {name: [] for name in COLUMNS}
    for row in rows:
        for name in COLUMNS:
            value = getattr(row, name)
            columns[name].append(list(value) if isinstance(value, tuple) else value)
    table = pa.Table.from_pydict(columns, schema=schema)
    replaced(path, lambda file: parquet.write_table(table, file), force=force)
    count: int = table.num_rows
    return count


def kind_of(name: str) -> str:
    """What a column holds: `text`, `integer`, `boolean` or `list`."""
    annotation = Judgment.model_fields[name].annotation
    parts = {annotation, *get_args(annotation)}
    if bool in parts:
        return "boolean"
    if int in parts or any(int in get_args(part) for part in parts):
        return "integer"
    if any("tuple" in str(part) for part in parts):
        return "list"
    return "text"


def _arrow(pa: Any, name: str) -> object:  # noqa: ANN401 - a library that is there with its extra
    kinds = {
        "boolean": pa.bool_(),
        "integer": pa.int64(),
        "list": pa.list_(pa.string()),
        "text": pa.string(),
    }
    found: object = kinds[kind_of(name)]
    return found


def frame(rows: Iterable[Judgment]) -> Any:  # noqa: ANN401 - pandas is there with its extra only
    """Return judgments as a pandas DataFrame, columns typed and nullable.

    Raises:
        InputError: pandas is not installed.
    """
    try:
        import pandas as pd  # noqa: PLC0415 - an extra, asked for by name
    except ImportError as error:
        raise InputError("a data frame needs pandas; install judge-harness[tables]") from error
    dtypes = {"boolean": "boolean", "integer": "Int64", "list": "object", "text": "string"}
    listed = list(rows)
    return pd.DataFrame(
        {
            name: pd.Series([getattr(row, name) for row in listed], dtype=dtypes[kind_of(name)])
            for name in COLUMNS
        }
    )


def refuse_existing(path: Path, *, force: bool) -> None:
    """Return when a file may be written.

    Raises:
        InputError: it exists and `force` is not given, or it is no plain file.
        StorageError: nothing can have this name, or there is no folder for it.
    """
    try:
        there = path.is_symlink() or path.exists()
        plain = path.is_file() and not path.is_symlink()
        placed = path.parent.is_dir()
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from error
    if not placed:
        raise StorageError(f"{path}: there is no folder {path.parent}; make it first")
    # A device, a pipe or a link would be replaced by a file, whatever it stood for.
    if there and not plain:
        raise InputError(f"{path} exists and is no plain file; choose another name")
    if there and not force:
        raise InputError(f"{path} exists; choose another name, or add --force")


def refuse_in_a_run(path: Path) -> None:
    """Return when a file would not stand in a run's folder, where receipts are.

    Raises:
        InputError: it would, and could even take the place of one of the run's own files.
    """
    for folder in path.resolve().parents:
        if (folder / "run.json").is_file() and (folder / "receipts.jsonl").is_file():
            raise InputError(f"{path} lies in the run {folder.name}; write it beside the run")


def replaced(path: Path, put: Callable[[IO[bytes]], object], *, force: bool) -> None:
    """Write a file that appears whole or not at all, with the caller's own umask.

    Raises:
        InputError: it exists and `force` is not given, or it is no plain file.
        StorageError: it cannot be written.
    """
    refuse_existing(path, force=force)
    partial = path.parent / f".judge-{secrets.token_hex(8)}.partial"
    try:
        with partial.open("xb") as file:
            put(file)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror or error}") from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()
