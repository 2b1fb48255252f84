"""`judge metrics`: figures that need no judge."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from judge.cli.compare import columns
from judge.cli.printing import print_json, print_text
from judge.cli.words import output_options
from judge.comparing import CompareOptions
from judge.errors import InputError
from judge.metrics import answered, tasks_of_sides
from judge.report.metrics import rescue_words, token_f1_words
from judge.report.numbers import plain_numbers
from judge.stats.clusters import cluster_error
from judge.stats.rescue_harm import TaskRuns, rescue_harm, tasks_from_jsonl
from judge.stats.token_f1 import token_f1

__all__ = ["group"]

_CONFIDENCE = click.option("--confidence", default="0.95", show_default=True, metavar="SHARE")


@click.group("metrics")
def group() -> None:
    """Figures that need no judge."""


@group.command("rescue-harm")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--base", multiple=True, metavar="SIDE[,SIDE]", help="Runs without memory.")
@click.option("--memory", multiple=True, metavar="SIDE[,SIDE]", help="Runs with memory.")
@click.option("--decided-only", is_flag=True, help="Leave out items without a verdict.")
@click.option("--common", is_flag=True, help="Take the items that every side has.")
@click.option("--public", is_flag=True, help="Runs without inputs are public exports.")
@click.option("--field", multiple=True, metavar="NAME=COLUMN", help="Of verdict files.")
@click.option("--accept", multiple=True, metavar="LABEL", help="Of verdict files [yes].")
@click.option("--reject", multiple=True, metavar="LABEL", help="Of verdict files [no].")
@_CONFIDENCE
@output_options
def rescue_harm_(
    *,
    file: Path | None,
    base: tuple[str, ...],
    memory: tuple[str, ...],
    confidence: str,
    as_json: bool,
    **words: Any,  # noqa: ANN401 - click gives what was parsed
) -> None:
    """What memory rescues and what it harms, over all pairs of a run without and a run with it.

    FILE is JSON Lines, one task a row: {"task", "base": [0 or 1, …], "memory": [0 or 1, …],
    "solve_tokens", "memory_tokens"}. Or name verdicts: --base RUN#c1,RUN#c2 --memory RUN#c3.
    """
    named = columns(words.pop("field"))
    options = CompareOptions.model_validate({**words, "columns": named})
    tasks = _tasks(file, _split(base), _split(memory), options)
    found = rescue_harm(tasks, confidence)
    if as_json:
        print_json(plain_numbers(found))
    else:
        print_text(rescue_words(found, tasks))


def _tasks(
    file: Path | None, base: list[str], memory: list[str], options: CompareOptions
) -> tuple[TaskRuns, ...]:
    if (file is None) == (not base and not memory):
        raise click.UsageError("give FILE, or --base and --memory")
    if file is None:
        return tasks_of_sides(base, memory, options)
    try:
        return tasks_from_jsonl(file.read_bytes(), str(file))
    except OSError as error:
        raise InputError(f"{file} cannot be read ({error.strerror}); check the path") from error


def _split(words: Iterable[str]) -> list[str]:
    """Take words apart at commas, but for a path that exists as it stands."""
    return [
        part
        for word in words
        for part in ([word] if Path(word).exists() else word.split(","))
        if part
    ]


@group.command("token-f1")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--references", type=click.Path(path_type=Path), help="An answer key with the golds.")
@click.option("--field", multiple=True, metavar="NAME=COLUMN", help="id, response, gold, cluster.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the resamples.")
@_CONFIDENCE
@output_options
def token_f1_(
    *,
    file: Path,
    references: Path | None,
    field: tuple[str, ...],
    seed: int,
    confidence: str,
    as_json: bool,
) -> None:
    """Token F1 of responses against their gold answers: whole, and of their answer line.

    FILE holds an id, a response, a gold answer and, where items belong together, a cluster.
    """
    rows = answered(file, columns(field), references)
    found = token_f1(rows, confidence, seed=seed)
    errors = [
        cluster_error(part.clusters, confidence)
        for part in (found.full, found.extracted, found.difference)
    ]
    if as_json:
        print_json({"token_f1": plain_numbers(found), "errors": plain_numbers(errors)})
    else:
        print_text(token_f1_words(found, errors))
