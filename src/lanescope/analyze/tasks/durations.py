"""How long the tasks of each function took, as histograms over bins of equal ratio."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.trace.numbering import different, replaced
from lanescope.trace.schema import MISSING32
from lanescope.trace.trace import Trace

BINS_PER_OCTAVE = 4
_BINS = 64 * BINS_PER_OCTAVE
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Histogram:
    """Tasks of one function: bin i holds durations from 2^((first + i) / 4) ns up to the next."""

    func: int
    first: int
    counts: tuple[int, ...]

    def edge_ns(self, bin_number: int) -> float:
        return float(2.0 ** ((self.first + bin_number) / BINS_PER_OCTAVE))


def durations(trace: Trace) -> dict[int, Histogram]:
    """Histogram of every function that ran, by its id; -1 for rows without one."""
    func, start, end = trace.of_runs("func", "start_ns", "end_ns")
    ids = different(func)
    table = np.zeros((len(ids), _BINS), np.int64)
    for begin in range(0, len(func), _CHUNK):
        part = slice(begin, begin + _CHUNK)
        length = np.maximum(end[part] - start[part], 1)
        bins = np.floor(np.log2(length) * BINS_PER_OCTAVE).astype(np.int64)
        bins += replaced(func[part], ids, np.arange(len(ids)) * _BINS)
        table += np.bincount(bins, minlength=table.size).reshape(table.shape)
    found = {}
    for number, func_id in enumerate(np.where(ids == MISSING32, -1, ids).tolist()):
        used = np.flatnonzero(table[number])
        counts = table[number, used[0] : used[-1] + 1]
        found[func_id] = Histogram(func_id, int(used[0]), tuple(counts.tolist()))
    return found
