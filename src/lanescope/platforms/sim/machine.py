"""The simulated machine: what its cores, controllers and the host share in one run."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from lanescope.device.head import Array
from lanescope.errors import UsageError
from lanescope.platforms.sim.chip import Chip
from lanescope.platforms.sim.device import SimDevice
from lanescope.platforms.sim.kernel import PS_PER_NS, Kernel, Signal
from lanescope.platforms.sim.memory import SharedMemory
from lanescope.platforms.sim.pmu import Pmu, PmuChoice
from lanescope.platforms.sim.timeline import undisturbed_ps
from lanescope.platforms.sim.truth import Truth
from lanescope.trace.flags import Feature
from lanescope.workloads.graph import NodeKind, TaskGraph, WorkKind
from lanescope.workloads.pipes import ROUTES, CoreRates


@dataclass(frozen=True, kw_only=True)
class SimSetup:
    """How a graph is run on a chip, and what is recorded of it."""

    chip: Chip
    features: Feature
    protocol: str = "producer-rotated"
    pre_dispatch: int = 1
    first_token: int = 0
    pmu: PmuChoice | None = None


@dataclass(frozen=True, slots=True)
class RecordCosts:
    """What recording adds to each action in this run: 0 where the level leaves it out."""

    core_ps: int
    task_ps: int
    """controller, per finished task"""
    scheduler_phase_ps: int
    orchestrator_phase_ps: int
    rotate_ps: int


class SimCore:
    """One core: what it holds and since when it is free."""

    __slots__ = ("cluster", "controller", "dispatched", "free_ps", "kind", "number",
                 "outstanding", "queue", "running")  # fmt: skip

    def __init__(self, number: int, kind: int, *, cluster: int, controller: int) -> None:
        self.number = number
        self.cluster = cluster
        self.kind = kind
        self.controller = controller
        self.queue: deque[tuple[int, int, int]] = deque()
        """(task, token, dispatch_ps), arrived and not begun"""
        self.running = False
        self.free_ps = 0
        self.outstanding = 0
        self.dispatched = 0


class Machine:
    """State of one run."""

    def __init__(
        self,
        graph: TaskGraph,
        setup: SimSetup,
        *,
        region_address: int,
        host_tick: Callable[[], int],
    ) -> None:
        chip = setup.chip
        self.graph, self.setup, self.chip = graph, setup, chip
        self.kernel = Kernel()
        self.device = SimDevice(region_address, chip.clock.counter_hz, self._published)
        self.costs = record_costs(setup)
        self.truth: Truth | None = None
        self._host_tick = host_tick
        self._host_coming = False
        self.host_gave = Signal()
        self.blocked: list[Callable[[], None]] = []
        """cores that wait for a buffer: what to try again when the host gave one back"""
        self.func = graph.func.tolist()
        self.kind = graph.kind.tolist()
        self.memory = SharedMemory(self.kernel, chip.memory.hbm_bytes_per_s)
        self.rates = {kind: core_rates(chip, kind) for kind in dict.fromkeys(chip.core_kinds())}
        self.duration_ps = durations_ps(graph, self.rates)
        offsets, successors = graph.successors()
        self.offsets, self.successors = offsets.tolist(), successors.tolist()
        self.fan_in = graph.predecessor_counts().tolist()
        self.remaining = [count + 1 for count in self.fan_in]
        self.blocks = columns_of(graph.blocks, 1, len(graph))
        self.partners = columns_of(graph.partners, 0, len(graph))
        self.nodes = columns_of(graph.nodes, NodeKind.RUN, len(graph))
        self.parts = [
            blocks * (1 + partners)
            for blocks, partners in zip(self.blocks, self.partners, strict=True)
        ]
        """runs on cores that a task still needs to be done"""
        self.ready: list[deque[int]] = [deque() for _ in graph.kinds]
        """by kind, tasks for one core; a task of several blocks is in it once for each"""
        self.mixed: deque[int] = deque()
        """tasks for a cube core and its partners, in the same way"""
        self.silent: deque[int] = deque()
        """nodes that no core runs"""
        self.depths = [*self.ready[:2], self.mixed] if any(self.partners) else self.ready[:3]
        """the queues whose depths phases tell of; the plan names them"""
        self.cores = make_cores(graph, chip)
        check_size(graph, chip)
        self.finished: list[deque[tuple[SimCore, int, int, int]]] = [
            deque() for _ in range(chip.schedulers)
        ]
        self.signals = [Signal() for _ in range(chip.schedulers)]
        self.room = [[0] * len(graph.kinds) for _ in range(chip.schedulers)]
        """by scheduler and kind, how many of its cores can take one more task"""
        self.done = 0
        self.pmu = Pmu(self, setup.pmu) if setup.pmu is not None else None

    @property
    def over(self) -> bool:
        return self.done == len(self.func)

    def arrived(self, task: int) -> None:
        """One more of what the task waits for is there; the last one makes it ready."""
        due = [task]
        while due:
            task = due.pop()
            self.remaining[task] -= 1
            if self.remaining[task]:
                continue
            if self.nodes[task] == NodeKind.ALLOC:
                self.done += 1
                due += self.successors_of(task)
                self.wake()
            elif self.nodes[task] != NodeKind.RUN:
                self.silent.append(task)
                self.wake()
            elif self.partners[task]:
                self.mixed.extend([task] * self.blocks[task])
                self.wake()
            else:
                kind = self.kind[task]
                self.ready[kind].extend([task] * self.blocks[task])
                for room, signal in zip(self.room, self.signals, strict=True):
                    if room[kind]:
                        signal.fire()

    def successors_of(self, task: int) -> list[int]:
        found: list[int] = self.successors[self.offsets[task] : self.offsets[task + 1]]
        return found

    def wake(self) -> None:
        for signal in self.signals:
            signal.fire()

    def _published(self, time_ps: int) -> None:
        """A buffer waits since then: the host comes to take it after its latency."""
        if not self._host_coming:
            self._host_coming = True
            delay = time_ps - self.kernel.now_ps + self.chip.recording.host_latency_ps
            self.kernel.call_after(delay, self._host, priority=-1)

    def _host(self, _: None) -> None:
        self._host_coming = False
        self._host_tick()
        self.host_gave.fire()
        self.wake()
        waiting, self.blocked = self.blocked, []
        for again in waiting:
            again()


def columns_of(column: Array | None, usual: int, count: int) -> list[int]:
    found: list[int] = [int(usual)] * count if column is None else column.tolist()
    return found


def check_size(graph: TaskGraph, chip: Chip) -> None:
    """Refuse a task that needs more of a cluster than there is."""
    most = 0 if graph.partners is None else int(graph.partners.max(initial=0))
    if most > chip.aiv_per_cluster or (most and chip.aic_per_cluster != 1):
        raise UsageError(
            f"a task of {graph.name} needs a cube core and {most} vector cores of one cluster; "
            f"a cluster of {chip.name} has {chip.aic_per_cluster} and {chip.aiv_per_cluster}"
        )
    if chip.orchestrators != 1:
        raise UsageError(f"{chip.name} has {chip.orchestrators} orchestrators; one is simulated")


def record_costs(setup: SimSetup) -> RecordCosts:
    """The chip's costs of what the run records."""
    costs, features = setup.chip.recording, setup.features
    timing = bool(features & Feature.CHIP_SWIMLANE_CORE_TIMING)
    lifecycle = bool(features & Feature.CHIP_SWIMLANE_TASK_LIFECYCLE)
    per_task = {
        "staging": costs.staging_copy_ps,
        "controller-rotated": costs.count_ps,
        "producer-rotated": 0,
    }[setup.protocol]
    phases = bool(features & Feature.CHIP_SWIMLANE_PHASE_BUFFERS)
    orchestrator = bool(features & Feature.CHIP_SWIMLANE_ORCHESTRATOR_PHASES)
    return RecordCosts(
        core_ps=costs.core_record_ps * timing,
        task_ps=per_task * timing + costs.controller_record_ps * lifecycle,
        scheduler_phase_ps=costs.scheduler_phase_ps * phases,
        orchestrator_phase_ps=costs.orchestrator_phase_ps * orchestrator,
        rotate_ps=costs.rotate_ps * timing,
    )


_SIMULATED = {WorkKind.NONE, WorkKind.SPIN, WorkKind.PIPES}


def core_rates(chip: Chip, kind: str) -> CoreRates:
    """How fast a core of this kind is."""
    routes = {
        route: getattr(chip.memory, f"{route}_bytes_per_s")
        for route, place in ROUTES.items()
        if place.kind == kind
    }
    return CoreRates(chip.kind_hz(kind), routes)


def durations_ps(graph: TaskGraph, rates: Mapping[str, CoreRates]) -> list[int]:
    """How long each task runs with the chip's memory to itself."""
    if len(graph) and not set(graph.work.tolist()) <= _SIMULATED:
        raise UsageError(
            f"{graph.name} has tasks that copy, multiply or call a function; a simulated chip runs "
            "tasks of stated length, and kernels"
        )
    lengths = graph.amount * PS_PER_NS * (graph.work == WorkKind.SPIN)
    for task in np.flatnonzero(graph.work == WorkKind.PIPES).tolist():
        kernel = graph.kernels[graph.func[task]]
        assert kernel is not None  # graph.check() saw to that
        lengths[task] = undisturbed_ps(kernel, rates[graph.kinds[graph.kind[task]]])
    found: list[int] = lengths.tolist()
    return found


def make_cores(graph: TaskGraph, chip: Chip) -> list[SimCore]:
    """The chip's cores; a cluster's are served by one scheduler."""
    kinds, clusters = chip.core_kinds(), chip.clusters_of()
    lacking = [kind for kind in graph.kinds if kind not in kinds]
    if lacking:
        has = ", ".join(dict.fromkeys(kinds))
        raise UsageError(
            f"{graph.name} needs cores of kind {', '.join(lacking)}; {chip.name} has {has}"
        )
    codes = {kind: code for code, kind in enumerate(graph.kinds)}
    return [
        SimCore(number, codes.get(kind, -1), cluster=cluster, controller=cluster % chip.schedulers)
        for number, (kind, cluster) in enumerate(zip(kinds, clusters, strict=True))
    ]
