"""judge/planning.py: a configuration in, a frozen run folder out, or nothing at all."""

import os
import stat
from fractions import Fraction
from pathlib import Path

import orjson
import pytest
from smallfiles import KEY, SALT, configured

from judge import planning
from judge.canonical import digest
from judge.config import AnswersConfig, JudgeConfig, Limits, RunConfig
from judge.errors import InputError, StorageError
from judge.folder import Frozen
from judge.planning import Estimate, estimate, freeze
from judge.questions import Questions

GPT = JudgeConfig(provider="openai", model="gpt-4o-2024-08-06")
CONTROL = "{{id: {id}, arm: {arm}, type: t, question: Q, gold: G, response: R, expect: {expect}}}"


def _frozen(config: RunConfig, folder: Path) -> Frozen:
    return freeze(config, folder / "run", SALT, {})


def _refused(config: RunConfig, folder: Path) -> str:
    """Return why a configuration is refused; nothing may be left of it."""
    before = sorted(folder.iterdir())
    with pytest.raises(InputError) as caught:
        _frozen(config, folder)
    assert sorted(folder.iterdir()) == before
    return str(caught.value)


def _controls(folder: Path, name: str, *rows: tuple[str, str, str]) -> str:
    path = folder / name
    lines = [
        "  - " + CONTROL.format(id=one, arm=arm, expect=expect) + "\n" for one, arm, expect in rows
    ]
    path.write_text("controls:\n" + "".join(lines), encoding="utf-8")
    return str(path)


# --- what is frozen -------------------------------------------------------------------------------


def test_a_plan_has_a_condition_for_each_answers_rubric_and_judge(tmp_path: Path) -> None:
    """In that order, numbered, and named after what it is made of."""
    config = configured(tmp_path, "a", "b", judges=(GPT, JudgeConfig(provider="lexical")))
    with _frozen(config, tmp_path) as found:
        names = [(c.id, c.name) for c in found.plan.conditions]

    assert names == [
        ("c1", "a | correctness/v1 | gpt-4o-2024-08-06"),
        ("c2", "a | correctness/v1 | lexical"),
        ("c3", "b | correctness/v1 | gpt-4o-2024-08-06"),
        ("c4", "b | correctness/v1 | lexical"),
    ]


def test_a_plan_repeats_what_was_configured(tmp_path: Path) -> None:
    """And names its sources by base name and digest."""
    config = configured(
        tmp_path,
        "a",
        threshold="11/12",
        seed=3,
        batch_size=2,
        repetitions=2,
        reask=1,
        limit=6,
        limits=Limits(max_tokens_total=9000),
    )
    with _frozen(config, tmp_path) as found:
        plan = found.plan

    assert (plan.gate.threshold, plan.gate.seed, plan.gate.batch_size) == ("11/12", 3, 2)
    assert (plan.repetitions, plan.reask, plan.questions) == (2, 1, 6)
    assert [(s.role, s.name, s.file) for s in plan.sources] == [
        ("answers", "a", "a.jsonl"),
        ("references", "references", "key.json"),
    ]
    assert [entry.name for entry in plan.inputs] == sorted(entry.name for entry in plan.inputs)


def test_the_plans_digest_holds_no_salt_and_no_environment(tmp_path: Path) -> None:
    """So that it can be published before the run, and reproduced."""
    config = configured(tmp_path)
    ids = set()
    digests = set()
    for number, salt in enumerate((SALT, "00" * 32)):
        with freeze(config, tmp_path / f"run{number}", salt, {"python": str(number)}) as found:
            ids.add(found.run_id)
            digests.add(found.manifest.plan_sha256)

    assert (len(digests), len(ids)) == (1, 2)


def test_a_missing_answer_is_counted(tmp_path: Path) -> None:
    """By set."""
    with _frozen(configured(tmp_path, "a", "b"), tmp_path) as found:
        assert [(s.name, s.rows, s.missing) for s in found.plan.answers] == [
            ("a", 9, 0),
            ("b", 8, 1),
        ]


def test_a_folder_is_its_owners_alone(tmp_path: Path) -> None:
    """Answers may not be for everybody's eyes."""
    _frozen(configured(tmp_path), tmp_path).close()
    modes = {
        stat.S_IMODE(path.stat().st_mode)
        for path in [tmp_path / "run", *(tmp_path / "run").rglob("*")]
    }

    assert modes == {0o700, 0o600}


def test_what_every_run_has_is_written_before_it_has_its_name(tmp_path: Path) -> None:
    """So that no crash leaves a folder without its first line."""
    seen: list[bool] = []

    def begin(found: Frozen) -> None:
        seen.append((tmp_path / "run").exists())
        (found.folder / "receipts.jsonl").write_bytes(b"first")

    freeze(configured(tmp_path), tmp_path / "run", SALT, {}, begin).close()

    assert seen == [False]
    assert (tmp_path / "run" / "receipts.jsonl").read_bytes() == b"first"


def test_what_is_worth_a_look_is_told(tmp_path: Path) -> None:
    """A sentence each."""
    config = configured(tmp_path)
    (tmp_path / "a.jsonl").write_bytes(
        b"".join(
            orjson.dumps({"question_id": row["question_id"], "hypothesis": "The same."}) + b"\n"
            for row in KEY
        )
    )
    told: list[str] = []
    freeze(config, tmp_path / "run", SALT, {}, note=told.append).close()

    assert any("a.jsonl" in sentence for sentence in told)
    # Nobody needs to listen.
    freeze(config, tmp_path / "again", SALT, {}).close()


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("a.jsonl", "a"),
        ("_a.jsonl", "a"),
        ("my answers.jsonl", "my_answers"),
        ("antworten-ä.jsonl", "antworten-_"),
        ("答.jsonl", "answers"),
        ("x" * 150 + ".jsonl", "x" * 100),
    ],
)
def test_answers_are_named_after_their_file(tmp_path: Path, file: str, name: str) -> None:
    """As far as a name can hold it."""
    config = configured(tmp_path)
    (tmp_path / "a.jsonl").rename(tmp_path / file)
    config = config.model_copy(update={"answers": (AnswersConfig(file=str(tmp_path / file)),)})

    with _frozen(config, tmp_path) as found:
        assert [answers.name for answers in found.plan.answers] == [name]


# --- controls -------------------------------------------------------------------------------------


def test_hand_made_controls_join_the_draw(tmp_path: Path) -> None:
    """After it, file by file, and named in the plan."""
    files = (
        _controls(tmp_path, "one.yaml", ("x1", "positive", "accept")),
        _controls(tmp_path, "two.yaml", ("x1", "injection", "reject")),
    )
    with _frozen(configured(tmp_path, controls=files), tmp_path) as found:
        assert [control.source for control in found.controls] == ["drawn"] * 6 + ["one", "two"]
        assert found.plan.gate.controls == ("one", "two")
        assert [source.role for source in found.plan.sources][-2:] == ["controls"] * 2


def test_hand_made_controls_may_stand_alone(tmp_path: Path) -> None:
    """Without a draw."""
    file = _controls(
        tmp_path, "one.yaml", ("x1", "positive", "accept"), ("x2", "negative", "reject")
    )
    config = configured(tmp_path, controls=(file,), positive=0, negative=0)

    with _frozen(config, tmp_path) as found:
        assert [control.arm for control in found.controls] == ["positive", "negative"]


@pytest.mark.parametrize("arm", ["positive", "negative"])
def test_an_arm_that_is_empty_is_refused(tmp_path: Path, arm: str) -> None:
    """The gate could not fail there."""
    found = _refused(configured(tmp_path, **{arm: 0}), tmp_path)

    assert f"the {arm} arm is empty" in found
    assert f"raise --{arm}, or add a file with --controls" in found


def test_an_answer_that_is_a_control_of_a_file_is_refused(tmp_path: Path) -> None:
    """Its right label is known to whoever wrote the file."""
    file = _controls(tmp_path, "one.yaml", ("u1", "positive", "accept"))

    assert "item 'u1' is both an answer of this run and a control of a file" in _refused(
        configured(tmp_path, controls=(file,)), tmp_path
    )


def test_a_control_that_expects_what_is_not_offered_is_refused(tmp_path: Path) -> None:
    """Before anything is asked."""
    file = _controls(tmp_path, "one.yaml", ("x1", "positive", "[perhaps]"))

    assert "control 'x1' expects ['perhaps'], but correctness/v1 offers yes, no" in _refused(
        configured(tmp_path, controls=(file,)), tmp_path
    )


def test_the_draw_comes_from_the_routes_that_are_in_use(tmp_path: Path) -> None:
    """Rows of other routes show nothing about this run."""
    with _frozen(configured(tmp_path, only=("type=temporal-reasoning",)), tmp_path) as found:
        assert {control.type for control in found.controls} == {"temporal-reasoning"}
        assert {row.type for row in found.references()} == {"temporal-reasoning"}


# --- what is selected -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("only", "ids"),
    [
        ("route=abstention", {"a0_abs", "a1_abs", "a2_abs"}),
        ("route=temporal-reasoning,abstention", {"a0_abs", "a1_abs", "a2_abs", "t0", "t1", "t2"}),
    ],
)
def test_a_route_selects_its_questions(tmp_path: Path, only: str, ids: set[str]) -> None:
    """By the name of the template they take."""
    with _frozen(configured(tmp_path, only=(only,)), tmp_path) as found:
        assert {item.id for item in found.items()} == ids


def test_routes_given_twice_must_both_hold(tmp_path: Path) -> None:
    """Repeated means and."""
    only = ("route=base,abstention", "route=abstention,temporal-reasoning")

    with _frozen(configured(tmp_path, only=only), tmp_path) as found:
        assert {item.id for item in found.items()} == {"a0_abs", "a1_abs", "a2_abs"}


def test_a_route_that_is_none_is_refused(tmp_path: Path) -> None:
    """The sentence lists the routes."""
    found = _refused(configured(tmp_path, only=("route=bas",)), tmp_path)

    assert found.startswith("--only route=bas: the routes are abstention, base, knowledge-update")


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"rubrics": ()}, "no rubric; name one with --rubric"),
        ({"rubrics": ("correctness/v1",) * 2}, "rubric 'correctness/v1' is named twice"),
        ({"rubrics": ("none/v1",)}, "no rubric is named 'none/v1'"),
        ({"judges": ()}, "no judge; name one with --judge: openai/MODEL, anthropic/MODEL"),
        ({"judges": (GPT, GPT)}, "judge 'gpt-4o-2024-08-06' is named twice"),
        ({"answers": ()}, "no saved answers; name a file with --answers FILE"),
        ({"threshold": "0.5"}, "must be above 1/2"),
        ({"threshold": "most"}, "neither a decimal"),
        ({"controls": ("none",)}, "no control file is named 'none'"),
        ({"positive": 2}, "2 positive controls cannot cover 3 routes"),
        ({"negative": 30}, "reference rows and the draw needs 10 negative"),
        ({"only": ("id=none",)}, "none"),
        (
            {"judges": (GPT.model_copy(update={"settings": {"messages": []}}),)},
            "setting 'messages' belongs to the harness",
        ),
        (
            {"judges": (JudgeConfig(provider="anthropic", model="claude-opus-5-5"),)},
            "setting 'n' is not one the Messages API takes|setting 'temperature'",
        ),
        (
            {
                "judges": (GPT.model_copy(update={"unset": ("max_tokens",)}),),
                "limits": Limits(max_tokens_total=9),
            },
            "--max-tokens-total needs an output limit",
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else value[:25],
)
def test_what_cannot_be_judged_is_refused(
    tmp_path: Path, changes: dict[str, object], what: str
) -> None:
    """Before anything is sent, and nothing is left behind."""
    found = _refused(configured(tmp_path, **changes), tmp_path)

    assert any(part in found for part in what.split("|"))


def test_two_sets_of_one_name_are_refused(tmp_path: Path) -> None:
    """Give each its own."""
    config = configured(tmp_path)

    assert "answers 'a' is named twice" in _refused(
        config.model_copy(update={"answers": config.answers * 2}), tmp_path
    )


PACK = """
rubric: mine
edition: v1
fill: format
fields: [question, gold, response]
templates:
  base: {{file: t.txt, sha256: {sha}}}
  abstention: {{file: t.txt, sha256: {sha}, gold: explanation}}
routes: [{{id_contains: _abs, template: abstention}}, {{template: base}}]
labels: ["yes", "no"]
accept: "yes"
readings: {{strict: yes-no/1, upstream: yes-no/1}}
settings: {{max_tokens: 10}}
"""


def _pack(folder: Path, routes: str = "") -> str:
    """Write a rubric of one's own with two templates, and return its path."""
    text = "Q {} G {} R {}"
    (folder / "t.txt").write_text(text + "\n", encoding="utf-8")
    found = PACK.format(sha=digest(text.encode()))
    ours = "[{id_contains: _abs, template: abstention}, {template: base}]"
    (folder / "mine.yaml").write_text(found.replace(ours, routes or ours), encoding="utf-8")
    return str(folder / "mine.yaml")


@pytest.mark.parametrize(
    ("one", "abstention", "what"),
    [
        (
            "u1",
            True,
            "item 'u1' of a is an abstention question by its row, but mine/v1 sends it to",
        ),
        ("a1_abs", False, "item 'a1_abs' of a is no abstention question by its row, but mine/v1"),
    ],
)
def test_an_abstention_question_goes_where_its_gold_is_an_explanation(
    tmp_path: Path, one: str, what: str, *, abstention: bool
) -> None:
    """A row that says otherwise than its route is mended first."""
    config = configured(tmp_path, rubrics=(_pack(tmp_path),))
    rows = [{**row, "abstention": abstention} if row["question_id"] == one else row for row in KEY]
    _frozen(config, tmp_path / "sound").close()
    (tmp_path / "key.json").write_bytes(orjson.dumps(rows))

    assert what in _refused(config, tmp_path)


def _relabelled(folder: Path, labels: str, accept: str, reading: str) -> str:
    """Write a rubric of one's own with other labels, and return its path."""
    path = Path(_pack(folder))
    text = path.read_text(encoding="utf-8").replace('["yes", "no"]', labels)
    text = text.replace('accept: "yes"', f"accept: {accept}")
    path.write_text(text.replace("yes-no/1", reading), encoding="utf-8")
    return str(path)


def test_a_rubric_whose_reading_never_gives_its_label_is_refused(tmp_path: Path) -> None:
    """No reply could be judged so."""
    pack = _relabelled(tmp_path, '["yes", maybe]', '"yes"', "yes-no/1")

    assert "its reading yes-no/1 never gives the label 'maybe'" in _refused(
        configured(tmp_path, rubrics=(pack,)), tmp_path
    )


def test_the_embedded_judge_takes_only_rubrics_that_read_a_bare_label(tmp_path: Path) -> None:
    """A language model may be asked for more."""
    pack = _relabelled(tmp_path, "[C, I]", "C", "grade-cpi/1")

    assert "the embedded judge replies with a bare label" in _refused(
        configured(tmp_path, rubrics=(pack,)), tmp_path
    )
    _frozen(configured(tmp_path, rubrics=(pack,), judges=(GPT,)), tmp_path).close()


def test_rows_of_the_key_that_no_route_takes_are_left_out(tmp_path: Path) -> None:
    """Unless they are to be judged."""
    routes = "[{type: temporal-reasoning, template: base}, {type: x, template: abstention}]"
    pack = _pack(tmp_path, routes)
    config = configured(tmp_path, rubrics=(pack,), only=("type=temporal-reasoning",))
    with _frozen(config, tmp_path) as found:
        assert {row.type for row in found.references()} == {"temporal-reasoning"}

    (tmp_path / "other").mkdir()
    assert "no route takes item 'u0'" in _refused(
        config.model_copy(update={"only": ()}), tmp_path / "other"
    )


def test_a_folder_that_is_there_is_not_touched(tmp_path: Path) -> None:
    """Whatever it is; the current folder too."""
    (tmp_path / "run").mkdir()
    assert "run exists; choose another --out, or `judge resume` it" in _refused(
        configured(tmp_path), tmp_path
    )
    for folder in (Path(), Path(".."), Path("/")):
        with pytest.raises(InputError, match="exists; choose another --out"):
            freeze(configured(tmp_path), folder, SALT, {})


def test_nobody_elses_folder_is_taken_for_a_leftover(tmp_path: Path) -> None:
    """`run.partial` may be somebody's work."""
    mine = tmp_path / "run.partial"
    mine.mkdir()
    (mine / "notes.txt").write_text("mine", encoding="utf-8")
    _frozen(configured(tmp_path), tmp_path).close()

    assert (mine / "notes.txt").read_text(encoding="utf-8") == "mine"


def test_a_folder_that_cannot_be_written_is_a_storage_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 7, and nothing is left behind."""
    config = configured(tmp_path)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError, match="file/run: "):
        freeze(config, tmp_path / "file" / "run", SALT, {})
    before = sorted(tmp_path.iterdir())

    def full(_: int) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="No space left on device"):
        _frozen(config, tmp_path)
    assert sorted(tmp_path.iterdir()) == before


def test_an_interrupt_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C while prompts are rendered."""
    config = configured(tmp_path)
    before = sorted(tmp_path.iterdir())

    def interrupt(_: Frozen) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(planning, "estimate", interrupt)
    with pytest.raises(KeyboardInterrupt):
        _frozen(config, tmp_path)
    assert sorted(tmp_path.iterdir()) == before


# --- what it takes --------------------------------------------------------------------------------


def _estimated(folder: Path, **changes: object) -> Estimate:
    folder.mkdir()
    with _frozen(configured(folder, judges=(GPT,), **changes), folder) as found:
        return estimate(found)


def test_an_estimate_counts_calls_bytes_and_tokens(tmp_path: Path) -> None:
    """Without retries: every repetition, and controls before each batch."""
    once = _estimated(tmp_path / "once")
    twice = _estimated(tmp_path / "twice", repetitions=2)
    batched = _estimated(tmp_path / "batched", batch_size=5)

    assert (once.control_calls, once.answer_calls) == (6, 9)
    assert (twice.control_calls, twice.answer_calls) == (12, 18)
    assert (batched.control_calls, batched.answer_calls) == (12, 9)
    assert once.tokens_max is not None
    assert (twice.prompt_bytes, twice.tokens_max) == (2 * once.prompt_bytes, 2 * once.tokens_max)
    assert once.prompt_bytes < batched.prompt_bytes < twice.prompt_bytes


def test_an_estimate_is_the_size_of_the_bodies(tmp_path: Path) -> None:
    """Of every question, once."""
    with _frozen(configured(tmp_path, judges=(GPT,)), tmp_path) as found:
        asked = [Questions(found).of(cell) for cell in found.layout.order()]

        assert estimate(found).prompt_bytes == sum(len(question.body) for question in asked)
        assert estimate(found).tokens_max == sum(question.tokens_max or 0 for question in asked)


def test_without_an_output_limit_nobody_knows_the_cost(tmp_path: Path) -> None:
    """The estimate says so."""
    judge = GPT.model_copy(update={"unset": ("max_tokens",)})
    with _frozen(configured(tmp_path, judges=(judge,)), tmp_path) as found:
        assert estimate(found).tokens_max is None


def test_the_embedded_judge_costs_nothing(tmp_path: Path) -> None:
    """No tokens, though bytes are counted."""
    with _frozen(configured(tmp_path), tmp_path) as found:
        assert estimate(found) == Estimate(
            control_calls=6,
            answer_calls=9,
            prompt_bytes=estimate(found).prompt_bytes,
            tokens_max=0,
            cost_max=Fraction(0),
        )
