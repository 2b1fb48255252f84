"""A base URL in, the one address it names out; what can never be a judge's address is refused.

Pure: nothing is resolved here. `refused_peer` is asked again about the address a name turned into.
"""

import ipaddress
import re
from typing import Final, Literal
from urllib.parse import SplitResult, urlsplit

from judge.errors import InputError
from judge.records import Record

__all__ = ["PORTS", "Address", "is_loopback", "parse", "refused_peer"]

_URL = re.compile(r"[\x21-\x7e]+")
_HOST = re.compile(r"[a-z0-9]([a-z0-9_.-]*[a-z0-9])?\.?")
# What the C library reads as an IPv4 address in disguise: 127.1, 0x7f.1, 2130706433.
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*")
# Where clouds answer questions about the machine itself, beyond the link-local networks.
_METADATA = frozenset({"fd00:ec2::254", "100.100.100.200", "168.63.129.16"})

PORTS: Final = {"http": 80, "https": 443}

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address


class Address(Record):
    """Scheme, host and port; the path is the SDK's business."""

    scheme: Literal["http", "https"]
    host: str
    """Lower case, an IPv6 address without brackets."""
    port: int

    @property
    def loopback(self) -> bool:
        """Whether what is sent there stays on this machine."""
        return self.host == "localhost" or is_loopback(self.host)

    @property
    def named(self) -> bool:
        """Whether the host is a name, to be looked up."""
        return _ip(self.host) is None

    @property
    def origin(self) -> str:
        """`scheme://host[:port]`, as it is shown."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}"


def parse(base_url: str) -> Address:
    """Return the address a base URL names.

    Raises:
        InputError: the URL holds a user, a query or a fragment, is not http or https, or names a
            host that cannot be a judge's.
    """
    parts = _split(base_url)
    port = parts.port or PORTS.get(parts.scheme, 0)
    if parts.scheme == "https":
        return Address(scheme="https", host=_host(parts, base_url), port=port)
    if parts.scheme == "http":
        return Address(scheme="http", host=_host(parts, base_url), port=port)
    raise InputError(f"base URL {base_url[:200]!r}: start it with https:// or http://")


def _split(base_url: str) -> SplitResult:
    shown = repr(base_url[:200])
    if not _URL.fullmatch(base_url) or "\\" in base_url:
        raise InputError(f"base URL {shown}: write it in printable ASCII without spaces")
    try:
        parts = urlsplit(base_url)
        port = parts.port
    except ValueError as error:
        raise InputError(f"base URL {shown}: host or port cannot be read, correct it") from error
    if port == 0:
        raise InputError(f"base URL {shown}: port 0 is no port, name another")
    if "@" in parts.netloc:
        # Not shown: what stands before the @ is a password, and the SDKs would send it as the key.
        raise InputError("base URL holds a user before '@': give the key by --key-env instead")
    if "?" in base_url or "#" in base_url:
        raise InputError(f"base URL {shown}: leave out the query and the fragment")
    return parts


def _host(parts: SplitResult, base_url: str) -> str:
    shown = repr(base_url[:200])
    host = parts.hostname or ""
    number = _ip(host)
    if number is not None:
        reason = refused_peer(host)
        if reason is not None:
            raise InputError(f"base URL {shown}: {reason}, name the judge's own address")
        return host
    last = host.rstrip(".").rpartition(".")[2]
    if not _HOST.fullmatch(host) or _NUMBER.fullmatch(last):
        raise InputError(f"base URL {shown}: {host!r} is no host name, correct it")
    return host


def is_loopback(host: str) -> bool:
    """Return whether this is an IP address of this machine's own."""
    number = _ip(host)
    return number is not None and number.is_loopback


def refused_peer(host: str) -> str | None:
    """Return why no judge can live at this IP address; None where one can."""
    number = _ip(host)
    if number is None:
        return "it is no IP address"
    if number.is_link_local or str(number) in _METADATA:
        return "link-local and metadata addresses are refused"
    if number.is_unspecified or number.is_multicast:
        return f"{number} is no single machine"
    return None


def _ip(host: str) -> Ip | None:
    try:
        number = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    # ::ffff:169.254.169.254 is 169.254.169.254.
    if number.version == 6 and number.ipv4_mapped is not None:  # noqa: PLR2004  the version itself
        return number.ipv4_mapped
    return number
