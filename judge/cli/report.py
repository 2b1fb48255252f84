"""`judge report`: one page of some runs."""

import tempfile
from pathlib import Path
from typing import Literal

import click

from judge.cli.printing import print_text
from judge.errors import InputError, StorageError
from judge.report.page.writing import page
from judge.report.plots import write_figures
from judge.studies.columns import open_runs

__all__ = ["report"]


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=click.Path(path_type=Path))
@click.option("--out", required=True, metavar="FILE.html", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Write over a file that exists.")
@click.option(
    "--texts",
    type=click.Choice(["all", "flips", "none"]),
    default="all",
    show_default=True,
    help="Whose texts the list of all judgments holds.",
)
@click.option(
    "--figures", metavar="DIR", type=click.Path(path_type=Path), help="Figures as SVG and PNG."
)
@click.option("--public", is_flag=True, help="Runs without inputs are public exports.")
def report(
    *,
    runs: tuple[Path, ...],
    out: Path,
    force: bool,
    texts: Literal["all", "flips", "none"],
    figures: Path | None,
    public: bool,
) -> None:
    """Write one self-contained page: the claim, what it rests on, and every judgment.

    Every run is proved again first; one that does not prove what it claims gets no page.
    """
    if out.exists() and not force:
        raise InputError(f"{out} exists; choose another --out, or add --force")
    made = page(open_runs(runs, public=public), texts)
    if figures is not None:
        write_figures(made.figures, figures)
    _write(out, made.html)
    print_text(f"{out}: {len(made.html)} bytes, opens offline")


def _write(out: Path, data: bytes) -> None:
    """The file appears whole or not at all."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            dir=out.parent, prefix=f"{out.name}.", delete=False
        ) as file:
            file.write(data)
        Path(file.name).chmod(0o644)
        Path(file.name).replace(out)
    except OSError as error:
        raise StorageError(f"{out}: {error.strerror}") from error
