"""judge/chain.py: a fact in, a chained line out, and back."""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plans import PIN, gate, intent, receipt

from judge.canonical import digest, encode, parse
from judge.chain import PUBLIC_NAMES, SALT_BYTES, chained, committed, read_line
from judge.errors import VerificationError
from judge.records import Fact, Intent, Receipt, Recovered, Resumed, Seal, Start, Stopped

AT = "2026-11-30T10:00:00.000Z"
RUN_ID = digest(b"run")
BYTES = st.binary() | st.text(st.characters(exclude_categories=["Cs"])).map(str.encode)
READ = receipt(readings={"yes-no/1": "yes", "yes-substring/1": "yes"}, gate_seqs=(3, 4))
FACTS: tuple[Fact, ...] = (
    Start(plan_sha256=PIN),
    intent(),
    receipt(outcome="retry", label=None, final=False, status=429),
    READ,
    gate(),
    Resumed(recheck=False, resend_unknown=0, leave_unknown=False, version="1"),
    Recovered(discarded_bytes=1, discarded_sha256=PIN),
    Stopped(cause="key"),
    Seal(state="complete", lines=1, cells=0, decided=0, undecided=0),
)
IDS = [f"{number} {fact.kind}" for number, fact in enumerate(FACTS)]


def _private(fact: Fact) -> dict[str, bytes]:
    if isinstance(fact, Intent):
        return {"request": b"{}"}
    if not isinstance(fact, Receipt):
        return {}
    kept = {"item": b'{"id":"q"}', "headers": b"[]", "response": b"\xff\0"}
    return {**kept, "reply_text": b"yes"} if fact.readings is not None else kept


def _line(
    fact: Fact, private: Mapping[str, bytes] | None = None, seq: int = 0, prev: str = RUN_ID
) -> tuple[bytes, str]:
    private = _private(fact) if private is None else private
    salts = bytes(range(SALT_BYTES)) * len(private)
    return chained(fact, committed(private, salts), seq, prev, AT)


def _why(line: bytes, *, public: bool = False, seq: int = 0, prev: str = RUN_ID) -> str:
    with pytest.raises(VerificationError) as caught:
        read_line(line, seq, prev, public=public)
    return str(caught.value)


def _changed(fact: Fact, change: Callable[[Any], None]) -> bytes:
    """Return a line, changed as plain JSON and canonical again."""
    value = orjson.loads(_line(fact)[0])
    change(value)
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


# --- there and back -------------------------------------------------------------------------------


@pytest.mark.parametrize("fact", FACTS, ids=IDS)
def test_a_line_is_read_back(fact: Fact) -> None:
    """The fact, its private texts, its place and its link."""
    line, link = _line(fact, seq=7)
    entry = read_line(line.removesuffix(b"\n"), 7, RUN_ID, public=False)

    assert (entry.fact, entry.private, entry.link) == (fact, _private(fact), link)
    assert (entry.header.seq, entry.header.prev, entry.header.at) == (7, RUN_ID, AT)


@pytest.mark.parametrize("fact", FACTS, ids=IDS)
def test_a_line_is_canonical_and_ends_in_one_line_feed(fact: Fact) -> None:
    """Whatever it holds."""
    line, _ = _line(fact)

    assert line.count(b"\n") == 1
    assert line.endswith(b"}\n")
    assert encode(parse(line[:-1])) == line[:-1]


@given(st.lists(st.tuples(st.sampled_from(FACTS), st.lists(BYTES, min_size=4, max_size=4))))
def test_chained_lines_read_back(rows: list[tuple[Fact, list[bytes]]]) -> None:
    """Any facts, any private bytes: each line names the one before."""
    prev = RUN_ID
    for seq, (fact, texts) in enumerate(rows):
        private = dict(zip(_private(fact), texts, strict=False))
        line, link = _line(fact, private, seq, prev)
        entry = read_line(line[:-1], seq, prev, public=False)
        assert (entry.fact, entry.private, entry.link) == (fact, private, link)
        prev = link


def test_the_link_and_the_commitments_follow_format_md() -> None:
    """Worked out by hand from the public part and the private texts."""
    line, link = _line(READ)
    value = orjson.loads(line)
    public, salt = value["public"], bytes(range(SALT_BYTES))

    assert link == hashlib.sha256(b"judge-receipt/v1\n" + encode(public)).hexdigest()
    for name, data in _private(READ).items():
        head = b"judge-commit/v1\n" + name.encode() + b"\n"
        assert public["commit"][name] == hashlib.sha256(head + salt + data).hexdigest()
        assert value["private"][name]["salt"] == salt.hex()


def test_each_text_has_a_salt_of_its_own() -> None:
    """Equal texts do not show that they are equal."""
    kept = committed({"item": b"x", "headers": b"x"}, bytes(32 - i for i in range(32)))
    salts = [part["salt"] for part in orjson.loads(kept.private).values()]

    assert len({*salts, *kept.commit.values()}) == 4


def test_a_line_without_private_texts_has_no_private_part() -> None:
    """And commits to nothing."""
    line, _ = _line(FACTS[0])

    assert line.startswith(b'{"public":{')
    assert orjson.loads(line)["public"]["commit"] == {}


# --- what is refused ------------------------------------------------------------------------------


def test_a_line_at_another_place_is_refused() -> None:
    """By its number, or by what it follows."""
    line = _line(FACTS[0], seq=3)[0][:-1]

    assert _why(line, seq=4) == "seq is 3 where 4 comes next"
    assert _why(line, seq=3, prev=PIN) == "prev is not the link of the line before"


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"", "not JSON"),
        (b"null", "holds `public`"),
        (b"[]", "holds `public`"),
        (b'{"private":{}}', "parts are objects"),
        (b'{"public":[]}', "parts are objects"),
        (b'{"private":{},"public":{}}', "an empty private part"),
        (b'{"more":1,"public":{}}', "holds `public`"),
        (b'{"public":{}} ', "not the canonical form"),
        (b'{"public":{}}', "v: Field required"),
        (b'{"public":{"v":' + b"[" * 300 + b"]" * 300 + b"}}", "no canonical form"),
        (b'{"public":' + b"[" * 3000 + b"]" * 3000 + b"}", "not JSON"),
    ],
    ids=lambda value: repr(value[:30]),
)
def test_a_line_of_another_shape_is_refused(line: bytes, what: str) -> None:
    """The sentence says what is wrong with it."""
    assert what in _why(line)


@pytest.mark.parametrize("fact", FACTS, ids=IDS)
def test_a_field_too_few_or_too_many_is_refused(fact: Fact) -> None:
    """Each one that there is, the header's too."""
    whole = orjson.loads(_line(fact)[0])["public"]
    for name in whole:
        fewer = {n: held for n, held in whole.items() if n != name}
        _why(_changed(fact, lambda value: value.update(public=fewer)))  # noqa: B023 - used at once
    _why(_changed(fact, lambda value: value["public"].update(more=None)))


@pytest.mark.parametrize("fact", FACTS, ids=IDS)
def test_a_value_of_another_type_is_refused(fact: Fact) -> None:
    """A number as text, a truth as a number, and the other way round."""
    for name, held in orjson.loads(_line(fact)[0])["public"].items():
        kind = type(held)
        wrong: Any = str(held) if kind is int else int(held) if kind is bool else 1
        other = {name: 0.5 if held is None else wrong}
        _why(_changed(fact, lambda value: value["public"].update(other)))  # noqa: B023


@pytest.mark.parametrize("v", [True, 2, 0])
def test_another_version_is_refused(v: object) -> None:
    """Never guessed at."""
    assert _why(_changed(FACTS[0], lambda value: value["public"].update(v=v))).startswith("v:")


def test_another_spelling_of_a_field_is_refused() -> None:
    """`passed` is Python's word; the format says `pass`."""

    def spell(value: Any) -> None:  # noqa: ANN401 - plain JSON
        value["public"]["passed"] = value["public"].pop("pass")

    assert "missing or misnamed" in _why(_changed(gate(), spell))


def test_an_unknown_kind_is_refused() -> None:
    """A newer version's line is not skipped."""
    assert "kind" in _why(_changed(FACTS[0], lambda value: value["public"].update(kind="more")))


@pytest.mark.parametrize("fact", FACTS, ids=IDS)
def test_every_changed_byte_is_another_line_or_none(fact: Fact) -> None:
    """A line that is read after a change has another link, so the next line refuses it."""
    line, link = _line(fact)
    silent = []
    for at in range(len(line) - 1):
        changed = line[:at] + bytes([line[at] ^ 1]) + line[at + 1 : -1]
        try:
            entry = read_line(changed, 0, RUN_ID, public=False)
        except VerificationError:
            continue
        if entry.link == link:
            silent.append(at)

    assert silent == []


# --- private texts --------------------------------------------------------------------------------


@pytest.mark.parametrize("fact", [FACTS[1], FACTS[2], READ], ids=["intent", "refused", "read"])
def test_a_line_commits_to_exactly_its_texts(fact: Fact) -> None:
    """None more, none fewer, by kind."""
    names = _private(fact)
    for name in names:
        fewer = {n: data for n, data in names.items() if n != name}
        assert "line commits to" in _why(_line(fact, fewer)[0][:-1])
    assert "line commits to" in _why(_line(fact, {**names, "more": b""})[0][:-1])


def test_other_lines_commit_to_nothing() -> None:
    """A start line keeps no secret."""
    assert "a start line commits to" in _why(_line(FACTS[0], {"item": b""})[0][:-1])


def test_a_text_may_be_missing_from_a_public_export_only() -> None:
    """There, any of them; the link stays."""

    def take(value: Any) -> None:  # noqa: ANN401 - plain JSON
        value["private"] = {n: p for n, p in value["private"].items() if n in PUBLIC_NAMES}

    line = _changed(READ, take)
    bare = _changed(READ, lambda value: value.pop("private"))

    assert "verify a public export with --public" in _why(line)
    assert read_line(line, 0, RUN_ID, public=True).private == {
        "item": b'{"id":"q"}',
        "reply_text": b"yes",
    }
    assert read_line(bare, 0, RUN_ID, public=True).private == {}
    assert read_line(bare, 0, RUN_ID, public=True).link == _line(READ)[1]


@pytest.mark.parametrize("public", [False, True])
@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"more": 1}, "not data, enc and salt"),
        ({"data": None}, "not three texts"),
        ({"enc": []}, "not three texts"),
        ({"salt": 1}, "not three texts"),
        ({"enc": "hex"}, "neither utf8 nor base64"),
        ({"salt": "00" * 15}, "not 32 hexadecimal"),
        ({"salt": "0F" * 16}, "not 32 hexadecimal"),
        ({"salt": "0 " * 16}, "not 32 hexadecimal"),
        ({"salt": "00" * 16}, "is not what the public part commits to"),
        ({"data": "y"}, "is not what the public part commits to"),
        ({"enc": "base64"}, "private item: private text is not"),
    ],
    ids=repr,
)
def test_a_changed_private_text_is_refused(
    changed: dict[str, object], what: str, *, public: bool
) -> None:
    """In its form, its salt or its bytes; in a public export too."""
    line = _changed(READ, lambda value: value["private"]["item"].update(changed))

    assert what in _why(line, public=public)


@pytest.mark.parametrize("part", [[], {}, {"data": "x", "enc": "utf8"}, "x", None], ids=repr)
def test_a_private_text_has_three_parts(part: object) -> None:
    """Data, encoding, salt."""
    line = _changed(READ, lambda value: value["private"].update(item=part))

    assert "private item is not data, enc and salt" in _why(line)


def test_a_changed_commitment_is_refused() -> None:
    """Though the text is what it was."""
    line = _changed(READ, lambda value: value["public"]["commit"].update(item=PIN))

    assert "private item is not what the public part commits to" in _why(line, public=True)


def test_the_private_part_is_an_object() -> None:
    """Not a list of texts."""
    assert "parts are objects" in _why(_changed(READ, lambda value: value.update(private=[])))


def test_swapped_texts_are_refused() -> None:
    """A commitment holds the name."""

    def swap(value: Any) -> None:  # noqa: ANN401 - plain JSON
        kept = value["private"]
        kept["item"], kept["headers"] = kept["headers"], kept["item"]

    assert "is not what the public part commits to" in _why(_changed(READ, swap), public=True)


def test_a_text_nobody_committed_to_is_refused() -> None:
    """In a public export, where texts may be missing, none may be added."""

    def add(value: Any) -> None:  # noqa: ANN401 - plain JSON
        value["private"]["more"] = value["private"]["item"]

    assert "private more is not what" in _why(_changed(READ, add), public=True)


def test_an_empty_private_part_is_refused() -> None:
    """One line, one form."""
    line = _changed(READ, lambda value: value.update(private={}))

    assert "an empty private part is left out" in _why(line, public=True)


@given(st.binary())
def test_any_bytes_are_a_line_or_an_error(line: bytes) -> None:
    """Never another exception."""
    assert _why(line)
