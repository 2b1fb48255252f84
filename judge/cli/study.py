"""`judge study`: the same answers judged twice on purpose."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import click

from judge.answers.places import quoted
from judge.canonical import digest
from judge.cli.printing import print_json, print_text
from judge.cli.sides import Given
from judge.cli.words import output_options, warn_of_marks
from judge.errors import InputError
from judge.exclusions import read_exclusions
from judge.report.numbers import plain_numbers
from judge.report.sections import Section, described
from judge.report.studies import comparators as comparator_words
from judge.report.studies import exclusions as exclusion_words
from judge.report.studies import improvement as improvement_words
from judge.report.studies import inputs as input_words
from judge.report.studies import judges as judge_words
from judge.report.studies import lengths as length_words
from judge.report.studies import passes as pass_words
from judge.report.studies import rejudge as rejudge_words
from judge.report.studies import repeats as repeat_words
from judge.report.studies import sensitivity as sensitivity_words
from judge.report.studies.whole import sections
from judge.stats.exact import checked_level
from judge.studies.columns import Column, Opened, open_runs
from judge.studies.contrasts import contrasts
from judge.studies.exclusions import Counterfactual, exclude
from judge.studies.improvement import allowance, improvement
from judge.studies.judges import judges, judges_of, reversals
from judge.studies.lengths import lengths
from judge.studies.mixed import mixed
from judge.studies.passes import passes_of, several_passes
from judge.studies.rejudge import Rejudged, margins, rejudge, rejudge_files
from judge.studies.repeats import repeats, repeats_of
from judge.studies.sensitivity import sensitivity
from judge.studies.whole import study as studied

__all__ = ["group"]

F = TypeVar("F", bound=Callable[..., Any])


@click.group("study")
def group() -> None:
    """The same answers judged twice on purpose: what the differences say.

    SIDE is RUN (all its conditions and repetitions), RUN#c2, RUN#c2@3, or a file of verdicts. Runs
    are proved again first.
    """


_PUBLIC = click.option("--public", is_flag=True, help="Runs without inputs are public exports.")
_SIDES = click.argument("sides", nargs=-1, required=True, metavar="SIDE...")
_FILES: tuple[Callable[[F], F], ...] = (
    click.option(
        "--field", multiple=True, metavar="NAME=COLUMN", help="id, type, label, response."
    ),
    click.option("--accept", multiple=True, metavar="LABEL", help="It counts as correct [yes]."),
    click.option("--reject", multiple=True, metavar="LABEL", help="It does not [no]."),
)


def _of_files(command: F) -> F:
    for option in reversed((*_FILES, _PUBLIC)):
        command = option(command)
    return output_options(command)


def _of_runs(command: F) -> F:
    argument = click.argument(
        "runs", nargs=-1, required=True, metavar="RUN...", type=click.Path(path_type=Path)
    )
    return argument(_PUBLIC(output_options(command)))


def _opened(runs: Sequence[Path], *, public: bool) -> tuple[Opened, ...]:
    warn_of_marks(map(str, runs))
    return open_runs(runs, public=public)


def _print(results: object, shown: Sequence[Section], *, as_json: bool) -> None:
    if as_json:
        print_json(plain_numbers(results))
    else:
        print_text(described(shown))


def _need(found: Sequence[object], sentence: str) -> None:
    """Nothing passes without a subject: an analysis of nothing is an error."""
    if not found:
        raise InputError(sentence)


@group.command("all")
@click.option("--tokenizer", metavar="NAME", help="Of a judge whose name does not tell it.")
@_of_runs
def everything(
    *, runs: tuple[Path, ...], tokenizer: str | None, public: bool, as_json: bool
) -> None:
    """Every analysis that applies to these runs; those that do not are named."""
    found = studied(_opened(runs, public=public), tokenizer)
    _print(found, sections(found), as_json=as_json)


@group.command("rejudge")
@_SIDES
@_of_files
def rejudge_command(*, sides: tuple[str, ...], as_json: bool, **words: Any) -> None:  # noqa: ANN401
    """Earlier labels beside new ones: RUN..., or BEFORE AFTER."""
    given = Given(sides, words)
    if not given.matched and len(given.columns) > 1:
        found = [rejudge_files(*given.two("rejudge"))]
        _print(found, [rejudge_words.section(found)], as_json=as_json)
        return
    columns = [column for column in given.columns if column.accept is not None]
    _need(columns, "no column has labels that are right or wrong")
    found, without = _rejudged(columns)
    beside = margins(columns, {one.column: one for one in found})
    results = {"rejudged": found, "margins": beside, "skipped": without}
    _print(results, [rejudge_words.section(found, beside, without)], as_json=as_json)


def _rejudged(columns: Sequence[Column]) -> tuple[list[Rejudged], list[str]]:
    """The columns with earlier labels, and a sentence on each without."""
    found, without = list[Rejudged](), list[str]()
    for column in columns:
        try:
            found.append(rejudge(column))
        except InputError as error:
            without.append(str(error))
    _need(found, "; ".join(without[:_NAMED]))
    return found, without


_NAMED = 3


@group.command("templates")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@_of_files
def templates_command(*, runs: tuple[str, ...], as_json: bool, **words: Any) -> None:  # noqa: ANN401
    """The same answers under other templates."""
    given = Given(runs, words)
    found, spans = sensitivity(given.columns)
    _need(found, "no two conditions of these runs differ in their rubric alone")
    results = {"sensitivity": found, "spans": spans}
    _print(results, [sensitivity_words.section(found, spans)], as_json=as_json)


@group.command("repeats")
@_SIDES
@_of_files
def repeats_command(*, sides: tuple[str, ...], as_json: bool, **words: Any) -> None:  # noqa: ANN401
    """The same question to the same judge again: RUN..., or several sides."""
    given = Given(sides, words)
    found = repeats(given.columns) if given.matched else (repeats_of(given.columns),)
    _need(found, "no condition of these runs was asked more than once")
    _print(found, [repeat_words.section(found)], as_json=as_json)


@group.command("judges")
@_SIDES
@_of_files
def judges_command(*, sides: tuple[str, ...], as_json: bool, **words: Any) -> None:  # noqa: ANN401
    """Two or more judges of the same answers: RUN..., or several sides."""
    given = Given(sides, words)
    found = judges(given.columns) if given.matched else (judges_of(given.columns),)
    _need(found, "no two conditions of these runs differ in their judge alone")
    turned = reversals(given.columns) if given.matched else ()
    results = {"judges": found, "reversals": turned}
    _print(results, [judge_words.section(found, turned)], as_json=as_json)


@group.command("passes")
@_SIDES
@_of_files
def passes_command(*, sides: tuple[str, ...], as_json: bool, **words: Any) -> None:  # noqa: ANN401
    """Several answers to the same questions: RUN..., or several sides."""
    given = Given(sides, words)
    found = several_passes(given.columns) if given.matched else (passes_of(given.columns),)
    _need(found, "no two conditions of these runs differ in their answers alone")
    _print(found, [pass_words.section(found)], as_json=as_json)


@group.command("mixed")
@_SIDES
@click.option("--new", "types", required=True, metavar="TYPE[,TYPE]", help="They take new labels.")
@_of_files
def mixed_command(*, sides: tuple[str, ...], types: str, as_json: bool, **words: Any) -> None:  # noqa: ANN401
    """A total of OLD labels and NEW ones for some types: marked, never ranked."""
    found = mixed(*Given(sides, words).two("mixed"), types.split(","))
    _print(found, [pass_words.mixed_section(found)], as_json=as_json)


@group.command("exclusions")
@_SIDES
@click.option("--rows", metavar="FILE", type=click.Path(path_type=Path), help="id, class, reason.")
@_of_files
def exclusions_command(
    *,
    sides: tuple[str, ...],
    rows: Path | None,
    as_json: bool,
    **words: Any,  # noqa: ANN401
) -> None:
    """Questioned rows of the answer key: without them, and with them granted.

    Without --rows, those that the plan of each run fixed.
    """
    given = Given(sides, words)
    found: list[Counterfactual] = []
    if rows is not None:
        listed = read_exclusions(rows)
        for column, fixed in given.owned:
            own = fixed.exclusions if fixed is not None else None
            before = own is not None and own.sha256 == listed.sha256
            found.append(exclude(column, listed, fixed_before=before))
    else:
        for column, fixed in given.owned:
            if fixed is None or fixed.exclusions is None:
                raise InputError(
                    f"{column.name}: no plan fixed any rows of it; name a file with --rows"
                )
            found.append(exclude(column, fixed.exclusions, fixed_before=True))
    _need(found, "no plan of these runs fixed any rows; name a file with --rows")
    _print(found, [exclusion_words.section(found)], as_json=as_json)


@group.command("improvement")
@_SIDES
@click.option("--allowed-breaks", type=click.IntRange(min=0), metavar="N", help="It may break [0].")
@click.option("--rate", default="0.034", show_default=True, metavar="SHARE", help="Breaks to see.")
@_of_files
def improvement_command(
    *,
    sides: tuple[str, ...],
    allowed_breaks: int | None,
    rate: str,
    as_json: bool,
    **words: Any,  # noqa: ANN401
) -> None:
    """Verdicts BEFORE and AFTER a change: what it repaired, and what it broke."""
    given = Given(sides, words)
    before, after = given.two("improvement")
    allowed, fixed = allowance([study for _, study in given.owned], allowed_breaks)
    found = improvement(
        before,
        after,
        allowed=allowed,
        fixed_before=fixed,
        rate=Fraction(checked_level(rate, what="--rate")),
    )
    _print(found, [improvement_words.section(found)], as_json=as_json)


@group.command("inputs")
@click.option("--tokenizer", metavar="NAME", help="Of a judge whose name does not tell it.")
@_of_runs
def inputs_command(
    *, runs: tuple[Path, ...], tokenizer: str | None, public: bool, as_json: bool
) -> None:
    """Billed input tokens against those of the exact prompts."""
    found = studied(_opened(runs, public=public), tokenizer)
    if not found.inputs:
        raise InputError(found.skipped["inputs"])
    _print(found.inputs, [input_words.section(found.inputs)], as_json=as_json)


@group.command("lengths")
@_of_runs
def lengths_command(*, runs: tuple[Path, ...], public: bool, as_json: bool) -> None:
    """Response length by label: a caution and no correction."""
    found = [lengths(column) for run in _opened(runs, public=public) for column in run.columns()]
    _print(found, [length_words.section(found)], as_json=as_json)


@group.command("comparators")
@click.option("--source", multiple=True, metavar="FILE", help="Check a source against its digest.")
@_of_runs
def comparators_command(
    *, runs: tuple[Path, ...], source: tuple[str, ...], public: bool, as_json: bool
) -> None:
    """Published figures that the plan fixed, beside the run's own."""
    opened = _opened(runs, public=public)
    for word in source:
        _check_source(Path(word), opened)
    found = studied(opened).comparators
    _need(found, "no plan of these runs fixed a comparator")
    _print(found, [comparator_words.section(found)], as_json=as_json)


def _check_source(path: Path, runs: Sequence[Opened]) -> None:
    try:
        found = digest(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    known = {one.sha256 for run in runs for one in run.study.comparators}
    if found not in known:
        raise InputError(f"{quoted(path.name)} is no comparator's source: its SHA-256 is {found}")


@group.command("contrasts")
@_of_runs
def contrasts_command(*, runs: tuple[Path, ...], public: bool, as_json: bool) -> None:
    """The contrasts that the plan fixed before the first call."""
    found = [
        one for run in _opened(runs, public=public) for one in contrasts(run.columns(), run.study)
    ]
    _need(found, "no plan of these runs fixed a contrast")
    _print(found, [comparator_words.contrasts_section(found)], as_json=as_json)
