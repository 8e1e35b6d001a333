"""Descriptors: what each track is called and where it stands, and the names its sequence uses.

Every lane is a track with a packet sequence of its own, so its rows need neither the track's id
nor the text of a name. Track uuid and sequence id are the same number.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lanescope.formats.perfetto import fields as f
from lanescope.formats.perfetto.rows import interned
from lanescope.formats.perfetto.wire import message, number, text
from lanescope.formats.views import View

FIRST_THREAD = 10
"""Thread numbers stay above the process numbers: a thread with the number of a process would be
taken for its main thread."""


def process(uuid: int, pid: int, name: str) -> bytes:
    """The process that stands for one view: the viewer sums it up while it is folded."""
    about = message(f.TRACK_PROCESS, number(f.PROCESS_PID, pid), text(f.PROCESS_NAME, name))
    return _packet(uuid, message(f.PACKET_TRACK_DESCRIPTOR, number(f.TRACK_UUID, uuid), about))


def lanes(view: View, parent: int, pid: int) -> Iterator[bytes]:
    """One packet per lane; lane k is track parent + 1 + k, a thread of the view's process.

    The viewer shows the threads of a process in the order of their numbers; other child tracks of
    a process it sorts by name, whatever their ranks.
    """
    tables = _name_tables(view)
    arguments = b"".join(
        _name(f.INTERNED_ANNOTATION_NAME, iids.first_argument + k, argument.name)
        for iids, part in zip(interned(view), view.parts, strict=True)
        for k, argument in enumerate(part.arguments)
    )
    for rank, (name, names) in enumerate(zip(view.lanes, tables, strict=True)):
        yield _packet(
            parent + 1 + rank,
            message(f.PACKET_INTERNED_DATA, names, arguments if names else b""),
            _thread(parent + 1 + rank, pid, name),
        )


def counter(parent: int, rank: int, name: str) -> bytes:
    """A counter track: track parent + 1 + rank."""
    descriptor = (
        number(f.TRACK_UUID, parent + 1 + rank),
        number(f.TRACK_PARENT_UUID, parent),
        text(f.TRACK_NAME, name),
        message(f.TRACK_COUNTER),
    )
    return _packet(parent + 1 + rank, message(f.PACKET_TRACK_DESCRIPTOR, *descriptor))


def _packet(sequence: int, *parts: bytes) -> bytes:
    """The first packet of a sequence; its events are on the track of the same number."""
    track = message(f.DEFAULTS_TRACK_EVENT, number(f.EVENT_TRACK_UUID, sequence))
    return message(
        f.TRACE_PACKET,
        number(f.PACKET_SEQUENCE, sequence),
        number(f.PACKET_SEQUENCE_FLAGS, f.SEQUENCE_STATE_CLEARED),
        message(f.PACKET_DEFAULTS, track),
        *parts,
    )


def _thread(uuid: int, pid: int, name: str) -> bytes:
    about = message(
        f.TRACK_THREAD,
        number(f.THREAD_PID, pid),
        number(f.THREAD_TID, FIRST_THREAD + uuid),
        text(f.THREAD_NAME, name),
    )
    return message(f.PACKET_TRACK_DESCRIPTOR, number(f.TRACK_UUID, uuid), about)


def _name_tables(view: View) -> list[bytes]:
    """Per lane the event names that its slices use."""
    names = [name for part in view.parts for name in part.names]
    iids = interned(view)
    iid = np.concatenate([p.name + i.first_name for p, i in zip(view.parts, iids, strict=True)])
    offset = np.cumsum([0, *(len(part.name) for part in view.parts)])[view.part]
    span = len(names) + 1
    used = np.unique(view.lane.astype(np.int64) * span + iid[offset + view.row])
    tables = [b""] * len(view.lanes)
    for code in used.tolist():
        lane, name_iid = divmod(code, span)
        tables[lane] += _name(f.INTERNED_EVENT_NAME, name_iid, names[name_iid - 1])
    return tables


def _name(field: int, iid: int, name: str) -> bytes:
    return message(field, number(f.NAME_IID, iid), text(f.NAME_TEXT, name))
