"""What a caller gives for sides in: `RUN`, `RUN#c2@3`, a file, a frame; the comparison out."""

import re
from collections.abc import Sequence
from pathlib import Path

from judge.answers.places import quoted
from judge.comparing.files import read_file, verdict_fields
from judge.comparing.frames import Frame, is_frame, verdicts
from judge.comparing.joining import Joined, join
from judge.comparing.labels import Scale
from judge.comparing.matrix import Matrix, matrix
from judge.comparing.options import CompareOptions
from judge.comparing.pairwise import Comparison, pairwise
from judge.comparing.runs import Chosen, Runs
from judge.comparing.sides import Side
from judge.comparing.strata import read_strata, read_types
from judge.errors import InputError

__all__ = ["Given", "compare", "compare_all", "load", "named_side", "read_sides"]

Given = str | Path | Side | Frame
"""A word as on the command line, a path, a side read earlier, or a frame with the usual columns."""

_PART = re.compile(r"(?P<condition>c[1-9][0-9]*)(?:@(?P<repetition>[1-9][0-9]{0,8}))?")


def compare(first: Given, second: Given, options: CompareOptions | None = None) -> Comparison:
    """Return what two sides show about each other; the difference is first minus second.

    Raises:
        InputError: a side that cannot be read, items that do not match or have no verdict, or an
            option that is none.
        VerificationError: a run that does not prove what it claims.
    """
    used = options or CompareOptions()
    return pairwise(load((first, second), used), used)


def compare_all(given: Sequence[Given], options: CompareOptions | None = None) -> Matrix:
    """Return each of several sides compared with each, with Holm's correction; raises as `compare`.

    The items are those of all sides, so every comparison is about the same ones.
    """
    used = options or CompareOptions()
    return matrix(load(given, used), used)


def load(given: Sequence[Given], options: CompareOptions) -> Joined:
    """Return the sides, read and joined; raises as `compare`."""
    ids = options.columns.get("id", ())
    types = None if options.references is None else read_types(Path(options.references), ids)
    strata = None
    if options.by is not None:
        strata = read_strata(Path(options.by), options.by_column, ids)
    elif options.by_column is not None:
        raise InputError("--by-column goes with --by")
    return join(read_sides(given, options), options, types, strata)


def read_sides(given: Sequence[Given], options: CompareOptions) -> tuple[Side, ...]:
    """Return the sides, each read, runs recounted.

    Raises:
        InputError: no such run, condition, repetition or file; one without verdicts; a label that
            nobody explains.
        VerificationError: a run that does not prove what it claims.
    """
    reader = _Reader(options)
    try:
        sides = tuple(reader.side(one, number) for number, one in enumerate(given, 1))
    finally:
        reader.close()
    reader.check_used(sides)
    return sides


class _Reader:
    """Reads sides with the same options, a run's folder once."""

    def __init__(self, options: CompareOptions) -> None:
        self._fields = verdict_fields(options.columns)
        self._runs = Runs(public=options.public, decided_only=options.decided_only)
        self._scale = Scale(accept=options.accept, reject=options.reject)
        self._mapped = bool(options.columns)

    def close(self) -> None:
        self._runs.close()

    def side(self, given: Given, number: int) -> Side:
        if isinstance(given, Side):
            return given
        if not isinstance(given, str | Path):
            return _framed(given, self._scale, number)
        named = named_side(str(given))
        if isinstance(named, Chosen):
            return self._runs.side(str(given), named)
        return read_file(named, self._fields, self._scale)

    def check_used(self, sides: Sequence[Side]) -> None:
        """Return when no option is about a kind of side there is not; raises InputError."""
        kinds = {side.facts.kind for side in sides}
        if "file" in kinds:
            self._fields.check_met()
        elif self._mapped:
            raise InputError("--field is for verdict files, and no side is one")
        if (self._scale.accept or self._scale.reject) and not kinds & {"file", "frame"}:
            raise InputError(
                "--accept and --reject are for verdict files: a run has its labels from its rubric"
            )


def _framed(frame: Frame, scale: Scale, number: int) -> Side:
    if not is_frame(frame):
        raise InputError(
            f"side {number} is a {type(frame).__name__}: give a path, RUN#c2, a frame, or what "
            "judge.verdicts returns"
        )
    return verdicts(frame, accept=scale.accept, reject=scale.reject, name=f"frame {number}")


def named_side(word: str) -> Chosen | Path:
    """Return what a word names; a path that exists as it stands has no part behind `#`.

    Raises:
        InputError: nothing of that name is there, or what stands behind `#` is no condition.
    """
    path = Path(word)
    if path.is_dir():
        return Chosen(path, None, None)
    if path.exists():
        return path
    base, mark, part = word.rpartition("#")
    found = _PART.fullmatch(part)
    if not mark or not Path(base).is_dir():
        what = "a file has no conditions" if mark and Path(base).exists() else "no such file or run"
        raise InputError(f"{quoted(word)}: {what}; give a verdict file, RUN, RUN#c2 or RUN#c2@3")
    if found is None:
        raise InputError(
            f"{quoted(word)}: {quoted(part)} is no condition; write RUN#c2, or RUN#c2@3 for one "
            "repetition"
        )
    repetition = found["repetition"]
    return Chosen(Path(base), found["condition"], int(repetition) if repetition else None)
