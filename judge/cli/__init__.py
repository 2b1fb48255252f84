"""Words in, exit code out: every command turns its words into one call of the package.

Commands are imported when they are asked for, so that `judge --help` stays fast.
"""

import importlib
import sys
import traceback
from collections.abc import Mapping

import click
from typing_extensions import override

from judge.errors import JudgeError
from judge.report.streams import hold, let_go

__all__ = ["main"]

_INTERNAL = 1
_USAGE = 2
_INTERRUPTED = 130

_COMMANDS: Mapping[str, tuple[str, str, str]] = {
    "init": ("judge.cli.folders", "init", "Write a commented run.yaml to start from."),
    "plan": ("judge.cli.running", "plan", "Check everything and say what a run would ask."),
    "run": ("judge.cli.running", "run", "Freeze, gate, score and seal."),
    "resume": ("judge.cli.running", "resume", "Go on with a run where it stopped."),
    "show": ("judge.cli.proving", "show", "State, gate, counts and rates of a run."),
    "verify": ("judge.cli.proving", "verify", "Prove a run again, offline."),
    "export": (
        "judge.cli.proving",
        "export",
        "A public copy, CSV, Parquet, LongMemEval's own shape.",
    ),
    "selftest": ("judge.cli.selftest", "selftest", "Plant defects; each must be caught."),
    "compare": ("judge.cli.compare", "compare", "Two or more sets of verdicts, item by item."),
    "study": ("judge.cli.study", "group", "The same answers judged twice on purpose."),
    "report": ("judge.cli.report", "report", "One page of some runs, to be shown."),
    "manifest": ("judge.cli.folders", "manifest", "One SHA-256 for each file of a folder."),
    "mark": ("judge.cli.folders", "mark", "Mark a run as superseded by another."),
    "metrics": ("judge.cli.metrics", "group", "Figures that need no judge."),
    "templates": ("judge.cli.templates", "group", "The rubric library."),
    "controls": ("judge.cli.controls", "group", "The known answers a judge must get right."),
}


class _Lazy(click.Group):
    """A group whose commands are imported when they are used."""

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    @override
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, name, _ = _COMMANDS[cmd_name]
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    @override
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, words[2]) for name, words in _COMMANDS.items()])


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="judge-harness", prog_name="judge")
def _judge() -> None:
    """Score saved answers with a language model as the judge, so that others can check it.

    Exit codes: 0 complete, 1 internal error, 2 bad input or usage, 3 gate failed, 4 incomplete or
    open, 5 provider stop, 6 verification failed, 7 storage or lock, 129/130/143 signals.
    """


def main(words: list[str] | None = None) -> int:
    """Run one command and return its exit code; errors become one sentence on stderr."""
    try:
        hold()
        code = _judge.main(args=words, prog_name="judge", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return _USAGE
    except JudgeError as error:
        return _said(error)
    except (click.Abort, KeyboardInterrupt):
        click.echo("judge: interrupted; a run folder that was named goes on by resume", err=True)
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader of a help text has gone: there is nobody to tell.
        let_go(sys.stdout)
        return 0
    except Exception:  # noqa: BLE001 - a fault of ours is told as one, with its own exit code
        traceback.print_exc()
        click.echo("judge: internal error; please report it with the lines above", err=True)
        return _INTERNAL
    return code if isinstance(code, int) else 0


def _said(error: JudgeError) -> int:
    from judge.cli.printing import print_text  # noqa: PLC0415 - help and usage do without it

    print_text(f"judge: {error}", err=True)
    return error.exit_code
