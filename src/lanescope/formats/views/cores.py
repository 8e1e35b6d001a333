"""The two views of the cores: what ran on them, and dispatch to finish."""

from __future__ import annotations

import numpy as np

from lanescope.formats.views.arguments import (
    TASK_ARGUMENTS,
    TASK_TIMES,
    arguments_of,
    function_names,
    task_counters,
    time_arguments,
)
from lanescope.formats.views.arrows import with_arrows
from lanescope.formats.views.layout import lay
from lanescope.formats.views.origin import since
from lanescope.formats.views.rows import only
from lanescope.formats.views.shapes import Argument, Slices, View
from lanescope.formats.views.stalls import of_core, stall_slices, stalled
from lanescope.trace import MISSING, MISSING32, Table, Trace
from lanescope.trace.pipes import UNITS
from lanescope.trace.table import Array


def cores_view(trace: Trace, origin: int) -> View:
    cores = Cores(trace)
    known = (trace.marks["start_ns"] != MISSING) | (trace.marks["end_ns"] != MISSING)
    marks = only(trace.marks, known)
    lanes = _CoreLanes(trace, cores, marks)
    ran = np.flatnonzero(trace.ran())
    stalls = trace.stalls.rows(stalled(trace) & of_core(trace))
    parts = (
        _tasks(trace, ran, lanes.of_core[cores.index(trace.tasks["core"][ran])], origin),
        _marks(trace, marks, lanes.of_mark, origin),
        stall_slices(trace, stalls, lanes.of_core[cores.index(stalls["core"])], origin),
    )
    view = lay("cores", lanes.names, parts, under=lanes.under)
    return with_arrows(view, trace, trace.tasks["task"][ran])


def scheduler_view(trace: Trace, origin: int) -> View:
    cores = Cores(trace)
    table = trace.tasks
    rows = np.flatnonzero((table["dispatch_ns"] != MISSING) & (table["finish_ns"] != MISSING))
    part = Slices(
        cores.index(table["core"][rows]),
        since(table["dispatch_ns"][rows], origin),
        since(table["finish_ns"][rows], origin),
        *function_names(trace, rows),
        arguments_of(table, rows, TASK_ARGUMENTS),
    )
    return lay("scheduler view", cores.names, (part,))


# A word column taken modulo the number of names gives the last name where there is no word (-1).


class Cores:
    """Names of the cores and their position in lane order; cores without a row come last."""

    def __init__(self, trace: Trace) -> None:
        declared = trace.cores["core"]
        timed = trace.ran() | (trace.tasks["dispatch_ns"] != MISSING)
        stalled = trace.stalls["core"][of_core(trace)]
        seen = np.concatenate([trace.tasks["core"][timed], trace.marks["core"], stalled])
        extra = np.setdiff1d(seen, declared)
        self._ids = np.concatenate([declared, extra])
        self._order = np.argsort(self._ids, kind="stable")
        names = trace.text("cores", "name") + [""] * len(extra)
        pairs = zip(names, self._ids.tolist(), strict=True)
        self.names = [name or core_name(core) for name, core in pairs]
        self.count = len(self.names)

    def index(self, core: Array) -> Array:
        return self._order[np.searchsorted(self._ids, core, sorter=self._order)]

    def name(self, core: int) -> str:
        found = np.flatnonzero(self._ids == core)
        return self.names[found[0]] if len(found) else core_name(core)


class _CoreLanes:
    """Lanes of the cores view: each core, followed by the pipes that have marks on it.

    Pipes of the hardware are parts of their core; what else marks may name stands beside it.
    """

    def __init__(self, trace: Trace, cores: Cores, marks: Table) -> None:
        pipes = sorted((*trace.words, "mark"), key=_pipe_rank)
        place = {pipe: rank for rank, pipe in enumerate(pipes)}
        rank = np.array([place[word] for word in (*trace.words, "mark")])
        code = cores.index(marks["core"]) * len(pipes) + rank[marks["pipe"] % len(pipes)]
        used, position = np.unique(code, return_inverse=True)
        owner = used // len(pipes)
        every = np.arange(cores.count)
        self.of_core = every + np.searchsorted(owner, every)
        self.of_mark = position + code // len(pipes) + 1
        names = [
            f"{cores.names[o]} {pipes[p]}" for o, p in zip(owner, used % len(pipes), strict=True)
        ]
        lanes = dict(zip(self.of_core.tolist(), cores.names, strict=True))
        inner = np.arange(len(used)) + owner + 1
        lanes |= dict(zip(inner.tolist(), names, strict=True))
        self.names = [lanes[lane] for lane in range(len(lanes))]
        is_pipe = np.array([pipe in UNITS for pipe in pipes])[used % len(pipes)]
        self.under = np.full(len(lanes), -1)
        self.under[inner] = np.where(is_pipe, self.of_core[owner], -1)


def _pipe_rank(pipe: str) -> int:
    """The hardware's order; others follow in the order of the trace's words."""
    return UNITS.index(pipe) if pipe in UNITS else len(UNITS)


def core_name(core: int) -> str:
    return "no core" if core == MISSING32 else f"core {core}"


def _tasks(trace: Trace, rows: Array, lane: Array, origin: int) -> Slices:
    table = trace.tasks
    arguments = arguments_of(table, rows, TASK_ARGUMENTS)
    if (table["block"][rows] > 0).any():
        arguments += arguments_of(table, rows, {"block": "block"})
    arguments += time_arguments(table, rows, TASK_TIMES, origin)
    receive, start = table["receive_ns"][rows], table["start_ns"][rows]
    if (receive != MISSING).any():
        setup = np.where(receive != MISSING, start - receive, MISSING)
        arguments += (Argument("setup_ns", setup),)
    arguments += task_counters(trace, rows)
    end = table["end_ns"][rows]
    start, end = since(start, origin), since(end, origin)
    return Slices(lane, start, end, *function_names(trace, rows), arguments)


def _marks(trace: Trace, marks: Table, lane: Array, origin: int) -> Slices:
    """An interval of which only one end is known is drawn as an instant."""
    start, end = marks["start_ns"], marks["end_ns"]
    start = np.where(start == MISSING, end, start)
    names = (*trace.words, "mark")
    arguments = arguments_of(marks, None, {name: name for name in ("task", "token", "mark")})
    end = np.where(end == MISSING, start, end)
    name = marks["name"] % len(names)
    return Slices(lane, start - origin, end - origin, name, names, arguments)
