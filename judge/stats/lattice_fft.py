"""Counts of items on a grid in; quantiles of the sum of as many draws from them out. Needs numpy.

The distribution of the sum is the inverse transform of the n-th power of one item's characteristic
function, taken in a window around the mean; what lies outside is below 1e-40.
"""

from collections.abc import Sequence
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from judge.errors import InputError

__all__ = ["quantiles"]

_Floats = NDArray[np.floating]
_TIE = 1e-9
"""Nearer than this to the level, floats do not decide: their error was 1e-12 at most."""
_WINDOW = 28
"""Standard deviations the window spans."""
_LARGEST_WINDOW = 2**24
_ABOVE_MINUS_ONE = -1 + 2.0**-52
"""A characteristic function may be 0; its logarithm does not matter, since its power is 0 too."""


def quantiles(weights: Sequence[int], tail: float) -> tuple[int, int] | None:
    """Return the two type 1 quantiles of the sum, or None when one is too near a step to call.

    Raises:
        InputError: the window would not fit into memory.
    """
    first, cumulative = _distribution(weights)
    if min(np.min(np.abs(cumulative - tail)), np.min(np.abs(cumulative - 1 + tail))) < _TIE:
        return None
    low, high = np.searchsorted(cumulative, [tail, 1 - tail])
    return first + int(low), first + int(high)


def _distribution(weights: Sequence[int]) -> tuple[int, _Floats]:
    """Return the first sum of the window and the distribution function from there on."""
    n = sum(weights)
    total = sum(j * count for j, count in enumerate(weights))
    share = np.asarray([weight / n for weight in weights], dtype=np.float64)
    offsets = np.arange(len(weights), dtype=np.float64) - total / n
    deviation = sqrt(n * float(share @ offsets**2))
    size = 1 << max(6, ceil(_WINDOW * deviation + 2 * len(weights)).bit_length())
    if size > _LARGEST_WINDOW:
        raise InputError(
            f"the bootstrap needs a window of {size} sums, too many: round the values first"
        )
    turn = 2 * np.pi * np.fft.fftfreq(size)
    first = total - size // 2
    log = _log_characteristic(share, offsets, turn)
    mass = np.fft.fft(np.exp(n * log + 1j * turn * (size // 2))).real / size
    return first, np.cumsum(mass)


def _log_characteristic(share: _Floats, offsets: _Floats, turn: _Floats) -> NDArray[np.complex128]:
    """Return the logarithm of one item's characteristic function about its mean.

    Its distance from 1 is summed, not itself: a power of a million would show the last digit.
    """
    real, imaginary = np.zeros(turn.size), np.zeros(turn.size)
    for part, offset in zip(share, offsets, strict=True):
        if part:
            real -= 2 * part * np.sin(offset * turn / 2) ** 2
            imaginary += part * np.sin(offset * turn)
    square = np.maximum(2 * real + real**2 + imaginary**2, _ABOVE_MINUS_ONE)
    return np.asarray(0.5 * np.log1p(square) + 1j * np.arctan2(imaginary, 1 + real))
