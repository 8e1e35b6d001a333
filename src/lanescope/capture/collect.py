"""Records another program: its processes make regions, and this process drains all of them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from lanescope.capture.directory import (
    NOTE,
    PLAN,
    REGION,
    SessionNote,
    make_directory,
    process_directories,
    process_of,
    process_suffixes,
    write_note,
)
from lanescope.capture.parts import PartState, part_notes, part_path, within_quota
from lanescope.capture.reading import read_rest
from lanescope.capture.rebuild import store
from lanescope.capture.rotation import Rotation, Rotator
from lanescope.capture.session import CaptureSession
from lanescope.capture.signals import forwarded
from lanescope.capture.time_limit import TimeLimit
from lanescope.device.call_config import CallConfig
from lanescope.device.layouts import constant
from lanescope.device.region import Region, is_in_use, open_region
from lanescope.errors import InputError, LanescopeError, OutputError, UsageError
from lanescope.trace import Meta, Trace, save
from lanescope.trace.replacing import remove_directory, replace_directory
from lanescope.trace.store import Put, StoredTrace

_POLL_S = 0.0005
"""Pause between two looks for regions while there is none, in seconds."""
_LOOK_S = 0.005
"""Pause between two looks for further regions, in seconds."""
_WENT_ON = "The process went on after the end of the collected program."


@dataclass(frozen=True, slots=True)
class ProcessCapture:
    """What one process recorded."""

    suffix: str
    """What tells its trace's name from the run's: `-PROCESS` where several processes recorded."""
    directory: Path
    """The directory of its capture, PROCESS-ID."""
    session: CaptureSession
    unfinished: str = ""
    """Why the recording may end before the process did, a sentence; empty where it does not."""
    rotator: Rotator | None = None
    """What cut the capture into parts; None where nothing did."""

    def reconcile(self) -> Trace:
        """Return everything that the process recorded as a trace."""
        trace = self.session.reconcile()
        return trace.with_meta(**msgspec.structs.asdict(self._named(trace.meta)))

    def store(self, target: Path, put: Put = replace_directory) -> StoredTrace:
        """Store everything that the process recorded; memory need not hold it."""
        return self.session.store(target, self._named, put)

    def parts(self) -> list[StoredTrace]:
        """Store the rest of a capture that was cut into parts; return all parts in their order."""
        assert self.rotator is not None
        return [part.trace() for part in self.rotator.stored] + [self._rest(self.rotator)]

    def _rest(self, rotator: Rotator) -> StoredTrace:
        found = read_rest(self.session.directory)
        state = found.before or PartState.at_start(found.contents.head)
        place, quota = rotator.rotation.target, rotator.rotation.quota or 0
        path = part_path(place, rotator.suffix, state.stored + 1)
        own = self.session.directory
        state = within_quota(own, place, rotator.suffix, state=state, quota=quota)

        def finish(meta: Meta) -> Meta:
            notes = (*self._named(meta).notes, *part_notes(state))
            notes += self.session.notes(found.problems)
            return msgspec.structs.replace(meta, name=path.stem, notes=notes)

        return store(found.contents, path, finish=finish)

    def _named(self, meta: Meta) -> Meta:
        notes = (*meta.notes, *filter(None, [self.unfinished]))
        name, process = f"{meta.name}{self.suffix}", process_of(self.directory)
        return msgspec.structs.replace(meta, name=name, process=process, notes=notes)


@dataclass(frozen=True, slots=True)
class CollectedRun:
    """How the program ended, and what its processes recorded."""

    exit_code: int
    """The program's exit code; a negative number is the signal that killed it."""
    processes: tuple[ProcessCapture, ...]
    """The processes that recorded, in the order in which they made their regions."""
    refused: tuple[str, ...]
    """A sentence for each region that could not be drained."""
    timed_out: bool
    """Whether the program was asked to end because its time was over."""


def collect(
    command: Sequence[str],
    *,
    directory: Path,
    call: CallConfig,
    note: SessionNote,
    rotation: Rotation | None = None,
    plan: Trace | None = None,
    time_limit_s: float | None = None,
) -> CollectedRun:
    """Start a program and drain the regions that its processes make, until the program ends.

    The program reads from its environment what `call` asks for, and where to make regions:
    ls_region_from_environment() of lanescope/file.h does that. A signal that asks this process to
    end goes on to the program. With a `rotation` the captures are cut into parts, which are stored
    meanwhile. `plan` is what is known of the recording before it begins. After `time_limit_s`
    seconds the program is asked to end, and killed where it does not.

    Raises:
        UsageError: the program could not be started, or the system is not Linux.
        LanescopeError: the program ended without making a region.
    """
    if sys.platform != "linux":
        raise UsageError(
            "collecting from a program needs Linux, whose shared files lanescope/file.h makes; "
            "record there and open the trace here"
        )
    directory = directory.absolute()
    make_directory(directory, note)
    if plan is not None:
        save(plan, directory / PLAN)
    collector = Collector(directory, note, rotation)
    try:
        with forwarded() as signals:
            program = _start(command, replace(call, capture=str(directory)))
            signals.send_to(program)
            limit = TimeLimit(program, time_limit_s)
            while program.poll() is None:
                collector.look()
                limit.look()
                time.sleep(_LOOK_S if collector.found else _POLL_S)
        collector.stop()
        if collector.unseen:
            collector.refused.append(f"{collector.unseen}; what was recorded is in it")
        if not collector.found:
            how = f"ended with exit code {program.returncode}"
            if limit.reached:
                how = f"was asked to end after its time limit of {time_limit_s:g} s"
            raise LanescopeError(
                f"{command[0]} {how} and made no region, so nothing was recorded; it should call "
                "ls_region_from_environment() of lanescope/file.h"
            )
    except BaseException:
        collector.stop()
        _remove_unused(directory)
        raise
    refused = tuple(collector.refused)
    return CollectedRun(program.returncode, collector.processes(), refused, limit.reached)


class Collector:
    """Finds the regions of a capture's directory, and drains each until its process has ended."""

    def __init__(
        self, directory: Path, note: SessionNote, rotation: Rotation | None = None
    ) -> None:
        self.refused: list[str] = []
        """A sentence for each region that could not be drained."""
        self.unseen = ""
        """Why the last look for regions failed; empty where it did not."""
        self._directory = directory
        self._note = note
        self._rotation = rotation
        self._rotators: dict[Path, Rotator] = {}
        self._sessions: dict[Path, CaptureSession] = {}
        self._draining: set[Path] = set()
        self._running: set[Path] = set()
        self._known: set[str] = set()

    @property
    def found(self) -> bool:
        """Whether there was a region, also one that could not be drained."""
        return bool(self._sessions or self.refused)

    def look(self) -> None:
        """Begin to drain new regions, and end it where the process has ended."""
        for path in self._new():
            self._adopt(path)
        for path in list(self._draining):
            if has_ended(self._sessions[path].region):
                self._finish(path)
        for path in self._draining & self._rotators.keys():
            self._rotators[path].look()

    def stop(self) -> None:
        """Take what is left of all regions. Processes that still run stop waiting for buffers."""
        self.look()
        for path in list(self._draining):
            self._running.add(path)
            self._finish(path)
        for rotator in self._rotators.values():
            rotator.finish()

    def processes(self) -> tuple[ProcessCapture, ...]:
        """Return what each process recorded, after `stop`."""
        paths = [path for path in process_directories(self._directory) if path in self._sessions]
        return tuple(
            ProcessCapture(
                suffix=suffix,
                directory=path,
                session=self._sessions[path],
                unfinished=_WENT_ON if path in self._running else "",
                rotator=self._rotators.get(path),
            )
            for suffix, path in zip(process_suffixes(paths), paths, strict=True)
        )

    def _new(self) -> list[Path]:
        """Return the directories with a region that was not there before.

        A directory is made before the region in it, so it is looked at until the region is there.
        """
        try:
            with os.scandir(self._directory) as entries:
                fresh = [entry for entry in entries if entry.name not in self._known]
        except OSError as error:
            self.unseen = f"{self._directory}: cannot be looked at ({error.strerror})"
            return []
        self.unseen = ""
        directories = [Path(entry) for entry in fresh if entry.is_dir(follow_symlinks=False)]
        return [path for path in directories if (path / REGION).exists()]

    def _adopt(self, path: Path) -> None:
        """Begin to drain a region."""
        self._known.add(path.name)
        try:
            write_note(path, self._note)
            session = CaptureSession(path, open_region(path / REGION))
            session.start()
        except (InputError, OutputError, OSError, MemoryError) as error:
            why = error if str(error) else "no memory"
            self.refused.append(f"{why}; what the process recorded is in {path}")
            return
        if self._rotation is not None:
            suffix = f"-{process_of(path)}" if self._sessions else ""
            self._rotators[path] = Rotator(session, self._rotation, suffix)
        self._sessions[path] = session
        self._draining.add(path)

    def _finish(self, path: Path) -> None:
        self._draining.discard(path)
        self._sessions[path].stop()


def _remove_unused(directory: Path) -> None:
    """Remove a capture in which no process has a directory; what a process recorded is kept."""
    with suppress(OSError):
        if not any(path.is_dir() and path.name != PLAN for path in directory.iterdir()):
            if (directory / PLAN).is_dir():
                remove_directory(directory / PLAN)
            (directory / NOTE).unlink()
            directory.rmdir()


def has_ended(region: Region) -> bool:
    """Say whether nobody records into a region any more; so it is where its file was removed.

    A file that cannot be looked at now may be at the next look.
    """
    try:
        return region.state == constant("LS_STOPPED") or not is_in_use(region.path)
    except InputError:
        return not region.path.exists()


def _start(command: Sequence[str], call: CallConfig) -> subprocess.Popen[bytes]:
    others = {k: value for k, value in os.environ.items() if k not in call.variables()}
    try:
        return subprocess.Popen(command, env={**others, **call.environment()})
    except OSError as error:
        raise UsageError(f"{command[0]} could not be started: {error.strerror}") from error
