"""judge/reading.py: the judge's words in, a verdict out, or the reason why there is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plans import Offer, judge

from judge.canonical import Json, encode
from judge.envelope import Envelope
from judge.errors import InputError
from judge.reading import (
    LEFT_UNKNOWN,
    Seen,
    read,
    reading_named,
    settle,
)
from judge.readings.words import yes_no_1, yes_substring_1
from judge.records import Exchange, Reading, Readings


def _settled(text: str, offer: Offer | None = None) -> Reading:
    return settle(Envelope("decided", text=text), 200, offer or Offer())[0]


# --- the two readings -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["yes", "Yes", "yEs", "YES.", "  yes  ", "\n\tYes.\n", "\u2003yes\u00a0"]
)
def test_yes_alone_is_yes(text: str) -> None:
    """Case and surrounding white space aside, with one final full stop at most."""
    assert yes_no_1(text) == "yes"


@pytest.mark.parametrize("text", ["no", "No", "NO.", " no\n"])
def test_no_alone_is_no(text: str) -> None:
    """In the same forms."""
    assert yes_no_1(text) == "no"


@pytest.mark.parametrize(
    "text",
    [
        *("", ".", "yes..", "yes!", "yes .", ".yes", "yes no", "yesno", "y", "ye s", '"yes"'),
        *(
            "yes,",
            "**yes**",
            "not",
            "n o",
            "yes\nyes",
            "true",
            "1",
            "y\u0435s",
            "\uff39\uff25\uff33",
        ),
    ],
)
def test_all_else_holds_no_label(text: str) -> None:
    """Nothing is searched for, cut out or repaired."""
    assert yes_no_1(text) is None


@given(st.text())
def test_a_strict_label_is_an_upstream_label_too(text: str) -> None:
    """The strict reading takes less, never something else."""
    assert yes_no_1(text) in {None, yes_substring_1(text)}


@given(st.text())
def test_the_upstream_reading_is_the_benchmarks_rule(text: str) -> None:
    """`'yes' in reply.lower()`, and never undecided."""
    assert yes_substring_1(text) == ("yes" if "yes" in text.lower() else "no")


@pytest.mark.parametrize(
    ("name", "rule"), [("yes-no/1", yes_no_1), ("yes-substring/1", yes_substring_1)]
)
def test_a_reading_is_found_by_name_and_version(name: str, rule: object) -> None:
    """So that a change of rule is another name."""
    assert reading_named(name) is rule


@pytest.mark.parametrize("name", ["yes-no", "yes-no/2", "", "eval"])
def test_an_unknown_reading_is_refused(name: str) -> None:
    """The sentence names the known ones."""
    with pytest.raises(
        InputError, match=r"not known; this version knows yes-no/1, yes-substring/1, letter-abc/1"
    ):
        reading_named(name)


# --- which one decides ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "label", "reason", "upstream"),
    [
        ("Yes.", "yes", None, "yes"),
        ("no", "no", None, "no"),
        ("No. The user said yesterday.", None, "readings_disagree", "yes"),
        ("Yes, it is.", None, "readings_disagree", "yes"),
        ("no and not Yes", None, "readings_disagree", "yes"),
        ("It is correct.", None, "off_scale", "no"),
        ("No, it is not.", None, "off_scale", "no"),
        ("nothing", None, "off_scale", "no"),
    ],
)
def test_the_strict_reading_decides(
    text: str, label: str | None, reason: str | None, upstream: str
) -> None:
    """Both are computed; where the strict one finds nothing, the reason says what the other did."""
    found = _settled(text)

    assert (found.label, found.reason) == (label, reason)
    assert found.outcome == ("decided" if label else "undecided")
    assert found.readings == {"yes-no/1": label, "yes-substring/1": upstream}


def test_two_labels_as_words_disagree_though_upstream_rejects() -> None:
    """With `no` as the accepting label the upstream reading rejects; the words decide."""
    offer = Offer(accept="no")

    assert _settled("yes or no", offer).reason == "readings_disagree"
    assert _settled("yes, certainly", offer).reason == "off_scale"


def test_any_grade_the_upstream_reads_is_one_to_disagree_with() -> None:
    """None of them is the accepting one; without one, and without two labels, it is off scale."""
    readings = Readings(strict="rating-10/1", upstream="mt-bench-upstream/1")
    offer = Offer(labels=("1", "2", "3"), accept=None, readings=readings)

    assert _settled("Rating: [2]", offer).reason == "readings_disagree"
    assert _settled("Rating: 2 or 3", offer).reason == "readings_disagree"
    assert _settled("Rating: 2", offer).reason == "off_scale"


def test_two_readings_with_two_labels_decide_nothing() -> None:
    """The strict reading alone would have accepted; both stand in the receipt."""
    readings = Readings(strict="grade-cpi/1", upstream="inspect-upstream/1")
    found = _settled("GRADE: C\n\n", Offer(labels=("C", "I"), accept="C", readings=readings))

    assert (found.outcome, found.label, found.reason) == ("undecided", None, "readings_disagree")
    assert found.readings == {"grade-cpi/1": "C", "inspect-upstream/1": "I"}


def test_a_part_of_a_word_is_no_label() -> None:
    """`know` and `yesterday` hold no word of the offer."""
    offer = Offer(accept="no")

    assert _settled("I know it was yesterday", offer).reason == "off_scale"


def test_a_label_that_was_not_offered_is_none() -> None:
    """Captured loosely, then held against the offer."""
    found = _settled("no", Offer(labels=("yes", "partly")))

    assert (found.outcome, found.reason, found.label) == ("undecided", "off_scale", None)
    assert found.readings == {"yes-no/1": None, "yes-substring/1": None}


def test_one_reading_may_stand_for_both() -> None:
    """A rubric without an upstream has nothing else to compare with."""
    offer = Offer(readings=Readings(strict="yes-no/1", upstream="yes-no/1"))

    assert _settled("yes", offer).readings == {"yes-no/1": "yes"}


# --- a whole exchange -----------------------------------------------------------------------------


def _reply(response_id: Json, text: str = "yes") -> Exchange:
    message: Json = {"content": text, "role": "assistant"}
    choice: Json = {"finish_reason": "stop", "index": 0, "message": message}
    body = encode({"choices": [choice], "id": response_id, "model": "m"})
    headers = (("content-type", "application/json"),)
    return Exchange(status=200, headers=headers, body=body, error=None, sent=True)


def test_a_verdict_comes_with_the_text_it_was_read_from() -> None:
    """As it was said."""
    reading, text = read(_reply("a", " Yes. "), judge(), Offer(), Seen())

    assert (reading.outcome, reading.label, text) == ("decided", "yes", " Yes. ")


def test_an_answer_without_a_text_has_no_readings() -> None:
    """Null, not a pair of nulls."""
    reading, text = read(_reply("a", " "), judge(), Offer(), Seen())

    assert (reading.reason, reading.readings, text) == ("empty", None, "")


def test_an_answer_that_comes_twice_is_nobodys() -> None:
    """The second is unknown, with nothing of it kept."""
    seen = Seen()
    first, _ = read(_reply("chatcmpl-000000001"), judge(), Offer(), seen)
    second, text = read(_reply("chatcmpl-000000001", "no"), judge(), Offer(), seen)

    assert first.outcome == "decided"
    assert (second.outcome, second.error, second.label, text) == ("unknown", "protocol", None, "")


def test_answers_without_an_id_are_not_one_another() -> None:
    """Some servers give none."""
    seen = Seen()
    outcomes = [read(_reply(None), judge(), Offer(), seen)[0].outcome for _ in range(3)]

    assert outcomes == ["decided"] * 3


@given(st.lists(st.text(min_size=16)))
def test_ids_are_seen_once(ids: list[str]) -> None:
    """Equal ids only, and each from its first time on."""
    seen = Seen()

    assert [seen.again("j", one, b"") for one in ids] == [
        one in ids[:n] for n, one in enumerate(ids)
    ]


def test_a_short_id_counts_only_with_its_whole_answer() -> None:
    """A server that draws its ids from a thousand gives one twice; a replay is the same bytes."""
    seen = Seen()
    told = [seen.again("j", "chatcmpl-17", body) for body in (b"one", b"two", b"one")]

    assert told == [False, False, True]


def test_each_judge_has_ids_of_its_own() -> None:
    """Two servers may both number from one."""
    seen = Seen()
    told = [seen.again(judge, "chatcmpl-0000000000001", b"") for judge in ("a", "b", "a")]

    assert told == [False, False, True]


def test_what_was_left_unknown_says_nothing_of_a_reply() -> None:
    """No label, no facts."""
    told = {name for name, value in LEFT_UNKNOWN if value is not None}

    assert told == {"outcome", "reason"}
    assert LEFT_UNKNOWN.reason == "left_unknown"
