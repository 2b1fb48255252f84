"""The labels of one side in, which of them count as correct out.

`yes` and `no` are known, and true and false are read as them; any other label must be named, so
that a row that says `error` is never a rejected answer.
"""

from collections.abc import Iterable, Mapping

from judge.answers.places import quoted
from judge.errors import InputError
from judge.records import Listed, Record

__all__ = ["Scale", "settled"]

_FEW = 6


class Scale(Record):
    """Labels the caller names."""

    accept: Listed[str] = ()
    """Those that count as correct, beside `yes`."""
    reject: Listed[str] = ()
    """Those that do not, beside `no`; may be left out where a side has one other label."""


def settled(counts: Mapping[str, int], scale: Scale, where: str) -> dict[str, bool]:
    """Return for each label whether it counts as correct.

    Args:
        counts: how often the side has each label.
        scale: what the caller named.
        where: the side's name, for messages.

    Raises:
        InputError: a label that nobody has named, or one named both ways.
    """
    if both := set(scale.accept) & set(scale.reject):
        raise InputError(f"label {quoted(min(both))} cannot count as correct and not; name it once")
    accept = {*scale.accept, *({"yes"} - set(scale.reject))}
    reject = {*scale.reject, *({"no"} - set(scale.accept))}
    others = set(counts) - accept
    # With the one that counts named by the caller, a single other label can only be its opposite.
    if not scale.reject and len(others) == 1 and set(scale.accept) & set(counts):
        reject |= others
    if unknown := others - reject:
        raise InputError(
            f"{where}: nobody says what {_listed(counts, unknown)} mean; name the labels that"
            " count as correct with --accept LABEL and those that do not with --reject LABEL"
        )
    return {label: label in accept for label in counts}


def _listed(counts: Mapping[str, int], labels: Iterable[str]) -> str:
    names = sorted(labels)
    shown = ", ".join(f"{quoted(name)} ({counts[name]} rows)" for name in names[:_FEW])
    more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
    return f"labels {shown}{more}"
