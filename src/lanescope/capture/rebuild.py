"""Makes a trace of the directory of a capture: in memory, or stored without being in memory.

Every capture ends here, also one whose program or collector was killed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from lanescope.capture.assemble import CaptureContents, assemble, fill, needs_memory
from lanescope.capture.directory import REGION, sole_capture, spools
from lanescope.capture.parts import part_notes
from lanescope.capture.reading import CaptureRead, read_capture, read_rest
from lanescope.capture.tensors import ENDING, dump_recorded
from lanescope.device.kinds import KINDS
from lanescope.errors import UsageError
from lanescope.results import Result
from lanescope.trace import SCHEMA, Meta, Trace
from lanescope.trace.filling import RowSink, SelectedRows, TablesInMemory, TraceWriter
from lanescope.trace.locks import lock_now
from lanescope.trace.part import TracePart
from lanescope.trace.replacing import replace_directory
from lanescope.trace.selection import cut
from lanescope.trace.store import Put, StoredTrace, save_by, save_rows, stored_trace


@dataclass(frozen=True, slots=True)
class Recovery(Result):
    """The trace of a capture, how many buffers it was made of, and what is wrong with it."""

    trace: Trace
    buffers: int
    """Number of buffers that were read from the spool and from the region."""
    leftover_buffers: int
    """Number of these that only the region had."""
    problems: tuple[str, ...] = ()
    """What is missing or damaged, one sentence each."""
    unread: tuple[str, ...] = ()
    """Those of the problems that are about the plan or the names: their files cannot be read."""

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of buffers and the problems; the trace is left out."""
        return {
            "buffers": self.buffers,
            "leftover_buffers": self.leftover_buffers,
            "problems": list(self.problems),
        }


def recover(directory: Path, part: TracePart | None = None) -> Recovery:
    """Return the trace of a capture that no program uses any more; its files stay as they are.

    `part` keeps a part of it, as `select` does, and memory need hold no more than that.

    Raises:
        UsageError: there is no such directory, a program still uses it, or it holds the captures
            of several processes.
        LanescopeError: neither the region nor the spool can be read.
    """
    found = read_idle(directory)
    trace = _in_memory(found.contents, part)
    notes = (*trace.meta.notes, *recovery_notes(found))
    trace = trace.with_meta(notes=notes if part is None else (*notes, part.note()))
    return _recovery(found, trace)


def read_idle(directory: Path) -> CaptureRead:
    """Return what is in the directory of a capture that no program uses any more.

    Of a capture that was cut into parts it is what comes after the stored parts.

    Raises:
        UsageError: there is no such directory, a program still uses it, or it holds the captures
            of several processes.
        LanescopeError: neither the region nor the spool can be read.
    """
    if not directory.is_dir():
        raise UsageError(f"{directory}: expected the directory of a capture, NAME.capture")
    directory = sole_capture(directory)
    _require_idle(directory)
    return read_rest(directory)


def recovery_notes(found: CaptureRead) -> tuple[str, ...]:
    """Return what the trace of a recovered capture says about its problems."""
    problems = tuple(f"Recovered: {problem}." for problem in found.problems)
    parts = () if found.before is None else part_notes(found.before)
    return parts + (problems or ("Recovered; nothing is missing.",))


def rebuild(directory: Path) -> Recovery:
    """Return the trace of what is in the directory, without a note of its problems.

    Raises:
        LanescopeError: neither the region nor the spool can be read.
    """
    found = read_capture(directory)
    trace = _in_memory(found.contents, None)
    return _recovery(found, trace)


def _recovery(found: CaptureRead, trace: Trace) -> Recovery:
    return Recovery(trace, found.buffers, found.leftover_buffers, found.problems, found.unread)


def store(
    contents: CaptureContents,
    target: Path,
    *,
    finish: Callable[[Meta], Meta],
    part: TracePart | None = None,
    put: Put = replace_directory,
) -> StoredTrace:
    """Store the trace of a capture, or a part of it; it is never in memory as a whole.

    `finish` completes what the trace says about itself. `put` is `new_directory` where nothing may
    be replaced. A region with slices or bursts is read into memory. Tensors that were recorded are
    written beside the trace, NAME.tensors, unless only a part is stored.

    Raises:
        UsageError: the part has nothing in it.
        OutputError: the directory cannot be written, or it exists and is no trace.
    """
    stored = _store_rows(contents, target, finish=finish, part=part, put=put)
    if part is None:
        dump_recorded(contents, target.with_suffix(ENDING))
    return stored


def _store_rows(
    contents: CaptureContents,
    target: Path,
    *,
    finish: Callable[[Meta], Meta],
    part: TracePart | None,
    put: Put,
) -> StoredTrace:
    if needs_memory(contents.head):
        trace = assemble(contents)
        trace = trace.with_meta(**msgspec.structs.asdict(finish(trace.meta)))
        if part is not None:
            trace = cut(trace, part)
            _require_some({name: len(trace.table(name)) for name in SCHEMA}, part, trace.meta.name)
        save_by(trace, target, put)
        return stored_trace(trace, target)

    def write(writer: TraceWriter) -> Meta:
        writer.words = contents.words()
        meta = finish(fill(contents, _selected(writer, contents, part)))
        if part is None:
            return meta
        _require_some(writer.rows, part, meta.name)
        return _with_note(meta, part.note())

    return save_rows(target, write, put)


def _in_memory(contents: CaptureContents, part: TracePart | None) -> Trace:
    """Return the trace, or a part of it without the note that says so."""
    if part is None or needs_memory(contents.head):
        trace = assemble(contents)
        return trace if part is None else cut(trace, part).with_meta(notes=trace.meta.notes)
    tables = TablesInMemory(contents.words())
    return tables.trace(fill(contents, _selected(tables, contents, part)))


def _selected(sink: RowSink, contents: CaptureContents, part: TracePart | None) -> RowSink:
    """Return the sink for rows of which only a part is wanted."""
    if part is None:
        return sink
    about_tasks = [KINDS.index("pmu"), KINDS.index("edge")]
    recorded = bool(np.isin(contents.head.lanes["kind"], about_tasks).any())
    planned = contents.plan is not None and len(contents.plan.edges) > 0
    return SelectedRows(sink, part, follows_tasks=recorded or planned)


def _require_some(rows: Mapping[str, int], part: TracePart, name: str) -> None:
    """Refuse a part with nothing in it, as `report` does."""
    of_cores = ("tasks", "marks", "stalls")
    if not any(rows[table] for table in (*of_cores, *(("phases",) if part.cores is None else ()))):
        raise UsageError(f"{name} has nothing in this part ({part.limits()})")


def _with_note(meta: Meta, note: str) -> Meta:
    return msgspec.structs.replace(meta, notes=(*meta.notes, note))


def _require_idle(directory: Path) -> None:
    """Refuse a capture that a program uses: it holds a lock on the spool or the region."""
    files = [(path, "collector") for path in spools(directory)]
    for path, who in [*files, (directory / REGION, "recorded program")]:
        if not path.is_file():
            continue
        with path.open("rb") as file:
            try:
                lock_now(file.fileno())
            except OSError:
                raise UsageError(
                    f"{path}: the {who} is still running; wait until it has ended"
                ) from None
