"""The options of `run` and `plan`: words in, one `RunConfig` out."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from judge.cli.printing import print_text
from judge.marks import read_marks

__all__ = [
    "connection_options",
    "named_file",
    "output_options",
    "pairs",
    "run_options",
    "warn_of_marks",
]

F = TypeVar("F", bound=Callable[..., Any])

_RUN: tuple[Callable[[F], F], ...] = (
    click.argument("config", required=False, type=click.Path(dir_okay=False)),
    click.option("--answers", multiple=True, metavar="[NAME=]FILE", help="Saved answers."),
    click.option("--references", metavar="FILE", help="The answer key."),
    click.option(
        "--rubric", multiple=True, metavar="NAME", help="From `templates list` [correctness/v1]."
    ),
    click.option("--judge", "judges", multiple=True, metavar="PROVIDER/MODEL"),
    click.option("--snapshot", metavar="NAME", help="The model name every reply must give."),
    click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="A deviating setting."),
    click.option("--unset", multiple=True, metavar="KEY", help="A setting not to send."),
    click.option("--controls", multiple=True, metavar="NAME|FILE", help="Add made controls."),
    click.option("--positive", type=int, metavar="N", help="Drawn positive controls [12]."),
    click.option("--negative", type=int, metavar="N", help="Drawn negative controls [12]."),
    click.option("--threshold", metavar="SHARE", help="An exact fraction [0.9]."),
    click.option("--seed", type=int, metavar="N", help="Of the draw [0]."),
    click.option("--batch-size", type=int, metavar="N", help="Questions per gated batch."),
    click.option("--repetitions", type=int, metavar="N", help="Ask everything N times [1]."),
    click.option("--reask", type=int, metavar="N", help="Ask undecided cells again [0]."),
    click.option("--only", multiple=True, metavar="FIELD=V[,V]", help="Select; repeated = and."),
    click.option("--extract", metavar="RULE", help="Judge a part: last-answer-line."),
    click.option("--limit", type=int, metavar="N", help="The first N questions."),
    click.option("--allow-partial", is_flag=True, default=None, help="Some answers are missing."),
    click.option("--allow-empty", is_flag=True, default=None, help="Some answers are empty."),
    click.option("--answers-field", multiple=True, metavar="NAME=COLUMN"),
    click.option("--references-field", multiple=True, metavar="NAME=COLUMN"),
)
_CONNECTION: tuple[Callable[[F], F], ...] = (
    click.option("--base-url", metavar="URL", help="A server of your own, ending in /v1."),
    click.option("--key-env", metavar="NAME", help="The variable, or file:PATH, with the key."),
    click.option("--ca-file", metavar="FILE", help="Trust these certificates instead."),
    click.option("--insecure-key", is_flag=True, default=None, help="A key over plain http."),
    click.option("--max-connections", type=int, metavar="N", help="Questions in flight [32]."),
    click.option("--deadline", type=int, metavar="SECONDS", help="Longest wait for one [120]."),
    click.option("--tries", type=int, metavar="N", help="Sends of a refused question [6]."),
    click.option("--max-tokens-total", type=int, metavar="N", help="Stop before this is passed."),
    click.option("--max-cost", metavar="USD", help="The same, in US dollars."),
    click.option("--resend-unknown", type=int, metavar="N", help="Ask again what was lost [0]."),
)
_OUTPUT: tuple[Callable[[F], F], ...] = (
    click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout."),
)


def _all(options: Iterable[Callable[[F], F]]) -> Callable[[F], F]:
    def dress(command: F) -> F:
        for option in reversed(tuple(options)):
            command = option(command)
        return command

    return dress


run_options = _all((*_RUN, *_CONNECTION))
"""What `run` and `plan` take."""
connection_options = _all(_CONNECTION)
"""What may differ when a run goes on."""
output_options = _all(_OUTPUT)


def pairs(words: Iterable[str], option: str) -> dict[str, str]:
    """Return NAME=VALUE words as a mapping; raises click.UsageError for any other word."""
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not name or not equals or name in found:
            raise click.UsageError(f"{option} {word!r}: give NAME=VALUE, each name once")
        found[name] = value
    return found


def named_file(word: str) -> tuple[str | None, str]:
    """Return the name and path of `[NAME=]FILE`; a path that exists as it stands has no name."""
    name, equals, file = word.partition("=")
    if not equals or Path(word).exists():
        return None, word
    return name, file


def warn_of_marks(sides: Iterable[str]) -> None:
    """Say on stderr which of these runs are marked as superseded; files and frames are none."""
    for side in dict.fromkeys(word.partition("#")[0] for word in sides):
        if (Path(side) / "run.json").is_file():
            for mark in read_marks(Path(side)):
                print_text(f"warning: {side} is {mark.sentence}", err=True)
