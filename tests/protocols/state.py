"""The state of a model: shared memory as record.h sees it, and what each actor knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

OUTSTANDING = 4  # LS_OUTSTANDING
NOTHING = -1
ROTATED = ("controller-rotated", "after-finish")
"""Protocols in which the controller opens and publishes the buffers that a core writes into."""


@dataclass(frozen=True)
class Setting:
    """One small run."""

    protocol: str
    tasks: int
    size: int
    """records per buffer"""
    buffers: int
    pre_dispatch: int
    on_full: str = "block"
    host_may_be_lost: bool = False
    """block: a waiting producer may give up"""
    tell_first: bool = False
    """producer-rotated: the controller is told before the record is written"""
    watch_writes: bool = True
    """fail at the write itself, not only when the host gets what it should not"""

    @property
    def slots(self) -> int:
        return 2 if self.pre_dispatch < 2 else 4  # ls_staging_slots

    @property
    def lossless(self) -> bool:
        return self.on_full == "block" and not self.host_may_be_lost


class Buffer(NamedTuple):
    """ls_buffer and the records behind it, as halves a0 b0 a1 b1 …"""

    sequence: int
    first: int
    count: int
    halves: tuple[int, ...]


class State(NamedTuple):
    # Shared: ls_lane, the buffers, the staging slots, the mailbox between core and controller.
    published: int
    released: int
    segment: tuple[int, ...]
    buffers: tuple[Buffer, ...]
    slots: tuple[int, ...]
    dispatched: int
    told: int
    acknowledged: int
    """after-finish: tasks that the core has begun, and at the end the order to go"""
    # The core's own.
    core: str
    task: int
    """the task it works on, or will take next"""
    place: int
    """where the record goes: half index in the buffer of `core_sequence`"""
    core_sequence: int
    core_first: int
    """first task of its segment; NOTHING before the first"""
    # The controller's own.
    controller: str
    finished: int
    firsts: tuple[int, ...]
    segment_end: int
    written: int
    """after-finish: records that are known to be written"""
    until: int
    """after-finish: records that the controller counts now"""
    # ls_writer of the core's lane: the core's with producer-rotated, else the controller's.
    opened: int
    recorded: int
    first: int
    dropped: int
    cursor: int
    """records in the open buffer; NOTHING: none is open"""
    lost: bool
    seen: int
    """ls_writer.released: as the owner last read it"""
    # The host's own.
    host: str
    taken: int
    copied: tuple[int, ...]
    delivered: int
    last: int
    """the last task delivered"""


def start_state(setting: Setting) -> State:
    empty = Buffer(NOTHING, NOTHING, 0, (NOTHING,) * (2 * setting.size))
    return State(
        published=0, released=0, segment=(0,) * OUTSTANDING, buffers=(empty,) * setting.buffers,
        slots=(NOTHING,) * (2 * setting.slots), dispatched=0, told=0,
        acknowledged=0,
        core="take", task=0, place=NOTHING, core_sequence=NOTHING, core_first=NOTHING,
        controller="loop", finished=0, firsts=(0,) * OUTSTANDING, segment_end=0,
        written=0, until=0,
        opened=0, recorded=0, first=0, dropped=0, cursor=NOTHING, lost=False, seen=0,
        host="look", taken=0, copied=(), delivered=0, last=NOTHING,
    )  # fmt: skip


def put(row: tuple[int, ...], at: int, value: int) -> tuple[int, ...]:
    return (*row[:at], value, *row[at + 1 :])
