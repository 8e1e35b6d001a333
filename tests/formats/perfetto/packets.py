"""Perfetto traces by hand: packets in a few words."""

from __future__ import annotations

import struct
from typing import Any

from lanescope.formats.perfetto import fields as f
from lanescope.formats.perfetto.wire import message, number, tag, text

CLEARED = number(f.PACKET_SEQUENCE_FLAGS, f.SEQUENCE_STATE_CLEARED)


def packet(*parts: bytes, at: int | None = None, sequence: int = 1, clock: int = 0) -> bytes:
    """A packet of these parts; `at` is its time."""
    head = b"" if at is None else number(f.PACKET_TIMESTAMP, at)
    head += number(f.PACKET_CLOCK_ID, clock) if clock else b""
    return message(f.TRACE_PACKET, head, number(f.PACKET_SEQUENCE, sequence), *parts)


def event(kind: int, name: int | str = 0, *more: bytes, track: int | None = None) -> bytes:
    """A track event; a name is a text or the number of one."""
    parts = [number(f.EVENT_TYPE, kind)] if kind else []
    if isinstance(name, str):
        parts.append(text(f.EVENT_NAME, name))
    elif name:
        parts.append(number(f.EVENT_NAME_IID, name))
    if track is not None:
        parts.append(number(f.EVENT_TRACK_UUID, track))
    return message(f.PACKET_TRACK_EVENT, *parts, *more)


def flow(field: int, *ids: int) -> bytes:
    """Flow ids of eight bytes each."""
    return b"".join(tag(field, 1) + struct.pack("<Q", one) for one in ids)


def legacy(phase: str, **fields: Any) -> bytes:
    """What an event carries over from the JSON format."""
    numbers = {
        "duration_us": f.LEGACY_DURATION_US,
        "unscoped_id": f.LEGACY_UNSCOPED_ID,
        "local_id": f.LEGACY_LOCAL_ID,
        "bind_id": f.LEGACY_BIND_ID,
    }
    parts = [number(numbers[key], value) for key, value in fields.items()]
    return message(f.EVENT_LEGACY, number(f.LEGACY_PHASE, ord(phase)), *parts)


def names(field: int = f.INTERNED_EVENT_NAME, **by_iid: str) -> bytes:
    """Interned texts: names(_1="gemm") says that 1 is "gemm"."""
    entries = (
        message(field, number(f.NAME_IID, int(iid[1:])), text(f.NAME_TEXT, name))
        for iid, name in by_iid.items()
    )
    return message(f.PACKET_INTERNED_DATA, *entries)


def default_track(uuid: int) -> bytes:
    """The track of a sequence's events that name none."""
    return message(
        f.PACKET_DEFAULTS, message(f.DEFAULTS_TRACK_EVENT, number(f.EVENT_TRACK_UUID, uuid))
    )


def track(uuid: int, name: str = "", *, parent: int = 0, **about: Any) -> bytes:
    """A descriptor: thread=(pid, tid, name), process=(pid, name), counter=(multiplier, differs)."""
    parts = [number(f.TRACK_UUID, uuid)]
    parts += [text(f.TRACK_NAME, name)] if name else []
    parts += [number(f.TRACK_PARENT_UUID, parent)] if parent else []
    if "thread" in about:
        pid, tid, thread_name = about["thread"]
        inner = number(f.THREAD_PID, pid) + number(f.THREAD_TID, tid)
        parts.append(message(f.TRACK_THREAD, inner, text(f.THREAD_NAME, thread_name)))
    if "process" in about:
        pid, process_name = about["process"]
        inner = number(f.PROCESS_PID, pid) + text(f.PROCESS_NAME, process_name)
        parts.append(message(f.TRACK_PROCESS, inner))
    if "counter" in about:
        multiplier, differs = about["counter"]
        inner = number(f.COUNTER_MULTIPLIER, multiplier) + number(f.COUNTER_INCREMENTAL, differs)
        parts.append(message(f.TRACK_COUNTER, inner))
    return message(f.PACKET_TRACK_DESCRIPTOR, *parts)


def snapshot(*clocks: tuple[int, ...], primary: int = 0) -> bytes:
    """What clocks showed at one moment: (id, value[, is_incremental, unit])."""
    fields = (f.CLOCK_ID, f.CLOCK_TIMESTAMP, f.CLOCK_INCREMENTAL, f.CLOCK_UNIT)
    readings = (
        message(
            f.SNAPSHOT_CLOCKS,
            *(number(field, value) for field, value in zip(fields, one, strict=False)),
        )
        for one in clocks
    )
    head = number(f.SNAPSHOT_PRIMARY, primary) if primary else b""
    return message(f.PACKET_CLOCK_SNAPSHOT, *readings, head)
