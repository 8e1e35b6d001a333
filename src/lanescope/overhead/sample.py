"""One run of one configuration: how long it took, what it recorded, and that nothing is missing.

No Trace is made. The ledger only needs the lanes' counters and the number of records in the spool,
and comparing those takes a fraction of the time.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lanescope.capture import CaptureSession, SessionNote, create_session
from lanescope.capture.directory import SPOOL
from lanescope.capture.drain import counters
from lanescope.capture.gather import Gathered, gather
from lanescope.capture.ledger import LaneCounts
from lanescope.capture.spool import FrameKind, SpoolReader
from lanescope.capture.stalls import stall_columns
from lanescope.device.head import Array, Head
from lanescope.device.kinds import KINDS
from lanescope.device.region import clock_hz
from lanescope.errors import LanescopeError
from lanescope.platforms.recording import Recording
from lanescope.platforms.threads.machine import ThreadMachine, run_graph
from lanescope.platforms.threads.recorded import region_config
from lanescope.results import Result
from lanescope.trace import Words
from lanescope.trace.schema import MISSING
from lanescope.workloads.graph import TaskGraph


@dataclass(frozen=True, slots=True)
class RunSample(Result):
    """Figures of one run, all lanes together."""

    makespan_ns: int
    records: int = 0
    """Records that arrived at the host."""
    dropped: int = 0
    """Records that producers dropped."""
    stalls: int = 0
    """How often a producer had no free buffer."""
    blocked_ns: int = 0
    """How long producers waited for a free buffer."""
    orchestrator_ns: int | None = None
    """Time until everything was submitted. Simulated chips only, whose makespan is the
    schedulers'."""


def measure_threads(
    graph: TaskGraph, machine: ThreadMachine, recording: Recording, *, directory: Path
) -> RunSample:
    """Run the graph once on threads. `directory` holds the capture and is then removed."""
    if recording.chip_swimlane == 0:
        return RunSample(run_graph(graph, machine, clock_hz=clock_hz()).makespan_ns)
    config = region_config(graph, machine, recording)
    session = create_session(directory, config, note=SessionNote(graph.name, "threads"))
    try:
        with session:
            result = run_graph(
                graph, machine, region_address=session.region.address, clock_hz=clock_hz()
            )
            session.region.mark_stopped()
        return sample_of(session, result.makespan_ns, result.tasks_per_core)
    finally:
        session.discard()


def sample_of(
    session: CaptureSession, makespan_ns: int, tasks_per_core: tuple[int, ...]
) -> RunSample:
    """Return the figures of a stopped session, and check its ledger."""
    if session.error is not None:
        raise session.error
    head = session.region.head
    gathered = gather(_payloads(session.directory / SPOOL), head)
    lanes = counters(session.region.memory, head)
    require_closed(head, lanes, arrived=gathered.counts(), tasks_per_core=tasks_per_core)
    stalls, blocked_ns = _stalls(gathered, head, lanes)
    return RunSample(
        makespan_ns=makespan_ns,
        records=int(gathered.counts().sum()),
        dropped=int(lanes["dropped"].sum()),
        stalls=stalls,
        blocked_ns=blocked_ns,
    )


def _payloads(spool: Path) -> list[Array]:
    """Return the buffers in the spool; a damaged spool is an error."""
    reader = SpoolReader(spool)
    payloads = [frame.payload for frame in reader.frames() if frame.kind == FrameKind.BUFFERS]
    if reader.damage:
        raise LanescopeError(f"{spool}: {reader.damage[0].problem}")
    return payloads


def require_closed(
    head: Head, lanes: Array, *, arrived: Array, tasks_per_core: tuple[int, ...]
) -> None:
    """Refuse a run whose ledger does not close.

    Every record that a lane counted must have arrived. Every core must have made one record, or
    dropped one, for each task that it ran.
    """
    for lane in range(len(lanes)):
        kind, owner = KINDS[head.lanes["kind"][lane]], int(head.lanes["owner"][lane])
        made, dropped = int(lanes["recorded"][lane]), int(lanes["dropped"][lane])
        if made != arrived[lane]:
            raise LanescopeError(
                f"the ledger does not close: {head.lane_name(lane)}: {made} {kind} records were "
                f"written and {dropped} dropped, but {arrived[lane]} arrived"
            )
        if kind == "core_task" and made + dropped != tasks_per_core[owner]:
            raise LanescopeError(
                f"the ledger does not close: {head.lane_name(lane)} ran {tasks_per_core[owner]} "
                f"tasks, but {made} records were written and {dropped} dropped"
            )


def _stalls(gathered: Gathered, head: Head, lanes: Array) -> tuple[int, int]:
    """Return how many stalls there were, and how many nanoseconds they took together."""
    columns = stall_columns(gathered, head, LaneCounts(lanes), Words())
    start, end = columns["start_cycles"], columns["end_cycles"]
    cycles = np.where(end == MISSING, 0, end - start).sum()
    return len(start), int(cycles) * 10**9 // int(head.header["clock_hz"])
