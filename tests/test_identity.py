"""judge/identity.py: how much a judge's name proves, and what differs from the rubric."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plans import judge, rubric

from judge.config import JudgeConfig
from judge.errors import InputError
from judge.identity import api_of, deviations, identify, is_official, strength
from judge.records import Identity, Judge, Rubric


def _refused(**config: object) -> str:
    with pytest.raises(InputError) as caught:
        identify(JudgeConfig.model_validate(config))
    return str(caught.value)


# --- who is asked ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("provider", "model", "identity"),
    [
        ("openai", "gpt-4o-2024-08-06", "snapshot"),
        ("openai", "gpt-4o-mini-2024-07-18", "snapshot"),
        ("openai", "gpt-4o", "alias"),
        ("openai", "gpt-4o-2024-08-06-latest", "alias"),
        ("openai", "-2024-08-06", "alias"),
        ("openai", "2024-08-06", "alias"),
        ("anthropic", "claude-3-5-haiku-20241022", "pinned-id"),
        ("anthropic", "claude-opus-4-6", "pinned-id"),
        ("anthropic", "claude-opus-5-5", "pinned-id"),
        ("anthropic", "claude-sonnet-5", "pinned-id"),
        ("anthropic", "claude-opus-10-1", "pinned-id"),
        ("anthropic", "claude-opus-4-5", "alias"),
        ("anthropic", "claude-opus-4", "alias"),
        ("anthropic", "claude-3-5-haiku-latest", "alias"),
        ("anthropic", "claude-opus-5-5-latest", "alias"),
        ("anthropic", "gpt-4o-2024-08-06", "alias"),
        ("lexical", "lexical/1", "embedded"),
    ],
)
def test_a_name_proves_what_its_provider_says_of_it(
    provider: str, model: str, identity: Identity
) -> None:
    """A date, or a version from which names are kept."""
    assert strength(provider, model, "provider") == identity


@given(st.sampled_from(["openai", "anthropic"]), st.text())
def test_behind_another_address_a_name_is_a_label(provider: str, model: str) -> None:
    """Whoever runs the server can give any name."""
    assert strength(provider, model, "custom") == "label"


def test_a_dated_model_is_expected_as_it_is_asked_for() -> None:
    """No snapshot needs to be named."""
    found = identify(JudgeConfig(provider="openai", model="gpt-4o-2024-08-06"))

    assert (found.model, found.expect_model) == ("gpt-4o-2024-08-06", "gpt-4o-2024-08-06")
    assert (found.identity, found.address, found.api) == ("snapshot", "provider", api_of("openai"))


def test_an_alias_is_held_to_a_snapshot() -> None:
    """The name that every reply must carry."""
    found = identify(
        JudgeConfig(provider="openai", model="gpt-4o", snapshot="gpt-4o-2024-08-06", name="judge-a")
    )

    assert (found.model, found.expect_model, found.identity, found.name) == (
        *("gpt-4o", "gpt-4o-2024-08-06", "alias", "judge-a"),
    )


def test_an_alias_without_a_snapshot_is_refused() -> None:
    """The sentence says what to give."""
    assert "openai/gpt-4o is an alias" in _refused(provider="openai", model="gpt-4o")
    assert "--snapshot" in _refused(provider="anthropic", model="claude-opus-4")


def test_behind_a_server_of_ones_own_any_name_will_do() -> None:
    """It is a label, and said to be one."""
    found = identify(
        JudgeConfig(provider="openai", model="local", base_url="http://127.0.0.1:8000/v1")
    )

    assert (found.identity, found.address, found.expect_model) == ("label", "custom", "local")


@pytest.mark.parametrize(
    "model", ["/models/llama", "@cf/meta/llama", "模型", "a b", "-", "x" * 200]
)
def test_any_model_has_a_name_for_print(model: str) -> None:
    """Servers name models by their paths, and worse."""
    found = identify(JudgeConfig(provider="openai", model=model, base_url="http://localhost/v1"))

    assert found.model == model
    assert 0 < len(found.name) <= 100


@pytest.mark.parametrize(
    ("config", "what"),
    [
        ({"provider": "openai"}, "needs a model: openai/MODEL"),
        ({"provider": "anthropic", "model": ""}, "needs a model: anthropic/MODEL"),
        ({"provider": "openai", "model": "x" * 201}, "at most 200 characters"),
        ({"provider": "openai", "model": "x", "snapshot": "y" * 201}, "at most 200 characters"),
        ({"provider": "lexical", "model": "lexical/2"}, "lexical/1; 'lexical/2' is not known"),
        ({"provider": "lexical", "base_url": "http://x"}, "takes no base_url"),
        ({"provider": "lexical", "key_env": "K"}, "takes no key_env"),
        ({"provider": "lexical", "ca_file": "c"}, "takes no ca_file"),
        ({"provider": "lexical", "snapshot": "s"}, "takes no snapshot"),
    ],
    ids=repr,
)
def test_a_judge_that_cannot_be_is_refused(config: dict[str, object], what: str) -> None:
    """Before anything is asked."""
    assert what in _refused(**config)


@pytest.mark.parametrize("model", [None, "lexical/1"])
def test_the_embedded_judge_is_known_by_one_name(model: str | None) -> None:
    """It reaches no server."""
    found = identify(JudgeConfig(provider="lexical", model=model))

    assert (found.model, found.expect_model, found.name) == ("lexical/1", "lexical/1", "lexical")
    assert (found.identity, found.address, found.api) == ("embedded", "none", "lexical")


def test_what_is_set_and_unset_goes_with_the_judge() -> None:
    """It is part of the plan."""
    found = identify(
        JudgeConfig(
            provider="openai", model="m-2026-01-01", settings={"seed": 1}, unset=("temperature",)
        )
    )

    assert (found.settings_set, found.settings_unset) == ({"seed": 1}, ("temperature",))


def test_an_unknown_provider_speaks_nothing() -> None:
    """Nothing is guessed."""
    with pytest.raises(KeyError):
        api_of("other")


# --- what differs ---------------------------------------------------------------------------------

PUBLISHED = rubric(edition="upstream", judges=("openai/gpt-4o-2024-08-06",))


def _asked(**changes: object) -> Judge:
    fields: dict[str, object] = {
        "model": "gpt-4o-2024-08-06",
        "expect_model": "gpt-4o-2024-08-06",
        "identity": "snapshot",
        "address": "provider",
    }
    return judge(**{**fields, **changes})


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"expect_model": "m"}, "the judge openai/m is not among the published ones"),
        ({"address": "custom"}, "asked at an address other than the provider's own"),
        ({"settings_set": {"seed": 7}}, "setting seed is 7, the rubric's is not set"),
        ({"settings_set": {"max_tokens": 20}}, "setting max_tokens is 20, the rubric's is 10"),
        ({"settings_set": {"stop": None}}, "setting stop is null, the rubric's is not set"),
        ({"settings_set": {"store": False}}, "setting store is false, the rubric's is not set"),
        (
            {"settings_set": {"response_format": {"strict": True}}},
            'setting response_format is {"strict":true}, the rubric\'s is not set',
        ),
        ({"settings_set": {"temperature": "0"}}, "setting temperature is 0, the rubric's is 0.5"),
        ({"settings_unset": ("temperature",)}, "setting temperature is not sent"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_each_deviation_has_its_sentence(changes: dict[str, object], sentence: str) -> None:
    """And takes the word `official` away."""
    found = deviations(PUBLISHED, _asked(**changes), "0.9")

    assert found == (sentence,)
    assert not is_official(PUBLISHED, _asked(**changes), found)


@pytest.mark.parametrize(("share", "differs"), [("0.9", 0), ("11/12", 0), ("0.89", 1), ("8/9", 1)])
def test_a_lower_threshold_is_a_deviation(share: str, differs: int) -> None:
    """A higher one is not."""
    found = deviations(PUBLISHED, _asked(), share)

    assert found == (f"the threshold of the gate is {share}, below 0.9",) * differs


def test_deviations_stand_in_one_order() -> None:
    """Whoever wrote the configuration."""
    changes: dict[str, object] = {
        "settings_set": {"b": 1, "a": {"c": [True]}},
        "settings_unset": ("z",),
        "address": "custom",
        "expect_model": "m",
    }

    assert [
        sentence.split()[0:2] for sentence in deviations(PUBLISHED, judge(**changes), "0.6")
    ] == [
        ["the", "judge"],
        ["asked", "at"],
        ["setting", "a"],
        ["setting", "b"],
        ["setting", "z"],
        ["the", "threshold"],
    ]


def test_a_rubric_without_published_judges_has_none_to_differ_from() -> None:
    """And is never official."""
    ours = rubric()

    assert deviations(ours, _asked(), "0.9") == ()
    assert not is_official(ours, _asked(), ())


@pytest.mark.parametrize(
    ("rules", "official"),
    [
        (PUBLISHED, True),
        (rubric(edition="released", judges=PUBLISHED.judges), False),
        (rubric(edition="upstream", of="small/v1", judges=PUBLISHED.judges), False),
        (rubric(edition="upstream"), False),
    ],
    ids=["upstream", "modified", "derived", "no judges"],
)
def test_official_is_an_upstream_rubric_with_its_published_judge(
    rules: Rubric, *, official: bool
) -> None:
    """And no deviation."""
    assert is_official(rules, _asked(), ()) is official
