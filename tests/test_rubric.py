"""judge/rubric.py: compose, route, render, check."""

import pytest

from judge import rubric
from judge.canonical import Json, digest, encode
from judge.errors import InputError
from judge.records import Readings, Route, Rubric, Template
from judge.rubric import Slice
from judge.shapes import score

BASE = "Q {} G {} R {}"


def _template(name: str, text: str = BASE) -> Template:
    return Template(name=name, text=text, sha256=digest(text.encode()))


def _rubric(**changes: object) -> Rubric:
    whole = Rubric(
        rubric="colours",
        edition="v1",
        fill="format",
        fields=("question", "gold", "response"),
        templates=(
            _template("base"),
            _template("dates", "D " + BASE),
            _template("none", BASE + "."),
        ),
        routes=(
            Route(template="none", id_contains="_abs"),
            Route(template="dates", types=("time", "date")),
            Route(template="none", types=("colour",), abstention=True),
            Route(template="base", types=("colour",)),
        ),
        labels=("yes", "no"),
        accept="yes",
        readings=Readings(strict="yes-no/1", upstream="yes-substring/1"),
        settings={"temperature": 0},
    )
    return whole.model_copy(update=changes)


def test_parts_are_joined_and_slices_count_code_points() -> None:
    """An emoji is one, whatever its bytes; literal text stands between."""
    texts = {"a": "0\U0001f6002345", "b": "xyz"}

    assert rubric.compose([Slice("a", 0, 2), "-", Slice("b", 1, 3), Slice("a", 5, 6)], texts) == (
        "0\U0001f600-yz5"
    )


@pytest.mark.parametrize(
    ("part", "what"),
    [
        (Slice("a", 0, 7), "not within its 6 characters"),
        (Slice("a", -1, 2), "not within"),
        (Slice("a", 3, 3), "not within"),
        (Slice("a", 4, 2), "not within"),
        (Slice("c", 0, 1), "slice of 'c', which is not there"),
    ],
)
def test_a_slice_beyond_its_text_is_refused(part: Slice, what: str) -> None:
    """Python would cut it short without a word."""
    with pytest.raises(InputError, match=what):
        rubric.compose([part], {"a": "012345"})


def test_no_parts_make_no_text() -> None:
    """Nothing passes vacuously."""
    with pytest.raises(InputError, match="no parts"):
        rubric.compose([], {})


@pytest.mark.parametrize(
    ("row_id", "row_type", "abstention", "taken"),
    [
        ("q1", "colour", False, "base"),
        ("q1", "colour", True, "none"),
        ("q1", "date", True, "dates"),
        ("q1_abs", "date", False, "none"),
        ("q_abs2", "unheard of", False, "none"),
    ],
)
def test_the_first_route_whose_conditions_all_hold_is_taken(
    row_id: str, row_type: str, taken: str, *, abstention: bool
) -> None:
    """By id, by type, by abstention, in the order written."""
    found = rubric.route(_rubric(), row_id, row_type, abstention=abstention)

    assert found.name == taken


def test_an_item_without_a_route_is_refused_by_id_and_type() -> None:
    """There is no default template."""
    with pytest.raises(InputError, match=r"no route takes item 'q9' of type 'taste'; .* date"):
        rubric.route(_rubric(), "q9", "taste", abstention=False)


def test_a_route_to_no_template_is_refused() -> None:
    """A rubric read from a run folder may hold anything."""
    with pytest.raises(InputError, match="no template is named 'gone'"):
        rubric.route(_rubric(routes=(Route(template="gone"),)), "q", "t", abstention=False)


def test_a_type_is_matched_whole_and_as_written() -> None:
    """Neither a part of a type nor another case is that type."""
    for near in ("dat", "dates", "Date", "date "):
        with pytest.raises(InputError, match="no route"):
            rubric.route(_rubric(), "q", near, abstention=False)


def test_foreign_text_in_a_message_is_quoted_and_capped() -> None:
    """An id may hold anything at any length."""
    with pytest.raises(InputError) as caught:
        rubric.route(_rubric(), "\x1b]0;x\x07" * 1000, "t" * 5000, abstention=False)

    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 600


def test_a_prompt_is_the_template_filled_in_the_order_of_its_fields() -> None:
    """The fields name which value stands at which place."""
    turned = _rubric(fields=("response", "question", "gold"))

    assert rubric.render(_rubric(), _template("base"), "q", "g", "r") == "Q q G g R r"
    assert rubric.render(turned, _template("base"), "q", "g", "r") == "Q r G q R g"


def test_a_field_the_rubric_does_not_declare_is_not_sent() -> None:
    """A judge without reference sees no gold."""
    blind = _rubric(fields=("question", "response"))

    assert rubric.render(blind, _template("base", "{} {}"), "q", "g", "r") == "q r"


def test_a_prompt_beyond_ten_million_characters_is_refused() -> None:
    """Named by rubric and template."""
    with pytest.raises(InputError, match=r"colours/v1: template 'base': a prompt of 10000009"):
        rubric.render(_rubric(), _template("base"), "", "", "x" * 10_000_001)


def test_a_rubric_that_holds_is_checked_in_silence() -> None:
    """Both dialects."""
    jinja = "{{ question }} {{ gold }} {{ response }}"
    one = (_template("base", jinja),)

    rubric.check(_rubric())
    rubric.check(_rubric(fill="jinja", templates=one, routes=(Route(template="base"),)))


def test_one_changed_byte_of_a_text_is_refused_by_name() -> None:
    """The rubric, the template, both digests."""
    bad = _template("dates", "D " + BASE).model_copy(update={"text": "d " + BASE})

    with pytest.raises(InputError, match=r"colours/v1: template 'dates': its text has SHA-256"):
        rubric.check(_rubric(templates=(_template("base"), bad, _template("none"))))


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"templates": (), "routes": ()}, "has no template"),
        ({"templates": (_template("base"), _template("base"))}, "template 'base' .* twice"),
        ({"labels": ()}, "has no label"),
        ({"labels": ("yes", "yes")}, "label 'yes' .* twice"),
        ({"labels": ("yes", "")}, "label '' is empty"),
        ({"fields": ()}, "has no field"),
        ({"fields": ("gold", "gold", "response")}, "field 'gold' .* twice"),
        ({"labels": ("yes",)}, "one label decides nothing"),
        ({"accept": "Yes"}, "accept 'Yes' is not among its labels"),
        ({"accept": None}, "accept '' is not among its labels"),
        ({"scale": {"yes": "1"}}, "only a graded rubric has"),
        ({"kind": "three-way"}, "2 labels, a three-way rubric has 3"),
        ({"kind": "graded"}, "a graded rubric accepts no single label"),
        ({"kind": "graded", "accept": None}, "label 'yes' has no number"),
        ({"kind": "graded", "accept": None, "labels": ("1",)}, "one label is no scale"),
        (
            {"kind": "graded", "accept": None, "labels": ("1", "2"), "scale": {"3": "3"}},
            "scale names '3'",
        ),
        ({"names": ("question", "target")}, "its fields: 2 names for 3 fields"),
        ({"names": ("x", "x", "y")}, "field name 'x' .* twice"),
        ({"values": "other/1"}, "value rule 'other/1' is not known"),
        ({"routes": (Route(template="base"),)}, "no route leads to template 'dates'"),
        ({"routes": (Route(template="other"),)}, "names template 'other'"),
        ({"routes": (Route(template="base"), *_rubric().routes)}, "route 1 takes every item"),
        ({"routes": (Route(template="none", types=()), *_rubric().routes)}, "route 1 has a cond"),
        ({"routes": (Route(template="none", id_contains=""), *_rubric().routes)}, "route 1 has a"),
        (
            {"templates": (_template("base", "{}"),), "routes": (Route(template="base"),)},
            "1 places",
        ),
    ],
)
def test_a_rubric_that_contradicts_itself_is_refused(changes: dict[str, object], what: str) -> None:
    """Empty, repeated, unknown or unreachable parts."""
    with pytest.raises(InputError, match=what):
        rubric.check(_rubric(**changes))


def test_a_filter_that_cannot_run_is_found_by_the_check() -> None:
    """Not after the first call."""
    text = "{{ question }}{{ gold }}{{ response|indent('x', 1, 2, 3) }}"
    bad = _rubric(
        fill="jinja", templates=(_template("base", text),), routes=(Route(template="base"),)
    )

    with pytest.raises(InputError, match="template 'base': cannot be filled"):
        rubric.check(bad)


def test_the_pin_covers_what_is_sent_and_how_it_is_read() -> None:
    """Each part alone changes it; names, sources and published judges do not."""
    readings = Readings(strict="yes-no/1", upstream="yes-no/1")
    inside: list[dict[str, object]] = [
        {"fill": "jinja"},
        {"fields": ("gold", "question", "response")},
        {"templates": _rubric().templates[:2]},
        {"routes": _rubric().routes[::-1]},
        {"labels": ("no", "yes")},
        {"accept": "no"},
        {"readings": readings},
        {"settings": {"temperature": 1}},
    ]
    outside: list[dict[str, object]] = [{"edition": "v2"}, {"judges": ("openai/x",)}, {"of": "a/b"}]

    assert len({_rubric(**change).pin for change in [{}, *inside]}) == len(inside) + 1
    assert {_rubric(**change).pin for change in [{}, *outside]} == {_rubric().pin}


def test_settings_of_any_shape_take_part_in_the_pin() -> None:
    """Nested ones too."""
    one: dict[str, Json] = {"thinking": {"type": "disabled"}}
    two: dict[str, Json] = {"thinking": {"type": "enabled"}}

    assert _rubric(settings=one).pin != _rubric(settings=two).pin


GRADED: dict[str, object] = {"kind": "graded", "accept": None, "labels": ("1", "2", "P")}


def test_a_graded_rubric_has_a_number_for_each_label() -> None:
    """The label itself, or what its scale says."""
    graded = _rubric(**GRADED, scale={"P": "0.5"})
    rubric.check(graded)

    assert [score(graded, label) for label in graded.labels] == ["1", "2", "0.5"]
    with pytest.raises(InputError, match="label 'C' has no number"):
        score(graded, "C")


def test_a_template_may_take_other_fields_under_other_names() -> None:
    """A judge without reference beside one with it."""
    blind = Template(
        name="base",
        text="{q} {a}",
        sha256=digest(b"{q} {a}"),
        fields=("question", "response"),
        names=("q", "a"),
    )
    named = _template("dates", "{question} {gold} {response}")
    two = _rubric(fill="named", templates=(blind, named), routes=_rubric().routes[1:2])

    assert rubric.render(two, blind, "Q", "G", "R") == "Q R"
    assert rubric.render(two, named, "Q", "G", "R") == "Q G R"


def test_names_that_do_not_fit_the_fields_are_refused() -> None:
    """A value must not be left without a place."""
    odd = _template("base").model_copy(update={"names": ("a", "b")})

    with pytest.raises(InputError, match="template 'base': 2 names for 3 fields"):
        rubric.check(_rubric(templates=(odd,), routes=(Route(template="base"),)))


def test_a_system_text_is_held_by_its_own_digest() -> None:
    """And has one."""
    sha256 = digest(b"Be strict.")
    good = _template("base").model_copy(update={"system": "Be strict.", "system_sha256": sha256})
    routes = (Route(template="base"),)
    rubric.check(_rubric(templates=(good,), routes=routes))
    bad = good.model_copy(update={"system": "Be kind."})
    bare = good.model_copy(update={"system_sha256": None})

    with pytest.raises(InputError, match="its system text has SHA-256"):
        rubric.check(_rubric(templates=(bad,), routes=routes))
    with pytest.raises(InputError, match="go together"):
        rubric.check(_rubric(templates=(bare,), routes=routes))


def test_values_pass_through_the_rubrics_value_rule() -> None:
    """Before they enter the text."""
    marked = _rubric(values="data-markers/1")

    assert (
        rubric.render(marked, _template("base"), "[END DATA]", "g", "r") == "Q [END-DATA] G g R r"
    )


def test_every_later_part_takes_part_in_the_pin_when_it_is_given() -> None:
    """And leaves pins and frozen files as they were when it is not."""
    sha256 = digest(b"s")
    base = _template("base")

    def with_base(**changes: object) -> Rubric:
        return _rubric(templates=(base.model_copy(update=changes),))

    one = with_base()
    changed = [
        with_base(system="s", system_sha256=sha256),
        with_base(fields=("question", "response")),
        with_base(names=("a", "b", "c")),
        with_base(places=(1, 2, 3)),
        _rubric(templates=(base,), names=("a", "b", "c")),
        _rubric(templates=(base,), values="data-markers/1"),
        _rubric(templates=(base,), kind="three-way"),
        _rubric(templates=(base,), scale={"yes": "1"}),
    ]
    new = {"system", "system_sha256", "names", "places", "values", "kind", "scale", "more_sources"}

    assert len({rubric_.pin for rubric_ in [one, *changed]}) == len(changed) + 1
    assert with_base(system="other", system_sha256=sha256).pin == changed[0].pin
    assert not new & one.plain().keys()
    assert not new & base.plain().keys()
    assert Rubric.load(encode(changed[0].plain())) == changed[0]
