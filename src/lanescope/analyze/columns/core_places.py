"""The cores of a trace by position, and their kinds by number: what counting over cores needs."""

from __future__ import annotations

import numpy as np

from lanescope.analyze.columns.core_kinds import core_kinds
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace


class Chip:
    """The cores of a trace by position, and their kinds by number."""

    def __init__(self, trace: Trace) -> None:
        known = core_kinds(trace)
        self.kinds = list(dict.fromkeys(known.values()))
        self.cores = np.array(list(known), np.int64)
        self.kind_of = np.array([self.kinds.index(kind) for kind in known.values()], np.int32)
        self._order = np.argsort(self.cores)

    def index(self, core: Array) -> Array:
        """Position of each core, -1 for none."""
        if not len(self.cores):
            return np.full(len(core), -1, np.int64)
        at = np.searchsorted(self.cores, core, sorter=self._order)
        place = self._order[np.minimum(at, len(self.cores) - 1)]
        return np.where(self.cores[place] == core, place, -1)
