"""judge/strictyaml.py: YAML read as data only."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge import strictyaml
from judge.canonical import Json
from judge.errors import InputError


def _load(text: str) -> Json:
    return strictyaml.load(text.encode(), "pack.yaml")


def test_a_pack_shaped_document_is_read_as_plain_values() -> None:
    """Lists, mappings, both flow and block, quoted and bare words."""
    text = 'a: {b: [1, -2, 0], "c": "yes"}\nd:\n  - true\n  - null\n  - x y # said\n'

    assert _load(text) == {"a": {"b": [1, -2, 0], "c": "yes"}, "d": [True, None, "x y"]}


@pytest.mark.parametrize(
    "word",
    [
        "yes",
        "no",
        "on",
        "off",
        "True",
        "False",
        "Null",
        "~",
        "1:30",
        "2024-01-01",
        "0.7",
        "1e5",
        ".5",
        "010",
        "0x1f",
        "1_000",
        "+1",
        "-0",
        ".inf",
    ],
)
def test_words_and_odd_numbers_stay_text(word: str) -> None:
    """Nothing turns into a boolean, a date or a float behind the writer's back."""
    assert _load(f"a: {word}") == {"a": word}


def test_quoted_words_and_blocks_stay_text() -> None:
    """A quoted `true` and a quoted number are text; an empty quoted text is allowed."""
    text = 'a: "true"\nb: \'1\'\nc: ""\nd: |\n  1\n'

    assert _load(text) == {"a": "true", "b": "1", "c": "", "d": "1\n"}


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("a: 1\nb: &x 2\n", 2, "anchor 'x'"),
        ("a: 1\nb: *x\n", 2, "alias 'x'"),
        ("a: !!str 1\n", 1, "tag"),
        ("a: ! 1\n", 1, "tag"),
        ("a: !!python/object/apply:os.system [x]\n", 1, "tag"),
        ("a: 1\nb: 2\na: 3\n", 3, "key 'a' again, first on line 1"),
        ("1: a\n", 1, "key '1' is not text"),
        ("true: a\n", 1, "key 'True' is not text"),
        ("[a]: b\n", 1, "is not text"),
        ("? {a: b}\n: c\n", 1, "is not text"),
        ("a: 1\nb:\n", 2, "a value is missing"),
        ("a: [1, , 2]\n", 1, "not YAML"),
        ("a:\n-\n", 2, "a value is missing"),
        ("a: 1\n---\nb: 2\n", 2, "a second document"),
        ("a: 1\n...\nb: 2\n", 3, "not YAML"),
        ("%YAML 1.1\n---\na: 1\n", 1, "a directive"),
        ("%TAG ! tag:x,2000:\n---\na: 1\n", 1, "a directive"),
        ("", 1, "the file is empty"),
        ("# a\n", 1, "the file is empty"),
        ("a: 1\nb: [1\n", 3, "not YAML"),
        ("a: 1\n\tb: 2\n", 2, "not YAML"),
        ("a: x\nb: \x07\n", 2, "a control character"),
        ("a: 9007199254740992\n", 1, "not below 2**53"),
        (f"a: {'9' * 10000}\n", 1, "not below 2**53"),
        ('a: 1\nb: "\\ud800"\n', 2, "half a surrogate pair"),
        ('a: "\\U00110000"\n', 1, "not YAML"),
    ],
)
def test_what_is_not_plain_data_is_refused_with_its_line(text: str, line: int, what: str) -> None:
    """The message names the file, the line and the fault."""
    with pytest.raises(InputError) as caught:
        _load(text)

    assert str(caught.value).startswith(f"pack.yaml:{line}: ")
    assert what in str(caught.value)


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"])
def test_a_byte_order_mark_is_refused(mark: bytes) -> None:
    """It would otherwise be swallowed, and two files would be one."""
    with pytest.raises(InputError, match="byte order mark"):
        strictyaml.load(mark + b"a: 1", "x")


def test_bytes_that_are_not_utf8_are_refused_with_their_line() -> None:
    """Latin-1 is not guessed."""
    with pytest.raises(InputError, match=r"^x:2: not UTF-8"):
        strictyaml.load(b"a: 1\nb: \xe9\n", "x")


def test_more_than_a_megabyte_is_refused() -> None:
    """The limit holds before anything is parsed."""
    with pytest.raises(InputError, match="the limit is 1000000"):
        strictyaml.load(b"#" * 1_000_001, "x")


def test_twenty_levels_are_read_and_twenty_one_are_refused() -> None:
    """A deep file is refused by count, not by running out of stack."""
    assert _load("[" * 20 + "]" * 20)
    with pytest.raises(InputError, match="more than 20 levels"):
        _load("[" * 21 + "]" * 21)


def test_a_bomb_of_brackets_is_refused_at_once() -> None:
    """Half a megabyte of open brackets ends at the twenty-first."""
    with pytest.raises(InputError, match="more than 20 levels"):
        _load("[" * 500_000)


@given(st.binary(max_size=200))
def test_any_bytes_give_a_value_or_an_input_error(data: bytes) -> None:
    """No other exception, and a value is one that can be written as JSON."""
    try:
        value = strictyaml.load(data, "x")
    except InputError:
        return
    orjson.dumps(value)


@given(st.text(alphabet="ab:-[]{}\"'|> \n#&*!%?,01", max_size=60))
def test_any_signs_of_yaml_give_a_value_or_an_input_error(text: str) -> None:
    """Most random bytes are not YAML; these mostly are."""
    try:
        _load(text)
    except InputError:
        return
