"""The judge that is asked: a small C server on loopback that is never the bottleneck.

Its source stands outside the project, in ../shared; it is compiled into a temporary folder and ends
with the block that started it.
"""

import contextlib
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).parents[1].parent / "shared" / "bench" / "fakeserver.c"
MODEL = "gpt-4o-2024-08-06"
_LONGEST_S = 7200


@dataclass(frozen=True)
class Server:
    """A running server."""

    port: int

    def base_url(self, latency_ms: int = 0) -> str:
        """The base URL of a judge that knows the gold answer: yes when the response holds it."""
        late = f"/l{latency_ms}" if latency_ms else ""
        return f"http://127.0.0.1:{self.port}{late}/cgold/v1"


@contextlib.contextmanager
def served(folder: Path) -> Iterator[Server]:
    """Compile and start the server; leaves the script with a sentence where that is impossible."""
    if not SOURCE.is_file():
        sys.exit(f"skipped: {SOURCE.name} is not in ../shared/bench, so there is nobody to ask")
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        sys.exit("skipped: there is no C compiler, which the server is made with")
    program = folder / "fakeserver"
    subprocess.run([compiler, "-O2", "-o", program, SOURCE, "-lpthread"], check=True)
    port = _free_port()
    words = ["--port", str(port), "--model", MODEL, "--max-seconds", str(_LONGEST_S)]
    with subprocess.Popen([program, *words], stderr=subprocess.DEVNULL) as process:
        try:
            _wait(port)
            yield Server(port)
        finally:
            process.terminate()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _wait(port: int) -> None:
    for _ in range(200):
        with (
            contextlib.suppress(ConnectionRefusedError),
            socket.create_connection(("127.0.0.1", port)),
        ):
            return
        time.sleep(0.02)
    sys.exit("the server does not answer")
