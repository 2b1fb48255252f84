"""The independent verifier proves what is whole and refuses everything else, in one sentence."""

import importlib.util
import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from forge import (
    AT,
    Answer,
    Cell,
    Fields,
    Forge,
    canonical,
    digest,
    ends,
    public_export,
    reply,
    says,
)

SCRIPT = Path(__file__).parents[1] / "receipts" / "verify.py"
_SPEC = importlib.util.spec_from_file_location("receipts_verify", SCRIPT)
assert _SPEC is not None
assert _SPEC.loader is not None
verify = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(verify)

Check = Callable[..., tuple[int, str]]


@pytest.fixture
def check(capsys: pytest.CaptureFixture[str]) -> Check:
    """Run the script in this process; returns the exit code and what it printed."""

    def run(folder: Path, *options: str) -> tuple[int, str]:
        code = verify.main([str(folder), *options])
        return int(code), capsys.readouterr().out

    return run


@pytest.fixture(scope="session")
def whole() -> Forge:
    """Return two conditions, two repetitions, two batches, three arms; complete."""
    return Forge().whole()


def small() -> Forge:
    """Return one condition, one repetition, one batch, before its start."""
    return Forge(judges=("gpt",), sets={"a": [0, 1, 2, 3, 4]}, batch_size=None, repetitions=1)


def gated(forge: Forge, **answers: Callable[[Fields, int], Answer]) -> list[Cell]:
    """Play start, controls and gates of a small run; return its answer cells."""
    forge.start()
    for cell in forge.cells("control", 0):
        forge.ask(cell, answers.get(f"row_{cell.row}"))
    forge.gate(0)
    return forge.cells("answer", 0)


# --- what is whole is proved --------------------------------------------------------------------


def test_a_complete_run_is_proved(whole: Forge, tmp_path: Path, check: Check) -> None:
    """A sealed run proves its state, its head and its counts, and says what nobody can know."""
    code, out = check(whole.write(tmp_path))
    assert code == 0
    assert f"proved: complete, {len(whole.lines)} lines, head {whole.text()[1]}" in out
    assert "c2 repetition 1" in out
    assert "asked 4, decided 4, accepted 2" in out
    assert "not provable" in out


def test_the_script_runs_alone(whole: Forge, tmp_path: Path) -> None:
    """The file is run by a bare Python, without any package."""
    command = [sys.executable, "-I", "-S", str(SCRIPT), str(whole.write(tmp_path))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_script_imports_nothing_of_the_project() -> None:
    """Only the standard library is named in its imports."""
    words = [line.split()[1] for line in SCRIPT.read_text().splitlines() if line[:5] in _IMPORTS]
    assert words
    assert {word.partition(".")[0] for word in words} <= sys.stdlib_module_names


_IMPORTS = ("impor", "from ")


@pytest.mark.parametrize("words", [[], ["nowhere"], ["--what"]])
def test_unusable_words_are_usage(words: list[str]) -> None:
    """A folder that is not there, or an unknown option, is exit 2."""
    with pytest.raises(SystemExit) as stop:
        verify.main(words)
    assert stop.value.code == 2


def test_a_public_export_has_the_same_head(whole: Forge, tmp_path: Path, check: Check) -> None:
    """Without inputs, requests, replies and headers the chain is whole and the head the same."""
    folder = public_export(whole.write(tmp_path / "run"), tmp_path / "public")
    code, out = check(folder, "--public", "--expect-head", whole.text()[1])
    assert code == 0
    assert whole.text()[1] in out
    assert "asked 4, decided 4, accepted 2" in out


def test_a_public_export_is_not_a_whole_run(whole: Forge, tmp_path: Path, check: Check) -> None:
    """Without --public, what was taken away is missing."""
    folder = public_export(whole.write(tmp_path / "run"), tmp_path / "public")
    assert check(folder)[0] == 6


def test_reply_texts_may_be_dropped_too(whole: Forge, tmp_path: Path, check: Check) -> None:
    """An export that keeps only the item is still proved as far as it goes."""
    folder = public_export(whole.write(tmp_path / "run"), tmp_path / "public", kept=("item",))
    assert check(folder, "--public")[0] == 0


def test_an_export_without_items_is_refused(whole: Forge, tmp_path: Path, check: Check) -> None:
    """Without the items nobody can work out the gate again."""
    folder = public_export(whole.write(tmp_path / "run"), tmp_path / "p", kept=("reply_text",))
    assert check(folder, "--public")[0] == 6


@pytest.mark.parametrize("judges", [("rule",), ("claude",), ("gpt",)])
def test_each_api_is_read(judges: tuple[str], tmp_path: Path, check: Check) -> None:
    """A reply is read from each of the three shapes."""
    forge = Forge(judges=judges, sets={"a": [0, 1, 2, 3, 4]}, batch_size=None).whole()
    assert check(forge.write(tmp_path))[0] == 0


def test_a_failed_gate_is_proved(tmp_path: Path, check: Check) -> None:
    """A run whose judge failed its controls is sealed gate-failed, and that is what is proved."""
    forge = Forge()
    forge.answer = lambda _cell: says("yes")
    code, out = check(forge.whole().write(tmp_path))
    assert code == 0
    assert "proved: gate-failed" in out


def test_a_later_batch_may_fail(tmp_path: Path, check: Check) -> None:
    """A gate that fails before the second batch ends the run there; earlier receipts stay."""
    forge = Forge()
    forge.answer = lambda cell: says("no") if cell.batch else forge.right(cell)
    code, out = check(forge.whole().write(tmp_path))
    assert code == 0
    assert "proved: gate-failed" in out


def test_a_route_that_is_all_wrong_fails_its_group(tmp_path: Path, check: Check) -> None:
    """Eight of ten reach the threshold 0.8, but not with every control of a route wrong."""
    forge = Forge(arms="ppppppppppn", threshold="0.8", judges=("gpt",), sets={"a": [0, 1, 2, 3, 4]})
    forge.answer = lambda cell: says("no") if cell.row in {3, 8} else forge.right(cell)
    code, out = check(forge.whole().write(tmp_path))
    assert code == 0
    assert "proved: gate-failed" in out


def test_an_incomplete_run_is_proved(tmp_path: Path, check: Check) -> None:
    """Undecided cells are counted by their reason and accepted by nobody."""
    forge = Forge()
    words = {0: says("No. The user said yesterday."), 1: says("Perhaps."), 2: says("yes or no")}
    forge.answer = lambda cell: (
        words.get(cell.row, says("yes")) if cell.phase == "answer" else forge.right(cell)
    )
    code, out = check(forge.whole().write(tmp_path))
    assert code == 0
    assert "proved: incomplete" in out
    assert "readings_disagree 2" in out
    assert "off_scale 1" in out


def test_a_run_that_is_not_sealed_is_open(whole: Forge, tmp_path: Path, check: Check) -> None:
    """Sound lines without a seal are exit 4, wherever they end."""
    for end in (1, 2, 3, 60, 100, len(whole.lines) - 1):
        forge = whole.copy()
        forge.lines = forge.lines[:end]
        code, out = check(forge.write(tmp_path / str(end)))
        assert (code, out.split(",")[0]) == (4, "open: sound so far")


def test_the_expected_head_holds_for_an_open_run(
    whole: Forge, tmp_path: Path, check: Check
) -> None:
    """A head is compared whether the run is sealed or not."""
    forge = whole.copy()
    forge.lines = forge.lines[:30]
    folder = forge.write(tmp_path)
    assert check(folder, "--expect-head", forge.text()[1])[0] == 4
    assert check(folder, "--expect-head", whole.text()[1])[0] == 6


def test_a_refused_question_is_asked_again(tmp_path: Path, check: Check) -> None:
    """A retry and a question that was not sent leave their cell to the next attempt."""
    forge = small()
    first, *rest = gated(forge)
    forge.ask(first, ends("retry", b"slow down", status=429))
    forge.ask(first, ends("not_sent", error="connect"))
    for cell in [first, *rest]:
        forge.ask(cell)
    forge.seal()
    assert check(forge.write(tmp_path))[0] == 0


def test_an_undecided_cell_may_be_asked_again(tmp_path: Path, check: Check) -> None:
    """With `reask` 1 an undecided receipt is final the second time."""
    forge = Forge(reask=1, judges=("gpt",), sets={"a": [0, 1, 2, 3, 4]}, batch_size=None)
    first, *rest = gated(forge)
    forge.ask(first, says("Perhaps."))
    forge.ask(first, says("Maybe."))
    for cell in rest:
        forge.ask(cell)
    forge.seal()
    code, out = check(forge.write(tmp_path))
    assert code == 0
    assert "proved: incomplete" in out


def test_what_was_in_flight_is_unknown_after_a_resume(tmp_path: Path, check: Check) -> None:
    """An intent left open before `resumed` may be sent again, marked after_unknown."""
    forge = small()
    first, *rest = gated(forge)
    forge.intent(first)
    forge.resumed(resend_unknown=1)
    for cell in [first, *rest]:
        forge.ask(cell)
    forge.seal()
    assert forge.find("intent", attempt=2)["after_unknown"] is True
    assert check(forge.write(tmp_path))[0] == 0


def test_an_unknown_receipt_may_be_sent_again(tmp_path: Path, check: Check) -> None:
    """An attempt closed as unknown is followed by one marked after_unknown."""
    forge = small()
    first, *rest = gated(forge)
    forge.ask(first, ends("unknown", b'{"id', error="cut", status=200))
    for cell in [first, *rest]:
        forge.ask(cell)
    forge.seal()
    assert check(forge.write(tmp_path))[0] == 0


def test_an_unknown_attempt_may_be_left(tmp_path: Path, check: Check) -> None:
    """Both kinds of unknown are closed by left_unknown, one of them a second time."""
    forge = small()
    first, second, *rest = gated(forge)
    forge.ask(first, ends("unknown", error="deadline"))
    forge.intent(second)
    forge.add("stopped", {"cause": "sigint"})
    forge.resumed(leave_unknown=True)
    for cell in (first, second):
        forge.receipt(cell, ends("undecided", reason="left_unknown"))
    for cell in rest:
        forge.ask(cell)
    forge.seal()
    code, out = check(forge.write(tmp_path))
    assert code == 0
    assert "left_unknown 2" in out


def test_a_torn_tail_is_recovered(tmp_path: Path, check: Check) -> None:
    """`recovered` and `resumed` may stand anywhere after the start, also twice."""
    forge = small()
    cells = gated(forge)
    for cell in cells:
        forge.add("recovered", {"discarded_bytes": 17, "discarded_sha256": digest(b"torn")})
        forge.add("recovered", {"discarded_bytes": 1, "discarded_sha256": digest(b"t")})
        forge.resumed()
        forge.resumed()
        forge.ask(cell)
    forge.seal()
    assert check(forge.write(tmp_path))[0] == 0


def test_a_recheck_asks_the_groups_again(tmp_path: Path, check: Check) -> None:
    """After a recheck all controls of the batch are closed again, gated again, and stood on."""
    forge = small()
    first, second, *rest = gated(forge)
    forge.ask(first)
    forge.intent(second)
    forge.resumed(recheck=True, leave_unknown=True)
    for cell in forge.cells("control", 0):
        forge.ask(cell)
    forge.gate(0)
    forge.receipt(second, ends("undecided", reason="left_unknown"))
    for cell in rest:
        forge.ask(cell)
    forge.seal()
    assert check(forge.write(tmp_path))[0] == 0


def test_no_answer_without_the_rechecked_gate(tmp_path: Path, check: Check) -> None:
    """After a recheck the old gates carry nothing."""
    forge = small()
    first, second, *_ = gated(forge)
    forge.ask(first)
    forge.resumed(recheck=True)
    forge.ask(second)
    code, out = check(forge.write(tmp_path))
    assert code == 6
    assert "rule 7" in out


def test_a_recheck_that_fails_ends_the_run(tmp_path: Path, check: Check) -> None:
    """A judge that passed once and fails the recheck leaves a gate-failed run."""
    forge = small()
    first, *_ = gated(forge)
    forge.ask(first)
    forge.resumed(recheck=True)
    for cell in forge.cells("control", 0):
        forge.ask(cell, says("yes"))
    forge.gate(0)
    forge.seal()
    code, out = check(forge.write(tmp_path))
    assert code == 0
    assert "proved: gate-failed" in out


def test_bytes_that_are_not_utf8_are_kept(tmp_path: Path, check: Check) -> None:
    """A reply that is not UTF-8 stands in base64 and is undecided."""
    forge = small()
    first, *rest = gated(forge)
    forge.ask(first, ends("undecided", b"\xff\xfe", status=200, reason="not_json"))
    for cell in rest:
        forge.ask(cell)
    forge.seal()
    assert check(forge.write(tmp_path))[0] == 0


def test_a_reply_of_another_content_type_is_not_read(tmp_path: Path, check: Check) -> None:
    """A sound reply is left unread for its content type only where the headers say so."""
    forge = small()
    first, *rest = gated(forge)
    body = reply(forge.judge_of("c1"), "no", 1)
    facts = {"status": 200, "reason": "content_type", "model_returned": "gpt-1", "finish": "stop"}
    forge.ask(first, ends("undecided", body, **facts))
    for cell in rest:
        forge.ask(cell)
    forge.seal()
    private = forge.private("receipt", reason="content_type")
    assert check(forge.write(tmp_path / "json"))[0] == 6
    private["headers"] = canonical([["content-type", "text/html"]])
    assert check(forge.write(tmp_path / "html"))[0] == 0


# --- what is not whole is refused ---------------------------------------------------------------


def test_every_sampled_byte_counts(tmp_path: Path, check: Check) -> None:
    """One changed byte anywhere in a sealed run is exit 6 and one line."""
    forge = Forge(judges=("gpt",), sets={"a": [0, 1, 2, 3, 4]}, batch_size=None, repetitions=1)
    folder = forge.whole().write(tmp_path)
    chance = random.Random(7)
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    for path in paths:
        data = path.read_bytes()
        for place in sorted(chance.sample(range(len(data)), min(len(data), 60))):
            changed = data[place] ^ chance.choice((1, 2, 4, 16, 32, 128))
            path.write_bytes(data[:place] + bytes([changed]) + data[place + 1 :])
            code, out = check(folder)
            assert (code, out.count("\n")) == (6, 1), f"{path.name}, byte {place}"
        path.write_bytes(data)
    assert check(folder)[0] == 0


def test_every_cut_counts(tmp_path: Path, check: Check) -> None:
    """A ledger cut anywhere beside its seal is exit 6."""
    folder = small().whole().write(tmp_path)
    path = folder / "receipts.jsonl"
    data = path.read_bytes()
    ends_ = [n + 1 for n, byte in enumerate(data) if byte == 10]
    for place in [0, 1, *ends_[:-1], *range(7, len(data), 997)]:
        path.write_bytes(data[:place])
        assert check(folder)[0] == 6, f"cut at {place}"


def test_a_file_too_many_or_too_few_is_refused(whole: Forge, tmp_path: Path, check: Check) -> None:
    """The inputs are exactly those of the plan, and the seal is beside its ledger."""
    folder = whole.write(tmp_path)
    (folder / "inputs" / "more.jsonl").write_bytes(b"")
    assert check(folder)[0] == 6
    (folder / "inputs" / "more.jsonl").unlink()
    for name in ("run.json", "receipts.jsonl", "seal.txt", "inputs/items.jsonl", "inputs/run.yaml"):
        data = (folder / name).read_bytes()
        (folder / name).unlink()
        code, out = check(folder)
        assert (code, out.count("\n")) == (6, 1)
        (folder / name).mkdir()
        assert check(folder)[0] == 6
        (folder / name).rmdir()
        (folder / name).write_bytes(data)
    assert check(folder)[0] == 0


Bend = Callable[[Forge], Any]
FORGERIES: dict[str, Bend] = {}


def forgery(bend: Bend) -> Bend:
    """Name a forgery by its function."""
    FORGERIES[bend.__name__] = bend
    return bend


def answer(forge: Forge, number: int = 0, **facts: object) -> Fields:
    """Return a decided answer of c1 and a chat judge."""
    found: dict[str, object] = {"phase": "answer", "condition": "c1", "outcome": "decided"}
    return forge.find("receipt", number, **{**found, **facts})


def texts(forge: Forge, fields: Fields) -> dict[str, bytes]:
    """Return the private texts of these public fields."""
    return next(private for public, private in forge.lines if public is fields)


@forgery
def label(forge: Forge) -> None:
    """Turn a no into a yes."""
    answer(forge, label="no")["label"] = "yes"


@forgery
def label_and_readings(forge: Forge) -> None:
    """Turn a no into a yes, readings too."""
    fields = answer(forge, label="no")
    fields |= {"label": "yes", "readings": {"yes-no/1": "yes", "yes-substring/1": "yes"}}


@forgery
def label_readings_and_text(forge: Forge) -> None:
    """Turn a no into a yes everywhere but in the raw reply."""
    fields = answer(forge, label="no")
    fields |= {"label": "yes", "readings": {"yes-no/1": "yes", "yes-substring/1": "yes"}}
    texts(forge, fields)["reply_text"] = b"yes"


@forgery
def raw_reply(forge: Forge) -> None:
    """Change the words in the raw reply only."""
    private = texts(forge, answer(forge, label="no"))
    private["response"] = private["response"].replace(b'"no"', b'"yes"')


@forgery
def swapped_replies(forge: Forge) -> None:
    """Give two receipts each other's raw reply and text."""
    one, two = texts(forge, answer(forge, label="no")), texts(forge, answer(forge, label="yes"))
    for name in ("response", "reply_text"):
        one[name], two[name] = two[name], one[name]


@forgery
def swapped_raw_replies(forge: Forge) -> None:
    """Give two receipts each other's raw reply."""
    one, two = texts(forge, answer(forge, label="no")), texts(forge, answer(forge, label="yes"))
    one["response"], two["response"] = two["response"], one["response"]


@forgery
def verdict_called_off_scale(forge: Forge) -> None:
    """Call a clear no off the scale."""
    fields = answer(forge, label="no")
    fields |= {"outcome": "undecided", "label": None, "reason": "off_scale"}
    forge.lines[-1][0].update(state="incomplete", decided=17, undecided=1)


@forgery
def verdict_hidden_as_cut(forge: Forge) -> None:
    """Hide a clear no behind another reason."""
    fields = answer(forge, label="no")
    fields |= {"outcome": "undecided", "label": None, "reason": "cut", "readings": None}
    del texts(forge, fields)["reply_text"]
    forge.lines[-1][0].update(state="incomplete", decided=17, undecided=1)


def asked_until_liked(forge: Forge, outcome: str) -> None:
    """Call a clear no an accident, and ask again."""
    fields = answer(forge, label="no")
    private = texts(forge, fields)
    cell = Cell(*(fields[name] for name in Cell._fields))
    place = next(n for n, (f, _) in enumerate(forge.lines) if f is fields)
    fields |= {"outcome": outcome, "label": None, "readings": None, "final": False}
    del private["reply_text"]
    tail, old = forge.lines[place + 1 :], len(forge.lines)
    if outcome == "unknown":
        forge.lost.add(cell)
    forge.gates[cell.batch, cell.condition, cell.repetition] = fields["gate_seqs"]
    forge.attempts[cell] = 1
    forge.ask(cell, says("yes"))
    forge.move([*forge.lines[: place + 1], *forge.lines[old:], *tail])


@forgery
def verdict_called_retry(forge: Forge) -> None:
    """Call a clear no a refusal of the server, and ask again."""
    asked_until_liked(forge, "retry")


@forgery
def verdict_called_unknown(forge: Forge) -> None:
    """Call a clear no unknown, and ask again."""
    asked_until_liked(forge, "unknown")


@forgery
def model_returned(forge: Forge) -> None:
    """Name another model in the receipt."""
    answer(forge)["model_returned"] = "gpt-2"


@forgery
def model_of_the_reply(forge: Forge) -> None:
    """Let another model have answered."""
    fields = answer(forge)
    fields["model_returned"] = "gpt-2"
    private = texts(forge, fields)
    private["response"] = private["response"].replace(b"gpt-1", b"gpt-2")


@forgery
def finish(forge: Forge) -> None:
    """Decide a reply that was cut."""
    fields = answer(forge)
    fields["finish"] = "length"
    private = texts(forge, fields)
    private["response"] = private["response"].replace(b'"stop"', b'"length"')


@forgery
def status(forge: Forge) -> None:
    """Decide an answer of status 500."""
    answer(forge)["status"] = 500


@forgery
def error(forge: Forge) -> None:
    """Decide an answer that was cut on the wire."""
    answer(forge)["error"] = "cut"


@forgery
def two_choices(forge: Forge) -> None:
    """Decide a reply of two choices."""
    private = texts(forge, answer(forge))
    body = json.loads(private["response"])
    body["choices"] *= 2
    private["response"] = canonical(body | {"cost": 1})


@forgery
def refused_reply(forge: Forge) -> None:
    """Decide a reply that is a refusal."""
    private = texts(forge, answer(forge))
    private["response"] = private["response"].replace(b'"refusal": null', b'"refusal": "no"')


@forgery
def doubled_key(forge: Forge) -> None:
    """Decide a reply that names its model twice."""
    private = texts(forge, answer(forge))
    private["response"] = b'{"model":"gpt-1",' + private["response"][1:]


@forgery
def one_reply_twice(forge: Forge) -> None:
    """Let one reply answer two questions."""
    one, two = texts(forge, answer(forge, 0)), texts(forge, answer(forge, 1))
    two["response"] = one["response"]


@forgery
def readings_of_another_rule(forge: Forge) -> None:
    """Name a reading the rubric does not name."""
    answer(forge)["readings"] = {"yes-no/2": "yes", "yes-substring/1": "yes"}


@forgery
def no_readings(forge: Forge) -> None:
    """Decide without a text."""
    fields = answer(forge)
    fields["readings"] = None
    del texts(forge, fields)["reply_text"]


@forgery
def request_model(forge: Forge) -> None:
    """Let another model have been asked, in the request."""
    private = forge.private("intent", condition="c1")
    private["request"] = private["request"].replace(b"gpt-1", b"gpt-2")


@forgery
def request_length(forge: Forge) -> None:
    """Make a request longer than it says."""
    forge.private("intent")["request"] += b" "


@forgery
def model_requested(forge: Forge) -> None:
    """Let another model have been asked, in the receipt."""
    answer(forge)["model_requested"] = "gpt-2"


@forgery
def binding(forge: Forge) -> None:
    """Call an answer of a server embedded."""
    answer(forge)["binding"] = "embedded"


@forgery
def expect(forge: Forge) -> None:
    """Expect what a wrong control said."""
    forge.find("receipt", phase="control", arm="negative")["expect"] = ["yes", "no"]


@forgery
def expect_nothing(forge: Forge) -> None:
    """Expect nothing of a control."""
    forge.find("receipt", phase="control")["expect"] = None


@forgery
def expect_of_an_answer(forge: Forge) -> None:
    """Expect something of an answer."""
    answer(forge)["expect"] = ["yes"]


@forgery
def control_file(forge: Forge) -> None:
    """Change a control after the run was frozen."""
    forge.inputs["controls.jsonl"][0]["response"] = "something else"


@forgery
def control_frozen_anew(forge: Forge) -> None:
    """Change what a control expects, and freeze the plan anew."""
    forge.inputs["controls.jsonl"][2]["expect"] = ["yes"]
    forge.freeze()
    forge.find("start")["plan_sha256"] = forge.run["plan_sha256"]


@forgery
def control_of_no_label(forge: Forge) -> None:
    """Expect a label the rubric does not offer."""
    forge.inputs["controls.jsonl"][4]["expect"] = ["never"]
    forge.freeze()
    forge.find("start")["plan_sha256"] = forge.run["plan_sha256"]
    for fields, _ in forge.lines:
        if fields["kind"] == "receipt" and fields["arm"] == "injection":
            fields["expect"] = ["never"]


@forgery
def item_file(forge: Forge) -> None:
    """Change an answer after the run was frozen."""
    forge.inputs["items.jsonl"][1]["response"] = "something else"


@forgery
def item_moved(forge: Forge) -> None:
    """Put two rows of an answers set in the other order, and freeze the plan anew."""
    rows = forge.inputs["items.jsonl"]
    rows[0], rows[1] = rows[1], rows[0]
    forge.freeze()
    forge.find("start")["plan_sha256"] = forge.run["plan_sha256"]


@forgery
def item_of_another_question(forge: Forge) -> None:
    """Let one position be two questions, and freeze the plan anew."""
    forge.inputs["items.jsonl"][5]["id"] = "q9"
    forge.freeze()
    forge.find("start")["plan_sha256"] = forge.run["plan_sha256"]
    for fields, private in forge.lines:
        if (fields.get("row"), fields.get("phase")) == (5, "answer") and "item" in private:
            private["item"] = private["item"].replace(b'"q0"', b'"q9"')


@forgery
def template_text(forge: Forge) -> None:
    """Change a template's text, and freeze the plan anew."""
    forge.inputs["rubrics/small.v1.json"]["templates"][0]["text"] += "!"
    forge.freeze()
    forge.find("start")["plan_sha256"] = forge.run["plan_sha256"]


@forgery
def rubric_settings(forge: Forge) -> None:
    """Change a pinned setting, and freeze the plan anew."""
    forge.inputs["rubrics/small.v1.json"]["settings"]["max_tokens"] = 11
    forge.freeze()
    forge.find("start")["plan_sha256"] = forge.run["plan_sha256"]


@forgery
def accepted_label_of_the_plan(forge: Forge) -> None:
    """Let the plan accept another label than the rubric."""
    for one in forge.plan["conditions"]:
        one["accept"] = "no"
    forge.freeze()
    forge.find("start")["plan_sha256"] = forge.run["plan_sha256"]


@forgery
def threshold_of_the_plan(forge: Forge) -> None:
    """Lower the threshold to what a coin reaches."""
    forge.plan["gate"]["threshold"] = "1/2"
    forge.freeze()
    forge.find("start")["plan_sha256"] = forge.run["plan_sha256"]


@forgery
def plan_changed_after_the_start(forge: Forge) -> None:
    """Fix another plan than the start line names."""
    forge.plan["reask"] = 1
    forge.freeze()


@forgery
def plan_digest(forge: Forge) -> None:
    """Name another digest beside the plan."""
    forge.run["plan_sha256"] = "0" * 64


@forgery
def gate_correct(forge: Forge) -> None:
    """Count a control less as correct."""
    forge.find("gate", arm="negative")["correct"] = 1


@forgery
def gate_asked(forge: Forge) -> None:
    """Count a control more."""
    forge.find("gate")["asked"] = 3


@forgery
def gate_need(forge: Forge) -> None:
    """Need less."""
    forge.find("gate")["need"] = 1


@forgery
def gate_undecided(forge: Forge) -> None:
    """Count an undecided control that is none."""
    forge.find("gate")["undecided"] = 1


@forgery
def gate_routes(forge: Forge) -> None:
    """Count the controls on other routes."""
    forge.find("gate")["routes"] = {"abstention": [1, 1], "base": [1, 1]}


@forgery
def gate_pass_of_a_wrong_control(forge: Forge) -> None:
    """Let a control have been wrong, and the group pass all the same."""
    fields = forge.find("receipt", phase="control", arm="injection", condition="c1")
    fields |= {"label": "yes", "readings": {"yes-no/1": "yes", "yes-substring/1": "yes"}}
    private = texts(forge, fields)
    private["reply_text"] = b"Yes."
    private["response"] = private["response"].replace(b'"No."', b'"Yes."')


@forgery
def gate_dropped(forge: Forge) -> None:
    """Take a gate line away."""
    gone = forge.find("gate", 5)
    forge.move([line for line in forge.lines if line[0] is not gone])


@forgery
def gates_swapped(forge: Forge) -> None:
    """Put two gate lines in the other order."""
    places = [n for n, (fields, _) in enumerate(forge.lines) if fields["kind"] == "gate"]
    lines = list(forge.lines)
    one, two = places[:2]
    lines[one], lines[two] = lines[two], lines[one]
    forge.move(lines)


@forgery
def gate_doubled(forge: Forge) -> None:
    """Decide a batch's last group twice."""
    places = [n for n, (fields, _) in enumerate(forge.lines) if fields["kind"] == "gate"]
    last = forge.lines[places[11]]
    again: tuple[Fields, dict[str, bytes]] = (dict(last[0]), {})
    forge.move([*forge.lines[: places[11] + 1], again, *forge.lines[places[11] + 1 :]])


def without(forge: Forge, kinds: tuple[str, ...], fields: Fields) -> None:
    """Take lines of one cell away."""
    key = {name: fields[name] for name in Cell._fields}
    gone = [
        public
        for public, _ in forge.lines
        if public["kind"] in kinds and all(public[name] == part for name, part in key.items())
    ]
    forge.move([line for line in forge.lines if all(line[0] is not one for one in gone)])


@forgery
def dropped_cell(forge: Forge) -> None:
    """Take an unwelcome answer away, and seal the rest as complete."""
    without(forge, ("intent", "receipt"), answer(forge, label="no"))
    forge.lines[-1][0].update(decided=17, cells=17)


@forgery
def dropped_last_cell(forge: Forge) -> None:
    """Take the last answer away, and seal the rest as complete."""
    last = [f for f, _ in forge.lines if f["kind"] == "receipt"][-1]
    without(forge, ("intent", "receipt"), last)
    forge.lines[-1][0].update(decided=17)


@forgery
def dropped_receipt(forge: Forge) -> None:
    """Take an unwelcome receipt away and leave its intent."""
    without(forge, ("receipt",), answer(forge, label="no"))
    forge.lines[-1][0].update(decided=17)


@forgery
def dropped_intent(forge: Forge) -> None:
    """Take an intent away and leave its receipt."""
    without(forge, ("intent",), answer(forge, label="no"))


@forgery
def dropped_control(forge: Forge) -> None:
    """Take a control away."""
    without(forge, ("intent", "receipt"), forge.find("receipt", phase="control", row=2))


@forgery
def doubled_receipt(forge: Forge) -> None:
    """Close an attempt twice."""
    fields = answer(forge)
    place = next(n for n, (f, _) in enumerate(forge.lines) if f is fields)
    again = (dict(fields), dict(texts(forge, fields)))
    forge.move([*forge.lines[: place + 1], again, *forge.lines[place + 1 :]])


@forgery
def altered_order(forge: Forge) -> None:
    """Ask two questions in the other order."""
    place = next(n for n, (f, _) in enumerate(forge.lines) if f.get("phase") == "answer")
    lines = forge.lines
    forge.move(
        [
            *lines[:place],
            *lines[place + 2 : place + 4],
            *lines[place : place + 2],
            *lines[place + 4 :],
        ]
    )


@forgery
def altered_order_of_conditions(forge: Forge) -> None:
    """Ask every question of one condition before those of the other."""
    both = [line for line in forge.lines if line[0].get("phase") == "control"]
    first = [line for line in both if line[0]["batch"] == 0]
    rest = [line for line in forge.lines if all(line is not one for one in first)]
    first.sort(key=lambda line: str(line[0]["condition"]))
    forge.move([rest[0], *first, *rest[1:]])


def moved(forge: Forge, name: str, value: object) -> None:
    """Let one answer have been another cell's."""
    fields = answer(forge)
    for public, _ in forge.lines:
        if public["kind"] == "intent" and all(public[n] == fields[n] for n in Cell._fields):
            public[name] = value
    fields[name] = value


@forgery
def moved_condition(forge: Forge) -> None:
    """Let an answer of c1 be one of c2."""
    moved(forge, "condition", "c2")


@forgery
def moved_repetition(forge: Forge) -> None:
    """Let an answer of repetition 1 be one of repetition 2."""
    moved(forge, "repetition", 2)


@forgery
def moved_row(forge: Forge) -> None:
    """Let an answer to one question be one to another."""
    moved(forge, "row", 3)


@forgery
def moved_batch(forge: Forge) -> None:
    """Let an answer of the first batch be one of the second."""
    moved(forge, "batch", 1)


@forgery
def moved_arm(forge: Forge) -> None:
    """Let a negative control be a positive one."""
    for fields, _ in forge.lines:
        if fields.get("arm") == "negative" and fields["kind"] != "gate":
            fields["arm"] = "positive"


@forgery
def condition_of_no_plan(forge: Forge) -> None:
    """Answer for a condition the plan does not have."""
    moved(forge, "condition", "c3")


@forgery
def receipt_of_another_cell(forge: Forge) -> None:
    """Close one cell with the receipt of another."""
    answer(forge)["repetition"] = 2


@forgery
def gate_seqs(forge: Forge) -> None:
    """Stand on the gates of another repetition."""
    answer(forge, repetition=1)["gate_seqs"] = answer(forge, repetition=2)["gate_seqs"]


@forgery
def gate_seqs_missing(forge: Forge) -> None:
    """Stand on no gate."""
    answer(forge)["gate_seqs"] = None


@forgery
def gate_seqs_short(forge: Forge) -> None:
    """Stand on two gates of three."""
    fields = answer(forge)
    fields["gate_seqs"] = fields["gate_seqs"][:2]


@forgery
def intent_seq(forge: Forge) -> None:
    """Name another intent."""
    answer(forge)["intent_seq"] -= 2


@forgery
def attempt(forge: Forge) -> None:
    """Start counting at 2."""
    moved(forge, "attempt", 2)


@forgery
def after_unknown(forge: Forge) -> None:
    """Mark a first attempt as sent after an unknown one."""
    forge.find("intent")["after_unknown"] = True


@forgery
def final(forge: Forge) -> None:
    """Leave a decided cell open."""
    answer(forge)["final"] = False


@forgery
def rubric_pin(forge: Forge) -> None:
    """Name another rubric."""
    answer(forge)["rubric_pin"] = "0" * 64


@forgery
def template(forge: Forge) -> None:
    """Name the template of another route."""
    rules = forge.inputs["rubrics/small.v1.json"]
    answer(forge)["template_sha256"] = rules["templates"][1]["sha256"]


@forgery
def route(forge: Forge) -> None:
    """Send a row on another route, template and all."""
    template(forge)
    private = texts(forge, answer(forge))
    private["item"] = private["item"].replace(b'"base"', b'"abstention"')


@forgery
def item_id(forge: Forge) -> None:
    """Name another question."""
    private = texts(forge, answer(forge))
    private["item"] = private["item"].replace(b'"q0"', b'"q1"')


@forgery
def item_type(forge: Forge) -> None:
    """Name another type of question."""
    private = texts(forge, answer(forge))
    private["item"] = private["item"].replace(b'"plain"', b'"dated"')


@forgery
def answers_before_gates(forge: Forge) -> None:
    """Ask the answers before the groups were decided."""
    places = [n for n, (fields, _) in enumerate(forge.lines) if fields["kind"] == "gate"][:12]
    lines = forge.lines
    gates, first = lines[places[0] : places[-1] + 1], lines[places[-1] + 1 : places[-1] + 3]
    forge.move([*lines[: places[0]], *first, *gates, *lines[places[-1] + 3 :]])


@forgery
def asked_after_a_failed_group(forge: Forge) -> None:
    """Go on although a group failed, with honest gate lines."""
    bad = Forge()
    bad.answer = lambda cell: says("yes" if cell.row == 4 else "no")
    bad.answer = lambda cell: says("yes") if cell.row == 4 else bad.right(cell)
    bad.whole()
    bad.lines.pop()
    for cell in bad.cells("answer", 0)[:1]:
        bad.ask(cell, says("yes"))
    forge.lines = bad.lines


@forgery
def sealed_as_passed(forge: Forge) -> None:
    """Seal a run whose group failed as complete."""
    bad = Forge()
    bad.answer = lambda _cell: says("yes")
    bad.whole()
    bad.lines[-1][0]["state"] = "complete"
    forge.lines = bad.lines


@forgery
def line_after_the_seal(forge: Forge) -> None:
    """Add a line after the seal."""
    forge.lines[-1][0]["lines"] = len(forge.lines)
    forge.lines.append(({"kind": "stopped", "at": AT, "v": 1, "cause": "sigint"}, {}))


@forgery
def second_start(forge: Forge) -> None:
    """Start twice."""
    forge.move([forge.lines[0], (dict(forge.lines[0][0]), {}), *forge.lines[1:]])


@forgery
def no_start(forge: Forge) -> None:
    """Start with an intent."""
    forge.move(forge.lines[1:])


@forgery
def seal_decided(forge: Forge) -> None:
    """Seal more decided cells than there are."""
    forge.lines[-1][0]["decided"] += 1


@forgery
def seal_cells(forge: Forge) -> None:
    """Seal more cells than there are."""
    forge.lines[-1][0]["cells"] += 1


@forgery
def seal_lines(forge: Forge) -> None:
    """Seal more lines than there are."""
    forge.lines[-1][0]["lines"] = len(forge.lines) + 1


@forgery
def seal_state(forge: Forge) -> None:
    """Seal a complete run as incomplete."""
    forge.lines[-1][0]["state"] = "incomplete"


@forgery
def sealed_early(forge: Forge) -> None:
    """Seal before the last question."""
    forge.lines = [*forge.lines[:-3], forge.lines[-1]]
    forge.lines[-1][0]["decided"] = 17


@forgery
def asked_after_a_stop(forge: Forge) -> None:
    """Go on after a stop without a resume."""
    stop: tuple[Fields, dict[str, bytes]] = (
        {"kind": "stopped", "at": AT, "v": 1, "cause": "key"},
        {},
    )
    forge.move([*forge.lines[:50], stop, *forge.lines[50:]])


@forgery
def asked_again(forge: Forge) -> None:
    """Ask a decided cell again."""
    fields = answer(forge)
    cell = Cell(*(fields[name] for name in Cell._fields))
    forge.gates[cell.batch, cell.condition, cell.repetition] = fields["gate_seqs"]
    seal = forge.lines.pop()
    forge.ask(cell, says("yes"))
    forge.lines.append(seal)


@forgery
def left_what_was_known(forge: Forge) -> None:
    """Close an open attempt of this very process as left unknown."""
    fields = answer(forge, label="no")
    fields |= dict.fromkeys(("label", "readings", "model_returned", "finish", "status"))
    fields |= {"outcome": "undecided", "reason": "left_unknown"}
    private = texts(forge, fields)
    del private["reply_text"]
    private |= {"response": b"", "headers": b"[]"}
    forge.lines[-1][0].update(state="incomplete", decided=17, undecided=1)


@forgery
def version(forge: Forge) -> None:
    """Write a line of another version."""
    answer(forge)["v"] = 2


@forgery
def field_too_many(forge: Forge) -> None:
    """Add a field."""
    answer(forge)["note"] = "fine"


@forgery
def field_too_few(forge: Forge) -> None:
    """Leave a field out."""
    del answer(forge)["elapsed_ms"]


@forgery
def truth_for_a_number(forge: Forge) -> None:
    """Write true where 1 stands."""
    answer(forge)["attempt"] = True


@forgery
def foreign_text_uncut(forge: Forge) -> None:
    """Keep more of a server's text than a public line may."""
    answer(forge)["fingerprint"] = "x" * 201


@forgery
def no_time(forge: Forge) -> None:
    """Write a time of another form."""
    answer(forge)["at"] = "2026-11-30 10:00"


@forgery
def private_too_many(forge: Forge) -> None:
    """Keep a text its kind does not keep."""
    forge.private("intent")["note"] = b"x"


@forgery
def private_of_a_gate(forge: Forge) -> None:
    """Keep something private in a gate line."""
    forge.private("gate")["note"] = b"x"


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_is_refused(name: str, whole: Forge, tmp_path: Path, check: Check) -> None:
    """A run that was bent, then numbered, committed, chained and sealed anew, is exit 6."""
    forge = whole.copy()
    FORGERIES[name](forge)
    assert forge.text() != whole.text() or forge.inputs != whole.inputs or forge.run != whole.run
    code, out = check(forge.write(tmp_path))
    assert (code, out.count("\n")) == (6, 1), out
    assert out.startswith("wrong: ")


PUBLIC = (
    "label label_and_readings verdict_called_off_scale readings_of_another_rule model_requested "
    "binding expect_nothing gate_correct gate_asked gate_need gate_undecided gate_routes "
    "gate_pass_of_a_wrong_control gate_dropped gates_swapped dropped_cell dropped_receipt "
    "dropped_intent dropped_control doubled_receipt moved_condition moved_repetition moved_row "
    "gate_seqs intent_seq attempt after_unknown final rubric_pin template answers_before_gates "
    "asked_after_a_failed_group sealed_as_passed seal_decided sealed_early asked_again item_id"
)


@pytest.mark.parametrize("name", PUBLIC.split())
def test_a_forgery_is_refused_in_public(
    name: str, whole: Forge, tmp_path: Path, check: Check
) -> None:
    """What needs no inputs and no raw replies is refused in a public export too."""
    forge = whole.copy()
    FORGERIES[name](forge)
    folder = public_export(forge.write(tmp_path / "run"), tmp_path / "public")
    assert check(folder, "--public")[0] == 6


def test_a_consistent_forgery_needs_the_head(whole: Forge, tmp_path: Path, check: Check) -> None:
    """Nothing but a head that somebody kept tells a run forged in every place from a true one."""
    forge = whole.copy()
    fields = answer(forge, label="no")
    fields |= {"label": "yes", "readings": {"yes-no/1": "yes", "yes-substring/1": "yes"}}
    private = texts(forge, fields)
    private["reply_text"] = b"yes"
    private["response"] = private["response"].replace(b'"no"', b'"yes"')
    folder = forge.write(tmp_path)
    assert check(folder)[0] == 0
    code, out = check(folder, "--expect-head", whole.text()[1])
    assert code == 6
    assert "head" in out


def test_the_place_is_named(whole: Forge, tmp_path: Path, check: Check) -> None:
    """The one sentence names the file and the line, counted from 1."""
    forge = whole.copy()
    forge.find("intent")["after_unknown"] = True
    assert check(forge.write(tmp_path))[1].startswith("wrong: receipts.jsonl:2: after_unknown")


# --- hostile bytes ------------------------------------------------------------------------------

HOSTILE: list[object] = [
    None, True, 0, -1, 1, 2**53, 1.5, "", "x", "\x1b[2J", "\u202e", "9" * 300, [], [1], [None], {},
    {"a": 1}, {"\u00e9": 1}, [[]], "c1", 10**30,
]  # fmt: skip


def test_hostile_values_never_crash(whole: Forge, tmp_path: Path, check: Check) -> None:
    """Any value in any public field is exit 6 and one line of plain text, or changes nothing."""
    chance = random.Random(3)
    folder = whole.write(tmp_path)
    claims = {"tokens_max", "fingerprint", "service_tier", "elapsed_ms", "usage"}
    for kind in ("start", "intent", "receipt", "gate", "seal"):
        for name in whole.find(kind):
            for value in chance.sample(HOSTILE, 6):
                forge = whole.copy()
                forge.find(kind)[name] = value
                (folder / "receipts.jsonl").write_bytes(forge.text()[0])
                code, out = check(folder)
                if name in claims or canonical(value) == canonical(whole.find(kind)[name]):
                    continue
                assert code == 6, f"{kind}.{name} = {value!r}"
                assert out.isascii()
                assert out.count("\n") == 1
                assert "\x1b" not in out


def test_a_hostile_plan_never_crashes(tmp_path: Path, check: Check) -> None:
    """Any value in any field of the plan is refused or harmless, never a traceback."""
    chance = random.Random(5)
    whole = small().whole()
    places: list[tuple[str, ...]] = [(name,) for name in whole.plan]
    places += [("gate", name) for name in whole.plan["gate"]]
    places += [("conditions", "0", name) for name in whole.plan["conditions"][0]]
    places += [("judges", "0", name) for name in whole.plan["judges"][0]]
    places += [("answers", "0", name) for name in whole.plan["answers"][0]]
    places += [("inputs", "0", name) for name in whole.plan["inputs"][0]]
    for path in places:
        for value in chance.sample(HOSTILE, 5):
            forge = whole.copy()
            part: Any = forge.plan
            for step in path[:-1]:
                part = part[int(step) if step.isdigit() else step]
            part[path[-1]] = value
            forge.run |= {"plan": forge.plan, "plan_sha256": digest(canonical(forge.plan))}
            forge.find("start")["plan_sha256"] = forge.run["plan_sha256"]
            code, out = check(forge.write(tmp_path))
            assert code in {0, 6}
            assert out.isascii()


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"{}\n",
        b"[]\n",
        b"null\n",
        b"\xff\xfe\n",
        b"\xef\xbb\xbf{}\n",
        b'{"public":{}}\n',
        b'{"public":[]}\n',
        b'{"public":{"kind":[]}}\n',
        b'{"public":{"kind":"usage"}}\n',
        b'{"private":[],"public":{}}\n',
        b'{"public":NaN}\n',
        b'{"public":1e5}\n',
        b'{"public":' + b"9" * 5000 + b"}\n",
        b'{"public":"\\ud800"}\n',
        b'{"public":{"a":1,"a":1}}\n',
        b"[" * 100_000 + b"\n",
        b'{"public":' + b'{"a":' * 50_000 + b"\n",
        b"\x00" * 10_000,
    ],
)
def test_hostile_lines_never_crash(line: bytes, tmp_path: Path, check: Check) -> None:
    """Any bytes for a ledger are exit 6 and one line."""
    folder = small().whole().write(tmp_path)
    (folder / "receipts.jsonl").write_bytes(line)
    code, out = check(folder)
    assert (code, out.count("\n")) == (6, 1)


def test_hostile_replies_never_crash(tmp_path: Path, check: Check) -> None:
    """Any raw reply under a verdict is exit 6; none is a traceback."""
    whole = small().whole()
    folder = whole.write(tmp_path)
    bodies = [b"", b"null", b"[]", b"{}", b"\xff", b"[" * 99_999, b'{"model":"gpt-1"}', b"NaN"]
    bodies += [b'{"model":"gpt-1","choices":%b}' % part for part in (b"[[]]", b"{}", b"1", b"[{}]")]
    for body in bodies:
        forge = whole.copy()
        texts(forge, answer(forge))["response"] = body
        (folder / "receipts.jsonl").write_bytes(forge.text()[0])
        assert check(folder)[0] == 6


def test_two_forms_of_one_private_text_are_one_too_many(tmp_path: Path, check: Check) -> None:
    """Text in base64, a salt with spaces, a loose encoding: refused, though they commit alike."""
    folder = small().whole().write(tmp_path)
    path = folder / "receipts.jsonl"
    data = path.read_bytes()
    lines = data.splitlines(keepends=True)
    value = json.loads(lines[1])
    part = value["private"]["request"]
    salt = part["salt"]
    for change in (
        {"salt": salt.upper() if salt.upper() != salt else salt[:2] + " " + salt[2:]},
        {"salt": salt[:2] + " " + salt[2:]},
        {"enc": "base64"},
        {"enc": "utf16"},
        {"more": 1},
        {"data": 1},
    ):
        value["private"]["request"] = {**part, **change}
        path.write_bytes(b"".join([lines[0], canonical(value) + b"\n", *lines[2:]]))
        assert check(folder)[0] == 6
    path.write_bytes(data)
    assert check(folder)[0] == 0
