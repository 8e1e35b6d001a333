"""The core swimlane of a run: every core's trace engine, and the controllers that drain them.

An engine is given a task's chunks when the task has ended. So a controller that drains an engine
takes no chunks of a task that still runs.
"""

from __future__ import annotations

from collections import defaultdict
from ctypes import c_char_p, c_void_p, cast
from struct import pack
from typing import Any

from lanescope.chunks import Clocks
from lanescope.chunks.layout import BURST_BYTES, CHUNK_BYTES, FILLER, SENTINEL
from lanescope.device.perfmon import EngineReader, SubCore
from lanescope.errors import UsageError
from lanescope.platforms.sim.chip import Chip
from lanescope.platforms.sim.engine import CachedMemory, ClusterWindow, TraceEngine
from lanescope.platforms.sim.inside import Insides
from lanescope.platforms.sim.setup import SimRun
from lanescope.platforms.sim.stream import task_chunks
from lanescope.platforms.sim.timeline import Timeline
from lanescope.platforms.sim.truth import TrueInside

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
    """The trace engines of a run's cores, which are started before the first task."""

    def __init__(self, run: SimRun) -> None:
        chip, behaviour = run.setup.chip, run.setup.engine
        require_engine(chip)
        assert chip.perfmon is not None
        self._run, self._behaviour, self._insides = run, behaviour, Insides(run)
        self._several = run.graph.blocks
        memory = CachedMemory(coherent=behaviour.coherent)
        self._engines = [TraceEngine(memory, behaviour) for _ in run.core_kinds]
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
        self._next_block: dict[int, int] = {}
        self._blocks: dict[tuple[int, int], int] = {}
        """(core, token) to block, for tasks that have several blocks."""
        self._taken = b""
        """What was given to the machine last, which copies it."""

    def sent(self, core: int, task: int, token: int) -> None:
        """Note that a controller gave the core a block of the task.

        A cube core comes before its partners, which have the same block.
        """
        if self._several is None or self._several[task] == 1:
            return
        block = self._next_block.get(task, 0)
        if self._run.core_kinds[core] != self._run.kind[task]:
            block -= 1
        else:
            self._next_block[task] = block + 1
        self._blocks[core, token] = block % MOST_BLOCKS

    def ended(self, core: int, task: tuple[int, ...], shared: Timeline | None) -> None:
        """Give the engine the chunks of a task (number, token, start, length) that has ended."""
        number, token, begin_ps, length_ps = task
        inside = self._insides.of(core, number, (begin_ps, length_ps), shared=shared)
        block = self._blocks.pop((core, token), 0)
        chunks = task_chunks(
            inside,
            counter_hz=self._run.setup.chip.clock.counter_hz,
            block=block,
            fixp_code=self._behaviour.fixp_code,
        )
        self._engines[core].make(chunks)
        if self._run.truth is not None:
            self._run.truth.insides.append(TrueInside(core, token, number, block, inside))

    def drain(self, core: int, stop: int, found: Any) -> None:
        """Take what the core's engine wrote since the last time; with `stop` it is stopped, too."""
        reader = self._readers[core]
        piece = reader.stop() if stop else reader.drain()
        self._taken = END * piece.lost_before + piece.data + END * piece.lost_after
        found[0].bursts = cast(c_char_p(self._taken), c_void_p).value
        found[0].count = len(self._taken) // BURST_BYTES
        found[0].made, found[0].taken = reader.made, reader.taken
