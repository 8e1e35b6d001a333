"""Times that are finer than a nanosecond: exact until they are rounded, once, halves to even.

A column of `json_cells.exact_micros` has two numbers per row, whole nanoseconds and 10^-18 of one;
both have the sign of the time. Digits behind these are dropped.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lanescope.trace import MISSING

Nanoseconds = npt.NDArray[np.int64]

_ONE = 10**18


def round_times(times: Nanoseconds) -> Nanoseconds:
    """Each time in nanoseconds; MISSING stays."""
    return np.where(times[:, 0] == MISSING, MISSING, _rounded(times[:, 0], times[:, 1]))


def round_ends(starts: Nanoseconds, durations: Nanoseconds) -> Nanoseconds:
    """Where each interval ends, in nanoseconds: start plus duration, rounded once.

    MISSING where either is. Both lie below 2^62 ns, so that the sum fits in 64 bits.
    """
    missing = (starts[:, 0] == MISSING) | (durations[:, 0] == MISSING)
    total = np.where(missing[:, None], 0, starts) + np.where(missing[:, None], 0, durations)
    return np.where(missing, MISSING, _rounded(total[:, 0], total[:, 1]))


def _rounded(whole: Nanoseconds, rest: Nanoseconds) -> Nanoseconds:
    carry, rest = np.divmod(rest, _ONE)
    down = whole + carry
    half = _ONE // 2
    up = (rest > half) | ((rest == half) & (down % 2 == 1))
    return np.asarray(down + up, np.int64)
