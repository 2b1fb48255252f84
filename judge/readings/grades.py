"""A reply that ends in a grade or holds a rating in; its label out, or None.

The upstreams' patterns are kept in meaning, not in form: as written they take time that grows with
the square of the reply, and the reply is foreign.
"""

import re
from collections.abc import Iterator

__all__ = [
    "grade_cpi_1",
    "inspect_upstream_1",
    "inspect_upstream_2",
    "inspect_upstream_3",
    "inspect_upstream_4",
    "inspect_upstream_5",
    "mt_bench_upstream_1",
    "rating_10_1",
]

_LAST_LINE = re.compile(r"(\*{0,3})GRADE: ?([CPI])\.?\1")
_GAP = r"[\s\u200b\u200c\u200d\u200e\u200f\u2060\u2063\ufeff]*"
"""White space, and signs that are not seen."""
# What follows GRADE is only looked at, so that one GRADE is not hidden behind another.
_ANYWHERE = re.compile(r"(?i)GRADE(?=\s*:\s*([CPI]))")
_APART = re.compile(rf"(?i)(?<!\w)GRADE(?!\w)(?={_GAP}:{_GAP}(\w*))")
_RATING = re.compile(r"\[\[([^\[\]]*)\]\]")
_DOUBLE = re.compile(r"\[\[(\d+(?:\.\d*)?)\]\]")
_SINGLE = re.compile(r"\[(\d+(?:\.\d*)?)\]")
_RATINGS = frozenset(str(number) for number in range(1, 11))


def grade_cpi_1(text: str) -> str | None:
    """Return the letter of a last line `GRADE: C`, `GRADE: P` or `GRADE: I`.

    One final full stop and up to three asterisks at both ends are allowed. Any other GRADE and
    colon in the text must be followed by the same letter.
    """
    found = _LAST_LINE.fullmatch(text.strip().rpartition("\n")[2].strip())
    if found is None:
        return None
    told = {mark[1] for mark in _APART.finditer(text)}
    return found[2] if told == {found[2]} else None


def inspect_upstream_1(text: str) -> str | None:
    """Return the letter of the first GRADE and colon that the last line follows; none is an I.

    inspect_ai's rule until 2026-05 (`scorer/_model.py`): a grade with a line behind it is not seen,
    a small letter counts 0, and `downgrade: c` is a grade.
    """
    end = text.removesuffix("\n").rfind("\n")
    letters = (mark[1] for mark in _ANYWHERE.finditer(text) if mark.start(1) > end)
    return _counted(next(letters, None))


def inspect_upstream_2(text: str) -> str | None:
    """Return the letter of the last GRADE and colon; none is an I.

    inspect_ai's rule from 2026-05 to 2026-06: small letters and parts of words as before.
    """
    return _counted(_last(mark[1] for mark in _ANYWHERE.finditer(text)))


def inspect_upstream_3(text: str) -> str | None:
    """Return the letter of the last GRADE that is a word, signs that are not seen left out.

    inspect_ai's rule from 2026-06 to 2026-07: small letters count, none is an I.
    """
    return inspect_upstream_4(text) or "I"


def inspect_upstream_4(text: str) -> str | None:
    """Return the same, but no label where there is no grade.

    inspect_ai's rule from 2026-07 to 2026-08: such rows leave the mean. A last grade that is no C,
    P or I is passed over for an earlier one.
    """
    letters = [mark[1][:1] for mark in _APART.finditer(text)]
    letter = _last(letter for letter in letters if letter.upper() in {"C", "P", "I", "İ"})
    return None if letter is None else _counted(letter.upper())


def inspect_upstream_5(text: str) -> str | None:
    """Return the first letter of the word behind the last GRADE, as a capital.

    inspect_ai's rule since 2026-08: a letter that was not offered is no grade, which the caller
    checks; "Cannot tell" is a C.
    """
    word = _last(mark[1] for mark in _APART.finditer(text)) or ""
    letter = word[:1].upper()
    return letter if letter in {"C", "P", "I"} else None


def _last(letters: Iterator[str]) -> str | None:
    letter = None
    for letter in letters:  # noqa: B007 - the last one is what is wanted
        pass
    return letter


def _counted(letter: str | None) -> str:
    """What a letter comes to where every other value counts 0, as an I does."""
    return letter if letter in {"C", "P", "I"} else "I"


def rating_10_1(text: str) -> str | None:
    """Return the number of the one `[[n]]` in the text, a whole one from 1 to 10."""
    found = _RATING.findall(text)
    return found[0] if len(found) == 1 and found[0] in _RATINGS else None


def mt_bench_upstream_1(text: str) -> str | None:
    """Return the number of the first `[[n]]`, else of the first `[n]`, where it is on the scale.

    MT-Bench's own rule (`llm_judge/common.py`): a reply without one is a -1 and leaves the mean,
    and so has no label here. A number beyond the scale, or between its steps, counts there as it
    stands and has no label here. A number that is no Python literal (08) ends its run.
    """
    found = _DOUBLE.search(text) or _SINGLE.search(text)
    return _step(found[1]) if found else None


def _step(number: str) -> str | None:
    whole, point, rest = number.partition(".")
    if not number.isascii() or rest.strip("0"):
        return None
    bare = whole.lstrip("0")
    if bare != whole and not point:
        return None
    return bare if bare in _RATINGS else None
