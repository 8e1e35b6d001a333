"""Where the time of the cores went: every nanosecond of every core has exactly one answer.

`waiting.py` says what the answers are and how they are computed, `verdict_section.py` shows them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lanescope.analyze.cores.makespan import Span, makespan
from lanescope.analyze.cores.waiting import ALL_LABELS, CoreActivity, core_activity
from lanescope.analyze.graph.nodes import Nodes, nodes
from lanescope.render.cells import many_text, percent_text, time_text
from lanescope.render.names import clean
from lanescope.results import Result
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Share(Result):
    """One answer for the cores of one kind: how much of their time went there."""

    what: str
    """The answer, a key of `waiting.LABELS`."""
    label: str
    """Its words in a table."""
    ns: int
    """Time of all these cores that surely went there."""
    high_ns: int
    """Time that may have gone there: `ns` and all time whose records were lost."""
    share: float | None
    """ns / time of these cores; None when they have no time."""
    high_share: float | None
    """high_ns / time of these cores."""


@dataclass(frozen=True, slots=True)
class KindVerdict(Result):
    """Where the time of all cores of one kind went, or of all cores of the chip."""

    kind: str
    """The kind of core; `chip` for all cores."""
    cores: int
    total_ns: int
    """Length of the window x cores."""
    shares: tuple[Share, ...]
    """One per answer, in the order of `waiting.LABELS`; their ns add up to total_ns."""

    def ns(self, what: str) -> int:
        """Nanoseconds of one answer, a key of `waiting.LABELS`."""
        return next(share.ns for share in self.shares if share.what == what)

    def share(self, what: str) -> float:
        """Share of one answer, from 0 to 1; 0 when the cores have no time."""
        return self.ns(what) / self.total_ns if self.total_ns else 0.0

    def __repr__(self) -> str:
        cores = many_text(self.cores, "core")
        return f"<KindVerdict of {clean(self.kind)}, {cores}: {self._words()}>"

    def _words(self) -> str:
        """The answers that are not 0, the largest first: running 60.0%, data 40.0%."""
        known = sorted((share for share in self.shares if share.ns), key=lambda share: -share.ns)
        words = ", ".join(f"{share.what} {percent_text(share.share)}" for share in known)
        return words or "no time"


@dataclass(frozen=True, slots=True)
class Verdict(Result):
    """Where the time of the cores went, and what the trace could not tell."""

    window: Span | None
    """The time that the verdict is about; None when no task has times."""
    kinds: tuple[KindVerdict, ...]
    """The chip first, then each kind of core.

    Empty when no task has times, and for more than 65,535 cores or 126 kinds of them.
    """
    graph_known: bool
    """Whether the trace has the task graph."""
    has_dispatch: bool
    """Whether the trace has the dispatch of any task."""
    has_submits: bool
    """Whether it is known when tasks were submitted. A trace of level 4 without submits has none:
    the host had built the graph before the run."""
    doubtful: int
    """Number of tasks with a predecessor whose end is not known."""

    @property
    def chip(self) -> KindVerdict | None:
        """The verdict on all cores together; None where there is none."""
        return self.kinds[0] if self.kinds else None

    def __repr__(self) -> str:
        if self.window is None:
            return "<Verdict: no task has times>"
        if self.chip is None:
            return "<Verdict: none>"
        time = f"{many_text(self.chip.cores, 'core')} x {time_text(self.window.length_ns)}"
        return f"<Verdict over {time}: {self.chip._words()}>"


def verdict(
    trace: Trace,
    graph: Nodes | None = None,
    window: Span | None = None,
    *,
    activity: CoreActivity | None = None,
) -> Verdict:
    """Gives every nanosecond of every core in the window to one answer.

    Graph, window and what the cores did in it are computed where they are not given.
    """
    graph = nodes(trace) if graph is None else graph
    window = makespan(trace).window if window is None else window
    result = Verdict(
        window=window,
        kinds=(),
        graph_known=graph.graph_known,
        has_dispatch=bool((trace.tasks["dispatch_ns"] != MISSING).any()),
        has_submits=trace.meta.level == 4 or bool((graph.submit != MISSING).any()),
        doubtful=int(np.count_nonzero(graph.doubtful)),
    )
    activity = core_activity(trace, graph, window) if activity is None else activity
    if activity is None:
        return result
    areas, cores = activity.areas(), activity.cores
    kinds = [
        _kind_verdict(kind, int((cores.kind_of == number).sum()), _of_kind(areas, number))
        for number, kind in enumerate(cores.kinds)
    ]
    whole = {what: int(ns.sum()) for what, ns in areas.items()}
    return replace(result, kinds=(_kind_verdict("chip", len(cores.kind_of), whole), *kinds))


def _of_kind(areas: dict[str, Array], kind: int) -> dict[str, int]:
    return {what: int(ns[kind]) for what, ns in areas.items()}


def _kind_verdict(kind: str, cores: int, known: dict[str, int]) -> KindVerdict:
    """`known` is the cores' time in ns by answer; lost time may have gone to any answer."""
    total = sum(known.values())
    shares = tuple(
        Share(
            what,
            ALL_LABELS[what],
            known[what],
            known[what] + (0 if what == "lost" else known["lost"]),
            known[what] / total if total else None,
            (known[what] + (0 if what == "lost" else known["lost"])) / total if total else None,
        )
        for what in known
    )
    return KindVerdict(kind, cores, total, shares)
