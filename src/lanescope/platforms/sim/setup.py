"""How a graph runs on a chip, and what all parts of one simulated run share."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from lanescope.platforms.sim.chip import Chip
from lanescope.platforms.sim.costs import core_rates
from lanescope.platforms.sim.engine import ASSUMED, Behaviour
from lanescope.platforms.sim.pmu_file import CounterUnit, EventGroup
from lanescope.platforms.sim.truth import Truth
from lanescope.trace.flags import Feature
from lanescope.workloads.graph import TaskGraph, WorkKind
from lanescope.workloads.pipes import CoreRates


@dataclass(frozen=True, slots=True)
class PmuChoice:
    """The counters of a run, and the group of events that they count."""

    unit: CounterUnit
    group: EventGroup

    @property
    def by_core(self) -> bool:
        """Whether the core reads its own counters, and not its controller."""
        return self.unit.reader == "core"

    def names(self) -> list[str]:
        """Return the name of each counter's event; empty: it counts nothing."""
        return self.group.names(len(self.unit.registers.counters))

    def held_in_advance(self, asked: int) -> int:
        """Return how many tasks a core may hold beside the one it runs."""
        return asked if self.by_core else 0


@dataclass(frozen=True, kw_only=True)
class SimSetup:
    """How a graph runs on a chip, and what is recorded of it."""

    chip: Chip
    features: Feature
    protocol: str = "producer-rotated"
    pre_dispatch: int = 1
    first_token: int = 0
    pmu: PmuChoice | None = None
    """What the performance counters count; None: nothing."""
    engine: Behaviour = ASSUMED
    """How the cores' trace engines behave."""


@dataclass(kw_only=True)
class SimRun:
    """What counters and trace engines know of the run in which they are."""

    graph: TaskGraph
    setup: SimSetup
    core_kinds: list[int]
    """By core: its kind as a code of the graph; -1: no task needs it."""
    truth: Truth | None = field(default=None)

    @cached_property
    def func(self) -> list[int]:
        """By task: its function."""
        funcs: list[int] = self.graph.func.tolist()
        return funcs

    @cached_property
    def kind(self) -> list[int]:
        """By task: the kind of core that it needs."""
        kinds: list[int] = self.graph.kind.tolist()
        return kinds

    @cached_property
    def runs_pipes(self) -> list[bool]:
        """By task: whether it runs its function's kernel."""
        pipes: list[bool] = (self.graph.work == WorkKind.PIPES).tolist()
        return pipes

    @cached_property
    def rates(self) -> list[CoreRates]:
        """By core: its clock and the rates of its routes."""
        kinds = self.setup.chip.core_kinds()
        by_kind = {kind: core_rates(self.setup.chip, kind) for kind in dict.fromkeys(kinds)}
        return [by_kind[kind] for kind in kinds]
