"""How long the tasks of each function took, as histograms over bins of equal ratio."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.trace.numbering import numbered
from lanescope.trace.schema import MISSING32
from lanescope.trace.trace import Trace

BINS_PER_OCTAVE = 4


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
    length = np.maximum(end - start, 1)
    bins = np.floor(np.log2(length) * BINS_PER_OCTAVE).astype(np.int64)
    ids, place = numbered(np.where(func == MISSING32, -1, func))
    width = int(bins.max(initial=0)) + 1
    table = np.bincount(place * width + bins, minlength=len(ids) * width).reshape(-1, width)
    found = {}
    for number, func_id in enumerate(ids.tolist()):
        used = np.flatnonzero(table[number])
        counts = table[number, used[0] : used[-1] + 1]
        found[func_id] = Histogram(func_id, int(used[0]), tuple(counts.tolist()))
    return found
