"""The import of an optional package in; the package, or what to install, out."""

from collections.abc import Iterator
from contextlib import contextmanager

from judge.errors import InputError

__all__ = ["needing"]


@contextmanager
def needing(package: str) -> Iterator[None]:
    """Import what an extra brings.

    Raises:
        InputError: the package is not installed.
    """
    try:
        yield
    except ImportError as error:
        raise InputError(f"this statistic needs {package}: install judge-harness[stats]") from error
