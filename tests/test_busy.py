"""A server that can do less than it is asked: slowed down, never a stopped run."""

import threading
import time
from collections.abc import Sequence
from pathlib import Path

from faultserver import Action, Send, http
from smallrun import SmallJudge, Turn, configured, ran


class Paced:
    """Answers `rate` questions a second and refuses the others with a Retry-After."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._tokens = 1.0
        self._then = time.monotonic()
        self._lock = threading.Lock()
        self.refused = 0

    def __call__(self, turn: Turn) -> Sequence[Action] | None:
        """A refusal, or None: the sound answer."""
        with self._lock:
            now = time.monotonic()
            self._tokens = min(1.0, self._tokens + (now - self._then) * self._rate)
            self._then = now
            if self._tokens >= 1.0:
                self._tokens -= 1.0
                return None
            self.refused += 1
        headers = (("content-type", "application/json"), ("retry-after-ms", "20"))
        return [Send(http(429, b'{"error":{"code":"rate_limit_exceeded"}}', headers=headers))]


def test_a_rate_limit_slows_a_run_and_does_not_stop_it(tmp_path: Path) -> None:
    """Every question is answered in the end, however often one is refused in between."""
    pace = Paced(rate=30)
    with SmallJudge(pace) as server:
        config = configured("openai", server.base_url("openai"), max_connections=16, tries=3)
        outcome = ran(config, tmp_path / "run").outcome

    assert outcome.exit_code == 0
    assert pace.refused > 16
