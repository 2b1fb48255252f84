"""Two joined sides in; which of answers, prompts, rubric pin and judge are the same, out.

Only with that is it known what a difference of verdicts is a difference of. What a side does not
hold is unknown, never the same.
"""

from collections.abc import Sequence
from typing import Literal

from judge.comparing.joining import Joint
from judge.comparing.sides import RunFacts, SideFacts
from judge.records import Count, Judge, Record

__all__ = ["Same", "Sameness", "about", "sameness"]

Alike = Literal["same", "partly", "different", "unknown"]


class Same(Record):
    """One thing on two sides."""

    state: Alike
    same: Count | None
    """Items that share it; null where it is not counted by item or not known."""
    words: str


class Sameness(Record):
    """What two sides share beside their items."""

    answers: Same
    prompts: Same
    rubric: Same
    judge: Same


def sameness(
    first: SideFacts, second: SideFacts, items: Sequence[Joint], places: tuple[int, int]
) -> Sameness:
    """Return what two of the joined sides share."""
    one, other = places
    pairs = [(joint.verdicts[one], joint.verdicts[other]) for joint in items]
    return Sameness(
        answers=_counted([(a.answer, b.answer) for a, b in pairs], "answers"),
        prompts=_counted([(a.prompt, b.prompt) for a, b in pairs], "prompts"),
        rubric=_rubric(first.run, second.run),
        judge=_judge(first, second),
    )


def _counted(pairs: Sequence[tuple[bytes | None, bytes | None]], what: str) -> Same:
    if any(None in pair for pair in pairs):
        return Same(state="unknown", same=None, words=f"not every row on both sides has {what}")
    same, n = sum(one == other for one, other in pairs), len(pairs)
    state: Alike = "same" if same == n else "partly" if same else "different"
    return Same(state=state, same=same, words=f"{same} of {n} byte for byte")


def _rubric(first: RunFacts | None, second: RunFacts | None) -> Same:
    if first is None or second is None:
        return Same(state="unknown", same=None, words="a bare file or frame names no rubric pin")
    if first.rubric_pin == second.rubric_pin:
        words = f"{first.rubric} {first.rubric_pin[:12]}…"
        return Same(state="same", same=None, words=words)
    words = f"{first.rubric} {first.rubric_pin[:12]}… and {second.rubric} {second.rubric_pin[:12]}…"
    return Same(state="different", same=None, words=words)


def _judge(first: SideFacts, second: SideFacts) -> Same:
    if first.run is not None and second.run is not None:
        return _judges(first.run.judge, second.run.judge)
    if len(first.judges) != 1 or len(second.judges) != 1:
        return Same(state="unknown", same=None, words="not both sides name one judge")
    one, other = first.judges[0], second.judges[0]
    if one != other:
        return Same(state="different", same=None, words=f"{one} and {other}")
    return Same(state="same", same=None, words=f"both name {one}; a file proves neither")


def _judges(one: Judge, other: Judge) -> Same:
    if _asked(one) == _asked(other):
        proof = "; the name is a label that whoever runs the server chose"
        words = one.expect_model + (proof if "label" in {one.identity, other.identity} else "")
        return Same(state="same", same=None, words=words)
    words = f"{one.expect_model} and {other.expect_model}"
    if one.expect_model == other.expect_model:
        words = f"{one.expect_model}, reached or set differently"
    return Same(state="different", same=None, words=words)


def _asked(judge: Judge) -> tuple[object, ...]:
    settings = judge.settings_set, judge.settings_unset
    return judge.provider, judge.api, judge.expect_model, judge.address, *settings


def about(found: Sameness) -> tuple[str, bool]:
    """Return what a difference of verdicts is a difference of, and whether several things differ.

    A sentence; with several things that differ together the difference belongs to none of them.
    """
    parts = {"answers": found.answers, "rubric": found.rubric, "judge": found.judge}
    changed = [name for name, part in parts.items() if part.state in {"partly", "different"}]
    unknown = [name for name, part in parts.items() if part.state == "unknown"]
    if not changed and not unknown and found.prompts.state in {"partly", "different"}:
        changed = ["questions or gold answers"]
    if len(changed) > 1:
        names = f"{', '.join(changed[:-1])} and {changed[-1]}"
        return f"{names} differ together: the difference can be laid to none of them alone", True
    rest = f"; whether {_these(unknown)} the same is not known" if unknown else ""
    if changed:
        return _ABOUT[changed[0]] + rest, False
    if unknown:
        return "nothing is known to differ but the verdicts" + rest, False
    return _REPEATED, False


def _these(names: Sequence[str]) -> str:
    verb = "is" if names in (["rubric"], ["judge"]) else "are"
    return f"{' and '.join(f'the {name}' for name in names)} {verb}"


_REPEATED = (
    "the same prompts were put to the same judge: what differs is the judge's own unsteadiness"
)
_ABOUT = {
    "answers": (
        "of what is known the answers differ: a difference is theirs, or the judge's unsteadiness"
    ),
    "rubric": "of what is known the rubrics differ: a difference is the rubric's share",
    "judge": "of what is known the judges differ: discordant items are their disagreements",
    "questions or gold answers": "the answers are the same, but not the questions or gold answers",
}
