"""The view of the controllers: one lane per controller, inner phases inside outer ones."""

from __future__ import annotations

import numpy as np

from lanescope.formats.views.arguments import arguments_of
from lanescope.formats.views.carried import PHASE_COLUMNS, carried
from lanescope.formats.views.layout import lay
from lanescope.formats.views.names import word_names
from lanescope.formats.views.origin import since
from lanescope.formats.views.rows import groups, only
from lanescope.formats.views.shapes import Bars, Producer, View
from lanescope.formats.views.stalls import stall_bars, stalled
from lanescope.trace import MISSING, Table, Trace
from lanescope.trace.lanes import EXPORT_ORDER, controller_lanes, stalls_of_cores
from lanescope.trace.rows import Rows
from lanescope.trace.table import Array

_PHASE_ARGUMENTS = ("loop", "tasks", "pop_hit", "pop_miss", "task", "submit", "bytes")


def controllers_view(trace: Trace, origin: int) -> View:
    """A bar per phase that has times, and the stalls of controllers."""
    known = (trace.phases["start_ns"] != MISSING) & (trace.phases["end_ns"] != MISSING)
    phases = only(trace.phases, known)
    stalls = trace.stalls.rows(stalled(trace) & ~stalls_of_cores(trace))
    columns = [(table["lane"], table["controller"]) for table in (phases, stalls)]
    lanes = controller_lanes(trace, columns, EXPORT_ORDER)
    lane, stall_lane = (lanes.of_controller(*pair) for pair in columns)
    parts = [
        _phases(trace, phases, rows, lane[rows], origin)
        for _, rows in groups(phases["lane"].astype(np.int64))
    ]
    parts.append(stall_bars(trace, stalls, stall_lane, origin))
    shown = {place: pair for pair, place in lanes.controllers.items()}
    producers = [_producer(trace, *shown[place]) for place in range(len(lanes.lanes))]
    return lay("controllers", lanes.full_names(), tuple(parts), producers=producers)


def _producer(trace: Trace, code: int, number: int) -> Producer:
    """Kind and number of a controller."""
    return trace.word(code) if code >= 0 else None, number if number >= 0 else None


def _phases(trace: Trace, phases: Table, rows: Rows, lane: Array, origin: int) -> Bars:
    """The bars of one kind of controller: each kind has arguments of its own."""
    differing, constants = carried(phases, rows, PHASE_COLUMNS)
    return Bars(
        lane,
        since(phases["start_ns"][rows], origin),
        since(phases["end_ns"][rows], origin),
        *word_names(phases["kind"][rows], trace.words, "phase"),
        arguments_of(phases, rows, {name: name for name in _PHASE_ARGUMENTS}) + differing,
        "phase",
        constants,
    )
