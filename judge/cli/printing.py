"""The two ways a command prints: escaped text, or one JSON document.

A reader that has gone changes no exit code; output that a full disk refuses is an error.
"""

import sys

import click
import orjson

from judge.errors import StorageError
from judge.report.streams import NOBODY, let_go
from judge.report.terminal import safe, safe_json

__all__ = ["print_json", "print_text"]


def print_text(text: str, *, err: bool = False) -> None:
    """Print text with everything a terminal would obey made visible.

    Raises:
        StorageError: standard output cannot take it.
    """
    _echo(safe(text), err=err)


def print_json(value: object) -> None:
    """Print one JSON document and nothing else.

    Raises:
        StorageError: standard output cannot take it.
    """
    # Rates are floats here; nothing of this document is hashed.
    document = orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2)
    _echo(safe_json(document), err=False)


def _echo(text: str, *, err: bool) -> None:
    try:
        click.echo(text, err=err)
    except OSError as error:
        let_go(sys.stderr if err else sys.stdout)
        if not err and error.errno not in NOBODY:
            raise StorageError(
                f"standard output: {error.strerror}; what was done is done"
            ) from error
