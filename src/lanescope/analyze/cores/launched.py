"""Launches of recorded kernels: their lengths, what lay between them, how busy their CTAs were.

A CTA has its core from the moment when it takes a lane until it gives its last lane back. Ranges of
the host stand on the same time axis, within the error of the host's clock.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.groups import exact_sum
from lanescope.analyze.columns.union import covered_ns
from lanescope.render.cells import percent_text
from lanescope.results import Result
from lanescope.trace.launch_lanes import launch_names
from lanescope.trace.numbering import find
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

_RANGE, _CALL = "annotation", "call"


@dataclass(frozen=True, slots=True)
class LaunchGroup(Result):
    """The launches of one name."""

    DERIVED = ("busy_share",)

    name: str
    """Their name; of launches without one the function of their tasks, or `launch`."""
    count: int
    blocks: int
    """Most CTAs that recorded in one of them."""
    total_ns: int
    """Their lengths added up."""
    median_ns: float
    max_ns: int
    gap_ns: int
    """Time before them in which no launch ran, added up."""
    block_ns: int
    """Time that their CTAs had their cores, added up."""
    busy_ns: int
    """Part of `block_ns` in which a task ran."""

    @property
    def busy_share(self) -> float | None:
        """busy_ns / block_ns, from 0 to 1."""
        return self.busy_ns / self.block_ns if self.block_ns else None


@dataclass(frozen=True, slots=True)
class RangeGroup(Result):
    """The ranges of one name that the program marked on the host."""

    name: str
    count: int
    total_ns: int
    median_ns: float
    max_ns: int
    launches: int
    """Launches whose handle was taken in them, by the same thread."""
    launch_ns: int
    """Lengths of these launches added up."""


@dataclass(frozen=True, slots=True)
class Launched(Result):
    """The launches of a recording, and the ranges of its host."""

    launches: int
    span_ns: int
    """From the start of the first launch to the end of the last; 0 without launches."""
    covered_ns: int
    """Time of the span in which a launch ran."""
    gaps: int
    """How often no launch ran in between."""
    longest_gap_ns: int
    delay_ns: float | None
    """Median time from the use of a handle to the start of its first launch; None where no use is
    recorded."""
    host_error_ns: int | None
    """How exact times of the host are; None where its clock is not known."""
    names: tuple[LaunchGroup, ...]
    """By name, the longest total first."""
    ranges: tuple[RangeGroup, ...]
    """By name, the longest total first."""

    def __repr__(self) -> str:
        covered = percent_text(self.covered_ns / self.span_ns if self.span_ns else None)
        what = "launch" if self.launches == 1 else "launches"
        return f"<Launched: {self.launches:,} {what}, {covered} of the time>"


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The launches whose times are known, by start."""

    name: Array
    """Place in `names`."""
    names: list[str]
    launch: Array
    call: Array
    start: Array
    end: Array
    blocks: Array


def launched(trace: Trace) -> Launched:
    """Return the launches and the host's ranges of a trace."""
    if not len(trace.launches) and trace.code(_RANGE) < 0:
        return Launched(0, 0, 0, 0, 0, None, None, (), ())
    rows = _rows(trace)
    covered = np.maximum.accumulate(rows.end)
    gap = np.append(0, np.maximum(rows.start[1:] - covered[:-1], 0))[: len(rows.start)]
    span = int(covered[-1] - rows.start[0]) if len(covered) else 0
    taken, thread = _uses(trace, rows.call)
    first = np.zeros(len(rows.call), bool)
    first[np.unique(rows.call, return_index=True)[1]] = True
    delays = (rows.start - taken)[first & (taken != MISSING)]
    clock = trace.meta.host_clock
    return Launched(
        launches=len(rows.launch),
        span_ns=span,
        covered_ns=span - exact_sum(gap),
        gaps=int(np.count_nonzero(gap)),
        longest_gap_ns=int(gap.max(initial=0)),
        delay_ns=float(np.median(delays)) if len(delays) else None,
        host_error_ns=clock.error_ns if clock is not None and clock.is_known else None,
        names=_groups(rows, gap, *_block_times(trace, rows)),
        ranges=_ranges(trace, taken, thread, rows.end - rows.start),
    )


def _rows(trace: Trace) -> _Rows:
    table = trace.launches
    known = np.flatnonzero((table["start_ns"] != MISSING) & (table["end_ns"] != MISSING))
    known = known[np.argsort(table["start_ns"][known], kind="stable")]
    all_names = launch_names(trace)
    names = list(dict.fromkeys(all_names[row] for row in known.tolist()))
    place = {name: number for number, name in enumerate(names)}
    return _Rows(
        np.array([place[all_names[row]] for row in known.tolist()], np.int64),
        names,
        *(table[name][known] for name in ("launch", "call", "start_ns", "end_ns", "blocks")),
    )


def _block_times(trace: Trace, rows: _Rows) -> tuple[Array, Array]:
    """Per launch the time of its CTAs, and the part of it in which they ran tasks."""
    blocks, tasks = trace.blocks, trace.tasks
    of = find(rows.launch, blocks["launch"])
    known = (blocks["start_ns"] != MISSING) & (blocks["end_ns"] != MISSING) & (of >= 0)
    of, core = of[known], blocks["core"][known].astype(np.int64)
    length = (blocks["end_ns"] - blocks["start_ns"])[known]
    cores = max(int(core.max(initial=0)), int(tasks["core"].max(initial=0))) + 1
    ran = trace.ran() & (tasks["launch"] != MISSING)
    mine = find(rows.launch, tasks["launch"][ran])
    at = find(of * cores + core, np.where(mine < 0, -1, mine * cores + tasks["core"][ran]))
    inside = at >= 0
    start, end = (tasks[name][ran][inside] for name in ("start_ns", "end_ns"))
    busy = covered_ns(at[inside], start, end, groups=len(of))
    total, ran_ns = np.zeros((2, len(rows.launch)), np.int64)
    np.add.at(total, of, length)
    np.add.at(ran_ns, of, np.minimum(np.asarray(busy, np.int64), length))
    return total, ran_ns


def _groups(rows: _Rows, gap: Array, block_ns: Array, busy_ns: Array) -> tuple[LaunchGroup, ...]:
    length = rows.end - rows.start
    groups = []
    for place, name in enumerate(rows.names):
        mine = rows.name == place
        groups.append(
            LaunchGroup(
                name=name,
                count=int(np.count_nonzero(mine)),
                blocks=int(rows.blocks[mine].max(initial=0)),
                total_ns=exact_sum(length[mine]),
                median_ns=float(np.median(length[mine])),
                max_ns=int(length[mine].max()),
                gap_ns=exact_sum(gap[mine]),
                block_ns=exact_sum(block_ns[mine]),
                busy_ns=exact_sum(busy_ns[mine]),
            )
        )
    return tuple(sorted(groups, key=lambda group: (-group.total_ns, group.name)))


def _uses(trace: Trace, call: Array) -> tuple[Array, Array]:
    """Per launch when its handle was taken, and by which thread; MISSING where not known."""
    phases = trace.phases
    own = np.flatnonzero(phases["category"] == trace.code(_CALL))
    at = find(phases["launch"][own], call)
    taken = np.append(phases["start_ns"][own], MISSING)[at]
    thread = np.append(phases["controller"][own].astype(np.int64), MISSING)[at]
    return taken, thread


def _ranges(trace: Trace, taken: Array, thread: Array, length: Array) -> tuple[RangeGroup, ...]:
    """`taken`, `thread` and `length` are of each launch."""
    phases = trace.phases
    own = phases["category"] == trace.code(_RANGE)
    own &= (phases["start_ns"] != MISSING) & (phases["end_ns"] != MISSING)
    kind, start, end = (phases[name][own] for name in ("kind", "start_ns", "end_ns"))
    of = phases["controller"][own]
    count, launch_ns = np.zeros((2, len(kind)), np.int64)
    for one in np.unique(of).tolist():
        mine, some = of == one, thread == one
        order = np.argsort(taken[some], kind="stable")
        moments = taken[some][order]
        sums = np.append(0, np.cumsum(length[some][order]))
        first = np.searchsorted(moments, start[mine], side="left")
        last = np.searchsorted(moments, end[mine], side="right")
        count[mine], launch_ns[mine] = last - first, sums[last] - sums[first]
    ranges = []
    for code in np.unique(kind).tolist():
        mine, lengths = kind == code, (end - start)[kind == code]
        ranges.append(
            RangeGroup(
                name=trace.word(code),
                count=len(lengths),
                total_ns=exact_sum(lengths),
                median_ns=float(np.median(lengths)),
                max_ns=int(lengths.max()),
                launches=int(count[mine].sum()),
                launch_ns=exact_sum(launch_ns[mine]),
            )
        )
    return tuple(sorted(ranges, key=lambda one: (-one.total_ns, one.name)))
