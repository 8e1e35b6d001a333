"""What the events of a group count in one task, from its timeline and its transfers.

A rule is a word and its subject, such as `busy mte2` or `read l1`. Each word has a function. Cycles
are those of the core's clock, rounded down once per task. Requests are rounded up per transfer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lanescope.platforms.sim.inside import TaskInside
from lanescope.platforms.sim.picoseconds import PS_PER_S
from lanescope.platforms.sim.pmu_file import NOT_MODELLED, Event, EventGroup
from lanescope.platforms.sim.timeline import busy_ps
from lanescope.workloads.pipes import CoreRates, PipeOp

ENDS = {
    "gm_to_ub": ("main", "ub"),
    "gm_to_l1": ("main", "l1"),
    "ub_to_gm": ("ub", "main"),
    "l0c_to_gm": ("l0c", "main"),
    "l1_to_l0a": ("l1", "l0a"),
    "l1_to_l0b": ("l1", "l0b"),
}
"""Route to the memory that is read and the memory that is written."""
PLACES = tuple(dict.fromkeys(place for ends in ENDS.values() for place in ends))


def cycles_of(rates: CoreRates, time_ps: int) -> int:
    """Convert picoseconds to core cycles, rounded down."""
    return time_ps * rates.core_hz // PS_PER_S


def total_cycles(inside: TaskInside) -> int:
    """Return the core cycles that the task took."""
    return cycles_of(inside.rates, inside.timeline.length_ps)


def counted(inside: TaskInside, group: EventGroup) -> Mapping[int, int]:
    """Return how often each event happened, by its id; events that did not happen are left out."""
    if inside.kernel is None:
        return {}
    counts = {event.id: RULES[rule(event)[0]](inside, event) for event in group.events}
    return {event: count for event, count in counts.items() if count}


def rule(event: Event) -> tuple[str, str]:
    """Return the word of an event's rule, and the rule's subject."""
    if event.counts == NOT_MODELLED:
        return NOT_MODELLED, ""
    word, _, about = event.counts.partition(" ")
    return word, about


def _busy(inside: TaskInside, event: Event) -> int:
    """Core cycles in which the pipe was busy."""
    return cycles_of(inside.rates, busy_ps(inside.timeline, rule(event)[1]))


def _compute(inside: TaskInside, event: Event) -> int:
    """Core cycles of the pipe's operations, without their waits."""
    return sum(op.cycles for op in _ops(inside) if op.pipe == rule(event)[1])


def _read(inside: TaskInside, event: Event) -> int:
    return _requests(inside, event, end=0)


def _written(inside: TaskInside, event: Event) -> int:
    return _requests(inside, event, end=1)


def _nothing(inside: TaskInside, event: Event) -> int:
    return 0


RULES: dict[str, Callable[[TaskInside, Event], int]] = {
    "busy": _busy,
    "compute": _compute,
    "read": _read,
    "write": _written,
    NOT_MODELLED: _nothing,
}


def _requests(inside: TaskInside, event: Event, *, end: int) -> int:
    """Requests of the event's size to the memory at one end of the routes."""
    place = rule(event)[1]
    moved = (op.bytes for op in _ops(inside) if op.bytes and ENDS[op.route][end] == place)
    return sum(-(-size // event.request_bytes) for size in moved)


def _ops(inside: TaskInside) -> tuple[PipeOp, ...]:
    assert inside.kernel is not None
    return inside.kernel.ops
