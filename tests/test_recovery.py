"""judge/recovery.py: a torn tail set aside, and nothing else."""

import errno
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from plans import PIN, intent, receipt
from smallfiles import AT, RUN_ID, written

from judge import judging
from judge.canonical import digest
from judge.config import AnswersConfig, JudgeConfig, Limits, ReferencesConfig, RunConfig
from judge.errors import StorageError, VerificationError
from judge.ledger import BATCH_BYTES, Ledger, entries, write_durable
from judge.questions import Rules
from judge.records import Fact, Recovered, Start, Stopped
from judge.recount import recount
from judge.recovery import recover
from judge.stretch import Settings

START = Start(plan_sha256=PIN)
EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a ledger may be."""
    return tmp_path / "receipts.jsonl"


# --- torn tails -----------------------------------------------------------------------------------


def test_a_ledger_that_is_not_there_cannot_be_mended(path: Path) -> None:
    """Nothing is made in its place."""
    with pytest.raises(VerificationError, match=r"receipts\.jsonl: No such file"):
        recover(path, RUN_ID, path.parent / "quarantine")
    assert list(path.parent.iterdir()) == []


def test_a_whole_ledger_needs_nothing(path: Path) -> None:
    """And no quarantine is made."""
    written(path, 1)

    assert recover(path, RUN_ID, path.parent / "quarantine") is None
    assert not (path.parent / "quarantine").exists()


def test_a_tail_torn_at_any_byte_is_set_aside(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every whole line stays; what is gone is kept, and its size and digest are said."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    ends = written(path, 1)
    whole = path.read_bytes()
    quarantine = path.parent / "quarantine"
    for end in range(ends[0], len(whole)):
        path.write_bytes(whole[:end])
        good = max(at for at in ends if at <= end)
        found = recover(path, RUN_ID, quarantine)

        assert path.read_bytes() == whole[:good]
        if good == end:
            assert found is None
            continue
        tail = whole[good:end]
        assert found == Recovered(discarded_bytes=len(tail), discarded_sha256=digest(tail))
        (kept,) = quarantine.iterdir()
        assert kept.read_bytes() == tail
        shutil.rmtree(quarantine)


@pytest.mark.parametrize("spoil", [b"\0", b"\n", b"x"])
def test_a_tail_of_other_bytes_is_set_aside(path: Path, spoil: bytes) -> None:
    """What a power loss leaves in place of the last write may be anything."""
    ends = written(path, 1, 1)
    whole = path.read_bytes()
    path.write_bytes(whole[: ends[1]] + spoil * (ends[2] - ends[1]))

    assert recover(path, RUN_ID, path.parent / "quarantine") is not None
    assert path.read_bytes() == whole[: ends[1]]


def test_a_long_line_is_torn_as_well(path: Path) -> None:
    """One line is one write, however long."""
    ends = written(path, 1, 3 * BATCH_BYTES)
    path.write_bytes(path.read_bytes()[:-1])
    found = recover(path, RUN_ID, path.parent / "quarantine")

    assert found is not None
    assert found.discarded_bytes == ends[2] - ends[1] - 1
    assert len(list(entries(path, RUN_ID))) == 2


def test_damage_before_the_last_write_is_refused(path: Path) -> None:
    """Whatever lies there was acknowledged; nothing is touched."""
    ends = written(path, 1, BATCH_BYTES - 5000, BATCH_BYTES - 5000)
    spoilt = bytearray(path.read_bytes())
    spoilt[ends[1] + 40] ^= 1
    path.write_bytes(spoilt)

    with pytest.raises(VerificationError, match=r"receipts\.jsonl:3: damaged \d+ bytes before"):
        recover(path, RUN_ID, path.parent / "quarantine")
    assert path.read_bytes() == spoilt
    assert not (path.parent / "quarantine").exists()


@pytest.mark.parametrize("end", [0, 10])
def test_a_run_without_its_first_line_is_refused(path: Path, end: int) -> None:
    """It has that line before its name; an empty file needs no mending and proves nothing."""
    written(path)
    path.write_bytes(path.read_bytes()[:end])

    if end:
        with pytest.raises(VerificationError, match="no torn write explains"):
            recover(path, RUN_ID, path.parent / "quarantine")
    else:
        assert recover(path, RUN_ID, path.parent / "quarantine") is None


def test_a_tail_with_an_answered_question_is_refused(path: Path) -> None:
    """The question was durable before its answer could be written: no torn write has both."""
    book = Ledger(path, RUN_ID, 0, lambda: AT)
    rows: list[tuple[Fact, dict[str, bytes]]] = [
        (START, {}),
        (Stopped(cause="quota"), {}),
        (intent(), {"request": b"{}"}),
        (receipt(intent_seq=2), {"item": b"{}", "headers": b"[]", "response": b""}),
    ]
    for fact, private in rows:
        book.post(fact, private)
        book.commit_now()
    book.close()
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"quota"', b'"quote"'))

    with pytest.raises(VerificationError, match=r"receipts\.jsonl:2: damaged"):
        recover(path, RUN_ID, path.parent / "quarantine")


def test_a_tail_that_was_set_aside_unsaid_is_said_later(path: Path) -> None:
    """A process may end between setting it aside and writing so."""
    written(path, 1)
    path.write_bytes(path.read_bytes()[:-1])
    quarantine = path.parent / "quarantine"
    first = recover(path, RUN_ID, quarantine)
    again = recover(path, RUN_ID, quarantine)
    assert first is not None
    assert again == first

    book = Ledger(path, list(entries(path, RUN_ID))[-1].link, 1, lambda: AT)
    book.post(first)
    book.commit_now()
    book.close()

    assert recover(path, RUN_ID, quarantine) is None


def test_half_a_tail_in_the_quarantine_is_not_said(path: Path) -> None:
    """Its name is that of the whole; it was not yet taken from the ledger."""
    written(path)
    quarantine = path.parent / "quarantine"
    quarantine.mkdir()
    (quarantine / f"9-{digest(b'whole')[:16]}.partial").write_bytes(b"who")
    (quarantine / f"9-{digest(b'whole')[:16]}").write_bytes(b"who")

    assert recover(path, RUN_ID, quarantine) is None


def _fail(*_: object) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def test_a_tail_that_cannot_be_kept_is_not_cut_off(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ledger stays as it is."""
    written(path, 1)
    torn = path.read_bytes()[:-1]
    path.write_bytes(torn)
    quarantine = path.parent / "quarantine"
    quarantine.write_bytes(b"")
    with pytest.raises(StorageError, match="quarantine: File exists"):
        recover(path, RUN_ID, quarantine)
    quarantine.unlink()
    monkeypatch.setattr(os, "ftruncate", _fail)
    with pytest.raises(StorageError, match="Input/output error"):
        recover(path, RUN_ID, quarantine)

    assert path.read_bytes() == torn


# --- a real run, torn -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the embedded judge on four of our examples."""
    folder = tmp_path_factory.mktemp("real") / "run"
    config = RunConfig(
        answers=(AnswersConfig(file=str(EXAMPLES / "pass-1.jsonl")),),
        references=ReferencesConfig(file=str(EXAMPLES / "references.json")),
        judges=(JudgeConfig(provider="lexical"),),
        positive=5,
        negative=5,
        only=("type=multi-session",),
        limit=4,
    )
    judging.run(config, folder)
    return folder


def test_a_run_cut_between_its_gate_lines_ends_as_both_verifiers_say(tmp_path: Path) -> None:
    """A group had failed: a recheck asks nothing again, the others are decided, it is sealed."""
    config = RunConfig(
        answers=(AnswersConfig(file=str(EXAMPLES / "pass-1.jsonl")),),
        references=ReferencesConfig(file=str(EXAMPLES / "references.json")),
        judges=(JudgeConfig(provider="lexical"),),
        positive=5,
        negative=5,
        limit=4,
    )
    never: Rules = {"lexical/1": lambda _: "no"}
    run = tmp_path / "run"
    judging.run(config, run, rules=never)
    lines = (run / "receipts.jsonl").read_bytes().splitlines(keepends=True)
    # The seal and the gate line of the second arm are gone.
    (run / "receipts.jsonl").write_bytes(b"".join(lines[:-2]))
    (run / "seal.txt").unlink()

    outcome = judging.resume(
        run, lambda config: (config, Settings(limits=config.limits, recheck=True)), rules=never
    )
    script = subprocess.run(
        [sys.executable, str(EXAMPLES.parent / "receipts" / "verify.py"), str(run)],
        capture_output=True,
        check=False,
    )

    assert (outcome.exit_code, outcome.proof.state) == (3, "gate-failed")
    assert outcome.proof.lines == len(lines) + 1
    assert script.returncode == 0, script.stdout


def _torn(real: Path, folder: Path, end: int) -> Path:
    """Copy a run as it was before its seal, its ledger cut at this byte."""
    shutil.copytree(real, folder)
    (folder / "seal.txt").unlink()
    file = folder / "receipts.jsonl"
    file.write_bytes(file.read_bytes()[:end])
    return folder


def _ends(real: Path) -> list[int]:
    """Where to cut: about every line's end, and by chance."""
    whole = (real / "receipts.jsonl").read_bytes()
    ends = [at + 1 for at, byte in enumerate(whole) if byte == 10]
    chance = random.Random(0)
    near = [at + by for at in ends[1:-1:2] for by in (-1, 0, 1)]
    return [*near, *(chance.randrange(ends[0] + 1, len(whole)) for _ in range(12))]


def test_a_run_torn_anywhere_is_recounted_after_recovery(real: Path, tmp_path: Path) -> None:
    """Open, with whole lines only."""
    for number, end in enumerate(_ends(real)):
        folder = _torn(real, tmp_path / str(number), end)
        file = folder / "receipts.jsonl"
        recover(file, recount_id(folder), folder / "quarantine")
        proof = recount(folder)

        assert proof.state == "open"
        assert proof.lines == (real / "receipts.jsonl").read_bytes()[:end].count(b"\n")


def recount_id(folder: Path) -> str:
    """Return the id of a run: the digest of its run.json."""
    return digest((folder / "run.json").read_bytes())


def test_a_run_torn_anywhere_is_gone_on_with_to_the_same_verdicts(
    real: Path, tmp_path: Path
) -> None:
    """Only what was in flight is asked again, and marked."""
    verdicts = {key: group.labels for key, group in recount(real).tally.groups.items()}
    for number, end in enumerate(_ends(real)[::7]):
        folder = _torn(real, tmp_path / str(number), end)
        limits = Limits(resend_unknown=1)
        outcome = judging.resume(
            folder,
            lambda config: (config, Settings(limits=limits)),  # noqa: B023
        )

        assert outcome.exit_code == 0
        found = {key: group.labels for key, group in outcome.proof.tally.groups.items()}
        assert found == verdicts


def test_a_quarantine_that_is_a_link_is_not_followed(path: Path, tmp_path: Path) -> None:
    """What was torn stays where it is, and nothing is written elsewhere."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "quarantine").symlink_to(tmp_path / "elsewhere")
    written(path)
    data = path.read_bytes()
    path.write_bytes(data + b'{"torn')
    with pytest.raises(StorageError, match="a link"):
        recover(path, RUN_ID, tmp_path / "quarantine")

    assert path.read_bytes() == data + b'{"torn'
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_folder_in_the_place_of_a_file_is_named(tmp_path: Path) -> None:
    """Where a file is about to be written, and where a seal should stand."""
    (tmp_path / "seal.txt.partial").mkdir()
    with pytest.raises(StorageError, match="in the way"):
        write_durable(tmp_path / "seal.txt", b"x")
    shutil.copytree(Path(__file__).parents[1] / "receipts" / "sample", tmp_path / "run")
    (tmp_path / "run" / "seal.txt").unlink()
    (tmp_path / "run" / "seal.txt").mkdir()
    with pytest.raises(VerificationError, match=r"seal\.txt: not a plain file"):
        recount(tmp_path / "run")
