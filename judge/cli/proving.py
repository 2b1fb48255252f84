"""`judge show`, `judge verify`, `judge export`: offline, no SDK, no key."""

from pathlib import Path

import click

from judge.canonical import Json
from judge.cli.printing import print_json, print_text
from judge.errors import VerificationError
from judge.export import export_public
from judge.recount import Proof, recount
from judge.report.console import described
from judge.report.summary import summarise
from judge.sources import check_source

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
        print_json(_proved(proof, checked))
    else:
        print_text("\n".join(_words(proof, checked, expected=expect_head is not None)))
    ctx.exit(_OPEN if proof.state == "open" else 0)


def _proved(proof: Proof, sources: list[str]) -> dict[str, Json]:
    return {
        "run_id": proof.run_id,
        "state": proof.state,
        "head": proof.head,
        "lines": proof.lines,
        "public": proof.frozen is None,
        "sources": list(sources),
    }


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
@click.option("--public", "target", required=True, metavar="DIR", type=click.Path(path_type=Path))
@click.option("--drop", multiple=True, metavar="NAME", help="Leave out a private text more.")
def export(*, folder: Path, target: Path, drop: tuple[str, ...]) -> None:
    """Write a public export of RUN to DIR: the same chain and head, without inputs and requests."""
    proof = export_public(folder, target, drop)
    if proof.state not in {"complete", "incomplete", "gate-failed", "open"}:
        raise VerificationError(f"{target}: state {proof.state} is not known")
    print_text(f"{target}: {proof.state}, {proof.lines} lines\nhead {proof.head}")
