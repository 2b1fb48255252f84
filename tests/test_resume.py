"""Going on with a run: from every place where it can have been cut, and when it is refused."""

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from faultserver import JudgeServer
from openruns import ANSWERS, CONTROLS, NO_KEY, configured, ran
from promises import broken, digests, lines
from stretches import FILES, ended, labelled, on_server, resumed, started, until

from judge.cli import main
from judge.config import JudgeConfig
from judge.errors import InputError, VerificationError
from judge.recount import recount

LINES = 42
"""Start and seal; for two batches: four controls, four gates and four answers, each line."""


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of two batches and two repetitions; tests copy it."""
    folder = tmp_path_factory.mktemp("sealed") / "run"
    assert ran(folder, batch_size=2, repetitions=2).exit_code == 0
    assert len(lines(folder)) == LINES
    return folder


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    """A sound judge."""
    with JudgeServer(labelled) as found:
        yield found


Cut = Callable[[int, float], Path]


@pytest.fixture
def cut(sealed: Path, tmp_path: Path) -> Cut:
    """Return a copy of the run, unsealed: so many whole lines, and a share of the next."""

    def make(whole: int, share: float = 0.0) -> Path:
        folder = tmp_path / "run"
        shutil.copytree(sealed, folder)
        (folder / "seal.txt").unlink()
        ledger = folder / "receipts.jsonl"
        rows = ledger.read_bytes().splitlines(keepends=True)
        torn = rows[whole][: int(len(rows[whole]) * share)] if share else b""
        ledger.write_bytes(b"".join(rows[:whole]) + torn)
        return folder

    return make


def _labels(folder: Path) -> dict[tuple[object, ...], object]:
    names = ("phase", "batch", "condition", "repetition", "row")
    return {
        tuple(line.public[name] for name in names): line.public["label"]
        for line in lines(folder)
        if line.kind == "receipt" and line.public["final"]
    }


# --- cut anywhere ---------------------------------------------------------------------------------


@pytest.mark.parametrize("whole", range(1, LINES + 1))
def test_a_run_that_ends_after_any_line_goes_on_to_its_seal(
    sealed: Path, cut: Cut, whole: int
) -> None:
    """Whatever line was the last, the run completes with the verdicts of an unharmed one."""
    folder = cut(whole, 0.0)
    before = lines(folder)
    lost = Counter(line.kind for line in before)["intent"]
    lost -= Counter(line.kind for line in before)["receipt"]

    outcome = resumed(folder, resend_unknown=1)
    assert (outcome.exit_code, outcome.proof.state) == (0, "complete")
    assert outcome.proof.tally.resent == lost
    assert _labels(folder) == _labels(sealed)
    assert lines(folder)[:whole] == before
    assert broken(lines(folder), Counter()) == []


@pytest.mark.parametrize("whole", range(1, LINES))
def test_a_run_that_ends_inside_any_line_goes_on_to_its_seal(
    sealed: Path, cut: Cut, whole: int
) -> None:
    """The torn line is set aside, the ledger says so, and the run completes."""
    folder = cut(whole, (1 + whole % 7) / 8)
    torn = (folder / "receipts.jsonl").read_bytes().rpartition(b"\n")[2]

    outcome = resumed(folder, resend_unknown=1)
    assert (outcome.exit_code, outcome.proof.state) == (0, "complete")
    said = lines(folder)[whole].public
    assert (said["kind"], said["discarded_bytes"]) == ("recovered", len(torn))
    assert said["discarded_sha256"] == sha256(torn).hexdigest()
    assert [path.read_bytes() for path in (folder / "quarantine").iterdir()] == [torn]
    assert _labels(folder) == _labels(sealed)
    assert broken(lines(folder), Counter()) == []


def test_a_run_killed_before_its_seal_file_needs_nothing_but_that(cut: Cut) -> None:
    """The ledger already says all: no line is added."""
    folder = cut(LINES, 0.0)
    assert resumed(folder).exit_code == 0
    assert len(lines(folder)) == LINES
    assert recount(folder).state == "complete"


def test_a_torn_tail_is_receipted_even_when_the_first_resume_fails(
    server: JudgeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A resume that ends between setting a tail aside and saying so leaves it to the next one."""
    judge = configured(server).judges[0].model_copy(update={"key_env": "SOME_KEY"})
    monkeypatch.setenv("SOME_KEY", "sk-not-a-real-key")
    server.faults = {CONTROLS + 2: [NO_KEY]}
    assert ran(tmp_path / "run", server, judges=(judge,)).exit_code == 5
    ledger = tmp_path / "run" / "receipts.jsonl"
    ledger.write_bytes(ledger.read_bytes() + b'{"public":')

    monkeypatch.delenv("SOME_KEY")
    with pytest.raises(InputError):
        resumed(tmp_path / "run")
    monkeypatch.setenv("SOME_KEY", "sk-not-a-real-key")
    assert resumed(tmp_path / "run").exit_code == 0
    said = [line.public for line in lines(tmp_path / "run") if line.kind == "recovered"]
    assert [fact["discarded_bytes"] for fact in said] == [len(b'{"public":')]


# --- refused --------------------------------------------------------------------------------------


def test_a_sealed_run_is_refused(
    sealed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is nothing to go on with, and nothing is written."""
    shutil.copytree(sealed, tmp_path / "run")
    before = (tmp_path / "run" / "receipts.jsonl").read_bytes()
    assert main(["resume", str(tmp_path / "run")]) == 2
    assert "is sealed (complete)" in capsys.readouterr().err
    assert (tmp_path / "run" / "receipts.jsonl").read_bytes() == before


def test_a_missing_key_is_refused_before_anything_is_written(
    server: JudgeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentence names the variable; the ledger and the server see nothing."""
    judge = configured(server).judges[0].model_copy(update={"key_env": "SOME_KEY"})
    monkeypatch.setenv("SOME_KEY", "sk-not-a-real-key")
    server.faults = {CONTROLS + 2: [NO_KEY]}
    ran(tmp_path / "run", server, judges=(judge,))
    before, asked = (tmp_path / "run" / "receipts.jsonl").read_bytes(), len(server.requests)
    monkeypatch.delenv("SOME_KEY")
    with pytest.raises(InputError, match="SOME_KEY"):
        resumed(tmp_path / "run")
    assert (tmp_path / "run" / "receipts.jsonl").read_bytes() == before
    assert len(server.requests) == asked


@pytest.mark.parametrize("line", [0, 1, LINES // 2])
def test_a_damaged_line_is_refused_where_no_torn_write_explains_it(cut: Cut, line: int) -> None:
    """A byte changed before the last answer is damage: nothing is set aside or asked again."""
    folder = cut(LINES - 1, 0.0)
    ledger = folder / "receipts.jsonl"
    rows = ledger.read_bytes().splitlines(keepends=True)
    rows[line] = rows[line].replace(b'"v":1', b'"v":2')
    ledger.write_bytes(b"".join(rows))
    before = ledger.read_bytes()
    with pytest.raises(VerificationError, match="refused as it is"):
        resumed(folder, resend_unknown=1)
    assert ledger.read_bytes() == before
    assert not (folder / "quarantine").exists()


@pytest.mark.parametrize("data", [None, b""], ids=["absent", "empty"])
def test_a_run_without_a_ledger_is_refused(cut: Cut, data: bytes | None) -> None:
    """A run has its first line before it has its name, so this is no crash of ours."""
    folder = cut(1, 0.0)
    (folder / "receipts.jsonl").unlink()
    if data is not None:
        (folder / "receipts.jsonl").write_bytes(data)
    with pytest.raises(VerificationError, match=r"receipts\.jsonl"):
        resumed(folder)


def test_a_changed_input_is_refused(cut: Cut, capsys: pytest.CaptureFixture[str]) -> None:
    """The frozen copy is what was planned; another one is exit 6."""
    folder = cut(LINES // 2, 0.0)
    items = folder / "inputs" / "items.jsonl"
    items.write_bytes(items.read_bytes().replace(b"a", b"b", 1))
    assert main(["resume", str(folder)]) == 6
    assert "items.jsonl: changed since the run was frozen" in capsys.readouterr().err


# --- where it is asked ----------------------------------------------------------------------------


def test_a_run_goes_on_at_another_port(server: JudgeServer, tmp_path: Path) -> None:
    """An address of one's own is a connection, and connections may change."""
    server.faults = {CONTROLS + 2: [NO_KEY]}
    assert ran(tmp_path / "run", server).exit_code == 5
    with JudgeServer(labelled) as other:
        # The other server counts its replies from one too: ids must not come twice in a run.
        other._ids = server._ids
        words = ["resume", str(tmp_path / "run"), "--base-url", other.base_url("openai")]
        assert main(words) == 0
        assert len(other.requests) == ANSWERS - 1
        seen = digests([*server.bodies, *other.bodies])
    assert broken(lines(tmp_path / "run"), seen) == []


def test_another_address_is_refused_for_a_run_at_the_providers_own(
    server: JudgeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What replies prove depends on whose address they came from."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-real-key")
    model = configured(server).judges[0].model
    judge = JudgeConfig(provider="openai", model=model)
    assert ran(tmp_path / "run", server, judges=(judge,)).exit_code == 5
    before = (tmp_path / "run" / "receipts.jsonl").read_bytes()
    with pytest.raises(InputError, match="the plan asks it at the provider's own address"):
        resumed(tmp_path / "run", {"base_url": server.base_url("openai")})
    assert (tmp_path / "run" / "receipts.jsonl").read_bytes() == before
    assert server.requests == []


def test_the_providers_own_address_is_refused_for_a_run_elsewhere(
    server: JudgeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other way round is another run as well."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-real-key")
    server.faults = {CONTROLS + 2: [NO_KEY]}
    ran(tmp_path / "run", server)
    with pytest.raises(InputError, match="the plan asks it at a base URL"):
        resumed(tmp_path / "run", {"base_url": None, "key_env": None})


def test_another_model_is_refused(server: JudgeServer, tmp_path: Path) -> None:
    """Only address, key and limits may differ."""
    server.faults = {CONTROLS + 2: [NO_KEY]}
    ran(tmp_path / "run", server)
    with pytest.raises(InputError, match="the judges are not those of the plan"):
        resumed(tmp_path / "run", {"model": "gpt-4o-mini-2024-07-18"})


# --- two writers ----------------------------------------------------------------------------------


def test_a_run_that_another_process_writes_is_refused(server: JudgeServer, tmp_path: Path) -> None:
    """The lock is held by a live process, and given back by the kernel when it is killed."""
    server.faults = {number: [] for number in range(30, 40)}
    words = on_server(server.base_url("openai"), 1)
    writer = started("run", *FILES, *words, "--out", str(tmp_path / "run"))
    try:
        until(lambda: len(server.requests) >= 30 or writer.poll() is not None)
        second = ended(started("resume", str(tmp_path / "run")))
        assert (second.code, "another process is writing this run" in second.err) == (7, True)
        assert main(["run", *FILES, *words, "--out", str(tmp_path / "run")]) == 2
    finally:
        writer.kill()
        writer.communicate()
    assert len(server.requests) == 30
    server.faults = {}
    assert resumed(tmp_path / "run", max_connections=8, resend_unknown=1).exit_code == 0


def test_two_runs_that_want_one_folder_never_share_it(tmp_path: Path) -> None:
    """One gets it; the other ends with a refusal, and nothing of either is mixed."""
    words = ("run", *FILES, "--judge", "lexical", "--out", str(tmp_path / "run"))
    both = [started(*words), started(*words)]
    codes = sorted(ended(process).code for process in both)
    assert codes in ([0, 2], [0, 7])
    assert recount(tmp_path / "run").state == "complete"
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
