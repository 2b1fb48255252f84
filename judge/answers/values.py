"""Cells in, checked values out: what an id, a text, a gold answer, a prior label may be."""

import math
import re

from judge.answers.places import Place, kind, quoted
from judge.errors import InputError

__all__ = ["Cell", "as_text"]

_LABEL_CAP = 200
_JUDGED_BY = "llm_judge_correct"
_VERDICTS = (_JUDGED_BY, "autoeval_label")
"""Columns known to hold a verdict that is true or false, also where CSV makes it text."""
_BOOLEANS = {"true": True, "false": False}
_COUNT = re.compile(r"0|[1-9][0-9]{0,8}")


def as_text(value: object) -> str | None:
    """Return a value as `--only` compares it; null for a list or an object."""
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else None


class Cell:
    """One cell, read as what its field may hold; each reading raises InputError with its place."""

    __slots__ = ("_column", "_csv", "_place", "_value")

    def __init__(self, place: Place, column: str, value: object, *, csv: bool) -> None:
        self._place = place
        self._column = column
        self._value = value
        self._csv = csv

    def id(self) -> str:
        """Return the id; a whole number is its digits."""
        return self._filled(self._number() or self.text("give an id as text or a whole number"))

    def type(self) -> str:
        """Return text that is not blank; a whole number is its digits."""
        return self._filled(self._number() or self.text("give text here"))

    def question(self) -> str:
        """Return text that is not blank."""
        return self._filled(self.text("give text here"))

    def gold(self) -> str:
        """Return the gold answer; a number is what Python's `str` makes of it, as upstream does."""
        value = self._value
        if isinstance(value, float):
            if not math.isfinite(value):
                raise self._refusal("is a number beyond what can be counted; write it as text")
            return str(value)
        return self._filled(self._number() or self.text("give a gold answer as text or a number"))

    def response(self, *, allow_empty: bool) -> str:
        """Return the saved answer, word for word."""
        text = self.text("give an answer as text")
        if not allow_empty and not text.strip():
            raise self._refusal("is an empty answer; pass --allow-empty to judge it as it is")
        return text

    def flag(self) -> bool | None:
        """Return true or false; null where the cell is null, or empty in CSV."""
        value = self._value
        if isinstance(value, bool) or value is None:
            return value
        if self._csv and isinstance(value, str):
            if not value:
                return None
            if value.lower() in _BOOLEANS:
                return _BOOLEANS[value.lower()]
        raise self._refusal(f"is {kind(self._value)}; give true or false")

    def prior(self, attempts: object) -> str | None:
        """Return the earlier label: yes or no for true or false, else its text, cut to 200.

        Args:
            attempts: the row's cell of that name, or null. An answer that was judged in 0 attempts
                was never judged, whatever stands in the label's column.
        """
        if self._column == _JUDGED_BY and self._never_judged(attempts):
            return None
        label = self._label()
        if label is None or (self._csv and label == ""):
            return None
        if isinstance(label, bool):
            return "yes" if label else "no"
        if not isinstance(label, str):
            raise self._refusal(f"is {kind(label)}; give a label as text, true, false or null")
        if not label.strip():
            raise self._refusal("is empty; give a label, or null where it was never judged")
        return self._sound(label)[:_LABEL_CAP]

    def _label(self) -> object:
        if self._csv and self._column in _VERDICTS:
            return self.flag()
        if not isinstance(self._value, dict):
            return self._value
        if "label" not in self._value:
            raise self._refusal("is an object without a label; give {…, label: …} or text")
        return self._value["label"]

    def _never_judged(self, attempts: object) -> bool:
        if isinstance(attempts, str) and self._csv and _COUNT.fullmatch(attempts):
            attempts = int(attempts)
        if attempts is None or (self._csv and attempts == ""):
            return False
        if not isinstance(attempts, int) or isinstance(attempts, bool) or attempts < 0:
            raise InputError(
                f"{self._place}: column 'attempts' is no count; "
                "give a whole number from 0, where 0 says never judged"
            )
        return attempts == 0

    def text(self, rule: str) -> str:
        """Return the text as it stands; `rule` says what belongs here."""
        if not isinstance(self._value, str):
            raise self._refusal(f"is {kind(self._value)}; {rule}")
        return self._sound(self._value)

    def _number(self) -> str | None:
        # A bool is an int to Python.
        whole = isinstance(self._value, int) and not isinstance(self._value, bool)
        return str(self._value) if whole else None

    def _sound(self, text: str) -> str:
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError as error:
                raise self._refusal(
                    f"holds half a character, a lone surrogate, at {error.start}; "
                    "repair it where the text was made"
                ) from error
        return text

    def _filled(self, text: str) -> str:
        if not text or text.isspace():
            raise self._refusal("is empty; fill it in or take the row away")
        return text

    def _refusal(self, what: str) -> InputError:
        return InputError(f"{self._place}: column {quoted(self._column)} {what}")
