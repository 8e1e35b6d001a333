"""Records that go on to the next part of a capture, because what belongs to them may be there.

The lanes of a core are handed over buffer by buffer, so one of them is ahead of the other. What is
beyond the last record of the slowest lane goes on, and so does a tensor that is not whole.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.capture.pieces import NEVER, TokenPiece, TokenRecords
from lanescope.capture.tensors import tensor_lanes, unfinished
from lanescope.device.head import Array, Head
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import layout
from lanescope.trace.task_rows import CONTROLLER_TASK, CORE_TASK


@dataclass(frozen=True, slots=True, eq=False)
class CarriedOver:
    """What a part hands on."""

    payload: Array
    """Buffers with the records, as a spool could hold them."""
    counts: Array
    """By lane: how many of its records these are."""
    numbers: Array
    """By lane: the dispatch number of its last record, or the number of its last whole tensor."""


def carry_over(
    records: TokenRecords, head: Head, following: Array, *, lifecycle: bool
) -> CarriedOver:
    """Have `records` leave out what goes on to the next part, and return that.

    `following` are the sequence numbers after each lane's last buffer. `lifecycle` says whether
    tasks have a controller's record.
    """
    numbers = np.array([records.last_numbers[lane] for lane in range(len(head.lanes))], np.int64)
    counts = np.zeros(len(head.lanes), np.int64)
    parts: list[bytes] = []
    for core, lanes in _lanes_by_core(records, head, lifecycle=lifecycle).items():
        limit = min(int(numbers[lane]) for lane in lanes)
        for lane in lanes:
            limit = _with_most(records, head, lane, limit=limit)
        for lane in lanes:
            kept = records.read(KINDS[head.lanes["kind"][lane]], _beyond(core, limit)).rows
            counts[lane] = len(kept)
            parts += _buffers(kept, lane, head, int(following[lane]))
        records.limits[core] = limit
    for lane in tensor_lanes(head):
        kept, number = unfinished(records.gathered, lane)
        counts[lane] = len(kept)
        numbers[lane] = numbers[lane] if number is None else number
        parts += _buffers(kept, lane, head, int(following[lane]))
    return CarriedOver(np.frombuffer(b"".join(parts), np.uint8), counts, numbers)


def _lanes_by_core(records: TokenRecords, head: Head, *, lifecycle: bool) -> dict[int, list[int]]:
    """Return the lanes of each core whose records belong together, where there are several."""
    found: dict[int, list[int]] = {}
    for lane, row in enumerate(head.lanes):
        kind = KINDS[row["kind"]]
        counted = kind == "pmu" and records.last_numbers[lane] >= int(head.header["first_token"])
        if kind == CORE_TASK or (kind == CONTROLLER_TASK and lifecycle) or counted:
            found.setdefault(int(row["owner"]), []).append(lane)
    return {core: lanes for core, lanes in found.items() if len(lanes) > 1}


def _beyond(core: int, limit: int) -> TokenPiece:
    return TokenPiece((core, limit + 1), (core, np.inf), -NEVER)


def _with_most(records: TokenRecords, head: Head, lane: int, *, limit: int) -> int:
    """Return a limit beyond which a lane has no more records than rings of buffers hold.

    No lane of a core can be further behind than that, so older records have lost their partner.
    """
    row = head.lanes[lane]
    tokens = records.read(KINDS[row["kind"]], _beyond(int(row["owner"]), limit)).key.token
    same = head.lanes["owner"] == row["owner"]
    rings = head.lanes["buffer_records"].astype(np.int64) * head.lanes["buffer_count"]
    most = int(rings[same].max())
    return limit if len(tokens) <= most else int(np.sort(tokens)[-most - 1])


def _buffers(records: Array, lane: int, head: Head, following: int) -> list[bytes]:
    """Return records as buffers that come before the lane's next one."""
    size = int(head.lanes["buffer_records"][lane])
    parts = []
    for first in range(0, len(records), size):
        part = records[first : first + size]
        header = np.zeros(1, layout("ls_buffer"))
        header["lane"], header["sequence"] = lane, max(following, 1) - 1
        header["first"], header["count"] = first, len(part)
        parts += [header.tobytes(), part.tobytes()]
    return parts
