"""judge/ledger.py: receipts appended, chained, made durable, sealed, and read back."""

import asyncio
import errno
import fcntl
import itertools
import os
import random
import stat
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from plans import PIN, intent
from smallfiles import AT, RUN_ID, written

from judge import ledger
from judge.chain import Entry
from judge.errors import StorageError, VerificationError
from judge.ledger import BATCH_BYTES, Ledger, Lock, entries, write_durable, write_seal
from judge.records import Start, Stopped
from judge.recovery import recover

START = Start(plan_sha256=PIN)


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
    written(path, 2)
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


def test_what_was_not_committed_is_notwritten(path: Path) -> None:
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
    path: Path, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    """Half a line may be there; a resume sets it aside."""
    book = Ledger(path, RUN_ID, 0, lambda: AT)
    book.post(START)
    book.commit_now()
    write, left = os.write, [100]

    def take(fd: int, data: memoryview) -> int:
        if not left[0]:
            raise OSError(error, os.strerror(error))
        left[0] -= (took := write(fd, data[: left[0]]))
        return took

    monkeypatch.setattr(os, "write", take)
    book.post(intent(), {"request": b"{}"})
    with pytest.raises(StorageError, match=os.strerror(error)):
        book.commit_now()
    _poisoned(book)
    monkeypatch.undo()
    book.close()  # its process has ended

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


WRITER = """
    import sys, time
    from pathlib import Path
    from judge.ledger import Ledger
    Ledger(Path(sys.argv[1]), "0" * 64, 0, lambda: "2026-11-30T10:00:00.000Z")
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_ledger_has_one_writer_without_a_lock_file(path: Path) -> None:
    """Whoever deletes `lock` lets no second writer in, nor one that sets a torn tail aside."""
    written(path, 2)
    with path.open("ab") as file:
        file.write(b'{"public"')
    command = [sys.executable, "-c", textwrap.dedent(WRITER), str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(StorageError, match="another process is writing this run"):
            Ledger(path, RUN_ID, 2, lambda: AT)
        with pytest.raises(StorageError, match="another process is writing this run"):
            recover(path, RUN_ID, path.parent / "quarantine")
        holder.kill()
        holder.wait()

    assert not (path.parent / "quarantine").exists()
    Ledger(path, RUN_ID, 2, lambda: AT).close()


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
    written(path, 1, 1)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[2])

    with pytest.raises(VerificationError, match=r"receipts\.jsonl:2: seq is 2 where 1 comes next"):
        _read(path)


def test_a_torn_line_is_named(path: Path) -> None:
    """With what sets it aside."""
    written(path, 1)
    path.write_bytes(path.read_bytes()[:-1])

    with pytest.raises(
        VerificationError, match=r"receipts\.jsonl:2: the last line is torn; `judge"
    ):
        _read(path)


def test_a_ledger_that_is_not_there_proves_nothing(path: Path) -> None:
    """No lines are not an empty run."""
    with pytest.raises(VerificationError, match=r"receipts\.jsonl: No such file"):
        _read(path)


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


def test_the_names_of_the_module_are_all_there() -> None:
    """`__all__` is sorted and real."""
    assert ledger.__all__ == sorted(ledger.__all__)
    assert all(hasattr(ledger, name) for name in ledger.__all__)
