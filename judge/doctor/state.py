"""What the names of a program stand for while it is played through; no rule about judges here."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from judge.doctor.values import Code, Entries, Items, Label, Scalar, Value, joined

__all__ = ["LostError", "RaisedError", "Sent", "State"]

Frame = dict[str, Value]
_STEPS = 100_000
_DEEPEST = 120
_NAMES = 20
"""Names that are copied in the time of a step."""


class LostError(Exception):
    """The program cannot be followed any further."""


class RaisedError(Exception):
    """The program would stop here by an error."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One request, as far as it was followed."""

    content: Value | None
    """What the user's message holds; None where no message is seen."""
    roles: tuple[str | None, ...] | None
    fields: dict[str, Value]
    whole: bool
    """Whether nothing else may be sent with it."""
    line: int


class State:
    """Frames of names, the innermost last, and what was noted on the way."""

    def __init__(self) -> None:
        """Begin with the module's own names."""
        self.frames: list[Frame] = [{}]
        self.methods: dict[str, list[Code]] = {}
        self.sent: list[Sent] = []
        self.unclear: set[str] = set()
        """Aspects about which something was seen that is not followed."""
        self.kept: dict[Scalar, Value] = {}
        """Replies and labels that were put away in something unknown, by key."""
        self.doubted = False
        """Whether the program may stop by an error, on a condition that is not followed."""
        self.read = False
        """Whether a reply was searched for the accepted label."""
        self.seen: set[int] = set()
        """The calls that were played, by `id`."""
        self._regions = [0]
        self._last = 0
        self._steps = 0
        self._depth = 0
        self._ways = 0

    def stopped(self) -> None:
        """Note that the program stops here by an error."""
        self.doubted = self.doubted or self._ways > 0

    @property
    def region(self) -> int:
        """The innermost stretch of the program that may or may not run."""
        return self._regions[-1]

    @contextmanager
    def step(self, cost: int = 1) -> Iterator[None]:
        """Count one step; raise LostError where there are too many, or too deep."""
        self._steps += cost
        self._depth += 1
        if self._steps > _STEPS or self._depth > _DEEPEST:
            raise LostError
        try:
            yield
        finally:
            self._depth -= 1

    @contextmanager
    def maybe(self) -> Iterator[None]:
        """A stretch that may or may not run."""
        self._last += 1
        self._regions.append(self._last)
        try:
            yield
        finally:
            self._regions.pop()

    @contextmanager
    def frame(self, names: Frame) -> Iterator[None]:
        """A function's own names."""
        depth = len(self.frames)
        self.frames.append(names)
        try:
            yield
        finally:
            del self.frames[depth:]

    def get(self, name: str) -> Value | None:
        """What a name stands for; None where it was never given anything."""
        return self.frames[-1].get(name, self.frames[0].get(name))

    def put(self, name: str, value: Value) -> None:
        """Give a name a value."""
        if isinstance(self.frames[-1].get(name), Label) and not isinstance(value, Label):
            self.unclear.add("parser")
        self.frames[-1][name] = value

    def changing(self, container: Items | Entries) -> bool:
        """Whether a change of a container can be followed; it counts as open where not."""
        if container.region != self.region:
            container.opens()
        return not container.open

    # --- ways that part and meet ----------------------------------------------------------------

    def copy(self) -> list[Frame]:
        """The frames, to begin another way with."""
        # A function gives values to its own names only, so the others need no copy.
        *outer, own = self.frames
        self._steps += len(own) // _NAMES
        return [*outer, dict(own)]

    def either(self, *ways: Callable[[], bool]) -> bool:
        """Go every way from here; return whether any comes to its end, where all of them meet."""
        before = self.frames
        ends = []
        for way in ways:
            self.frames = before
            self.frames = self.copy()
            self._ways += 1
            with self.maybe():
                if way():
                    ends.append(self.frames)
            self._ways -= 1
        self.frames = before
        return self.meet(ends)

    def meet(self, ends: list[list[Frame]]) -> bool:
        """Go on from where several ways end; False where there is none."""
        if not ends:
            return False
        first, *others = ends
        for other in others:
            self._steps += len(first[-1]) // _NAMES
            first = [*first[:-1], self._met(first[-1], other[-1])]
        self.frames = first
        return True

    def _met(self, one: Frame, other: Frame) -> Frame:
        # A name that only one way gave something would be an error after the other.
        met = {**other, **one}
        for name in one.keys() & other.keys():
            met[name] = self.meeting(one[name], other[name])
        return met

    def meeting(self, one: Value, other: Value) -> Value:
        """What two values are after ways that met."""
        met = joined(one, other)
        if met is not one and (isinstance(one, Label) or isinstance(other, Label)):
            self.unclear.add("parser")
        return met
