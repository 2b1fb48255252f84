"""What every test shares: nothing but this machine can be reached, and servers that can be."""

import ipaddress
import socket
import ssl
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import pytest
from faultserver import Action, FaultServer, Script, Serve
from hypothesis import HealthCheck, settings

# A busy machine is no fault: where time matters, a test measures it itself.
settings.register_profile(
    "unhurried", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("unhurried")

_CONNECT = socket.socket.connect
_CONNECT_EX = socket.socket.connect_ex
_LOOK_UP = socket.getaddrinfo

_Address = tuple[str, int] | tuple[str, int, int, int] | str | bytes


def _here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return host == "localhost"


def _check(address: _Address) -> None:
    # A path is a socket of this machine.
    if isinstance(address, tuple) and not _here(address[0]):
        pytest.fail(f"a test tried to reach {address!r}")


@pytest.fixture(autouse=True)
def _only_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection beyond loopback, and know no name but localhost."""

    def connect(self: socket.socket, address: _Address) -> None:
        _check(address)
        _CONNECT(self, address)

    def connect_ex(self: socket.socket, address: _Address) -> int:
        _check(address)
        return _CONNECT_EX(self, address)

    def look_up(
        host: str | bytes | None, port: int | str | None, *rest: int, **more: int
    ) -> list[object]:
        name = host.decode() if isinstance(host, bytes) else host
        if name is not None and not _here(name):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [*_LOOK_UP(host, port, *rest, **more)]

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket.socket, "connect_ex", connect_ex)
    monkeypatch.setattr(socket, "getaddrinfo", look_up)


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start scripted servers; they stop when the test ends."""
    with ExitStack() as stack:

        def start(
            script: Script,
            *,
            tls: ssl.SSLContext | None = None,
            greeting: Sequence[Action] = (),
            host: str = "127.0.0.1",
        ) -> FaultServer:
            server = FaultServer(script, tls=tls, greeting=greeting, host=host)
            return stack.enter_context(server)

        yield start
