"""A recording that a program in Python makes itself: Session, over any transport."""

from __future__ import annotations

import shutil
import tempfile
from os import PathLike
from pathlib import Path
from types import TracebackType

from lanescope.capture import CaptureSession, SessionNote, create_session
from lanescope.capture.session import reach_session
from lanescope.device.layouts import constant
from lanescope.device.region import RegionConfig
from lanescope.device.transport import Transport, word_offset
from lanescope.errors import LanescopeError, UsageError
from lanescope.trace import Trace


class Session:
    """Records a runtime of your own: a region, wherever its memory is, and a thread that drains it.

    `with` begins to drain, and ends it. Let your runtime end before the block does: what it records
    later is lost, and the transport gives the memory back. docs/transports.md has a table of
    transports.

    Args:
        region: The region to make: its producers, level and buffers. Without it the one that the
            transport reaches is drained.
        transport: How to reach the memory. Without it the region is a file, `session.path`, which
            this process and others map.
        name: Name of the trace.
        chip: Name of the chip in the trace.
        directory: Folder for the capture while it runs, kept afterwards; without it a temporary
            folder, which is removed when all went well and left for `recover` otherwise.
        collectors: Number of threads that drain, each its share of the lanes.

    Raises:
        UsageError: There is neither a region nor a transport, no region can be made for the
            configuration, or the memory is too small.
        InputError: What the transport reaches is no region.
        TransportError: The memory cannot be reached.

    Examples:
        >>> cores = (lanescope.Core("aic"), lanescope.Core("aiv"))
        >>> region = lanescope.RegionConfig(flags=lanescope.level_features(2), cores=cores)
        >>> with lanescope.Session(region=region, name="mine") as session:
        ...     pass  # my_runtime.run(session.pointer)
        >>> session.trace().meta.name
        'mine'
    """

    def __init__(
        self,
        *,
        region: RegionConfig | None = None,
        transport: Transport | None = None,
        name: str = "run",
        chip: str = "",
        directory: str | PathLike[str] | None = None,
        collectors: int = 1,
    ) -> None:
        if region is None and transport is None:
            raise UsageError(
                "expected a region to make, or a transport that reaches one, found neither; see "
                "lanescope.RegionConfig"
            )
        self._own_folder = None if directory is not None else Path(tempfile.mkdtemp())
        self.directory = Path(directory or "") if self._own_folder is None else self._own_folder
        """The capture; `lanescope.recover` makes a trace of it, also after a crash."""
        if self._own_folder is not None:
            self.directory /= "run.capture"
        try:
            self._capture = _capture(
                self.directory,
                region,
                transport,
                note=SessionNote(name, chip),
                collectors=collectors,
            )
        except BaseException:
            self._remove_own_folder()
            raise
        self._transport = transport
        self._ended = False

    @property
    def pointer(self) -> int:
        """Address of the region for the device's program; 0 where the transport does not know."""
        if self._transport is None:
            return self._capture.region.address
        return self._transport.pointer

    @property
    def path(self) -> Path | None:
        """The region's file, for other processes to map; None where a transport reaches it."""
        return self._capture.region.path if self._transport is None else None

    @property
    def records(self) -> int:
        """Number of records drained so far."""
        return self._capture.records

    @property
    def error(self) -> LanescopeError | None:
        """Why draining ended early: the disk is full, or the memory is out of reach."""
        return self._capture.error or self._capture.drain_error

    def has_stopped(self) -> bool:
        """Says whether the device's program has said that it is done, by ls_region_stopped.

        A session that has stopped answers True.

        Raises:
            TransportError: The memory cannot be reached.
        """
        if self._ended:
            return True
        if self._transport is not None:
            self._transport.read((word_offset("ls_header", "state"), 8))
        return self._capture.region.state == constant("LS_STOPPED")

    def start(self) -> None:
        """Begins to drain, as `with` does."""
        self._capture.start()

    def stop(self) -> None:
        """Takes what is left, and gives the memory back, as the end of `with` does."""
        if self._ended:
            return
        self._ended = True
        self._capture.stop()

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

    def trace(self) -> Trace:
        """Makes a trace of all that was drained; its notes and ledger say what is missing.

        Call it once, after the session has stopped.

        Returns:
            The trace. Where its ledger has something unknown, a note says where the capture is.

        Raises:
            LanescopeError: The capture cannot be read; it is kept.
        """
        trace = self._capture.reconcile()
        if self._own_folder is None:
            return trace
        if self.error is None and not any(entry.unknown for entry in trace.meta.ledger):
            self._remove_own_folder()
            return trace
        where = f"The capture is kept in {self.directory}."
        return trace.with_meta(notes=(*trace.meta.notes, where))

    def _remove_own_folder(self) -> None:
        if self._own_folder is not None:
            shutil.rmtree(self._own_folder, ignore_errors=True)


def _capture(
    directory: Path,
    region: RegionConfig | None,
    transport: Transport | None,
    *,
    note: SessionNote,
    collectors: int,
) -> CaptureSession:
    if transport is not None:
        return reach_session(directory, transport, region, note=note, collectors=collectors)
    assert region is not None
    return create_session(directory, region, note=note, collectors=collectors)
