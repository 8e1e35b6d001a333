"""Recording inside CUDA kernels: what the host does before, while and after they run.

with lanescope.cuda.record(cores=132) as rec:
    gemm = rec.function("gemm")
    with rec.range("step"):
        kernel((132,), (128,), (..., gemm, rec.launch("forward")))
lanescope.save(rec.trace, "gemm.lanes")
"""

from __future__ import annotations

import shutil
import sys
import weakref
from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import numpy as np

from lanescope.capture.directory import SessionNote
from lanescope.capture.flight import Flight, flight_of
from lanescope.capture.flight_text import flight_text
from lanescope.capture.host_log import HostLogWriter
from lanescope.capture.session import CaptureSession, create_session
from lanescope.capture.slices import MARK_NAMES, PIPE_NAMES
from lanescope.cuda import driver
from lanescope.cuda.clock import ClockAnchor, fit_clock
from lanescope.cuda.handle import Handles, grid_sizes
from lanescope.cuda.host import anchor, folder_of_own, host_clock, map_region
from lanescope.cuda.launching import HostRange, launch_handle
from lanescope.cuda.names import NAME_ROOM, Names
from lanescope.cuda.watchdog import Watchdog
from lanescope.device.flags import closed, level_features, read_level
from lanescope.device.head import Core
from lanescope.device.layouts import constant
from lanescope.device.region import RegionConfig
from lanescope.errors import LanescopeError, UsageError
from lanescope.results import Result
from lanescope.trace import Trace
from lanescope.trace.flags import Feature

DEVICE_HZ = 1_000_000_000
"""Rate of the device's clock: globaltimer counts nanoseconds (PTX ISA, special registers)."""


@dataclass(frozen=True, slots=True)
class Live(Result):
    """How far a recording is."""

    records: int
    """Number of records that arrived at the host so far."""
    dropped: int
    """Number of records that the kernels gave up so far."""
    spool_bytes: int
    """Size of the spools so far."""
    waiting: int
    """Number of lanes that have no free buffer at this moment."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What the device said when it had stopped."""

    refused: int
    """How often a kernel asked for a lane and did not get it."""
    last: ClockAnchor | None
    """The last moment that is known on both clocks; None after a kernel failed."""
    problems: tuple[str, ...] = ()


class Recorder:
    """A recording that `record` made. Kernels get `handle`; `trace` is there after the `with`."""

    def __init__(
        self,
        session: CaptureSession,
        gpu: driver.Gpu,
        *,
        own_folder: bool,
        grids: Sequence[int],
        watchdog_s: float | None = None,
    ) -> None:
        self.gpu = gpu
        self.hung: Flight | None = None
        """What every lane was doing when the watchdog saw that none moved; None until then."""
        self._session = session
        self._own_folder = own_folder
        self._outcome: _Outcome | None = None
        self._region = session.region
        if own_folder:
            weakref.finalize(self, shutil.rmtree, session.directory.parent, ignore_errors=True)
        self._names = Names(session.region)
        self._trace: Trace | None = None
        with ExitStack() as undo:
            undo.callback(session.discard)
            mapped = map_region(session.region)
            undo.callback(driver.unmap_host, session.region.address)
            self._first = fit_clock()
            self._handles = Handles(session.region.head, mapped, grids)
            undo.callback(self._handles.close)
            self._log = HostLogWriter(session.directory)
            undo.pop_all()
        anchor(self._region, self._first)
        self._watchdog = Watchdog(self._region, watchdog_s, self._bark) if watchdog_s else None

    @property
    def handle(self) -> int:
        """The 64-bit argument for kernels that include lanescope/cuda.cuh or call lanescope.triton.

        Each time it is read it is another number: that of a new launch, which has no name.

        Raises:
            UsageError: the recording has ended, and a kernel would write into freed memory.
        """
        return self.launch()

    def launch(self, name: str = "", *, grid: int = 0) -> int:
        """Return the argument for the kernels of a new launch, as `handle`; the trace has its name.

        `grid` says which of the numbers that `record(cores=(…))` got it is for.

        Raises:
            UsageError: the recording has ended, and a kernel would write into freed memory; or it
                has no such grid.
        """
        if self._outcome is not None:
            raise UsageError("the recording has ended; launch kernels inside its `with`")
        return launch_handle(self._log, self._handles[grid], name)

    @property
    def handles(self) -> tuple[int, ...]:
        """A handle for each number that `record(cores=(…))` got, for kernels that run at once.

        As with `handle`, each is a new launch.

        Raises:
            UsageError: the recording has ended.
        """
        return tuple(self.launch(grid=grid) for grid in range(len(self._handles)))

    def range(self, name: str) -> HostRange:
        """Return a range of the host's time, for `with`: it is a phase of the calling thread.

        Ranges may lie in each other, and several threads may have them at once.
        """
        return HostRange(self._log, name)

    def function(self, name: str) -> int:
        """Return the number of a function, for `begin`; a name keeps its number."""
        return self._names.number(name, 0)

    def mark(self, name: str) -> int:
        """Return the number of a mark, for `mark` and `Range`; a name keeps its number."""
        return self._names.number(name, MARK_NAMES)

    def live(self) -> Live:
        """Return how far the recording is, also while kernels run."""
        lanes = self._region.lanes
        free = lanes["opened"] - lanes["released"] < lanes["buffer_count"]
        return Live(
            records=self._records(),
            dropped=int(lanes["dropped"].sum()),
            spool_bytes=self._session.spool_bytes,
            waiting=int(np.count_nonzero(~free)),
        )

    def flight(self, *, last: int = 1) -> Flight:
        """Return what every lane did last and is doing, also of kernels that hang or have failed.

        `last` is how many finished records of each lane to return.
        """
        return flight_of(self._region, last=last, running=self._outcome is None)

    @property
    def trace(self) -> Trace:
        """Everything that was recorded. It is put together when it is first asked for.

        Raises:
            UsageError: the recording has not ended.
        """
        if self._outcome is None:
            raise UsageError("the trace is there after the end of `with lanescope.cuda.record()`")
        if self._trace is None:
            self._trace = self._assemble(self._outcome)
        return self._trace

    def discard(self) -> None:
        """Remove what was recorded, where no trace is wanted."""
        self._session.discard()

    def __enter__(self) -> Recorder:
        self._session.start()
        if self._watchdog is not None:
            self._watchdog.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wait until the kernels have ended, and take what is left."""
        self._outcome = self._stop_device()
        if self._watchdog is not None:
            self._watchdog.stop()
        self._log.close()
        self._region.mark_stopped()
        self._session.stop()

    def _assemble(self, outcome: _Outcome) -> Trace:
        trace = self._session.reconcile()
        if self._own_folder:
            self._session.discard()
        return trace.with_meta(
            host_clock=host_clock(trace.meta, self._first, outcome.last),
            notes=(
                *trace.meta.notes,
                *_refused_note(outcome.refused),
                *outcome.problems,
                *filter(None, [self._log.problem]),
            ),
        )

    def _stop_device(self) -> _Outcome:
        """Wait until the kernels have ended, and take the handle back.

        After a kernel failed, its context is lost, but its records are still in the region.
        """
        try:
            driver.synchronize()
            refused, last = self._handles.refused(), fit_clock()
            self._log.both_clocks(last.device_ns, last.unix_ns, last.error_ns)
            self._handles.close()
            driver.unmap_host(self._region.address)
        except LanescopeError as error:
            states = flight_text(self.flight()).splitlines()
            problems = (f"The kernel did not end well: {error}.", *states)
            return _Outcome(0, None, tuple(" ".join(line.split()) for line in problems))
        return _Outcome(refused, last)

    def _bark(self, idle_s: float) -> None:
        """Keep and print what every lane is doing, after `idle_s` seconds without a record."""
        self.hung = self.flight()
        print(
            f"lanescope: no lane has moved for {idle_s:.1f} s.\n{flight_text(self.hung)}",
            file=sys.stderr,
            flush=True,
        )

    def _records(self) -> int:
        """Return how many records arrived; the clock block of each buffer is none."""
        blocks = constant("LS_SLICE_CLOCK_RECORDS") * self._session.buffers
        return self._session.records - blocks


def record(
    *,
    level: int = 1,
    core_swimlane: bool = False,
    cores: int | Sequence[int] | None = None,
    pipes: Sequence[str] = ("block",),
    buffer_records: int | None = None,
    buffers: int = 8,
    on_full: str = "block",
    host_lost_s: float = 30.0,
    collectors: int = 1,
    name: str = "cuda",
    directory: Path | str | None = None,
    watchdog_s: float | None = None,
) -> Recorder:
    """Begin a recording on the current GPU, for one kernel or many.

    Args:
        level: How much to record; kernels of your own have level 1 only.
        core_swimlane: Whether marks are recorded, too.
        cores: Largest number of CTAs of a kernel that records; without it one per SM. Several
            numbers are for kernels that run at once: each has so many cores of its own, and
            `Recorder.handles` a handle for it.
        pipes: Names of the lanes that each CTA has.
        buffer_records: Number of records in a buffer. It must be the LS_SLICE_RECORDS that the
            kernels were compiled with.
        buffers: Number of buffers of a lane.
        on_full: Without a free buffer a kernel waits (`block`) or drops and counts (`drop`).
        host_lost_s: Seconds after which a waiting kernel gives up and drops.
        collectors: Number of threads that take buffers from the region.
        name: Name of the trace.
        directory: Folder for the capture, kept afterwards; without it a temporary one in memory.
        watchdog_s: After so many seconds without a record from a running kernel, what every lane is
            doing is printed, once. Without it nothing watches.

    Returns:
        The recording; enter it with `with` and give its `handle` to the kernels.

    Raises:
        UsageError: there is no GPU, the level is not 1, or no region can be made so.
        LanescopeError: the GPU cannot write into the directory.
    """
    records = constant("LS_SLICE_RECORDS") if buffer_records is None else buffer_records
    if read_level(level) != 1:
        raise UsageError(
            f"expected level 1, found {level}: a kernel of your own has no scheduler to record; to "
            "record nothing, launch it with handle 0"
        )
    gpu = driver.use_context()
    features = closed(level_features(level) | (Feature.CORE_SWIMLANE if core_swimlane else 0))
    grids = grid_sizes(gpu.multiprocessors if cores is None else cores)
    config = RegionConfig(
        flags=features,
        cores=(Core("sm"),) * sum(grids),
        pipes=len(pipes),
        schedulers=0,
        orchestrators=0,
        buffer_records={"slice": records + constant("LS_SLICE_CLOCK_RECORDS")},
        buffers=buffers,
        on_full=on_full,
        host_lost_s=host_lost_s,
        clock_hz=DEVICE_HZ,
        own_clock=False,
        func_shift=constant("LS_FUNC_SHIFT"),
        functions={PIPE_NAMES + number: pipe for number, pipe in enumerate(pipes)},
        name_room=NAME_ROOM,
    )
    with folder_of_own(name) if directory is None else nullcontext(Path(directory)) as folder:
        note = SessionNote(name, gpu.name)
        session = create_session(folder, config, note=note, collectors=collectors)
        own = directory is None
        return Recorder(session, gpu, own_folder=own, grids=grids, watchdog_s=watchdog_s)


def _refused_note(refused: int) -> tuple[str, ...]:
    if not refused:
        return ()
    return (
        f"Kernels asked {refused} times for a lane that did not exist, was in use or has buffers "
        "of another size, and recorded nothing there; give record() as many cores and pipes as "
        "the largest grid has CTAs and recording warps, kernels that run at once handles of their "
        "own (record(cores=(64, 64)) has two), and the LS_SLICE_RECORDS of the kernels.",
    )
