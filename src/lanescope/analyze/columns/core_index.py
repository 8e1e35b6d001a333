"""The cores of a trace numbered 0, 1, …, and their kinds numbered 0, 1, …

Code that counts per core or per kind needs these numbers, because core ids may have gaps.
"""

from __future__ import annotations

import numpy as np

from lanescope.analyze.columns.core_kinds import core_kinds
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace


class CoreIndex:
    """The cores of a trace by place, and their kinds by number."""

    def __init__(self, trace: Trace) -> None:
        known = core_kinds(trace)
        self.kinds = list(dict.fromkeys(known.values()))
        """Name of each kind."""
        self.cores = np.array(list(known), np.int64)
        """Id of the core at each place."""
        self.kind_of = np.array([self.kinds.index(kind) for kind in known.values()], np.int32)
        """Number of the kind of the core at each place."""
        self._order = np.argsort(self.cores)

    def place(self, core: Array) -> Array:
        """Place of each core id; -1 where the trace has no such core."""
        if not len(self.cores):
            return np.full(len(core), -1, np.int64)
        at = np.searchsorted(self.cores, core, sorter=self._order)
        place = self._order[np.minimum(at, len(self.cores) - 1)]
        return np.where(self.cores[place] == core, place, -1)
