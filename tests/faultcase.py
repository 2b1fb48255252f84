"""What a fault case is: what a server does, what must be recorded, and how the run ends.

In: builders of what a server does. Out: cases, each expectation in the words that the test and
docs/faults.md share: `undecided: cut`, `unknown: deadline`, `retry: 429`, `not_sent: dns`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from smallrun import Act, Line, Provider, Turn

from judge.records import Cause, ErrorClass, Reason, State

__all__ = ["Case", "Fault", "Place", "Where", "told"]

Where = Literal["answer", "controls", "all"]
Place = Literal["server", "no-name", "nobody", "untrusted", "plain", "stalling", "proxies"]
"""Where the judge's address leads; any but `server` is a fault by itself."""


@dataclass(frozen=True)
class Fault:
    """One way to go wrong, for both providers unless `provider` names one."""

    number: int
    """Its number in the list of faults."""
    name: str
    act: Act
    where: Where = "answer"
    """Who meets it: one saved answer, every control, or everything."""
    provider: Provider | None = None
    place: Place = "server"
    limits: Mapping[str, int] = field(default_factory=dict)
    plan: Mapping[str, object] = field(default_factory=dict)

    def no_verdict(self, reason: Reason, times: int = 1) -> "Case":
        """Whole answers without a verdict: the cell is undecided, the run incomplete."""
        return Case(self, times * (f"undecided: {reason}",), "incomplete", 4)

    def lost(self, error: ErrorClass) -> "Case":
        """The answer may exist unseen: the cell is unknown, the run stays open."""
        return Case(self, (f"unknown: {error}",), "open", 4)

    def decided(self, *before: str, last: str = "decided") -> "Case":
        """After what stands in `before` the question is decided and the run complete."""
        return Case(self, (*before, last), "complete", 0)

    def stops(self, cause: Cause, *receipts: str) -> "Case":
        """The run stops, open, and can be resumed."""
        return Case(self, receipts, "open", 5, cause)

    def fails_the_gate(self, *receipts: str) -> "Case":
        """Controls go wrong: nothing is scored."""
        return Case(self, receipts, "gate-failed", 3)

    def met(self, turn: Turn, target: str) -> bool:
        """Whether this question meets the fault."""
        return self.where == "all" or turn.item == (target if self.where == "answer" else None)


@dataclass(frozen=True)
class Case:
    """A fault and what must come of it."""

    fault: Fault
    receipts: tuple[str, ...]
    """For the one question that met it, or for every control or question where all did."""
    state: State
    exit: int
    stop: Cause | None = None

    @property
    def id(self) -> str:
        """The fault's number and name, as pytest shows them."""
        name = "".join(c if c.isalnum() else " " for c in self.fault.name.lower())
        return "-".join([f"{self.fault.number:02d}", *name.split()])


def told(receipt: Line, *, again: bool) -> str:
    """Return a receipt in the words of a case; `again`: its intent says `after_unknown`."""
    public = receipt.public
    detail = {
        "decided": "",
        "undecided": f": {public['reason']}",
        "retry": f": {public['status']}",
        "unknown": f": {public['error']}",
        "not_sent": f": {public['error']}",
    }[public["outcome"]]
    return str(public["outcome"]) + detail + (", after_unknown" if again else "")
