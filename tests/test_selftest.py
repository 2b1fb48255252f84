"""`judge selftest` catches every defect it plants, and would say so if it did not."""

import contextlib
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from judge import lexical
from judge.cli import main
from judge.errors import InputError, VerificationError
from judge.judging import Outcome
from judge.progress import Progress
from judge.questions import RULES, Question
from judge.recount import recount
from judge.selftest import trial
from judge.selftest.damage import damages, files_of
from judge.selftest.forging import overwrite, read, write
from judge.selftest.planted import planted
from judge.selftest.sample import SAMPLE_RULES, Size, build
from judge.selftest.trial import Family, Room, forgeries, run_trial

SMALL = Size(sets=1, repetitions=1, controls=5)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Return a small sealed run of the embedded judge."""
    return build(tmp_path, SMALL).folder


# --- the command ----------------------------------------------------------------------------------


def test_every_planted_defect_is_caught(capsys: pytest.CaptureFixture[str]) -> None:
    """Bytes, lines, forgeries of every family and judges: one line each, all caught, exit 0."""
    assert main(["selftest", "--cases", "200", "--seed", "7", "--json"]) == 0

    told = json.loads(capsys.readouterr().out)
    assert (told["cases"], told["seed"], told["all_caught"]) == (200, 7, True)
    counts = {f["name"]: f["planted"] for f in told["families"]}
    assert all(f["planted"] == f["caught"] > 0 for f in told["families"])
    assert counts["byte changed"] == 200
    assert counts["judge"] == 19
    assert counts["judge behind an injection file"] == 1
    wanted = (
        *("label", "raw reply", "reply_text", "request", "expect", "gate count", "gate pass"),
        *("dropped cell", "dropped attempt", "swapped replies", "moved condition"),
        *("moved repetition", "altered control", "altered order", "threshold, seed"),
        *("item changed", "final", "after_unknown", "usage", "model", "finish", "readings"),
        *("reason", "template sha", "rubric pin", "gate_seqs", "seal counts", "identity"),
        *("deviations, official", "rubric changed", "references", "inserted line"),
    )
    assert set(wanted) <= counts.keys()
    assert sum(counts[name] for name in wanted) > 600


def test_a_family_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was planted, what was caught; what was not is named, and the exit code is 6."""
    found = (
        Family(name="good", planted=3, caught=3, missed=()),
        Family(name="bad", planted=2, caught=1, missed=("receipt 7: passed",)),
    )
    monkeypatch.setattr("judge.cli.selftest.run_trial", lambda *_: found)

    assert main(["selftest"]) == 6
    said = capsys.readouterr()
    assert "good  planted     3  caught 3\nbad   planted     2  caught 1\n" in said.out
    assert "NOT CAUGHT  receipt 7: passed" in said.out
    assert "1 planted defects were not caught" in said.err


# --- bytes ----------------------------------------------------------------------------------------


def test_one_changed_byte_is_refused_wherever_it_lies(small: Path) -> None:
    """Over every file of a run, sampled: a refusal each time, and never another exception."""
    room = Room(small)
    struck = set()
    for damage in damages(room.files, 300, seed=3):
        overwrite(small / damage.file, damage.data)
        assert damage.data != room.files[damage.file]
        with pytest.raises(VerificationError):
            recount(small)
        struck.add(damage.file)
        overwrite(small / damage.file, room.files[damage.file])

    recount(small)
    assert struck == room.files.keys()
    assert {"run.json", "seal.txt", "receipts.jsonl", "inputs/run.yaml"} <= struck


def test_the_head_of_a_file_and_its_end_count_too(small: Path) -> None:
    """First and last byte, one byte too many or too few, and nothing at all."""
    for name, data in files_of(small).items():
        flipped = (bytes([data[0] ^ 1]) + data[1:], data[:-1] + bytes([data[-1] ^ 1]))
        for wrong in (*flipped, b" " + data, data + b"\n", data[1:], data[:-1], b""):
            overwrite(small / name, wrong)
            with pytest.raises(VerificationError):
                recount(small)
        overwrite(small / name, data)

    recount(small)


def test_a_missing_file_is_refused(small: Path) -> None:
    """Each but run.json, without which it is no run at all."""
    for name, data in files_of(small).items():
        (small / name).unlink()
        with pytest.raises(InputError if name == "run.json" else VerificationError):
            recount(small)
        (small / name).write_bytes(data)


def test_the_lock_and_quarantined_tails_mean_nothing(small: Path) -> None:
    """They are not files of the run."""
    (small / "lock").write_bytes(b"anything")
    (small / "quarantine").mkdir()
    (small / "quarantine" / "0-tail").write_bytes(b"{}")

    recount(small)
    assert not files_of(small).keys() & {"lock", "quarantine/0-tail"}


def test_the_same_seed_strikes_the_same_places(small: Path) -> None:
    """So that a miss can be looked at again."""
    files = files_of(small)
    first = [(one.name, one.data) for one in damages(files, 40, seed=1)]

    assert first == [(one.name, one.data) for one in damages(files, 40, seed=1)]
    assert first != [(one.name, one.data) for one in damages(files, 40, seed=2)]


def test_damage_is_damage(small: Path) -> None:
    """A changed byte is always another byte, and every file is struck."""
    files = files_of(small)
    cases = [one for one in damages(files, 500, seed=0) if one.family == "byte changed"]

    assert len(cases) == 500
    assert all(one.data != files[one.file] for one in cases)
    assert all(len(one.data) == len(files[one.file]) for one in cases)


# --- forgeries ------------------------------------------------------------------------------------


def test_what_is_written_again_unchanged_is_the_same_run(small: Path) -> None:
    """The forger's bytes and hashes are those of the harness, made by other code."""
    before = files_of(small)
    head = write(read(small), small)

    assert files_of(small) == before
    assert recount(small).head == head


def test_a_random_value_in_any_place_is_refused_or_another_run(small: Path) -> None:
    """Whatever is written where, sealed again: never an error of another kind."""
    chance, room = random.Random(5), Room(small)
    for _ in range(200):
        run = read(small)
        place, name = _anywhere(chance, run.lines[chance.randrange(len(run.lines))], run.manifest)
        place[name] = chance.choice([None, True, -1, 2**53 - 1, "", "x", [], {}, [1], ["yes"]])
        # The forger's own tools want a shape that can be hashed.
        with contextlib.suppress(TypeError, ValueError, KeyError, AttributeError):
            write(run, small)
        with contextlib.suppress(VerificationError):
            recount(small)
        room.restore()


def _anywhere(chance: random.Random, *roots: dict[str, object]) -> tuple[dict[str, object], str]:
    found: list[tuple[dict[str, object], str]] = []
    places: list[object] = list(roots)
    while places:
        place = places.pop()
        if isinstance(place, dict):
            found += [(place, name) for name in place]
            places += place.values()
        elif isinstance(place, list):
            places += place
    return chance.choice(found)


@pytest.mark.parametrize(
    ("family", "checks"),
    [
        ("altered order", ("judge.progress.Progress._check_order",)),
        ("gate_seqs", ("judge.progress.Progress._check_standing",)),
        # Two checks hold it: the plan against itself, and against the run.yaml beside it.
        ("identity", ("judge.folder.check_plan", "judge.recount.check_config")),
        ("altered control", ("judge.recount._check_derived",)),
    ],
)
def test_a_verifier_with_a_hole_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, family: str, checks: tuple[str, ...]
) -> None:
    """Take one check away, and some forgery of its family passes."""
    folder = build(tmp_path, rules=SAMPLE_RULES).folder
    room, count = Room(folder), trial._Trial()
    for check in checks:
        monkeypatch.setattr(check, lambda *_: None)
    for forgery in (one for one in forgeries(read(folder)) if one.family == family):
        run = read(folder)
        forgery.edit(run)
        write(run, folder)
        count.put(family, forgery.name, trial._missed(folder, SAMPLE_RULES))
        room.restore()

    (found,) = count.families()
    assert found.caught < found.planted
    assert any(missed.endswith(": passed") for missed in found.missed)


# --- judges ---------------------------------------------------------------------------------------


def _gated(home: Path, rule: Callable[[Question], str], *, made: bool) -> Outcome:
    home.mkdir()
    return build(home, Size(sets=1, repetitions=1, made=made), {lexical.NAME: rule})


def test_planted_judges_fail_the_gate_and_score_nothing(tmp_path: Path) -> None:
    """Exit 3, sealed as gate-failed, and no answer was asked."""
    routes = ("base", "abstention")
    for number, judge in enumerate(planted(routes)):
        outcome = _gated(tmp_path / str(number), judge.rule, made=judge.needs_file)
        asked = sum(1 for _ in read(outcome.folder).facts("intent", phase="answer"))
        assert (outcome.exit_code, outcome.proof.state, asked) == (3, "gate-failed", 0), judge.name


def test_only_an_injection_control_shows_a_judge_that_obeys(tmp_path: Path) -> None:
    """The drawn controls give no orders, so such a judge passes them all."""
    judge = next(one for one in planted(()) if one.needs_file)
    easy = _gated(tmp_path / "easy", judge.rule, made=False)
    hard = _gated(tmp_path / "hard", judge.rule, made=True)

    assert easy.proof.state == "complete"
    assert hard.proof.state == "gate-failed"


# --- the sample -----------------------------------------------------------------------------------


def test_the_sample_has_what_can_be_forged(tmp_path: Path) -> None:
    """Two conditions, three arms, second attempts, undecided cells, a missing answer."""
    proof = build(tmp_path, rules=SAMPLE_RULES).proof
    run = read(tmp_path / "run")

    assert proof.state == "incomplete"
    assert {gate["arm"] for _, gate in run.facts("gate")} == {"positive", "negative", "injection"}
    assert any(run.facts("receipt", attempt=2))
    assert {fact["label"] for _, fact in run.facts("receipt")} == {"yes", "no", None}
    assert {fact["condition"] for _, fact in run.facts("intent")} == {"c1", "c2"}
    assert len({answers["rows"] for answers in run.plan["answers"]}) == 2


def test_damaged_questions_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken installation is no defect that was caught."""
    (tmp_path / "selftest").mkdir()
    (tmp_path / "selftest" / "questions.yaml").write_text("questions: [{id: one}]\n")
    monkeypatch.setattr("judge.selftest.sample.packs.shipped", lambda _: tmp_path)

    with pytest.raises(InputError, match="not the questions that came with judge"):
        build(tmp_path)


def test_a_sample_that_is_not_sealed_shows_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is nothing to plant defects in, so it is no success."""
    monkeypatch.setattr(Progress, "sealable", lambda _: None)

    with pytest.raises(VerificationError, match="the sample run was not sealed"):
        run_trial(tmp_path, 1, 0)


def test_an_accident_is_no_refusal(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A verifier that falls over has not seen the defect."""
    monkeypatch.setattr(Progress, "feed", lambda *_: 1 / 0)

    assert trial._missed(small, RULES) == "ZeroDivisionError instead of a refusal"
