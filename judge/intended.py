"""The study part of a configuration in; what a plan fixes of what will be said, out."""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from judge.config import ComparatorConfig, StudyConfig, is_address
from judge.errors import InputError
from judge.exclusions import read_exclusions
from judge.records import Comparator, Condition, Contrast, Exclusions, Study
from judge.stats.exact import fraction

__all__ = ["intended"]


def intended(
    config: StudyConfig | None, conditions: Sequence[Condition], ids: Iterable[str]
) -> Study | None:
    """Return what is fixed of a study before its first call; None where nothing is.

    Args:
        config: what run.yaml says.
        conditions: of the plan.
        ids: of every row of the answer key, read only where rows are excluded.

    Raises:
        InputError: a contrast of nothing, a row that is not in the answer key, a source that is
            not the one of its digest, or a margin that is no share.
    """
    if config is None:
        return None
    _check_margin(config.margin)
    _check_contrasts(config.contrasts, conditions)
    return Study(
        contrasts=config.contrasts,
        exclusions=_exclusions(config.exclusions, ids),
        comparators=tuple(_comparator(one) for one in config.comparators),
        margin=config.margin,
        allowed_breaks=config.allowed_breaks,
    )


def _check_margin(margin: str | None) -> None:
    if margin is None:
        return
    try:
        good = 0 < fraction(margin, what="study.margin") < 1
    except InputError:
        good = False
    if not good:
        raise InputError(f"study.margin is {margin[:40]!r}: give a share above 0, such as 0.02")


# --- contrasts ----------------------------------------------------------------------------------


def _check_contrasts(contrasts: Sequence[Contrast], conditions: Sequence[Condition]) -> None:
    names = [contrast.name for contrast in contrasts]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"study.contrasts: two are named {name!r}")
    for contrast in contrasts:
        _check_contrast(contrast, conditions)


def _check_contrast(contrast: Contrast, conditions: Sequence[Condition]) -> None:
    where = f"study.contrasts: {contrast.name}"
    named = [each for each in (contrast.first, contrast.second) if each is not None]
    if contrast.vary is not None:
        if named:
            raise InputError(f"{where}: give `vary`, or `first` and `second`, not both")
        values = {getattr(condition, contrast.vary) for condition in conditions}
        if len(values) == 1:
            raise InputError(f"{where}: all conditions have one {contrast.vary}; nothing varies")
        return
    known = {condition.id for condition in conditions}
    if len(set(named)) != 2:  # noqa: PLR2004 - a contrast has two sides
        raise InputError(f"{where}: give `vary`, or two different conditions")
    for name in named:
        if name not in known:
            raise InputError(
                f"{where}: no condition {name}; there are {', '.join(sorted(known))} "
                "(see `judge plan`)"
            )


# --- what is read from files ---------------------------------------------------------------------


def _exclusions(file: str | None, ids: Iterable[str]) -> Exclusions | None:
    if file is None:
        return None
    found = read_exclusions(Path(file))
    missing = {row.id for row in found.rows}.difference(ids)
    if missing:
        raise InputError(
            f"{found.file}: {min(missing)!r} is no row of the answer key; mend the id, or take the "
            "row away"
        )
    return found


def _comparator(config: ComparatorConfig) -> Comparator:
    where = f"study.comparators: {config.name[:60]!r}"
    if config.count > config.n:
        raise InputError(f"{where}: {config.count} of {config.n} cannot be")
    if is_address(config.source):
        if config.sha256 is None:
            raise InputError(f"{where}: an address needs the sha256 of what was read there")
        source, sha256 = config.source, config.sha256
    else:
        source, sha256 = Path(config.source).name, _digest_of(where, config)
    return Comparator(
        name=config.name,
        count=config.count,
        n=config.n,
        source=source,
        sha256=sha256,
        rubric=config.rubric,
        judge=config.judge,
        data=config.data,
    )


def _digest_of(where: str, config: ComparatorConfig) -> str:
    try:
        found = hashlib.sha256(Path(config.source).read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(f"{where}: {config.source}: {error.strerror}") from error
    if config.sha256 not in {None, found}:
        raise InputError(f"{where}: {config.source} has the SHA-256 {found}, not the one given")
    return found
