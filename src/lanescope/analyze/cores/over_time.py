"""How busy the cores of each kind were over time, in bins of equal length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.core_kinds import core_kinds
from lanescope.analyze.cores.makespan import Span
from lanescope.render.cells import many_text, percent_text
from lanescope.render.names import clean
from lanescope.results import Result
from lanescope.trace.bins import Bins, covered_per_bin
from lanescope.trace.numbering import different, replaced
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True, eq=False)
class BusyShare(Result):
    """How busy the cores of one kind were, bin by bin."""

    kind: str
    cores: int
    share: Array
    """Per bin: time of the tasks in it / (cores x length of the bin), at most 1.

    Tasks that overlap on one core count each.
    """

    def __repr__(self) -> str:
        mean = float(self.share.mean()) if len(self.share) else None
        cores, bins = many_text(self.cores, "core"), many_text(len(self.share), "bin")
        return f"<BusyShare of {clean(self.kind)}: {cores}, {percent_text(mean)} busy, {bins}>"


def busy_over_time(trace: Trace, span: Span, bins: int) -> tuple[BusyShare, ...]:
    """Busy share per kind of core over `bins` equal parts of the span.

    The kinds are in the order of the cores table.
    """
    kinds = core_kinds(trace)
    names = list(dict.fromkeys(kinds.values()))
    core, start, end = trace.of_runs("core", "start_ns", "end_ns")
    known = different(core)
    kind = np.array([names.index(kinds[c]) if c in kinds else -1 for c in known.tolist()], np.int16)
    rows = replaced(core, known, kind)
    grid = Bins(span.start_ns, span.length_ns, bins)
    result = []
    for number, name in enumerate(names):
        of_kind = rows == number
        cores = sum(kind_name == name for kind_name in kinds.values())
        busy = covered_per_bin(start[of_kind], end[of_kind], grid)
        result.append(BusyShare(name, cores, np.minimum(busy / (grid.each_ns * cores), 1)))
    return tuple(result)
