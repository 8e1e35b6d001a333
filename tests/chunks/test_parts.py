"""Streams in several parts: where they are cut, what they know of blocks, how accounts add up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.chunks.test_decoder import SAME, mark, stamp, stream
from tests.chunks.test_task_join import owners, trace_with

from lanescope.chunks import FILLER, SENTINEL, decode
from lanescope.chunks.parts import attach_parts, split_parts
from lanescope.trace import MISSING32

BURST = 8
"""Chunks in a burst."""


def padded(*words: int) -> list[int]:
    """Chunks, then filler to the end of the burst."""
    return [*words, *[FILLER] * (-len(words) % BURST)]


def test_a_stream_is_cut_after_the_burst_that_has_a_sentinel() -> None:
    first = padded(1, 2, SENTINEL)
    second = [3] * BURST + [4] * 7 + [SENTINEL]
    third = [5] * 3
    parts = split_parts(stream(*first, *second, *third))
    assert [part.view("<u4").tolist() for part in parts] == [first, second, third]
    assert split_parts(b"") == []
    [alone] = split_parts(stream(*first))
    assert len(alone) == 4 * BURST
    [cut] = split_parts(stream(7) + b"xy")
    assert cut.tobytes() == stream(7) + b"xy"


def test_no_time_carries_over_to_the_next_part() -> None:
    """Both parts begin with a stamp, and core 1 has one part only."""
    cores = trace_with((0, 100, 150), (0, 200, 260), core=1)
    tasks = cores.tasks.replace(core=np.array([0, 1], np.int32))
    streams = {
        1: [decode(stream(*stamp(1200), mark(0, 9, 5)), SAME)],
        0: [
            decode(stream(*stamp(1100), mark(0, 7, 5)), SAME),
            decode(stream(*stamp(1140), mark(0, 8, 5), 0x7FFF0000), SAME),
        ],
    }
    trace = attach_parts(replace(cores, tasks=tasks), streams)
    assert trace.text("marks", "name") == ["mark 7", "mark 9", "mark 8"]
    assert trace.marks["start_ns"].tolist() == [105, 205, 145]
    assert owners(trace) == [100, 101, 100]
    chunks = [entry for entry in trace.meta.ledger if entry.kind == "chunk"]
    assert [(entry.lane, entry.total) for entry in chunks] == [("core 0", 11), ("core 1", 5)]


@pytest.mark.parametrize(
    ("start", "block"),
    [(1098, MISSING32), (1099, 4), (1100, 4), (1101, 4), (1102, MISSING32), (1199, 6), (1201, 6)],
)
def test_a_task_of_several_blocks_has_that_of_the_stamp_at_its_start(
    start: int, block: int
) -> None:
    parts = [decode(stream(*stamp(1100, 4)), SAME), decode(stream(*stamp(1200, 6)), SAME)]
    trace = trace_with((0, 1, 2), blocks=[2], start_cycles=[start])
    trace = replace(trace, tasks=trace.tasks.replace(blocks=np.array([2], np.int32)))
    assert attach_parts(trace, {0: parts}).tasks["block"].tolist() == [block]


def test_a_task_of_one_block_or_without_a_stamp_keeps_its_block() -> None:
    parts = [decode(stream(*stamp(1100, 4)), SAME)]
    alone = trace_with((9, 100, 150), blocks=[1], start_cycles=[1100])
    alone = replace(alone, tasks=alone.tasks.replace(blocks=np.array([1], np.int32)))
    assert attach_parts(alone, {0: parts}).tasks["block"].tolist() == [9]
    several = replace(alone, tasks=alone.tasks.replace(blocks=np.array([2], np.int32)))
    assert attach_parts(several, {1: parts}).tasks["block"].tolist() == [9]
    silent = [decode(b"", SAME)]
    assert attach_parts(several, {0: silent}).tasks["block"].tolist() == [MISSING32]
