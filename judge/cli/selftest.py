"""`judge selftest`: defects planted in runs and in judges, each of which must be caught."""

import tempfile
from pathlib import Path

import click

from judge.canonical import Json
from judge.cli.printing import print_json, print_text
from judge.errors import VerificationError
from judge.selftest.trial import Family, run_trial

__all__ = ["selftest"]


@click.command()
@click.option("--cases", type=click.IntRange(1), default=2000, metavar="N", show_default=True)
@click.option("--seed", type=click.IntRange(0), default=0, metavar="N", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def selftest(*, cases: int, seed: int, as_json: bool) -> None:
    """Plant defects in small runs and in judges made for it; every one must be caught.

    CASES bytes are changed one at a time, at places that SEED chooses; then lines, texts, plans and
    inputs are forged and sealed again, and faulty judges take their controls. Nothing is sent, and
    nothing is kept. Exit 0 when all are caught, else 6.
    """
    with tempfile.TemporaryDirectory(prefix="judge-selftest-") as folder:
        families = run_trial(
            Path(folder), cases, seed, lambda sentence: print_text(sentence, err=True)
        )
    if as_json:
        print_json(_document(families, cases, seed))
    else:
        print_text("\n".join(_words(families)))
    missed = sum(family.planted - family.caught for family in families)
    if missed:
        raise VerificationError(
            f"{missed} planted defects were not caught; do not trust this installation"
        )


def _document(families: tuple[Family, ...], cases: int, seed: int) -> dict[str, Json]:
    return {
        "cases": cases,
        "seed": seed,
        "all_caught": all(family.planted == family.caught for family in families),
        "families": [family.plain() for family in families],
    }


def _words(families: tuple[Family, ...]) -> list[str]:
    width = max(len(family.name) for family in families)
    lines = []
    for family in families:
        lines.append(f"{family.name:<{width}}  planted {family.planted:>5}  caught {family.caught}")
        lines += [f"  NOT CAUGHT  {sentence}" for sentence in family.missed]
    planted = sum(family.planted for family in families)
    caught = sum(family.caught for family in families)
    return [*lines, f"{'all':<{width}}  planted {planted:>5}  caught {caught}"]
