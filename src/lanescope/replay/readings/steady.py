"""Times as they were before a counter's ticks cut them: what was the same every time, and what came
evenly, is known far better than to a tick.

A value is only moved where all the records allow it, so by less than a tick.
"""

from __future__ import annotations

import numpy as np

from lanescope.replay.readings.served import PS
from lanescope.trace.table import Array

_WINDOW = 256
"""Even times are looked for in so many at once."""
_FEWEST = 8


def same_lengths(length_ns: Array, group: Array, tick: float) -> Array:
    """In ps: lengths of a group that differ by no more than a tick are one length, their mean."""
    order = np.lexsort((length_ns, group))
    length, group = length_ns[order], group[order]
    apart = (group[1:] != group[:-1]) | (np.diff(length) > tick + 1)
    run = np.cumsum(np.append(0, apart))[: len(length)]
    first = np.flatnonzero(np.append(True, apart)[: len(length)])
    count = np.diff(np.append(first, len(length)))
    last = first + count - 1
    means = np.add.reduceat(length, first) / count if len(length) else np.zeros(0)
    same = (length[last] - length[first] <= tick + 1)[run]
    found = np.empty(len(length), np.int64)
    found[order] = np.where(same, np.round(means[run] * PS), length * PS)
    return found


def even_times(time_ns: Array, causes: tuple[Array, ...], tick: float) -> Array:
    """In ps: rising times as a straight line of their number and of what else takes time, window by
    window, where no time is further than a tick from it."""
    found = time_ns.astype(np.float64)
    for begin in range(0, len(found), _WINDOW):
        # The last window is a whole one, too, if there are as many.
        begin = max(min(begin, len(found) - _WINDOW), 0)
        part = slice(begin, begin + _WINDOW)
        line = _line(time_ns[part], [cause[part] for cause in causes])
        if line is not None and float(np.abs(line - time_ns[part]).max()) <= tick:
            found[part] = line
    return np.maximum.accumulate(np.round(found * PS)).astype(np.int64)


def _line(times: Array, causes: list[Array]) -> Array | None:
    if len(times) < _FEWEST:
        return None
    columns = [np.ones(len(times)), np.arange(len(times), dtype=np.float64)]
    columns += [total - total[0] for cause in causes if (total := np.cumsum(cause))[-1]]
    matrix = np.column_stack(columns)
    offset = int(times[0])
    values = np.linalg.lstsq(matrix, (times - offset).astype(np.float64), rcond=None)[0]
    return np.asarray(matrix @ values + offset)
