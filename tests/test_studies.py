"""judge/studies on whole runs: planted flips are found, each by the analysis it belongs to."""

from collections import Counter
from pathlib import Path

import pytest
from longmemeval import needs_shared
from studyruns import Asked, StudyJudge, configured, upstream_texts

import judge
from judge import packs
from judge.config import StudyConfig
from judge.errors import InputError
from judge.judging import Outcome
from judge.records import Contrast
from judge.report.sections import described
from judge.report.studies.whole import sections
from judge.studies.columns import Opened, open_runs
from judge.studies.repeats import repeats
from judge.studies.sensitivity import sensitivity
from judge.studies.whole import Analyses, study

pytestmark = needs_shared

BY_TEMPLATE = "6a1eabeb"
BY_REPETITION = "6aeb4375"
BY_TIME = "830ce83f"


@pytest.fixture(autouse=True)
def _texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bring the upstream texts into a store of this test's own."""
    monkeypatch.setenv("JUDGE_HOME", str(tmp_path / "home"))
    packs.add("longmemeval/upstream", upstream_texts(tmp_path))


def _ran(server: StudyJudge, folder: Path, **changes: object) -> Outcome:
    return judge.run(configured(server, **changes), folder)


def _opened(*folders: Path) -> tuple[Opened, ...]:
    return open_runs(folders)


def _studied(*folders: Path) -> Analyses:
    return study(_opened(*folders))


def _template(asked: Asked) -> bool:
    """One question that the released template decides the other way, always."""
    return asked.item == BY_TEMPLATE and asked.rubric == "longmemeval/released"


def test_the_study_asks_what_its_plan_says_and_no_more(tmp_path: Path) -> None:
    """864 judgments, 288 controls in 24 groups, templates in turn; one question carries it all."""
    with StudyJudge(_template) as server:
        outcome = _ran(server, tmp_path / "run")
    found = _studied(tmp_path / "run")
    [one] = found.sensitivity

    assert outcome.exit_code == 0
    assert len(server.requests) == 864 + 288
    assert len(outcome.proof.tally.gates) == 24
    assert all(gate.passed and gate.asked == 12 for gate in outcome.proof.tally.gates)
    # Twelve comparisons of 72 would be 864; matched by template they are 432 pairs of judgments.
    assert (one.judgments, one.discordant_judgments) == (432, 6)
    assert (one.items, one.discordant_items) == (72, 1)
    [carrier] = one.carriers
    assert (carrier.id, carrier.steady, carrier.same_prompt) == (BY_TEMPLATE, True, 0)
    assert one.test.p == 1
    assert "they are 1 question of 72" in described(sections(found))
    assert [len(each.flips) for each in found.repeats] == [0, 0, 0, 0]


def test_templates_take_turns_on_the_wire(tmp_path: Path) -> None:
    """For each question and repetition all four conditions come together, each first in turn."""
    with StudyJudge() as server:
        _ran(server, tmp_path / "run")
    asked = server.order
    blocks = [asked[start : start + 4] for start in range(0, len(asked), 4)]
    first = Counter((block[0].rubric, block[0].repetition) for block in blocks)

    assert len(asked) == 864
    assert {len({each.item for each in block}) for block in blocks} == {1}
    assert {tuple(Counter(each.rubric for each in block).values()) for block in blocks} == {(2, 2)}
    assert set(first.values()) == {36}


def test_one_failing_group_scores_nothing(tmp_path: Path) -> None:
    """A judge that rejects every control of one template is asked no saved answer at all."""

    def spoilt(rubric: str, sound: str) -> str:
        return "no" if rubric == "longmemeval/released" else sound

    with StudyJudge(controls=spoilt) as server:
        outcome = _ran(server, tmp_path / "run")

    assert outcome.exit_code == 3
    assert (len(server.requests), server.order) == (288, [])
    with pytest.raises(InputError, match="failed its gate"):
        _studied(tmp_path / "run")


def _planted(asked: Asked) -> bool:
    third = asked.repetition == 3 and asked.rubric == "longmemeval/upstream"
    return _template(asked) or (asked.item == BY_REPETITION and third)


def _later(asked: Asked) -> bool:
    return _planted(asked) or asked.item == BY_TIME


def test_planted_flips_are_told_apart(tmp_path: Path) -> None:
    """By template, by repetition and by time: each is found where it belongs, and nothing else."""
    with StudyJudge(_planted) as server:
        _ran(server, tmp_path / "one")
    with StudyJudge(_later) as server:
        _ran(server, tmp_path / "two")
    runs = _opened(tmp_path / "one", tmp_path / "two")
    columns = [column for run in runs for column in run.columns()]
    [templates], _ = sensitivity(columns)
    kinds = {flip.id: flip.kind for one in repeats(columns) for flip in one.flips}

    assert {carrier.id: carrier.steady for carrier in templates.carriers} == {
        BY_TEMPLATE: True,
        BY_REPETITION: False,
    }
    assert kinds == {BY_REPETITION: "repetition", BY_TIME: "time"}
    by_name = {one.name: one for one in repeats(columns)}
    assert len(by_name) == 4
    released = [one for name, one in by_name.items() if "released" in name]
    assert [[flip.id for flip in one.flips] for one in released] == [[BY_TIME], [BY_TIME]]


def test_planned_contrasts_are_one_family(tmp_path: Path) -> None:
    """What the plan names is compared, with its margin, and adjusted for its number."""
    fixed = StudyConfig(
        contrasts=(
            Contrast(name="template", vary="rubric"),
            Contrast(name="passes", first="c1", second="c3"),
        ),
        margin="0.1",
    )
    with StudyJudge(_template) as server:
        _ran(server, tmp_path / "run", study=fixed, repetitions=1)
    found = _studied(tmp_path / "run").contrasts

    template, passes = found

    assert [pair.pairs.discordant for pair in template.pairs] == [1, 1]
    assert (template.items, float(template.test.p), template.family) == (72, 1.0, 2)
    assert "no difference is shown, which does not show that there is none" in template.conclusion
    assert "equivalent within the margin in 2 of 2 pairs" in template.conclusion
    assert (len(passes.pairs), passes.pairs[0].pairs.discordant) == (1, 1)
    assert passes.conclusion.startswith("no difference between pass1")
