"""`judge templates`: the rubric library in words; every command is one call of `judge.packs`."""

from pathlib import Path

import click

from judge import packs
from judge.canonical import Json, encode
from judge.doctor import diagnose
from judge.errors import InputError
from judge.packs import Added, Sheet
from judge.report import diagnosis, library, rubrics
from judge.report.terminal import safe, safe_json

__all__ = ["group"]

_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


@click.group("templates")
def group() -> None:
    """List, show, check, bring and compare pinned rubrics."""


@group.command("list")
@click.option("--markdown", is_flag=True, help="Print docs/rubrics.md: the shipped ones in full.")
@_JSON
def list_(*, markdown: bool, as_json: bool) -> None:
    """List all rubrics, and whether their texts are on this machine."""
    if markdown:
        _print(library.page(packs.survey(packs.shipped_names())).removesuffix("\n"))
        return
    sheets = packs.survey()
    if as_json:
        _print_json([_brief(sheet) for sheet in sheets])
        return
    _print(rubrics.listing(sheets))
    _print_problems(sheets)


@group.command()
@click.argument("name")
@click.option("--text", "with_text", is_flag=True, help="Print the templates' texts too.")
@_JSON
def show(name: str, *, with_text: bool, as_json: bool) -> None:
    """Show routes, fields, settings, readings and what a rubric is made of."""
    sheet = packs.check(name)
    if as_json:
        _print_json(_whole(sheet, with_text=with_text))
        return
    _print(rubrics.described(sheet, with_text=with_text))


@group.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@_JSON
def check(names: tuple[str, ...], *, as_json: bool) -> None:
    """Hold rubrics against their pins; all of them when none is named."""
    sheets = packs.survey(names)
    if as_json:
        _print_json([_brief(sheet) for sheet in sheets])
    else:
        for sheet in sheets:
            _print(f"{sheet.name}  {sheet.state}  {sheet.pin or '-'}")
            for warning in sheet.warnings:
                _print(f"  warning: {warning}")
        _print_problems(sheets)
    refused = [sheet.name for sheet in sheets if sheet.state == "refused"]
    if refused:
        raise InputError(f"{len(refused)} of {len(sheets)} rubrics refused: {', '.join(refused)}")


@group.command()
@click.argument("name")
@click.option(
    "--from",
    "source",
    required=True,
    type=click.Path(path_type=Path),
    help="A file that holds the texts: Python, notebook, JSON, JSONL, YAML or plain text.",
)
@_JSON
def add(name: str, source: Path, *, as_json: bool) -> None:
    """Take a rubric's pinned texts from a file of your own; nothing in it is executed."""
    added = packs.add(name, source)
    if as_json:
        _print_json(added.plain())
    else:
        _print_added(added)


@group.command()
@click.argument("name")
@_JSON
def fetch(name: str, *, as_json: bool) -> None:
    """Bring a rubric's pinned texts from their sources, at the pinned commits."""
    fetched = packs.fetch(name)
    if as_json:
        _print_json([added.plain() for added in fetched])
        return
    for added in fetched:
        _print_added(added)


@group.command()
@click.argument("a")
@click.argument("b")
@_JSON
def diff(a: str, b: str, *, as_json: bool) -> None:
    """Compare two rubrics: words of each template, and all that is not text."""
    found = packs.diff(a, b)
    if as_json:
        _print_json(found.plain())
    else:
        _print(rubrics.compared(found))


@group.command("new")
@click.argument("name")
@click.option("--of", required=True, metavar="RUBRIC", help="The pinned rubric it is made from.")
@click.option(
    "--from",
    "source",
    required=True,
    type=click.Path(path_type=Path),
    help="The edited text or texts, in any file `add` reads.",
)
@click.option("--template", metavar="NAME", help="Which template a single text is an edit of.")
@_JSON
def new(name: str, of: str, source: Path, template: str | None, *, as_json: bool) -> None:
    """Start a modified edition: slices of the pinned texts, your words, and its pin."""
    started = packs.start(name, of, source, template)
    if as_json:
        _print_json(started.plain())
        return
    _print(f"{started.name}  {started.pin}")
    _print(f"edited: {', '.join(started.templates)}; the rest is {of}'s")
    for sentence in started.kept:
        _print(f"kept: {sentence}")
    for sentence in started.warnings:
        click.echo(safe(f"warning: {sentence}"), err=True)
    _print(f"written to {started.path}; see `judge templates diff {of} {started.name}`")


@group.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--of", metavar="RUBRIC", help="Compare with this rubric only.")
@_JSON
def doctor(file: Path, of: str | None, *, as_json: bool) -> None:
    """Say which pinned judge a script, notebook or prompt file holds, and what differs."""
    found = diagnose(file, of)
    if as_json:
        _print_json(found.plain())
    else:
        _print(diagnosis.told(found))


def _print(text: str) -> None:
    click.echo(safe(text))


def _print_json(value: Json) -> None:
    click.echo(safe_json(encode(value)))


def _print_problems(sheets: tuple[Sheet, ...]) -> None:
    for sheet in sheets:
        if sheet.problem is not None:
            click.echo(safe(f"refused: {sheet.name}: {sheet.problem}"), err=True)


def _brief(sheet: Sheet) -> Json:
    plain = sheet.plain()
    kept = ("name", "state", "problem", "warnings", "pin", "shipped", "labels", "source")
    return {key: plain[key] for key in kept}


def _whole(sheet: Sheet, *, with_text: bool) -> Json:
    templates = [
        template if with_text else template.model_copy(update={"text": None})
        for template in sheet.templates
    ]
    return sheet.model_copy(update={"templates": tuple(templates)}).plain()


def _print_added(added: Added) -> None:
    _print(f"{added.name}: {len(added.templates)} texts kept: {', '.join(added.templates)}")
    if added.same_file is False:
        _print(
            f"note: {added.file} is not the pinned file (SHA-256 {added.file_sha256[:12]}…);"
            " the texts in it are the pinned ones"
        )
    if added.absent:
        _print(f"not here yet, from another of its sources: {', '.join(added.absent)}")
