"""A reply's text in, a label out, or None where the text holds none: every reading by its name.

Two readings go with a rubric. The strict one takes a reply only where it is a verdict beyond
doubt: nothing is searched for, cut out or repaired. The upstream one does what the benchmark's own
script does, faults included, as far as a label can say it: where the script would stop, or count
a row without a label, it gives none. A change of rule is a new version, and so a change of rubric.

In reading order:

    words      the reply is a word, a letter or a line
    grades     the reply ends in a grade or holds a rating
    documents  the reply is JSON
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from judge.errors import InputError
from judge.readings import documents, grades, words

__all__ = ["READINGS", "Rule", "rule_named"]


class Rule(NamedTuple):
    """One way of reading."""

    read: Callable[[str], str | None]
    labels: frozenset[str]
    """All the labels it can give."""


def _rule(read: Callable[[str], str | None], *labels: str) -> Rule:
    return Rule(read, frozenset(labels))


_SIMPLEQA = ("CORRECT", "INCORRECT", "NOT_ATTEMPTED")
_RATINGS = tuple(str(number) for number in range(1, 11))

READINGS: Mapping[str, Rule] = {
    "yes-no/1": _rule(words.yes_no_1, "yes", "no"),
    "yes-substring/1": _rule(words.yes_substring_1, "yes", "no"),
    "letter-abc/1": _rule(words.letter_abc_1, *_SIMPLEQA),
    "simpleqa-upstream/1": _rule(words.simpleqa_upstream_1, *_SIMPLEQA),
    "correct-line/1": _rule(words.correct_line_1, "yes", "no"),
    "browsecomp-upstream/1": _rule(words.browsecomp_upstream_1, "no"),
    "halueval-strict/1": _rule(words.halueval_strict_1, "Yes", "No"),
    "halueval-upstream/1": _rule(words.halueval_upstream_1, "Yes", "No"),
    "grade-cpi/1": _rule(grades.grade_cpi_1, "C", "P", "I"),
    "inspect-upstream/1": _rule(grades.inspect_upstream_1, "C", "P", "I"),
    "inspect-upstream/2": _rule(grades.inspect_upstream_2, "C", "P", "I"),
    "inspect-upstream/3": _rule(grades.inspect_upstream_3, "C", "P", "I"),
    "inspect-upstream/4": _rule(grades.inspect_upstream_4, "C", "P", "I"),
    "inspect-upstream/5": _rule(grades.inspect_upstream_5, "C", "P", "I"),
    "rating-10/1": _rule(grades.rating_10_1, *_RATINGS),
    "mt-bench-upstream/1": _rule(grades.mt_bench_upstream_1, *_RATINGS),
    "json-label/1": _rule(documents.json_label_1, "CORRECT", "WRONG"),
    "mem0-upstream/1": _rule(documents.mem0_upstream_1, "CORRECT", "WRONG"),
    "json-criteria/1": _rule(documents.json_criteria_1, "true", "false"),
    "healthbench-upstream/1": _rule(documents.healthbench_upstream_1, "true", "false"),
}
"""By `name/version`; receipts/FORMAT.md says each in words."""


def rule_named(name: str) -> Rule:
    """Return the reading of this `name/version`.

    Raises:
        InputError: this version does not know it.
    """
    if name not in READINGS:
        raise InputError(
            f"reading {name[:100]!r} is not known; this version knows {', '.join(READINGS)}"
        )
    return READINGS[name]
