"""The independent verifier proves what is whole and refuses everything else, in one sentence."""

import importlib.util
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from forge import Fields, Forge, canonical, digest, ends, public_export, reply, says
from forgeries import FORGERIES, answer, gated, small, texts

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
    code, out = check(folder, "--public")
    texts_ = sum(fields.get("readings") is not None for fields, _ in whole.lines)
    assert code == 0
    assert f"labels read again from 0 of {texts_} reply texts" in out
    assert f"and the {texts_} labels without a text" in out


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


def planned(name: str, value: object) -> Callable[[Forge], object]:
    """Return what sets one field of the plan's selection or gate."""
    part = "gate" if name == "threshold" else "selection"
    return lambda forge: forge.plan[part].update({name: value})


PLANS: dict[str, Callable[[Forge], object]] = {
    "missing": planned("allow_partial", value=False),
    "limit": planned("limit", 4),
    "threshold": planned("threshold", "0.\u0669"),
    "no source": lambda forge: forge.plan["sources"].pop(),
    "sources turned": lambda forge: forge.plan["sources"].reverse(),
    "two references": lambda forge: forge.plan["sources"].extend(
        [{**forge.plan["sources"][0], "role": "references"}] * 2
    ),
}


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_holds_together(name: str, whole: Forge, tmp_path: Path, check: Check) -> None:
    """What was selected can be what is asked."""
    forge = whole.copy()
    PLANS[name](forge)
    forge.freeze()
    forge.find("start")["plan_sha256"] = forge.run["plan_sha256"]
    assert check(forge.write(tmp_path))[0] == 6


def test_a_date_exists(tmp_path: Path, check: Check) -> None:
    """A thirtieth of February is no time."""
    forge = small().whole()
    forge.find("intent")["at"] = "2026-02-30T10:00:00.000Z"
    assert check(forge.write(tmp_path))[0] == 6


@pytest.mark.parametrize(
    ("how", "length", "code"),
    [
        (ends("unknown", b"{}", status=200, error="cut"), "2", 6),
        (ends("unknown", b"{}", status=200, error="cut"), "3", 0),
        (ends("retry", b"{}", status=503), "3", 6),
        (ends("retry", b"", status=503), "3", 0),
        (ends("not_sent", b"", error="dns"), "0", 6),
    ],
    ids=["whole", "cut", "other", "dropped", "unsent"],
)
def test_a_length_is_that_of_the_reply(
    how: Callable[[Fields, int], Any], length: str, code: int, tmp_path: Path, check: Check
) -> None:
    """No whole reply is called cut, and nothing came for a question that was not sent."""
    forge = small()
    first, *rest = gated(forge)
    forge.ask(first, how)
    forge.lines[-1][1]["headers"] = canonical([["content-length", length]])
    for cell in (first, *rest):
        forge.ask(cell)
    forge.seal()
    assert check(forge.write(tmp_path))[0] == code


def test_a_recheck_after_a_failed_group_opens_nothing(tmp_path: Path, check: Check) -> None:
    """The gate lines that were still to come follow, and the run is sealed gate-failed."""
    forge = small()
    forge.answer = lambda _cell: says("no")
    forge.whole()
    place = next(n for n, (fields, _) in enumerate(forge.lines) if fields["kind"] == "gate")
    tail, forge.lines = forge.lines[place + 1 :], forge.lines[: place + 1]
    assert forge.lines[-1][0]["pass"] is False
    forge.resumed(recheck=True)
    forge.lines += tail
    assert check(forge.write(tmp_path))[0] == 0


@pytest.mark.parametrize("name", ["run.json", "receipts.jsonl", "seal.txt", "inputs/items.jsonl"])
def test_a_pipe_is_refused_unopened(name: str, tmp_path: Path) -> None:
    """Opening one would wait for a writer that never comes."""
    folder = small().whole().write(tmp_path)
    (folder / name).unlink()
    os.mkfifo(folder / name)
    command = [sys.executable, "-I", "-S", str(SCRIPT), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    assert (done.returncode, done.stderr) == (6, "")


def test_a_folder_for_a_seal_is_damage(tmp_path: Path, check: Check) -> None:
    """Also beside a ledger that is still open."""
    forge = small().whole()
    forge.lines.pop()
    folder = forge.write(tmp_path)
    assert check(folder)[0] == 4
    (folder / "seal.txt").mkdir()
    assert check(folder)[0] == 6


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_is_refused(name: str, whole: Forge, tmp_path: Path, check: Check) -> None:
    """A run that was bent, then numbered, committed, chained and sealed anew, is exit 6."""
    forge = whole.copy()
    FORGERIES[name](forge)
    assert forge.text() != whole.text() or forge.inputs != whole.inputs or forge.run != whole.run
    code, out = check(forge.write(tmp_path))
    assert (code, out.count("\n")) == (6, 1), out
    assert out.startswith("wrong: ")
    assert FORGERIES[name].__doc__


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


def test_hostile_values_never_crash(tmp_path: Path, check: Check) -> None:
    """Any value in any public field is exit 6 and one line of plain text, or changes nothing."""
    chance = random.Random(3)
    whole = small().whole()
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


def changed_line(folder: Path, number: int, change: Callable[[Fields], object]) -> None:
    """Change a line in place, outside its public part."""
    path = folder / "receipts.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    value = json.loads(lines[number])
    change(value)
    lines[number] = canonical(value) + b"\n"
    path.write_bytes(b"".join(lines))


PRIVATE_CHANGES: dict[str, tuple[int, Callable[[Fields], object]]] = {
    "no response": (2, lambda value: value["private"].pop("response")),
    "no reply_text": (2, lambda value: value["private"].pop("reply_text")),
    "nothing": (2, lambda value: value.pop("private")),
    "a third part": (2, lambda value: value.update(extra={})),
    "an empty part": (0, lambda value: value.update(private={})),
    "one more": (2, lambda value: value["private"].update(note=value["private"]["item"])),
    "swapped": (2, lambda value: value["private"].update(item=value["private"]["headers"])),
}


@pytest.mark.parametrize("name", PRIVATE_CHANGES)
def test_the_private_part_is_whole(name: str, tmp_path: Path, check: Check) -> None:
    """In a whole run every committed text is there, and nothing else stands beside it."""
    folder = small().whole().write(tmp_path)
    changed_line(folder, *PRIVATE_CHANGES[name])
    assert check(folder)[0] == 6
