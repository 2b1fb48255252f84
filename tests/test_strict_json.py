"""A reply's JSON is read alike on any stack, in any Python, whatever stands in it."""

import sys

import pytest

from judge.envelope import strict_json


def _accepted(body: bytes, frames: int = 0) -> bool:
    """Whether the body is JSON when it is read this many calls further down."""
    if frames:
        return _accepted(body, frames - 1)
    try:
        strict_json(body)
    except ValueError:
        return False
    return True


def _nested(depth: int) -> bytes:
    return b"[" * depth + b"1" + b"]" * depth


def test_depth_has_a_limit_of_its_own() -> None:
    """100 deep is read, 101 is not."""
    assert _accepted(_nested(100))
    assert not _accepted(_nested(101))


def test_objects_and_lists_count_alike() -> None:
    """The depth is theirs together."""
    assert _accepted(b'[{"a":' * 50 + b"1" + b"}]" * 50)
    assert not _accepted(b'{"a":[' * 51 + b"1" + b"]}" * 51)


@pytest.mark.parametrize("depth", [90, 100, 101, 700, 940, 990])
def test_depth_is_judged_alike_on_any_stack(depth: int) -> None:
    """Neither the caller's stack nor the interpreter's limit moves what is accepted."""
    frames = sys.getrecursionlimit() // 2
    assert _accepted(_nested(depth)) == _accepted(_nested(depth), frames)


@pytest.mark.parametrize(
    "text",
    [
        b'"' + b"[" * 500 + b'"',
        b'"\\"' + b"[" * 500 + b'"',
        b'"\\\\\\"' + b"{" * 500 + b'"',
        '"é'.encode() + b"[" * 500 + b'"',
    ],
)
def test_brackets_inside_a_text_are_text(text: bytes) -> None:
    """A judge may write as many as it likes."""
    assert _accepted(b'{"a":' + text + b"}")


def test_brackets_after_a_text_count() -> None:
    """An escaped backslash before the quote does not keep the text open."""
    assert not _accepted(b'["\\\\",' + _nested(100) + b"]")


def test_brackets_side_by_side_are_not_deep() -> None:
    """Many short lists are no depth."""
    assert _accepted(b"[" + b"[],{}," * 500 + b"1]")


def test_integers_have_a_limit_of_their_own() -> None:
    """600 digits are read, 601 are not, under any setting of the interpreter."""
    assert _accepted(b"9" * 600)
    assert not _accepted(b"9" * 601)


@pytest.mark.parametrize("body", [b"\xef\xbb\xbf1", b'{"a":1,"a":1}', b"NaN", b"\xff", b"1 2", b""])
def test_what_is_not_one_json_value_is_refused(body: bytes) -> None:
    """A byte order mark, a key twice, NaN, other bytes than UTF-8, two values, nothing."""
    assert not _accepted(body)
