"""`judge report`: one page of some runs."""

from pathlib import Path
from typing import Literal

import click

from judge.cli.printing import print_text
from judge.report.page.writing import page
from judge.report.plots import write_figures
from judge.studies.columns import open_runs
from judge.tables import refuse_existing, refuse_in_a_run, replaced

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
    for path in (out, *(() if figures is None else (figures / "figure",))):
        refuse_in_a_run(path)
    refuse_existing(out, force=force)
    made = page(open_runs(runs, public=public), texts)
    if figures is not None:
        write_figures(made.figures, figures)
    replaced(out, lambda file: file.write(made.html), force=force)
    print_text(f"{out}: {len(made.html)} bytes, opens offline")
