"""judge/canonical.py: one value, one byte string, one digest."""

import base64
import hashlib
import json
from collections import OrderedDict
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from judge import canonical
from judge.canonical import Json, NotCanonicalError
from judge.errors import InputError

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
KEYS = st.text(st.characters(max_codepoint=127))
SAFE = 2**53 - 1


def _within(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(parts) | st.dictionaries(KEYS, parts)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-SAFE, SAFE) | TEXT, _within, max_leaves=20
)


# --- values to bytes ------------------------------------------------------------------------------


@given(VALUES)
def test_the_bytes_are_those_of_rfc_8785(value: Json) -> None:
    """On every value of the format."""
    assert canonical.encode(value) == rfc8785.dumps(value)


@given(VALUES)
def test_the_bytes_are_those_of_sorted_compact_json(value: Json) -> None:
    """So that an auditor needs the standard library only."""
    plain = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    assert canonical.encode(value) == plain.encode(value).encode()


@given(VALUES)
def test_what_is_encoded_is_parsed_back(value: Json) -> None:
    """And encodes to the same bytes again."""
    data = canonical.encode(value)

    assert canonical.parse(data) == value
    assert canonical.encode(canonical.parse(data)) == data


@pytest.mark.parametrize(
    "value",
    [
        1.0,
        float("nan"),
        (1,),
        {1},
        b"x",
        object(),
        "\ud800",
        SAFE + 1,
        -SAFE - 1,
        10**400,
        {"é": 1},
        {1: 1},
        {"\ud800": 1},
        {"a": [{"b": 0.5}]},
        OrderedDict(a=1),
        type("Text", (str,), {})("x"),
        type("Number", (int,), {})(3),
    ],
    # No address of an object in an id: two processes of one test run must agree on it.
    ids=lambda value: f"{type(value).__name__} {value!r}".partition(" at 0x")[0][:30],
)
def test_a_value_without_a_canonical_form_is_refused(value: object) -> None:
    """Nothing is turned into something near it."""
    with pytest.raises(NotCanonicalError):
        canonical.encode(value)  # type: ignore[arg-type]


def test_the_largest_integers_are_encoded() -> None:
    """Every double holds them exactly."""
    assert canonical.encode([SAFE, -SAFE]) == b"[9007199254740991,-9007199254740991]"


@pytest.mark.parametrize("depth", [300, 600, 5000])
@pytest.mark.parametrize("kind", ["list", "object"])
def test_nesting_beyond_the_encoder_is_refused(kind: str, depth: int) -> None:
    """Whichever of the two limits is met first."""
    value: Any = 0
    for _ in range(depth):
        value = [value] if kind == "list" else {"a": value}

    with pytest.raises(NotCanonicalError, match="no canonical form"):
        canonical.encode(value)


def test_what_has_no_form_is_an_input_error() -> None:
    """Exit code 2: it was given."""
    assert issubclass(NotCanonicalError, InputError)


# --- bytes to values ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" 1",
        b"1\n",
        b"1 2",
        b"{",
        b'{"a":1,"a":1}',
        b'{"b":1,"a":1}',
        b'{"a": 1}',
        b"[1 ,2]",
        b"1.0",
        b"1e2",
        b"-0",
        b"01",
        b"NaN",
        b"Infinity",
        b"9007199254740992",
        b"18446744073709551616",
        b'"\\u0061"',
        b'"\\/"',
        b'"\\ud83d\\ude00"',
        b'"\\ud800"',
        b'"\\u000a"',
        b'{"\xc3\xa9":1}',
        b'"\xff"',
        b'"\xed\xa0\x80"',
        b'\xef\xbb\xbf"a"',
        b"[" * 900 + b"]" * 900,
        b'{"a":' * 900 + b"1" + b"}" * 900,
        b"[" * 100_000,
    ],
    ids=lambda data: f"{len(data)} {data[:20]!r}",
)
def test_bytes_that_are_not_canonical_are_refused(data: bytes) -> None:
    """One value has one form, and every other is an error."""
    with pytest.raises(NotCanonicalError):
        canonical.parse(data)


@given(st.binary())
def test_any_bytes_are_parsed_or_refused(data: bytes) -> None:
    """What is parsed has exactly these bytes."""
    try:
        value = canonical.parse(data)
    except NotCanonicalError:
        return

    assert canonical.encode(value) == data


@given(VALUES, st.data())
def test_a_changed_byte_is_another_value_or_none(value: Json, data: st.DataObject) -> None:
    """No two byte strings hold one value."""
    whole = canonical.encode(value)
    at = data.draw(st.integers(0, len(whole) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda b: b != whole[at]))
    changed = whole[:at] + bytes([byte]) + whole[at + 1 :]
    try:
        found = canonical.parse(changed)
    except NotCanonicalError:
        return

    assert canonical.encode(found) != whole


# --- digests --------------------------------------------------------------------------------------


def test_the_digest_is_sha_256() -> None:
    """In lower-case hexadecimal digits."""
    assert canonical.digest(b"abc") == hashlib.sha256(b"abc").hexdigest()


def test_a_link_is_a_digest_with_its_own_head() -> None:
    """So that a line's link is no other thing's digest."""
    assert canonical.link(b"{}") == hashlib.sha256(b"judge-receipt/v1\n{}").hexdigest()


def test_a_commitment_hashes_name_salt_and_data() -> None:
    """In the order of FORMAT.md."""
    salt = bytes(range(16))
    expected = hashlib.sha256(b"judge-commit/v1\nitem\n" + salt + b"data").hexdigest()

    assert canonical.commitment("item", salt, b"data") == expected


@pytest.mark.parametrize(
    ("name", "salt", "data"),
    [("items", b"s" * 16, b"d"), ("item", b"t" * 16, b"d"), ("item", b"s" * 16, b"e")],
)
def test_a_commitment_binds_each_of_its_parts(name: str, salt: bytes, data: bytes) -> None:
    """Another name, salt or text is another commitment."""
    assert canonical.commitment(name, salt, data) != canonical.commitment("item", b"s" * 16, b"d")


# --- private texts --------------------------------------------------------------------------------


@given(st.binary() | TEXT.map(str.encode))
def test_bytes_survive_as_text(data: bytes) -> None:
    """Whatever a server sent."""
    assert canonical.to_bytes(*canonical.to_text(data)) == data


@pytest.mark.parametrize(
    ("data", "enc"), [(b"", "utf8"), (b"a\0\xc3\xa9", "utf8"), (b"\xff", "base64")]
)
def test_text_is_kept_readable_where_it_can_be(data: bytes, enc: str) -> None:
    """Only bytes that are no UTF-8 are coded."""
    assert canonical.to_text(data)[0] == enc


@pytest.mark.parametrize(
    ("enc", "text"),
    [
        ("base64", base64.b64encode(b"plain").decode()),
        ("base64", ""),
        ("base64", "/x=="),
        ("base64", "/w==\n"),
        ("base64", "/w="),
        ("base64", "é"),
        ("base64", "/ w=="),
        ("utf8", "\ud800"),
        ("latin1", "a"),
        ("", ""),
    ],
)
def test_a_second_form_of_the_same_bytes_is_refused(enc: str, text: str) -> None:
    """Text may not hide in base64, and base64 has no loose bits."""
    with pytest.raises(NotCanonicalError):
        canonical.to_bytes(enc, text)
