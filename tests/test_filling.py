"""judge/filling.py and judge/sandbox.py: the dialects of a template."""

import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge import filling
from judge.errors import InputError

FIELDS = ("question", "gold", "response")
FORMAT = "Q: {}\nG: {}\nR: {}"
JINJA = "Q: {{ question }}\nG: {{ gold }}\nR: {{ response }}"


def _fill(fill: str, text: str) -> Callable[..., str]:
    return filling.filler(fill, text, FIELDS)


@given(
    st.lists(st.sampled_from(["{}", "{{", "}}", "a", "\n", "é", "\U0001f600", " "])),
    st.lists(st.text(), min_size=20, max_size=20),
)
def test_format_equals_str_format(pieces: list[str], values: list[str]) -> None:
    """Byte for byte, on any text with any number of places."""
    text = "".join(pieces)
    fields = tuple(f"f{number}" for number in range(pieces.count("{}")))
    given_values = values[: len(fields)] + ["x"] * max(0, len(fields) - len(values))

    assert filling.filler("format", text, fields)(*given_values) == text.format(*given_values)


@given(st.text(alphabet="{}:!0a[].", max_size=12))
def test_format_refuses_every_other_use_of_a_brace(text: str) -> None:
    """What is accepted, str.format fills the same way; the rest is refused."""
    try:
        filled = filling.filler("format", text, ("question",))("V")
    except InputError:
        return

    assert filled == text.format("V")


@pytest.mark.parametrize("text", ["{0}", "{question}", "{!r}", "{:>9}", "{", "}", "{}{}{}{", "{ }"])
def test_format_takes_no_names_numbers_or_conversions(text: str) -> None:
    """Only `{}`, `{{` and `}}`."""
    with pytest.raises(InputError):
        _fill("format", text)


@pytest.mark.parametrize("text", ["{}{}", "{}{}{}{}", ""])
def test_format_has_one_place_for_each_field(text: str) -> None:
    """Neither fewer nor more."""
    with pytest.raises(InputError, match="for 3 fields"):
        _fill("format", text)


def test_a_number_of_values_that_does_not_fit_is_no_prompt() -> None:
    """A missing value never shifts the others."""
    with pytest.raises(InputError, match="2 values for 3 fields"):
        _fill("format", FORMAT)("q", "g")


HOSTILE = ("{}", "{0}", "{question}", "{{ 7*7 }}", "{% raw %}", "{% endraw %}", "{#", "%s", "$x")


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize(("fill", "text"), [("format", FORMAT), ("jinja", JINJA)])
def test_template_signs_in_values_are_inert(fill: str, text: str, value: str) -> None:
    """An answer is never read again as template."""
    assert _fill(fill, text)(value, value, value) == f"Q: {value}\nG: {value}\nR: {value}"


@given(st.text(), st.text(), st.text())
def test_jinja_puts_values_in_as_they_are(question: str, gold: str, response: str) -> None:
    """No escaping, no trimming, no change of line ends."""
    filled = _fill("jinja", JINJA)(question, gold, response)

    assert filled == f"Q: {question}\nG: {gold}\nR: {response}"


def test_jinja_keeps_the_last_line_feed() -> None:
    """The text that is pinned is the text that is sent."""
    assert _fill("jinja", JINJA + "\n")("q", "g", "r").endswith("R: r\n")


@pytest.mark.parametrize(
    ("expression", "filled"),
    [
        ("{{ response|trim }}", "a<b"),
        ("{{ response|tojson }}", '" a\\u003cb "'),
        ("{{ response|length }}", "5"),
        ("{{ response|indent(4) }}", " a<b "),
        ("{{ response|join('-') }}", " -a-<-b- "),
        (
            "{% if response != 'x' and not (gold > 'z') %}{{ 'yn' if gold else '' }}{% endif %}",
            "yn",
        ),
    ],
)
def test_jinja_has_five_filters_and_conditions(expression: str, filled: str) -> None:
    """The allowed parts do what Jinja says."""
    text = "{{ question }}{{ gold }}" + expression

    assert _fill("jinja", text)("", "g", " a<b ") == "g" + filled


@pytest.mark.parametrize(
    ("part", "what"),
    [
        ("{% include 'x' %}", "Include"),
        ("{% import 'x' as y %}", "Import"),
        ("{% from 'x' import y %}", "FromImport"),
        ("{% extends 'x' %}", "Extends"),
        ("{% macro m() %}{% endmacro %}", "Macro"),
        ("{% call gold() %}{% endcall %}", "CallBlock"),
        ("{% set x = 1 %}", "Assign"),
        ("{% for x in gold %}{% endfor %}", "For"),
        ("{% filter upper %}{% endfilter %}", "FilterBlock"),
        ("{% block b %}{% endblock %}", "Block"),
        ("{{ gold is defined }}", "Test"),
        ("{{ gold.x }}", "Getattr"),
        ("{{ gold['x'] }}", "Getitem"),
        ("{{ response[:10] }}", "Getitem"),
        ("{{ gold() }}", "Call"),
        ("{{ 'a' * 50000000 }}", "Mul"),
        ("{{ 'a' ~ gold }}", "Concat"),
        ("{{ gold|default('x') }}", "filter 'default'"),
        ("{{ gold|random }}", "filter 'random'"),
        ("{{ gold|upper }}", "filter 'upper'"),
        ("{{ gold|indent(1000000) }}", "a constant of at most 100"),
        ("{{ gold|join(response) }}", "a constant of at most 100"),
        ("{{ gold|indent(width=response) }}", "a constant of at most 100"),
        ("{{ gold|trim(*response) }}", "starred"),
        ("{{ lipsum }}", "uses 'lipsum'"),
        ("{{ range }}", "uses 'range'"),
        ("{{ answer }}", "uses 'answer'"),
        ("{{ gold", "not a Jinja template"),
        ("{% if %}", "not a Jinja template"),
        ("\r\n", "carriage return"),
    ],
)
def test_jinja_refuses_the_rest_by_name(part: str, what: str) -> None:
    """When the template is loaded, before any answer is seen."""
    with pytest.raises(InputError, match=what):
        _fill("jinja", JINJA + part)


def test_jinja_uses_every_declared_field() -> None:
    """A template that forgets the answer would judge nothing."""
    with pytest.raises(InputError, match="does not use its field 'response'"):
        _fill("jinja", "{{ question }} {{ gold }}")


def test_a_filter_used_wrongly_is_an_input_error() -> None:
    """Jinja's own exceptions do not leave the module."""
    fill = _fill("jinja", JINJA + "{{ gold|indent('x', 1, 2, 3) }}")

    with pytest.raises(InputError, match="cannot be filled"):
        fill("q", "g", "r")


def test_an_unknown_dialect_is_refused() -> None:
    """Nothing is guessed."""
    with pytest.raises(InputError, match="'mustache' is not one of format, named"):
        _fill("mustache", FORMAT)


def test_a_format_rubric_does_not_import_jinja() -> None:
    """Its import is paid by those who use it."""
    code = (
        "import sys; from judge import rubric, packs, filling;"
        "filling.filler('format', '{}', ('gold',))('g');"
        "sys.exit('jinja2' in sys.modules or 'httpx2' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- named fields, marks, concatenation --------------------------------------------------------

NAMES = ("question", "target", "answer")
NAMED = "Q {question} {{x}} T {target} A {answer} Q {question}"


@given(
    st.lists(st.sampled_from(["{q}", "{r}", "{{", "}}", "a", "\n", "é", " "])),
    st.text(),
    st.text(),
)
def test_named_equals_str_format(pieces: list[str], question: str, response: str) -> None:
    """Byte for byte, in any order, any number of times."""
    text = "".join(["{q}", *pieces, "{r}"])

    filled = filling.filler("named", text, ("q", "r"))(question, response)

    assert filled == text.format(q=question, r=response)


@given(st.text(alphabet="{}:!0aq[].", max_size=12))
def test_named_refuses_every_other_use_of_a_brace(text: str) -> None:
    """What is accepted, str.format fills the same way; the rest is refused."""
    try:
        filled = filling.filler("named", text, ("q",))("V")
    except InputError:
        return

    assert filled == text.format(q="V")


@pytest.mark.parametrize(
    ("fill", "text", "what"),
    [
        ("named", "{question} {target}", "does not use its field 'answer'"),
        ("named", NAMED + "{other}", "uses 'other', which is not among its fields"),
        ("named", NAMED + "{}", "uses ''"),
        ("named", NAMED + "{0}", "uses '0'"),
        ("named", NAMED + "{answer!r}", "a lone '{'"),
        ("angle", "<<question>> <<target>>", "does not use its field 'answer'"),
        ("angle", "<<question>> <<target>> <<answer>> <<x>>", "uses 'x'"),
        ("dollar", "{$question} {$target} {$answer} {$x}", "uses 'x'"),
        ("upper", "{question} {target} {answer}", "'question' is not in capitals"),
    ],
)
def test_a_text_that_does_not_follow_its_dialect_is_refused(
    fill: str, text: str, what: str
) -> None:
    """Before any answer is seen."""
    with pytest.raises(InputError, match=what):
        filling.filler(fill, text, NAMES)


def test_upper_takes_names_in_capitals() -> None:
    """As str.format does."""
    text = "{QUESTION}|{ANSWER_A}|{{}}"

    assert filling.filler("upper", text, ("QUESTION", "ANSWER_A"))("q", "{QUESTION}") == (
        "q|{QUESTION}|{}"
    )


@pytest.mark.parametrize(
    ("fill", "text", "signs"),
    [
        ("angle", "<<a>>\n<<b>> <<a>>", ("<<a>>", "<<b>>")),
        ("dollar", "{$a} {$b}", ("{$a}", "{$b}")),
    ],
)
def test_marks_are_filled_as_the_upstreams_chained_replace_does(
    fill: str, text: str, signs: tuple[str, str]
) -> None:
    """Or the value is refused: an earlier value that holds a later field's place."""
    fill_in = filling.filler(fill, text, ("a", "b"))
    first, second = signs

    assert fill_in("x", first) == text.replace(first, "x").replace(second, first)
    assert fill_in(first, "y") == text.replace(first, first).replace(second, "y")
    with pytest.raises(InputError, match="holds the place of a later field"):
        fill_in(f"an answer with {second} in it", "y")


def test_a_place_that_value_and_text_make_together_is_refused() -> None:
    """The upstream would see it; so the prompts would differ."""
    fill = filling.filler("angle", "<<a>>>> <<b>>", ("a", "b"))

    with pytest.raises(InputError, match="later field"):
        fill("<<b", "y")


@given(st.text(alphabet="ab<>{$}", max_size=8), st.text(alphabet="ab<>{$}", max_size=8))
def test_no_accepted_prompt_differs_from_the_chained_one(one: str, other: str) -> None:
    """Whatever the values hold."""
    text = "-<<a>>-<<b>>-"
    try:
        filled = filling.filler("angle", text, ("a", "b"))(one, other)
    except InputError:
        return

    assert filled == text.replace("<<a>>", one).replace("<<b>>", other)


def test_concat_puts_values_at_their_places() -> None:
    """Counted in code points; braces mean nothing; a value is never read again."""
    text = "I\U0001f600#Q: #A: #J: {}"

    fill = filling.filler("concat", text, ("question", "response"), (6, 10))

    assert fill("q", "#A: {}") == "I\U0001f600#Q: q#A: #A: {}#J: {}"


@pytest.mark.parametrize("offsets", [(1,), (2, 1), (0, 9), (1, 2, 3), ()])
def test_concat_refuses_places_that_do_not_fit(offsets: tuple[int, ...]) -> None:
    """One for each field, rising, within the text."""
    with pytest.raises(InputError, match="places"):
        filling.filler("concat", "12345678", ("question", "response"), offsets)


def test_concat_takes_as_many_values_as_fields() -> None:
    """A missing value never shifts the others."""
    with pytest.raises(InputError, match="1 values for 2 fields"):
        filling.filler("concat", "1234", ("question", "response"), (1, 2))("q")


def test_other_dialects_take_no_places() -> None:
    """An offset nobody reads is a slip."""
    with pytest.raises(InputError, match="only `concat` takes"):
        filling.filler("format", "{}", ("question",), (1,))


@pytest.mark.parametrize(
    ("value", "entered"),
    [
        ("[END DATA]", "[END-DATA]"),
        ("x [begin data] y [End Data]", "x [begin-data] y [End-Data]"),
        ("[END\u00a0DATA] [END-DATA] END DATA", "[END\u00a0DATA] [END-DATA] END DATA"),
    ],
)
def test_data_markers_are_made_harmless_as_inspect_does(value: str, entered: str) -> None:
    """In any case, the plain space only, and twice is once."""
    rule = filling.VALUE_RULES["data-markers/1"]

    assert rule(value) == entered
    assert rule(entered) == entered
