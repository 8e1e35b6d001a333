"""A trace from a capture's directory: from its spool, its region, or both.

Every capture ends here, also one whose program or collector was killed.
"""

from __future__ import annotations

import fcntl
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from lanescope.capture.assemble import Capture, assemble
from lanescope.capture.directory import NOTE, PLAN, REGION, SessionNote, spools
from lanescope.capture.drain import counters
from lanescope.capture.gather import Gatherer, NotBuffers
from lanescope.capture.leftover import leftover_buffers
from lanescope.capture.spool import Damage, Frame, FrameKind, SpoolReader
from lanescope.device.head import Array, Head, read_head
from lanescope.device.layouts import constant
from lanescope.device.region import Region, open_region
from lanescope.errors import InputError, LanescopeError, UsageError
from lanescope.trace import Trace, load


@dataclass
class Recovery:
    """What was found, and what is wrong with it, a sentence each."""

    trace: Trace
    buffers: int
    """Buffers read, from spool and region together."""
    leftover: int
    """Of those, found in the region only."""
    problems: list[str] = field(default_factory=list)


@dataclass
class _Found:
    head: Head
    gatherer: Gatherer
    closed: bool = False


def recover(directory: Path) -> Recovery:
    """Rebuild the trace of a capture that nobody works on any more; it is left as it is."""
    if not directory.is_dir():
        raise UsageError(f"{directory}: expected the directory of a capture, NAME.capture")
    _require_idle(directory)
    found = rebuild(directory)
    notes = tuple(f"Recovered: {problem}." for problem in found.problems) or (
        "Recovered; nothing is missing.",
    )
    found.trace = found.trace.with_meta(notes=found.trace.meta.notes + notes)
    return found


def rebuild(directory: Path) -> Recovery:
    """The trace of what is in the directory."""
    problems: list[str] = []
    region = _region(directory, problems)
    found = _spooled(directory, region, problems)
    leftover = _add_leftover(region, found, problems)
    note, plan = _note(directory, problems), _plan(directory, problems)
    if region is not None and region.state != constant("LS_STOPPED"):
        problems.append(
            "The recorded program did not stop by itself; its last tasks may be cut off"
        )
    if region is None and not found.closed:
        problems.append("The region is gone, so what came after the end of the spool is not known")
    trace = assemble(
        Capture(
            head=found.head,
            gathered=found.gatherer.gather(),
            lanes=_counters(region, found),
            plan=plan,
            name=note.name,
            chip=note.chip,
        )
    )
    return Recovery(trace, found.gatherer.buffers, leftover, problems)


def _counters(region: Region | None, found: _Found) -> Array | None:
    if region is not None:
        return counters(region.memory, found.head)
    return found.head.lanes if found.closed else None


def _require_idle(directory: Path) -> None:
    """Both files are locked while somebody works on them."""
    files = [(path, "collector") for path in spools(directory)]
    for path, who in [*files, (directory / REGION, "recorded program")]:
        if not path.exists():
            continue
        with path.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise UsageError(
                    f"{path}: the {who} is still running; wait until it has ended"
                ) from None


def _region(directory: Path, problems: list[str]) -> Region | None:
    path = directory / REGION
    if not path.exists():
        return None
    try:
        return open_region(path)
    except InputError as error:
        problems.append(str(error))
        return None


def _spooled(directory: Path, region: Region | None, problems: list[str]) -> _Found:
    """Head and buffers of the spool; the region's head is newer where there is one."""
    found = None if region is None else _Found(region.head, Gatherer(region.head))
    for path in spools(directory):
        found = _one_spool(path, found, keep=region is not None, problems=problems)
    if found is None:
        raise LanescopeError(
            f"{directory}: neither the region nor the spool can be read, so nothing can be "
            f"recovered ({'; '.join(problems) or 'both files are missing'})"
        )
    return found


def _one_spool(
    path: Path, found: _Found | None, *, keep: bool, problems: list[str]
) -> _Found | None:
    reader = _reader(path, problems)
    if reader is None:
        return found
    for frame in reader.frames():
        if frame.kind != FrameKind.BUFFERS:
            found = _newer_head(found, frame, keep=keep, path=path, problems=problems)
        elif found is not None:
            _add(found, frame.payload, f"{path}: frame {frame.index}", problems)
    problems += [_damage(path, damage) for damage in reader.damage]
    return found


def _reader(path: Path, problems: list[str]) -> SpoolReader | None:
    try:
        return SpoolReader(path)
    except InputError as error:
        problems.append(str(error))
        return None


def _newer_head(
    found: _Found | None, frame: Frame, *, keep: bool, path: Path, problems: list[str]
) -> _Found | None:
    try:
        head = read_head(np.asarray(frame.payload), source=path)
    except InputError as error:
        problems.append(str(error))
        return found
    if found is None:
        return _Found(head, Gatherer(head), frame.kind == FrameKind.CLOSE)
    if not keep:
        found.head = head
    found.closed |= frame.kind == FrameKind.CLOSE
    return found


def _add(found: _Found, payload: Array, where: str, problems: list[str]) -> None:
    try:
        found.gatherer.add(payload)
    except NotBuffers as error:
        problems.append(f"{where}: {error}, so it was left out")


def _add_leftover(region: Region | None, found: _Found, problems: list[str]) -> int:
    """What the region holds beyond the spool; returns its buffers."""
    if region is None:
        return 0
    payload, wrong = leftover_buffers(region.memory, found.head, found.gatherer.next)
    problems += wrong
    return found.gatherer.add(payload)


def _note(directory: Path, problems: list[str]) -> SessionNote:
    name = directory.name.removesuffix(".capture") or "run"
    try:
        return msgspec.json.decode((directory / NOTE).read_bytes(), type=SessionNote)
    except (OSError, msgspec.MsgspecError) as error:
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
