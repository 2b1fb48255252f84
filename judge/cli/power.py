"""`judge controls power`: how many controls a claim needs, and what a passed gate is worth."""

import click
import pydantic

from judge.cli.printing import print_json, print_text
from judge.cli.words import output_options
from judge.errors import InputError
from judge.metrics import PowerOptions, control_power
from judge.report.metrics import power_words
from judge.report.numbers import plain_numbers

__all__ = ["power"]


@click.command()
@click.option("--rate", multiple=True, metavar="SHARE", help="A rate to be seen; repeatable.")
@click.option("--chance", default="0.95", show_default=True, metavar="SHARE", help="To see it.")
@click.option(
    "--allowed", type=int, default=0, show_default=True, metavar="N", help="Failures that pass."
)
@click.option("--pool", type=int, metavar="N", help="Draw from N rows without replacement.")
@click.option("--bad", type=int, metavar="N", help="Bad rows in the pool.")
@click.option(
    "--asked", type=int, default=12, show_default=True, metavar="N", help="Controls of an arm."
)
@click.option("--threshold", metavar="SHARE", help="A gate's share of correct ones [0.9].")
@click.option("--need", type=int, metavar="K", help="Correct ones needed, in place of a threshold.")
@click.option("--accuracy", multiple=True, metavar="SHARE", help="Of a judge; repeatable.")
@click.option("--clean", multiple=True, type=int, metavar="N", help="Rows without a failure.")
@click.option("--confidence", default="0.95", show_default=True, metavar="SHARE")
@output_options
def power(*, as_json: bool, **words: object) -> None:
    """Rows needed to see a rate, what a gate lets pass, and what no failure still allows.

    All chances are exact. Without options the usual rates, gates and sizes are shown.
    """
    if words["pool"] is not None and words["rate"]:
        raise click.UsageError("--pool and --bad say the rate: leave --rate out")
    if words["need"] is not None and words["threshold"] is not None:
        raise click.UsageError("--need stands in place of --threshold: give one of them")
    given = {name: value for name, value in words.items() if value not in {None, ()}}
    found = control_power(_options(given))
    if as_json:
        print_json(plain_numbers(found))
    else:
        print_text(power_words(found))


def _options(given: dict[str, object]) -> PowerOptions:
    try:
        return PowerOptions.model_validate(given)
    except pydantic.ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise InputError(f"--{first['loc'][0]}: {first['msg'].lower()}") from error
