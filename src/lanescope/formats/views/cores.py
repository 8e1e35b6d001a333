"""The two views of the cores: what ran on them, and each task from dispatch to finish."""

from __future__ import annotations

import numpy as np

from lanescope.formats.views.arguments import (
    TASK_ARGUMENTS,
    TASK_TIMES,
    arguments_of,
    task_counters,
    time_arguments,
)
from lanescope.formats.views.arrows import with_arrows
from lanescope.formats.views.carried import TASK_COLUMNS, carried, opened
from lanescope.formats.views.launches import block_bars
from lanescope.formats.views.layout import lay
from lanescope.formats.views.names import function_names, word_names
from lanescope.formats.views.origin import since
from lanescope.formats.views.rows import only
from lanescope.formats.views.shapes import Argument, Bars, Producer, View
from lanescope.formats.views.stalls import stall_bars, stalled
from lanescope.trace import MISSING, MISSING32, Table, Trace
from lanescope.trace.lanes import EXPORT_ORDER, Lanes, core_lanes, stalls_of_cores
from lanescope.trace.pipes import UNITS
from lanescope.trace.rows import Rows, which
from lanescope.trace.table import Array


def cores_view(trace: Trace, origin: int) -> View:
    """A bar per task that ran, per mark and per stall of a core; arrows are dependencies."""
    known = (trace.marks["start_ns"] != MISSING) | (trace.marks["end_ns"] != MISSING)
    marks = only(trace.marks, known)
    marked = marks["core"], marks["pipe"]
    lanes = core_lanes(trace, _shown_cores(trace), EXPORT_ORDER, marked=marked)
    ran = which(trace.ran())
    stalls = trace.stalls.rows(stalled(trace) & stalls_of_cores(trace))
    parts = (
        _tasks(trace, ran, lanes.of_core(trace.tasks["core"][ran]), origin),
        _marks(trace, marks, lanes.of_pipe(*marked), origin),
        stall_bars(trace, stalls, lanes.of_core(stalls["core"]), origin),
        *block_bars(trace, lanes, origin),
    )
    shown = _producers(trace, lanes)
    view = lay("cores", lanes.full_names(), parts, under=_owners(lanes), producers=shown)
    return with_arrows(view, trace, trace.tasks["task"][ran])


def scheduler_view(trace: Trace, origin: int) -> View:
    """A bar per task from its dispatch to its finish, as its scheduler saw it."""
    lanes = core_lanes(trace, _shown_cores(trace), EXPORT_ORDER)
    table = trace.tasks
    both = (table["dispatch_ns"] != MISSING) & (table["finish_ns"] != MISSING)
    ran = trace.ran()
    parts: list[Bars] = []
    for category, mask in (("dispatch", both & ran), ("dispatched", both & ~ran)):
        rows = which(mask)
        columns = TASK_COLUMNS if category == "dispatched" else ()
        differing, constants = carried(table, rows, columns)
        bars = Bars(
            lanes.of_core(table["core"][rows]),
            since(table["dispatch_ns"][rows], origin),
            since(table["finish_ns"][rows], origin),
            *function_names(trace, rows),
            arguments_of(table, rows, TASK_ARGUMENTS) + differing,
            category,
            constants,
        )
        parts += [bars] if len(bars.lane) or not parts else []
    shown = _producers(trace, lanes)
    return lay("scheduler view", lanes.full_names(), tuple(parts), producers=shown)


def _producers(trace: Trace, lanes: Lanes) -> list[Producer]:
    """Per lane its core, and its pipe where it is one of a pipe; "" is a pipe without a name."""
    pipes = {place: trace.word(code) for (_, code), place in lanes.pipes.items()}
    cores = (None if lane.core == MISSING32 else lane.core for lane in lanes.lanes)
    return [(core, pipes.get(place)) for place, core in enumerate(cores)]


def _shown_cores(trace: Trace) -> list[Array]:
    """The cores of the rows that the views of the cores show."""
    timed = trace.ran() | (trace.tasks["dispatch_ns"] != MISSING)
    stalled = trace.stalls["core"][stalls_of_cores(trace)]
    return [trace.tasks["core"][timed], trace.marks["core"], stalled, trace.blocks["core"]]


def _owners(lanes: Lanes) -> Array:
    """Per lane the lane that it is a part of, or -1.

    Pipes of the hardware are parts of their core; what else marks may name stands beside it.
    """
    return np.array(
        [
            lane.inside if lane.inside is not None and lane.name in UNITS else -1
            for lane in lanes.lanes
        ],
        np.int64,
    )


def _tasks(trace: Trace, rows: Rows, lane: Array, origin: int) -> Bars:
    """A bar per task row, with everything known of it as arguments."""
    table = trace.tasks
    differing, constants = carried(table, rows, TASK_COLUMNS)
    arguments = arguments_of(table, rows, TASK_ARGUMENTS) + differing
    arguments += time_arguments(table, rows, TASK_TIMES, origin)
    receive, start = table["receive_ns"][rows], table["start_ns"][rows]
    if (receive != MISSING).any():
        setup = np.where(receive != MISSING, start - receive, MISSING)
        arguments += (Argument("setup_ns", setup),)
    arguments += task_counters(trace, rows)
    end = table["end_ns"][rows]
    start, end = since(start, origin), since(end, origin)
    names = function_names(trace, rows)
    return Bars(lane, start, end, *names, arguments, "task", constants)


def _marks(trace: Trace, marks: Table, lane: Array, origin: int) -> Bars:
    """A bar per mark; a mark of which only one end is known is drawn as an instant."""
    start, end = marks["start_ns"], marks["end_ns"]
    arguments = arguments_of(marks, None, {name: name for name in ("task", "token", "mark")})
    arguments += opened(start != MISSING, end != MISSING)
    start = np.where(start == MISSING, end, start)
    end = np.where(end == MISSING, start, end)
    names = word_names(marks["name"], trace.words, "mark")
    return Bars(lane, start - origin, end - origin, *names, arguments, "mark")
