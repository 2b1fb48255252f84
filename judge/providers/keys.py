"""Which key goes to which address; a key's text never leaves through repr, str or an error.

In: the endpoint, its address, what is fixed for its provider. Out: the key, or an InputError.
"""

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from typing_extensions import override

from judge.errors import InputError
from judge.providers.address import Address, parse
from judge.providers.contract import Endpoint, Vendor

__all__ = ["Key", "find"]

_TEXT = re.compile(r"[\x21-\x7e]+")
_FILE_MAX = 10_000
_PLACEHOLDER = "none"


class Key:
    """A key and where it was found; prints as the latter."""

    __slots__ = ("_text", "secret", "source")

    def __init__(self, text: str, source: str, *, secret: bool = True) -> None:
        self._text = text
        self.source: Final = source
        self.secret: Final = secret

    def reveal(self) -> str:
        """Return the key itself."""
        return self._text

    @override
    def __repr__(self) -> str:
        """Return where the key was found."""
        return f"<key from {self.source}>"


def find(
    endpoint: Endpoint, address: Address, vendor: Vendor, environment: Mapping[str, str]
) -> Key:
    """Return the key to send to this address.

    Raises:
        InputError: there is no key; a provider's own key would go to somebody else; or a key would
            travel in the clear.
    """
    key = _named(endpoint.key_env, environment) if endpoint.key_env else None
    if key is None:
        key = _own(address, vendor, environment)
    clear = address.scheme == "http" and not address.loopback
    if key.secret and clear and not endpoint.insecure_key:
        raise InputError(
            f"{address.origin} is plain http, and the {key.source} key would travel in the clear: "
            "use https, or --insecure-key"
        )
    return key


def _own(address: Address, vendor: Vendor, environment: Mapping[str, str]) -> Key:
    name = vendor.key_variable
    at_home = address == parse(vendor.home)
    if not at_home and not address.loopback:
        raise InputError(
            f"{name} is not sent to {address.origin}: name the key of that address with --key-env "
            "NAME, or --key-env none"
        )
    if environment.get(name):
        return _checked(environment[name], name)
    if at_home:
        raise InputError(f"no key for {vendor.name}: set {name}, or name another with --key-env")
    return Key(_PLACEHOLDER, "no", secret=False)


def _named(name: str, environment: Mapping[str, str]) -> Key:
    if name == "none":
        return Key(_PLACEHOLDER, "no", secret=False)
    if name.startswith("file:"):
        return _checked(_read(name.removeprefix("file:")), "file")
    if not environment.get(name):
        raise InputError(
            f"--key-env names {name[:100]!r}, which is not set: set it, or name another"
        )
    return _checked(environment[name], name)


def _read(path: str) -> str:
    shown = repr(path[:200])
    try:
        descriptor = os.open(Path(path).expanduser(), os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            status = os.fstat(descriptor)
            data = os.read(descriptor, _FILE_MAX) if stat.S_ISREG(status.st_mode) else b""
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        raise InputError(f"key file {shown} cannot be read: {error}") from error
    if status.st_mode & 0o077 or not stat.S_ISREG(status.st_mode):
        raise InputError(f"key file {shown} must be a file only its owner can open: chmod 600 it")
    return data.decode("latin-1").strip()


def _checked(text: str, source: str) -> Key:
    # Anything else could end the header line and begin another.
    if not _TEXT.fullmatch(text):
        raise InputError(
            f"the {source} key is empty or holds spaces, line ends or non-ASCII: give the key alone"
        )
    return Key(text, source)
