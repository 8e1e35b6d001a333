"""Arbitrary tasks through encoder and decoder and back, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanescope.chunks import (
    ChunkEvents,
    Clocks,
    Decoded,
    StartStamp,
    busy_events,
    decode,
    encode_task,
    mark_events,
    merge,
    stamp_chunks,
)
from lanescope.chunks.layout import FIXP_CODES
from lanescope.trace.pipes import PIPES
from lanescope.trace.table import Array

Spans = list[tuple[int, int, int]]
MarkList = list[tuple[int, int, int, int]]
GAPS = st.one_of(st.integers(1, 300), st.integers(65_000, 66_000), st.integers(1, 400_000))


@st.composite
def spans(draw: st.DrawFn) -> Spans:
    """Per pipe, intervals that neither touch nor overlap, by pipe and start."""
    found = []
    for pipe in range(len(PIPES)):
        time = 0
        for gap, length in draw(st.lists(st.tuples(GAPS, GAPS), max_size=4)):
            found.append((pipe, time + gap, time + gap + length))
            time += gap + length
    return found


@st.composite
def marks(draw: st.DrawFn) -> MarkList:
    """Pipe, number, issue, execution."""
    row = st.tuples(st.integers(0, 6), st.integers(0, 4095), GAPS, st.integers(0, 70_000))
    return [(p, n, at, at + (p > 0) * later) for p, n, at, later in draw(st.lists(row, max_size=6))]


def columns(rows: list[tuple[int, ...]], width: int) -> list[Array]:
    return list(np.array(rows, np.int64).reshape(-1, width).T)


def task_events(busy: Spans, marked: MarkList, fixp_code: int) -> ChunkEvents:
    pipe, mark, issue, execute = columns(list(marked), 4)
    return merge(
        busy_events(*columns(list(busy), 3)),
        mark_events(pipe, mark, issue=issue, execute=execute, fixp_code=fixp_code),
    )


def decoded_events(decoded: Decoded, task: int) -> tuple[Spans, ChunkEvents]:
    """What was decoded of one task, in cycles since its stamp."""
    first, last = [*decoded.stamps.time.tolist(), 1 << 62][task : task + 2]
    per_cycle = decoded.clocks.units_per_cycle
    busy, marks = decoded.busy, decoded.marks
    mine = (busy.start >= first) & (busy.start < last)
    spans = np.stack(
        [busy.pipe[mine], *((t[mine] - first) // per_cycle for t in (busy.start, busy.end))]
    )
    marked = (marks.time >= first) & (marks.time < last)
    head = (marks.ctrl[marked].astype(np.uint16) << 12) | marks.mark[marked].astype(np.uint16)
    events = ChunkEvents((marks.time[marked] - first) // per_cycle, head)
    return [tuple(row) for row in spans.T.tolist()], merge(busy_events(*spans), events)


RATES = [(10**9, 10**9), (1_650_000_000, 5 * 10**7), (1_650_000_000, 10**9), (800_000, 10**9)]
TASKS = st.lists(st.tuples(spans(), marks(), st.integers(0, 0xFFFF)), min_size=1, max_size=3)


@settings(deadline=None)
@given(TASKS, st.sampled_from(RATES), st.sampled_from(FIXP_CODES))
def test_a_timeline_comes_back_bit_for_bit(
    tasks: list[tuple[Spans, MarkList, int]], rates: tuple[int, int], fixp_code: int
) -> None:
    stamps = [StartStamp((1 << 45) + (n << 40), block) for n, (_, _, block) in enumerate(tasks)]
    inputs = [task_events(busy, marked, fixp_code) for busy, marked, _ in tasks]
    chunks = np.concatenate(list(map(encode_task, stamps, inputs)))
    decoded = decode(chunks, Clocks(core_hz=rates[0], counter_hz=rates[1]))
    assert decoded.account.decoded == chunks.nbytes
    assert decoded.stamps.block.tolist() == [stamp.block for stamp in stamps]
    outputs = [decoded_events(decoded, task) for task in range(len(tasks))]
    assert [busy for busy, _ in outputs] == [busy for busy, _, _ in tasks]
    again = np.concatenate(list(map(encode_task, stamps, (events for _, events in outputs))))
    assert again.tobytes() == chunks.tobytes()


def test_spans_that_touch_or_overlap_are_one_interval() -> None:
    events = busy_events([1, 1, 1, 4], [5, 10, 12, 7], [10, 15, 13, 7])
    assert events.cycle.tolist() == [5, 15]
    assert events.head.tolist() == [0xF002, 0xF000]


def test_a_mark_on_scalar_is_one_chunk_and_on_another_pipe_two() -> None:
    events = mark_events([0, 6], [3, 4], issue=[1, 2], execute=[1, 9])
    assert events.cycle.tolist() == [1, 2, 9]
    assert events.head.tolist() == [0x0003, 0x0004, 0xA004]


@pytest.mark.parametrize(("gap", "deltas"), [(65535, [65535]), (65536, [65535, 1])])
def test_a_long_gap_repeats_the_present_state(gap: int, deltas: list[int]) -> None:
    chunks = encode_task(StartStamp(0), busy_events([2], [5], [5 + gap]))
    assert (chunks[5:] & 0xFFFF).tolist() == deltas
    assert (chunks[5:] >> 16).tolist() == [*[0xF004] * (len(deltas) - 1), 0xF000]


def test_what_a_chunk_cannot_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="a mark is 0 to 4095"):
        mark_events([0], [4096], issue=[0], execute=[0])
    with pytest.raises(ValueError, match="16-bit block"):
        stamp_chunks(StartStamp(0, 1 << 16))
    with pytest.raises(ValueError, match="in order"):
        encode_task(StartStamp(0), ChunkEvents(np.array([5, 4]), np.array([0, 0], np.uint16)))
