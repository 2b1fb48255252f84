"""A run folder in, recounted; the verdicts of one condition and repetition out."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from judge import rubric
from judge.canonical import parse
from judge.comparing.sides import RunFacts, Side, Source, Verdict, print_of, side
from judge.errors import InputError
from judge.folder import Frozen
from judge.ledger import entries
from judge.records import Condition, Judge, Receipt
from judge.recount import NOT_CLOSED, UNDECIDED, Proof, recount

__all__ = ["Chosen", "Runs"]

_SHOWN = 12


class Chosen(NamedTuple):
    """What of a run was named: `RUN`, `RUN#c2` or `RUN#c2@3`."""

    folder: Path
    condition: str | None
    repetition: int | None


class Runs:
    """Runs by folder, each recounted once however many of its conditions are asked for."""

    def __init__(self, *, public: bool = False, decided_only: bool = False) -> None:
        """Take what the caller allows.

        Args:
            public: folders without inputs are public exports.
            decided_only: runs with undecided cells may be used, without those cells.
        """
        self._public = public
        self._decided_only = decided_only
        self._proofs: dict[Path, Proof] = {}

    def close(self) -> None:
        """Let the inputs of all runs go."""
        for proof in self._proofs.values():
            if proof.frozen is not None:
                proof.frozen.close()

    def side(self, name: str, chosen: Chosen) -> Side:
        """Return the verdicts of one condition and repetition, in the order of its items.

        Raises:
            InputError: no run here; several conditions or repetitions and none named; a run that
                has no verdicts yet, or never will, or gives grades.
            VerificationError: the run does not prove what it claims.
        """
        proof = self._proof(chosen.folder)
        self._check_state(name, proof)
        condition, repetition = _choice(name, proof, chosen)
        if condition.accept is None:
            raise InputError(
                f"{name}: {condition.rubric} gives grades, and compare takes labels that are right "
                "or wrong; `judge show --json` gives each condition's mean and distribution"
            )
        judge = next(judge for judge in proof.plan.judges if judge.name == condition.judge)
        if proof.frozen is None:
            verdicts = list(_told(chosen.folder, proof, condition, repetition))
        else:
            verdicts = list(_proved(proof, proof.frozen, condition, repetition))
        facts = _facts(proof, condition, repetition, judge)
        source = Source(name, "run" if proof.frozen else "public export")
        return side(source._replace(judges=(judge.expect_model,), run=facts), verdicts)

    def _proof(self, folder: Path) -> Proof:
        key = folder.resolve()
        if key not in self._proofs:
            bare = self._public and not (folder / "inputs").is_dir()
            self._proofs[key] = recount(folder, public=bare)
        return self._proofs[key]

    def _check_state(self, name: str, proof: Proof) -> None:
        if proof.state == "gate-failed":
            raise InputError(
                f"{name}: the judge failed its gate, so it scored nothing that could be compared"
            )
        if proof.state == "open":
            raise InputError(f"{name}: the run is open; finish it with `judge resume` first")
        groups = proof.tally.groups.values()
        undecided = sum(group.labels.count(UNDECIDED) for group in groups)
        if undecided and not self._decided_only:
            raise InputError(
                f"{name}: the run is incomplete: {undecided} of its {_cells(proof)} cells are "
                "undecided, and an undecided cell is no label; pass --decided-only to leave such "
                "items out and say how many"
            )


def _cells(proof: Proof) -> int:
    return proof.progress.layout.cells


def _choice(name: str, proof: Proof, chosen: Chosen) -> tuple[Condition, int]:
    conditions = {condition.id: condition for condition in proof.plan.conditions}
    if chosen.condition is None and len(conditions) > 1:
        raise InputError(
            f"{name}: the run has {len(conditions)} conditions; name one: "
            + _listed(name, [f"#{c.id} ({c.name})" for c in proof.plan.conditions])
        )
    wanted = chosen.condition or next(iter(conditions))
    if wanted not in conditions:
        raise InputError(f"{name}: no condition {wanted}; there are {', '.join(conditions)}")
    return conditions[wanted], _repetition(name, proof, wanted, chosen.repetition)


def _repetition(name: str, proof: Proof, condition: str, repetition: int | None) -> int:
    count = proof.plan.repetitions
    if repetition is None and count > 1:
        base = name.partition("#")[0]
        raise InputError(
            f"{name}: {condition} was asked {count} times, and repeated judgments of one item are "
            "not independent items; name one repetition: "
            + _listed(base, [f"#{condition}@{number}" for number in range(1, count + 1)])
        )
    if repetition is not None and not 1 <= repetition <= count:
        raise InputError(f"{name}: no repetition {repetition}; there are 1 to {count}")
    return repetition or 1


def _listed(base: str, endings: list[str]) -> str:
    more = f", … ({len(endings)} in all)" if len(endings) > _SHOWN else ""
    return ", ".join(base + ending for ending in endings[:_SHOWN]) + more


def _facts(proof: Proof, condition: Condition, repetition: int, judge: Judge) -> RunFacts:
    return RunFacts(
        run_id=proof.run_id,
        head=proof.head,
        state=proof.state,
        condition=condition.id,
        name=condition.name,
        repetition=repetition,
        answers=condition.answers,
        rubric=condition.rubric,
        rubric_pin=condition.rubric_pin,
        official=condition.official,
        deviations=condition.deviations,
        judge=judge,
    )


def _proved(
    proof: Proof, frozen: Frozen, condition: Condition, repetition: int
) -> Iterator[Verdict]:
    tally = proof.tally.groups.get((condition.id, repetition))
    if tally is None:
        return
    rules = frozen.rubric(condition)
    for number, code in enumerate(tally.labels):
        item = frozen.item(tally.first_row + number)
        template = rubric.route(rules, item.id, item.type, abstention=item.abstention)
        prompt = rubric.render(rules, template, item.question, item.gold, item.response)
        label = None if code in {NOT_CLOSED, UNDECIDED} else condition.labels[code - 1]
        yield Verdict(
            item.id,
            item.type,
            label,
            None if label is None else label == condition.accept,
            print_of(item.response),
            print_of(f"{template.system or ''}\0{prompt}"),
        )


def _told(folder: Path, proof: Proof, condition: Condition, repetition: int) -> Iterator[Verdict]:
    """The verdicts of a public export, which holds no items: each receipt names its own."""
    for entry in entries(folder / "receipts.jsonl", proof.run_id, public=True):
        fact = entry.fact
        if not isinstance(fact, Receipt) or fact.phase != "answer" or not fact.final:
            continue
        if (fact.condition, fact.repetition) != (condition.id, repetition):
            continue
        # The recount has held the item to be an object of id, route and type.
        item = parse(entry.private["item"])
        told = item if isinstance(item, dict) else {}
        yield Verdict(
            str(told["id"]),
            str(told["type"]),
            fact.label,
            None if fact.label is None else fact.label == condition.accept,
            None,
            None,
        )
