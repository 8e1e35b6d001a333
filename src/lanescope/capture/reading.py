"""Reads the directory of a capture: its spools, its region, or both, also after a crash."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from lanescope.capture.assemble import CaptureContents
from lanescope.capture.directory import NOTE, PLAN, REGION, SessionNote, part_number, spools
from lanescope.capture.drain import counters
from lanescope.capture.gather import Gatherer, NotBuffers
from lanescope.capture.host_log import read_host_log
from lanescope.capture.ledger import LaneCounts
from lanescope.capture.leftover import Leftover, leftover_buffers
from lanescope.capture.parts import PartState, load_state, part_contents
from lanescope.capture.spool import Damage, Frame, FrameKind, SpoolReader
from lanescope.device.head import Array, Head, read_head
from lanescope.device.layouts import constant
from lanescope.device.region import Region, open_region
from lanescope.errors import InputError, LanescopeError
from lanescope.render.progress import reading
from lanescope.trace import Trace, load


@dataclass(frozen=True, slots=True, eq=False)
class CaptureRead:
    """What was read from the directory of a capture. Its records are still in their files."""

    contents: CaptureContents
    buffers: int
    """Number of buffers that were found in the spool and in the region."""
    leftover_buffers: int
    """Number of these that only the region had."""
    problems: tuple[str, ...]
    """What is missing or damaged, one sentence each."""
    unread: tuple[str, ...]
    """Those of the problems that are about the plan or the names: their files cannot be read."""
    following: Array
    """By lane: the sequence number that follows its last buffer."""
    before: PartState | None = None
    """How far the capture was stored before; None where it was not cut into parts."""

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of buffers and the problems."""
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
    """Whether the last spool has its last frame, and with it the final counters."""

    @staticmethod
    def after(before: PartState | None, head: Head) -> _Contents:
        """Return what the parts before handed on."""
        if before is None:
            return _Contents(head, Gatherer(head))
        gatherer = Gatherer(head, before.next)
        gatherer.add(before.payload)
        gatherer.next = before.next.copy()
        gatherer.carried = 1
        return _Contents(head, gatherer)


def read_capture(directory: Path, before: PartState | None = None) -> CaptureRead:
    """Return what is in the directory, or what comes after the parts `before`.

    Raises:
        LanescopeError: neither the region nor the spool can be read.
    """
    problems: list[str] = []
    region = _region(directory, problems)
    contents = _spooled(directory, region, before, problems)
    leftover = _leftover(region, contents)
    problems += leftover.problems
    from_region = contents.gatherer.add(leftover.payload)
    if _state(region, contents) != constant("LS_STOPPED"):
        problems.append(
            "The recorded program did not stop by itself; its last tasks may be cut off"
        )
    if region is None and not contents.closed:
        problems.append(
            "The region is gone or out of reach, so what came after the end of the spool is not "
            "known"
        )
    counts = LaneCounts(_counters(region, contents), leftover.damaged)
    return _read(directory, contents, counts, problems=problems, leftover=from_region)


def read_rest(directory: Path) -> CaptureRead:
    """Return what comes after the stored parts of a capture; all of it where no part is stored.

    Raises:
        LanescopeError: neither the region nor the spool can be read.
    """
    before = load_state(directory)
    found = read_capture(directory, before)
    if before is None:
        return found
    part = part_contents(found.contents, before, ends=True)
    return replace(found, contents=part.contents, before=before)


def read_part(directory: Path, before: PartState | None) -> CaptureRead:
    """Return what is in the first spool after the parts `before`, which is complete.

    Raises:
        LanescopeError: the spool cannot be read.
    """
    problems: list[str] = []
    number = 1 if before is None else before.stored + 1
    [path] = [path for path in spools(directory) if part_number(path) == number]
    contents = _one_spool(path, None, keep=False, before=before, problems=problems)
    if contents is None:
        raise LanescopeError(f"{path}: it cannot be read ({'; '.join(problems) or 'no head'})")
    if not contents.closed:
        problems.append(f"{path}: its last frame is missing, so it may lack buffers")
    refused = frozenset(np.flatnonzero(contents.head.lanes["refused"]).tolist())
    counts = LaneCounts(contents.head.lanes, refused)
    return _read(directory, contents, counts, problems=problems, leftover=0)


def _read(
    directory: Path,
    contents: _Contents,
    counts: LaneCounts,
    *,
    problems: list[str],
    leftover: int,
) -> CaptureRead:
    unread: list[str] = []
    note, plan = _note(directory, unread), _plan(directory, unread)
    problems += unread
    found = CaptureContents(
        head=contents.head,
        gathered=contents.gatherer.gather(),
        counts=counts,
        plan=plan,
        note=note,
        host=read_host_log(directory, problems),
    )
    gatherer = contents.gatherer
    return CaptureRead(
        contents=found,
        buffers=gatherer.buffers,
        leftover_buffers=leftover,
        problems=tuple(problems),
        unread=tuple(unread),
        following=gatherer.next,
    )


def _state(region: Region | None, contents: _Contents) -> int:
    """Return how far the recorded program was; stopped where nobody knows."""
    if region is not None:
        return region.state
    return int(contents.head.header["state"]) if contents.closed else constant("LS_STOPPED")


def _counters(region: Region | None, contents: _Contents) -> Array | None:
    """Return the device's final counters; None where neither region nor spool has them."""
    if region is not None:
        return counters(region.memory, contents.head)
    return contents.head.lanes if contents.closed else None


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


def _spooled(
    directory: Path, region: Region | None, before: PartState | None, problems: list[str]
) -> _Contents:
    """Read all spools. The head comes from the region, where it is newest, or else from a spool."""
    contents = None if region is None else _Contents.after(before, region.head)
    stored = 0 if before is None else before.stored
    for path in spools(directory):
        if part_number(path) > stored:
            if contents is not None:
                contents.closed = False  # only the last spool has the final counters
            contents = _one_spool(
                path, contents, keep=region is not None, before=before, problems=problems
            )
    if contents is None:
        raise LanescopeError(
            f"{directory}: neither the region nor the spool can be read, so nothing can be "
            f"recovered ({'; '.join(problems) or 'both files are missing'})"
        )
    return contents


def _one_spool(
    path: Path,
    contents: _Contents | None,
    *,
    keep: bool,
    before: PartState | None,
    problems: list[str],
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
            if contents is None:
                contents = _Contents.after(before, head)
            elif not keep:
                contents.head = head
            contents.closed |= frame.kind == FrameKind.CLOSE
        elif contents is not None:
            try:
                contents.gatherer.add(frame.payload, reader.payload_of(frame))
            except NotBuffers as error:
                problems.append(f"{path}: frame {frame.index}: {error}, so it was left out")
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


def _leftover(region: Region | None, contents: _Contents) -> Leftover:
    """Return the buffers that only the region holds, and the lanes that cannot be believed."""
    if region is not None:
        return leftover_buffers(region.memory, contents.head, contents.gatherer.next)
    refused = np.flatnonzero(contents.head.lanes["refused"]).tolist()
    return Leftover(np.empty(0, np.uint8), damaged=frozenset(refused))


def read_names(directory: Path) -> tuple[SessionNote, Trace | None]:
    """Return the names and the plan of a capture; what cannot be read is left out."""
    ignored: list[str] = []
    return _note(directory, ignored), _plan(directory, ignored)


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
    own = directory / PLAN
    path = own if own.exists() else directory.parent / PLAN
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
