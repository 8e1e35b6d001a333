"""The core swimlane of a run: every core's trace engine, and the controllers that drain them.

An engine is given a task's chunks when the task has ended. So a controller that drains an engine
takes no chunks of a task that still runs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator
from struct import pack
from typing import TYPE_CHECKING, Any

from lanescope.chunks import Clocks
from lanescope.chunks.layout import BURST_BYTES, CHUNK_BYTES, FILLER, SENTINEL
from lanescope.device.perfmon import DrainedBursts, EngineReader, SubCore
from lanescope.errors import UsageError
from lanescope.platforms.sim.chip import Chip
from lanescope.platforms.sim.engine import Behaviour, CachedMemory, ClusterWindow, TraceEngine
from lanescope.platforms.sim.inside import Insides
from lanescope.platforms.sim.kernel import Wait
from lanescope.platforms.sim.stream import task_chunks
from lanescope.platforms.sim.timeline import Timeline
from lanescope.platforms.sim.truth import TrueInside

if TYPE_CHECKING:
    from lanescope.platforms.sim.machine import SimCore, SimMachine

_FILLERS = BURST_BYTES // CHUNK_BYTES - 1
END = pack(f"<{1 + _FILLERS}I", SENTINEL, *[FILLER] * _FILLERS)
"""A burst that ends the stream; the controller writes it where chunks were lost."""
MOST_BLOCKS = 1 << 16
"""Block numbers that a stamp can hold."""


def require_engine(chip: Chip) -> None:
    """Refuse a chip without trace engines, or with clocks that have no common unit."""
    if chip.perfmon is None:
        raise UsageError(
            f"{chip.name} has no trace engine that lanescope can read: its file has no section "
            "[perfmon] (the a2a3 generation streams periodic counters instead of what its pipes "
            "do); use --platform a5, or leave out --core-swimlane"
        )
    for kind in dict.fromkeys(chip.core_kinds()):
        Clocks(chip.kind_hz(kind), chip.clock.counter_hz)


def sub_cores(chip: Chip) -> tuple[int, ...]:
    """Return each core's place in its cluster's window: the cube core, then the vector cores."""
    first = max(chip.aic_per_cluster, 1)
    aic = [number % chip.aic_per_cluster for number in range(chip.clusters * chip.aic_per_cluster)]
    aiv = [number % chip.aiv_per_cluster for number in range(chip.clusters * chip.aiv_per_cluster)]
    return (*aic, *(first + place for place in aiv))


class Perfmon:
    """The trace engines of a machine's cores, which are started before the first task."""

    def __init__(self, machine: SimMachine, behaviour: Behaviour) -> None:
        chip = machine.chip
        require_engine(chip)
        assert chip.perfmon is not None
        self._machine, self._costs, self._behaviour = machine, chip.perfmon, behaviour
        self._insides = Insides(machine)
        self._counter_hz = chip.clock.counter_hz
        memory = CachedMemory(coherent=behaviour.coherent)
        self._engines = [TraceEngine(memory, behaviour) for _ in machine.cores]
        places = list(zip(chip.clusters_of(), sub_cores(chip), strict=True))
        members: dict[int, dict[int, TraceEngine]] = defaultdict(dict)
        for engine, (cluster, place) in zip(self._engines, places, strict=True):
            members[cluster][place] = engine
        windows = {cluster: ClusterWindow(engines) for cluster, engines in members.items()}
        self._readers = [
            EngineReader(
                SubCore(windows[cluster], place),
                memory.allocate(chip.perfmon.buffer_bytes),
                memory,
                setup=behaviour.setup(),
            )
            for cluster, place in places
        ]
        for reader in self._readers:
            reader.start()
        self.stop_ps = 0
        """How long the slowest controller took to stop its engines and to take what was left."""
        self._next_block: dict[int, int] = {}
        self._blocks: dict[tuple[int, int], int] = {}
        """(core, token) to block, for tasks that have several blocks."""

    def sent(self, core: SimCore, task: int, token: int) -> None:
        """Note that a controller gave the core a block of the task.

        A cube core comes before its partners, which have the same block.
        """
        blocks = self._machine.blocks[task]
        if blocks == 1:
            return
        block = self._next_block.get(task, 0)
        if core.kind != self._machine.kind[task]:
            block -= 1
        else:
            self._next_block[task] = block + 1
        self._blocks[core.number, token] = block % MOST_BLOCKS

    def ended(self, core: SimCore, task: tuple[int, int, int], shared: Timeline | None) -> None:
        """Give the engine the chunks of a task (its number, token and start) that has ended."""
        number, token, begin_ps = task
        inside = self._insides.of(core, number, begin_ps, shared=shared)
        block = self._blocks.pop((core.number, token), 0)
        chunks = task_chunks(
            inside,
            counter_hz=self._counter_hz,
            block=block,
            fixp_code=self._behaviour.fixp_code,
        )
        self._engines[core.number].make(chunks)
        if self._machine.truth is not None:
            self._machine.truth.insides.append(
                TrueInside(core.number, token, number, block, inside)
            )

    def drain(self, core: SimCore, *, time_ps: int) -> Generator[Wait, Any, int]:
        """Take what the engine wrote, after a task's finish; return the controller's time then."""
        piece = self._readers[core.number].drain()
        return (yield from self._take(core, piece, time_ps + self._costs.drain_ps))

    def stop(self, controller: int, *, time_ps: int) -> Generator[Wait, Any, int]:
        """Stop the engines of a controller's cores and take what is left; return its time then."""
        begin_ps = time_ps
        for core in self._machine.cores:
            if core.controller == controller:
                piece = self._readers[core.number].stop()
                time_ps = yield from self._take(core, piece, time_ps + self._costs.drain_ps)
        self.stop_ps = max(self.stop_ps, time_ps - begin_ps)
        return time_ps

    def _take(self, core: SimCore, piece: DrainedBursts, time_ps: int) -> Generator[Wait, Any, int]:
        """Write a piece of the stream as records; return the controller's time then."""
        machine, reader = self._machine, self._readers[core.number]
        kernel, counts = machine.kernel, (reader.made, reader.taken)
        data = END * piece.lost_before + piece.data + END * piece.lost_after
        while True:
            written = machine.device.bursts(core.number, time_ps, counts, data)
            data = data[written.bursts * BURST_BYTES :]
            time_ps += written.bursts * self._costs.burst_ps
            time_ps += written.buffers * machine.costs.rotate_ps
            if not data:
                break
            if time_ps > kernel.now_ps:
                yield time_ps - kernel.now_ps  # the host may come meanwhile, so ask again
                continue
            yield machine.host_gave
            time_ps = kernel.now_ps
        return time_ps
