"""A session: a region, threads that drain it into spools, and in the end a Trace.

with create_session(Path("run.capture"), config, note=SessionNote("run")) as session:
    run the device on session.region.address
trace = session.reconcile()
session.discard()
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from types import TracebackType

import msgspec
import numpy as np

from lanescope.capture.assemble import CaptureContents
from lanescope.capture.directory import (
    PLAN,
    REGION,
    SPOOL,
    SessionNote,
    kept,
    make_directory,
    part_number,
    part_spool,
)
from lanescope.capture.drain import Drain, DrainThread
from lanescope.capture.ending import read_end
from lanescope.capture.heart import Heart
from lanescope.capture.reading import read_capture
from lanescope.capture.rebuild import rebuild, store
from lanescope.capture.spool import FrameKind, SpoolWriter
from lanescope.device.region import (
    Region,
    RegionConfig,
    create_region,
    place_region,
    reached_region,
    require_recording,
)
from lanescope.device.transport import SharedMapping, Transport
from lanescope.errors import LanescopeError, OutputError, TransportError
from lanescope.trace import Meta, Trace, save
from lanescope.trace.replacing import remove_directory, replace_directory
from lanescope.trace.store import Put, StoredTrace


class CaptureSession:
    """One recording: it is started, stopped and reconciled; `with` starts and stops it."""

    def __init__(
        self,
        directory: Path,
        region: Region,
        transport: Transport | None = None,
        *,
        collectors: int = 1,
    ) -> None:
        """Make the spools. Each of the `collectors` drains its share of the lanes."""
        self.directory = directory
        self.region = region
        self.error: LanescopeError | None = None
        """The first failure of a spool or of the transport. What was spooled before is kept."""
        self.part = 1
        """Number of the part that is recorded, or will be from the next round on."""
        self._spools: list[SpoolWriter] = []
        self._threads: list[DrainThread] = []
        self._left: tuple[str, ...] = ()
        self._reach = reach = transport or SharedMapping(region.memory)
        for number, lanes in enumerate(_shares(len(region.head.lanes), collectors)):
            spool = SpoolWriter(directory / (f"{SPOOL}.{number}" if number else SPOOL))
            spool.append(FrameKind.HEAD, _prefix(region))
            self._spools.append(spool)
            self._threads.append(DrainThread(Drain(reach, region.head, spool, lanes=lanes)))
        self._heart = Heart(reach, self._threads)

    @property
    def records(self) -> int:
        """Number of records taken so far."""
        return sum(thread.drain.records for thread in self._threads)

    @property
    def buffers(self) -> int:
        """Number of buffers taken so far."""
        return sum(thread.drain.buffers for thread in self._threads)

    @property
    def spool_bytes(self) -> int:
        """Size of all spools together, in bytes."""
        return sum(spool.bytes for spool in self._spools)

    @property
    def is_lost(self) -> bool:
        """Whether the region cannot be reached any more."""
        return any(thread.lost for thread in self._threads)

    @property
    def drain_error(self) -> LanescopeError | None:
        """The first failure of a thread that drains, also while the session runs."""
        return next((thread.error for thread in self._threads if thread.error is not None), None)

    @property
    def draining_part(self) -> int:
        """Number of the part into which buffers are drained: `part`, or the one before it."""
        return part_number(self._threads[0].drain.spool.path)

    def rotate(self) -> None:
        """Go on in another spool, which is the next part; the old one is closed then.

        Where the disk does not take it, the part goes on.
        """
        [thread] = self._threads
        spool = SpoolWriter(part_spool(self.directory, self.part + 1))
        try:
            spool.append(FrameKind.HEAD, _prefix(self.region))
        except OutputError as error:
            self.error = self.error or error
            spool.close()
            spool.path.unlink()
            return
        self.part += 1
        self._spools = [spool]
        thread.drain.go_on_in(spool, lambda: _prefix(self.region))

    def start(self) -> None:
        """Start the threads that drain the region."""
        for thread in self._threads:
            thread.start()
        try:
            self._heart.start()
        except TransportError as error:
            self.error = error  # so the threads end, too

    def tick(self) -> int:
        """Drain one round without a thread; return the number of buffers taken.

        The simulator does this, because it decides when its host looks.
        """
        self._heart.beat()
        return sum(thread.tick() for thread in self._threads)

    def stop(self) -> None:
        """Take what is left, and close spools, region and transport.

        A device that still runs waits for nobody any more. What it records from now on is lost.
        """
        try:
            self._heart.stop()
        except TransportError as error:
            self.error = self.error or error
        for thread in self._threads:
            thread.stop()
            self.error = self.error or thread.error
        self._end_spools()
        for thread in self._threads:
            thread.drain.close()
        self.region.close()
        try:
            self._reach.close()
        except TransportError as error:
            self.error = self.error or error

    def _end_spools(self) -> None:
        """Write the last frames. A spool without them tells that its end is not known."""
        last = self._last_prefix()
        for spool in self._spools:
            try:
                if last:
                    spool.append(FrameKind.CLOSE, last)
            except OutputError as error:
                self.error = self.error or error
            spool.close()

    def _last_prefix(self) -> bytes:
        """Return the last counters; nothing where they are out of reach."""
        try:
            return b"" if self.is_lost else self._spool_rest()
        except (OutputError, TransportError) as error:
            self.error = self.error or error
            return b""

    def _spool_rest(self) -> bytes:
        """Spool what only a region without a file holds; return the last counters."""
        if (self.directory / REGION).exists():
            return _prefix(self.region)
        taken = self.region.head.lanes["released"].copy()
        for thread in self._threads:
            taken = np.maximum(taken, thread.drain.taken)
        end = read_end(self._reach, self.region.head, taken)
        self._left = end.problems
        if len(end.payload) and not any(thread.drain.discards for thread in self._threads):
            self._spools[0].append(FrameKind.BUFFERS, end.payload.data)
        return end.prefix

    def __enter__(self) -> CaptureSession:
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
        """Return everything that was recorded as a trace; its ledger says what was lost.

        Raises:
            LanescopeError: a file of the capture cannot be read now; the capture is kept.
        """
        recovery = rebuild(self.directory)
        self._require_read(recovery.unread)
        notes = self.notes(recovery.problems)
        return recovery.trace.with_meta(notes=recovery.trace.meta.notes + notes)

    def contents(self) -> CaptureContents:
        """Return what was recorded, before anything is made of it.

        Raises:
            LanescopeError: a file of the capture cannot be read now; the capture is kept.
        """
        return read_capture(self.directory).contents

    def store(
        self, target: Path, finish: Callable[[Meta], Meta], put: Put = replace_directory
    ) -> StoredTrace:
        """Store everything that was recorded; `finish` completes what the trace says of itself.

        Unlike `reconcile` this needs no memory for the whole trace.

        Raises:
            LanescopeError: a file of the capture cannot be read now; the capture is kept.
        """
        found = read_capture(self.directory)
        self._require_read(found.unread)

        def noted(meta: Meta) -> Meta:
            return finish(
                msgspec.structs.replace(meta, notes=meta.notes + self.notes(found.problems))
            )

        return store(found.contents, target, finish=noted, put=put)

    def _require_read(self, unread: tuple[str, ...]) -> None:
        if unread:
            raise LanescopeError(f"{'; '.join(unread)}; {kept(self.directory)}")

    def notes(self, problems: tuple[str, ...]) -> tuple[str, ...]:
        """Return what went wrong, a sentence each; `problems` is what was found in the files.

        What is to be said about the transport comes first.
        """
        early = [f"Capturing stopped early: {self.error}"] if self.error is not None else []
        damage = [str(lane) for thread in self._threads for lane in thread.drain.damage]
        said = (self._reach.note,) if self._reach.note else ()
        wrong = (*early, *damage, *self._left, *problems)
        return said + tuple(f"{problem}." for problem in wrong)

    def discard(self) -> None:
        """Remove the directory, with all that was recorded. Save the trace before."""
        remove_directory(self.directory)


def create_session(
    directory: Path,
    config: RegionConfig,
    *,
    note: SessionNote,
    plan: Trace | None = None,
    transport: Callable[[Region], Transport] | None = None,
    collectors: int = 1,
) -> CaptureSession:
    """Make a directory with a region in it; nothing is left behind where that fails.

    Each of the `collectors` drains its share of the lanes in a thread of its own. `transport` makes
    the way in which the host reaches the region; without it both share the memory.

    Raises:
        UsageError: the system is Windows, or no region can be made for the configuration.
    """
    require_recording()
    make_directory(directory, note)
    try:
        if plan is not None:
            save(plan, directory / PLAN)
        region = create_region(directory / REGION, config)
        reach = transport(region) if transport else None
        return CaptureSession(directory, region, reach, collectors=collectors)
    except BaseException:
        shutil.rmtree(directory, ignore_errors=True)
        raise


def reach_session(
    directory: Path,
    transport: Transport,
    config: RegionConfig | None = None,
    *,
    note: SessionNote,
    collectors: int = 1,
) -> CaptureSession:
    """Make a session for the region that a transport reaches; its capture has no region's file.

    With a `config` the region is made there, without it the one that is there is drained. Where
    that fails, nothing is left behind, and the transport is closed.

    Raises:
        UsageError: the system is Windows, or no region can be made for the configuration.
        InputError: what the transport reaches is no region.
        TransportError: the device cannot be reached.
    """
    try:
        require_recording()
        if config is None:
            transport.open()
        region = reached_region(transport) if config is None else place_region(transport, config)
        make_directory(directory, note)
        try:
            return CaptureSession(directory, region, transport, collectors=collectors)
        except BaseException:
            shutil.rmtree(directory, ignore_errors=True)
            raise
    except BaseException:
        with suppress(TransportError):
            transport.close()
        raise


def _shares(lanes: int, collectors: int) -> list[range]:
    """Return equal ranges of lanes, none of them empty unless there are no lanes."""
    parts = max(min(collectors, lanes), 1)
    edges = [lanes * part // parts for part in range(parts + 1)]
    return [range(begin, end) for begin, end in pairwise(edges)]


def _prefix(region: Region) -> bytes:
    """Return the bytes of the region's head, with the counters as they are now."""
    return bytes(region.memory[: int(region.head.header["prefix_bytes"])].data)
