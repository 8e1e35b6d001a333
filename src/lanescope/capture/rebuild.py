"""Makes a trace of the directory of a capture: of its spool, its region, or both.

Every capture ends here, also one whose program or collector was killed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from lanescope.capture.assemble import CaptureContents, assemble
from lanescope.capture.directory import NOTE, PLAN, REGION, SessionNote, sole_capture, spools
from lanescope.capture.drain import counters
from lanescope.capture.gather import Gatherer, NotBuffers
from lanescope.capture.ledger import LaneCounts
from lanescope.capture.leftover import Leftover, leftover_buffers
from lanescope.capture.spool import Damage, Frame, FrameKind, SpoolReader
from lanescope.device.head import Array, Head, read_head
from lanescope.device.layouts import constant
from lanescope.device.region import Region, open_region
from lanescope.errors import InputError, LanescopeError, UsageError
from lanescope.render.progress import reading
from lanescope.results import Result
from lanescope.trace import Trace, load
from lanescope.trace.locks import lock_now


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


@dataclass
class _Contents:
    """What was read from the files of a capture so far."""

    head: Head
    gatherer: Gatherer
    closed: bool = False
    """Whether a spool has its last frame, and with it the final counters."""


def recover(directory: Path) -> Recovery:
    """Return the trace of a capture that no program uses any more; its files stay as they are.

    Raises:
        UsageError: there is no such directory, a program still uses it, or it holds the captures
            of several processes.
        LanescopeError: neither the region nor the spool can be read.
    """
    if not directory.is_dir():
        raise UsageError(f"{directory}: expected the directory of a capture, NAME.capture")
    directory = sole_capture(directory)
    _require_idle(directory)
    recovery = rebuild(directory)
    notes = tuple(f"Recovered: {problem}." for problem in recovery.problems) or (
        "Recovered; nothing is missing.",
    )
    trace = recovery.trace
    return replace(recovery, trace=trace.with_meta(notes=trace.meta.notes + notes))


def rebuild(directory: Path) -> Recovery:
    """Return the trace of what is in the directory, without a note of its problems.

    Raises:
        LanescopeError: neither the region nor the spool can be read.
    """
    problems: list[str] = []
    region = _region(directory, problems)
    contents = _spooled(directory, region, problems)
    leftover = _leftover(region, contents)
    problems += leftover.problems
    from_region = contents.gatherer.add(leftover.payload)
    unread: list[str] = []
    note, plan = _note(directory, unread), _plan(directory, unread)
    problems += unread
    if region is not None and region.state != constant("LS_STOPPED"):
        problems.append(
            "The recorded program did not stop by itself; its last tasks may be cut off"
        )
    if region is None and not contents.closed:
        problems.append("The region is gone, so what came after the end of the spool is not known")
    trace = assemble(
        CaptureContents(
            head=contents.head,
            gathered=contents.gatherer.gather(),
            counts=LaneCounts(_counters(region, contents), leftover.damaged),
            plan=plan,
            name=note.name,
            chip=note.chip,
        )
    )
    buffers = contents.gatherer.buffers
    return Recovery(trace, buffers, from_region, tuple(problems), tuple(unread))


def _counters(region: Region | None, contents: _Contents) -> Array | None:
    """Return the device's final counters; None where neither region nor spool has them."""
    if region is not None:
        return counters(region.memory, contents.head)
    return contents.head.lanes if contents.closed else None


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


def _region(directory: Path, problems: list[str]) -> Region | None:
    """Return the region; None where it is missing or damaged."""
    path = directory / REGION
    if not path.is_file():
        return None
    try:
        return open_region(path)
    except InputError as error:
        problems.append(str(error))
        return None


def _spooled(directory: Path, region: Region | None, problems: list[str]) -> _Contents:
    """Read all spools. The head comes from the region, where it is newest, or else from a spool."""
    contents = None if region is None else _Contents(region.head, Gatherer(region.head))
    for path in spools(directory):
        contents = _one_spool(path, contents, keep=region is not None, problems=problems)
    if contents is None:
        raise LanescopeError(
            f"{directory}: neither the region nor the spool can be read, so nothing can be "
            f"recovered ({'; '.join(problems) or 'both files are missing'})"
        )
    return contents


def _one_spool(
    path: Path, contents: _Contents | None, *, keep: bool, problems: list[str]
) -> _Contents | None:
    """Add the frames of one spool; `keep` keeps the head that is known already."""
    reader = _reader(path, problems)
    if reader is None:
        return contents
    for frame in _told(reader):
        if frame.kind != FrameKind.BUFFERS:
            head = _frame_head(frame, path, problems)
            if head is None:
                continue
            if contents is not None and _id(head) != _id(contents.head):
                problems.append(
                    f"{path}: it was drained from region {_id(head)}, and this is region "
                    f"{_id(contents.head)}, so it was left out"
                )
                return contents
            contents = _newer_head(contents, head, frame.kind, keep=keep)
        elif contents is not None:
            _add(contents, frame.payload, f"{path}: frame {frame.index}", problems)
    problems += [_damage(path, damage) for damage in reader.damage]
    return contents


def _told(reader: SpoolReader) -> Iterator[Frame]:
    """The frames of a spool; a terminal shows how much of it is read."""
    with reading(f"reading {reader.path.name}", len(reader.data)) as advance:
        for frame in reader.frames():
            yield frame
            advance(len(frame.payload))


def _reader(path: Path, problems: list[str]) -> SpoolReader | None:
    try:
        return SpoolReader(path)
    except InputError as error:
        problems.append(str(error))
        return None


def _frame_head(frame: Frame, path: Path, problems: list[str]) -> Head | None:
    try:
        return read_head(np.asarray(frame.payload), source=path)
    except InputError as error:
        problems.append(str(error))
        return None


def _id(head: Head) -> str:
    """Return the id of the region that a head belongs to, as the name of its directory has it."""
    return f"{int(head.header['region_id']):016x}"


def _newer_head(contents: _Contents | None, head: Head, kind: int, *, keep: bool) -> _Contents:
    """Take the head of a frame, and whether it is the last frame; `keep` keeps the known head."""
    if contents is None:
        return _Contents(head, Gatherer(head), kind == FrameKind.CLOSE)
    if not keep:
        contents.head = head
    contents.closed |= kind == FrameKind.CLOSE
    return contents


def _add(contents: _Contents, payload: Array, where: str, problems: list[str]) -> None:
    try:
        contents.gatherer.add(payload)
    except NotBuffers as error:
        problems.append(f"{where}: {error}, so it was left out")


def _leftover(region: Region | None, contents: _Contents) -> Leftover:
    """Return the buffers that only the region holds, and the lanes that cannot be believed."""
    if region is not None:
        return leftover_buffers(region.memory, contents.head, contents.gatherer.next)
    refused = np.flatnonzero(contents.head.lanes["refused"]).tolist()
    return Leftover(np.empty(0, np.uint8), damaged=frozenset(refused))


def _note(directory: Path, problems: list[str]) -> SessionNote:
    name = directory.name.removesuffix(".capture") or "run"
    own = directory / NOTE
    place = own if own.exists() else directory.parent / NOTE
    try:
        text = place.read_bytes() if place.is_file() else b""
        return msgspec.json.decode(text, type=SessionNote)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        problems.append(f"{directory / NOTE}: {error}")
        return SessionNote(name)


def _plan(directory: Path, problems: list[str]) -> Trace | None:
    path = directory / PLAN
    if not path.exists():
        return None
    try:
        return load(path)
    except LanescopeError as error:
        problems.append(str(error))
        return None


def _damage(path: Path, damage: Damage) -> str:
    return (
        f"{path}: bytes {damage.offset} to {damage.offset + damage.size} are no frame "
        f"({damage.problem}); the buffers in them are lost"
    )
