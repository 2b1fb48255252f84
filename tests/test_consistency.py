"""What `judge verify` holds a run to beyond its digests: receipts, run.yaml and the plan agree."""

from pathlib import Path

import pytest
from faultserver import Close
from plans import plan, receipt
from smallfiles import AT, RUN_ID, frozen, refrozen, written
from smallrun import SmallJudge, Turn, configured, ran

from judge.agreement import check_config, check_selected
from judge.chain import read_line
from judge.coherence import check_receipt, check_size
from judge.errors import InputError, VerificationError
from judge.folder import Frozen
from judge.gate import threshold
from judge.recount import recount

CONDITION = plan({"a": (0,)}, ["a"]).conditions[0]
UNTOLD: dict[str, object] = {"label": None, "model_returned": None, "finish": None}
LOST: dict[str, object] = {"outcome": "unknown", "error": "cut", **UNTOLD}
NOT_SENT: dict[str, object] = {"outcome": "not_sent", "error": "dns", "status": None, **UNTOLD}


# --- receipts -------------------------------------------------------------------------------------


def test_what_was_never_sent_has_no_status() -> None:
    """Somebody who answered was reached."""
    with pytest.raises(VerificationError, match="never sent has status 200"):
        check_receipt(receipt(**{**NOT_SENT, "status": 200}), CONDITION)


@pytest.mark.parametrize(
    ("told", "length", "response", "what"),
    [
        (NOT_SENT, None, b"x", "never sent has headers or a response"),
        (NOT_SENT, "0", b"", "never sent has headers or a response"),
        (LOST, "2", b"{}", "the whole answer is there"),
        ({**LOST, "error": "deadline"}, "2", b"{}", "the whole answer is there"),
        ({}, "3", b"{}", "response has 2 bytes"),
        ({}, "3", b"", "response has 0 bytes"),
        ({"outcome": "retry", "status": 503}, "3", b"{}", "response has 2 bytes"),
    ],
)
def test_a_length_that_contradicts_the_bytes_is_refused(
    told: dict[str, object], length: str | None, response: bytes, what: str
) -> None:
    """A verdict must not be hidden as a lost answer, nor a part pass as a whole."""
    headers = () if length is None else (("content-length", length),)

    with pytest.raises(VerificationError, match=what):
        check_size(receipt(**told), headers, response)


@pytest.mark.parametrize(
    ("told", "headers", "response"),
    [
        ({}, (("content-length", "2"),), b"{}"),
        ({}, (), b"{}"),
        ({}, (("content-length", "2"), ("content-length", "3")), b"{}"),
        (LOST, (("content-length", "3"),), b"{}"),
        ({**LOST, "error": "protocol"}, (("content-length", "2"),), b"{}"),
        ({"outcome": "retry", "status": 401}, (("content-length", "90"),), b""),
    ],
)
def test_a_length_that_goes_with_the_bytes_is_taken(
    told: dict[str, object], headers: tuple[tuple[str, str], ...], response: bytes
) -> None:
    """Also one of a refusal that was dropped for the secret in it."""
    check_size(receipt(**told), headers, response)


def _lost_once(turn: Turn) -> list[Close] | None:
    return [Close()] if turn.item == "user-02" and turn.times == 1 else None


def test_a_lost_question_is_sent_again_only_where_a_limit_allows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that asks until it likes the answer says so in run.yaml."""
    with SmallJudge(_lost_once) as server:
        allowed = configured("openai", server.base_url("openai"), resend_unknown=1)
        found = ran(allowed, tmp_path / "run")
    assert found.outcome.proof.tally.resent == 1
    denied = allowed.model_copy(
        update={"limits": allowed.limits.model_copy(update={"resend_unknown": 0})}
    )
    monkeypatch.setattr("judge.folder.parse_config", lambda *_: denied)

    with pytest.raises(VerificationError, match="a lost question was sent again"):
        recount(tmp_path / "run")


def test_a_line_written_on_no_date_is_refused(tmp_path: Path) -> None:
    """The 30th of February."""
    path = tmp_path / "receipts.jsonl"
    written(path)
    line = path.read_bytes().splitlines()[0].replace(AT.encode(), b"2026-02-30T10:00:00.000Z")

    with pytest.raises(VerificationError, match="no date that exists"):
        read_line(line, 0, RUN_ID, public=False)


# --- run.yaml and the plan ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("threshold", "0.8"), ("seed", 7), ("positive", 2), ("negative", 2), ("batch_size", 4)),
        *(("repetitions", 2), ("reask", 1), ("only", ("type=x",)), ("limit", 99)),
        *(("allow_partial", False), ("allow_empty", True), ("controls", ("mine.yaml",))),
        *(("answers", ()), ("rubrics", ("other/v1",)), ("rubrics", ()), ("judges", ())),
    ],
)
def test_a_run_yaml_that_asks_for_another_plan_is_refused(
    tmp_path: Path, field: str, value: object
) -> None:
    """Its digest shows only that nobody changed it since."""
    with Frozen(frozen(tmp_path)) as found:
        check_config(found.config, found.plan)
        other = found.config.model_copy(update={field: value})
        with pytest.raises(VerificationError, match=rf"run\.yaml: {field} "):
            check_config(other, found.plan)


@pytest.mark.parametrize("only", ["type=temporal-reasoning", "id=u1,u2", "route=temporal"])
def test_an_item_that_was_not_selected_is_refused(tmp_path: Path, only: str) -> None:
    """Every row of the run must meet what the plan says it was chosen by."""
    run = frozen(tmp_path)
    refrozen(run, "plan", lambda p: {**p, "selection": {**p["selection"], "only": [only]}})

    with (
        Frozen(run) as found,
        pytest.raises(VerificationError, match=r"items\.jsonl:\d+: does not"),
    ):
        check_selected(found)


@pytest.mark.parametrize(
    ("part", "changes", "what"),
    [
        ("selection", {"allow_partial": False}, "answers are missing"),
        ("selection", {"limit": 8}, "9 questions under a limit of 8"),
        ("sources", None, "not those of its sources"),
    ],
)
def test_a_plan_covers_what_it_says(
    tmp_path: Path, part: str, changes: dict[str, object] | None, what: str
) -> None:
    """Answers that are missing are allowed by the plan, or not there."""
    run = frozen(tmp_path, "a", "b")
    refrozen(run, "plan", lambda p: {**p, part: {**p[part], **changes} if changes else []})

    with pytest.raises(VerificationError, match=what):
        Frozen(run)


def test_a_threshold_has_ascii_digits() -> None:
    """Other readers of the plan know no others."""
    with pytest.raises(InputError, match="neither a decimal"):
        threshold("0.\u0669")
