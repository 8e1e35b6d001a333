"""Recording other programs and what is left of them: collect, recover, flight."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from lanescope.capture import Recovery
from lanescope.capture import collect as collecting
from lanescope.capture.directory import session_note
from lanescope.capture.flight import Flight, read_flight
from lanescope.capture.one_trace import one_trace
from lanescope.capture.rebuild import recover as rebuild_capture
from lanescope.capture.tensors import dump_recorded, suffixed
from lanescope.device.call_config import CallConfig
from lanescope.device.flags import read_level
from lanescope.errors import LanescopeError, UsageError
from lanescope.facade.deps import join_deps
from lanescope.results import Result
from lanescope.trace import Trace
from lanescope.trace.part import part_of
from lanescope.trace.window import Cores, Time


@dataclass(frozen=True, slots=True)
class Collected(Result):
    """How a program ended, and what its processes recorded."""

    exit_code: int
    """The program's exit code; a negative number is the signal that killed it."""
    traces: tuple[Trace, ...]
    """One trace per process that recorded, in the order in which they began to."""
    timed_out: bool
    """Whether the program was asked to end because its time was over."""

    @property
    def trace(self) -> Trace:
        """The trace of the only process that recorded.

        Raises:
            UsageError: several processes recorded; `traces` has one trace of each. Or none did.
        """
        if not self.traces:
            raise UsageError("no process recorded, so there is no trace")
        if len(self.traces) != 1:
            raise UsageError(f"{len(self.traces)} processes recorded; take one of `traces`")
        return self.traces[0]

    def together(self, name: str = "") -> Trace:
        """Returns one trace of all processes: each is a rank, and `cores.process` has its number.

        Args:
            name: Name of the trace; that of the first process's without it.
        """
        return one_trace(name or self.traces[0].meta.name, self.traces)

    def to_dict(self) -> dict[str, Any]:
        """Return how the program ended; the traces are left out."""
        return {"exit_code": self.exit_code, "timed_out": self.timed_out}


def collect(
    command: Sequence[str],
    *,
    chip_swimlane: int | str | bool | None = None,
    on_full: str | None = None,
    call: CallConfig | None = None,
    name: str | None = None,
    directory: str | PathLike[str] | None = None,
    time_limit_s: float | None = None,
) -> Collected:
    """Runs a program that has lanescope's header in it and records it.

    Args:
        command: The program and its arguments.
        chip_swimlane: How much to record, level 1 to 4; 4 without it.
        on_full: A producer without a free buffer waits (`block`) or drops and counts (`drop`).
        call: All that the program is asked for, in one object; then the two above are not given.
            Tensors go to the folder `call.tensors`, and edges come from the file `call.deps`, which
            the program wrote.
        name: Name of the trace; the program's without it.
        directory: Folder for the capture while it runs, kept afterwards; without it a temporary
            folder, which is removed when all went well and left for `recover` otherwise.
        time_limit_s: Seconds that the program may take: then it is asked to end, and 5 s later it
            is killed. `timed_out` of the result says whether that was so.

    Returns:
        The program's exit code and the traces of its processes.

    Raises:
        UsageError: The level records nothing, or the program cannot be started.
        LanescopeError: The program ended without recording, or with a region that could not be
            drained.
    """
    asked = _asked(chip_swimlane, on_full, call)
    if not command:
        raise UsageError("expected a program to run, found an empty command")
    note = session_note(name or Path(command[0]).stem, asked)
    kept = Path(tempfile.mkdtemp()) / "run.capture" if directory is None else Path(directory)
    try:
        run = collecting.collect(
            command, directory=kept, call=asked, note=note, time_limit_s=time_limit_s
        )
    except BaseException:
        if directory is None and not kept.exists():
            kept.parent.rmdir()
        raise
    if run.refused:
        raise LanescopeError("; ".join(run.refused))
    traces = _traces(run, asked)
    if directory is None and any(entry.unknown for trace in traces for entry in trace.meta.ledger):
        where = f"The capture is kept in {kept}."
        traces = tuple(trace.with_meta(notes=(*trace.meta.notes, where)) for trace in traces)
    elif directory is None:
        shutil.rmtree(kept.parent)
    return Collected(run.exit_code, traces, run.timed_out)


def _asked(
    level: int | str | bool | None, on_full: str | None, call: CallConfig | None
) -> CallConfig:
    if call is not None and (level is not None or on_full is not None):
        raise UsageError("expected chip_swimlane and on_full inside `call`, found them beside it")
    if call is None:
        level = read_level(4 if level is None else level)
        call = CallConfig(chip_swimlane=level, on_full=on_full or "block")
    if not call.flags:
        raise UsageError("level 0 records nothing; start the program by itself instead")
    if call.dump_tensors and not call.tensors:
        raise UsageError("expected CallConfig(tensors=FOLDER) for the tensors, found none")
    return call


def _traces(run: collecting.CollectedRun, asked: CallConfig) -> tuple[Trace, ...]:
    """Return the trace of each process; what it dumped goes to its folder."""
    if asked.deps:
        join_deps(run, Path(asked.deps))
    traces = tuple(process.reconcile() for process in run.processes)
    for process in run.processes if asked.dump_tensors else ():
        folder = suffixed(Path(asked.tensors), process.suffix)
        dump_recorded(process.session.contents(), folder)
    return traces


def recover(
    directory: str | PathLike[str],
    *,
    since: Time | None = None,
    until: Time | None = None,
    core: Cores | None = None,
) -> Recovery:
    """Makes a trace of what a killed run left behind; the capture is left as it is.

    Of a capture that is larger than memory take a part, or store it with `lanescope recover`.

    Args:
        directory: The capture, NAME.capture, or that of one of several processes in it.
        since: Start of the part, as in `select`; memory need not hold more than the part.
        until: End of the part.
        core: Cores of the part.

    Returns:
        The trace, how many buffers it was made of, and what is missing, a sentence each.

    Raises:
        UsageError: There is no such capture, a program still records into it, or several processes
            recorded.
        InputError: Nothing in it can be read.
    """
    return rebuild_capture(Path(directory), part_of(since=since, until=until, core=core))


def flight(path: str | PathLike[str], *, last: int = 1) -> Flight:
    """Says what every core was doing in a run that hangs, failed or was killed.

    Args:
        path: NAME.capture, or a region's file; it is only read.
        last: How many finished records to name per lane.

    Returns:
        Per lane: what it is in, since when, and what it finished last.

    Raises:
        InputError: The path is no capture and no region.
    """
    return read_flight(Path(path), last=last)
