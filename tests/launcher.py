"""The command as a shell would start it, with something taken away first.

launcher.py [--file-bytes N] [--no-privileges] [--ignore-hangup] -- WORDS
"""

import ctypes
import os
import resource
import signal
import sys

_CAPABILITY_VERSION = 0x20080522
_OVERRIDES = 0b110
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: root's leave to ignore what a file allows."""


def _without_privileges() -> None:
    """Make file permissions hold for root too."""
    if os.geteuid() != 0:
        return
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    data = (ctypes.c_uint32 * 6)()
    system = ctypes.CDLL(None, use_errno=True)
    assert system.capget(header, data) == 0
    data[0] &= ~_OVERRIDES  # what is in force
    assert system.capset(header, data) == 0


def _main() -> int:
    mark = sys.argv.index("--")
    taken, words = sys.argv[1:mark], sys.argv[mark + 1 :]
    # A test runner in the background of a script ignores these, and its children would too.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if "--ignore-hangup" in taken:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if "--file-bytes" in taken:
        most = int(taken[taken.index("--file-bytes") + 1])
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    if "--no-privileges" in taken:
        _without_privileges()
    from judge.cli import main  # noqa: PLC0415 - after all that must be so before it

    return main(words)


if __name__ == "__main__":
    sys.exit(_main())
