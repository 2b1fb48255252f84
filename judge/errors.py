"""Every way the harness stops, one exit code each.

* JudgeError                 1  a fault of the harness itself
  x InputError               2  the caller gave something unusable; nothing was sent
  x GateError                3  the judge failed its controls, or never took them
  x OpenError                4  cells are undecided, unknown or not asked
  x ProviderError            5  the provider stopped the run: key, quota, model, cap, network
  x VerificationError        6  a run does not prove what it claims
  x StorageError             7  the disk or the lock: nothing more can be written
"""

__all__ = [
    "GateError",
    "InputError",
    "JudgeError",
    "OpenError",
    "ProviderError",
    "StorageError",
    "VerificationError",
]


class JudgeError(Exception):
    """Base of every error raised on purpose."""

    exit_code = 1


class InputError(JudgeError):
    """The caller gave something unusable; nothing was sent."""

    exit_code = 2


class GateError(JudgeError):
    """The judge failed its controls, or never took them."""

    exit_code = 3


class OpenError(JudgeError):
    """Cells are undecided, unknown or not asked."""

    exit_code = 4


class ProviderError(JudgeError):
    """The provider stopped the run: key, quota, model, cap, network."""

    exit_code = 5


class VerificationError(JudgeError):
    """A run does not prove what it claims."""

    exit_code = 6


class StorageError(JudgeError):
    """The disk or the lock: nothing more can be written."""

    exit_code = 7
