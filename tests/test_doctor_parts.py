"""judge/doctor, part by part: strings found, texts told apart, settings and parsers seen."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.doctor import calls, differing
from judge.doctor.documents import FIELD, Found, document
from judge.doctor.known import plain
from judge.doctor.scripts import strings
from judge.errors import InputError
from judge.records import Readings, Rubric


def _texts(code: str, name: str = "a.py") -> list[str]:
    return [found.text for found in document(code.encode(), name).texts]


# --- strings of a program -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("a = 'x' 'y'", "xy"),
        ("a = 'x' + 'y' + 'z'", "xyz"),
        ("a = '  x '.strip()", "x"),
        ("a = f'x {q} y {r!r:>9}'", f"x {FIELD} y {FIELD}"),
        ("a = f'x {q}' + 'z'", f"x {FIELD}z"),
        ("a = ('x'\n  f'{{y}} {z}')", f"x{{y}} {FIELD}"),
    ],
)
def test_a_python_text_is_what_the_program_would_have(code: str, text: str) -> None:
    """Joined, stripped, a sign for each field of an f-string."""
    assert text in _texts(code)


def test_a_long_sum_of_texts_costs_no_recursion() -> None:
    """Machine-made code has such."""
    code = "a = " + " + ".join(["'x'"] * 900)

    assert "x" in _texts(code)


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("const a = 'x\\'y';", ["x'y"]),
        ('const a = "x\\n\\u00e9\\u{1F600}\\x41";', ["x\né\U0001f600A"]),
        ("const a = `x ${b ? `${c}` : {d: 1}} y`;", [f"x {FIELD} y"]),
        ("// it's\n/* don't */ const a = 'x';", ["x"]),
        ("const a = 'broken\nconst b = 'whole';", ["whole"]),
        ("const a = `never ends", []),
        ("const a = 'x\\\ny';", ["xy"]),
        ("const a = `a $5 'b' \"c\" \\`d\\``;", ["a $5 'b' \"c\" `d`"]),
        ("const a = '\\u{110000}x';", ["x"]),
    ],
)
def test_a_script_text_is_what_the_program_would_have(code: str, found: list[str]) -> None:
    """Escapes read, fields marked, comments left out, what does not end left out."""
    assert [one.text(FIELD) for one in strings(code)] == found


def test_a_script_text_says_its_line() -> None:
    """Where it begins."""
    assert [(one.text(""), one.line) for one in strings("a\n'x'\n`y\nz`\n'w'")] == [
        ("x", 2),
        ("y\nz", 3),
        ("w", 5),
    ]


def test_a_string_that_never_ends_costs_one_look() -> None:
    """Not one for each quote behind it."""
    start = time.perf_counter()

    assert len(list(strings("'`${" * 100_000))) <= 1
    assert time.perf_counter() - start < 1


@given(st.text(alphabet="'\"`\\${}/*ab\n", max_size=40))
def test_no_script_makes_the_reader_raise(code: str) -> None:
    """Somebody's file may be anything."""
    list(strings(code))


@given(st.binary(max_size=60), st.sampled_from([".md", ".ts", ".json", ".txt", ".yaml"]))
def test_a_file_is_looked_into_or_refused_in_one_sentence(data: bytes, suffix: str) -> None:
    """No byte string brings another error."""
    said = ""
    try:
        document(data, f"a{suffix}")
    except InputError as error:
        said = str(error)

    assert "\n" not in said


@pytest.mark.parametrize(
    "text", ["Q {} {{x}}", "Q {question} {{x}}", "Q ${q.text} {x}", "Q {$q} {x}", "Q <<q>> {x}"]
)
def test_a_field_is_a_field_however_it_is_written(text: str) -> None:
    """In every dialect, one sign."""
    assert plain(text).startswith(f"Q {FIELD} ")


def test_jinja_fields_are_not_doubled_braces() -> None:
    """A file has the one or the other."""
    assert plain("Q {{ question }} {{ gold|trim }} {x: 1}") == f"Q {FIELD} {FIELD} {{x: 1}}"


# --- two texts ----------------------------------------------------------------------------------


def _kinds(pinned: str, theirs: str, **others: str) -> set[str]:
    found = differing.findings("t", pinned, Found(theirs, 3), ("yes", "no"), others)
    assert all(one.line == 3 for one in found)
    return {one.kind for one in found}


PINNED = (
    "Please judge the answer now.  Say yes when it is right, no when it is wrong.\n\n{}\n\nIs it?"
)


def test_equal_texts_differ_in_nothing() -> None:
    """Nothing is made up."""
    assert _kinds(PINNED, PINNED) == set()


def test_spaces_alone_are_no_words() -> None:
    """Lost, added, at a line's end."""
    assert _kinds(PINNED, PINNED.replace("now.  Say", "now. Say")) == {"spaces"}
    assert _kinds(PINNED, PINNED.replace("\n\nIs", "\n\n\nIs")) == {"spaces"}
    assert _kinds(PINNED, " " + PINNED) == {"spaces"}


def test_words_are_counted_and_shown() -> None:
    """What went and what came."""
    (found,) = differing.findings(
        "t", PINNED, Found(PINNED.replace("right", "fine and good"), 1), ("yes", "no"), {}
    )

    assert found.said == "1 words removed ('right'), 3 added ('fine and good')"


@given(st.text(max_size=40), st.text(max_size=40))
def test_likeness_is_a_percentage_and_symmetrical(one: str, other: str) -> None:
    """A hundred for a text with itself, where it has runs."""
    a, b = differing.runs(one), differing.runs(other)

    assert 0 <= differing.likeness(a, b) == differing.likeness(b, a) <= 100
    assert differing.likeness(a, a) == (100 if a else 0)


# --- code ---------------------------------------------------------------------------------------

RUBRIC = Rubric(
    rubric="r",
    edition="upstream",
    fill="format",
    fields=("response",),
    templates=(),
    routes=(),
    labels=("yes", "no"),
    accept="yes",
    readings=Readings(strict="yes-no/1", upstream="yes-substring/1"),
    settings={"temperature": "0.5", "max_tokens": 10, "n": 1},
    judges=("openai/good-1",),
)
RIGHT = "ask(temperature=0.50, max_tokens=10)\n'yes' in reply.lower()\n"


def _said(code: str) -> list[str]:
    return [one.said for one in calls.findings(code, RUBRIC)]


def test_settings_that_are_the_rubrics_are_silent() -> None:
    """Whatever the spelling of a number, and `n` left to the API."""
    assert _said(RIGHT) == []
    assert _said('{"temperature": 0.5, "max_tokens": 10, "n": 1}') == []
    assert _said("const x = { temperature: 0.5, maxTokens: 10 }") == []
    assert _said("def ask(temperature: float = 0.5, max_tokens: int = 10): ...") == []


def test_code_without_settings_says_nothing_of_them() -> None:
    """A file of prompts asks nobody."""
    assert _said("PROMPT = 'x'") == []


@pytest.mark.parametrize("code", ["n = 5", "seed = 42", "stop = '.'", "for n in x: y[n]: 3"])
def test_a_variable_with_a_settings_name_is_no_setting(code: str) -> None:
    """Only an argument or a key is."""
    assert _said(code) == []


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (RIGHT + "f(seed=42)", "seed is 42, the rubric sends none"),
        (RIGHT + "model='bad-1'", "bad-1 is not among the published judges (good-1)"),
        (RIGHT + "judge_model: str = 'openai/bad-1'", "openai/bad-1 is not among"),
    ],
)
def test_what_differs_in_code_is_named(code: str, said: str) -> None:
    """Settings the rubric does not send, judges it does not publish."""
    (told,) = _said(code)

    assert told.startswith(said)


def test_published_judges_are_silent() -> None:
    """With or without their provider."""
    assert _said(RIGHT + "model='good-1'\nmodel = 'openai/good-1'") == []


def test_a_rubric_with_a_json_setting_is_not_compared_by_words() -> None:
    """Its spelling in code may be any."""
    json = RUBRIC.model_copy(update={"settings": {"response_format": {"type": "json_object"}}})

    assert calls.findings("ask(response_format={'type': 'json_object'})", json) == ()
