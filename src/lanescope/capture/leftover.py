"""What a region still holds: buffers that were published and not taken, and open buffers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lanescope.capture.ledger import SOURCES
from lanescope.capture.slice_records import END_BITS
from lanescope.device.head import Array, Head
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import constant, layout

_NEVER_MADE = 1 << 56
"""So many records no lane makes: 1,000 million a second would take two years."""


@dataclass(frozen=True, slots=True, eq=False)
class Leftover:
    """What was still in a region."""

    payload: Array
    """The buffers, as a spool could hold them."""
    problems: tuple[str, ...] = ()
    """What could not be read, a sentence each."""
    damaged: frozenset[int] = frozenset()
    """Lanes whose counters cannot be right, or which the drain has refused."""


def leftover_buffers(memory: Array, head: Head, taken: Array) -> Leftover:
    """Return the buffers that were not taken; `taken` is the number of taken buffers by lane.

    A buffer that the device changes meanwhile is a problem.
    """
    parts: list[Array] = []
    problems: list[str] = []
    lanes = _lanes(memory, head)
    damaged = set()
    for index in range(len(lanes)):
        lane, count = lanes[index], int(head.lanes["buffer_count"][index])
        opened = int(lane["opened"])
        if not _is_sound(lane, head.lanes[index], int(taken[index])):
            damaged.add(index)
            problems.append(
                f"{head.lane_name(index)}: the counters of its lane contradict each other, so "
                "what is left in its buffers was not read"
            )
            continue
        # Buffers that were given back unsaved are there until the lane opens them again.
        for sequence in range(max(int(taken[index]), opened - count), opened):
            buffer = _buffer(memory, head, index, sequence, lane)
            if buffer is None:
                problems.append(
                    f"{head.lane_name(index)}: buffer {sequence} in the region has another one's "
                    "header, so it was not read"
                )
                break
            parts.append(buffer)
    payload = np.concatenate(parts) if parts else np.empty(0, np.uint8)
    return Leftover(payload, tuple(problems), frozenset(damaged))


def _is_sound(lane: Any, constant: Any, taken: int) -> bool:
    """Say whether the counters of a lane can be right, after `taken` buffers were taken."""
    published, opened = int(lane["published"]), int(lane["opened"])
    given_back = max(int(lane["released"]), taken)
    lost = max(int(lane[word]) for word in ("dropped", "intruded", "mismatched"))
    sources = int(lane["source_taken"]), int(lane["source_made"])
    return (
        not int(lane["refused"])
        and taken <= published <= opened <= given_back + int(constant["buffer_count"])
        and int(lane["recorded"]) <= opened * int(constant["buffer_records"])
        and lost < _NEVER_MADE
        and (KINDS[constant["kind"]] not in SOURCES or sources[0] <= sources[1] < _NEVER_MADE)
    )


def _written(records: Array, lane: Any, counted: int) -> int:
    """Return how many records a buffer has that was never published.

    `counted` is this number by the lane's counter, which does not count the slices of an open
    buffer. A slice that ends after the buffer was opened was written since then. The first slice
    may have ended before, because the buffer was opened for it.
    """
    if KINDS[lane["kind"]] != "slice":
        return counted
    clock, size = layout("ls_slice_clock"), layout("ls_slice").itemsize
    opened = int(records[: clock.itemsize].view(clock)["open_cycles"][0])
    slices = records[clock.itemsize : int(lane["buffer_records"]) * size].view(layout("ls_slice"))
    what = slices["what"].astype(np.int64)
    end = slices["end"].astype(np.int64) | (what >> 16 & 0x7FFF) << 32
    after = (end - (opened & (1 << END_BITS) - 1)) % (1 << END_BITS)
    fresh = (0 < after) & (after < 1 << (END_BITS - 1)) & (end != 0)
    fresh[:1] |= fresh[1:2]
    return constant("LS_SLICE_CLOCK_RECORDS") + int(np.argmin(np.append(fresh, False)))


def _lanes(memory: Array, head: Head) -> Array:
    """Return the lane table as it is now.

    A device that still runs opens buffers before it publishes them. So `opened` is read last.
    """
    start = int(head.header["lanes"])
    live = memory[start : start + head.lane_bytes].view(layout("ls_lane"))
    lanes = live.copy()
    lanes["opened"] = live["opened"]
    return lanes


def _buffer(memory: Array, head: Head, index: int, sequence: int, now: Array) -> Array | None:
    """Return the header and the used records of one buffer; None where its header is another's.

    The header of a buffer that was never published gets its count here.
    """
    lane = head.lanes[index]
    size = layout("ls_buffer").itemsize
    at = int(lane["buffers"]) + sequence % int(lane["buffer_count"]) * int(lane["buffer_stride"])
    raw = memory[at : at + int(lane["buffer_stride"])].copy()
    [header] = raw[:size].view(layout("ls_buffer"))
    if int(header["sequence"]) != sequence or int(header["lane"]) != index:
        return None
    if sequence >= int(now["published"]):
        written = _written(raw[size:], lane, int(now["recorded"]) - int(header["first"]))
        header["count"] = min(max(written, 0), int(lane["buffer_records"]))
    if int(header["count"]) > int(lane["buffer_records"]):
        return None
    return raw[: size + int(header["count"]) * int(lane["record_bytes"])]
