"""What the threads of the host spent their time on: own time, without the rows inside a row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.columns.groups import group_by
from lanescope.analyze.streams.basis import StreamBasis
from lanescope.analyze.streams.host_time import HostLane
from lanescope.render.cells import many_text, time_text
from lanescope.render.names import clean
from lanescope.render.page import PageColumn, Section
from lanescope.results import Result

_KEPT = 50
"""Names per thread that the answer holds."""
_MOST = 15
"""Rows of the table."""


@dataclass(frozen=True, slots=True)
class HostWork(Result):
    """All rows of one name on one thread."""

    name: str
    category: str
    """What sort of row it is; empty where the source does not tell."""
    count: int
    own_ns: int
    """Time in which such a row was the innermost one."""
    share: float | None
    """own_ns / busy_ns of the thread"""


@dataclass(frozen=True, slots=True)
class HostWorker(Result):
    """What one thread did."""

    controller: int
    name: str
    rows: int
    names: int
    """Number of different names."""
    busy_ns: int
    """Time in which it had a row; annotations do not count."""
    waiting_ns: int
    """Time of it that the thread waited for a device."""
    work: tuple[HostWork, ...]
    """By name, the longest own time first; at most 50."""

    def __repr__(self) -> str:
        rows, busy = many_text(self.rows, "row"), time_text(self.busy_ns)
        return f"<HostWorker {clean(self.name)}: {rows}, {busy} busy>"


def host(basis: StreamBasis) -> tuple[HostWorker, ...]:
    """What every thread of the host did, the busiest first."""
    found = [_worker(basis, lane) for lane in basis.host.threads]
    return tuple(sorted(found, key=lambda one: (-one.busy_ns, one.controller)))


def _worker(basis: StreamBasis, lane: HostLane) -> HostWorker:
    trace, rows = basis.trace, basis.host
    name, own = rows.name[lane.rows], rows.nesting.own[lane.rows]
    groups = group_by(name)
    sums, counts = groups.sums(own), groups.counts()
    busy = sum(sums)
    longest = sorted(range(len(groups)), key=lambda k: (-sums[k], int(groups.keys[k])))[:_KEPT]
    first = rows.row[lane.rows][groups.order[groups.first]]
    category = trace.phases["category"][first]
    return HostWorker(
        controller=lane.number,
        name=lane.name,
        rows=len(name),
        names=len(groups),
        busy_ns=busy,
        waiting_ns=int(np.sum(own[rows.waiting[lane.rows]])),
        work=tuple(
            HostWork(
                name=trace.word(int(groups.keys[k])),
                category=trace.word(int(category[k])),
                count=counts[k],
                own_ns=sums[k],
                share=sums[k] / busy if busy else None,
            )
            for k in longest
        ),
    )


def _sections(workers: tuple[HostWorker, ...], answers: Answers) -> list[Section]:
    rows = [(thread, work) for thread in workers for work in thread.work if work.own_ns]
    rows.sort(key=lambda pair: -pair[1].own_ns)
    shown = rows[:_MOST]
    if not shown:
        return []
    return [
        Section(
            title="Host",
            lines=tuple(
                f"{clean(one.name)} had rows in {time_text(one.busy_ns)}, and waited for a device "
                f"in {time_text(one.waiting_ns)} of it."
                for one in workers[:3]
            ),
            columns=(
                PageColumn("row", "text", tuple(work.name for _, work in shown), key=True),
                PageColumn("thread", "text", tuple(thread.name for thread, _ in shown)),
                PageColumn("count", "count", tuple(work.count for _, work in shown)),
                PageColumn("own time", "time", tuple(work.own_ns for _, work in shown)),
                PageColumn("of the thread", "percent", tuple(work.share for _, work in shown)),
            ),
            notes=("Own time is without the rows inside a row.",),
        )
    ]


def _answer(basis: Basis) -> tuple[HostWorker, ...]:
    return host(basis.of_streams())


HOST_WORK = Analysis(
    name="host",
    detail=True,
    question="What did the threads of the host spend their time on?",
    answer=_answer,
    sections=_sections,
    families=frozenset({"streams"}),
    place=280,
    keys="[controller, name, rows, names, busy_ns, waiting_ns, "
    "work [name, category, count, own_ns, share]]",
)
