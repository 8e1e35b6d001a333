"""A session: a region, a thread that drains it into a spool, and in the end a Trace.

with create_session(Path("run.capture"), config, note=SessionNote("run")) as session:
    run the device on session.region.address
trace = session.reconcile()
session.discard()
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from lanescope.capture.directory import PLAN, REGION, SPOOL, SessionNote, make_directory
from lanescope.capture.drain import Drain, DrainThread
from lanescope.capture.rebuild import rebuild
from lanescope.capture.spool import FrameKind, SpoolWriter
from lanescope.device.region import Region, RegionConfig, create_region
from lanescope.device.transport import SharedMapping, Transport
from lanescope.errors import LanescopeError, OutputError
from lanescope.trace import Trace, save


class Session:
    """Started, stopped, reconciled, in that order; `with` does the first two."""

    def __init__(self, directory: Path, region: Region, transport: Transport | None = None) -> None:
        self.directory = directory
        self.region = region
        self.error: LanescopeError | None = None
        """What stopped the drain early, if something did; what it took before is kept."""
        self._spool = SpoolWriter(directory / SPOOL)
        self._spool.append(FrameKind.HEAD, _prefix(region))
        drain = Drain(transport or SharedMapping(region.memory), region.head, self._spool)
        self._thread = DrainThread(drain)

    @property
    def records(self) -> int:
        """Records taken so far."""
        return self._thread.drain.records

    @property
    def spool_bytes(self) -> int:
        return self._spool.bytes

    def start(self) -> None:
        self._thread.start()

    def tick(self) -> int:
        """One round of draining by the caller, where no thread was started: the simulator decides
        when its host looks. Returns the buffers taken."""
        return self._thread.tick()

    def stop(self) -> None:
        """After the device has stopped: take what is left and close the spool."""
        self._thread.stop()
        self.error = self._thread.error
        try:
            self._spool.append(FrameKind.CLOSE, _prefix(self.region))
        except OutputError as error:
            self.error = self.error or error
        self._spool.close()
        self.region.close()

    def __enter__(self) -> Session:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def reconcile(self) -> Trace:
        """Everything that was recorded as a Trace, with the ledger of what was lost."""
        found = rebuild(self.directory)
        problems = list(found.problems)
        if self.error is not None:
            problems.insert(0, f"Capturing stopped early: {self.error}")
        notes = tuple(f"{problem}." for problem in problems)
        return found.trace.with_meta(notes=found.trace.meta.notes + notes)

    def discard(self) -> None:
        """Remove the directory: the trace is saved."""
        shutil.rmtree(self.directory)


def create_session(
    directory: Path,
    config: RegionConfig,
    *,
    note: SessionNote,
    plan: Trace | None = None,
    transport: Callable[[Region], Transport] | None = None,
) -> Session:
    """Make the directory and the region in it; nothing is left behind when that fails."""
    make_directory(directory, note)
    try:
        if plan is not None:
            save(plan, directory / PLAN)
        region = create_region(directory / REGION, config)
        return Session(directory, region, transport(region) if transport else None)
    except BaseException:
        shutil.rmtree(directory)
        raise


def _prefix(region: Region) -> bytes:
    """The region's head and counters as they are now."""
    return bytes(region.memory[: int(region.head.header["prefix_bytes"])].data)
