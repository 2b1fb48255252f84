"""`judge show`, `judge verify`, `judge export`: offline, no SDK, no key."""

from pathlib import Path
from typing import Any, NamedTuple

import click

from judge.autoeval import write_autoeval
from judge.cli.printing import print_json, print_text
from judge.cli.words import warn_of_marks
from judge.export import export_public
from judge.recount import Proof, recount
from judge.report.console import described
from judge.report.proved import proved
from judge.report.summary import summarise
from judge.sources import check_source
from judge.studies.columns import open_runs
from judge.tables import refuse_existing, refuse_in_a_run, write_csv, write_parquet

__all__ = ["export", "show", "verify"]

_OPEN = 4
_RUN = click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))


@click.command()
@_RUN
@click.option("--bounds", is_flag=True, help="The rate at worst and at best.")
@click.option("--failures", is_flag=True, help="Every wrong control and undecided answer.")
@click.option("--public", is_flag=True, help="RUN is a public export.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def show(*, folder: Path, bounds: bool, failures: bool, public: bool, as_json: bool) -> None:
    """Recount RUN and print its state, gate, counts and rates."""
    summary = summarise(recount(folder, public=public))
    warn_of_marks([str(folder)])
    if as_json:
        print_json(summary.plain())
    else:
        print_text(described(summary, bounds=bounds, failures=None if failures else 5))


@click.command()
@_RUN
@click.option("--public", is_flag=True, help="RUN is a public export.")
@click.option("--expect-head", metavar="H", help="The head published earlier.")
@click.option("--source", multiple=True, metavar="FILE", help="A file the run was made from.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
@click.pass_context
def verify(
    ctx: click.Context,
    *,
    folder: Path,
    public: bool,
    expect_head: str | None,
    source: tuple[str, ...],
    as_json: bool,
) -> None:
    """Prove RUN again: render every prompt, read every reply, recount every number."""
    proof = recount(folder, public=public, expect_head=expect_head)
    checked = [check_source(proof.plan, Path(name)) for name in source]
    if as_json:
        print_json(proved(proof, checked).plain())
    else:
        print_text("\n".join(_words(proof, checked, expected=expect_head is not None)))
    ctx.exit(_OPEN if proof.state == "open" else 0)


def _texts(proof: Proof) -> str:
    """Which labels were read again from a text, where not all texts are there."""
    kept, whole = proof.tally.texts_read, proof.tally.texts
    if kept == whole:
        return f"; every label, from the {whole} reply texts"
    return f"; labels only where the reply text was kept: {kept} of {whole}"


def _words(proof: Proof, sources: list[str], *, expected: bool) -> list[str]:
    public = proof.frozen is None
    checked = (
        "every line's form, chain and commitments; attempts, order within conditions, gates, "
        "counts, seal" + _texts(proof)
        if public
        else "every line's form, chain and commitments; every input's digest; every prompt "
        "rendered again; every reply read again; the draw, the order, attempts, gates, counts, seal"
    )
    claimed = "times, versions, elapsed times, and that a provider gave these replies"
    if proof.tally.texts_read < proof.tally.texts:
        claimed = f"labels without a reply text, {claimed}"
    lines = [
        f"verified {proof.state}, {proof.lines} lines",
        f"run      {proof.run_id}",
        f"head     {proof.head}" + ("  (as expected)" if expected else ""),
        f"checked  {checked}",
        f"claimed  {claimed}",
    ]
    if public:
        gone = ", reply texts" if proof.tally.texts_read < proof.tally.texts else ""
        lines.append(f"absent   inputs, requests, raw replies{gone}: prompts were not rendered")
    if not expected:
        lines.append(
            "unproved that nobody rewrote the whole run: compare the head with one published "
            "earlier, --expect-head H"
        )
    return [*lines, *(f"source   {name} is a file this run was made from" for name in sources)]


@click.command()
@_RUN
@click.option(
    "--public",
    "target",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="A copy without inputs.",
)
@click.option("--drop", multiple=True, metavar="NAME", help="Leave out a private text more.")
@click.option(
    "--csv", "table", metavar="FILE", type=click.Path(path_type=Path), help="A row per judgment."
)
@click.option("--parquet", metavar="FILE", type=click.Path(path_type=Path), help="The same, typed.")
@click.option("--with-controls", is_flag=True, help="Rows of controls too.")
@click.option(
    "--autoeval", metavar="FILE", type=click.Path(path_type=Path), help="LongMemEval's own shape."
)
@click.option("--condition", metavar="c1", help="Of --autoeval, where there are several.")
@click.option("--repetition", type=int, metavar="N", help="Of --autoeval, where there are several.")
@click.option("--decided-only", is_flag=True, help="Of --autoeval: leave out what has no verdict.")
@click.option("--force", is_flag=True, help="Write over files that exist.")
def export(
    *,
    folder: Path,
    target: Path | None,
    drop: tuple[str, ...],
    table: Path | None,
    parquet: Path | None,
    autoeval: Path | None,
    **words: Any,  # noqa: ANN401
) -> None:
    """Write what others can read: a public copy, tables, LongMemEval's own result file.

    --public DIR has the same chain and head as RUN, without inputs and requests. The tables have
    one row per judgment; docs/tables.md lists their columns. RUN is proved again first.
    """
    files = _Files(target, table, parquet, autoeval)
    _check(files, drop, words)
    warn_of_marks([str(folder)])
    if any((table, parquet, autoeval)):
        _tables(folder, files, words)
    if target is not None:
        proof = export_public(folder, target, drop)
        print_text(f"{target}: {proof.state}, {proof.lines} lines\nhead {proof.head}")


class _Files(NamedTuple):
    """What is to be written."""

    public: Path | None
    table: Path | None
    parquet: Path | None
    autoeval: Path | None


def _check(files: _Files, drop: tuple[str, ...], words: dict[str, Any]) -> None:
    """Refuse what cannot be meant before anything is written."""
    if not any(files):
        raise click.UsageError("name what to write: --public, --csv, --parquet or --autoeval")
    if drop and files.public is None:
        raise click.UsageError("--drop goes with --public")
    if words["with_controls"] and not (files.table or files.parquet):
        raise click.UsageError("--with-controls goes with --csv or --parquet")
    for name in ("condition", "repetition", "decided_only"):
        if words[name] not in {None, False} and files.autoeval is None:
            raise click.UsageError(f"--{name.replace('_', '-')} goes with --autoeval")
    _check_places(files, force=words["force"])


def _check_places(files: _Files, *, force: bool) -> None:
    """Refuse places that are taken, are one, or lie among a run's own files."""
    named = [path for path in files if path is not None]
    if len({path.resolve() for path in named}) < len(named):
        raise click.UsageError("two outputs have one name; give each its own")
    for path in named:
        refuse_in_a_run(path)
        refuse_existing(path, force=force and path is not files.public)


def _tables(folder: Path, files: _Files, words: dict[str, Any]) -> None:
    run = open_runs([folder], public=True)[0]
    # First what may still be refused, so that a refusal leaves nothing behind.
    if files.autoeval is not None:
        left_out = write_autoeval(
            run.proof,
            run.rows,
            files.autoeval,
            chosen=(words["condition"], words["repetition"]),
            decided_only=words["decided_only"],
            force=words["force"],
        )
        print_text(f"{files.autoeval}: written")
        if left_out:
            print_text(f"judge: {left_out} undecided items are not in {files.autoeval}", err=True)
    rows = (*run.controls, *run.rows) if words["with_controls"] else run.rows
    if files.table is not None:
        print_text(f"{files.table}: {write_csv(rows, files.table, force=words['force'])} rows")
    if files.parquet is not None:
        count = write_parquet(rows, files.parquet, run.proof, force=words["force"])
        print_text(f"{files.parquet}: {count} rows")
