"""The records of a diagnosis."""

from typing import Literal

from judge.records import Record

__all__ = ["Aspect", "Compared", "Diagnosis", "Finding", "Kind", "Match"]

Kind = Literal[
    "words",
    "spaces",
    "fields",
    "labels",
    "closing line",
    "json",
    "merged",
    "text",
    "route",
    "setting",
    "judge",
    "parser",
    "usage",
]
Aspect = Literal[
    "texts", "order", "values", "prompt", "messages", "routes", "settings", "judge", "parser"
]
"""What must be seen to agree before a file may be called the official judge."""


class Match(Record):
    """One pinned text of a rubric, and what stands for it in the file."""

    name: str
    """The template, text or `NAME (system)`."""
    state: Literal["exact", "same words", "changed", "not found"]
    """`same words`: equal but for how the fields are written."""
    cell: int | None = None
    """Of a notebook: which of its code cells, the first is 1."""
    line: int | None
    """Where it begins, a line of the file or of the cell; null where it is not found."""
    likeness: int
    """Shared runs of four words, in percent of both texts; 100 when exact."""


class Finding(Record):
    """One difference from a rubric as it is pinned."""

    kind: Kind
    where: str
    """The template or setting it is about."""
    cell: int | None = None
    line: int | None
    said: str
    """One sentence."""


class Compared(Record):
    """A file held against one rubric."""

    rubric: str
    pin: str
    by: Literal["text", "hash"]
    """`hash`: the rubric's texts are not on this machine, so a changed copy goes unseen."""
    official: bool | None
    """True: texts, order of values, prompt, messages, routes, settings, judge and parser were all
    seen and are the rubric's own. False: something was seen to differ, or the rubric is no upstream
    one. Null: not established, since `unfollowed` could not be seen in the file. A judge that is
    chosen when the program is run counts as seen where a published one is on offer."""
    agreed: tuple[Aspect, ...]
    """What was seen, and is the rubric's own."""
    unfollowed: tuple[Aspect, ...]
    """What could not be seen."""
    matches: tuple[Match, ...]
    findings: tuple[Finding, ...]

    @property
    def exact(self) -> int:
        """How many pinned texts are there unchanged."""
        return sum(match.state in {"exact", "same words"} for match in self.matches)


class Diagnosis(Record):
    """What a file holds of the rubric library."""

    file: str
    sha256: str
    source_of: tuple[str, ...]
    """The rubrics whose pinned source file this is, byte for byte."""
    compared: tuple[Compared, ...]
    """The likest rubric first; nothing where no rubric is like it."""
    unseen: tuple[str, ...]
    """Rubrics whose texts are not on this machine and of which no hash was found."""
