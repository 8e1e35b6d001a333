"""How long the tasks of each function took, as histograms. Every bin is 19 % longer than the last:
four bins make a factor of two."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.render.cells import many_text, time_text
from lanescope.results import Result
from lanescope.trace.numbering import different, replaced
from lanescope.trace.schema import MISSING32
from lanescope.trace.trace import Trace

BINS_PER_OCTAVE = 4
"""Bins from one duration to twice that duration."""
_BINS = 64 * BINS_PER_OCTAVE
"""Bins for every duration of 64 bits."""
_CHUNK = 1 << 20
"""Runs that are counted at a time, which bounds the memory."""


@dataclass(frozen=True, slots=True)
class Histogram(Result):
    """How many tasks of one function took how long; a task of 0 ns counts as one of 1 ns."""

    func: int
    """Id of the function; -1 for tasks without one."""
    first: int
    """Number of the first bin that holds a task; bin 0 begins at 1 ns."""
    counts: tuple[int, ...]
    """Tasks per bin, from the first bin that holds any to the last one."""

    def edge_ns(self, bin_number: int) -> float:
        """Shortest duration in ns of bin 0, 1, … of `counts`."""
        return float(2.0 ** ((self.first + bin_number) / BINS_PER_OCTAVE))

    def __repr__(self) -> str:
        low, high = (time_text(self.edge_ns(edge)) for edge in (0, len(self.counts)))
        tasks = many_text(sum(self.counts), "task")
        return f"<Histogram of function {self.func}: {tasks}, {low} to {high}>"


def durations(trace: Trace) -> dict[int, Histogram]:
    """Function id to its histogram, for every function that ran; -1 is tasks without one."""
    func, start, end = trace.of_runs("func", "start_ns", "end_ns")
    ids = different(func)
    table = np.zeros((len(ids), _BINS), np.int64)
    for begin in range(0, len(func), _CHUNK):
        part = slice(begin, begin + _CHUNK)
        length = np.maximum(end[part] - start[part], 1)
        bins = np.floor(np.log2(length) * BINS_PER_OCTAVE).astype(np.int64)
        bins += replaced(func[part], ids, np.arange(len(ids)) * _BINS)
        table += np.bincount(bins, minlength=table.size).reshape(table.shape)
    histograms = {}
    for number, func_id in enumerate(np.where(ids == MISSING32, -1, ids).tolist()):
        used = np.flatnonzero(table[number])
        counts = table[number, used[0] : used[-1] + 1]
        histograms[func_id] = Histogram(func_id, int(used[0]), tuple(counts.tolist()))
    return histograms
