"""Cuts a running capture into parts, and has each part stored while the next one is recorded.

A part is stored by a process of its own, so that joining does not hold up the thread that drains.
That process ends by itself, also when the collector is killed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import msgspec

from lanescope.capture.session import CaptureSession
from lanescope.trace import Meta
from lanescope.trace.store import StoredTrace


@dataclass(frozen=True, slots=True)
class Rotation:
    """When a new part begins, and how much the stored parts may take."""

    target: Path
    """Where the trace of a capture that is not cut would be, NAME.lanes."""
    seconds: float | None = None
    """Length of a part; None: no limit."""
    bytes: int | None = None
    """Size of a part's spool; None: no limit."""
    quota: int | None = None
    """Most bytes of the stored parts of a process; None: no limit."""


class StoredPart(msgspec.Struct, frozen=True):
    """What the process that stored a part says about it."""

    path: str
    meta: Meta
    rows: dict[str, int]
    ran: int

    def trace(self) -> StoredTrace:
        """Return it as what storing a trace returns."""
        return StoredTrace(Path(self.path), self.meta, self.rows, self.ran)


@dataclass(frozen=True, slots=True)
class _Job:
    """A process that stores a part, and the files into which it writes."""

    process: subprocess.Popen[bytes]
    said: IO[bytes]
    wrong: IO[bytes]

    def texts(self) -> tuple[bytes, bytes]:
        """Return what it wrote, after its end."""
        with self.said, self.wrong:
            self.said.seek(0)
            self.wrong.seek(0)
            return self.said.read(), self.wrong.read()


@dataclass
class Rotator:
    """Cuts the capture of one process into parts."""

    session: CaptureSession
    rotation: Rotation
    suffix: str
    """What tells the names of this process's parts from those of others."""
    stored: list[StoredPart] = field(default_factory=list)
    """The parts that are stored, in their order; some may be deleted since."""
    problems: list[str] = field(default_factory=list)
    """Why parts could not be stored, a sentence each."""
    clock: Callable[[], float] = time.monotonic
    _began: float = -1.0
    _due: int = 0
    """Number of the last part that can be stored."""
    _taken: int = 0
    """Number of buffers that were taken when the part began."""
    _job: _Job | None = None

    def look(self) -> None:
        """Begin a new part where it is time, and have finished parts stored."""
        if self._began < 0:
            self._began = self.clock()
        if self.session.part == self.session.draining_part:
            self._due = self.session.part - 1
            if self._is_time():
                self._began, self._taken = self.clock(), self.session.buffers
                self.session.rotate()
        if self._job is not None and self._job.process.poll() is not None:
            self._take(self._job)
        if self._job is None and self._due > len(self.stored) + len(self.problems):
            self._job = self._start()

    def finish(self) -> None:
        """Wait until all parts but the last are stored, after the session has stopped."""
        self._due = self.session.part - 1
        while self._job is not None or (
            self._due > len(self.stored) + len(self.problems) and not self.problems
        ):
            self._job = self._job or self._start()
            self._job.process.wait()
            self._take(self._job)

    def _is_time(self) -> bool:
        """Say whether the part is long enough; a part without a record goes on."""
        limits = self.rotation
        size, passed = self.session.spool_bytes, self.clock() - self._began
        by_time = limits.seconds is not None and passed >= limits.seconds
        by_size = limits.bytes is not None and size >= limits.bytes
        return (by_time or by_size) and self.session.buffers > self._taken

    def _start(self) -> _Job:
        arguments = [str(self.session.directory), str(self.rotation.target), self.suffix]
        quota = str(self.rotation.quota or 0)
        said, wrong = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        process = subprocess.Popen(
            [sys.executable, "-m", "lanescope.capture.part_job", *arguments, quota],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=wrong,
            start_new_session=True,  # an interrupt from the keyboard is not for it
        )
        return _Job(process, said, wrong)

    def _take(self, job: _Job) -> None:
        """Take what a process that has ended says of its part."""
        said, wrong = job.texts()
        self._job = None
        try:
            self.stored.append(msgspec.json.decode(said, type=StoredPart))
        except msgspec.MsgspecError:
            last = wrong.decode(errors="replace").strip().splitlines()[-1:]
            reason = last[0] if last else f"exit code {job.process.returncode}"
            self.problems.append(f"a part could not be stored while it was recorded ({reason})")
