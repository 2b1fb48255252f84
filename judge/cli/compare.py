"""`judge compare`: two or more sides, joined by item id."""

from collections.abc import Iterable
from pathlib import Path

import click

from judge.cli.printing import print_json, print_text
from judge.cli.words import output_options, warn_of_marks
from judge.comparing import CompareOptions, Comparison, load
from judge.comparing.matrix import matrix
from judge.comparing.pairwise import pairwise
from judge.report.comparison import described, described_matrix
from judge.report.items import write_items
from judge.report.numbers import plain_numbers

__all__ = ["columns", "compare"]

_PAIR = 2


@click.command()
@click.argument("sides", nargs=-1, required=True, metavar="A B [C]...")
@click.option("--margin", metavar="SHARE", help="A difference that does not matter, such as 0.02.")
@click.option("--confidence", default="0.95", show_default=True, metavar="SHARE")
@click.option("--by", metavar="FILE", help="Strata of items, post hoc: an id and a column.")
@click.option("--by-column", metavar="COLUMN", help="Which column of --by.")
@click.option("--references", metavar="FILE", help="An answer key, for the items' types.")
@click.option("--field", multiple=True, metavar="NAME=COLUMN", help="id, type, label, response.")
@click.option("--accept", multiple=True, metavar="LABEL", help="It counts as correct [yes].")
@click.option("--reject", multiple=True, metavar="LABEL", help="It does not [no].")
@click.option("--common", is_flag=True, help="Compare the items that every side has.")
@click.option("--decided-only", is_flag=True, help="Leave out items without a verdict.")
@click.option("--public", is_flag=True, help="Runs without inputs are public exports.")
@click.option("--csv", "table", metavar="FILE", type=click.Path(path_type=Path), help="All items.")
@output_options
def compare(
    *,
    sides: tuple[str, ...],
    field: tuple[str, ...],
    table: Path | None,
    as_json: bool,
    **words: object,
) -> None:
    """Say what A and B show about each other, item by item; with more, each with each.

    A side is RUN, RUN#c2 (a condition), RUN#c2@3 (a repetition), or a file of verdicts: LongMemEval
    eval results, JSON Lines, JSON or CSV. Runs are recounted first. The difference is A minus B.
    """
    if len(sides) < _PAIR:
        raise click.UsageError("give two sides or more: judge compare A B")
    options = CompareOptions.model_validate({**words, "columns": columns(field)})
    joined = load(sides, options)
    warn_of_marks(sides)
    found = pairwise(joined, options) if len(sides) == _PAIR else matrix(joined, options)
    if table is not None:
        write_items(joined, table)
    if as_json:
        print_json(plain_numbers(found))
    elif isinstance(found, Comparison):
        print_text(described(found))
    else:
        print_text(described_matrix(found))


def columns(words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return NAME=COLUMN words by name; a name may come again where files differ.

    Raises:
        click.UsageError: a word that is not NAME=COLUMN.
    """
    found: dict[str, tuple[str, ...]] = {}
    for word in words:
        name, equals, column = word.partition("=")
        if not name or not equals or not column:
            raise click.UsageError(f"--field {word!r}: give NAME=COLUMN")
        found[name] = (*found.get(name, ()), column)
    return found
