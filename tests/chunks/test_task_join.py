"""Decoded streams in a trace: each row finds its task, and what finds none is counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.chunks.test_decoder import SAME, mark, stamp, state, stream

from lanescope.chunks import Clocks, attach, decode
from lanescope.errors import LanescopeError
from lanescope.trace import MISSING, MISSING32, Meta, Table, Trace
from lanescope.trace.flags import Feature

BASE = 1000


def trace_with(*tasks: tuple[int, int, int], core: int = 0, **columns: list[int]) -> Trace:
    """Tasks (block, start ns, end ns) on one core, with tokens and ids from 0 and 100."""
    block, start, end = np.array(tasks, np.int64).reshape(-1, 3).T
    rows = len(block)
    table: dict[str, Any] = {
        "task": np.arange(rows) + 100,
        "token": np.arange(rows),
        "core": np.full(rows, core, np.int32),
        "block": block.astype(np.int32),
        "start_ns": start,
        "end_ns": end,
        **{name: np.array(values) for name, values in columns.items()},
    }
    meta = Meta(name="t", tool="test", origin="simulated", clock_hz=10**9, base_cycles=BASE)
    return Trace(meta=meta, tasks=Table.build("tasks", table))


def owners(trace: Trace) -> list[int | None]:
    return [None if task == MISSING else task for task in trace.marks["task"].tolist()]


def test_rows_belong_to_the_task_that_was_on_their_core_then() -> None:
    words = [*stamp(1100), state(0b10, 5), mark(1, 7, 3), state(0, 2)]
    words += [*stamp(1200), mark(0, 8, 50), mark(0, 9, 60)]
    trace = attach(
        trace_with((0, 100, 150), (0, 200, 260), core=3), {3: decode(stream(*words), SAME)}
    )
    assert trace.text("marks", "pipe") == ["vector", "vector", "scalar", "scalar"]
    assert trace.text("marks", "name") == ["busy", "mark 7", "mark 8", "mark 9"]
    assert trace.marks["mark"].tolist() == [MISSING32, 7, 8, 9]
    assert trace.marks["core"].tolist() == [3] * 4
    assert trace.marks["start_ns"].tolist() == [105, 108, 250, 310]
    assert trace.marks["end_ns"].tolist() == [110, 108, 250, 310]
    assert trace.marks["start_cycles"].tolist() == [1105, 1108, 1250, 1310]
    assert owners(trace) == [100, 100, 101, None]
    assert trace.marks["token"].tolist() == [0, 0, 1, MISSING]
    assert trace.meta.flags & Feature.CORE_SWIMLANE
    data, rows = trace.meta.ledger
    assert (data.total, data.delivered, data.dropped) == (13, 13, 0)
    assert (rows.total, rows.delivered, rows.unmatched) == (4, 3, 1)
    assert rows.reason == "1 lie in no task" and rows.closes


def test_a_task_begins_when_its_core_receives_it() -> None:
    trace = trace_with((0, 120, 150), receive_ns=[100])
    assert owners(attach(trace, {0: decode(stream(*stamp(1105), mark(0, 1, 0)), SAME)})) == [100]


def test_another_block_is_another_task() -> None:
    streams = {0: decode(stream(*stamp(1100, block=5), mark(0, 1, 1)), SAME)}
    assert owners(attach(trace_with((4, 100, 150)), streams)) == [None]
    assert owners(attach(trace_with((5, 100, 150)), streams)) == [100]
    assert owners(attach(trace_with((MISSING32, 100, 150)), streams)) == [100]


def test_an_interval_that_reaches_out_of_its_task_belongs_to_none() -> None:
    streams = {0: decode(stream(*stamp(1100), state(1, 1), state(0, 60)), SAME)}
    assert owners(attach(trace_with((0, 100, 150)), streams)) == [None]


@pytest.mark.parametrize(("delta", "owner"), [(51, 100), (52, None)])
def test_times_agree_to_one_tick(delta: int, owner: int | None) -> None:
    streams = {0: decode(stream(*stamp(1100), mark(0, 1, delta)), SAME)}
    assert owners(attach(trace_with((0, 100, 150)), streams)) == [owner]


def test_a_lone_end_is_kept_with_its_task_and_counted() -> None:
    streams = {0: decode(stream(*stamp(1100), state(1, 1)), SAME)}
    trace = attach(trace_with((0, 100, 150)), streams)
    assert owners(trace) == [100]
    assert trace.marks["end_ns"].tolist() == [MISSING]
    assert trace.meta.ledger[1].reason == "1 have only one end" and trace.meta.ledger[1].closes


def test_damage_is_in_the_ledger_with_its_first_offset() -> None:
    streams = {0: decode(stream(mark(0, 1, 1), *stamp(1100)), SAME)}
    entry = attach(trace_with((0, 100, 150)), streams).meta.ledger[0]
    assert (entry.lane, entry.kind, entry.dropped) == ("core 0", "chunk", 1)
    assert entry.reason.endswith("first at byte 0")


def test_both_codes_of_fixp_stay_distinct_by_name() -> None:
    streams = {0: decode(stream(*stamp(1100), mark(6, 2, 1), mark(10, 2, 1)), SAME)}
    trace = attach(trace_with((0, 100, 150)), streams)
    assert trace.text("marks", "name") == ["mark 2 (code 6)", "mark 2 (code 10)"]


def test_a_stream_of_another_counter_is_refused() -> None:
    streams = {7: decode(b"", Clocks(core_hz=10**9, counter_hz=5 * 10**7))}
    with pytest.raises(LanescopeError, match=r"^core 7 was decoded with a counter of 50000000 Hz"):
        attach(trace_with(), streams)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(2, 50), st.integers(2, 50)), max_size=12), st.data())
def test_the_join_is_what_a_loop_finds(gaps: list[tuple[int, int]], data: st.DataObject) -> None:
    edges = np.cumsum(np.array(gaps, np.int64).ravel()).reshape(-1, 2)
    limit = int(edges.max(initial=10)) + 20
    times = sorted(data.draw(st.lists(st.integers(0, limit), max_size=20)))
    deltas = np.diff([0, *times]).tolist()
    streams = {0: decode(stream(*stamp(BASE), *(mark(0, 1, d) for d in deltas)), SAME)}
    trace = attach(trace_with(*((0, int(s), int(e)) for s, e in edges)), streams)
    for time, owner in zip(times, owners(trace), strict=True):
        inside = [k + 100 for k, (s, e) in enumerate(edges.tolist()) if s <= time <= e]
        near = [k + 100 for k, (s, e) in enumerate(edges.tolist()) if s - 1 <= time <= e + 1]
        assert owner in (inside or near or [None])
