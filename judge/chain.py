"""A fact in, a chained line out, and back: the only place where lines are made or read.

A line's public part names the line before it by hash and its private texts by salted commitments;
`receipts/FORMAT.md` has the bytes. Reading is strict: a line that is not the canonical form of what
it says, or has a key too many or too few, is refused.
"""

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import orjson
import pydantic

from judge.canonical import (
    Json,
    NotCanonicalError,
    commitment,
    encode_typed,
    link,
    to_bytes,
    to_text,
)
from judge.errors import VerificationError
from judge.records import Fact, Header, Intent, Receipt

__all__ = ["PUBLIC_NAMES", "SALT_BYTES", "Committed", "Entry", "chained", "committed", "read_line"]

SALT_BYTES = 16
PUBLIC_NAMES = frozenset({"item", "reply_text"})
"""The private names a public export keeps."""

_SALT = re.compile(r"[0-9a-f]{32}")
_HEADER = tuple(Header.model_fields)
_FACT: pydantic.TypeAdapter[Fact] = pydantic.TypeAdapter(
    Annotated[Fact, pydantic.Field(discriminator="kind")]
)


@dataclass(frozen=True, slots=True)
class Committed:
    """The private part of a line, encoded, and what its public part says of it."""

    private: bytes
    """Canonical JSON; empty when the line keeps nothing private."""
    commit: dict[str, Json]


@dataclass(frozen=True, slots=True)
class Entry:
    """One line, read back."""

    header: Header
    fact: Fact
    private: Mapping[str, bytes]
    link: str
    """What the next line must name as `prev`."""


def committed(private: Mapping[str, bytes], salts: bytes) -> Committed:
    """Return the private part and its commitments; `salts` has 16 bytes for each name."""
    parts: dict[str, Json] = {}
    commit: dict[str, Json] = {}
    for number, (name, data) in enumerate(private.items()):
        salt = salts[number * SALT_BYTES : (number + 1) * SALT_BYTES]
        enc, text = to_text(data)
        parts[name] = {"data": text, "enc": enc, "salt": salt.hex()}
        commit[name] = commitment(name, salt, data)
    return Committed(encode_typed(parts) if parts else b"", commit)


def chained(fact: Fact, kept: Committed, seq: int, prev: str, at: str) -> tuple[bytes, str]:
    """Return the line, with its LF, and the link the next line must name."""
    public = encode_typed(
        {**fact.plain(), "v": 1, "seq": seq, "prev": prev, "at": at, "commit": kept.commit}
    )
    head = b'{"private":' + kept.private + b',"public":' if kept.private else b'{"public":'
    return head + public + b"}\n", link(public)


def read_line(line: bytes, seq: int, prev: str, *, public: bool) -> Entry:
    """Return what one line says, its LF taken off.

    Args:
        line: the bytes between two line ends.
        seq: the number it must have.
        prev: the link it must name.
        public: whether private texts may be missing, as in a public export.

    Raises:
        VerificationError: it is not a line of this format, or not the next one.
    """
    said, kept, public_bytes = _parts(line)
    header, fact = _validated(said)
    if header.seq != seq:
        raise VerificationError(f"seq is {header.seq} where {seq} comes next")
    if header.prev != prev:
        raise VerificationError("prev is not the link of the line before")
    private = _opened(kept, header.commit, public=public)
    _check_names(fact, header)
    return Entry(header, fact, private, link(public_bytes))


def _parts(line: bytes) -> tuple[dict[str, Json], dict[str, Json], bytes]:
    """The public part, the private part, and the bytes of the former, each in canonical form.

    Floats, large integers and keys beyond ASCII are left to the records: every field has a type.
    """
    try:
        value: Json = orjson.loads(line)
    except (orjson.JSONDecodeError, RecursionError) as error:
        raise VerificationError(f"not JSON: {error}") from error
    if not isinstance(value, dict) or not value.keys() <= {"private", "public"}:
        raise VerificationError("a line holds `public` and, at most, `private`")
    said, kept = value.get("public"), value.get("private", {})
    if not isinstance(said, dict) or not isinstance(kept, dict):
        raise VerificationError("a line's parts are objects")
    if "private" in value and not kept:
        raise VerificationError("an empty private part is left out")
    try:
        public = encode_typed(said)
        head = b'{"private":' + encode_typed(kept) + b',"public":' if kept else b'{"public":'
    except NotCanonicalError as error:
        raise VerificationError(str(error)) from error
    if head + public + b"}" != line:
        raise VerificationError("not the canonical form of what it says")
    return said, kept, public


def _validated(said: dict[str, Json]) -> tuple[Header, Fact]:
    rest = said.copy()
    head = {name: rest.pop(name) for name in _HEADER if name in said}
    try:
        header, fact = Header.model_validate(head), _FACT.validate_python(rest)
    except pydantic.ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the line"
        raise VerificationError(f"{where}: {first['msg']}") from error
    try:
        dt.datetime.fromisoformat(header.at)
    except ValueError as error:
        raise VerificationError(f"at: {header.at} is no date that exists") from error
    # Rebuilt and compared whole: a default or a second spelling of a field must not stand in.
    if header.plain() != head or fact.plain() != rest:
        raise VerificationError("fields are missing or misnamed; what is absent is null")
    return header, fact


def _opened(value: dict[str, Json], commit: Mapping[str, str], *, public: bool) -> dict[str, bytes]:
    if not public and value.keys() != commit.keys():
        raise VerificationError("private texts are missing; verify a public export with --public")
    return {name: _text(name, part, commit) for name, part in value.items()}


def _text(name: str, part: Json, commit: Mapping[str, str]) -> bytes:
    if not isinstance(part, dict) or part.keys() != {"data", "enc", "salt"}:
        raise VerificationError(f"private {name} is not data, enc and salt")
    data, enc, salt = part["data"], part["enc"], part["salt"]
    if not (isinstance(data, str) and isinstance(enc, str) and isinstance(salt, str)):
        raise VerificationError(f"private {name} is not three texts")
    if enc not in {"utf8", "base64"}:
        raise VerificationError(f"private {name} is neither utf8 nor base64")
    # Not bytes.fromhex alone: it skips spaces, so two salts would have one commitment.
    if not _SALT.fullmatch(salt):
        raise VerificationError(f"the salt of private {name} is not 32 hexadecimal digits")
    try:
        raw = to_bytes(enc, data)
    except NotCanonicalError as error:
        raise VerificationError(f"private {name}: {error}") from error
    if commit.get(name) != commitment(name, bytes.fromhex(salt), raw):
        raise VerificationError(f"private {name} is not what the public part commits to")
    return raw


def _check_names(fact: Fact, header: Header) -> None:
    expected: set[str] = set()
    if isinstance(fact, Intent):
        expected = {"request"}
    elif isinstance(fact, Receipt):
        expected = {"item", "headers", "response"}
        if fact.readings is not None:
            expected.add("reply_text")
    if header.commit.keys() != expected:
        raise VerificationError(f"a {fact.kind} line commits to {', '.join(sorted(expected))}")
