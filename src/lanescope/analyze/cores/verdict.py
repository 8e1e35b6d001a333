"""Where the time of the cores went: every nanosecond of every core has exactly one answer.

What the answers are and how they are found: `waiting.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lanescope.analyze.cores.makespan import Span, makespan
from lanescope.analyze.cores.waiting import LABELS, account
from lanescope.analyze.graph.nodes import Nodes, nodes
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Share:
    """One answer for one kind of core; `high_ns` counts all lost time to it."""

    what: str
    label: str
    ns: int
    high_ns: int
    share: float | None
    high_share: float | None


@dataclass(frozen=True, slots=True)
class KindVerdict:
    """All cores of one kind, or of the chip: the shares' ns add up to total_ns."""

    kind: str
    cores: int
    total_ns: int
    """Length of the window x cores."""
    shares: tuple[Share, ...]

    def ns(self, what: str) -> int:
        return next(share.ns for share in self.shares if share.what == what)

    def share(self, what: str) -> float:
        return self.ns(what) / self.total_ns if self.total_ns else 0.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """The chip first, then each kind of core; empty when no task has times, or for what is no chip
    (more than 65,535 cores or 126 kinds of them)."""

    window: Span | None
    kinds: tuple[KindVerdict, ...]
    graph_known: bool
    has_dispatch: bool
    has_submits: bool
    doubtful: int
    """Tasks with a predecessor whose end is not known."""

    @property
    def chip(self) -> KindVerdict | None:
        return self.kinds[0] if self.kinds else None


def verdict(trace: Trace, found: Nodes | None = None, window: Span | None = None) -> Verdict:
    """Tile window x cores; nodes and window are those of the trace, if they are known already."""
    found = nodes(trace) if found is None else found
    window = makespan(trace).window if window is None else window
    result = Verdict(
        window=window,
        kinds=(),
        graph_known=found.graph_known,
        has_dispatch=bool((trace.tasks["dispatch_ns"] != MISSING).any()),
        has_submits=bool((found.submit != MISSING).any()),
        doubtful=int(np.count_nonzero(found.doubtful)),
    )
    found_here = account(trace, found, window)
    if found_here is None:
        return result
    areas, chip = found_here.areas(), found_here.chip
    kinds = [
        _kind(kind, int((chip.kind_of == number).sum()), _at(areas, number))
        for number, kind in enumerate(chip.kinds)
    ]
    whole = {what: int(ns.sum()) for what, ns in areas.items()}
    return replace(result, kinds=(_kind("chip", len(chip.kind_of), whole), *kinds))


def _at(areas: dict[str, Array], kind: int) -> dict[str, int]:
    return {what: int(ns[kind]) for what, ns in areas.items()}


def _kind(kind: str, cores: int, known: dict[str, int]) -> KindVerdict:
    total = sum(known.values())
    shares = tuple(
        Share(
            what,
            label,
            known[what],
            known[what] + (0 if what == "lost" else known["lost"]),
            known[what] / total if total else None,
            (known[what] + (0 if what == "lost" else known["lost"])) / total if total else None,
        )
        for what, label in LABELS.items()
    )
    return KindVerdict(kind, cores, total, shares)
