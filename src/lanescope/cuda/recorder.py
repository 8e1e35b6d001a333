"""Recording inside CUDA kernels, from the host's side: before, while they run, and after.

with lanescope.cuda.record(cores=132) as rec:
    gemm = rec.function("gemm")
    kernel((132,), (128,), (..., gemm, rec.handle))
lanescope.save(rec.trace, "gemm.lanes")
"""

from __future__ import annotations

import shutil
import sys
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import numpy as np

from lanescope.capture.directory import SessionNote
from lanescope.capture.flight import Flight, flight_of
from lanescope.capture.flight_text import flight_text
from lanescope.capture.session import Session, create_session
from lanescope.capture.slices import MARK_NAMES, PIPE_NAMES
from lanescope.cuda import driver
from lanescope.cuda.clock import Fit, fit_clock
from lanescope.cuda.handle import Handle
from lanescope.cuda.host import MEMORY_FOLDER, anchor, host_clock, own_folder
from lanescope.cuda.names import NAME_ROOM, Names
from lanescope.cuda.watchdog import Watchdog
from lanescope.device.flags import closed, level_features, read_level
from lanescope.device.head import Core
from lanescope.device.layouts import constant
from lanescope.device.region import RegionConfig
from lanescope.errors import LanescopeError, UsageError
from lanescope.trace import Trace
from lanescope.trace.flags import Feature

DEVICE_HZ = 1_000_000_000
"""The device's clock, globaltimer, counts nanoseconds (PTX ISA, special registers)."""


@dataclass(frozen=True, slots=True)
class Live:
    """How far a recording is."""

    records: int
    """Arrived at the host so far."""
    dropped: int
    """Given up by the kernels so far."""
    spool_bytes: int
    waiting: int
    """Lanes that have no free buffer at this moment."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What the device said when it had stopped."""

    refused: int
    last: Fit | None
    problems: tuple[str, ...] = ()


class Recorder:
    """Made by `record`. `handle` is the kernels' argument; `trace` is there after the `with`."""

    def __init__(
        self,
        session: Session,
        gpu: driver.Gpu,
        *,
        own_folder: bool,
        watchdog_s: float | None = None,
    ) -> None:
        self.gpu = gpu
        self.hung: Flight | None = None
        """What every lane was at when the watchdog saw that none moved."""
        self._session = session
        self._own_folder = own_folder
        self._outcome: _Outcome | None = None
        self._region = session.region
        if own_folder:
            weakref.finalize(self, shutil.rmtree, session.directory.parent, ignore_errors=True)
        self._names = Names(session.region)
        self._trace: Trace | None = None
        try:
            mapped = driver.map_host(self._region.address, len(self._region.memory))
        except LanescopeError as error:
            session.discard()
            raise LanescopeError(
                f"{self._region.path}: the GPU cannot write there ({error}); choose a directory "
                f"in memory, such as {MEMORY_FOLDER}"
            ) from error
        self._handle = Handle(self._region.head, mapped)
        self._first: Fit = fit_clock()
        anchor(self._region, self._first)
        self._watchdog = Watchdog(self._region, watchdog_s, self._bark) if watchdog_s else None

    @property
    def handle(self) -> int:
        """The 64-bit argument of kernels that include lanescope/cuda.cuh."""
        return self._handle.address

    def function(self, name: str) -> int:
        """The number of a function, for `begin`; the same name gives the same number."""
        return self._names.number(name, 0)

    def mark(self, name: str) -> int:
        """The number of a mark, for `mark` and `Range`."""
        return self._names.number(name, MARK_NAMES)

    def live(self) -> Live:
        """How far it is; may be asked while kernels run."""
        lanes = self._region.lanes
        free = lanes["opened"] - lanes["released"] < lanes["buffer_count"]
        return Live(
            records=self._records(),
            dropped=int(lanes["dropped"].sum()),
            spool_bytes=self._session.spool_bytes,
            waiting=int(np.count_nonzero(~free)),
        )

    def flight(self, *, last: int = 1) -> Flight:
        """What every lane did last and is at, also of kernels that run, hang or have failed."""
        return flight_of(self._region, last=last, running=self._outcome is None)

    @property
    def trace(self) -> Trace:
        """Everything that was recorded, put together when it is first asked for."""
        if self._outcome is None:
            raise UsageError("the trace is there after the end of `with lanescope.cuda.record()`")
        if self._trace is None:
            self._trace = self._assemble(self._outcome)
        return self._trace

    def discard(self) -> None:
        """Give up what was recorded, where no trace is wanted."""
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
        """Wait for the kernels and take what is left."""
        self._outcome = self._stop_device()
        if self._watchdog is not None:
            self._watchdog.stop()
        self._region.mark_stopped()
        self._session.stop()

    def _assemble(self, outcome: _Outcome) -> Trace:
        found = self._session.reconcile()
        if self._own_folder:
            self._session.discard()
        return found.with_meta(
            host_clock=host_clock(found.meta, self._first, outcome.last),
            notes=found.meta.notes + _refused_note(outcome.refused) + outcome.problems,
        )

    def _stop_device(self) -> _Outcome:
        """A kernel that failed has taken the context along; its records are still in the region."""
        try:
            driver.synchronize()
            refused, last = self._handle.refused(), fit_clock()
            self._handle.close()
            driver.unmap_host(self._region.address)
        except LanescopeError as error:
            found = flight_text(self.flight()).splitlines()
            problems = (f"The kernel did not end well: {error}.", *found)
            return _Outcome(0, None, tuple(" ".join(line.split()) for line in problems))
        return _Outcome(refused, last)

    def _bark(self, idle_s: float) -> None:
        self.hung = self.flight()
        print(
            f"lanescope: no lane has moved for {idle_s:.1f} s.\n{flight_text(self.hung)}",
            file=sys.stderr,
            flush=True,
        )

    def _records(self) -> int:
        blocks = constant("LS_SLICE_CLOCK_RECORDS") * self._session.buffers
        return self._session.records - blocks


def record(
    *,
    level: int = 1,
    core_swimlane: bool = False,
    cores: int | None = None,
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

    `cores` is the largest number of CTAs of a kernel that records (default: one per SM), `pipes`
    names the lanes of each. Marks are recorded with core_swimlane=True. `buffer_records` must be
    the LS_SLICE_RECORDS that the kernels were compiled with. After
    `watchdog_s` without any record from a running kernel, what every lane is at is printed once.
    """
    records = constant("LS_SLICE_RECORDS") if buffer_records is None else buffer_records
    if read_level(level) != 1:
        raise UsageError(
            f"expected level 1, found {level}: a kernel of your own has no scheduler to record; to "
            "record nothing, launch it with handle 0"
        )
    gpu = driver.use_context()
    features = closed(level_features(level) | (Feature.CORE_SWIMLANE if core_swimlane else 0))
    config = RegionConfig(
        flags=features,
        cores=(Core("sm"),) * (gpu.multiprocessors if cores is None else cores),
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
    folder = Path(directory) if directory else own_folder() / f"{name}.capture"
    session = create_session(
        folder, config, note=SessionNote(name, gpu.name), collectors=collectors
    )
    return Recorder(session, gpu, own_folder=directory is None, watchdog_s=watchdog_s)


def _refused_note(refused: int) -> tuple[str, ...]:
    if not refused:
        return ()
    return (
        f"Kernels asked {refused} times for a lane that did not exist, was in use or has buffers "
        "of another size, and recorded nothing there; give record() as many cores and pipes as "
        "the largest grid has CTAs and recording warps, and the LS_SLICE_RECORDS of the kernels.",
    )
