"""Which operation of a worker waits for which, as the study has it.

The order on a stream is not here: operations of one stream follow each other by their start. The
rules are those of ByteDance-Seed/StragglerAnalysis (`analyzer/dependency_model.py`). They are found
once per stage from the first block of it, and hold for every block with the same operations.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lanescope.formats.straggler.operations import (
    BACKWARD,
    CLIP,
    COMPUTE,
    DIRECTIONS,
    EMBEDDING,
    FORWARD,
    GARBAGE,
    GATHER,
    LAYERNORM,
    OPTIMIZER,
    SCATTER,
    SEPARATE,
)
from lanescope.formats.straggler.rows import Block, StudyRows
from lanescope.trace.table import Array

_CLOCK_NS = 50_000
"""Two times within this are taken for the same, because the workers' clocks differ a little."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What holds for all blocks with the same operations; numbers are places in the block."""

    before: Array
    after: Array
    """`after[i]` waits for `before[i]`."""
    turn: Array
    """By operation: which of the transfers of its type it is; -1 for what is no transfer."""


class Plans:
    """Makes a plan for the first block of a stage and keeps it for blocks like it."""

    def __init__(self, rows: StudyRows, *, data_parallel: bool) -> None:
        """`data_parallel` says whether the job has several data-parallel ranks."""
        self._rows = rows
        self._data_parallel = data_parallel
        self._overlapped = SEPARATE in rows.types
        self._known: dict[tuple[int, bytes], Plan] = {}

    def of(self, block: Block) -> Plan:
        """The plan of a block."""
        rows, span = self._rows, slice(block.first, block.last)
        stage = rows.workers[block.worker][0]
        key = (stage, rows.type[span].tobytes() + rows.number[span].tobytes())
        if key not in self._known:
            one = _BlockPlan(rows, span, stage)
            one.transfers()
            one.first_backward()
            if self._data_parallel:
                one.parameters()
            one.after_compute(self._data_parallel, self._overlapped)
            self._known[key] = one.plan()
        return self._known[key]


class _BlockPlan:
    """A plan while it is made."""

    def __init__(self, rows: StudyRows, span: slice, stage: int) -> None:
        self.start, self.end = rows.start[span], rows.end[span]
        self.chunk, self.part = rows.chunk[span], rows.place[span]
        names = [rows.types[code] for code in rows.type[span].tolist()]
        numbers = rows.number[span].tolist()
        self.place = {pair: at for at, pair in enumerate(zip(names, numbers, strict=True))}
        order = np.lexsort((rows.type[span], rows.number[span], self.start)).tolist()
        self.by_time = [(names[at], at) for at in order]
        self.stage, self.stages = stage, rows.stages
        self.parts = rows.chunks * rows.stages
        self.edges: list[tuple[int, int]] = []
        self.turn = np.full(len(names), -1)

    def plan(self) -> Plan:
        edges = np.array(sorted(set(self.edges)), np.int64).reshape(-1, 2)
        return Plan(edges[:, 0], edges[:, 1], self.turn)

    def _of(self, *names: str) -> list[int]:
        """Places of the operations of these types, by start."""
        return [at for name, at in self.by_time if name in names]

    def _numbered(self, name: str) -> list[int]:
        """Places of the operations of a type, by number."""
        return sorted(self._of(name))

    def transfers(self) -> None:
        """A send waits for the computation before it, a computation for what it receives.

        What is received is asked for when the computation before has ended. The profiler also
        records sends and receives that never were: before the first result, after the last
        computation began, and at the two ends of the model.
        """
        for direction in DIRECTIONS:
            compute = self._of(f"{direction}-compute")
            if not compute:
                continue
            last_start = int(self.start[compute].max()) + _CLOCK_NS
            first_end = int(self.end[compute].min()) - _CLOCK_NS
            sends = [at for at in self._of(f"{direction}-send") if self.end[at] >= first_end]
            takes = [at for at in self._of(f"{direction}-recv") if self.start[at] <= last_start]
            # The first receive may be missing where there is nothing to receive.
            skipped = 1 if len(takes) + 1 == len(compute) else 0
            self._match(direction, sends, skipped=0, sends=True)
            self._match(direction, takes, skipped=skipped, sends=False)

    def _match(self, direction: str, transfers: list[int], *, skipped: int, sends: bool) -> None:
        name = f"{direction}-compute"
        step = 1 if (direction == "forward") == sends else -1
        turn = 0
        for number, at in enumerate(transfers, skipped):
            compute = self.place.get((name, number))
            if compute is None:
                continue
            if sends:
                self.edges.append((compute, at))
            else:
                self.edges.append((at, compute))
                before = self.place.get((name, number - 1))
                if before is not None:
                    self.edges.append((before, at))
            if 0 <= int(self.part[compute]) + step < self.parts:
                self.turn[at] = turn
                turn += 1

    def first_backward(self) -> None:
        """The first backward transfers wait for the last but one forward computation before."""
        compute = [(name, at) for name, at in self.by_time if name in COMPUTE]
        first = next((k for k, (name, _) in enumerate(compute) if name == BACKWARD), 0)
        if first < 2:
            return
        for name in ("backward-recv", "backward-send"):
            if (name, 0) in self.place:
                self.edges.append((compute[first - 2][1], self.place[name, 0]))

    def parameters(self) -> None:
        """The first forward computation of a part waits for the last gathering of its weights."""
        gathers = {int(self.chunk[at]): at for at in self._numbered(GATHER)}
        for chunk, at in gathers.items():
            first = [one for one in self._of(FORWARD) if self.chunk[one] == chunk][:1]
            self.edges += [(at, one) for one in first]

    def _gradients(self) -> None:
        """The first scattering of a part's gradients waits for its last backward computation."""
        scatters = {int(self.chunk[at]): at for at in reversed(self._numbered(SCATTER))}
        for chunk, at in scatters.items():
            own = [one for one in self._of(BACKWARD) if self.chunk[one] == chunk]
            if own:
                self.edges.append((max(own, key=lambda one: int(self.end[one])), at))

    def after_compute(self, data_parallel: bool, overlapped: bool) -> None:
        """What comes after the last computation is one chain."""
        compute = self._of(*COMPUTE)
        last = [max(compute, key=lambda one: int(self.end[one]))] if compute else []
        collected = self._of(GARBAGE)
        self._chain([*last, *collected])
        scatters = self._numbered(SCATTER)
        middle: list[int] = []
        if data_parallel and overlapped:
            self._gradients()
            middle = self._of(SEPARATE)
        elif data_parallel:
            middle = scatters
        embedding = self._of(EMBEDDING) if self.stage in (0, self.stages - 1) else []
        ends = [*embedding, *middle, *self._of(CLIP), *self._of(OPTIMIZER)]
        rest = [*self._of(LAYERNORM), *ends]
        self._chain([*(collected or last)[-1:], *rest])
        if data_parallel and overlapped and scatters and rest:
            self.edges.append((scatters[-1], rest[0]))

    def _chain(self, places: list[int]) -> None:
        self.edges += pairwise(places)
