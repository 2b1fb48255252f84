"""judge/studies on smaller runs: several judges, undecided items, comparators, billed tokens."""

import hashlib
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import orjson
import pytest
from faultserver import JudgeServer
from openruns import NO_KEY
from openruns import ran as small_run
from stretches import EXAMPLES

import judge
from judge.cli import main
from judge.config import (
    AnswersConfig,
    ComparatorConfig,
    JudgeConfig,
    Limits,
    ReferencesConfig,
    RunConfig,
    StudyConfig,
)
from judge.errors import InputError
from judge.prices import _dearest
from judge.studies.columns import open_runs
from judge.studies.exclusions import exclude
from judge.studies.judges import judges, judges_of, reversals
from judge.studies.matching import match
from judge.studies.passes import passes_of
from judge.studies.rejudge import rejudge
from judge.studies.repeats import repeats_of
from judge.tokens import tokenizer

MODELS = ("gpt-4o-2024-08-06", "gpt-4o-mini-2024-07-18", "gpt-4o-2024-05-13")
KIND = "single-session-user"
_DECLINES = ("not ", "n't", "cannot", "no information", "unable", "incomplete")


def _response(prompt: str) -> tuple[str, str]:
    gold, _, rest = prompt.partition("\n\nReference answer: ")[2].partition("\n\nResponse: ")
    return gold, rest.rpartition("\n\n")[0]


def _answer(body: dict[str, object]) -> str:
    """The first judge is sound; the second rejects some long answers; the third is mute once."""
    messages = body["messages"]
    assert isinstance(messages, list)
    prompt = str(messages[-1]["content"])
    if "\n\nExplanation: " in prompt:
        response = prompt.partition("\n\nResponse: ")[2].rpartition("\n\n")[0]
        return "yes" if any(word in response for word in _DECLINES) else "no"
    gold, response = _response(prompt)
    right = gold in response
    if body["model"] == MODELS[1] and len(response) > len(gold) + 20:
        right = False
    if body["model"] == MODELS[2] and response != gold and "breed" in prompt:
        return "well"
    return "yes" if right else "no"


def _config(server: JudgeServer, **changes: object) -> RunConfig:
    config = RunConfig(
        answers=(
            AnswersConfig(name="pass1", file=str(EXAMPLES / "pass-1.jsonl")),
            AnswersConfig(name="pass2", file=str(EXAMPLES / "pass-2.jsonl")),
        ),
        references=ReferencesConfig(file=str(EXAMPLES / "references.json")),
        judges=tuple(
            JudgeConfig(
                provider="openai", model=model, base_url=server.base_url("openai"), key_env="none"
            )
            for model in MODELS
        ),
        only=(f"type={KIND}",),
        limits=Limits(deadline_s=20),
    )
    return config.model_copy(update=changes)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three judges, two passes, one item that the third says nothing readable of."""
    folder = tmp_path_factory.mktemp("three") / "run"
    with JudgeServer(_answer) as server:
        assert judge.run(_config(server), folder).exit_code == 4
    return folder


def test_several_judges_are_held_against_each_other(run: Path) -> None:
    """Every two, all together, without the item that one of them did not decide."""
    [opened] = open_runs([run])
    found = judges(opened.columns())

    assert [one.answers for one in found] == ["pass1", "pass2"]
    for one in found:
        assert [len(one.matrix), one.undecided] == [3, ("user-01",)]
        assert one.items == 12
        assert None not in {one.fleiss, one.krippendorff, one.ac1}
        first, second, third = one.accepted
        pair = next(p for p in one.matrix if (p.first, p.second) == (MODELS[0], MODELS[1]))
        assert pair.stricter == MODELS[1]
        assert len(pair.disagreements) == first - second
        assert first == third
        assert sum(each.first_only for each in pair.types) == pair.pairs.first_only


def test_an_incomplete_run_says_counts_and_no_rate(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The page lists the undecided item with its reason and its raw reply."""
    assert main(["report", str(run), "--out", str(tmp_path / "r.html")]) == 0
    figures = tmp_path / "figures"
    words = ["report", str(run), "--out", str(tmp_path / "b.html"), "--figures", str(figures)]
    assert main(words) == 0
    text = (tmp_path / "r.html").read_text("utf-8")

    assert "incomplete" in text
    assert "no rate: 1 of 13 answers have no verdict in this condition" in text
    assert "Wilson 95 % (" not in text
    assert "undecided (off_scale)" in text
    assert {"undecided.svg", "judges-pass1-1.png"} <= {path.name for path in figures.iterdir()}
    capsys.readouterr()
    assert main(["study", "judges", str(run)]) == 0
    said = capsys.readouterr().out
    assert "1 item without a verdict on some side left out of the comparison: user-01" in said
    assert "all together: Fleiss' kappa" in said


def test_an_order_that_two_judges_reverse_is_named(tmp_path: Path) -> None:
    """One ranks pass 1 above pass 2, the other below: over all, and by type."""

    def swayed(body: dict[str, object]) -> str:
        messages = body["messages"]
        assert isinstance(messages, list)
        _gold, response = _response(str(messages[-1]["content"]))
        liked = _ONE if body["model"] == MODELS[0] else _TWO
        if response in _ONE | _TWO:
            return "yes" if response in liked else "no"
        return _answer({**body, "model": MODELS[0]})

    with JudgeServer(swayed) as server:
        types = "type=single-session-user,multi-session,single-session-assistant"
        config = _config(server, only=(types,))
        two = config.model_copy(update={"judges": config.judges[:2]})
        outcome = judge.run(two, tmp_path / "run")
    [opened] = open_runs([tmp_path / "run"])
    found = reversals(opened.columns())

    assert outcome.exit_code == 0
    assert found[0].type is None
    assert {one.type for one in found[1:]} <= {KIND, "multi-session", "single-session-assistant"}
    assert len(found) > 1
    for one in found:
        assert one.margin_first > 0 > one.margin_second
        assert (one.first_answers, one.second_answers) == ("pass1", "pass2")


def _own_responses(own: str, other: str) -> set[str]:
    rows = {}
    for name in ("pass-1.jsonl", "pass-2.jsonl"):
        lines = (EXAMPLES / name).read_bytes().splitlines()
        rows[name] = {row["hypothesis"] for row in map(orjson.loads, lines)}
    return rows[own] - rows[other]


_ONE = _own_responses("pass-1.jsonl", "pass-2.jsonl")
_TWO = _own_responses("pass-2.jsonl", "pass-1.jsonl")
"""Responses that stand in one pass only."""


# --- what is refused ----------------------------------------------------------------------------


def test_one_column_is_no_comparison(run: Path) -> None:
    """Of repeats, judges and passes; a column without earlier labels is not re-judged."""
    [opened] = open_runs([run])
    [column, *_] = opened.columns()
    for analysis in (repeats_of, judges_of, passes_of):
        with pytest.raises(InputError, match="give two or more"):
            analysis([column])
    with pytest.raises(InputError, match="no run is named"):
        open_runs([])


def test_an_open_run_is_not_studied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It has to be gone on with first."""
    with JudgeServer(_answer, faults={5: [NO_KEY]}) as server:
        small_run(tmp_path / "run", server)
    assert main(["study", "all", str(tmp_path / "run")]) == 2
    assert "the run is open; `judge resume` it first" in capsys.readouterr().err
    assert main(["report", str(tmp_path / "run"), "--out", str(tmp_path / "r.html")]) == 0
    assert "no rate" in (tmp_path / "r.html").read_text("utf-8")


def test_columns_of_other_items_have_nothing_in_common(run: Path, tmp_path: Path) -> None:
    """It says so, instead of comparing nothing."""
    small_run(tmp_path / "run", only=("type=multi-session",))
    one, other = (open_runs([folder])[0].columns()[0] for folder in (run, tmp_path / "run"))
    with pytest.raises(InputError, match="no item has a verdict in all of"):
        match((one, other))
    [column] = open_runs([tmp_path / "run"])[0].columns()
    assert rejudge(column).compared > 0


# --- comparators --------------------------------------------------------------------------------


def test_a_comparator_is_held_against_only_what_it_was_measured_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A difference where rubric, judge, data and number are the same; else the reason, and none."""
    paper = tmp_path / "paper.txt"
    paper.write_text("12 of 13", encoding="utf-8")
    same = {"rubric": "correctness/v1", "judge": "lexical", "data": "pass1"}

    def one(name: str, **more: object) -> ComparatorConfig:
        fields = {"name": name, "count": 12, "n": 13, "source": str(paper), **same, **more}
        return ComparatorConfig.model_validate(fields)

    study = StudyConfig(
        comparators=(
            one("same"),
            one("other judge", judge="gpt-4o"),
            one("unsaid", data=None),
            one("other number", n=20),
        )
    )
    small_run(
        tmp_path / "run",
        answers=(AnswersConfig(name="pass1", file=str(EXAMPLES / "pass-1.jsonl")),),
        study=study,
        limit=13,
        positive=2,
        negative=2,
    )
    [found] = judge.load(tmp_path / "run").study().comparators
    told = [(each.comparable, each.why) for each in found.comparators]

    assert told == [
        (True, ""),
        (False, "another judge: gpt-4o"),
        (False, "its data is not stated"),
        (False, "20 items there, 13 here"),
    ]
    assert [each.difference for each in found.comparators] == [
        found.accepted - 12,
        None,
        None,
        None,
    ]
    words = ["study", "comparators", str(tmp_path / "run"), "--source"]
    assert main([*words, str(paper)]) == 0
    assert "never" not in capsys.readouterr().err
    other = tmp_path / "other.txt"
    other.write_text("13 of 13", encoding="utf-8")
    assert main([*words, str(other)]) == 2
    digest = hashlib.sha256(other.read_bytes()).hexdigest()
    assert digest in capsys.readouterr().err


# --- billed tokens ------------------------------------------------------------------------------


class _Billing(JudgeServer):
    """Bills seven tokens beside the prompt's own, and of one question three more."""


def test_a_run_is_audited_from_its_receipts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every request, controls too; the row that was billed for another prompt is named."""
    count = tokenizer("o200k_base").count

    def bill(body: dict[str, object], text: str) -> int:
        messages = body["messages"]
        assert isinstance(messages, list)
        prompt = str(messages[-1]["content"])
        return count(prompt) + 7 + (3 if "grandmother" in prompt and text else 0)

    with _billed(bill) as server:
        config = _config(server)
        one = config.model_copy(update={"judges": config.judges[:1]})
        judge.run(one, tmp_path / "run")
    assert main(["study", "inputs", str(tmp_path / "run"), "--json"]) == 0
    [found] = orjson.loads(capsys.readouterr().out)

    assert (found["remainder"], found["constant"]) == (7, False)
    assert {odd["item"] for odd in found["odd"]} == {"user-03"}
    assert {odd["remainder"] for odd in found["odd"]} == {10}
    assert main(["study", "inputs", str(tmp_path / "run"), "--tokenizer", "p50k"]) == 2
    assert "no tokenizer is named 'p50k'" in capsys.readouterr().err


def _billed(bill: object) -> JudgeServer:
    """A server whose usage is what `bill` says."""
    from faultserver import Send, chat_reply, json_reply  # noqa: PLC0415

    server = JudgeServer(_answer)

    def reply(request: object, number: int) -> list[Send]:
        body = request.json()  # type: ignore[attr-defined]
        text = _answer(body)
        tokens = bill(body, text)  # type: ignore[operator]
        told = chat_reply(text, model=str(body["model"]), number=number, tokens=tokens)
        return [Send(json_reply(told, number=number))]

    server._script = reply
    return server


# --- prices -------------------------------------------------------------------------------------


def test_the_dearest_step_of_a_price_counts() -> None:
    """A plan asks what a run can cost at most; a price of a kind not known here is none."""
    steps = SimpleNamespace(base=Decimal(2), tiers=[SimpleNamespace(price=Decimal(5))])
    odd = SimpleNamespace(base=Decimal(2), tiers=[SimpleNamespace(price="x")])

    assert _dearest(SimpleNamespace(input_mtok=Decimal("2.5")), "input_mtok") == Fraction(5, 2)
    assert _dearest(SimpleNamespace(input_mtok=steps), "input_mtok") == 5
    assert _dearest(SimpleNamespace(input_mtok=odd), "input_mtok") is None
    assert _dearest(SimpleNamespace(), "input_mtok") is None


def test_rows_nobody_asked_exclude_nothing(run: Path, tmp_path: Path) -> None:
    """A list whose rows are all elsewhere is an error."""
    from judge.exclusions import read_exclusions  # noqa: PLC0415

    path = tmp_path / "d.csv"
    path.write_text("id,class,reason\nelsewhere,x,y\n", encoding="utf-8")
    [opened] = open_runs([run])
    with pytest.raises(InputError, match="asked none of the 1 rows"):
        exclude(opened.columns()[0], read_exclusions(path), fixed_before=False)


def test_an_undecided_item_leaves_questioned_rows_without_a_share(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Counts are said, and that they are at least these; a whole column has its shares."""
    path = tmp_path / "d.csv"
    path.write_text("id,class,reason\nuser-02,odd gold,two fit\n", encoding="utf-8")
    assert main(["study", "exclusions", f"{run}#c3", "--rows", str(path)]) == 0
    said = capsys.readouterr().out
    assert "1 item undecided, so there is no share" in said
    assert "%" not in said
    assert main(["study", "exclusions", f"{run}#c1", "--rows", str(path)]) == 0
    assert "of 13 (" in capsys.readouterr().out
