"""Launches by hand: openings of lanes with numbers, and what tables they become."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.capture.test_slices import START, buffer, clock_block, head
from tests.trace.test_store import assert_same

from lanescope.capture.assemble import CaptureContents, assemble
from lanescope.capture.gather import gather
from lanescope.capture.host_log import LAUNCH_NUMBERS, HandleUsed, HostEvents
from lanescope.capture.launches import Call, RecordedLaunches
from lanescope.capture.ledger import LaneCounts
from lanescope.capture.openings import Openings
from lanescope.capture.rebuild import _in_memory, store
from lanescope.device.head import Array, Head
from lanescope.trace import MISSING, MISSING32, Trace, Words, load
from lanescope.trace.part import part_of


def opened(at: int, launch: int, *tasks: int, lane: int = 0, sequence: int = 0) -> Array:
    """A buffer of a lane that a kernel took at `at` µs for 1 µs, with tasks of 10 ns."""
    ns, cycles = 1000 * at, START + 2000 * at
    clock = clock_block(
        start_cycles=cycles,
        start_ns=ns,
        open_cycles=cycles + 20,
        open_ns=ns + 10,
        close_cycles=cycles + 2000,
        close_ns=ns + 1000,
        launch=launch,
        unit=lane + 5,
    )
    slices = [(100 + 40 * k, 20, task, 0) for k, task in enumerate(tasks)]
    return buffer(*slices, clock=clock, lane=lane, sequence=sequence, first=10 * sequence)


def decoded(own: Head, *buffers: Array, host: HostEvents | None = None) -> Trace:
    return assemble(CaptureContents(own, gather(buffers, own), LaneCounts(None), host=host))


def column(trace: Trace, table: str, name: str) -> list[int]:
    values: list[int] = trace.table(table)[name].tolist()
    return values


@pytest.mark.parametrize("unit", [1 << 31, 1 << 40, (1 << 64) - 1])
def test_an_sm_that_can_be_none_is_not_known(unit: int, tmp_path: Path) -> None:
    """As damage makes it: the rest of the trace is there."""
    wrong = clock_block(unit=unit, launch=1)
    largest = clock_block(unit=(1 << 31) - 1, launch=1)
    trace = decoded(
        head(tmp_path),
        buffer((400, 200, 9, 0), clock=wrong),
        buffer((400, 200, 8, 0), clock=largest, lane=1),
    )
    assert column(trace, "blocks", "physical_core") == [MISSING32, (1 << 31) - 1]
    assert column(trace, "cores", "cluster")[:2] == [MISSING32, (1 << 31) - 1]
    assert column(trace, "tasks", "task") == [9, 8]


def test_ctas_of_a_number_are_a_launch_with_its_tasks(tmp_path: Path) -> None:
    trace = decoded(
        head(tmp_path),
        opened(20, 3, 7, 8),
        opened(30, 4, 9, sequence=1),
        opened(21, 3, 5, lane=1),
    )
    assert column(trace, "launches", "launch") == [3, 4]
    assert column(trace, "launches", "call") == [3, 4]
    assert column(trace, "launches", "blocks") == [2, 1]
    assert column(trace, "launches", "func") == [0, 0]
    assert column(trace, "launches", "start_ns") == [0, 10_000]
    assert column(trace, "launches", "end_ns") == [2000, 11_000]
    assert column(trace, "blocks", "launch") == [3, 3, 4]
    assert column(trace, "blocks", "core") == [0, 1, 0]
    assert column(trace, "blocks", "physical_core") == [5, 6, 5]
    assert column(trace, "blocks", "start_ns") == [0, 1000, 10_000]
    assert column(trace, "tasks", "task") == [7, 8, 9, 5]
    assert column(trace, "tasks", "launch") == [3, 3, 4, 3]
    assert trace.meta.base_cycles == 20_000


def test_number_0_is_no_launch(tmp_path: Path) -> None:
    trace = decoded(head(tmp_path), opened(20, 0, 7), opened(21, 2, 5, lane=1))
    assert column(trace, "tasks", "launch") == [MISSING, 2]
    assert column(trace, "launches", "launch") == [2]
    (tmp_path / "b").mkdir()
    old = decoded(head(tmp_path / "b"), opened(20, 0, 7), opened(30, 1 << 16, 8, sequence=1))
    assert (len(old.launches), len(old.blocks)) == (0, 0)
    assert column(old, "tasks", "launch") == [MISSING, MISSING]


def test_a_handle_that_is_launched_again_opens_its_lanes_again(tmp_path: Path) -> None:
    """As a CUDA graph does; another launch has a number of its own."""
    trace = decoded(
        head(tmp_path),
        *(opened(at, 1, at, sequence=k) for k, at in enumerate((20, 30, 40))),
        *(opened(at, 1, at, lane=1, sequence=k) for k, at in enumerate((21, 31, 41))),
        opened(50, 2, 99, sequence=3),
    )
    assert column(trace, "launches", "launch") == [1, 3, 4, 2]
    assert column(trace, "launches", "call") == [1, 1, 1, 2]
    assert column(trace, "launches", "blocks") == [2, 2, 2, 1]
    assert column(trace, "tasks", "launch") == [1, 3, 4, 2, 1, 3, 4]


def test_a_cta_that_recorded_in_some_launches_belongs_to_those_of_its_time(tmp_path: Path) -> None:
    trace = decoded(
        head(tmp_path),
        *(opened(at, 1, at, sequence=k) for k, at in enumerate((20, 30, 40))),
        opened(29, 1, 77, lane=1),
        opened(43, 1, 78, lane=1, sequence=1),
    )
    assert column(trace, "launches", "blocks") == [1, 2, 2]
    assert column(trace, "tasks", "launch") == [1, 2, 3, 2, 3]


def test_warps_of_a_cta_are_one_block(tmp_path: Path) -> None:
    trace = decoded(
        head(tmp_path, pipes=2),
        opened(20, 1, 1, 2),
        opened(21, 1, 3, lane=1),
        opened(22, 1, lane=2),
    )
    assert column(trace, "launches", "blocks") == [2]
    assert column(trace, "blocks", "core") == [0, 1]
    assert column(trace, "blocks", "start_ns") == [0, 2000]
    assert column(trace, "blocks", "end_ns") == [2000, 3000]
    assert column(trace, "tasks", "launch") == [1, 1, 1]


def test_a_launch_of_several_functions_has_none(tmp_path: Path) -> None:
    clock = clock_block(launch=1)
    trace = decoded(head(tmp_path), buffer((400, 20, 1, 0), (800, 20, 2, 1), clock=clock))
    assert column(trace, "launches", "func") == [MISSING32]


def test_a_lane_that_was_never_closed_ends_with_its_last_slice(tmp_path: Path) -> None:
    clock = clock_block(launch=1, close_cycles=0, close_ns=0)
    whole = clock_block(launch=1)
    trace = decoded(
        head(tmp_path),
        buffer((400, 20, 1, 0), (800, 20, 2, 0), clock=clock),
        buffer((200, 20, 3, 0), clock=whole, lane=1),
    )
    assert column(trace, "blocks", "end_cycles") == [10_400, 1_010_000]


def openings(*rows: tuple[int, int, int]) -> Openings:
    """Openings of 10 cycles, as (lane, number, start)."""
    lane, number, start = (np.array(one, np.int64) for one in zip(*rows, strict=True))
    none = np.zeros(len(rows), np.int64)
    return Openings(lane, lane, none, number, start, start + 10, np.arange(len(rows)))


def test_numbers_that_come_again_belong_to_the_use_before_them() -> None:
    again = LAUNCH_NUMBERS + 1
    calls = [Call(1, 90, "first"), Call(2, 95, "other"), Call(again, 500, "second")]
    found = RecordedLaunches(openings((0, 1, 100), (0, 2, 200), (0, 1, 600), (0, 1, 700)), calls, 1)
    words = Words()
    columns = found.columns(words)
    assert columns["launch"].tolist() == [1, 2, again, again + 1]
    assert columns["call"].tolist() == [1, 2, again, again]
    names = words.freeze()
    assert [names[code] for code in columns["name"].tolist()] == [
        "first",
        "other",
        "second",
        "second",
    ]


def test_a_launch_that_seems_to_begin_before_its_use_keeps_it() -> None:
    """The clocks of host and device are compared with an error."""
    found = RecordedLaunches(openings((0, 1, 100)), [Call(1, 101, "early")], 1)
    assert found.columns(Words())["call"].tolist() == [1]


def test_launches_are_stored_as_they_are_in_memory(tmp_path: Path) -> None:
    own = head(tmp_path)
    gathered = gather([opened(20, 1, 7), opened(30, 2, 8, sequence=1)], own)
    contents = CaptureContents(own, gathered, LaneCounts(None))
    store(contents, tmp_path / "a.lanes", finish=lambda meta: meta)
    assert_same(load(tmp_path / "a.lanes"), assemble(contents))


def test_a_part_of_slices_is_cut_from_the_whole(tmp_path: Path) -> None:
    """A lane of slices is read whole, in memory as for a stored trace."""
    own = head(tmp_path)
    contents = CaptureContents(own, gather([opened(20, 1, 7), opened(30, 2, 8, sequence=1)], own),
                               LaneCounts(None))  # fmt: skip
    for limits in ({"since": "9us"}, {"until": "9us"}, {"core": 0}):
        part = part_of(**limits)
        store(contents, tmp_path / "a.lanes", finish=lambda meta: meta, part=part)
        found = _in_memory(contents, part)
        assert_same(load(tmp_path / "a.lanes").with_meta(notes=()), found.with_meta(notes=()))
        assert_same(found, assemble(contents).select(**limits).with_meta(notes=found.meta.notes))
    assert len(_in_memory(contents, None).tasks) == 2


@pytest.mark.parametrize(("since", "count"), [("0ns", 2), ("9us", 1)])
def test_a_part_has_the_launches_and_ctas_of_its_time(
    tmp_path: Path, since: str, count: int
) -> None:
    trace = decoded(head(tmp_path), opened(20, 1, 7), opened(30, 2, 8, sequence=1))
    part = trace.select(since=since)
    assert (len(part.launches), len(part.blocks)) == (count, count)
    cores = trace.select(core=1)
    assert (len(cores.launches), len(cores.blocks)) == (2, 0)


def test_uses_of_the_handle_without_a_clock_give_no_names(tmp_path: Path) -> None:
    events = HostEvents(calls=[HandleUsed(1, 0, 5, "lost")])
    trace = decoded(head(tmp_path), opened(20, 1, 7), host=events)
    assert trace.text("launches", "name") == [""]
