"""What happens in, a progress bar out: on a terminal a bar, elsewhere plain lines, both on stderr.

It shows pace, undecided cells and tokens; never a rate of accepted answers, which a run has only
when every cell is decided.
"""

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from typing_extensions import override

from judge.asking import Asked
from judge.folder import Frozen
from judge.records import Cause, Cell
from judge.report.streams import progress_stream
from judge.report.terminal import safe
from judge.stretch import Watch

__all__ = ["Bar"]

_EVERY_S = 0.1
_SAY_EVERY_S = 5.0


class Bar(Watch):
    """Shows a run as it goes."""

    def __init__(self) -> None:
        self._console = Console(file=progress_stream(), highlight=False, markup=False, emoji=False)
        self._live = self._console.is_terminal and not self._console.is_dumb_terminal
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[facts]}"),
            console=self._console,
            disable=not self._live,
        )
        self._totals: dict[str, int] = {}
        self._done: dict[str, int] = {"control": 0, "answer": 0}
        self._undecided = 0
        self._tokens = 0
        self._began = time.monotonic()
        self._shown = 0.0
        self._tasks: dict[str, int] = {}

    def __enter__(self) -> Self:
        """Start drawing."""
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Draw the last state and stop."""
        for phase, done in self._done.items():
            if done:
                self._draw(phase)
        self._bar.stop()

    @override
    def frozen(self, frozen: Frozen) -> None:
        """Say what will be asked."""
        plan, layout = frozen.plan, frozen.layout
        controls = layout.batches * plan.repetitions * len(plan.conditions) * len(layout.arms)
        self._totals = {"control": controls, "answer": layout.cells}
        self.note(
            f"{frozen.folder}: {len(plan.conditions)} conditions, "
            f"{controls} control and {layout.cells} answer cells"
        )

    @override
    def note(self, sentence: str) -> None:
        """Print a sentence above the bar."""
        self._console.print(safe(sentence), soft_wrap=True)

    @override
    def closed(self, cell: Cell, asked: Asked) -> None:
        """Count an attempt, and draw now and then."""
        self._undecided += asked.final and asked.reading.outcome == "undecided"
        usage = asked.reading.usage
        self._tokens += (usage.input or 0) + (usage.output or 0) if usage else 0
        if not asked.final:
            return
        self._done[cell.phase] += 1
        if self._live:
            self._redraw(cell.phase)
        else:
            self._say(cell.phase)

    @override
    def stopping(self, cause: Cause) -> None:
        """Say what a signal has done, on plain lines from here on."""
        if self._live:
            # A second signal ends the process without us: the cursor must be back by then.
            self._bar.stop()
            self._live = False
        self.note(
            f"stopping ({cause}): what is in flight is finished; a second signal ends this at once"
        )

    def _say(self, phase: str) -> None:
        """A plain line every few seconds, and one at the end of each phase."""
        now = time.monotonic()
        done, total = self._done[phase], self._totals[phase]
        if done == total or now - self._shown >= _SAY_EVERY_S:
            self._shown = now
            self.note(f"{phase}s {done}/{total}  {self._facts()}")

    def _redraw(self, phase: str) -> None:
        now = time.monotonic()
        if now - self._shown >= _EVERY_S:
            self._shown = now
            self._draw(phase)

    def _draw(self, phase: str) -> None:
        if phase not in self._tasks:
            self._tasks[phase] = self._bar.add_task(
                f"{phase}s", total=self._totals.get(phase), facts=""
            )
        task = self._bar.tasks[self._tasks[phase]].id
        self._bar.update(task, completed=self._done[phase], facts=self._facts())

    def _facts(self) -> str:
        seconds = max(time.monotonic() - self._began, 1e-9)
        pace = sum(self._done.values()) / seconds
        return f"{pace:.0f}/s  {self._undecided} undecided  {self._tokens} tokens"
