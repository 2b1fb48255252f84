"""A proved run in, a copy that may be published out: the same chain, the same head, fewer texts."""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from judge.canonical import encode, parse
from judge.chain import PUBLIC_NAMES
from judge.errors import InputError, StorageError
from judge.ledger import sync_folder
from judge.recount import Proof, recount

__all__ = ["export_public"]


def export_public(folder: Path, target: Path, drop: tuple[str, ...] = ()) -> Proof:
    """Write a public export of a run to `target`, prove it, and return what it proves.

    The inputs, the requests, the raw replies and their headers are left out; the private names
    `item` (id, type, route) and `reply_text` are kept unless dropped. Every line keeps its public
    part, so the chain and the head are those of the run.

    Raises:
        InputError: the target exists, or a name to drop is not one that is kept.
        VerificationError: the run does not prove what it claims, so there is nothing to publish.
        StorageError: the target cannot be written.
    """
    unknown = sorted(set(drop) - PUBLIC_NAMES)
    if unknown:
        kept = ", ".join(sorted(PUBLIC_NAMES))
        raise InputError(f"--drop {unknown[0]}: a public export keeps only {kept}")
    if "item" in drop:
        raise InputError("--drop item: without it nobody can recount the gate or the types")
    if target.exists():
        raise InputError(f"{target} exists; choose another folder")
    proof = recount(folder)
    with _writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        # A name of its own: what stands beside the target is nobody's to take away.
        partial = Path(tempfile.mkdtemp(prefix=f"{target.name}.partial-", dir=target.parent))
        try:
            _copy(folder, partial, PUBLIC_NAMES - set(drop))
            partial.chmod(0o755)
            partial.rename(target)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise
        sync_folder(target.parent)
    return recount(target, public=True, expect_head=proof.head)


@contextlib.contextmanager
def _writing(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(f"{target}: {error.strerror or error}") from error


def _copy(folder: Path, target: Path, kept: frozenset[str]) -> None:
    for name in ("run.json", "seal.txt"):
        if (folder / name).is_file():
            shutil.copyfile(folder / name, target / name)
    source = (folder / "receipts.jsonl").open("rb")
    with source, (target / "receipts.jsonl").open("xb") as out:
        for line in source:
            out.write(_stripped(line[:-1], kept) + b"\n")


def _stripped(line: bytes, kept: frozenset[str]) -> bytes:
    value = parse(line)
    if not isinstance(value, dict) or not isinstance(value.get("private"), dict):
        return line
    private = value.pop("private")
    left = (
        {n: part for n, part in private.items() if n in kept} if isinstance(private, dict) else {}
    )
    if left:
        value["private"] = left
    return encode(value)
