"""What a simulated core does: receive a task, run it, record it, tell its controller."""

from __future__ import annotations

from functools import partial

from lanescope.platforms.sim.kernel import Steps
from lanescope.platforms.sim.machine import SimCore, SimMachine
from lanescope.platforms.sim.timeline import Timeline, run_kernel
from lanescope.platforms.sim.truth import TrueTask


class CoreEvents:
    """The events of all cores: a task arrives, it ends, and its controller can see the end."""

    def __init__(self, machine: SimMachine) -> None:
        self._machine = machine
        self._kernel = machine.kernel
        self._device = machine.device
        self._setup_ps = machine.chip.core.setup_ps
        self._link_ps = machine.chip.link.dispatch_latency_ps
        self._seen_after_ps = machine.chip.link.finish_latency_ps
        self._record_ps = machine.costs.core_ps
        self._by_itself = machine.setup.protocol == "producer-rotated"
        graph = machine.graph
        self._kernels = graph.kernels or (None,) * len(graph.functions)
        shared = machine.memory.bytes_per_s is not None
        self._shares = [
            shared and ops is not None and ops.shared_total > 0 for ops in self._kernels
        ]
        """By function: whether it moves data through a memory that other cores may be using."""
        self.times: dict[tuple[int, int], tuple[int, int, int, int]] = {}
        """(core, token) to dispatch, receive, start and end in ps; only where the truth is kept."""
        self.gated: set[int] = set()
        """Early tasks on cores whose inputs are not ready yet."""
        machine.gate = self._open
        watched = machine.reads_hardware or machine.truth or machine.computation
        self._at_end = self._end if watched or not self._by_itself else self._end_unwatched

    def send(self, core: SimCore, task: int, token: int, dispatch_ps: int) -> None:
        """Send a task to a core: the controller writes it at `dispatch_ps`.

        The core already counts it as held.
        """
        arrival_ps = dispatch_ps + self._link_ps
        now = self._kernel.now_ps
        if (
            core.running
            or core.outstanding > 1
            or task in self.gated
            or self._is_process(core, task)
        ):
            self._kernel.call_after(
                arrival_ps - now, self._arrive, (core, task, token, dispatch_ps)
            )
            return
        # An idle core runs its only task at once: all times of the task are known now.
        core.running = True
        receive = core.free_ps if core.free_ps > arrival_ps else arrival_ps
        start = receive + self._setup_ps
        item = (core, task, token, dispatch_ps, receive, start)
        self._kernel.call_after(start + self._machine.duration_ps[task] - now, self._at_end, item)

    def _is_process(self, core: SimCore, task: int) -> bool:
        """Say whether the task's length depends on what other cores do meanwhile."""
        if not self._shares[self._machine.func[task]]:
            return False
        return bool(core.kind == self._machine.kind[task])

    def _arrive(self, item: tuple[SimCore, int, int, int]) -> None:
        """A task has reached its core."""
        core, task, token, dispatch = item
        core.queue.append((task, token, dispatch))
        if not core.running:
            self._begin(core)

    def _open(self, item: tuple[SimCore, int]) -> None:
        """The inputs of an early task are ready: it may start."""
        core, task = item
        self.gated.discard(task)
        if self._machine.computation is not None:
            self._machine.computation.dispatched(task, self._kernel.now_ps)
        if not core.running and core.queue and core.queue[0][0] == task:
            self._begin(core)

    def _begin(self, core: SimCore) -> None:
        """Start the oldest task that the core holds, unless it is early and its inputs lack."""
        now = self._kernel.now_ps
        if self.gated and core.queue[0][0] in self.gated:
            core.held_ps = max(core.free_ps, now)
            return
        task, token, dispatch = core.queue.popleft()
        receive = core.free_ps if core.free_ps > now else now
        start = receive + self._setup_ps
        if core.held_ps >= 0:
            receive, core.held_ps = core.held_ps, -1
            start = max(receive + self._setup_ps, now)
        core.running = True
        item = (core, task, token, dispatch, receive, start)
        if self._is_process(core, task):
            self._kernel.start(f"core {core.number}", self._run_kernel(item))
            return
        end = start + self._machine.duration_ps[task]
        self._kernel.call_after(end - now, self._at_end, item)

    def _run_kernel(self, item: tuple[SimCore, int, int, int, int, int]) -> Steps:
        """Run a kernel that shares the chip's memory with other cores."""
        core, task, start = item[0], item[1], item[5]
        yield start - self._kernel.now_ps
        machine = self._machine
        ops = self._kernels[machine.func[task]]
        assert ops is not None
        rates = machine.rates[machine.graph.kinds[core.kind]]
        timeline = yield from run_kernel(self._kernel, ops, rates, machine.memory)
        self._end(item, timeline)

    def _end(
        self, item: tuple[SimCore, int, int, int, int, int], shared: Timeline | None = None
    ) -> None:
        """The task has ended; `shared` is its timeline where it shared the chip's memory."""
        pmu, perfmon = self._machine.pmu, self._machine.perfmon
        if perfmon is not None:
            perfmon.ended(item[0], (item[1], item[2], item[5]), shared)
        if pmu is None:
            self._report((item, self._kernel.now_ps))
            return
        reading_ps = pmu.ended(item[0], (item[1], item[2], item[5]), shared)
        self._kernel.call_after(reading_ps, self._report, (item, self._kernel.now_ps))

    def _end_unwatched(self, item: tuple[SimCore, int, int, int, int, int]) -> None:
        """The task has ended, the core records it by itself, and nothing else is recorded of it."""
        core, task, token, _, receive, start = item
        kernel = self._kernel
        kernel.call_after(self._seen_after_ps, self._seen, (core, task, token))
        self._record(core, (receive, start, kernel.now_ps, task, token))

    def _report(self, ended: tuple[tuple[SimCore, int, int, int, int, int], int]) -> None:
        """Record the task, and tell the controller that it has ended."""
        (core, task, token, dispatch, receive, start), end = ended
        if self._machine.truth is not None:
            self.times[core.number, token] = (dispatch, receive, start, end)
        if self._machine.computation is not None:
            self._machine.computation.ended(task, end)
        if self._by_itself:
            self._tell(core, task, token, 0)
            self._record(core, (receive, start, end, task, token))
            return
        self._device.task(core.number, self._kernel.now_ps, receive, start, end, task, token)
        self._tell(core, task, token, self._record_ps)
        self._free(core, self._record_ps)

    def _tell(self, core: SimCore, task: int, token: int, after_ps: int) -> None:
        """Let the controller see the end, after that time and the link's latency."""
        delay = after_ps + self._seen_after_ps
        self._kernel.call_after(delay, self._seen, (core, task, token))

    def _seen(self, item: tuple[SimCore, int, int]) -> None:
        """The controller can see the end from now on."""
        core, task, token = item
        controller = core.controller
        self._machine.finished[controller].append((core, task, token))
        self._machine.rounds[controller].fire()

    def _record(self, core: SimCore, fields: tuple[int, ...]) -> None:
        """Write the core's own record; without a buffer the core waits until the host gives one."""
        lane = self._device.cores[core.number]
        if lane.room > 1:
            lane.held.append(lane.pack(*fields))
            lane.room -= 1
            self._free(core, self._record_ps)
        elif self._device.task(core.number, self._kernel.now_ps, *fields):
            switch_ps = self._machine.costs.rotate_ps if self._device.switched else 0
            self._free(core, self._record_ps + switch_ps)
        else:
            self._machine.blocked.append(partial(self._record, core, fields))

    def _free(self, core: SimCore, after_ps: int) -> None:
        """The core can take its next task after that time."""
        core.free_ps = self._kernel.now_ps + after_ps
        core.running = False
        if core.queue:
            self._begin(core)

    def true_task(self, core: int, token: int, task: int, finish_ps: int) -> TrueTask:
        """Return what really happened to a task that its controller has seen finish."""
        dispatch, receive, start, end = self.times.pop((core, token))
        func = self._machine.func[task]
        return TrueTask(core, token, task, func, dispatch, receive, start, end, finish_ps)
