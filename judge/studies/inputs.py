"""Billed input tokens against the tokens of the exact prompt: was anything added, cut or misrouted?

A provider wraps every message in the same few tokens. So over one condition the billed tokens minus
those of the prompt are one constant; a row with another remainder was not billed for the prompt
that its receipt holds.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from judge.errors import InputError
from judge.records import Count, Listed, Record

__all__ = ["Billed", "InputAudit", "Odd", "audit"]


class Billed(NamedTuple):
    """One request: the tokens of its prompt, and what was billed for it."""

    item: str
    route: str
    place: str
    """Condition and repetition, where there are several."""
    prompt_tokens: int
    billed: int | None
    """Null where the reply did not say."""


class Odd(Record):
    """One row with another remainder than the rest."""

    item: str
    route: str
    place: str
    prompt_tokens: Count
    billed: Count
    remainder: int


class InputAudit(Record):
    """One judge and tokenizer."""

    name: str
    tokenizer: str
    rows: Count
    unmetered: Count
    """Rows whose reply did not say what was billed: of them nothing is known."""
    remainder: int | None
    """What most rows have; null where no remainder is that of more than half of them."""
    constant: bool
    """Whether every metered row has it."""
    remainders: dict[str, Count]
    odd: Listed[Odd]
    """Rows with another one; all rows where there is no common one."""


def audit(name: str, tokenizer: str, rows: Iterable[Billed]) -> InputAudit:
    """Return whether one constant explains all that was billed beyond the prompts.

    Raises:
        InputError: no row says what was billed.
    """
    every = list(rows)
    metered = [row for row in every if row.billed is not None]
    if not metered:
        raise InputError(f"{name}: no reply says how many input tokens were billed")
    counts = Counter(_remainder(row) for row in metered)
    common, times = counts.most_common(1)[0]
    found = common if 2 * times > len(metered) else None
    return InputAudit(
        name=name,
        tokenizer=tokenizer,
        rows=len(every),
        unmetered=len(every) - len(metered),
        remainder=found,
        constant=len(counts) == 1,
        remainders={str(value): count for value, count in sorted(counts.items())},
        odd=tuple(_odd(metered, found)),
    )


def _remainder(row: Billed) -> int:
    return (row.billed or 0) - row.prompt_tokens


def _odd(rows: Sequence[Billed], common: int | None) -> list[Odd]:
    return [
        Odd(
            item=row.item,
            route=row.route,
            place=row.place,
            prompt_tokens=row.prompt_tokens,
            billed=row.billed or 0,
            remainder=_remainder(row),
        )
        for row in rows
        if _remainder(row) != common
    ]
