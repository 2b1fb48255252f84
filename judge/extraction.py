"""A saved answer in, the part of it that the judge reads out."""

from judge.records import Extract
from judge.stats.token_f1 import answer_line

__all__ = ["extract"]


def extract(rule: Extract, saved: str) -> str | None:
    """Return what this rule takes from a saved answer; None where there is nothing to take.

    `last-answer-line` is what follows `Answer:` or `Final answer:` in the last line that begins so.
    """
    if rule == "last-answer-line":
        return answer_line(saved)
    raise ValueError(f"no rule is named {rule}")
