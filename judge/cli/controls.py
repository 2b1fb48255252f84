"""`judge controls`: the known answers a judge must get right."""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from judge.cli.building import configured
from judge.cli.power import power
from judge.cli.printing import print_json, print_text
from judge.cli.words import output_options, run_options
from judge.controls import read_controls
from judge.planning import freeze
from judge.records import Control

__all__ = ["group"]


@click.group("controls")
def group() -> None:
    """The known answers a judge must get right before it may score."""


group.add_command(power)


@group.command()
@run_options
@output_options
def show(*, as_json: bool, **words: object) -> None:
    """Print the controls a run with these options would ask; nothing is sent."""
    if not any(words[name] for name in ("config", "answers", "judges")):
        _show_files(words["controls"], as_json=as_json)
        return
    config = configured(dict(words))
    with (
        tempfile.TemporaryDirectory(prefix="judge-plan-") as folder,
        freeze(config, Path(folder) / "plan", "0" * 64, {}) as frozen,
    ):
        if as_json:
            print_json([control.plain() for control in frozen.controls])
        else:
            print_text("\n".join(_lines(frozen.controls)))


def _show_files(names: object, *, as_json: bool) -> None:
    """The controls of files alone, where no run is described that they would be asked in."""
    if not isinstance(names, tuple) or not names:
        raise click.UsageError(
            "name a control file (--controls NAME), or the run whose controls you want to see"
        )
    controls = tuple(control for name in names for control in read_controls(name).controls)
    if as_json:
        print_json([control.plain() for control in controls])
    else:
        print_text("\n".join(_lines(controls)))


def _lines(controls: Sequence[Control]) -> Iterator[str]:
    for number, control in enumerate(controls):
        expect = control.expect if isinstance(control.expect, str) else "/".join(control.expect)
        donor = f", gold of {control.donor}" if control.donor else ""
        yield f"{number}  {control.arm}, expect {expect}  {control.id} ({control.source}{donor})"
        yield f"   question  {control.question}"
        yield f"   gold      {control.gold}"
        yield f"   response  {control.response}"
