"""The simulated machine: what its cores, controllers and the host share in one run."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lanescope.device.head import Array
from lanescope.errors import UsageError
from lanescope.platforms.sim.chip import Chip
from lanescope.platforms.sim.costs import core_rates, durations_ps, record_costs
from lanescope.platforms.sim.device import SimDevice
from lanescope.platforms.sim.engine import ASSUMED, Behaviour
from lanescope.platforms.sim.fitting import check_size
from lanescope.platforms.sim.kernel import PS_PER_NS, Kernel, Rounds, Signal
from lanescope.platforms.sim.memory import SharedMemory
from lanescope.platforms.sim.perfmon import Perfmon
from lanescope.platforms.sim.pmu import Pmu, PmuChoice
from lanescope.platforms.sim.truth import Truth
from lanescope.platforms.sim.window import Window
from lanescope.trace.flags import Feature
from lanescope.workloads.graph import NodeKind, TaskGraph

if TYPE_CHECKING:
    from lanescope.platforms.sim.computation import Computation


@dataclass(frozen=True, kw_only=True)
class SimSetup:
    """How a graph is run on a chip, and what is recorded of it."""

    chip: Chip
    features: Feature
    protocol: str = "producer-rotated"
    pre_dispatch: int = 1
    first_token: int = 0
    pmu: PmuChoice | None = None
    engine: Behaviour = ASSUMED
    """How the cores' trace engines behave, where they are on."""


class SimCore:
    """One core: what it holds and since when it is free."""

    __slots__ = ("cluster", "controller", "dispatched", "free_ps", "held_ps", "kind", "number",
                 "outstanding", "queue", "running", "sent")  # fmt: skip

    def __init__(self, number: int, kind: int, *, cluster: int, controller: int) -> None:
        self.number = number
        self.cluster = cluster
        self.kind = kind
        self.controller = controller
        self.queue: deque[tuple[int, int, int]] = deque()
        """(task, token, dispatch_ps), arrived and not begun"""
        self.sent: deque[int] = deque()
        """when each task that is not finished was dispatched"""
        self.running = False
        self.free_ps = 0
        self.held_ps = -1
        """since when it holds an early task that waits for its inputs; -1: none"""
        self.outstanding = 0
        self.dispatched = 0


class SimMachine:
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
        self.device = SimDevice(region_address, chip, setup.protocol, self._published)
        self.costs = record_costs(chip, setup.features, setup.protocol)
        self.truth: Truth | None = None
        self.computation: Computation | None = None
        self._host_tick = host_tick
        self._host_coming = False
        self.host_gave = Signal(self.kernel)
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
        self.together: deque[int] = deque()
        """tasks whose blocks start at once, in the order they became ready"""
        self.draining = False
        """a scheduler is giving the first of these to its cores"""
        self.wait_ps = None if graph.wait_ns is None else (graph.wait_ns * PS_PER_NS).tolist()
        self.begin_together = columns_of(graph.together, 0, len(graph))
        self.early_ready: list[deque[int]] = [deque() for _ in graph.kinds]
        """by kind, early tasks whose predecessors are all on cores; some may be ready meanwhile"""
        self.unplaced: list[int] | None = None
        """of each early task, how many predecessors are on no core yet, and itself unsubmitted;
        None in a graph without early tasks"""
        self.unsent = self.parts.copy() if graph.early is not None else []
        if graph.early is not None:
            early = graph.early.tolist()
            self.unplaced = [(n + 1) * e for n, e in zip(self.fan_in, early, strict=True)]
        self.staged: dict[int, SimCore] = {}
        """early tasks on cores that wait for their inputs"""
        self.gate: Callable[[tuple[SimCore, int]], None] = _no_gate
        self.depths = [*self.ready[:2], self.mixed] if any(self.partners) else self.ready[:3]
        """the queues whose depths phases tell of; the plan names them"""
        self.cores = make_cores(graph, chip)
        check_size(graph, chip)
        self.finished: list[deque[tuple[SimCore, int, int]]] = [
            deque() for _ in range(chip.schedulers)
        ]
        self.rounds = [Rounds(self.kernel) for _ in range(chip.schedulers)]
        self.scopes: list[list[int]] = [] if graph.scopes is None else graph.scopes.tolist()
        places = chip.orchestrator.window_tasks
        self.window: Window | None = None
        if len(graph) > places:
            self.window = Window(graph, places, Signal(self.kernel))
        self.orchestrator_waits = False
        self.held_up_ps = 0
        """by which the orchestrator's next step takes longer"""
        self.room = [[0] * len(graph.kinds) for _ in range(chip.schedulers)]
        """by scheduler and kind, how many of its cores can take one more task"""
        self._rooms = list(zip(self.room, self.rounds, strict=True))
        self.done = 0
        self.over = not len(graph)
        self.pmu = Pmu(self, setup.pmu) if setup.pmu is not None else None
        on = setup.features & Feature.CORE_SWIMLANE
        self.perfmon = Perfmon(self, setup.engine) if on else None
        self.reads_hardware = self.pmu is not None or self.perfmon is not None

    def ended(self, tasks: int) -> None:
        """So many more are done; with the last one everybody is told."""
        self.done += tasks
        if self.done == len(self.func):
            self.over = True
            self.wake()

    def submitted(self, task: int) -> None:
        """The orchestrator is done with it."""
        self.arrived(task)
        if self.unplaced is not None and self.unplaced[task]:
            self._one_placed(task)

    def arrived(self, task: int) -> None:
        """One more of what the task waits for is there; the last one makes it ready."""
        self.remaining[task] -= 1
        if not self.remaining[task]:
            self.became_ready(task)

    def became_ready(self, task: int) -> None:
        if self.nodes[task] or self.partners[task] or self.begin_together[task]:
            self._special_ready(task)
        elif task in self.staged:
            item = (self.staged.pop(task), task)
            self.kernel.call_after(self.chip.link.dispatch_latency_ps, self.gate, item)
        else:
            kind, blocks = self.kind[task], self.blocks[task]
            if blocks == 1:
                self.ready[kind].append(task)
            else:
                self.ready[kind].extend([task] * blocks)
            self._wake_with_room(kind)

    def _special_ready(self, task: int) -> None:
        """A node that no core runs, or a task that one core alone cannot run."""
        node = self.nodes[task]
        if node == NodeKind.ALLOC:
            self._allocated(task)
        elif node != NodeKind.RUN:
            self.silent.append(task)
            if self.unplaced is not None:
                self.placed(task)
        elif self.begin_together[task]:
            self.together.append(task)
        else:
            self.mixed.extend([task] * self.blocks[task])
        self.wake()

    def _allocated(self, task: int) -> None:
        """An allocation is done at once, and so are those that only waited for it."""
        due = [task]
        while due:
            task = due.pop()
            self.ended(1)
            if self.unplaced is not None:
                self.placed(task)
            if self.window is not None:
                self.window.release([task])
            for successor in self.successors_of(task):
                if self.remaining[successor] == 1 and self.nodes[successor] == NodeKind.ALLOC:
                    self.remaining[successor] = 0
                    due.append(successor)
                else:
                    self.arrived(successor)

    # ---- early tasks -------------------------------------------------------------------------

    def placed(self, task: int) -> None:
        """One block more is on a core, or the node needs none; with the last one, early
        successors may follow it there."""
        assert self.unplaced is not None
        self.unsent[task] -= 1
        if self.unsent[task] > 0:
            return
        for successor in self.successors_of(task):
            if self.unplaced[successor]:
                self._one_placed(successor)

    def _one_placed(self, task: int) -> None:
        assert self.unplaced is not None
        self.unplaced[task] -= 1
        if self.unplaced[task] == 0 and self.remaining[task]:
            kind = self.kind[task]
            self.early_ready[kind].append(task)
            self._wake_with_room(kind)

    def drop_ready(self, queue: deque[int]) -> None:
        """Leave out early tasks that became ready before a core was idle for them."""
        while queue and not self.remaining[queue[0]]:
            queue.popleft()

    def _wake_with_room(self, kind: int) -> None:
        for room, rounds in self._rooms:
            if room[kind] and rounds.awaited:
                rounds.fire()

    def successors_of(self, task: int) -> list[int]:
        found: list[int] = self.successors[self.offsets[task] : self.offsets[task + 1]]
        return found

    def wake(self) -> None:
        for rounds in self.rounds:
            rounds.fire()

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


def _no_gate(_: tuple[SimCore, int]) -> None:
    raise AssertionError("the cores have not said how a gate opens")


def columns_of(column: Array | None, usual: int, count: int) -> list[int]:
    found: list[int] = [int(usual)] * count if column is None else column.tolist()
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
