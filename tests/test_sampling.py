"""judge/sampling.py: references in, drawn controls out, the same on every machine."""

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plans import rubric

from judge.canonical import digest, encode
from judge.errors import InputError
from judge.records import Control, Item, Reference
from judge.sampling import AbstentionTexts, GoldKind, Place, draw, placer

TEXTS = AbstentionTexts(declining=("I do not know.", "Not said."), confident=("Seven.", "Paris."))


def _row(number: int, kind: str, gold: str) -> Reference:
    return Reference(
        id=f"{kind}-{number}",
        type=kind,
        question=f"Question {number}?",
        gold=gold,
        abstention=kind == "explanation",
    )


def _rows(**counts: int) -> list[Reference]:
    """Return rows by type, every gold unlike every other."""
    return [
        _row(number, kind, f"gold {kind} {number}")
        for kind, count in counts.items()
        for number in range(count)
    ]


_KINDS: dict[str, GoldKind] = {"explanation": "explanation", "rubric": "rubric"}


def _place(row: Reference) -> Place:
    return Place(route=row.type, gold=_KINDS.get(row.type, "answer"))


def _drawn(
    rows: Sequence[Reference], counts: tuple[int, int] = (12, 12), seed: int = 0
) -> tuple[Control, ...]:
    return draw(iter(rows), _place, counts, seed, TEXTS)


def _outcome(
    rows: Sequence[Reference], counts: tuple[int, int], seed: int
) -> tuple[Control, ...] | str:
    """Return what is drawn, or the sentence that says why nothing is."""
    try:
        return _drawn(rows, counts, seed)
    except InputError as error:
        return str(error)


def _arm(controls: Sequence[Control], arm: str) -> list[Control]:
    return [control for control in controls if control.arm == arm]


@st.composite
def answer_keys(draw: st.DrawFn) -> list[Reference]:
    """Draw an answer key: up to three routes, golds that may well hold one another."""
    words = [
        *("red", "Red.", "blue", "two", "2", "12", "new", "york", "\uff52ed", "!"),
        *("green", "four", "six", "a", "house", "Paris", "1999"),
    ]
    golds = st.lists(st.sampled_from(words), min_size=1, max_size=2).map(" ".join)
    kinds = st.sets(st.sampled_from(["a", "b", "explanation", "rubric"]), min_size=1, max_size=3)
    spread = {kind: draw(st.integers(1, 9)) for kind in sorted(draw(kinds))}
    return [_row(n, kind, draw(golds)) for kind, count in spread.items() for n in range(count)]


# --- what every draw holds ------------------------------------------------------------------------


@given(answer_keys(), st.integers(0, 8), st.integers(0, 8), st.integers(0, 3))
def test_a_draw_is_complete_even_and_fair_or_refused(
    rows: list[Reference], positive: int, negative: int, seed: int
) -> None:
    """Spread over the routes, each row once an arm, and no donor's gold in the row's own."""
    controls = _outcome(rows, (positive, negative), seed)
    if isinstance(controls, str):
        assert "--" in controls  # every refusal names an option that helps
        return
    routes = {row.type for row in rows}

    for arm, asked in (("positive", positive), ("negative", negative)):
        found = _arm(controls, arm)
        able = routes - {"rubric"} if arm == "positive" else routes
        spread = Counter(control.type for control in found)
        counts = [spread[route] for route in able] if asked else [0]
        assert len(found) == asked == len({control.id for control in found})
        assert set(spread) <= able
        assert max(counts) - min(counts) <= 1
    assert all(not _alike(control.gold, control.response) for control in _swapped(controls))


def _swapped(controls: Sequence[Control]) -> list[Control]:
    return [control for control in controls if control.donor is not None]


def _alike(one: str, other: str) -> bool:
    """Whether either text's words stand in the other, in their order and side by side."""
    first, second = (
        "".join(c if c.isalnum() else " " for c in unicodedata.normalize("NFKC", text).casefold())
        for text in (one, other)
    )
    short, long = sorted((first.split(), second.split()), key=len)
    return any(long[at : at + len(short)] == short for at in range(len(long) - len(short) + 1))


@given(answer_keys(), st.integers(0, 3), st.data())
def test_a_draw_does_not_depend_on_the_order_of_the_rows(
    rows: list[Reference], seed: int, data: st.DataObject
) -> None:
    """A key that is sorted anew gives the same controls."""
    mixed = data.draw(st.permutations(rows))

    assert _outcome(mixed, (4, 4), seed) == _outcome(rows, (4, 4), seed)


def test_a_draw_is_the_same_on_every_machine() -> None:
    """Held by its digest: another draw would break `verify` of every run there is."""
    rows = _rows(a=20, b=4, explanation=5, rubric=9)
    lines = b"\n".join(encode(control.plain()) for control in _drawn(rows))

    assert digest(lines) == "6a827be13665b017ab68310f259f3fb0cd50adde4b231f598ae1c0da0dbe96a6"


def test_another_seed_draws_other_rows() -> None:
    """A judge that has learnt one draw does not know the next."""
    rows = _rows(a=100)
    ids = [{control.id for control in _drawn(rows, (12, 12), seed)} for seed in (0, 1)]

    assert len(ids[0] & ids[1]) < 12


def test_the_arms_draw_by_themselves() -> None:
    """More positive controls leave the negative ones as they are."""
    rows = _rows(a=50, b=50)

    assert _arm(_drawn(rows, (4, 6)), "negative") == _arm(_drawn(rows, (40, 6)), "negative")
    assert _arm(_drawn(rows, (6, 4)), "positive") == _arm(_drawn(rows, (6, 40)), "positive")


def test_fewer_controls_are_the_first_of_more() -> None:
    """On one route: ranks do not change with the number drawn."""
    rows = _rows(a=50)
    few, many = (_arm(_drawn(rows, (n, n)), "positive") for n in (5, 20))

    assert many[:5] == few


def test_rows_are_kept_only_as_far_as_drawn() -> None:
    """The best of many are the best of all, wherever they stand."""
    rows = _rows(a=500)

    assert _drawn(rows, (3, 3)) == _drawn(rows[::-1], (3, 3))


# --- what a control is ----------------------------------------------------------------------------


def test_a_positive_control_is_answered_by_its_own_gold() -> None:
    """And is to be accepted."""
    for control in _arm(_drawn(_rows(a=20)), "positive"):
        assert (control.response, control.expect) == (control.gold, "accept")
        assert (control.donor, control.source) == (None, "drawn")


def test_a_negative_control_is_answered_by_another_gold_of_its_route() -> None:
    """And is to be rejected; each donor serves once."""
    rows = _rows(a=20, b=20)
    golds = {row.id: row.gold for row in rows}
    found = _arm(_drawn(rows), "negative")

    for control in found:
        assert control.donor is not None
        assert control.donor != control.id
        assert control.donor.startswith(control.type)
        assert control.response == golds[control.donor]
        assert control.expect == "reject"
    assert len({control.donor for control in found}) == 12


def test_an_explanation_is_answered_by_our_own_texts() -> None:
    """Declining ones are right where there is no answer, confident ones wrong."""
    controls = _drawn(_rows(explanation=20), (4, 4))

    assert {c.response for c in _arm(controls, "positive")} == set(TEXTS.declining)
    assert {c.response for c in _arm(controls, "negative")} == set(TEXTS.confident)
    assert all(control.donor is None for control in controls)


def test_our_texts_take_turns() -> None:
    """None is used twice before each has been used."""
    used = Counter(control.response for control in _drawn(_rows(explanation=20), (5, 4)))

    assert sorted(used.values()) == [2, 2, 2, 3]


def test_a_rubric_takes_no_part_in_the_positive_arm() -> None:
    """What a good answer must hold is no answer."""
    controls = _drawn(_rows(a=20, rubric=20))

    assert {control.type for control in _arm(controls, "positive")} == {"a"}
    assert {control.type for control in _arm(controls, "negative")} == {"a", "rubric"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("seven", "Seven!"),
        ("7", "about 7 days"),
        ("new york", "New York City"),
        ("\uff17", "7"),
        ("stra\u00dfe", "STRASSE"),
        ("\U0001f44d", "a \U0001f44d"),
        ("?", "!"),
        ("", "x"),
    ],
)
def test_a_gold_that_may_be_the_other_is_no_donor(one: str, other: str) -> None:
    """Equal, or within, after folding; a text without words may be any."""
    rows = [_row(0, "a", one), _row(1, "a", other)]

    with pytest.raises(InputError, match="only 0 questions with a gold answer unlike another's"):
        _drawn(rows, (0, 1))


@pytest.mark.parametrize(("one", "other"), [("7", "17"), ("art", "party"), ("a b", "b a")])
def test_a_part_of_a_word_is_another_word(one: str, other: str) -> None:
    """Whole words count."""
    rows = [_row(0, "a", one), _row(1, "a", other)]

    assert len(_drawn(rows, (0, 2))) == 2


def test_a_row_without_a_donor_gives_way_to_the_next() -> None:
    """The draw goes on down the ranks."""
    rows = [*_rows(a=10), _row(99, "a", "gold a")]

    found = _arm(_drawn(rows, (0, 10)), "negative")

    assert "a-99" not in {control.id for control in found}
    assert "a-99" not in {control.donor for control in found}


def _ranked(seed: int, purpose: str) -> list[int]:
    """Return the numbers of 300 rows by their rank, worked out by hand."""
    heads = {n: f"judge-draw/1\n{seed}\n{purpose}\na-{n}".encode() for n in range(300)}
    return sorted(heads, key=lambda n: hashlib.sha256(heads[n]).hexdigest())


@pytest.mark.parametrize(("place", "drawn"), [(64, True), (65, False)])
def test_donors_are_looked_for_among_the_first_sixty_four_more(place: int, *, drawn: bool) -> None:
    """A bound that `verify` shares: with another one it would draw other controls."""
    # A seed under which the only row with another gold is no question itself.
    seed = next(
        seed
        for seed in range(50)
        if _ranked(seed, "donor")[place] not in _ranked(seed, "negative")[:65]
    )
    unlike = _ranked(seed, "donor")[place]
    rows = [_row(n, "a", "unlike" if n == unlike else "same") for n in range(300)]

    assert isinstance(_outcome(rows, (0, 1), seed), tuple) is drawn


# --- what cannot be drawn -------------------------------------------------------------------------


def test_fewer_controls_than_routes_are_refused() -> None:
    """A route without a control would not be looked at."""
    with pytest.raises(
        InputError, match=r"2 positive controls cannot cover 3 routes; .* at least 3"
    ):
        _drawn(_rows(a=9, b=9, explanation=9), (2, 12))


def test_too_few_rows_are_refused() -> None:
    """The sentence names the route, its rows and the need."""
    with pytest.raises(InputError, match="route b has 3 reference rows and the draw needs 6 pos"):
        _drawn(_rows(a=20, b=3))


def test_no_row_at_all_is_refused() -> None:
    """Nothing passes vacuously."""
    with pytest.raises(InputError, match="no row can give a drawn positive control"):
        _drawn([])


def test_rubrics_alone_give_no_positive_control() -> None:
    """The sentence names the way out."""
    with pytest.raises(InputError, match=r"a rubric is no answer.* name a --controls file"):
        _drawn(_rows(rubric=20))


def test_an_arm_of_none_draws_none() -> None:
    """Hand-made controls may stand in for the draw."""
    assert _drawn(_rows(rubric=20), (0, 0)) == ()
    assert {control.arm for control in _drawn(_rows(rubric=20), (0, 4))} == {"negative"}


# --- where a row goes -----------------------------------------------------------------------------


def _placer(*rules: dict[str, object]) -> Callable[[Item | Reference], Place]:
    return placer(tuple(rubric(**changes) for changes in rules))


def test_a_row_goes_where_its_rubric_sends_it() -> None:
    """With what its gold is there."""
    place = _placer({})

    assert place(_row(0, "a", "g")) == Place("base", "answer")
    assert place(_row(0, "explanation", "g")) == Place("abstention", "explanation")


def test_rubrics_that_agree_share_a_route() -> None:
    """So that one draw serves them all."""
    place = _placer({}, {"edition": "v2"})

    assert place(_row(0, "a", "g")) == Place("base", "answer")


def test_rubrics_that_differ_make_a_route_of_both() -> None:
    """Where the gold is two things, no response is surely right."""
    place = _placer({}, {"routes": ({"template": "abstention"},)})

    assert place(_row(0, "a", "g")) == Place("base + abstention", "rubric")


def test_a_row_no_rubric_takes_is_refused() -> None:
    """It could not be asked."""
    place = _placer({"routes": ({"template": "base", "types": ("b",)},)})

    with pytest.raises(InputError, match="no route takes item 'a-0' of type 'a'"):
        place(_row(0, "a", "g"))
