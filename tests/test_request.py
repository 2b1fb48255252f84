"""judge/request.py: the exact body of a request."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge import request
from judge.canonical import Json, digest, encode, parse
from judge.errors import InputError

SETTINGS: dict[str, Json] = {"temperature": 0, "max_tokens": 10, "n": 1}
TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def test_a_chat_body_is_exactly_model_message_and_settings() -> None:
    """Sorted, compact, nothing added."""
    body = request.chat("gpt-4o-2024-08-06", 'say "é"\n', SETTINGS)

    assert (
        body
        == (
            '{"max_tokens":10,"messages":[{"content":"say \\"é\\"\\n","role":"user"}],'
            '"model":"gpt-4o-2024-08-06","n":1,"temperature":0}'
        ).encode()
    )


@given(TEXT, TEXT, st.dictionaries(st.sampled_from("abz"), st.booleans() | st.integers(0, 9)))
def test_a_chat_body_is_the_canonical_form_of_its_value(
    model: str, prompt: str, settings: dict[str, Json]
) -> None:
    """The fast path and `canonical.encode` give the same bytes."""
    messages: Json = [{"content": prompt, "role": "user"}]
    whole: Json = {**settings, "model": model, "messages": messages}

    assert request.chat(model, prompt, settings) == encode(whole)


def test_true_and_one_are_two_settings() -> None:
    """Equal in Python, they are not one cached body."""
    one = request.chat("m", "p", {"logprobs": 1})
    true = request.chat("m", "p", {"logprobs": True})

    assert (b'"logprobs":1' in one, b'"logprobs":true' in true) == (True, True)


def test_decimals_go_out_as_json_numbers() -> None:
    """At any depth; whole numbers, words and versions stay what they are."""
    settings: dict[str, Json] = {"temperature": "0.7", "x": {"y": ["-1.25", "0.7.1", "a"]}}

    body = json.loads(request.chat("m", "p", settings))

    assert (body["temperature"], body["x"]) == (0.7, {"y": [-1.25, "0.7.1", "a"]})


@pytest.mark.parametrize("text", ["0.70", "1.0", "0.0", "-0.0", "0.500"])
def test_a_decimal_that_is_not_its_shortest_form_is_refused(text: str) -> None:
    """Two spellings of one number would be two pins."""
    with pytest.raises(InputError, match=r"'temperature': .* not in its shortest form"):
        request.chat("m", "p", {"temperature": text})


def test_a_decimal_with_more_digits_than_a_double_is_refused() -> None:
    """It would reach the model as another number."""
    with pytest.raises(InputError, match="more digits than can be sent exactly"):
        request.check({"x": ["0.12345678901234567890123"]})


@pytest.mark.parametrize("key", ["model", "messages", "stream", "stream_options"])
def test_the_harness_own_keys_cannot_be_set(key: str) -> None:
    """A setting may not replace the message or the model."""
    with pytest.raises(InputError, match=f"setting '{key}' belongs to the harness"):
        request.chat("m", "p", {key: "x"})


@pytest.mark.parametrize(
    ("model", "prompt", "settings"),
    [
        ("m", "\ud800", {}),
        ("\ud800", "p", {}),
        ("m", "p", {"stop": "\ud800"}),
        ("m", "p", {"é": 1}),
        ("m", "p", {"seed": 2**53}),
        ("m", "p", {"seed": 2**70}),
        ("m", "p", {"temperature": 0.7}),
    ],
    ids=["prompt", "model", "setting", "key", "2**53", "2**70", "float"],
)
def test_what_has_no_canonical_form_is_refused(
    model: str, prompt: str, settings: dict[str, Json]
) -> None:
    """An InputError, whatever is wrong with it."""
    with pytest.raises(InputError):
        request.chat(model, prompt, settings)


def test_a_messages_body_is_the_same_shape() -> None:
    """Model, one user message, the settings that API takes."""
    body = parse(request.messages("claude-opus-5-5", "p", {"max_tokens": 10}))

    assert body == {
        "max_tokens": 10,
        "messages": [{"content": "p", "role": "user"}],
        "model": "claude-opus-5-5",
    }


def test_a_system_text_comes_first_in_chat_and_at_the_top_in_messages() -> None:
    """Each API in its own way; the user message is untouched."""
    chat: Json = parse(request.chat("m", "p", {"n": 1}, "be strict"))
    messages: Json = parse(request.messages("m", "p", {"max_tokens": 1}, "be strict"))

    user: Json = {"content": "p", "role": "user"}
    said: Json = {"content": "be strict", "role": "system"}
    assert chat == {"messages": [said, user], "model": "m", "n": 1}
    assert messages == {"max_tokens": 1, "messages": [user], "model": "m", "system": "be strict"}


def test_a_setting_may_not_replace_the_rubrics_system_text() -> None:
    """The pinned one is sent or none."""
    with pytest.raises(InputError, match="own system message"):
        request.messages("m", "p", {"max_tokens": 1, "system": "x"}, "be strict")


def test_one_prompt_with_and_without_system_text_is_two_bodies() -> None:
    """The cached frames do not mix them up."""
    bodies = {request.chat("m", "p", {}, system) for system in (None, "a", "b", "")}

    assert len(bodies) == 4


@pytest.mark.parametrize("key", ["temperature", "top_p", "top_k", "n", "seed", "response_format"])
def test_the_messages_api_refuses_by_naming_what_to_unset(key: str) -> None:
    """The sentence holds the very flag that helps."""
    with pytest.raises(InputError, match=f"--unset {key}"):
        request.messages("m", "p", {"max_tokens": 10, key: 1})


@pytest.mark.parametrize("settings", [{}, {"max_tokens": True}, {"max_tokens": "10"}])
def test_the_messages_api_needs_an_output_limit(settings: dict[str, Json]) -> None:
    """A whole number; true is none."""
    with pytest.raises(InputError, match="needs `max_tokens`"):
        request.messages("m", "p", settings)


def test_no_other_model_may_answer() -> None:
    """Server-side fallbacks are refused."""
    with pytest.raises(InputError, match="another model"):
        request.messages("m", "p", {"max_tokens": 1, "fallbacks": ["x"]})


def test_a_lexical_body_holds_what_the_rule_reads() -> None:
    """Canonical, with the prompt by its digest."""
    sha256 = digest(b"prompt")

    assert parse(request.lexical(sha256, "q", "g", "r")) == {
        "gold": "g",
        "model": "lexical/1",
        "prompt_sha256": sha256,
        "question": "q",
        "response": "r",
    }


def test_set_and_unset_give_new_settings() -> None:
    """The rubric's own settings stay untouched."""
    got = request.apply(SETTINGS, {"max_tokens": 64, "seed": 1}, ["temperature", "n"])

    assert (got, SETTINGS["max_tokens"]) == ({"max_tokens": 64, "seed": 1}, 10)


@pytest.mark.parametrize(
    ("changed", "unset", "what"),
    [
        ({"n": 2}, ["n"], "both set and unset"),
        ({}, ["seed"], "cannot be unset: the rubric has max_tokens, n, temperature"),
        ({"model": "x"}, [], "belongs to the harness"),
        ({"top_p": "0.50"}, [], "shortest form"),
    ],
)
def test_changes_that_cannot_be_meant_are_refused(
    changed: dict[str, Json], unset: list[str], what: str
) -> None:
    """A slip in a flag does not pass unseen."""
    with pytest.raises(InputError, match=what):
        request.apply(SETTINGS, changed, unset)


@pytest.mark.parametrize(
    ("settings", "tokens"),
    [
        ({}, None),
        ({"max_tokens": 10}, 2 + 64 + 10),
        ({"max_completion_tokens": 10, "n": 3}, 2 + 64 + 30),
        ({"max_tokens": 10, "temperature": "0.7", "seed": 5}, 2 + 64 + 10),
        ({"max_tokens": 10, "system": "ab", "x": {"a": 1}}, 2 + 64 + 10 + 4 + 7),
    ],
)
def test_the_most_tokens_are_bounded_by_bytes(
    settings: dict[str, Json], tokens: int | None
) -> None:
    """Bytes of the prompt and of settings the model reads, the wrapping, the output times n."""
    assert request.tokens_max("é", settings) == tokens


def test_bodies_are_made_faster_than_any_judge_answers() -> None:
    """20,000 a second with room to spare."""
    prompt = "x" * 1200
    start = time.perf_counter()
    for _ in range(2000):
        request.chat("gpt-4o-2024-08-06", prompt, SETTINGS)

    assert time.perf_counter() - start < 0.1


def test_a_system_text_costs_tokens_too() -> None:
    """Its bytes, and its wrapping."""
    assert request.tokens_max("é", {"max_tokens": 10}, "ab") == 2 + 64 + 2 + 64 + 10


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("max_tokens", -5),
        ("max_tokens", 0),
        ("max_tokens", "10"),
        ("max_completion_tokens", True),
        ("n", 0),
        ("temperature", -1),
        ("temperature", "2.1"),
        ("top_p", 2),
        ("top_p", "high"),
        ("presence_penalty", "-2.5"),
    ],
)
def test_a_setting_no_provider_takes_is_refused(key: str, value: Json) -> None:
    """Before a run is made of refusals."""
    with pytest.raises(InputError, match=f"setting '{key}' is"):
        request.check({key: value})


def test_settings_at_their_ends_are_taken() -> None:
    """0 and 2 are temperatures; so is a decimal between them."""
    request.check({"temperature": 2, "top_p": "0.1", "max_tokens": 1, "frequency_penalty": -2})
