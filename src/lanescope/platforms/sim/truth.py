"""What really happened in a simulated run, to compare with what was recorded. Times are ps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from lanescope.platforms.sim.inside import TaskInside


class TrueTask(NamedTuple):
    """One task on one core."""

    core: int
    token: int
    task: int
    func: int
    dispatch_ps: int
    receive_ps: int
    start_ps: int
    end_ps: int
    finish_ps: int


class TruePhase(NamedTuple):
    """One phase of a controller."""

    lane: str
    controller: int
    kind: str
    start_ps: int
    end_ps: int
    loop: int
    tasks: int
    task: int
    """The task that the phase is about; -1: none."""


class TrueCounters(NamedTuple):
    """The events inside one task that the run counts."""

    core: int
    token: int
    task: int
    cycles: int
    events: dict[int, int]
    """Id of an event to how often it happened; an event that is not here did not happen."""


class TrueInside(NamedTuple):
    """What one task did inside its core, in a run with trace engines."""

    core: int
    token: int
    task: int
    block: int
    inside: TaskInside


@dataclass
class Truth:
    """Everything that happened in one run; kept only on request, because it grows with the run."""

    tasks: list[TrueTask] = field(default_factory=list)
    phases: list[TruePhase] = field(default_factory=list)
    counters: list[TrueCounters] = field(default_factory=list)
    insides: list[TrueInside] = field(default_factory=list)
