"""The view of the controllers: one lane per thread, inner phases inside outer ones."""

from __future__ import annotations

import numpy as np

from lanescope.formats.views.arguments import arguments_of
from lanescope.formats.views.layout import lay
from lanescope.formats.views.origin import since
from lanescope.formats.views.rows import groups, only
from lanescope.formats.views.shapes import Slices, View
from lanescope.formats.views.stalls import of_core, stall_slices, stalled
from lanescope.trace import MISSING, MISSING32, Table, Trace
from lanescope.trace.table import Array

_CONTROLLER_LANES = ("scheduler", "orchestrator", "host")
_PHASE_ARGUMENTS = ("loop", "tasks", "pop_hit", "pop_miss", "task", "submit", "bytes")


def controllers_view(trace: Trace, origin: int) -> View:
    known = (trace.phases["start_ns"] != MISSING) & (trace.phases["end_ns"] != MISSING)
    phases = only(trace.phases, known)
    stalls = trace.stalls.rows(stalled(trace) & ~of_core(trace))
    keys = [_controller_key(trace, table) for table in (phases, stalls)]
    used, lane = np.unique(np.concatenate(keys), return_inverse=True)
    parts = [
        _phases(trace, phases, rows, lane[rows], origin)
        for _, rows in groups(phases["lane"].astype(np.int64))
    ]
    lanes = [_controller_name(trace, code) for code in used.tolist()]
    parts.append(stall_slices(trace, stalls, lane[len(phases) :], origin))
    return lay("controllers", lanes, tuple(parts))


def _phases(trace: Trace, phases: Table, rows: Array, lane: Array, origin: int) -> Slices:
    """Phases of one kind of lane: each kind has arguments of its own."""
    names = (*trace.words, "phase")
    return Slices(
        lane,
        since(phases["start_ns"][rows], origin),
        since(phases["end_ns"][rows], origin),
        phases["kind"][rows] % len(names),
        names,
        arguments_of(phases, rows, {name: name for name in _PHASE_ARGUMENTS}),
    )


def _controller_key(trace: Trace, table: Table) -> Array:
    """Sorts by kind of lane, schedulers first, then by controller."""
    kinds = (*trace.words, "")
    known = {word: position for position, word in enumerate(_CONTROLLER_LANES)}
    rank = np.array([known.get(word, len(known)) for word in kinds])
    kind = table["lane"] % len(kinds)
    controller = table["controller"].astype(np.int64) & 0xFFFFFFFF
    return np.asarray((rank[kind] * len(kinds) + kind) << 32 | controller)


def _controller_name(trace: Trace, code: int) -> str:
    kind, controller = (code >> 32) % (len(trace.words) + 1), code & 0xFFFFFFFF
    label = trace.words[kind] if kind < len(trace.words) else "controller"
    return label if controller == MISSING32 & 0xFFFFFFFF else f"{label} {controller}"
