"""judge/records.py: frozen, strict records closed to unknown fields."""

import inspect
from collections.abc import Callable
from typing import get_args

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plans import PIN, gate, intent, judge, plan, receipt, rubric

from judge import records
from judge.canonical import digest, encode
from judge.records import (
    Control,
    Decided,
    Fact,
    Gate,
    Header,
    Item,
    Plan,
    Record,
    Recovered,
    Reference,
    Resumed,
    Rubric,
    Seal,
    Start,
    Stopped,
    Undecided,
    Usage,
    named,
)

HEADER = Header(v=1, seq=0, prev=PIN, at="2026-11-30T10:00:00.000Z", commit={"item": PIN})
CONTROL = Control(
    arm="negative",
    id="q1",
    type="t",
    question="q",
    gold="g",
    abstention=False,
    response="r",
    expect=("no",),
    source="drawn",
    donor="q2",
)
ONE_OF_EACH: tuple[Record, ...] = (
    HEADER,
    CONTROL,
    plan({"a": (0, 1)}, ["a"]),
    rubric(),
    judge(),
    intent(),
    receipt(usage=Usage(input=1, output=2, reasoning=None, cache_read=0, cache_write=None)),
    gate(),
    Start(plan_sha256=PIN),
    Resumed(recheck=True, resend_unknown=2, leave_unknown=False, version="1"),
    Recovered(discarded_bytes=3, discarded_sha256=PIN),
    Stopped(cause="quota"),
    Seal(state="complete", lines=9, cells=2, decided=2, undecided=0),
    Reference(id="é", type="t", question="\U0001f600", gold="\0", abstention=True),
    Item(
        answers="a",
        position=0,
        id="q",
        type="t",
        question="",
        gold="",
        abstention=False,
        response="",
        prior=None,
    ),
    Decided(label="yes"),
    Undecided(reason="cut"),
)


@pytest.mark.parametrize("record", ONE_OF_EACH, ids=lambda record: type(record).__name__)
def test_a_record_is_read_back_from_its_canonical_bytes(record: Record) -> None:
    """Equal, and of the same bytes again."""
    data = encode(record.plain())
    found = type(record).load(data)

    assert found == record
    assert encode(found.plain()) == data


@pytest.mark.parametrize("record", ONE_OF_EACH, ids=lambda record: type(record).__name__)
def test_a_record_is_closed_and_frozen(record: Record) -> None:
    """Neither a field more, nor another value for one that is there."""
    with pytest.raises(pydantic.ValidationError, match="extra_forbidden"):
        type(record).model_validate({**dict(record), "more": 1})
    with pytest.raises(pydantic.ValidationError, match="frozen"):
        setattr(record, next(iter(type(record).model_fields)), None)


@pytest.mark.parametrize("record", ONE_OF_EACH, ids=lambda record: type(record).__name__)
def test_a_record_has_no_optional_field_on_the_disk(record: Record) -> None:
    """What is absent is null; but what later versions added may be left out."""
    fields = type(record).model_fields
    added = {name for name, field in fields.items() if field.exclude_if is not None}

    assert {(field.alias or name) for name, field in fields.items()} - added == set(record.plain())
    assert not added or isinstance(record, Rubric | Plan | Item)


def test_the_facts_are_the_eight_kinds() -> None:
    """Each names itself."""
    kinds = [kind.model_fields["kind"].default for kind in get_args(Fact)]

    assert kinds == [
        *("start", "intent", "receipt", "gate"),
        *("resumed", "recovered", "stopped", "seal"),
    ]


def test_every_record_is_exported() -> None:
    """`__all__` is complete, sorted and real."""
    classes = {
        name
        for name, value in vars(records).items()
        if inspect.isclass(value) and value.__module__ == records.__name__
    }

    assert classes <= set(records.__all__)
    assert list(records.__all__) == sorted(records.__all__)
    assert all(hasattr(records, name) for name in records.__all__)


@pytest.mark.parametrize(
    ("make", "field", "value"),
    [
        (intent, "row", "0"),
        (intent, "row", -1),
        (intent, "row", True),
        (intent, "row", 1.0),
        (intent, "row", 2**53),
        (intent, "attempt", 0),
        (intent, "repetition", 0),
        (intent, "condition", "c0"),
        (intent, "condition", "c01"),
        (intent, "condition", "c1\n"),
        (intent, "phase", "sentinel"),
        (intent, "arm", "other"),
        (intent, "after_unknown", 0),
        (receipt, "finish", "x" * 201),
        (receipt, "rubric_pin", PIN.upper()),
        (receipt, "rubric_pin", PIN[1:]),
        (receipt, "outcome", "maybe"),
        (receipt, "reason", "because"),
        (receipt, "error", "other"),
        (receipt, "binding", "word"),
        (receipt, "status", "200"),
        (receipt, "usage", {"input": 1}),
        (receipt, "gate_seqs", (1, -1)),
        (gate, "routes", {"base": (1,)}),
        (gate, "routes", {"base": (1, 1, 1)}),
        (gate, "routes", {"base": (1, -1)}),
        (gate, "pass", 1),
        (judge, "name", "a b"),
        (judge, "name", "-a"),
        (judge, "name", ""),
        (judge, "name", "a" * 101),
        (judge, "identity", "sure"),
        (judge, "settings_set", {"a": 0.5}),
        (judge, "settings_set", {"a": {"b": [float("nan")]}}),
    ],
    ids=lambda value: repr(value)[:30] if not callable(value) else value.__name__,
)
def test_a_value_of_another_kind_is_refused(
    make: Callable[..., Record], field: str, value: object
) -> None:
    """Nothing is converted, and every number and text has its bounds."""
    with pytest.raises(pydantic.ValidationError):
        make(**{field: value})


@pytest.mark.parametrize("v", [True, 0, 2, "1"])
def test_the_version_is_the_number_one(v: object) -> None:
    """Not even `true`, which Python takes for 1."""
    with pytest.raises(pydantic.ValidationError):
        Header.model_validate({**dict(HEADER), "v": v})
    with pytest.raises(pydantic.ValidationError):
        Plan.model_validate({**dict(plan({"a": (0,)}, ["a"])), "v": v})


@pytest.mark.parametrize(
    "at",
    [
        "2026-11-30T10:00:00Z",
        "2026-11-30 10:00:00.000Z",
        "2026-11-30T10:00:00.000+00:00",
        "2026-11-30T10:00:00.000Z\n",
        "\u0662026-11-30T10:00:00.000Z",
    ],
)
def test_a_time_has_one_form(at: str) -> None:
    """UTC with milliseconds, in ASCII digits."""
    with pytest.raises(pydantic.ValidationError):
        Header.model_validate({**dict(HEADER), "at": at})


def test_a_list_on_the_disk_is_a_tuple_here() -> None:
    """So that a record can be hashed and cannot be changed."""
    assert Control.load(encode(CONTROL.plain())).expect == ("no",)


def test_a_gate_writes_pass() -> None:
    """The field is `passed` in Python, where `pass` is a keyword."""
    assert gate().plain()["pass"] is True
    assert "passed" not in gate().plain()
    assert Gate.load(encode(gate().plain())).passed is True


def test_an_error_does_not_repeat_what_was_given() -> None:
    """A saved answer may be private, and may carry orders for a terminal."""
    with pytest.raises(pydantic.ValidationError) as caught:
        Item.load(b'{"id":"secret"}')

    assert "secret" not in str(caught.value)


# --- the pin of a rubric --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("fill", "jinja"),
        ("fields", ("gold", "question", "response")),
        ("templates", rubric().templates[:1]),
        ("routes", ({"template": "base"},)),
        ("labels", ("no", "yes")),
        ("accept", "no"),
        ("readings", {"strict": "yes-no/1", "upstream": "yes-no/1"}),
        ("settings", {"temperature": "0.5", "max_tokens": 11}),
    ],
)
def test_the_pin_covers_all_that_decides(field: str, value: object) -> None:
    """Templates, filling, routes, labels, readings, settings."""
    assert rubric(**{field: value}).pin != rubric().pin


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("judges", ("openai/m",)),
        ("of", "other/v1"),
        ("rubric", "other"),
        ("edition", "v2"),
        (
            "source",
            {
                "repository": "a/b",
                "commit": "0" * 40,
                "path": "p",
                "sha256": PIN,
                "licence": "MIT",
            },
        ),
    ],
)
def test_the_pin_covers_no_more(field: str, value: object) -> None:
    """A name, a source or a published judge changes nothing that is sent or read."""
    assert rubric(**{field: value}).pin == rubric().pin


def test_the_pin_follows_format_md() -> None:
    """The digest of the canonical JSON of eight fields, a route's null conditions left out."""
    found = rubric()
    written = (
        b'{"accept":"yes","fields":["question","gold","response"],"fill":"format",'
        b'"labels":["yes","no"],"readings":{"strict":"yes-no/1","upstream":"yes-substring/1"},'
        b'"routes":[{"abstention":true,"template":"abstention"},{"template":"base"}],'
        b'"settings":{"max_tokens":10,"temperature":"0.5"},"templates":{"abstention":"%s",'
        b'"base":"%s"}}'
    ) % tuple(template.sha256.encode() for template in reversed(found.templates))

    assert found.pin == digest(written)


def test_a_rubric_is_named_by_its_edition() -> None:
    """`rubric/edition`, one word for people and files."""
    assert rubric().name == "small/v1"
    assert isinstance(rubric(), Rubric)


# --- names ----------------------------------------------------------------------------------------


@given(st.text())
def test_any_text_has_a_name_near_it(text: str) -> None:
    """One that every record takes."""
    assert judge(name=named(text, "x")).name == named(text, "x")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("gpt-4o-2024-08-06", "gpt-4o-2024-08-06"),
        ("@cf/meta/llama-3.1", "cf/meta/llama-3.1"),
        ("/models/llama 3", "models/llama_3"),
        ("_x", "x"),
        ("模型", "otherwise"),
        ("", "otherwise"),
        ("a" * 300, "a" * 100),
    ],
)
def test_a_name_starts_with_a_letter_or_a_digit(text: str, name: str) -> None:
    """What a name may not hold becomes `_`; what is left at its start goes."""
    assert named(text, "otherwise") == name
