"""`judge init`, `judge manifest`, `judge mark`."""

from pathlib import Path

import click

from judge.cli.printing import print_text
from judge.manifest import NAME, check_manifest, write_manifest
from judge.marks import mark as marked
from judge.recount import Proof, recount
from judge.starter import write_starter

__all__ = ["init", "manifest", "mark"]


@click.command()
@click.argument("file", default="run.yaml", type=click.Path(path_type=Path))
@click.option("--answers", multiple=True, metavar="FILE", help="Saved answers [answers.jsonl].")
@click.option("--references", metavar="FILE", help="The answer key [references.json].")
@click.option("--rubric", multiple=True, metavar="NAME", help="Of `templates list`.")
@click.option("--judge", "judges", multiple=True, metavar="PROVIDER/MODEL", help="Or lexical.")
def init(
    *,
    file: Path,
    answers: tuple[str, ...],
    references: str | None,
    rubric: tuple[str, ...],
    judges: tuple[str, ...],
) -> None:
    """Write a commented run.yaml to start from; a file that exists is left alone."""
    named = [word.partition("/") for word in judges or ("openai/gpt-4o-2024-08-06",)]
    write_starter(
        file,
        answers=answers or ("answers.jsonl",),
        references=references or "references.json",
        rubrics=rubric or ("correctness/v1",),
        judges=[(provider, model or None) for provider, _, model in named],
    )
    print_text(f"{file}: edit it, then `judge plan {file}`")


@click.group()
def manifest() -> None:
    """One SHA-256 for each file of a folder, as `sha256sum -c` reads them."""


_DIR = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))


@manifest.command("write")
@_DIR
@click.option("--force", is_flag=True, help="Write over a manifest that exists.")
def write_command(*, folder: Path, force: bool) -> None:
    """Write DIR/MANIFEST.sha256."""
    count = write_manifest(folder, force=force)
    print_text(f"{folder / NAME}: {count} files")


@manifest.command("check")
@_DIR
def check_command(*, folder: Path) -> None:
    """Hold DIR against its manifest; every file that changed, is missing or too many is named."""
    print_text(f"{folder}: {check_manifest(folder)} files, all as {NAME} says")


@click.command()
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.option(
    "--superseded-by",
    "by",
    required=True,
    metavar="RUN2",
    type=click.Path(path_type=Path),
    help="The run that stands in its place.",
)
@click.option("--reason", required=True, metavar="TEXT", help="Why; readers will see it.")
@click.option("--public", is_flag=True, help="Runs without inputs are public exports.")
def mark(*, folder: Path, by: Path, reason: str, public: bool) -> None:
    """Mark RUN as superseded, outside its seal; `show`, `compare` and `report` then warn.

    Nothing is deleted, and RUN still proves what it proved.
    """
    found = marked(folder, _proved(folder, public), by, _proved(by, public), reason)
    print_text(f"{folder}: {found.sentence}")


def _proved(folder: Path, public: bool) -> Proof:  # noqa: FBT001 - the flag as it was given
    return recount(folder, public=public and not (folder / "inputs").is_dir())
