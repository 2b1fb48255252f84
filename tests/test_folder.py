"""judge/folder.py and judge/coherence.py: a frozen plan and its inputs, held against themselves."""

import shutil
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest
from plans import plan, receipt
from smallfiles import KEY, SALT, frozen, refrozen

from judge.canonical import digest, encode
from judge.coherence import check_receipt
from judge.errors import InputError, VerificationError
from judge.folder import FIXED_INPUTS, Frozen, Rows, question_key, read_manifest, rubric_file
from judge.records import Item, Reference

Change = Callable[[Any], Any]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Freeze a run of two sets of answers, once."""
    return frozen(tmp_path_factory.mktemp("made"), "a", "b")


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    """Return a copy of it that may be spoilt."""
    return Path(shutil.copytree(made, tmp_path / "run"))


def _why(run: Path) -> str:
    with pytest.raises(VerificationError) as caught:
        Frozen(run)
    return str(caught.value)


@dataclass(frozen=True)
class With:
    """Change fields of an object."""

    changes: dict[str, object]

    def __call__(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the changed object."""
        return {**value, **self.changes}


@dataclass(frozen=True)
class Row:
    """Change fields of one row."""

    number: int
    changes: dict[str, object]

    def __call__(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the rows, one of them changed."""
        rows[self.number] |= self.changes
        return rows


@dataclass(frozen=True)
class First:
    """Keep the first rows."""

    count: int

    def __call__(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the rows that are kept."""
        return rows[: self.count]


# --- what a frozen folder gives -------------------------------------------------------------------


def test_a_frozen_folder_gives_its_plan_and_inputs(made: Path) -> None:
    """Items, controls, references, texts, positions, expected labels."""
    with Frozen(made) as found:
        items = list(found.items())
        condition = found.conditions["c2"]

        assert found.run_id == digest((made / "run.json").read_bytes())
        assert [item.answers for item in items] == ["a"] * 9 + ["b"] * 8
        assert [item.position for item in items] == [*range(9), *range(1, 9)]
        assert found.item(9) == items[9]
        assert {row.id for row in found.references()} == {row["question_id"] for row in KEY}
        assert found.abstention().declining
        assert found.layout.positions == array("q", [item.position for item in items])
        assert len(found.controls) == 6
        assert found.expected["c1"] == (("yes",),) * 3 + (("no",),) * 3
        assert found.rubric(condition).name == "correctness/v1"
        assert found.judge(condition).name == "lexical"
        assert list(found.keys) == [question_key(item) for item in items[:9]]


def test_a_question_is_known_by_all_that_is_asked() -> None:
    """Id, type, question, gold, whether it is one without an answer; not by its response."""
    fields: dict[str, Any] = {
        "id": "q",
        "type": "t",
        "question": "Q",
        "gold": "G",
        "abstention": False,
    }
    row = Reference.model_validate(fields)
    item = Item(**fields, answers="a", position=3, response="R", prior="yes")
    others = [
        question_key(row.model_copy(update={name: "x" if held else True}))
        for name, held in fields.items()
    ]

    assert question_key(item) == question_key(row) > 0
    assert len({question_key(row), *others}) == 6


def test_reading_twice_gives_the_same(made: Path) -> None:
    """The rows of an input are read anew each time."""
    with Frozen(made) as found:
        assert list(found.references()) == list(found.references())


def test_a_run_id_hides_nothing_but_its_salt(made: Path, tmp_path: Path) -> None:
    """The same inputs under the same salt are the same run."""
    again = frozen(tmp_path, "a", "b")

    assert (again / "run.json").read_bytes() == (made / "run.json").read_bytes()
    assert SALT.encode() in (made / "run.json").read_bytes()


# --- run.json -------------------------------------------------------------------------------------


def test_a_folder_without_a_plan_is_no_run(tmp_path: Path) -> None:
    """Exit code 2: there is nothing to verify."""
    with pytest.raises(InputError, match=r"not a run folder \(it has no run\.json\)"):
        Frozen(tmp_path)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "not JSON"),
        (b"{} ", "not the canonical form"),
        (b"null", "run.json: "),
        (b"[]", "run.json: "),
        (b"{}", "version None is not known"),
        (b'{"v":2}', "version 2 is not known"),
        (b'{"v":1}', "Field required"),
        (b"[" * 900 + b"]" * 900, "run.json: "),
    ],
    ids=lambda value: repr(value[:20]),
)
def test_a_plan_of_another_shape_is_refused(run: Path, data: bytes, what: str) -> None:
    """And a newer version is not guessed at."""
    (run / "run.json").write_bytes(data)

    assert what in _why(run)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"v": True}, "v: Input should be a valid integer"),
        ({"salt": "5a"}, "salt: "),
        ({"salt": SALT.upper()}, "salt: "),
        ({"more": 1}, "more: "),
        ({"environment": {"config_sha256": 1.5}}, "no canonical form for float"),
        ({"plan_sha256": "0" * 64}, "plan_sha256 is not the digest of the plan"),
    ],
    ids=repr,
)
def test_a_changed_manifest_is_refused(run: Path, change: dict[str, object], what: str) -> None:
    """Each of its fields."""
    manifest = orjson.loads((run / "run.json").read_bytes())
    (run / "run.json").write_bytes(
        orjson.dumps({**manifest, **change}, option=orjson.OPT_SORT_KEYS)
    )

    assert what in _why(run)


def test_a_plan_without_one_of_its_fields_is_refused(run: Path) -> None:
    """Or with one that is left to a default."""
    manifest = orjson.loads((run / "run.json").read_bytes())
    for name in manifest["plan"]:
        fewer = {n: part for n, part in manifest["plan"].items() if n != name}
        spoilt = {**manifest, "plan": fewer, "plan_sha256": digest(encode(fewer))}
        (run / "run.json").write_bytes(encode(spoilt))
        assert "run.json: plan." in _why(run)


# --- inputs/ --------------------------------------------------------------------------------------


def test_a_changed_byte_of_any_input_is_refused(run: Path) -> None:
    """Whatever stands there."""
    for file in sorted(path for path in (run / "inputs").rglob("*") if path.is_file()):
        data = file.read_bytes()
        file.write_bytes(data[:-2] + bytes([data[-2] ^ 1]) + data[-1:])
        name = str(file.relative_to(run / "inputs"))
        expected = "not the one run.json names" if name == "run.yaml" else "changed since the run"
        assert f"inputs/{name}: " in _why(run)
        assert expected in _why(run)
        file.write_bytes(data)
    Frozen(run).close()


def test_an_input_too_few_is_refused(run: Path) -> None:
    """Each one that there is."""
    for file in sorted(path for path in (run / "inputs").rglob("*") if path.is_file()):
        data = file.read_bytes()
        file.unlink()
        assert f"inputs/{file.relative_to(run / 'inputs')}: missing" in _why(run)
        file.write_bytes(data)


@pytest.mark.parametrize("name", ["more.txt", "rubrics/other.json", "deep/down/x", ".hidden"])
def test_an_input_too_many_is_refused(run: Path, name: str) -> None:
    """Wherever it lies."""
    file = run / "inputs" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"")

    assert f"inputs/{name}: missing, or not in the plan" in _why(run)


def test_the_plan_lists_the_inputs_that_every_run_has(run: Path) -> None:
    """Once each, and a rubric for each that is named."""
    assert {*FIXED_INPUTS, "rubrics/correctness.v1.json"} == {
        entry["name"] for entry in orjson.loads((run / "run.json").read_bytes())["plan"]["inputs"]
    }
    assert rubric_file("correctness/v1") == "rubrics/correctness.v1.json"
    refrozen(run, "plan", lambda value: {**value, "inputs": value["inputs"][1:]})
    assert "does not list the inputs it needs" in _why(run)


def test_an_input_listed_twice_is_refused(run: Path) -> None:
    """Two digests for one file."""
    refrozen(run, "plan", lambda value: {**value, "inputs": value["inputs"][:1] + value["inputs"]})

    assert "run.json: " in _why(run)


def test_the_rows_of_an_input_are_counted(run: Path) -> None:
    """And a file that has no rows says so."""

    def change(value: dict[str, Any]) -> dict[str, Any]:
        for entry in value["inputs"]:
            if entry["name"] == "references.jsonl":
                entry["rows"] += 1
        return value

    refrozen(run, "plan", change)

    assert "inputs/references.jsonl: 9 rows, the plan says 10" in _why(run)


# --- consistently changed, and still not what it says ---------------------------------------------


@pytest.mark.parametrize(
    ("name", "change", "what"),
    [
        ("items.jsonl", Row(0, {"position": 1}), "items.jsonl:2: out of place in its set"),
        ("items.jsonl", Row(8, {"position": 9}), "items.jsonl:9: out of place in its set"),
        ("items.jsonl", Row(3, {"answers": "b"}), "items.jsonl:4: out of place in its set"),
        ("items.jsonl", Row(9, {"question": "Other?"}), "items.jsonl:10: another question than"),
        ("items.jsonl", Row(9, {"gold": "other"}), "items.jsonl:10: another question than"),
        ("items.jsonl", Row(0, {"more": 1}), "items.jsonl:1: more: "),
        ("items.jsonl", Row(0, {"prior": 1}), "items.jsonl:1: prior: "),
        ("controls.jsonl", Row(0, {"arm": "other"}), "controls.jsonl:1: arm: "),
        ("controls.jsonl", Row(0, {"expect": ["perhaps"]}), "controls.jsonl: control 'a"),
        ("controls.jsonl", First(3), "controls.jsonl: an arm is empty"),
        ("controls.jsonl", First(0), "controls.jsonl: an arm is empty"),
        ("rubrics/correctness.v1.json", With({"edition": "v2"}), "holds correctness/v2"),
        ("rubrics/correctness.v1.json", With({"labels": ["yes", "yes"]}), "correctness.v1.json: "),
        (
            "rubrics/correctness.v1.json",
            With({"accept": "no"}),
            "its rubric is not the one of its pin",
        ),
        (
            "rubrics/correctness.v1.json",
            With({"settings": {}}),
            "its rubric is not the one of its pin",
        ),
        ("plan", With({"conditions": []}), "run.json: "),
        ("plan", With({"questions": 10}), "items.jsonl: fewer questions than the plan says"),
        ("plan", With({"questions": 99}), "99 questions cannot fill 17 rows"),
        ("plan", With({"questions": 0}), "0 questions cannot fill 17 rows"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else repr(value),
)
def test_a_consistent_change_is_refused_for_what_it_says(
    run: Path, name: str, change: Change, what: str
) -> None:
    """Though every digest was made anew."""
    refrozen(run, name, change)

    assert what in _why(run)


@pytest.mark.parametrize(
    ("part", "number", "changes", "what"),
    [
        ("answers", 1, {"first_row": 8}, "the rows of b do not follow"),
        ("answers", 1, {"rows": 7}, "the sets of answers have 16 rows, the items others"),
        ("answers", 1, {"name": "a"}, "two sets of answers have one name"),
        ("conditions", 0, {"id": "c2"}, "condition c2 is out of order"),
        ("conditions", 0, {"answers": "c"}, "c1 names answers or a judge the plan has not"),
        ("conditions", 0, {"judge": "other"}, "c1 names answers or a judge the plan has not"),
        ("conditions", 0, {"accept": "perhaps"}, "c1 accepts a label it does not offer"),
        ("conditions", 0, {"name": "best"}, "c1 is not named after what it is made of"),
        ("conditions", 0, {"rubric_pin": "0" * 64}, "its rubric is not the one of its pin"),
        ("conditions", 0, {"labels": ["no", "yes"]}, "its rubric is not the one of its pin"),
        ("judges", 0, {"api": "messages"}, "judge lexical does not speak messages"),
        ("judges", 0, {"address": "custom"}, "the address of judge lexical cannot be"),
        ("judges", 0, {"identity": "snapshot"}, "the identity of judge lexical is overstated"),
        ("gate", None, {"threshold": "0.5"}, "threshold 0.5 must be above 1/2"),
        ("gate", None, {"controls": ["mine"]}, "the control files are not those of its sources"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_a_plan_that_disagrees_with_itself_is_refused(
    run: Path, part: str, number: int | None, changes: dict[str, object], what: str
) -> None:
    """Without a look at any input."""

    def change(value: dict[str, Any]) -> dict[str, Any]:
        target = value[part] if number is None else value[part][number]
        target |= changes
        return value

    refrozen(run, "plan", change)

    assert what in _why(run)


def test_a_row_that_is_not_canonical_is_refused(run: Path) -> None:
    """One row, one form; the file's digest was made anew."""
    refrozen(run, "items.jsonl", lambda rows: [encode(rows[0]) + b" ", *rows[1:]])

    assert "items.jsonl:1: not the canonical form of its record" in _why(run)


def test_two_judges_of_one_name_are_refused(run: Path) -> None:
    """A condition could mean either."""
    refrozen(run, "plan", lambda value: {**value, "judges": value["judges"] * 2})

    assert "two judges have one name" in _why(run)


def test_an_answer_that_is_a_hand_made_control_is_refused(run: Path) -> None:
    """Its right label would be known to whoever wrote the file."""

    def change(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        rows[0] |= {"source": "mine"}
        return rows

    refrozen(run, "controls.jsonl", change)

    assert "a control of a file as well" in _why(run)


def test_a_row_of_the_answer_key_is_named(run: Path) -> None:
    """When it is read: a run needs it only for its draw."""
    refrozen(run, "references.jsonl", Row(1, {"more": 1}))

    with (
        Frozen(run) as found,
        pytest.raises(VerificationError, match=r"inputs/references\.jsonl:2: more: "),
    ):
        list(found.references())


def test_a_template_that_is_not_its_pin_is_refused(run: Path) -> None:
    """Though the file's own digest was made anew."""

    def change(value: dict[str, Any]) -> dict[str, Any]:
        value["templates"][0]["text"] += "!"
        return value

    refrozen(run, "rubrics/correctness.v1.json", change)

    assert "template base is not its pin" in _why(run)


def test_a_system_text_has_its_digest(run: Path) -> None:
    """Or it could be added unseen."""

    def change(value: dict[str, Any]) -> dict[str, Any]:
        value["templates"][0]["system"] = "Be kind."
        return value

    refrozen(run, "rubrics/correctness.v1.json", change)

    assert "template base: system text" in _why(run)


def test_items_have_the_rows_of_the_plan(run: Path) -> None:
    """No more and no fewer."""
    refrozen(run, "items.jsonl", lambda rows: rows[:-1])

    assert "the sets of answers have 17 rows, the items others" in _why(run)


@pytest.mark.parametrize("name", ["items.jsonl", "controls.jsonl", "references.jsonl"])
def test_a_last_line_ends_in_a_line_feed(run: Path, name: str) -> None:
    """As every other: else it is torn."""
    manifest = orjson.loads((run / "run.json").read_bytes())
    data = (run / "inputs" / name).read_bytes()[:-1]
    (run / "inputs" / name).write_bytes(data)
    for entry in manifest["plan"]["inputs"]:
        if entry["name"] == name:
            entry |= {"sha256": digest(data), "bytes": len(data), "rows": data.count(b"\n")}
    if name == "items.jsonl":
        manifest["plan"]["answers"][1]["rows"] -= 1
    manifest["plan_sha256"] = digest(encode(manifest["plan"]))
    (run / "run.json").write_bytes(encode(manifest))

    if name == "references.jsonl":
        with Frozen(run) as found, pytest.raises(VerificationError, match="last line is torn"):
            list(found.references())
    else:
        assert f"inputs/{name}: the last line is torn" in _why(run)


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (b"{} ", "not the canonical form"),
        ([], "not confident and declining texts"),
        ({"confident": ["x"]}, "not confident and declining texts"),
        (
            {
                "confident": ["x"],
                "declining": [],
            },
            "an empty list, or not texts",
        ),
        ({"confident": ["x"], "declining": [1]}, "an empty list, or not texts"),
        ({"confident": "x", "declining": ["x"]}, "an empty list, or not texts"),
    ],
    ids=repr,
)
def test_abstention_texts_are_two_lists(run: Path, value: object, what: str) -> None:
    """Neither of them empty."""
    refrozen(run, "abstention.json", lambda _: value)

    with Frozen(run) as found, pytest.raises(VerificationError, match=what):
        found.abstention()


# --- rows by number -------------------------------------------------------------------------------


def test_rows_are_read_by_number(tmp_path: Path) -> None:
    """Each without its line feed."""
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b"one\n\nthree\n")
    rows = Rows(file)

    assert [rows[number] for number in range(len(rows))] == [b"one", b"", b"three"]
    rows.close()


def test_a_file_cut_short_after_its_check_is_refused(tmp_path: Path) -> None:
    """A row whose bytes have gone since the file was opened is no row of the run."""
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"a":1}\n{"b":2}\n')
    rows = Rows(path)
    path.write_bytes(b'{"a":1}\n{"b"')
    assert rows[0] == b'{"a":1}'
    with pytest.raises(VerificationError, match="cut short since it was checked"):
        rows[1]
    rows.close()


def test_rows_are_not_mapped_into_memory(made: Path) -> None:
    """An open run maps none of its files, whose pages would count as the process's own memory."""
    maps = Path("/proc/self/maps")
    if not maps.exists():
        pytest.skip("this system does not list what a process has mapped")
    with Frozen(made) as open_run:
        assert open_run.item(0).id
        assert str(made) not in maps.read_text()


def test_an_empty_file_has_no_rows(tmp_path: Path) -> None:
    """Nothing can be asked of it."""
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b"")
    rows = Rows(file)

    assert len(rows) == 0
    with pytest.raises(IndexError):
        rows[0]
    rows.close()


def test_a_manifest_is_read_without_its_inputs(run: Path) -> None:
    """A public export has none."""
    shutil.rmtree(run / "inputs")
    manifest, run_id = read_manifest(run)

    assert manifest.encoded() == (run / "run.json").read_bytes()
    assert run_id == digest(manifest.encoded())


# --- a receipt that agrees with itself ------------------------------------------------------------

CONDITION = plan({"a": (0,)}, ["a"]).conditions[0]
BOTH: dict[str, object] = {"yes-no/1": "yes", "yes-substring/1": "yes"}
OFF: dict[str, object] = {"yes-no/1": None, "yes-substring/1": "no"}
UNTOLD: dict[str, object] = {"label": None, "model_returned": None, "finish": None, "usage": None}


@pytest.mark.parametrize(
    "told",
    [
        {"readings": BOTH},
        {"readings": BOTH, "binding": "embedded", "status": None},
        {"outcome": "undecided", "label": None, "reason": "off_scale", "readings": OFF},
        {"outcome": "undecided", "label": None, "reason": "cut"},
        {"outcome": "retry", "status": 429, **UNTOLD},
        {"outcome": "unknown", "status": None, "error": "cut", **UNTOLD},
        {"outcome": "not_sent", "status": None, "error": "dns", **UNTOLD},
        {"outcome": "undecided", "reason": "left_unknown", "status": None, **UNTOLD},
    ],
    ids=repr,
)
def test_a_receipt_that_agrees_with_itself_is_taken(told: dict[str, object]) -> None:
    """One of each outcome."""
    check_receipt(receipt(**told), CONDITION)


@pytest.mark.parametrize(
    ("told", "what"),
    [
        ({"readings": BOTH, "error": "cut"}, "error is 'cut', the outcome decided"),
        ({"outcome": "unknown", "label": None, "status": None}, "error is None, the outcome unkn"),
        ({"readings": BOTH, "reason": "cut"}, "reason is 'cut', the outcome decided"),
        ({"outcome": "undecided", "label": None}, "reason is None, the outcome undecided"),
        ({}, "readings stand without a text that was read, or are missing"),
        (
            {"outcome": "undecided", "label": None, "reason": "cut", "readings": OFF},
            "readings stand",
        ),
        ({"outcome": "undecided", "label": None, "reason": "off_scale"}, "readings stand"),
        ({"readings": {"yes-no/1": "yes"}}, "readings are not those of the rubric"),
        ({"readings": {**BOTH, "more/1": None}}, "readings are not those of the rubric"),
        ({"readings": BOTH, "label": "no"}, "label is not what the readings decide"),
        ({"readings": OFF, "label": None}, "label is None, the outcome decided"),
        (
            {"outcome": "undecided", "reason": "off_scale", "readings": BOTH},
            "label is 'yes', the outcome undecided",
        ),
        (
            {"readings": {**BOTH, "yes-substring/1": "maybe"}},
            "a label that the rubric does not offer",
        ),
        ({"outcome": "unknown", "error": "dns", **UNTOLD}, "error is 'dns', the outcome unknown"),
        ({"outcome": "not_sent", "error": "cut", **UNTOLD}, "error is 'cut', the outcome not_sent"),
        ({"outcome": "retry", **UNTOLD, "finish": "stop"}, "a reply that nobody took"),
        ({"outcome": "retry", **UNTOLD, "model_returned": "m"}, "a reply that nobody took"),
        (
            {"outcome": "retry", "label": None, "status": 429, "model_returned": "m"},
            "the receipt tells of a reply that nobody took",
        ),
        ({"readings": BOTH, "status": 500}, "a verdict under status 500"),
        ({"readings": BOTH, "status": None}, "a verdict under status None"),
        ({"readings": BOTH, "binding": "embedded"}, "a verdict under status 200"),
    ],
    ids=repr,
)
def test_a_receipt_that_contradicts_itself_is_refused(told: dict[str, object], what: str) -> None:
    """Whatever its texts would say: a public export has none."""
    with pytest.raises(VerificationError) as caught:
        check_receipt(receipt(**told), CONDITION)

    assert what in str(caught.value)
