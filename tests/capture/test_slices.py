"""Slices by hand: a lane's bytes as a GPU would write them, and what the host makes of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.trace.test_store import assert_same

from lanescope.capture.assemble import CaptureContents, assemble
from lanescope.capture.facts import _host_clock
from lanescope.capture.gather import Gatherer, NotBuffers, gather
from lanescope.capture.knots import ClockReadings, device_ns, nominal_rate, step_ns
from lanescope.capture.ledger import LaneCounts
from lanescope.capture.leftover import _written
from lanescope.capture.rebuild import store
from lanescope.capture.slices import in_their_tasks, slice_lanes
from lanescope.device.flags import level_features
from lanescope.device.head import Array, Core, Head
from lanescope.device.layouts import constant, layout
from lanescope.device.region import RegionConfig, create_region
from lanescope.errors import UsageError
from lanescope.trace import MISSING, MISSING32, HostClock, Trace, load
from lanescope.trace.join import TaskKey
from lanescope.trace.part import part_of
from lanescope.trace.task_rows import TaskRows

HIGH = 7 << 32
START = HIGH + 1000
MARK = 1 << 15
MARK_NAMES = 1 << 16


def head(path: Path, pipes: int = 1) -> Head:
    config = RegionConfig(
        flags=level_features(1),
        cores=(Core("sm"), Core("sm")),
        pipes=pipes,
        buffer_records=16,
        clock_hz=1_000_000_000,
        own_clock=False,
        func_shift=48,
        functions={0: "gemm", MARK_NAMES + 2: "load", (2 << 16): "tensor"},
    )
    return create_region(path / "region", config).head


def clock_block(**fields: int) -> Array:
    """Opened at 10 µs with the counter at START; two cycles are a nanosecond."""
    block = np.zeros(1, layout("ls_slice_clock"))
    usual = {
        "start_cycles": START,
        "start_ns": 10_000,
        "open_cycles": START,
        "open_ns": 10_000,
        "close_cycles": START + 2_000_000,
        "close_ns": 1_010_000,
        "unit": 5,
    }
    for name, value in (usual | fields).items():
        block[name] = value
    return block


def buffer(*slices: tuple[int, int, int, int], clock: Array, **fields: int) -> Array:
    """Slices as (end, duration, task, what), ends as cycles after START."""
    header = np.zeros(1, layout("ls_buffer"))
    for name, value in fields.items():
        header[name] = value
    header["count"] = len(slices) + constant("LS_SLICE_CLOCK_RECORDS")
    records = np.zeros(len(slices), layout("ls_slice"))
    for index, (end, duration, task, what) in enumerate(slices):
        when = (clock["open_cycles"][0].astype(int) + end) % (1 << 47)
        records[index] = (when & 0xFFFFFFFF, duration, task, what | when >> 32 << 16)
    return np.concatenate([part.view(np.uint8) for part in (header, clock, records)])


def decoded(own: Head, *buffers: Array) -> Trace:
    return assemble(CaptureContents(own, gather(buffers, own), LaneCounts(None)))


def test_times_follow_the_counter_from_the_buffers_moment(tmp_path: Path) -> None:
    trace = decoded(
        head(tmp_path), buffer((400, 200, 9, 0), (1000, 100, 10, 0), clock=clock_block())
    )
    assert trace.tasks["start_cycles"].tolist() == [10_100, 10_450]
    assert trace.tasks["end_cycles"].tolist() == [10_200, 10_500]
    assert trace.tasks["task"].tolist() == [9, 10]
    assert trace.tasks["func"].tolist() == [0, 0]
    assert trace.cores["cluster"].tolist()[0] == 5
    assert trace.meta.recording is not None
    assert trace.meta.recording.unit_clock_hz == 2_000_000_000


def test_a_mark_belongs_to_the_task_recorded_after_it(tmp_path: Path) -> None:
    inside = (300, 100, 9, 2 | MARK)
    outside = (500, 50, 9, 3 | MARK)
    trace = decoded(
        head(tmp_path), buffer(inside, (400, 300, 9, 0), outside, clock=clock_block(), lane=1)
    )
    assert [trace.word(code) for code in trace.marks["name"].tolist()] == ["load", "mark_3"]
    assert [trace.word(code) for code in trace.marks["pipe"].tolist()] == ["tensor", "tensor"]
    assert trace.marks["task"].tolist() == [9, MISSING]
    assert trace.marks["token"].tolist() == [1, MISSING]
    assert trace.marks["core"].tolist() == [1, 1]


def moment(cycles: int, ns: int) -> tuple[int, int, int, int]:
    """A moment on both clocks in the place of a slice."""
    return (cycles, ns & 0xFFFFFFFF, ns >> 32, constant("LS_SLICE_MOMENT") | MARK)


def test_a_moment_inside_a_buffer_bends_the_line_and_is_no_record(tmp_path: Path) -> None:
    """The counter runs at half the rate from the moment on: a cycle is a nanosecond then."""
    ns = 7 << 32
    times = {
        "start_ns": ns,
        "open_ns": ns,
        "close_ns": ns + 2_500_000,
        "close_cycles": START + 3_000_000,
    }
    trace = decoded(
        head(tmp_path),
        buffer(
            (400, 200, 9, 0),
            (900_000, 2, 9, 2 | MARK),
            moment(1_000_000, ns + 500_000),
            (1_000_010, 20, 10, 0),
            (1_500_000, 100, 11, 0),
            clock=clock_block(**times),
            moments=1,
        ),
    )
    assert (trace.tasks["start_cycles"] - ns).tolist() == [100, 499_995, 999_900]
    assert (trace.tasks["end_cycles"] - ns).tolist() == [200, 500_010, 1_000_000]
    assert trace.tasks["task"].tolist() == [9, 10, 11]
    assert trace.tasks["token"].tolist() == [0, 2, 3]
    assert trace.marks["mark"].tolist() == [2]
    assert [entry.delivered for entry in trace.meta.ledger if entry.delivered] == [4]


def test_a_buffer_may_begin_or_end_with_a_moment_or_hold_nothing_else(tmp_path: Path) -> None:
    first = buffer(moment(0, 10_000), (20, 10, 1, 0), moment(30, 10_015), clock=clock_block())
    later = {"open_cycles": START + 2000, "open_ns": 11_000, "close_ns": 0, "close_cycles": 0}
    second = buffer(moment(100, 11_050), clock=clock_block(**later), sequence=1, first=1)
    third = buffer((500, 100, 2, 0), clock=clock_block(**later), sequence=2, first=1)
    trace = decoded(head(tmp_path), first, second, third)
    assert trace.tasks["task"].tolist() == [1, 2]
    assert trace.tasks["token"].tolist() == [0, 1]
    assert trace.tasks["end_cycles"].tolist() == [10_010, 11_250]


def test_tokens_count_what_was_dropped(tmp_path: Path) -> None:
    first = buffer((10, 5, 0, 0), (20, 5, 1, 0), clock=clock_block())
    after = buffer((90, 5, 7, 0), clock=clock_block(), sequence=1, first=2, dropped=5)
    trace = decoded(head(tmp_path), first, after)
    assert trace.tasks["token"].tolist() == [0, 1, 7]
    assert [entry.dropped for entry in trace.meta.ledger] == [5, 0]
    assert [entry.delivered for entry in trace.meta.ledger] == [3, 0]


def test_pipes_of_a_core_have_tokens_of_their_own(tmp_path: Path) -> None:
    left = buffer((10, 5, 0, 0), (20, 5, 1, 0), clock=clock_block())
    right = buffer((10, 5, 2, 0), clock=clock_block(), lane=1)
    trace = decoded(head(tmp_path, pipes=2), left, right)
    assert trace.tasks["core"].tolist() == [0, 0, 0]
    assert trace.tasks["token"].tolist() == [0, 1, 2]
    assert trace.tasks["task"].tolist() == [0, 2, 1]
    assert np.all(trace.tasks["flags"] == 0)
    assert trace.meta.ledger[1].lane == "core 0 pipe 1"


def test_a_slice_of_more_than_32_bits_of_cycles_is_counted_in_larger_units(tmp_path: Path) -> None:
    units = 100_000
    clock = clock_block(close_cycles=START + (units << 17), close_ns=10_000 + (units << 16))
    slices = (100, 10, 0, 0), ((units << 16) + 100, units, 1, 1 << 31)
    trace = decoded(head(tmp_path), buffer(*slices, clock=clock))
    length = trace.tasks["end_cycles"] - trace.tasks["start_cycles"]
    assert length.tolist() == [5, units << 15]


def test_ends_run_on_over_the_end_of_their_bits(tmp_path: Path) -> None:
    """The counter passes 2^47 between the two."""
    near = (1 << 47) - 50
    clock = clock_block(
        start_cycles=near, open_cycles=near, close_cycles=near + 2_000_000, close_ns=1_010_000
    )
    trace = decoded(head(tmp_path), buffer((40, 10, 0, 0), (140, 20, 1, 0), clock=clock))
    assert trace.tasks["end_cycles"].tolist() == [10_020, 10_070]


def test_a_lane_that_moved_to_another_core_keeps_its_times(tmp_path: Path) -> None:
    """The second kernel ran on another unit, whose counter is behind."""
    early = buffer((400, 200, 0, 0), clock=clock_block())
    moved = clock_block(
        unit=6,
        start_cycles=START - HIGH,
        open_cycles=START - HIGH,
        close_cycles=START - HIGH + 2_000_000,
        start_ns=3_000_000,
        open_ns=3_000_000,
        close_ns=4_000_000,
    )
    later = buffer((400, 200, 1, 0), clock=moved, sequence=1, first=1)
    trace = decoded(head(tmp_path), early, later)
    assert trace.tasks["end_cycles"].tolist() == [10_200, 3_000_200]


def test_time_runs_on_over_the_edge_of_a_buffer() -> None:
    """Two readings of a clock of 32 ns steps that are close together do not bend the line."""
    clocks = np.concatenate(
        [
            clock_block(close_cycles=START + 200, close_ns=10_096),
            clock_block(open_cycles=START + 210, open_ns=10_096),
        ]
    )
    cycles = np.array([[START + 190, START + 200, START + 212]])
    found = device_ns(cycles, clocks, np.array([0, 0, 1]), rate=0.5)
    assert found.tolist() == [[10_095, 10_100, 10_106]]


def test_a_buffer_that_was_never_closed_uses_the_others_rate() -> None:
    clocks = clock_block(close_cycles=0, close_ns=0)
    found = device_ns(np.array([[START + 1000]]), clocks, np.array([0]), rate=0.25)
    assert found.tolist() == [[10_250]]


def test_the_step_of_the_devices_clock_is_measured() -> None:
    clocks = [clock_block(open_ns=10_016, close_ns=1_010_048), clock_block(open_ns=10_080)]
    readings = ClockReadings.of(clocks)
    assert step_ns(readings) == 16
    assert nominal_rate(readings) == pytest.approx(0.5, rel=1e-4)


def test_slices_need_room_beside_their_clock(tmp_path: Path) -> None:
    config = RegionConfig(
        flags=level_features(1), cores=(Core("sm"),), pipes=1, buffer_records=4, clock_hz=1
    )
    with pytest.raises(UsageError, match="cores with pipes have at most 65536 lanes"):
        create_region(tmp_path / "region", config)


def test_the_hosts_clock_is_that_of_the_traces_base(tmp_path: Path) -> None:
    """The region was made at 1,000 cycles of 2 ns; the base is 250 cycles later."""
    header = head(tmp_path).header.copy()
    known = {"clock_unix_ns": 5_000_000, "clock_cycles": 1000, "clock_hz": 500_000_000}
    for name, value in (known | {"clock_error_ns": 7}).items():
        header[name] = value
    expected = HostClock(host_ns=5_000_500, drift_ppb=0, error_ns=7, status="calibrated")
    assert _host_clock(header, 1250) == expected
    header["clock_unix_ns"] = 0
    assert _host_clock(header, 1250) is None


@pytest.mark.parametrize(
    ("ends", "count"),
    [
        ((5, 9), 2),
        ((0, 9), 2),
        ((0,), 0),
        ((5, 0), 1),
        ((-5, 9), 2),
        ((-5, -3), 0),
        ((5, -3, 9), 1),
        ((-5, 9, -3), 2),
        ((), 0),
    ],
)
def test_an_open_buffer_has_the_slices_that_ended_since_it_was_opened(
    tmp_path: Path, ends: tuple[int, ...], count: int
) -> None:
    """Only the first may have ended before: the buffer was opened for it."""
    own = head(tmp_path)
    clock = clock_block()
    whole = buffer(*((end, 1, 9, 0) for end in ends), clock=clock)
    records = np.zeros(16 * layout("ls_slice").itemsize, np.uint8)
    records[: len(whole) - layout("ls_buffer").itemsize] = whole[layout("ls_buffer").itemsize :]
    lane = own.lanes[slice_lanes(own)[0]]
    assert _written(records, lane, 0) == constant("LS_SLICE_CLOCK_RECORDS") + count


def test_buffers_are_read_only_as_far_as_there_are_bytes(tmp_path: Path) -> None:
    own = head(tmp_path)
    whole = buffer((400, 200, 9, 0), (500, 10, 9, 0), clock=clock_block())
    assert Gatherer(own).add(np.concatenate([whole, whole])) == 2
    for cut in (1, layout("ls_slice").itemsize, len(whole) - layout("ls_buffer").itemsize):
        with pytest.raises(NotBuffers) as refused:
            Gatherer(own).add(np.concatenate([whole, whole[:-cut]]))
        assert refused.value.offset == len(whole)


def test_a_core_of_no_cluster_or_controller_has_none_and_0_is_a_number(tmp_path: Path) -> None:
    config = RegionConfig(
        flags=level_features(1),
        cores=(Core("sm", cluster=0, controller=0), Core("sm"), Core("sm", cluster=3)),
        buffer_records=4,
    )
    own = create_region(tmp_path / "region", config).head
    cores = assemble(CaptureContents(own, gather([], own), LaneCounts(None))).cores
    assert cores["cluster"].tolist() == [0, MISSING32, 3]
    assert cores["controller"].tolist() == [0, MISSING32, MISSING32]


@pytest.mark.parametrize(
    ("end", "duration", "task"),
    [(400, 300, 9), (400, 100, 9), (401, 10, MISSING), (399, 300, MISSING)],
)
def test_a_mark_is_inside_a_task_also_where_they_begin_or_end_together(
    tmp_path: Path, end: int, duration: int, task: int
) -> None:
    """The task is from 100 to 400 cycles; two of them are a nanosecond, so odd ones are rounded."""
    slices = ((2 * end, 2 * duration, 9, 2 | MARK), (800, 600, 9, 0))
    trace = decoded(head(tmp_path), buffer(*slices, clock=clock_block()))
    assert trace.marks["task"].tolist() == [task]


def rows_of(*runs: tuple[int, int, int, int]) -> TaskRows:
    """Task rows as (task, core, start, end), with tokens from 50 on."""
    task, core, start, end = (np.array(column, np.int64) for column in zip(*runs, strict=True))
    none = np.full(len(runs), MISSING)
    return TaskRows(
        key=TaskKey(core, np.arange(50, 50 + len(runs))),
        task=task,
        func=np.zeros(len(runs), np.int32),
        flags=np.zeros(len(runs), np.int32),
        times={"dispatch": none, "receive": none, "start": start, "end": end, "finish": none},
        whole={},
    )


@pytest.mark.parametrize(
    ("mark", "token", "shown"),
    [
        ((7, 0, 110, 190), 50, (110, 190)),
        ((7, 0, 95, 205), 50, (100, 200)),
        ((7, 0, 90, 210), 50, (100, 200)),
        ((7, 0, 89, 211), 50, (89, 211)),
        ((7, 0, 99, 201), 50, (100, 200)),
        ((7, 0, 92, 96), 50, (96, 96)),
        ((7, 0, 204, 208), 50, (204, 204)),
        ((7, 1, 95, 205), MISSING, (95, 205)),
        ((6, 0, 95, 205), MISSING, (95, 205)),
        ((8, 1, 95, 205), MISSING, (95, 205)),
    ],
)
def test_a_mark_beside_core_records_is_cut_to_its_task_where_it_sticks_out_a_little(
    mark: tuple[int, int, int, int], token: int, shown: tuple[int, int]
) -> None:
    """Task 7 ran on core 0 from 100 to 200; of task 8 no time is known. A little is 10 ns."""
    rows = rows_of((8, 1, MISSING, MISSING), (7, 0, 100, 200))
    names = ("task", "core", "start_cycles", "end_cycles")
    marks = {name: np.array([value]) for name, value in zip(names, mark, strict=True)}
    found = in_their_tasks({**marks, "token": np.array([MISSING])}, rows, 10)
    tokens = {50: 51, MISSING: MISSING}
    assert found["token"].tolist() == [tokens[token]]
    assert (int(found["start_cycles"][0]), int(found["end_cycles"][0])) == shown


def test_slices_are_stored_as_they_are_in_memory(tmp_path: Path) -> None:
    own = head(tmp_path)
    slices = ((300, 100, 9, 2 | MARK), (400, 300, 9, 0), (900, 100, 10, 0))
    gathered = gather([buffer(*slices, clock=clock_block())], own)
    contents = CaptureContents(own, gathered, LaneCounts(None))
    stored = store(contents, tmp_path / "a.lanes", finish=lambda meta: meta)
    whole = assemble(contents)
    assert_same(load(tmp_path / "a.lanes"), whole)
    assert (stored.rows["tasks"], stored.rows["marks"], stored.ran) == (2, 1, 2)
    assert stored.meta.base_cycles == whole.meta.base_cycles == 10_050
    part = part_of(since=300)
    some = store(contents, tmp_path / "b.lanes", finish=lambda meta: meta, part=part)
    assert (some.rows["tasks"], some.rows["marks"]) == (1, 0)
    with pytest.raises(UsageError, match="has nothing in this part"):
        store(contents, tmp_path / "c.lanes", finish=lambda meta: meta, part=part_of(since=10**9))


def test_many_slices_of_two_buffers_end_where_they_were_recorded(tmp_path: Path) -> None:
    """Each buffer begins anew at the moment when it was opened."""
    first = [(200 * k, 100, k, 0) for k in (1, 2, 4, 7)]
    second = [(200 * k, 100, 10 + k, 0) for k in (1, 5, 6)]
    later = {"open_cycles": START + 2_000_000, "open_ns": 1_010_000}
    ends = {"close_cycles": START + 4_000_000, "close_ns": 2_010_000}
    own = head(tmp_path)
    trace = decoded(
        own,
        buffer(*first, clock=clock_block()),
        buffer(*second, clock=clock_block(**later, **ends), sequence=1, first=8),
    )
    moments = [10_000 + 100 * k for k in (1, 2, 4, 7)] + [1_010_000 + 100 * k for k in (1, 5, 6)]
    assert trace.tasks["end_cycles"].tolist() == moments
    assert (trace.tasks["end_cycles"] - trace.tasks["start_cycles"]).tolist() == [50] * 7
