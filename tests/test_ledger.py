"""judge/ledger.py: receipts appended, chained, made durable, sealed, and read back."""

import asyncio
import errno
import fcntl
import itertools
import os
import random
import shutil
import stat
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from plans import PIN, intent, receipt

from judge import judging, ledger
from judge.canonical import digest
from judge.chain import Entry
from judge.config import AnswersConfig, JudgeConfig, Limits, ReferencesConfig, RunConfig
from judge.errors import StorageError, VerificationError
from judge.ledger import BATCH_BYTES, Ledger, Lock, entries, write_durable, write_seal
from judge.records import Fact, Recovered, Start, Stopped
from judge.recount import recount
from judge.recovery import recover
from judge.stretch import Settings

RUN_ID = digest(b"run")
AT = "2026-11-30T10:00:00.000Z"
START = Start(plan_sha256=PIN)
EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a ledger may be."""
    return tmp_path / "receipts.jsonl"


@pytest.fixture
def opened(path: Path) -> Iterator[Ledger]:
    """Open an empty ledger."""
    found = Ledger(path, RUN_ID, 0, lambda: AT)
    yield found
    found.close()


def _read(path: Path) -> list[Entry]:
    return list(entries(path, RUN_ID))


def _written(path: Path, *sizes: int) -> list[int]:
    """Write a start line and an intent for each size of request; return where lines end."""
    book = Ledger(path, RUN_ID, 0, lambda: AT)
    ends = []
    book.post(START)
    book.commit_now()
    ends.append(path.stat().st_size)
    for row, size in enumerate(sizes):
        book.post(intent(row=row), {"request": b"x" * size})
        book.commit_now()
        ends.append(path.stat().st_size)
    book.close()
    return ends


def _failing(error: int) -> Callable[..., None]:
    def fail(*_: object) -> None:
        raise OSError(error, os.strerror(error))

    return fail


# --- appended -------------------------------------------------------------------------------------


def test_what_is_posted_is_written_by_a_commit(path: Path, opened: Ledger) -> None:
    """Not before; and numbered from 0."""
    numbers = [opened.post(START), opened.post(intent(), {"request": b"{}"})]
    before = path.read_bytes()
    opened.commit_now()
    found = _read(path)

    assert (numbers, before) == ([0, 1], b"")
    assert [entry.fact for entry in found] == [START, intent()]
    assert found[1].private == {"request": b"{}"}
    assert opened.head == found[1].link
    assert opened.next_seq == 2


def test_a_ledger_is_gone_on_with(path: Path) -> None:
    """From its last line's link."""
    _written(path, 2)
    last = _read(path)[-1]
    again = Ledger(path, last.link, 2, lambda: AT)
    again.post(Stopped(cause="quota"))
    again.commit_now()
    again.close()

    assert [entry.fact.kind for entry in _read(path)] == ["start", "intent", "stopped"]


def test_a_ledger_is_its_owners_alone(path: Path, opened: Ledger) -> None:
    """Nobody else may read the answers in it."""
    assert opened.next_seq == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_equal_texts_get_unequal_salts(path: Path, opened: Ledger) -> None:
    """From line to line."""
    for row in (0, 1):
        opened.post(intent(row=row), {"request": b"{}"})
    opened.commit_now()

    assert len({entry.header.commit["request"] for entry in _read(path)}) == 2


def test_waiting_workers_share_one_sync(
    path: Path, opened: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And each returns once its own line is on the disk."""
    synced: list[int] = []
    monkeypatch.setattr(os, "fdatasync", lambda fd: synced.append(os.fstat(fd).st_size))

    async def worker(row: int) -> bool:
        seq = opened.post(intent(row=row), {"request": b"{}"})
        await opened.commit()
        return path.read_bytes().count(b"\n") > seq  # noqa: ASYNC240 - a test's own look

    async def all_of_them() -> list[bool]:
        return await asyncio.gather(*(worker(row) for row in range(50)))

    assert asyncio.run(all_of_them()) == [True] * 50
    assert synced == [path.stat().st_size]
    facts = [entry.fact for entry in _read(path)]
    assert [fact.row for fact in facts if fact.kind == "intent"] == list(range(50))


def test_a_second_round_is_a_second_sync(opened: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit that comes later does not ride on one that is done."""
    synced: list[int] = []
    monkeypatch.setattr(os, "fdatasync", synced.append)

    async def rounds() -> None:
        for row in range(3):
            opened.post(intent(row=row), {"request": b"{}"})
            await opened.commit()

    asyncio.run(rounds())

    assert len(synced) == 3


def test_a_worker_that_gave_up_harms_no_other(path: Path, opened: Ledger) -> None:
    """Its line is written all the same."""

    async def both() -> None:
        opened.post(START)
        first = asyncio.ensure_future(opened.commit())
        second = asyncio.ensure_future(opened.commit())
        await asyncio.sleep(0)
        first.cancel()
        await second

    asyncio.run(both())

    assert len(_read(path)) == 1


def test_what_was_not_committed_is_not_written(path: Path) -> None:
    """Closing promises nothing."""
    book = Ledger(path, RUN_ID, 0, lambda: AT)
    book.post(START)
    book.close()

    assert path.read_bytes() == b""


def test_short_writes_are_gone_on_with(
    path: Path, opened: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line is never left half written by a kernel that took half of it."""
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, bytes(data[:7])))
    opened.post(START)
    opened.commit_now()

    assert [entry.fact for entry in _read(path)] == [START]


# --- batches --------------------------------------------------------------------------------------


def test_a_batch_is_at_most_what_a_torn_write_may_take(
    path: Path, opened: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """256 kB, or one line that is longer alone."""
    ends = [0]
    monkeypatch.setattr(os, "fdatasync", lambda fd: ends.append(os.fstat(fd).st_size))
    chance = random.Random(0)
    for row in range(60):
        size = chance.choice((10, 5_000, 90_000, 250_000, 300_000))
        opened.post(intent(row=row), {"request": b"x" * size})
    opened.commit_now()
    lines = path.read_bytes().splitlines(keepends=True)
    line_ends = {sum(map(len, lines[:n])) for n in range(len(lines) + 1)}
    batches = list(itertools.pairwise(ends))

    assert set(ends) <= line_ends
    assert ends[-1] == path.stat().st_size
    for start, end in batches:
        inner = [at for at in line_ends if start < at < end]
        assert end - start <= BATCH_BYTES or not inner
    # And no smaller than need be: the next line would not have fitted.
    for (start, end), (_, after) in itertools.pairwise(batches):
        following = min(at for at in line_ends if end < at <= after)
        assert following - start > BATCH_BYTES


# --- the disk fails -------------------------------------------------------------------------------


def _poisoned(book: Ledger) -> None:
    """Every way in refuses."""
    with pytest.raises(StorageError):
        book.post(START)
    with pytest.raises(StorageError):
        book.commit_now()
    with pytest.raises(StorageError):
        asyncio.run(book.commit())


def test_a_failed_sync_poisons_the_ledger(
    path: Path, opened: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is synced a second time: the second may succeed after the data was dropped."""
    calls: list[int] = []

    def fail(fd: int) -> None:
        calls.append(fd)
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fdatasync", fail)
    opened.post(START)
    with pytest.raises(StorageError, match="Input/output error; nothing more is written") as first:
        opened.commit_now()
    size = path.stat().st_size
    monkeypatch.setattr(os, "fdatasync", calls.append)
    _poisoned(opened)

    assert first.value.exit_code == 7
    assert len(calls) == 1
    assert path.stat().st_size == size


def test_all_who_wait_are_told_of_a_failed_sync(
    opened: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is told that anything was written."""
    monkeypatch.setattr(os, "fdatasync", _failing(errno.EIO))

    async def worker(row: int) -> None:
        opened.post(intent(row=row), {"request": b"{}"})
        await opened.commit()

    async def all_of_them() -> list[BaseException | None]:
        gave_up = asyncio.ensure_future(worker(9))
        others = asyncio.gather(*(worker(row) for row in range(5)), return_exceptions=True)
        await asyncio.sleep(0)
        gave_up.cancel()
        return await others

    found = asyncio.run(all_of_them())

    assert [type(error) for error in found] == [StorageError] * 5
    _poisoned(opened)


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EFBIG, errno.EDQUOT])
def test_a_full_disk_poisons_the_ledger(
    path: Path, opened: Ledger, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    """Half a line may be there; a resume sets it aside."""
    opened.post(START)
    opened.commit_now()
    write, left = os.write, [100]

    def take(fd: int, data: memoryview) -> int:
        if not left[0]:
            raise OSError(error, os.strerror(error))
        left[0] -= (took := write(fd, data[: left[0]]))
        return took

    monkeypatch.setattr(os, "write", take)
    opened.post(intent(), {"request": b"{}"})
    with pytest.raises(StorageError, match=os.strerror(error)):
        opened.commit_now()
    _poisoned(opened)
    monkeypatch.undo()

    found = recover(path, RUN_ID, path.parent / "quarantine")
    assert found is not None
    assert found.discarded_bytes == 100
    assert [entry.fact for entry in _read(path)] == [START]


def test_a_limit_of_the_kernels_poisons_the_ledger(path: Path) -> None:
    """For real: a process that may write no more than 1,500 bytes to a file."""
    code = """
        import resource, sys
        from pathlib import Path
        from judge.errors import StorageError
        from judge.ledger import Ledger
        from judge.records import Start

        resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))
        book = Ledger(Path(sys.argv[1]), "0" * 64, 0, lambda: "2026-11-30T10:00:00.000Z")
        for _ in range(9):
            book.post(Start(plan_sha256="0" * 64))
        try:
            book.commit_now()
        except StorageError as error:
            print(error)
        try:
            book.post(Start(plan_sha256="0" * 64))
        except StorageError as error:
            sys.exit(error.exit_code)
    """
    # Coverage would write its own file under the same limit.
    plain = {name: value for name, value in os.environ.items() if "COVERAGE" not in name}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), path],
        capture_output=True,
        check=False,
        env=plain,
    )

    assert done.returncode == 7
    assert b"File too large; nothing more is written" in done.stdout
    assert path.stat().st_size == 1500
    assert recover(path, "0" * 64, path.parent / "quarantine") is not None
    assert 0 < len(list(entries(path, "0" * 64))) < 9


# --- whose file it is -----------------------------------------------------------------------------


def test_a_link_is_no_ledger(path: Path, tmp_path: Path) -> None:
    """Neither a soft nor a hard one: it would write somewhere else."""
    target = tmp_path / "elsewhere"
    target.write_bytes(b"")
    path.symlink_to(target)
    with pytest.raises(StorageError, match=r"receipts\.jsonl: "):
        Ledger(path, RUN_ID, 0, lambda: AT)
    path.unlink()
    path.hardlink_to(target)
    with pytest.raises(StorageError, match="not a plain file of this user with one name"):
        Ledger(path, RUN_ID, 0, lambda: AT)

    assert target.read_bytes() == b""


def test_what_is_no_file_is_no_ledger(path: Path) -> None:
    """A folder, a device."""
    path.mkdir()
    with pytest.raises(StorageError, match="Is a directory"):
        Ledger(path, RUN_ID, 0, lambda: AT)
    with pytest.raises(StorageError, match="not a plain file"):
        Ledger(Path("/dev/null"), RUN_ID, 0, lambda: AT)


def test_another_users_file_is_no_ledger(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They could read it, or change it."""
    path.write_bytes(b"")
    monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)

    with pytest.raises(StorageError, match="of this user"):
        Ledger(path, RUN_ID, 0, lambda: AT)


# --- the lock -------------------------------------------------------------------------------------

HOLDER = """
    import sys, time
    from pathlib import Path
    from judge.ledger import Lock
    with Lock(Path(sys.argv[1])):
        print("held", flush=True)
        time.sleep(60)
"""


def test_a_run_that_another_process_writes_is_refused(tmp_path: Path) -> None:
    """Exit code 7; when that process is killed, the kernel gives the lock back."""
    command = [sys.executable, "-c", textwrap.dedent(HOLDER), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(StorageError, match="another process is writing this run") as caught:
            Lock(tmp_path).__enter__()
        holder.kill()
        holder.wait()

    assert caught.value.exit_code == 7
    assert tmp_path.name in str(caught.value)
    with Lock(tmp_path) as lock:
        lock.check()


def test_a_lock_is_taken_once(tmp_path: Path) -> None:
    """Within one process too; and given back at the end."""
    with Lock(tmp_path), pytest.raises(StorageError, match="another process"):
        Lock(tmp_path).__enter__()
    with Lock(tmp_path):
        pass


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda file: file.unlink(), "the lock file is gone; stop all writers"),
        (lambda file: (file.unlink(), file.touch()), "the lock file was replaced; stop all"),
    ],
    ids=["gone", "replaced"],
)
def test_a_lock_file_that_changed_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None], what: str
) -> None:
    """While it is held, and between opening and locking: two could hold it."""
    with Lock(tmp_path) as lock:
        change(tmp_path / "lock")
        with pytest.raises(StorageError, match=what):
            lock.check()
    flock = fcntl.flock

    locked: list[int] = []

    def late(fd: int, how: int) -> None:
        flock(fd, how)
        locked.append(fd)
        change(tmp_path / "lock")

    monkeypatch.setattr(fcntl, "flock", late)
    with pytest.raises(StorageError, match=what):
        Lock(tmp_path).__enter__()

    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(locked[0])  # a refused lock is not held until the process ends


def test_a_file_system_without_locks_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentence is the system's."""
    monkeypatch.setattr(fcntl, "flock", _failing(errno.ENOLCK))

    with pytest.raises(StorageError, match=os.strerror(errno.ENOLCK)):
        Lock(tmp_path).__enter__()


# --- read back ------------------------------------------------------------------------------------


def test_a_line_that_does_not_follow_is_named(path: Path) -> None:
    """File and line, from 1."""
    _written(path, 1, 1)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[2])

    with pytest.raises(VerificationError, match=r"receipts\.jsonl:2: seq is 2 where 1 comes next"):
        _read(path)


def test_a_torn_line_is_named(path: Path) -> None:
    """With what sets it aside."""
    _written(path, 1)
    path.write_bytes(path.read_bytes()[:-1])

    with pytest.raises(
        VerificationError, match=r"receipts\.jsonl:2: the last line is torn; `judge"
    ):
        _read(path)


def test_a_ledger_that_is_not_there_proves_nothing(path: Path) -> None:
    """To read, and to recover."""
    with pytest.raises(VerificationError, match=r"receipts\.jsonl: No such file"):
        _read(path)
    with pytest.raises(VerificationError, match=r"receipts\.jsonl: No such file"):
        recover(path, RUN_ID, path.parent / "quarantine")


# --- torn tails -----------------------------------------------------------------------------------


def test_a_whole_ledger_needs_nothing(path: Path) -> None:
    """And no quarantine is made."""
    _written(path, 1)

    assert recover(path, RUN_ID, path.parent / "quarantine") is None
    assert not (path.parent / "quarantine").exists()


def test_a_tail_torn_at_any_byte_is_set_aside(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every whole line stays; what is gone is kept, and its size and digest are said."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    ends = _written(path, 1)
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
    ends = _written(path, 1, 1)
    whole = path.read_bytes()
    path.write_bytes(whole[: ends[1]] + spoil * (ends[2] - ends[1]))

    assert recover(path, RUN_ID, path.parent / "quarantine") is not None
    assert path.read_bytes() == whole[: ends[1]]


def test_a_long_line_is_torn_as_well(path: Path) -> None:
    """One line is one write, however long."""
    ends = _written(path, 1, 3 * BATCH_BYTES)
    path.write_bytes(path.read_bytes()[:-1])
    found = recover(path, RUN_ID, path.parent / "quarantine")

    assert found is not None
    assert found.discarded_bytes == ends[2] - ends[1] - 1
    assert len(_read(path)) == 2


def test_damage_before_the_last_write_is_refused(path: Path) -> None:
    """Whatever lies there was acknowledged; nothing is touched."""
    ends = _written(path, 1, BATCH_BYTES - 5000, BATCH_BYTES - 5000)
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
    _written(path)
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
    _written(path, 1)
    path.write_bytes(path.read_bytes()[:-1])
    quarantine = path.parent / "quarantine"
    first = recover(path, RUN_ID, quarantine)
    again = recover(path, RUN_ID, quarantine)
    assert first is not None
    assert again == first

    book = Ledger(path, _read(path)[-1].link, 1, lambda: AT)
    book.post(first)
    book.commit_now()
    book.close()

    assert recover(path, RUN_ID, quarantine) is None


def test_half_a_tail_in_the_quarantine_is_not_said(path: Path) -> None:
    """Its name is that of the whole; it was not yet taken from the ledger."""
    _written(path)
    quarantine = path.parent / "quarantine"
    quarantine.mkdir()
    (quarantine / f"9-{digest(b'whole')[:16]}.partial").write_bytes(b"who")
    (quarantine / f"9-{digest(b'whole')[:16]}").write_bytes(b"who")

    assert recover(path, RUN_ID, quarantine) is None


def test_a_tail_that_cannot_be_kept_is_not_cut_off(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ledger stays as it is."""
    _written(path, 1)
    torn = path.read_bytes()[:-1]
    path.write_bytes(torn)
    quarantine = path.parent / "quarantine"
    quarantine.write_bytes(b"")
    with pytest.raises(StorageError, match="quarantine: File exists"):
        recover(path, RUN_ID, quarantine)
    quarantine.unlink()
    monkeypatch.setattr(os, "ftruncate", _failing(errno.EIO))
    with pytest.raises(StorageError, match="Input/output error"):
        recover(path, RUN_ID, quarantine)

    assert path.read_bytes() == torn


# --- whole files ----------------------------------------------------------------------------------


def test_a_durable_file_appears_whole(tmp_path: Path) -> None:
    """In place of an old one, with nothing left beside it, for this user alone."""
    target = tmp_path / "seal.txt"
    target.write_bytes(b"old")
    (tmp_path / "seal.txt.partial").write_bytes(b"left over")
    write_durable(target, b"new" * 100_000)

    assert target.read_bytes() == b"new" * 100_000
    assert [file.name for file in tmp_path.iterdir()] == ["seal.txt"]
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_file_that_cannot_be_made_durable_does_not_appear(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old one stays."""
    target = tmp_path / "seal.txt"
    target.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", _failing(errno.EIO))

    with pytest.raises(StorageError, match=r"seal\.txt: Input/output error"):
        write_durable(target, b"new")
    assert target.read_bytes() == b"old"


def test_the_seal_is_three_lines(tmp_path: Path) -> None:
    """Format and run id, number of lines, head."""
    write_seal(tmp_path, RUN_ID, 12, PIN)

    assert (tmp_path / "seal.txt").read_text() == f"judge-receipts/v1 {RUN_ID}\n12\n{PIN}\n"


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
    near = [at + by for at in ends[1:-1] for by in (-1, 0, 1)]
    return [*near, *(chance.randrange(ends[0] + 1, len(whole)) for _ in range(20))]


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


def test_the_names_of_the_module_are_all_there() -> None:
    """`__all__` is sorted and real."""
    assert ledger.__all__ == sorted(ledger.__all__)
    assert all(hasattr(ledger, name) for name in ledger.__all__)
