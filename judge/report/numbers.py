"""Records with exact numbers in, plain JSON values out."""

from collections.abc import Mapping
from fractions import Fraction

from judge.records import Record

__all__ = ["plain_numbers"]

_LONGEST = 3_000
"""Bits of an exact number that is still written out: a thousand digits serve no reader."""


def plain_numbers(value: object) -> object:
    """Return the value as JSON: every exact number as `{exact, value}`, its text and its float.

    `exact` is null where the text would be longer than a thousand digits.
    """
    if isinstance(value, Record):
        return {name: plain_numbers(getattr(value, name)) for name in type(value).model_fields}
    if isinstance(value, Fraction):
        bits = max(value.numerator.bit_length(), value.denominator.bit_length())
        return {"exact": str(value) if bits <= _LONGEST else None, "value": float(value)}
    if isinstance(value, Mapping):
        return {str(key): plain_numbers(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [plain_numbers(part) for part in value]
    return value
