"""Makes descriptors: what each track is called, where it stands, and the names its sequence uses.

Every lane is a track with a packet sequence of its own, so its rows need neither the track's id
nor the text of a name. Track uuid and sequence id are the same number.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lanescope.formats.drawn import KEY
from lanescope.formats.perfetto import fields as f
from lanescope.formats.perfetto.rows import interned
from lanescope.formats.perfetto.wire import message, number, text
from lanescope.formats.views import View
from lanescope.trace.numbering import different
from lanescope.trace.rows import as_slice

FIRST_THREAD = 10
"""Thread numbers stay above the process numbers: a thread with the number of a process would be
taken for its main thread."""


def process(uuid: int, pid: int, name: str) -> bytes:
    """Describe the process that stands for one view.

    The viewer draws a summary of a process while it is folded.
    """
    about = message(f.TRACK_PROCESS, number(f.PROCESS_PID, pid), text(f.PROCESS_NAME, name))
    return _packet(uuid, message(f.PACKET_TRACK_DESCRIPTOR, number(f.TRACK_UUID, uuid), about))


def view_tracks(view: View, uuid: int, pid: int) -> Iterator[bytes]:
    """Describe the view's own track `uuid`, then its lanes; lane k is track uuid + 1 + k.

    Lanes are threads of a process, which the viewer shows in the order of their numbers. Where
    lanes have lanes under them they are plain tracks: the viewer nests nothing under a thread.
    """
    if max(view.under, default=-1) < 0:
        yield process(uuid, pid, view.name)
        descriptors = [_thread(uuid + 1 + k, pid, name) for k, name in enumerate(view.lanes)]
    else:
        yield _packet(uuid, _plain(uuid, text(f.TRACK_NAME, view.name)))
        descriptors = [
            _plain(
                uuid + 1 + k,
                text(f.TRACK_NAME, name),
                number(f.TRACK_PARENT_UUID, uuid + 1 + owner),
                number(f.TRACK_SIBLING_RANK, k),
            )
            for k, (name, owner) in enumerate(zip(view.lanes, view.under, strict=True))
        ]
    for k, (descriptor, names) in enumerate(zip(descriptors, _interned(view), strict=True)):
        yield _packet(uuid + 1 + k, names, descriptor)


def counter(parent: int, rank: int, name: str) -> bytes:
    """Describe the counter track of a series, which is track parent + 1 + rank."""
    descriptor = (
        number(f.TRACK_UUID, parent + 1 + rank),
        number(f.TRACK_PARENT_UUID, parent),
        text(f.TRACK_NAME, name),
        message(f.TRACK_COUNTER),
    )
    return _packet(parent + 1 + rank, message(f.PACKET_TRACK_DESCRIPTOR, *descriptor))


def about(sequence: int, content: bytes) -> bytes:
    """The text about the file, as an interned text that no event means: viewers do not show it."""
    name = _name(f.INTERNED_ANNOTATION_NAME, 1, KEY)
    told = message(f.INTERNED_ANNOTATION_TEXT, number(f.NAME_IID, 1), message(f.NAME_TEXT, content))
    return _packet(sequence, message(f.PACKET_INTERNED_DATA, name, told))


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


def _plain(uuid: int, *about: bytes) -> bytes:
    """A track that is no thread; its children stand in the order of their ranks.

    Readers would make one track of all siblings of one name.
    """
    how = number(f.TRACK_CHILD_ORDERING, f.ORDERING_EXPLICIT)
    how += number(f.TRACK_SIBLING_MERGE, f.MERGE_NONE)
    return message(f.PACKET_TRACK_DESCRIPTOR, number(f.TRACK_UUID, uuid), how, *about)


def _interned(view: View) -> Iterator[bytes]:
    """Per lane the names that its bars use, as interned data."""
    shared = b""
    for iids, part in zip(interned(view), view.parts, strict=True):
        shared += _name(f.INTERNED_CATEGORY, iids.category, part.category)
        for k, argument in enumerate(part.arguments):
            shared += _name(f.INTERNED_ANNOTATION_NAME, iids.first_argument + k, argument.name)
            for place, word in enumerate(argument.words, iids.first_texts[k]):
                shared += _name(f.INTERNED_ANNOTATION_TEXT, place, word)
    for names in _name_tables(view):
        yield message(f.PACKET_INTERNED_DATA, names, shared if names else b"")


def _name_tables(view: View) -> list[bytes]:
    """Per lane the event names that its bars use."""
    names = [name for part in view.parts for name in part.names]
    span, used = len(names) + 1, []
    for k, (part, iids) in enumerate(zip(view.parts, interned(view), strict=True)):
        mine = as_slice(np.flatnonzero(view.part == k))
        iid = part.name[as_slice(view.row[mine])] + iids.first_name
        used.append(different(view.lane[mine].astype(np.int64) * span + iid))
    tables = [b""] * len(view.lanes)
    for code in np.sort(np.concatenate(used)).tolist():
        lane, name_iid = divmod(code, span)
        tables[lane] += _name(f.INTERNED_EVENT_NAME, name_iid, names[name_iid - 1])
    return tables


def _name(field: int, iid: int, name: str) -> bytes:
    return message(field, number(f.NAME_IID, iid), text(f.NAME_TEXT, name))
