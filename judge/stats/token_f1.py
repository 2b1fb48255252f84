"""Responses with their gold answers in; token F1 of the response and of its answer line out."""

import re
import string
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from judge.errors import InputError
from judge.records import Record
from judge.stats.clusters import ClusterBootstrap, cluster_bootstrap, clustered
from judge.stats.exact import Count, Result

__all__ = ["Answered", "TokenF1", "answer_line", "f1", "token_f1"]

_ANSWER_LINE = re.compile(r"[\s>#*_\-]*(?:final\s+)?answer[\s*_]*:", re.IGNORECASE)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


class Answered(Record):
    """One response beside its gold answer."""

    id: str
    cluster: str
    """What the item belongs to, such as a conversation; its own id when to nothing."""
    response: str
    gold: str


class TokenF1(Result):
    """Mean token F1 with intervals over whole clusters, by the two texts that can be scored."""

    items: Count
    without_line: Count
    """Responses without an answer line: their whole text stands in for it."""
    full: ClusterBootstrap
    extracted: ClusterBootstrap
    difference: ClusterBootstrap
    """Extracted minus full: what the form of the answer alone is worth."""


def answer_line(response: str) -> str | None:
    """Return what follows the last line's `Answer:` or `Final answer:`; None without such a line.

    Case, list signs and emphasis around it are ignored.
    """
    for line in reversed(response.splitlines()):
        if match := _ANSWER_LINE.match(line):
            return line[match.end() :].strip(" \t*_")
    return None


def f1(response: str, gold: str) -> Fraction:
    """Return the token F1: twice the shared tokens over the tokens of both, as multisets.

    Tokens are what whitespace separates in lower case after ASCII punctuation and `a`, `an`, `the`
    are taken out. Two empty texts give 1, one gives 0.
    Source: Rajpurkar et al. 2016, arXiv 1606.05250, evaluation script 1.1; 2.0 for empty texts.
    """
    ours, theirs = _tokens(response), _tokens(gold)
    if not ours or not theirs:
        return Fraction(int(ours == theirs))
    shared = (Counter(ours) & Counter(theirs)).total()
    return Fraction(2 * shared, len(ours) + len(theirs))


def _tokens(text: str) -> list[str]:
    return _ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split()


def token_f1(
    rows: Sequence[Answered],
    confidence: Fraction | str = "0.95",
    *,
    seed: int = 0,
    resamples: int = 10_000,
) -> TokenF1:
    """Return the mean token F1 of whole responses and of answer lines, side by side.

    Raises:
        InputError: no rows, an id that comes twice, fewer than two clusters, no such confidence, or
            numpy is missing.
    """
    if not rows:
        raise InputError("no responses: nothing was answered")
    lines = [answer_line(row.response) for row in rows]
    full = [f1(row.response, row.gold) for row in rows]
    extracted = [
        whole if line is None else f1(line, row.gold)
        for row, line, whole in zip(rows, lines, full, strict=True)
    ]

    def interval(values: Sequence[Fraction]) -> ClusterBootstrap:
        clusters = clustered([row.id for row in rows], [row.cluster for row in rows], values)
        return cluster_bootstrap(clusters, confidence, seed=seed, resamples=resamples)

    return TokenF1(
        definition="token F1 as in SQuAD 1.1, of the response and of its last answer line",
        items=len(rows),
        without_line=lines.count(None),
        full=interval(full),
        extracted=interval(extracted),
        difference=interval([one - other for one, other in zip(extracted, full, strict=True)]),
    )
