"""The embedded string rule: judge/lexical.py."""

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from judge import lexical
from judge.lexical import GoldKind
from judge.records import Reference
from judge.sampling import AbstentionTexts, Place, draw

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
TYPES = ("single-session-preference", "temporal-reasoning", "knowledge-update")

Pair = tuple[bool, bool]


def _references() -> list[Reference]:
    path = SHARED / "references" / "longmemeval_references.json"
    if not path.exists():
        pytest.skip(f"needs {path.name}, which is not part of this repository")
    return [
        Reference(
            id=row["question_id"],
            type=row["question_type"],
            question=row["question"],
            gold=str(row["answer"]),
            abstention="_abs" in row["question_id"],
        )
        for row in json.loads(path.read_text(encoding="utf-8"))
    ]


def _place(row: Reference) -> Place:
    if row.abstention:
        return Place("abstention", "explanation")
    route = row.type if row.type in TYPES else "base"
    return Place(route, "rubric" if route == TYPES[0] else "answer")


def _texts() -> AbstentionTexts:
    texts = yaml.safe_load((ROOT / "controls" / "abstention.yaml").read_text(encoding="utf-8"))
    return AbstentionTexts(tuple(texts["declining"]), tuple(texts["confident"]))


def _weak(kind: GoldKind, gold: str, response: str) -> bool:
    if kind == "answer":
        return lexical.contains(gold, response)
    return lexical.decide(kind, gold, response)


def _labelled(number: int, rule: Callable[[GoldKind, str, str], bool]) -> dict[str, list[Pair]]:
    """Route to (the rule's verdict, the saved label), for one pass of the saved answers."""
    rows = {row.id: row for row in _references()}
    name = f"longmemeval_s_llama31-8b_pass{number}.eval-results-gpt-4o-mini.jsonl"
    pairs: dict[str, list[Pair]] = defaultdict(list)
    with (SHARED / "answers" / name).open(encoding="utf-8") as lines:
        for line in lines:
            saved = json.loads(line)
            row = rows[saved["question_id"]]
            place = _place(row)
            verdict = rule(place.gold, row.gold, saved["hypothesis"])
            pairs[place.route].append((verdict, saved["autoeval_label"]["label"]))
    return pairs


def _agreement(pairs: list[Pair]) -> tuple[float, float]:
    """Share of equal pairs, and Cohen's kappa."""
    n = len(pairs)
    equal = sum(ours == theirs for ours, theirs in pairs) / n
    ours, theirs = (sum(column) / n for column in zip(*pairs, strict=True))
    chance = ours * theirs + (1 - ours) * (1 - theirs)
    return round(equal, 3), round((equal - chance) / (1 - chance), 2)


def _passes(seed: int, rows: list[Reference], rule: Callable[[GoldKind, str, str], bool]) -> bool:
    """Whether the rule passes one draw of 12 + 12 controls at 0.9."""
    right: dict[str, list[bool]] = defaultdict(list)
    routes: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for control in draw(rows, _place, (12, 12), seed, _texts()):
        row = Reference(
            id=control.id,
            type=control.type,
            question=control.question,
            gold=control.gold,
            abstention=control.abstention,
        )
        place = _place(row)
        accepted = rule(place.gold, control.gold, control.response)
        correct = accepted == (control.expect == "accept")
        right[control.arm].append(correct)
        routes[control.arm, place.route].append(correct)
    enough = all(sum(group) * 10 >= len(group) * 9 for group in right.values())
    return enough and len(right) == 2 and all(map(any, routes.values()))


# --- normalise ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The  Blue-Green\nDoor!", "the blue green door"),
        ("Twenty-three jars, twice", "23 jars 2"),
        ("twenty, thirty and one", "20 30 and 1"),
        ("nineteen, twenty eleven", "19 20 11"),
        ("1,024 pages", "1024 pages"),
        ("a, b", "a b"),
        ("the 3rd of August", "the 3 of august"),
        ("17.5 km.", "17.5 km"),
        ("at 3pm", "at 3 pm"),
        ("I don't, I don\u2019t", "i do not i do not"),
        ("\uff26\uff55\uff4c\uff4c Stra\u00dfe", "full strasse"),
        ("snake_case", "snake case"),
        ("\U0001f642 ...", ""),
    ],
)
def test_texts_are_made_comparable(text: str, words: str) -> None:
    """Case, width, punctuation, ordinals, thousands and number words make no difference."""
    assert lexical.normalise(text) == words


def test_normalising_twice_changes_nothing() -> None:
    """A normalised text is its own normal form."""
    text = "Don't pay 1,200.50 on the 22nd, pay twenty-two!"

    assert lexical.normalise(lexical.normalise(text)) == lexical.normalise(text)


# --- an answer in the gold field ----------------------------------------------------------------


def test_the_gold_itself_is_accepted() -> None:
    """A response that repeats the gold is accepted."""
    assert lexical.decide("answer", "Kastanienallee", "On Kastanienallee.")


def test_the_gold_must_stand_as_whole_words() -> None:
    """A 7 inside a 17 is no 7."""
    assert not lexical.decide("answer", "7", "There were 17.")


def test_three_fifths_of_the_content_words_are_enough() -> None:
    """Three of five content words in another order are accepted, two are not."""
    gold = "red kite above windy moor"

    assert lexical.decide("answer", gold, "Above the moor flew a kite.")
    assert not lexical.decide("answer", gold, "There flew a kite, a red one.")


def test_common_endings_do_not_matter() -> None:
    """Plural and past forms count as the same word."""
    assert lexical.decide("answer", "repainting walls", "You repainted a wall.")


def test_every_number_of_the_gold_is_needed() -> None:
    """All the words with another number are not the answer."""
    gold = "26 long summer days"

    assert lexical.decide("answer", gold, "Summer days, 26 of them.")
    assert not lexical.decide("answer", gold, "Long summer days, 25 of them.")


def test_only_the_last_paragraph_counts() -> None:
    """A value weighed and dropped on the way is not the answer."""
    response = "It may have been the birdhouse.\r\n\r\nIt was the quilt.\n"

    assert lexical.decide("answer", "the quilt", response)
    assert not lexical.decide("answer", "the birdhouse", response)


def test_a_conclusion_that_declines_is_not_an_answer() -> None:
    """Naming the gold while declining to answer is rejected."""
    response = "There is not enough information to say whether it was the quilt."

    assert not lexical.decide("answer", "the quilt", response)


def test_a_gold_that_itself_declines_can_be_repeated() -> None:
    """Where the right answer contains a refusal, repeating it is accepted."""
    gold = "two kits: a kite (scale not mentioned) and a boat"

    assert lexical.declines(gold)
    assert lexical.decide("answer", gold, gold)


@pytest.mark.parametrize(("response", "accepted"), [("26 days", 1), ("27 days", 1), ("28 days", 0)])
def test_an_alternative_the_gold_accepts_is_accepted(response: str, accepted: int) -> None:
    """A gold may name a second acceptable value."""
    gold = "26 days. 27 days (counting the last day) is also acceptable."

    assert lexical.decide("answer", gold, response) == bool(accepted)


@pytest.mark.parametrize("gold", ["", "...", "\U0001f642"])
def test_a_gold_without_words_is_never_accepted(gold: str) -> None:
    """Nothing to find is not found everywhere."""
    assert not lexical.decide("answer", gold, "anything ... \U0001f642")
    assert not lexical.contains(gold, "anything ... \U0001f642")
    assert not lexical.decide("answer", gold, gold)
    assert not lexical.contains(gold, gold)
    assert not lexical.decide("rubric", gold, gold)


def test_a_gold_of_common_words_is_accepted_only_as_it_stands() -> None:
    """A gold with no content word must be contained whole."""
    assert lexical.decide("answer", "it is", "Yes, it is.")
    assert not lexical.decide("answer", "it is", "No, is it?")


def test_an_empty_response_is_rejected() -> None:
    """No response is no answer, no refusal and no advice."""
    assert not lexical.decide("answer", "the quilt", "")
    assert not lexical.decide("explanation", "no quilt comes up", "")
    assert not lexical.decide("rubric", "knows of the quilt", "")


# --- an explanation or a rubric in the gold field -----------------------------------------------


def test_an_explanation_asks_for_a_refusal() -> None:
    """Where there is no answer only a declining response is accepted."""
    gold = "No parrot ever comes up."

    assert lexical.decide("explanation", gold, "You have not mentioned a parrot.")
    assert not lexical.decide("explanation", gold, "Your parrot is called Ada.")
    assert not lexical.decide("explanation", gold, "No parrot ever sang like Ada.")


def test_a_rubric_asks_for_three_tenths_of_its_words() -> None:
    """Advice that takes up enough of a rubric's own words is accepted, other advice is not."""
    gold = "The user would prefer one two alpha beta gamma delta epsilon zeta eta theta"

    assert lexical.decide("rubric", gold, "alpha beta gamma")
    assert not lexical.decide("rubric", gold, "alpha beta")


def test_the_words_of_any_rubric_do_not_count() -> None:
    """Talk about preferences is not the preference."""
    gold = "The user would prefer suggestions that consider courgettes."

    assert not lexical.decide("rubric", gold, "I would suggest what users prefer to consider.")
    assert lexical.decide("rubric", gold, "Fry the courgettes.")


def test_a_declining_response_fits_no_rubric() -> None:
    """Repeating the rubric while declining is not advice."""
    assert not lexical.decide("rubric", "courgettes", "I have no notes on courgettes.")


# --- what it cannot do --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gold", "response", "verdict"),
    [
        ("a sofa", "It was a couch.", False),
        ("the quilt", "It was anything but the quilt.", True),
        ("Lisbon, then Oslo", "Oslo, then Lisbon", True),
        ("the quilt", "It was the quilt.\n\nAnything else?", False),
        ("52 minutes 8 seconds", "52:08", False),
        ("the quilt", "As no other work is mentioned, the quilt.", False),
    ],
)
def test_known_faults_stay_known(gold: str, response: str, verdict: bool) -> None:  # noqa: FBT001
    """Each of these verdicts is wrong, and is what the module's docstring warns of."""
    assert lexical.decide("answer", gold, response) is verdict


# --- measured on saved answers ------------------------------------------------------------------


@pytest.mark.parametrize(("number", "figures"), [(1, (0.9, 0.8)), (2, (0.906, 0.81))])
def test_agreement_with_the_saved_labels(number: int, figures: tuple[float, float]) -> None:
    """The figures of the docstring, per pass: agreement and kappa over 500 saved labels."""
    pairs = [pair for route in _labelled(number, lexical.decide).values() for pair in route]

    assert len(pairs) == 500
    assert _agreement(pairs) == figures


def test_agreement_by_route() -> None:
    """The figures of the docstring by route, both passes together."""
    both: dict[str, list[Pair]] = defaultdict(list)
    for number in (1, 2):
        for route, pairs in _labelled(number, lexical.decide).items():
            both[route] += pairs

    assert {route: (len(pairs), *_agreement(pairs)) for route, pairs in both.items()} == {
        "base": (482, 0.936, 0.87),
        "temporal-reasoning": (254, 0.882, 0.74),
        "knowledge-update": (144, 0.875, 0.7),
        "single-session-preference": (60, 0.8, 0.45),
        "abstention": (60, 0.9, 0.37),
    }


def test_the_weak_rule_agrees_less() -> None:
    """Plain containment agrees far less with the saved labels."""
    pairs = [pair for route in _labelled(1, _weak).values() for pair in route]

    assert _agreement(pairs) == (0.81, 0.62)


def test_every_gold_of_the_benchmark_is_accepted() -> None:
    """All 440 golds that are answers are accepted as responses."""
    golds = [row.gold for row in _references() if _place(row).gold == "answer"]

    assert len(golds) == 440
    assert [gold for gold in golds if not lexical.decide("answer", gold, gold)] == []


def test_both_rules_pass_easy_controls() -> None:
    """The rule and the weak rule pass 100 of 100 draws: easy controls do not tell them apart."""
    rows = _references()

    passed = [
        sum(_passes(seed, rows, rule) for seed in range(100)) for rule in (lexical.decide, _weak)
    ]

    assert passed == [100, 100]


def test_a_judge_that_accepts_all_or_nothing_fails_easy_controls() -> None:
    """The draw used above can be failed."""
    rows = _references()

    assert not _passes(0, rows, lambda _kind, _gold, _response: True)
    assert not _passes(0, rows, lambda _kind, _gold, _response: False)
