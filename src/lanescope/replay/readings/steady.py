"""Times as they were before a counter's ticks cut them off.

What took equally long every time, and what came at even distances, is known better than to a tick.
A value is moved only where all its neighbours allow it, and by less than a tick.
"""

from __future__ import annotations

import numpy as np

from lanescope.replay.readings.served import PS
from lanescope.trace.table import Array

_WINDOW = 256
"""So many times in a row are looked at together."""
_FEWEST = 8
"""Fewer times than this say nothing about their distances."""


def same_lengths(length_ns: Array, group: Array, tick_ns: float) -> Array:
    """Lengths in ps, one per given length in ns.

    Lengths of one group that differ by no more than a tick are taken to be one length: their mean.
    """
    order = np.lexsort((length_ns, group))
    length, group = length_ns[order], group[order]
    apart = (group[1:] != group[:-1]) | (np.diff(length) > tick_ns + 1)
    run = np.cumsum(np.append(0, apart))[: len(length)]
    first = np.flatnonzero(np.append(True, apart)[: len(length)])
    count = np.diff(np.append(first, len(length)))
    last = first + count - 1
    means = np.add.reduceat(length, first) / count if len(length) else np.zeros(0)
    same = (length[last] - length[first] <= tick_ns + 1)[run]
    length_ps = np.empty(len(length), np.int64)
    length_ps[order] = np.where(same, np.round(means[run] * PS), length * PS)
    return length_ps


def even_times(time_ns: Array, causes: tuple[Array, ...], tick_ns: float) -> Array:
    """Rising times in ps, one per given time in ns.

    In each window of 256 a line is fitted: the time grows by the same amount with every number, and
    with every unit of each cause. Where no time is further than a tick from the line, the line
    replaces the times.
    """
    even_ns = time_ns.astype(np.float64)
    for begin in range(0, len(even_ns), _WINDOW):
        # The last window is moved back so that it is a whole one, too, if there are as many times.
        begin = max(min(begin, len(even_ns) - _WINDOW), 0)
        part = slice(begin, begin + _WINDOW)
        line = _line(time_ns[part], [cause[part] for cause in causes])
        if line is not None and float(np.abs(line - time_ns[part]).max()) <= tick_ns:
            even_ns[part] = line
    return np.maximum.accumulate(np.round(even_ns * PS)).astype(np.int64)


def _line(time_ns: Array, causes: list[Array]) -> Array | None:
    """The fitted times in ns; None for too few."""
    if len(time_ns) < _FEWEST:
        return None
    columns = [np.ones(len(time_ns)), np.arange(len(time_ns), dtype=np.float64)]
    columns += [total - total[0] for cause in causes if (total := np.cumsum(cause))[-1]]
    matrix = np.column_stack(columns)
    offset = int(time_ns[0])
    values = np.linalg.lstsq(matrix, (time_ns - offset).astype(np.float64), rcond=None)[0]
    return np.asarray(matrix @ values + offset)
