"""How busy the cores of each kind were over time, in bins of equal length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.core_kinds import core_kinds
from lanescope.analyze.cores.makespan import Span
from lanescope.render.cells import clean, many_text, percent_text
from lanescope.results import Result
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
    result = []
    for number, name in enumerate(names):
        of_kind = rows == number
        cores = sum(kind_name == name for kind_name in kinds.values())
        busy = covered_per_bin(start[of_kind], end[of_kind], span, bins)
        length = max(span.length_ns, 1) / bins
        result.append(BusyShare(name, cores, np.minimum(busy / (length * cores), 1)))
    return tuple(result)


def covered_per_bin(start: Array, end: Array, span: Span, bins: int) -> Array:
    """Time of the intervals that lies in each bin: what began, less what ended."""
    length = max(span.length_ns, 1) / bins
    return _since(start - span.start_ns, length, bins) - _since(end - span.start_ns, length, bins)


def _since(time: Array, length: float, bins: int) -> Array:
    """Per bin, the sum over all moments of the part of the bin that comes after them."""
    place = np.clip(time / length, 0, bins)
    index = np.minimum(place.astype(np.int64), bins - 1)
    count = np.bincount(index, minlength=bins)
    inside = np.bincount(index, weights=(index + 1 - place) * length, minlength=bins)
    whole = np.cumsum(count) - count
    after: Array = whole * length + inside
    return after
