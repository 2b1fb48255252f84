"""Forged runs, chained and sealed again: what each verifier catches, and what only a head shows.

`judge selftest` plants every forgery in a run of the embedded judge (tests/test_selftest.py); here
the second verifier meets the same ones, and both meet runs of hosted judges.
"""

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pytest
from forgedruns import hosted
from smallrun import Provider

from judge.cli import main
from judge.errors import VerificationError
from judge.export import export_public
from judge.recount import recount
from judge.selftest.forging import Forged, Forgery, put, read, recounted, text, write
from judge.selftest.lines import field_forgeries
from judge.selftest.rewriting import rewrite
from judge.selftest.sample import SAMPLE_RULES, build
from judge.selftest.trial import Room, forgeries

SCRIPT = Path(__file__).parents[1] / "receipts" / "verify.py"
_SPEC = importlib.util.spec_from_file_location("receipts_verify", SCRIPT)
assert _SPEC is not None
assert _SPEC.loader is not None
verify = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(verify)

OTHER_RUNS = (
    # A reply turned, or two exchanged, with all that follows from them: the server alone knows.
    r"label: receipt \d+: and raw reply turned",
    r"swapped replies: receipts \d+ and \d+: all of them",
    # Status and error of an attempt that gave no verdict are the run's own word.
    r"other fields: receipt \d+: (status|error) is .*",
    # A run may go on twice.
    r"inserted line: resumed \d+",
)
"""What a run of a hosted judge cannot deny: each is a run that might have been."""

UNREAD = (
    *OTHER_RUNS,
    # These need a prompt rendered, or the embedded rule asked again.
    r"request: intent \d+: .*",
    r"item changed: (response|gold|question) of row \d+",
    r"altered control: (response|gold|question) of row \d+",
    r"altered control: row \d+ taken away, cells too",
    # These need the controls drawn again.
    r"threshold, seed: gate.seed is .*",
    r"altered plan: gate.(positive|negative) is .*",
    r"altered control: (donor|source) of row \d+",
    r"altered plan: sources.-1.* is .*",
    r"references: .*",
    # These need the reply read beyond its model, finish and text.
    r"usage: .*",
    r"other fields: receipt \d+: (fingerprint|service_tier) is .*",
    r"(finish|model): receipt \d+: .* is .*",
    r"other texts: receipt \d+: a request id",
    # These are words about a rubric or a judge, derived from the names that providers give.
    r"deviations, official: .*",
    r"identity: (judges.0.(identity|address) is|openai,) .*",
    r"rubric changed: (judges|kinds of gold) .*",
    # Nothing is derived from this.
    r"item changed: a prior that is a number",
)
"""What the second verifier leaves to the first: it renders no prompt and draws no control."""


class Whole(NamedTuple):
    """A sealed run to forge, and what proves it."""

    folder: Path
    head: str
    prove: Callable[[str | None], object]
    """Recounts it, a head expected or not."""


@pytest.fixture
def embedded(tmp_path: Path) -> Whole:
    """Return a run of the embedded judge, with undecided cells and second attempts."""
    proof = build(tmp_path, rules=SAMPLE_RULES).proof
    folder = tmp_path / "run"
    return Whole(
        folder,
        proof.head,
        lambda head: recount(folder, rules=SAMPLE_RULES, expect_head=head),
    )


def _served(folder: Path, provider: Provider) -> Whole:
    hosted(folder, provider)
    return Whole(folder, recount(folder).head, lambda head: recount(folder, expect_head=head))


@pytest.fixture
def served(tmp_path: Path) -> Whole:
    """Return a run of a hosted judge with most of what can befall one."""
    return _served(tmp_path / "run", "openai")


def _allowed(forgery: Forgery, patterns: tuple[str, ...]) -> bool:
    said = f"{forgery.family}: {forgery.name}"
    return any(re.fullmatch(pattern, said) for pattern in patterns)


def _planted(folder: Path, step: int = 1) -> Iterator[Forgery]:
    """Yield every forgery, or every fourth say, while it lies in the folder."""
    room = Room(folder)
    for forgery in islice(forgeries(read(folder)), 0, None, step):
        run = read(folder)
        forgery.edit(run)
        write(run, folder)
        yield forgery
        room.restore()


def _second(folder: Path, *options: str) -> int:
    return int(verify.main([str(folder), *options]))


def _raised(whole: Whole, head: str | None = None) -> str:
    with pytest.raises(VerificationError) as caught:
        whole.prove(head)
    return str(caught.value)


# --- every forgery --------------------------------------------------------------------------------


def test_there_are_hundreds_of_forgeries_of_every_family(embedded: Whole) -> None:
    """A generator that yields nothing would let everything pass."""
    planted = list(forgeries(read(embedded.folder)))
    names = {(forgery.family, forgery.name) for forgery in planted}

    assert len(names) == len(planted) > 800
    assert len({forgery.family for forgery in planted}) > 30


def test_the_second_verifier_catches_all_that_needs_no_rendering(embedded: Whole) -> None:
    """Exit 6 for each; what it leaves to the first is named, and why."""
    missed = [
        f"{forgery.family}: {forgery.name}"
        for forgery in _planted(embedded.folder)
        if _second(embedded.folder) != 6 and not _allowed(forgery, UNREAD)
    ]

    assert missed == []
    assert _second(embedded.folder) == 0


@pytest.mark.parametrize(("provider", "step"), [("openai", 2), ("anthropic", 5)])
def test_forged_runs_of_hosted_judges_are_caught(
    tmp_path: Path, provider: Provider, step: int
) -> None:
    """By both verifiers; only a run that might have been passes, and a known head refuses it."""
    served, missed = _served(tmp_path / "run", provider), []
    for forgery in _planted(served.folder, step):
        said = f"{forgery.family}: {forgery.name}"
        try:
            served.prove(None)
        except VerificationError:
            pass
        else:
            assert _allowed(forgery, OTHER_RUNS), said
            assert "not the expected" in _raised(served, served.head)
        if _second(served.folder) != 6 and not _allowed(forgery, UNREAD):
            missed.append(said)

    assert missed == []
    served.prove(served.head)


# --- forgeries that agree with themselves everywhere ----------------------------------------------


def test_a_run_rewritten_whole_is_seen_by_its_head_alone(
    embedded: Whole, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another answer, asked, answered, counted and sealed anew: no verifier can know."""
    new = rewrite(embedded.folder, 0, SAMPLE_RULES)

    embedded.prove(None)
    assert _second(embedded.folder) == 0
    assert embedded.head != new
    assert f"the head is {new}, not the expected {embedded.head}" in _raised(
        embedded, embedded.head
    )
    assert _second(embedded.folder, "--expect-head", embedded.head) == 6
    assert "not the expected one" in capsys.readouterr().out


def test_a_reply_forged_with_all_that_follows_is_seen_by_the_head_alone(served: Whole) -> None:
    """Nobody signs a reply: `no` made `yes`, from the raw bytes to the seal."""
    run = read(served.folder)
    place, public = next(run.facts("receipt", phase="answer", label="no"))
    reply, headers = (text(run.lines[place], name) for name in ("response", "headers"))
    size = len(reply.encode())
    put(run.lines[place], "response", reply.replace('"no"', '"yes"'))
    put(run.lines[place], "headers", headers.replace(f'"{size}"', f'"{size + 1}"'))
    put(run.lines[place], "reply_text", "yes")
    public |= {"label": "yes", "readings": dict.fromkeys(public["readings"], "yes")}
    recounted(run)
    write(run, served.folder)

    served.prove(None)
    assert _second(served.folder) == 0
    assert "not the expected" in _raised(served, served.head)
    assert _second(served.folder, "--expect-head", served.head) == 6


def _prior(run: Forged) -> None:
    run.inputs["items.jsonl"][0]["prior"] = "no"


def _claims(run: Forged) -> None:
    run.manifest["environment"]["python"] = "2.7"
    run.plan["sources"][0]["sha256"] = "0" * 64
    for line in run.lines:
        line["public"]["at"] = "1999-01-01T00:00:00.000Z"
        if line["public"]["kind"] == "receipt":
            line["public"]["elapsed_ms"] = 1


@pytest.mark.parametrize("edit", [_prior, _claims], ids=["prior", "claims"])
def test_what_is_only_claimed_is_seen_by_the_head_alone(
    embedded: Whole, edit: Callable[[Forged], None]
) -> None:
    """Prior labels, sources, versions and times are the run's own word."""
    run = read(embedded.folder)
    edit(run)
    write(run, embedded.folder)

    embedded.prove(None)
    assert "not the expected" in _raised(embedded, embedded.head)


def test_a_refused_attempt_left_out_and_counted_anew_is_another_run(served: Whole) -> None:
    """That a judge was asked twice before it answered is known from the ledger alone."""
    run = read(served.folder)
    _, public = next(run.facts("receipt", outcome="retry", phase="answer", attempt=1))
    cell = {name: public[name] for name in ("phase", "condition", "repetition", "row")}
    kinds = ("intent", "receipt")
    first, refused, *again = (
        next(place for place, _ in run.facts(kind, attempt=attempt, **cell))
        for attempt in (1, 2)
        for kind in kinds
    )
    asked, answered = (run.lines[place] for place in again)
    for line in (asked, answered):
        line["public"]["attempt"] = 1
    for place in sorted((first, refused, *again), reverse=True):
        del run.lines[place]
    run.lines[first:first] = [asked, answered]
    write(run, served.folder)

    served.prove(None)
    assert "not the expected" in _raised(served, served.head)


# --- holes that were found and closed -------------------------------------------------------------


def test_a_second_text_of_a_name_does_not_hide_behind_the_pin(embedded: Whole) -> None:
    """The pin holds one digest a name, and the route would take the first text of it."""
    run = read(embedded.folder)
    rubric = run.inputs["rubrics/correctness.v1.json"]
    rubric["templates"] = [*rubric["templates"], *rubric["templates"]]
    write(run, embedded.folder)

    assert "stands there twice" in _raised(embedded)
    assert _second(embedded.folder) == 6


def test_a_plan_of_more_questions_than_rows_takes_no_memory(embedded: Whole) -> None:
    """A number in run.json is no reason to reserve a petabyte."""
    run = read(embedded.folder)
    run.plan["questions"] = 2**53 - 1
    run.plan["gate"]["batch_size"] = 1
    write(run, embedded.folder)

    assert "questions cannot fill" in _raised(embedded)


def test_the_embedded_judge_has_no_status(embedded: Whole) -> None:
    """A string rule under HTTP 200 would look like a provider."""
    run = read(embedded.folder)
    next(run.facts("receipt"))[1]["status"] = 200
    write(run, embedded.folder)

    assert "under status 200" in _raised(embedded)


# --- public exports -------------------------------------------------------------------------------

TEXTLESS = (
    # Without the inputs nobody knows which template a row takes, or what a control expects …
    r"template sha: .*",
    r"rubric pin: .*",
    r"expect: .*",
    r"request: .*",
    # … nor, without the raw reply, what else it said.
    r"(usage|finish): .*",
    r"other fields: .*",
)


def test_forged_public_exports_are_caught(served: Whole, tmp_path: Path) -> None:
    """As far as a public part can show; the rest is listed, and the head is the run's own."""
    target = tmp_path / "public"
    assert export_public(served.folder, target).head == served.head
    room, missed = Room(target), []
    for forgery in field_forgeries(read(target)):
        run = read(target)
        forgery.edit(run)
        write(run, target)
        try:
            recount(target, public=True)
        except VerificationError:
            continue
        finally:
            room.restore()
        if not _allowed(forgery, TEXTLESS):
            missed.append(f"{forgery.family}: {forgery.name}")

    assert missed == []


# --- where nothing is installed -------------------------------------------------------------------

_BLOCKED = """
import runpy, sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"openai", "anthropic", "httpx2", "httpx", "tenacity"}:
            raise ImportError(name + " is not installed here")
sys.meta_path.insert(0, Blocker())
"""
_FIRST = _BLOCKED + "from judge.cli import main\nsys.exit(main(sys.argv[1:]))"
_SECOND = _BLOCKED + "runpy.run_path(sys.argv.pop(1), run_name='__main__')"


def _alone(code: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_both_verifiers_work_without_an_sdk(served: Whole) -> None:
    """An auditor needs neither openai nor anthropic, httpx2 nor tenacity."""
    first = _alone(_FIRST, "verify", str(served.folder), "--expect-head", served.head)
    second = _alone(_SECOND, str(SCRIPT), str(served.folder), "--expect-head", served.head)

    assert (first.returncode, first.stderr) == (0, "")
    assert served.head in first.stdout
    assert (second.returncode, second.stderr) == (0, "")
    assert served.head in second.stdout


def test_the_blocker_blocks() -> None:
    """Else the test above would show nothing."""
    found = _alone(_BLOCKED + "import tenacity")

    assert "tenacity is not installed here" in found.stderr


def test_the_command_exits_6_for_a_forged_run(
    served: Whole, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the line and one sentence, on stderr."""
    run = read(served.folder)
    place, public = next(run.facts("receipt", phase="answer", label="no"))
    public["label"] = "yes"
    write(run, served.folder)

    assert main(["verify", str(served.folder)]) == 6
    assert f"receipts.jsonl:{place + 1}: label" in capsys.readouterr().err


def test_a_copy_elsewhere_is_the_same_run(served: Whole, tmp_path: Path) -> None:
    """Nothing in a run names its place; the lock and quarantined tails mean nothing."""
    copy = tmp_path / "elsewhere"
    shutil.copytree(served.folder, copy)
    (copy / "lock").write_text("held by nobody")
    (copy / "quarantine").mkdir(exist_ok=True)
    (copy / "quarantine" / "tail").write_bytes(b"\x00")

    assert recount(copy).head == served.head
    assert _second(copy) == 0
