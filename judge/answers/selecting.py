"""Words of `--only` in, conditions out: which rows of the saved answers are judged."""

from typing import Literal

from judge.answers.places import listed, quoted
from judge.answers.values import as_text
from judge.errors import InputError
from judge.records import Reference

__all__ = ["Condition", "Conditions"]

Mark = Literal[0, 1, 2]
ABSENT: Literal[0] = 0
OTHER: Literal[1] = 1
MATCH: Literal[2] = 2

_JOINED = ("id", "type", "abstention")
"""Fields of the joined row; any other name is a column as its file has it."""
_ROUTE = "route"


class Condition:
    """One `FIELD=V[,V]`: the field's text is one of the values."""

    def __init__(self, words: str) -> None:
        """Take the condition apart; raises InputError."""
        self.field, equals, values = words.partition("=")
        self.words = words
        if not self.field or not equals:
            raise InputError(f"--only {quoted(words)} must be FIELD=VALUE[,VALUE]")
        self.values = frozenset(values.split(","))
        self.unmet = set(self.values)
        """Values no row has had so far."""

    def mark(self, cells: dict[str, object]) -> Mark:
        """Return whether a row has the column, and a value that matches."""
        if self.field not in cells:
            return ABSENT
        return MATCH if self.holds(as_text(cells[self.field])) else OTHER

    def holds(self, text: str | None) -> bool:
        """Return whether the text is one of the values."""
        if text not in self.values:
            return False
        self.unmet.discard(text)
        return True

    def check_met(self) -> None:
        """Return when every value was met in some row.

        Raises:
            InputError: one was not: a slip of the pen would shrink the run without a word.
        """
        if self.unmet:
            raise InputError(
                f"nothing selected by --only {quoted(self.words)}: no row has "
                f"{quoted(self.field)} {listed(sorted(self.unmet))}; mend the value or drop it"
            )


class Conditions:
    """All conditions of a selection; a row must meet every one."""

    def __init__(self, only: tuple[str, ...], *, routed: bool) -> None:
        """Sort the conditions by what they look at.

        Args:
            only: each `FIELD=V[,V]`.
            routed: whether the caller resolves `route=`, which follows from a rubric.

        Raises:
            InputError: malformed, or `route=` with nobody to resolve it.
        """
        found = [Condition(words) for words in only]
        if not routed and any(condition.field == _ROUTE for condition in found):
            raise InputError("--only route=… needs a rubric, which decides the routes; name one")
        found = [condition for condition in found if condition.field != _ROUTE]
        self.joined = tuple(one for one in found if one.field in _JOINED)
        self.columns = tuple(one for one in found if one.field not in _JOINED)

    def hold(self, reference: Reference) -> bool:
        """Return whether id, type and abstention of a question meet their conditions."""
        # Not lazily: every condition sees every row, to tell which values were never met.
        held = [one.holds(as_text(getattr(reference, one.field))) for one in self.joined]
        return all(held)

    def check_columns(self, seen: dict[str, None]) -> None:
        """Return when every column named was met in some file.

        Raises:
            InputError: one was not.
        """
        for one in self.columns:
            if one.field not in seen:
                raise InputError(
                    f"--only {quoted(one.words)}: no row has a field {quoted(one.field)}; there "
                    f"are id, type, abstention, route and {listed(seen, 20)}"
                )

    def check_met(self) -> None:
        """Return when every value of every condition was met; raises InputError."""
        for one in (*self.joined, *self.columns):
            one.check_met()
