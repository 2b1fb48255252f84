"""A file somebody holds and a plan in; that the run was made from this very file out."""

import hashlib
from pathlib import Path

from judge.errors import InputError, VerificationError
from judge.records import Plan

__all__ = ["check_source"]


def check_source(plan: Plan, path: Path) -> str:
    """Return the name under which the plan holds this file's digest.

    Raises:
        InputError: there is no such file.
        VerificationError: the run was made from no file with this content.
    """
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    for source in plan.sources:
        if source.sha256 == found:
            return f"{path.name} ({source.role} {source.name})"
    known = ", ".join(f"{source.file} {source.sha256[:12]}…" for source in plan.sources)
    raise VerificationError(
        f"{path}: SHA-256 {found[:12]}… is no file this run was made from; it was made from {known}"
    )
