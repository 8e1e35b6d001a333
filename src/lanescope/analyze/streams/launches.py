"""How long launched work took to start, and how much of it was queued.

A row is in the queue of its stream from the start of its call until it starts itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.columns.groups import exact_sum
from lanescope.analyze.streams.work import DeviceWork
from lanescope.render.cells import count_text, many_text, time_text
from lanescope.render.page import PageColumn, Section
from lanescope.results import Result
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array

_MOST_STREAMS = 20


@dataclass(frozen=True, slots=True)
class Delay(Result):
    """How long it took until rows started, over those whose call is recorded."""

    count: int
    min_ns: int
    median_ns: float
    mean_ns: float
    max_ns: int


@dataclass(frozen=True, slots=True)
class LaunchQueue(Result):
    """How many rows of one stream were launched and had not started."""

    core: int
    name: str
    rows: int
    """Rows of the stream whose call is recorded."""
    max_length: int
    mean_length: float | None
    """Over time, from the first call to the last start; None where that is one moment."""


@dataclass(frozen=True, slots=True)
class Launches(Result):
    """How work got from the host to the streams."""

    rows: int
    """Kernels, copies and fills that ran."""
    with_call: int
    """Rows whose launching call is recorded."""
    without_call: int
    early: int
    """Rows that start before their call does: the clocks of host and device differ."""
    graph_launches: int
    """Calls that launched several rows at once."""
    graph_rows: int
    """Rows that such calls launched."""
    from_call_start: Delay | None
    """From the start of the call to the start of the row; None where no call is recorded."""
    from_call_end: Delay | None
    """From the end of the call; negative where the row starts before the call returns."""
    queues: tuple[LaunchQueue, ...]
    """One per stream with recorded calls."""

    def __repr__(self) -> str:
        delay = self.from_call_start
        middle = "" if delay is None else f", median {time_text(delay.median_ns)} to the start"
        return f"<Launches of {many_text(self.rows, 'row')}: {self.with_call:,} with call{middle}>"


def launches(work: DeviceWork) -> Launches:
    """How the work of all streams was launched."""
    busy = work.busy
    known = busy & work.launched
    numbered = work.launch[busy & (work.launch != MISSING)]
    counts = np.unique(numbered, return_counts=True)[1]
    shared = counts[counts > 1]
    return Launches(
        rows=int(np.count_nonzero(busy)),
        with_call=int(np.count_nonzero(known)),
        without_call=int(np.count_nonzero(busy & ~work.launched)),
        early=int(np.count_nonzero(known & (work.start < work.call_start))),
        graph_launches=len(shared),
        graph_rows=int(shared.sum()),
        from_call_start=_delay(work.start[known] - work.call_start[known]),
        from_call_end=_delay(work.start[known] - work.call_end[known]),
        queues=_queues(work, known),
    )


def _delay(ns: Array) -> Delay | None:
    if not len(ns):
        return None
    mean = exact_sum(ns) / len(ns)
    return Delay(len(ns), int(ns.min()), float(np.median(ns)), mean, int(ns.max()))


def _queues(work: DeviceWork, known: Array) -> tuple[LaunchQueue, ...]:
    queues = []
    for lane, rows in work.slices():
        mine = known[rows]
        if mine.any():
            start = work.start[rows][mine]
            called = np.minimum(work.call_start[rows][mine], start)
            queues.append(LaunchQueue(lane.core, lane.name, len(start), *_length(called, start)))
    return tuple(queues)


def _length(called: Array, start: Array) -> tuple[int, float | None]:
    """Largest and mean number of rows that are called and have not started."""
    called, start = np.sort(called), np.sort(start)
    # Of all moments the queue is longest just after a call; what starts then has left it.
    longest = np.arange(1, len(called) + 1) - np.searchsorted(start, called, side="right")
    span = int(start[-1]) - int(called[0])
    mean = exact_sum(start - called) / span if span else None
    return max(int(longest.max()), 0), mean


def _sections(launches: Launches, answers: Answers) -> list[Section]:
    if not launches.with_call:
        return []
    facts = [
        ("with a recorded call", f"{count_text(launches.with_call)} of {count_text(launches.rows)}")
    ]
    if launches.graph_launches:
        rows, calls = launches.graph_rows, launches.graph_launches
        facts.append(
            ("launched together", f"{many_text(rows, 'row')} by {many_text(calls, 'call')}")
        )
    if launches.early:
        facts.append(("before their call", many_text(launches.early, "row")))
    delays = [
        (what, delay)
        for what, delay in (
            ("start of the call", launches.from_call_start),
            ("end of the call", launches.from_call_end),
        )
        if delay is not None
    ]
    return [
        Section(
            title="From launch to start",
            facts=tuple(facts),
            columns=(
                PageColumn("from", "text", tuple(what for what, _ in delays), key=True),
                PageColumn("min", "time", tuple(one.min_ns for _, one in delays), scale="delay"),
                PageColumn(
                    "median", "time", tuple(one.median_ns for _, one in delays), scale="delay"
                ),
                PageColumn("mean", "time", tuple(one.mean_ns for _, one in delays), scale="delay"),
                PageColumn("max", "time", tuple(one.max_ns for _, one in delays), scale="delay"),
            ),
        ),
        _queue_section(launches.queues, answers.vocabulary.lane),
    ]


def _queue_section(queues: tuple[LaunchQueue, ...], lane: str) -> Section:
    shown = sorted(queues, key=lambda queue: -queue.rows)[:_MOST_STREAMS]
    return Section(
        title="Launched and not started",
        columns=(
            PageColumn(lane, "text", tuple(queue.name for queue in shown), key=True),
            PageColumn("launched", "count", tuple(queue.rows for queue in shown)),
            PageColumn("most at once", "count", tuple(queue.max_length for queue in shown)),
            PageColumn("mean", "number", tuple(queue.mean_length for queue in shown)),
        ),
        notes=("The mean is weighted by time.",),
    )


def _answer(basis: Basis) -> Launches:
    return launches(basis.of_streams().work)


LAUNCHES = Analysis(
    name="launches",
    detail=True,
    question="How long did launched work take to start, and how much was queued?",
    answer=_answer,
    sections=_sections,
    families=frozenset({"streams"}),
    place=230,
    keys="rows, with_call, without_call, early, graph_launches, graph_rows, from_call_start and "
    "from_call_end [count, min_ns, median_ns, mean_ns, max_ns] or null, "
    "queues [core, name, rows, max_length, mean_length]",
)
