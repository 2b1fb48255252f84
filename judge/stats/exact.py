"""Counts, levels and texts in; checked exact numbers, and the text they are printed as, out."""

import re
from collections.abc import Mapping
from fractions import Fraction
from math import isfinite
from statistics import NormalDist
from typing import Annotated

from pydantic import Field

from judge.errors import InputError
from judge.records import Record

__all__ = [
    "Count",
    "Exact",
    "Probability",
    "Result",
    "checked_counts",
    "checked_level",
    "checked_share",
    "fraction",
    "normal_quantile",
    "percent",
    "printed",
]

Count = Annotated[int, Field(ge=0)]
Exact = Fraction
"""A rational number, kept exact until it is printed."""
Probability = Annotated[float, Field(ge=0, le=1)]


class Result(Record):
    """What every statistic carries: the name of its definition, and its inputs in its fields."""

    definition: str
    """Which of the statistics of this name it is, enough to compute it again."""


_NUMBER = re.compile(r"[+-]?[0-9]{0,40}(?:\.[0-9]{0,40})?(?:[eE][+-]?[0-9]{1,3})?(?:/[0-9]{1,40})?")
"""As people write one: a longer number, or a larger power of ten, would be worked at for ever."""


def fraction(value: Fraction | int | str, *, what: str) -> Fraction:
    """Return the number a text such as `0.95` or `11/12` names, exactly.

    Raises:
        InputError: the text names no number; or a float was given, which is not what was written.
    """
    if isinstance(value, bool) or not isinstance(value, Fraction | int | str):
        raise InputError(
            f"{what} is {value!r}: give text or a fraction, since a float is not what was written"
        )
    if isinstance(value, str) and not _NUMBER.fullmatch(value.strip()):
        raise InputError(f"{what} is {value[:40]!r}: give a number such as 0.95 or 11/12")
    try:
        return Fraction(value)
    except (ValueError, ZeroDivisionError) as error:
        raise InputError(
            f"{what} is {str(value)[:40]!r}: give a number such as 0.95 or 11/12"
        ) from error


def checked_level(value: Fraction | str, *, what: str = "confidence") -> Fraction:
    """Return the level, a fraction strictly between 0 and 1.

    Raises:
        InputError: it is not.
    """
    level = fraction(value, what=what)
    if not 0 < level < 1:
        raise InputError(f"{what} is {level}: it must lie between 0 and 1")
    return level


def checked_share(value: Fraction | str, *, what: str) -> Fraction:
    """Return the share, a fraction from 0 to 1 with both ends.

    Raises:
        InputError: it is not.
    """
    share = fraction(value, what=what)
    if not 0 <= share <= 1:
        raise InputError(f"{what} is {share}: it must be from 0 to 1")
    return share


def normal_quantile(probability: Fraction) -> float:
    """Return the z with Phi(z) = probability."""
    return NormalDist().inv_cdf(float(probability))


def checked_counts(counts: Mapping[str, int]) -> None:
    """Return when every named count is a whole number of 0 or more.

    Raises:
        InputError: one is not.
    """
    for name, count in counts.items():
        if type(count) is not int or count < 0:
            raise InputError(f"{name} is {count!r}: it must be a whole number of 0 or more")


def printed(value: Fraction | float, places: int, *, signed: bool = False) -> str:
    """Return the value with so many decimals, rounded half up (away from zero) from exactly it.

    Formatting a float rounds ties to even, so that 0.25 prints as 0.2. A signed value above 0 has
    its plus.

    Raises:
        InputError: the value is not finite.
    """
    exact = _finite(value)
    scaled = int(abs(exact) * 10**places + Fraction(1, 2))
    sign = "" if not scaled else "-" if exact < 0 else "+" if signed else ""
    digits = str(scaled).rjust(places + 1, "0")
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else f"{sign}{digits}"


def percent(value: Fraction | float, places: int = 1) -> str:
    """Return the value times 100, rounded half up, with a percent sign.

    Raises:
        InputError: the value is not finite.
    """
    return printed(_finite(value) * 100, places) + "%"


def _finite(value: Fraction | float) -> Fraction:
    if isinstance(value, float) and not isfinite(value):
        raise InputError(f"{value} cannot be printed: an undefined result has no number")
    return Fraction(value)
