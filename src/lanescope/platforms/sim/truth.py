"""What really happened in a simulated run, to compare with what was recorded. Picoseconds."""

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
    """One interval of a controller."""

    lane: str
    controller: int
    kind: str
    start_ps: int
    end_ps: int
    loop: int
    tasks: int
    task: int
    """-1: about none."""


class TrueCounters(NamedTuple):
    """What happened inside one task, of the events that the run counts."""

    core: int
    token: int
    task: int
    cycles: int
    events: dict[int, int]
    """Event id to how often; those that are not here did not happen."""


class TrueInside(NamedTuple):
    """What happened inside one task, of a run whose trace engines are on."""

    core: int
    token: int
    task: int
    block: int
    inside: TaskInside


@dataclass
class Truth:
    """Kept only on request: it grows with the run."""

    tasks: list[TrueTask] = field(default_factory=list)
    phases: list[TruePhase] = field(default_factory=list)
    counters: list[TrueCounters] = field(default_factory=list)
    insides: list[TrueInside] = field(default_factory=list)
