"""judge/preregistration.py, intended.py, prices.py: what was promised is what runs, or nothing."""

import hashlib
import re
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import orjson
import pytest
from openruns import configured as small
from smallrun import SmallJudge, configured, lines, ran, resumed
from stretches import EXAMPLES

import judge
from judge import packs
from judge.cli import main
from judge.config import (
    AnswersConfig,
    ComparatorConfig,
    JudgeConfig,
    Limits,
    PriceConfig,
    ReferencesConfig,
    RunConfig,
    StudyConfig,
)
from judge.config import read as read_config
from judge.errors import InputError, VerificationError
from judge.folder import Frozen
from judge.preregistration import publish
from judge.prices import price_of
from judge.records import Contrast
from judge.recount import recount


def _config(folder: Path, **changes: object) -> RunConfig:
    """A run of the examples by the embedded judge, its files in a folder of the test's own."""
    for name in ("pass-1.jsonl", "references.json"):
        if not (folder / name).exists():
            shutil.copyfile(EXAMPLES / name, folder / name)
    config = RunConfig(
        answers=(AnswersConfig(file=str(folder / "pass-1.jsonl")),),
        references=ReferencesConfig(file=str(folder / "references.json")),
        judges=(JudgeConfig(provider="lexical"),),
    )
    return config.model_copy(update=changes)


def _frozen(folder: Path, config: RunConfig) -> Path:
    planned = judge.plan(config)
    path = folder / "plan.json"
    assert publish(planned.plan, path) == planned.plan_sha256
    return path


def test_the_plan_that_was_frozen_runs(tmp_path: Path) -> None:
    """Its digest is the run's; the digest alone is enough to hold a run to it."""
    config = _config(tmp_path)
    path = _frozen(tmp_path, config)
    said = orjson.loads(path.read_bytes())
    outcome = judge.run(config, tmp_path / "run", plan=path)
    again = judge.run(config, tmp_path / "again", plan=said["plan_sha256"])

    assert outcome.proof.manifest.plan_sha256 == said["plan_sha256"]
    assert again.proof.manifest.plan_sha256 == said["plan_sha256"]


def _answers(folder: Path) -> RunConfig:
    path = folder / "pass-1.jsonl"
    path.write_bytes(path.read_bytes().replace(b"dachshund", b"dachshunt", 1))
    return _config(folder)


def _key(folder: Path) -> RunConfig:
    path = folder / "references.json"
    path.write_bytes(path.read_bytes().replace(b"dachshund", b"dachshunt", 1))
    return _config(folder)


CHANGES: dict[str, tuple[Callable[[Path], RunConfig], str]] = {
    "answers": (_answers, "answers pass-1: pass-1.jsonl has changed"),
    "key": (_key, "references references: references.json has changed"),
    "threshold": (
        lambda folder: _config(folder, threshold="0.91"),
        'gate.threshold is "0.91", the plan says "0.9"',
    ),
    "model": (
        lambda folder: _config(
            folder, judges=(JudgeConfig(provider="openai", model="gpt-4o-2024-08-06"),)
        ),
        'judges[1].model is "gpt-4o-2024-08-06", the plan says "lexical/1"',
    ),
    "repetitions": (lambda folder: _config(folder, repetitions=2), "repetitions is 2"),
    "seed": (lambda folder: _config(folder, seed=1), "gate.seed is 1, the plan says 0"),
    "selection": (
        lambda folder: _config(folder, only=("type=knowledge-update",)),
        "selection.only",
    ),
    "study": (
        lambda folder: _config(folder, study=StudyConfig(margin="0.05")),
        "study is {",
    ),
    "second answers": (
        lambda folder: _config(
            folder,
            answers=(
                AnswersConfig(file=str(folder / "pass-1.jsonl")),
                AnswersConfig(file=str(EXAMPLES / "pass-2.jsonl")),
            ),
        ),
        "answers pass-2 is not in the plan",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_run_that_differs_is_refused(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The change is named, nothing is sent, and no folder is left."""
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    path = _frozen(tmp_path, _config(tmp_path))
    changed, sentence = CHANGES[change]
    config = changed(tmp_path)
    with pytest.raises(InputError) as refused:
        judge.run(config, tmp_path / "run", plan=path)

    assert sentence in str(refused.value)
    assert not (tmp_path / "run").exists()
    assert not list(tmp_path.glob("run.partial*"))


def test_a_changed_template_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One byte of a rubric's text: its pin differs."""
    home = tmp_path / "rubrics"
    shutil.copytree(packs.shipped("templates") / "correctness", home / "correctness")
    source = home / "correctness" / "v1.yaml"
    config = _config(tmp_path, rubrics=(str(source),))
    path = _frozen(tmp_path, config)
    text = next(
        p for p in (home / "correctness").rglob("*") if p.suffix in {".j2", ".txt", ".jinja"}
    )
    before = packs.load(str(source)).pin
    data = text.read_bytes()
    text.write_bytes(data.replace(b".", b"!", 1))
    old, new = (
        hashlib.sha256(part.removesuffix(b"\n")).hexdigest() for part in (data, text.read_bytes())
    )
    pinned = source.read_text("utf-8").replace(old, new)
    # Whoever edits a pack with care takes its own pin away too: the plan still knows.
    source.write_text(re.sub(r"(?m)^pin: .*\n", "", pinned), encoding="utf-8")
    assert packs.load(str(source)).pin != before
    with pytest.raises(InputError, match=r"rubric correctness/v1 has changed: its pin is"):
        judge.run(config, tmp_path / "run", plan=path)


def test_a_digest_alone_says_only_that_something_differs(tmp_path: Path) -> None:
    """It asks for the file, which can name the change."""
    with pytest.raises(InputError, match="give the frozen file"):
        judge.run(_config(tmp_path), tmp_path / "run", plan="0" * 64)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"{}", "not a frozen plan"),
        (b"{", "not a frozen plan"),
        (b'{"plan":{},"plan_sha256":"","v":1}\n', "not a plan this version can read"),
        (b'{"plan":{},"plan_sha256":"","v":99}\n', "version 99 of a frozen plan is not known"),
        (b'{"plan":{},"plan_sha256":"","v":true}\n', "version True of a frozen plan is not known"),
    ],
)
def test_a_file_that_is_no_plan_is_refused(data: bytes, sentence: str, tmp_path: Path) -> None:
    """One sentence; so is a plan whose digest was not made from it, and a missing file."""
    path = tmp_path / "plan.json"
    path.write_bytes(data)
    with pytest.raises(InputError, match=sentence):
        judge.run(_config(tmp_path), tmp_path / "run", plan=path)
    path.unlink()
    with pytest.raises(InputError, match="No such file"):
        judge.run(_config(tmp_path), tmp_path / "run", plan=path)
    edited = _frozen(tmp_path, _config(tmp_path))
    edited.write_bytes(edited.read_bytes().replace(b'"0.9"', b'"0.8"'))
    with pytest.raises(InputError, match="was changed"):
        judge.run(_config(tmp_path), tmp_path / "run", plan=edited)


def test_a_frozen_plan_is_not_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 2, and the file stays."""
    _config(tmp_path)
    words = ["--answers", str(tmp_path / "pass-1.jsonl"), "--judge", "lexical"]
    words += ["--references", str(tmp_path / "references.json")]
    target = str(tmp_path / "p.json")
    assert main(["plan", *words, "--freeze", target]) == 0
    kept = (tmp_path / "p.json").read_bytes()
    assert main(["plan", *words, "--freeze", target]) == 2
    assert "not written over" in capsys.readouterr().err
    assert (tmp_path / "p.json").read_bytes() == kept


# --- what is fixed of a study -------------------------------------------------------------------


def _study(tmp_path: Path) -> StudyConfig:
    dossier = tmp_path / "dossier.csv"
    dossier.write_text("id,class,reason\nuser-01,wrong gold,two breeds fit\n", encoding="utf-8")
    source = tmp_path / "paper.txt"
    source.write_text("477 of 500\n", encoding="utf-8")
    return StudyConfig(
        contrasts=(Contrast(name="passes", vary="answers"),),
        exclusions=str(dossier),
        comparators=(ComparatorConfig(name="paper", count=477, n=500, source=str(source)),),
        margin="0.02",
        allowed_breaks=1,
    )


def _both(tmp_path: Path) -> tuple[AnswersConfig, ...]:
    return (
        AnswersConfig(file=str(tmp_path / "pass-1.jsonl")),
        AnswersConfig(file=str(EXAMPLES / "pass-2.jsonl")),
    )


def test_a_study_block_is_frozen_and_verified(tmp_path: Path) -> None:
    """Rows, sources and margin stand in the plan; the run verifies, and a changed plan does not."""
    _config(tmp_path)
    config = _config(tmp_path, study=_study(tmp_path), answers=_both(tmp_path))
    outcome = judge.run(config, tmp_path / "run")
    study = outcome.proof.plan.study

    assert study is not None
    assert study.exclusions is not None
    assert [row.id for row in study.exclusions.rows] == ["user-01"]
    assert study.comparators[0].source == "paper.txt"
    assert (study.margin, study.allowed_breaks) == ("0.02", 1)
    assert read_config(tmp_path / "run" / "inputs" / "run.yaml").study is not None
    found = judge.load(tmp_path / "run").study()
    assert [one.fixed_before for one in found.exclusions] == [True, True]
    assert [one.name for one in found.contrasts] == ["passes"]
    assert found.comparators[0].comparators[0].comparable is False


@pytest.mark.parametrize(
    ("study", "sentence"),
    [
        (StudyConfig(margin="two"), "study.margin is 'two'"),
        (StudyConfig(margin="1e-99999999"), "study.margin is '1e-99999999'"),
        (StudyConfig(margin="0"), "study.margin is '0'"),
        (StudyConfig(contrasts=(Contrast(name="x", vary="judge"),)), "nothing varies"),
        (StudyConfig(contrasts=(Contrast(name="x", first="c1", second="c9"),)), "no condition c9"),
        (StudyConfig(contrasts=(Contrast(name="x", first="c1"),)), "two different conditions"),
        (
            StudyConfig(contrasts=(Contrast(name="x", vary="answers", first="c1"),)),
            "not both",
        ),
        (
            StudyConfig(contrasts=(Contrast(name="x", vary="answers"),) * 2),
            "two are named 'x'",
        ),
        (
            StudyConfig(comparators=(ComparatorConfig(name="p", count=3, n=2, source="x"),)),
            "3 of 2 cannot be",
        ),
        (
            StudyConfig(comparators=(ComparatorConfig(name="p", count=1, n=2, source="gone"),)),
            "gone: No such file",
        ),
        (
            StudyConfig(
                comparators=(ComparatorConfig(name="p", count=1, n=2, source="https://x.test/"),)
            ),
            "an address needs the sha256",
        ),
    ],
    ids=str,
)
def test_a_study_block_that_cannot_be_is_refused(
    study: StudyConfig, sentence: str, tmp_path: Path
) -> None:
    """One sentence that names the field."""
    _config(tmp_path)
    with pytest.raises(InputError, match=sentence):
        judge.plan(_config(tmp_path, study=study, answers=_both(tmp_path)))


def test_a_questioned_row_must_be_in_the_key(tmp_path: Path) -> None:
    """An id that no row of the answer key has is a slip, not an exclusion."""
    dossier = tmp_path / "d.csv"
    dossier.write_text("id,class,reason\nnobody,x,y\n", encoding="utf-8")
    with pytest.raises(InputError, match="'nobody' is no row of the answer key"):
        judge.plan(_config(tmp_path, study=StudyConfig(exclusions=str(dossier))))


# --- answer lines -------------------------------------------------------------------------------


def _lined(folder: Path, *, missing: bool = False) -> RunConfig:
    config = _config(folder, extract="last-answer-line", only=("id=user-01,user-02",))
    rows = [orjson.loads(line) for line in (EXAMPLES / "pass-1.jsonl").read_bytes().splitlines()]
    for number, row in enumerate(rows):
        if not (missing and number == 1):
            row["hypothesis"] = f"Let me think.\nAnswer: {row['hypothesis']}"
    data = b"".join(orjson.dumps(row) + b"\n" for row in rows)
    (folder / "pass-1.jsonl").write_bytes(data)
    return config


def test_an_answer_line_is_judged_and_both_texts_are_kept(tmp_path: Path) -> None:
    """The judge reads what follows `Answer:`; the whole answer stands beside it."""
    outcome = judge.run(_lined(tmp_path), tmp_path / "run")
    rows = judge.load(tmp_path / "run").judgments

    assert outcome.exit_code == 0
    assert [row.saved for row in rows] == [f"Let me think.\nAnswer: {row.response}" for row in rows]


def test_an_answer_without_a_line_is_refused(tmp_path: Path) -> None:
    """All of them are counted, and the first is named."""
    with pytest.raises(InputError, match=r"1 saved answers have no line .* 'user-02'"):
        judge.plan(_lined(tmp_path, missing=True))


def test_a_response_that_was_not_extracted_does_not_verify(tmp_path: Path) -> None:
    """Even where every digest was made anew."""
    judge.run(_lined(tmp_path), tmp_path / "run")
    with Frozen(tmp_path / "run") as frozen:
        item = frozen.item(0)
        changed = item.model_copy(update={"saved": "Answer: something else"})
        with pytest.raises(VerificationError, match="is not what the plan takes"):
            frozen._check_extracted(0, changed)
        plain = item.model_copy(update={"saved": None})
        with pytest.raises(VerificationError, match="is not what the plan takes"):
            frozen._check_extracted(0, plain)


# --- cost ---------------------------------------------------------------------------------------

_PRICE = PriceConfig(input="1", output="10")


def _priced(provider_url: str, **limits: object) -> RunConfig:
    config = configured("openai", provider_url)
    [only] = config.judges
    return config.model_copy(
        update={
            "judges": (only.model_copy(update={"price": _PRICE}),),
            "limits": Limits.model_validate({**dict(config.limits), **limits}),
        }
    )


def test_a_cost_cap_stops_before_it_is_passed_and_can_be_raised(tmp_path: Path) -> None:
    """Exit 5, resumable; what was spent at most stays below the cap."""
    with SmallJudge() as server:
        config = _priced(server.base_url("openai"), max_cost_usd="0.001", max_connections=1)
        found = ran(config, tmp_path / "run")
        halted = found.outcome
        spent = halted.proof.spending
        price = price_of(config.judges[0])
        assert price is not None
        prices = {"c1": price}

        assert halted.exit_code == 5
        assert halted.halt is not None
        assert halted.halt.cause == "cost_cap"
        assert Fraction(0) < spent.cost(prices) <= Fraction("0.001")
        assert lines(tmp_path / "run")[-1].public["cause"] == "cost_cap"
        done = resumed(found, max_cost_usd="1.00")  # type: ignore[arg-type]

    assert done.outcome.exit_code == 0
    assert recount(tmp_path / "run").tally.stops == ["cost_cap"]


def test_a_cap_needs_a_known_price(tmp_path: Path) -> None:
    """Behind an address of one's own nobody knows it, so it must be given."""
    with SmallJudge() as server:
        config = configured("openai", server.base_url("openai"))
        limits = config.limits.model_copy(update={"max_cost_usd": "1"})
        with pytest.raises(InputError, match="needs a price for gpt-4o-2024-08-06"):
            ran(config, tmp_path / "run", {"limits": limits})

    assert server.requests == []


def test_prices_are_those_of_the_provider_or_as_given() -> None:
    """A list price at the provider's own address only; the embedded rule costs nothing."""
    official = JudgeConfig(provider="openai", model="gpt-4o-2024-08-06")
    known = price_of(official)

    assert known is not None
    assert known.output > known.input > 0
    assert price_of(official.model_copy(update={"base_url": "http://127.0.0.1:1/v1"})) is None
    assert price_of(official.model_copy(update={"model": "no-such-model"})) is None
    given = price_of(official.model_copy(update={"price": _PRICE}))
    assert given == (Fraction(1, 1_000_000), Fraction(1, 100_000))
    assert price_of(JudgeConfig(provider="lexical")) == (Fraction(0), Fraction(0))


def test_a_plan_says_what_it_costs_and_can_show(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tokens by the model's own tokenizer, a worst case, the gate's power, the least difference."""
    _config(tmp_path)
    words = [
        *("plan", "--judge", "openai/gpt-4o-2024-08-06"),
        *("--answers", str(EXAMPLES / "pass-1.jsonl"), "--answers", str(EXAMPLES / "pass-2.jsonl")),
        *("--references", str(EXAMPLES / "references.json")),
    ]
    assert main(words) == 0
    said = capsys.readouterr().out

    assert "by o200k_base" in said
    assert "with every reply as long as it may be" in said
    assert "one right 90% of the time with 0.66, one right 80% of the time with 0.27" in said
    assert "fewer than 6 that differ, all one way" in said
    assert main([*words, "--json"]) == 0
    outlook = orjson.loads(capsys.readouterr().out)
    assert outlook["cost_max"]["value"] > outlook["judges"][0]["cost_max"]["value"] > 0


def test_an_unknown_price_is_called_unknown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And tokens that nobody can count are called estimated."""
    words = [
        *("plan", "--judge", "openai/my-model", "--base-url", "http://127.0.0.1:9/v1"),
        *("--answers", str(EXAMPLES / "pass-1.jsonl")),
        *("--references", str(EXAMPLES / "references.json")),
    ]
    assert main(words) == 0
    said = capsys.readouterr().out

    assert "cost   my-model: unknown" in said
    assert "estimated" in said
    assert small(None).limits.max_cost_usd is None
    assert tmp_path.exists()


def test_two_plans_that_allow_different_breaks_decide_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Which one counts must be said, and then neither plan fixed it."""
    _config(tmp_path)
    for name, allowed in (("strict", 2), ("lax", 9)):
        study = StudyConfig(allowed_breaks=allowed)
        config = _config(tmp_path, answers=_both(tmp_path), study=study)
        judge.run(config, tmp_path / name)
    sides = [f"{tmp_path / 'strict'}#c1", f"{tmp_path / 'lax'}#c2"]

    assert main(["study", "improvement", *sides]) == 2
    assert "allow different numbers of breaks" in capsys.readouterr().err
    assert main(["study", "improvement", *sides, "--allowed-breaks", "9"]) == 0
    said = capsys.readouterr().out
    assert "9 allowed" in said
    assert "not fixed in a plan" in said


def test_questioned_rows_are_those_of_each_sides_own_plan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a plan for them a run is refused; what one plan fixed is post hoc in the other."""
    _config(tmp_path)
    dossier = tmp_path / "dossier.csv"
    dossier.write_text("id,class,reason\nuser-01,wrong gold,two fit\n", encoding="utf-8")
    for name, study in (("fixed", StudyConfig(exclusions=str(dossier))), ("free", None)):
        judge.run(_config(tmp_path, study=study), tmp_path / name)
    runs = [str(tmp_path / "fixed"), str(tmp_path / "free")]

    assert main(["study", "exclusions", *runs]) == 2
    assert "no plan fixed any rows of it" in capsys.readouterr().err
    assert main(["study", "exclusions", *runs, "--rows", str(dossier), "--json"]) == 0
    found = orjson.loads(capsys.readouterr().out)
    assert [each["fixed_before"] for each in found] == [True, False]


def test_the_plans_allowance_is_the_gates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Conditions named one by one: their plan's allowed breaks count, and that is said."""
    _config(tmp_path)
    config = _config(tmp_path, answers=_both(tmp_path), study=StudyConfig(allowed_breaks=9))
    judge.run(config, tmp_path / "run")
    sides = [f"{tmp_path / 'run'}#c1", f"{tmp_path / 'run'}#c2"]
    assert main(["study", "improvement", *sides]) == 0
    said = capsys.readouterr().out
    assert "passed: 6 broken of 39 right before, 9 allowed" in said
    assert "not fixed in a plan" not in said
    assert main(["study", "improvement", *sides, "--allowed-breaks", "0"]) == 0
    said = capsys.readouterr().out
    assert "rejected" in said
    assert "not fixed in a plan" in said
    assert main(["study", "rejudge", sides[0]]) == 0
    assert main(["study", "judges", f"{tmp_path / 'run'}#c1@2", sides[1]]) == 2
    assert "no such condition and repetition" in capsys.readouterr().err
