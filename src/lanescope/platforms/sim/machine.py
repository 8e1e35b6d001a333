"""The simulated machine: the state that cores, controllers and the host share in one run."""

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


class SimCore:
    """One core: the tasks that it holds, and when it is free."""

    __slots__ = ("cluster", "controller", "dispatched", "free_ps", "held_ps", "kind", "number",
                 "outstanding", "queue", "running", "sent")  # fmt: skip

    def __init__(self, number: int, kind: int, *, cluster: int, controller: int) -> None:
        self.number = number
        self.cluster = cluster
        self.kind = kind
        self.controller = controller
        self.queue: deque[tuple[int, int, int]] = deque()
        """(task, token, dispatch_ps) of tasks that have arrived and not begun."""
        self.sent: deque[int] = deque()
        """Dispatch times of the tasks that are not finished."""
        self.running = False
        self.free_ps = 0
        """When the core can take its next task."""
        self.held_ps = -1
        """Since when an early task on the core waits for its inputs; -1: none does."""
        self.outstanding = 0
        """How many tasks the core holds."""
        self.dispatched = 0
        """How many tasks were sent to the core so far."""


class SimMachine:
    """The state of one run."""

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
        """What the cores that wait for a buffer try again when the host has given one back."""
        self.memory = SharedMemory(self.kernel, chip.memory.hbm_bytes_per_s)
        self.rates = {kind: core_rates(chip, kind) for kind in dict.fromkeys(chip.core_kinds())}
        self._take_graph(graph)
        self._make_queues(graph)
        self._prepare_early(graph)
        self._make_controllers(graph, chip)
        self.pmu = Pmu(self, setup.pmu) if setup.pmu is not None else None
        on = setup.features & Feature.CORE_SWIMLANE
        self.perfmon = Perfmon(self, setup.engine) if on else None
        self.reads_hardware = self.pmu is not None or self.perfmon is not None

    def _take_graph(self, graph: TaskGraph) -> None:
        """Take over the graph's columns as lists, which are faster to index than arrays."""
        self.func = graph.func.tolist()
        self.kind = graph.kind.tolist()
        self.duration_ps = durations_ps(graph, self.rates)
        offsets, successors = graph.successors()
        self.offsets, self.successors = offsets.tolist(), successors.tolist()
        self.fan_in = graph.predecessor_counts().tolist()
        self.remaining = [count + 1 for count in self.fan_in]
        """By task: how many predecessors are not done, plus 1 until it is submitted."""
        self.blocks = columns_of(graph.blocks, 1, len(graph))
        self.partners = columns_of(graph.partners, 0, len(graph))
        self.nodes = columns_of(graph.nodes, NodeKind.RUN, len(graph))
        self.parts = [
            blocks * (1 + partners)
            for blocks, partners in zip(self.blocks, self.partners, strict=True)
        ]
        """By task: how many runs on cores it still needs to be done."""
        self.wait_ps = None if graph.wait_ns is None else (graph.wait_ns * PS_PER_NS).tolist()
        self.begin_together = columns_of(graph.together, 0, len(graph))
        self.scopes: list[list[int]] = [] if graph.scopes is None else graph.scopes.tolist()
        self.done = 0
        self.over = not len(graph)

    def _make_queues(self, graph: TaskGraph) -> None:
        """Make the queues in which ready tasks wait."""
        self.ready: list[deque[int]] = [deque() for _ in graph.kinds]
        """By kind: tasks for one core. A task of several blocks is in it once for each block."""
        self.mixed: deque[int] = deque()
        """Tasks for a cube core and its partners, once for each block."""
        self.silent: deque[int] = deque()
        """Nodes that no core runs."""
        self.together: deque[int] = deque()
        """Tasks whose blocks start at once, in the order in which they became ready."""
        self.draining = False
        """Whether a scheduler is giving the first of these to cores."""
        self.depths = [*self.ready[:2], self.mixed] if any(self.partners) else self.ready[:3]
        """The queues whose depths are in the records of phases; the plan names them."""

    def _prepare_early(self, graph: TaskGraph) -> None:
        """Make what is needed for early tasks, which wait on a core for their inputs."""
        self.early_ready: list[deque[int]] = [deque() for _ in graph.kinds]
        """By kind: early tasks whose predecessors are all on cores; some may have become ready."""
        self.unplaced: list[int] | None = None
        """By early task: how many predecessors are on no core yet, plus 1 until it is submitted.
        None in a graph without early tasks."""
        self.unsent = self.parts.copy() if graph.early is not None else []
        if graph.early is not None:
            early = graph.early.tolist()
            self.unplaced = [(n + 1) * e for n, e in zip(self.fan_in, early, strict=True)]
        self.staged: dict[int, SimCore] = {}
        """Early tasks that wait on a core for their inputs, and that core."""
        self.gate: Callable[[tuple[SimCore, int]], None] = _no_gate
        """Lets an early task start on its core."""

    def _make_controllers(self, graph: TaskGraph, chip: Chip) -> None:
        """Make the cores, and what schedulers and the orchestrator share."""
        self.cores = make_cores(graph, chip)
        check_size(graph, chip)
        self.finished: list[deque[tuple[SimCore, int, int]]] = [
            deque() for _ in range(chip.schedulers)
        ]
        self.rounds = [Rounds(self.kernel) for _ in range(chip.schedulers)]
        places = chip.orchestrator.window_tasks
        self.window: Window | None = None
        if len(graph) > places:
            self.window = Window(graph, places, Signal(self.kernel))
        self.orchestrator_waits = False
        self.held_up_ps = 0
        """Time that the orchestrator's next step takes longer."""
        self.room = [[0] * len(graph.kinds) for _ in range(chip.schedulers)]
        """By scheduler and kind: how many of its cores can take one more task."""
        self._rooms = list(zip(self.room, self.rounds, strict=True))

    def ended(self, tasks: int) -> None:
        """Note that so many more tasks are done; the last one wakes all schedulers."""
        self.done += tasks
        if self.done == len(self.func):
            self.over = True
            self.wake()

    def submitted(self, task: int) -> None:
        """Note that the orchestrator has submitted the task."""
        self.arrived(task)
        if self.unplaced is not None and self.unplaced[task]:
            self._one_placed(task)

    def arrived(self, task: int) -> None:
        """Note that one thing that the task waits for has come; the last one makes it ready."""
        self.remaining[task] -= 1
        if not self.remaining[task]:
            self.became_ready(task)

    def became_ready(self, task: int) -> None:
        """Put a ready task into its queue, and wake the schedulers that can give it to a core."""
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
        """Handle a node that no core runs, or a task that one core alone cannot run."""
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
        """End an allocation at once, and further allocations that only waited for it."""
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
        """Note that one more block is on a core, or that the node needs none.

        With the last block, early successors may be put on cores.
        """
        assert self.unplaced is not None
        self.unsent[task] -= 1
        if self.unsent[task] > 0:
            return
        for successor in self.successors_of(task):
            if self.unplaced[successor]:
                self._one_placed(successor)

    def _one_placed(self, task: int) -> None:
        """Note that one more predecessor of an early task is on a core."""
        assert self.unplaced is not None
        self.unplaced[task] -= 1
        if self.unplaced[task] == 0 and self.remaining[task]:
            kind = self.kind[task]
            self.early_ready[kind].append(task)
            self._wake_with_room(kind)

    def drop_ready(self, queue: deque[int]) -> None:
        """Drop early tasks from the queue's front that became ready meanwhile."""
        while queue and not self.remaining[queue[0]]:
            queue.popleft()

    def _wake_with_room(self, kind: int) -> None:
        """Wake the schedulers that have a core with room for a task of this kind."""
        for room, rounds in self._rooms:
            if room[kind] and rounds.awaited:
                rounds.fire()

    def successors_of(self, task: int) -> list[int]:
        """Return the tasks that wait for this one."""
        waiting: list[int] = self.successors[self.offsets[task] : self.offsets[task + 1]]
        return waiting

    def wake(self) -> None:
        """Wake all schedulers."""
        for rounds in self.rounds:
            rounds.fire()

    def _published(self, time_ps: int) -> None:
        """A buffer was published then: the host comes to take it after its latency."""
        if not self._host_coming:
            self._host_coming = True
            delay = time_ps - self.kernel.now_ps + self.chip.recording.host_latency_ps
            self.kernel.call_after(delay, self._host, priority=-1)

    def _host(self, _: None) -> None:
        """The host takes the published buffers; whoever waited for one tries again."""
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
    """Return a graph's column as a list; all are the usual value where it was left out."""
    values: list[int] = [int(usual)] * count if column is None else column.tolist()
    return values


def make_cores(graph: TaskGraph, chip: Chip) -> list[SimCore]:
    """Make the chip's cores; one scheduler serves all cores of a cluster."""
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
