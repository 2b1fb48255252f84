"""One value, one byte string, one digest.

The byte form is RFC 8785 restricted to text, integers below 2**53, booleans, null, lists and
objects with ASCII keys. Within that restriction sorted compact JSON and RFC 8785 are the same
bytes; floats, where the two differ, are refused.
"""

import base64
import binascii
import hashlib

import orjson
from typing_extensions import TypeAliasType

from judge.errors import InputError

__all__ = [
    "Json",
    "NotCanonicalError",
    "commitment",
    "digest",
    "encode",
    "encode_typed",
    "link",
    "parse",
    "to_bytes",
    "to_text",
]

Json = TypeAliasType("Json", "str | int | bool | list[Json] | dict[str, Json] | None")
"""What `encode` takes and `parse` gives."""

_SAFE = 2**53 - 1


class NotCanonicalError(InputError):
    """The value or the bytes have no canonical form."""


def encode(value: Json) -> bytes:
    """Return the value's only byte form.

    Raises:
        NotCanonicalError: a float, an integer of 2**53 or more, a key that is not ASCII, a lone
            surrogate, or any other type.
    """
    try:
        _check(value)
    except RecursionError as error:
        raise NotCanonicalError(f"no canonical form: {error}") from error
    return encode_typed(value)


def encode_typed(value: Json) -> bytes:
    """Return the same bytes for a value whose types are closed already, as a record's are.

    Four times as fast as `encode`: nothing is checked but that every text has bytes.

    Raises:
        NotCanonicalError: a lone surrogate, or nesting beyond the encoder.
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except (orjson.JSONEncodeError, RecursionError) as error:
        raise NotCanonicalError(f"no canonical form: {error}") from error


def _check(value: object) -> None:
    # The order is the order of frequency: most values are text.
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return
    if kind is dict:
        _check_object(value)  # type: ignore[arg-type]
    elif kind is list:
        for part in value:  # type: ignore[attr-defined]
            _check(part)
    elif kind is int:
        if abs(value) > _SAFE:  # type: ignore[arg-type]
            raise NotCanonicalError(f"integer {value} is not below 2**53")
    else:
        raise NotCanonicalError(f"no canonical form for {kind.__name__}")


def _check_object(value: dict[object, object]) -> None:
    for key, part in value.items():
        if type(key) is not str or not key.isascii():
            raise NotCanonicalError(f"key {key!r} is not ASCII text")
        _check(part)


def parse(data: bytes) -> Json:
    """Return the value whose canonical form is exactly these bytes.

    Raises:
        NotCanonicalError: the bytes are not JSON, or are not the canonical form of their value
            (so duplicate keys, spaces, floats and unsorted keys are refused).
    """
    try:
        value: Json = orjson.loads(data)
    except (orjson.JSONDecodeError, RecursionError) as error:
        raise NotCanonicalError(f"not JSON: {error}") from error
    if encode(value) != data:
        raise NotCanonicalError("not the canonical form of its value")
    return value


def digest(data: bytes) -> str:
    """Return the SHA-256 of the bytes, 64 lower-case hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def link(public: bytes) -> str:
    """Return what the next line names as `prev`: the digest of a line's public part."""
    return hashlib.sha256(b"judge-receipt/v1\n" + public).hexdigest()


def commitment(name: str, salt: bytes, data: bytes) -> str:
    """Return what a public part says of one private text: its salted, named digest."""
    head = b"judge-commit/v1\n" + name.encode() + b"\n"
    return hashlib.sha256(head + salt + data).hexdigest()


def to_text(data: bytes) -> tuple[str, str]:
    """Return (`utf8`, the text) where the bytes are strict UTF-8, else (`base64`, their code)."""
    try:
        return "utf8", data.decode("utf-8")
    except UnicodeDecodeError:
        return "base64", base64.b64encode(data).decode("ascii")


def to_bytes(enc: str, text: str) -> bytes:
    """Return the bytes that `to_text` turned into this text.

    Raises:
        NotCanonicalError: `to_text` never gives this pair.
    """
    try:
        if enc == "utf8":
            return text.encode("utf-8")  # strict both ways, so these bytes give this text again
        data = base64.b64decode(text, validate=True)
    except (UnicodeEncodeError, binascii.Error, ValueError) as error:
        raise NotCanonicalError(f"private text is not {enc}: {error}") from error
    # One form per value: bytes that are UTF-8 may not hide in base64, and no loose base64 bits.
    if to_text(data) != (enc, text):
        raise NotCanonicalError(f"private text is not the {enc} form of its bytes")
    return data
