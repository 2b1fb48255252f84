"""judge/providers/answer.py: any bytes, in any packets, one judgement."""

from collections.abc import Sequence
from itertools import pairwise

from faultserver import http
from hypothesis import given
from hypothesis import strategies as st

from judge.providers.answer import HEAD_MAX, Answer

LIMIT = 1000
WHOLE = http(200, b'{"label":"yes"}')
CHUNKED = (
    b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
    b"3;x=1\r\nabc\r\n4\r\ndefg\r\n0\r\nt: 1\r\n\r\n"
)
INTERIM = b"HTTP/1.1 103 X\r\nlink: x\r\n\r\n" + WHOLE
ENDING = http(200, b"abc", length=None)


def fed(packets: Sequence[bytes], limit: int = LIMIT) -> Answer:
    """Feed packets until the answer is settled, as a connection does."""
    answer = Answer(limit)
    for packet in packets:
        answer.feed(packet)
        if answer.settled:
            break
    return answer


def seen(answer: Answer) -> tuple[object, ...]:
    """Return all that leaves an answer: headers only once they are complete."""
    headers = () if answer.status is None else tuple(answer.headers)
    return answer.status, headers, answer.body, answer.error, answer.complete


def cut(data: bytes, places: Sequence[int]) -> list[bytes]:
    """Cut bytes into packets at these places."""
    marks = sorted({place % (len(data) + 1) for place in places} | {0, len(data)})
    return [data[a:b] for a, b in pairwise(marks)]


@st.composite
def spoilt(draw: st.DrawFn) -> bytes:
    """Draw an answer with some of its bytes replaced, removed or added."""
    data = bytearray(draw(st.sampled_from([WHOLE, CHUNKED, INTERIM, ENDING])))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(data) - 1))
        data[place : place + draw(st.integers(0, 2))] = draw(st.binary(max_size=3))
        data = data or bytearray(b"x")
    return bytes(data)


@given(spoilt(), st.lists(st.integers(0, 10_000), max_size=8))
def test_packets_change_nothing(data: bytes, places: list[int]) -> None:
    """How the bytes are cut decides neither the answer nor what is wrong with it."""
    assert seen(fed([data])) == seen(fed(cut(data, places)))


@given(data=st.one_of(st.binary(max_size=300), spoilt()), clean=st.booleans())
def test_every_answer_ends_in_one_way(data: bytes, *, clean: bool) -> None:
    """After the end an answer is complete or has an error, never both, and fits the limit."""
    answer = fed([data], limit=5)
    if not answer.settled:
        answer.end(clean=clean)

    assert answer.complete != (answer.error is not None)
    assert len(answer.body) <= 5


@given(st.integers(0, len(WHOLE) - 1))
def test_no_prefix_is_the_whole(length: int) -> None:
    """A cut answer with a length is cut wherever it ends."""
    answer = fed([WHOLE[:length]])
    answer.end(clean=True)

    assert answer.error == "cut"


@given(st.integers(0, len(CHUNKED) - 1))
def test_no_chunked_prefix_is_the_whole(length: int) -> None:
    """A cut chunked answer is cut wherever it ends, the trailer included."""
    answer = fed([CHUNKED[:length]])
    answer.end(clean=True)

    assert answer.error == "cut"


def test_head_is_limited_in_one_packet_too() -> None:
    """A complete head above the limit is refused however few packets it came in."""
    head = b"HTTP/1.1 200 X\r\n" + b"x: y\r\n" * (HEAD_MAX // 6 + 1) + b"\r\n"

    answer = fed([head], limit=1_000_000)

    assert answer.error == "too_large"
    assert len(answer.headers) <= HEAD_MAX // 6


def test_what_follows_changes_no_complete_answer() -> None:
    """Deadline, end and limit come too late, and only end the connection."""
    answer = fed([WHOLE])
    before = seen(answer)

    answer.expire()
    answer.end(clean=False)
    answer.feed(b"x" * (HEAD_MAX + LIMIT + 1))

    assert seen(answer) == before
    assert answer.last


def test_first_error_stands() -> None:
    """A deadline after a protocol error leaves it a protocol error."""
    answer = fed([b"garbage\r\n\r\n"])
    answer.expire()

    assert answer.error == "protocol"
