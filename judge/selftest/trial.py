"""Every defect planted once, and counted: how many there were, how many were caught."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from judge import lexical
from judge.errors import VerificationError
from judge.questions import RULES, Rules
from judge.records import Listed, Record
from judge.recount import recount
from judge.selftest import cells, inputs, lines, plans
from judge.selftest.damage import damages, files_of
from judge.selftest.forging import Forged, Forgery, overwrite, read, write
from judge.selftest.planted import Planted, planted
from judge.selftest.rewriting import rewrite
from judge.selftest.sample import SAMPLE_RULES, Size, build

__all__ = ["Family", "Room", "forgeries", "run_trial"]

_SMALL = Size(sets=1, repetitions=1, controls=5)
"""The run whose bytes are damaged: small, so that thousands of cases take seconds."""
_JUDGED = Size(sets=1, repetitions=1)
"""What a planted judge is asked; six drawn controls an arm."""
_SHOWN = 5


class Family(Record):
    """Defects of one kind."""

    name: str
    planted: int
    caught: int
    missed: Listed[str]
    """The first few that were not caught, and what happened instead."""


class Room:
    """A run folder that defects are planted in, one after another."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = files_of(folder)
        """What it holds when it is whole."""

    def restore(self) -> None:
        """Make it whole again."""
        for name in files_of(self.folder).keys() - self.files.keys():
            (self.folder / name).unlink()
        for name, data in self.files.items():
            overwrite(self.folder / name, data)


@dataclass(slots=True)
class _Count:
    planted: int = 0
    missed: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Trial:
    counts: dict[str, _Count] = field(default_factory=dict)

    def put(self, family: str, name: str, missed: str | None) -> None:
        count = self.counts.setdefault(family, _Count())
        count.planted += 1
        if missed is not None:
            count.missed.append(f"{name}: {missed}")

    def families(self) -> tuple[Family, ...]:
        return tuple(
            Family(
                name=name,
                planted=count.planted,
                caught=count.planted - len(count.missed),
                missed=tuple(count.missed[:_SHOWN]),
            )
            for name, count in self.counts.items()
        )


def run_trial(
    home: Path, cases: int, seed: int, note: Callable[[str], None] = lambda _: None
) -> tuple[Family, ...]:
    """Plant every defect in runs made below `home` and return what was caught, family by family.

    Args:
        home: an empty folder.
        cases: how many bytes are changed, one at a time.
        seed: where they are changed.
        note: told what begins.

    Raises:
        VerificationError: an undamaged sample does not prove itself, so nothing can be shown.
    """
    trial = _Trial()
    note(f"{cases} changed bytes and other damage")
    _damage(trial, _sample(home / "small", _SMALL, RULES), cases, seed)
    note("forged runs, chained and sealed again")
    folder = _sample(home / "large", Size(), SAMPLE_RULES)
    _forge(trial, folder)
    _rewrite(trial, folder)
    note("planted judges")
    for number, judge in enumerate(planted(_routes(folder))):
        _judge(trial, home / f"judge-{number}", judge)
    return trial.families()


def _sample(home: Path, size: Size, rules: Rules) -> Path:
    home.mkdir()
    outcome = build(home, size, rules)
    if outcome.proof.progress.seal is None:
        raise VerificationError("the sample run was not sealed, so nothing can be planted in it")
    return outcome.folder


def _missed(folder: Path, rules: Rules, head: str | None = None) -> str | None:
    """None when a recount refuses the run as it must; else what happened."""
    try:
        recount(folder, rules=rules, expect_head=head)
    except VerificationError:
        return None
    except Exception as error:  # noqa: BLE001 - an accident is no refusal, whatever its class
        return f"{type(error).__name__} instead of a refusal"
    return "passed"


def _damage(trial: _Trial, folder: Path, cases: int, seed: int) -> None:
    room = Room(folder)
    for damage in damages(room.files, cases, seed):
        overwrite(folder / damage.file, damage.data)
        trial.put(damage.family, damage.name, _missed(folder, RULES))
        overwrite(folder / damage.file, room.files[damage.file])
    recount(folder)


def forgeries(run: Forged) -> Iterator[Forgery]:
    """Yield every forgery of a run of the embedded judge."""
    yield from lines.field_forgeries(run)
    yield from cells.cell_forgeries(run)
    yield from plans.plan_forgeries(run)
    yield from inputs.input_forgeries(run)


def _forge(trial: _Trial, folder: Path) -> None:
    room = Room(folder)
    for forgery in forgeries(read(folder)):
        run = read(folder)
        forgery.edit(run)
        write(run, folder)
        trial.put(forgery.family, forgery.name, _missed(folder, SAMPLE_RULES))
        room.restore()
    recount(folder, rules=SAMPLE_RULES)


def _rewrite(trial: _Trial, folder: Path) -> None:
    """A run made anew, consistent with itself: a head seen before is what shows it."""
    head = recount(folder, rules=SAMPLE_RULES).head
    target = folder.with_name("rewritten")
    shutil.copytree(folder, target)
    rewrite(target, 0, SAMPLE_RULES)
    recount(target, rules=SAMPLE_RULES)  # it must be true to itself, or it shows nothing
    name = "rewritten whole, by --expect-head alone"
    trial.put(name, "another answer", _missed(target, SAMPLE_RULES, head))


def _routes(folder: Path) -> tuple[str, ...]:
    rubric = read(folder).inputs["rubrics/correctness.v1.json"]
    return tuple(template["name"] for template in rubric["templates"])


def _judge(trial: _Trial, home: Path, judge: Planted) -> None:
    """Gate a planted judge; it is caught when it failed and was asked no answer."""
    rules: Rules = {lexical.NAME: judge.rule}
    home.mkdir()
    made = _JUDGED.model_copy(update={"made": judge.needs_file})
    outcome = build(home, made, rules)
    asked = outcome.proof.progress.closed_answers
    caught = outcome.proof.state == "gate-failed" and outcome.exit_code == 3 and asked == 0  # noqa: PLR2004
    family = "judge behind an injection file" if judge.needs_file else "judge"
    trial.put(family, judge.name, None if caught else f"state {outcome.proof.state}")
