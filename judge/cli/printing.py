"""The two ways a command prints: escaped text, or one JSON document."""

import click
import orjson

from judge.report.terminal import safe, safe_json

__all__ = ["print_json", "print_text"]


def print_text(text: str, *, err: bool = False) -> None:
    """Print text with everything a terminal would obey made visible."""
    click.echo(safe(text), err=err)


def print_json(value: object) -> None:
    """Print one JSON document and nothing else."""
    # Rates are floats here; nothing of this document is hashed.
    document = orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2)
    click.echo(safe_json(document))
