"""The IR for Triton on this machine's processor: the same records as those of the CUDA header."""

from __future__ import annotations

import ctypes
from ctypes import c_uint32, c_uint64, c_void_p
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.triton.on_cpu import NO_CLANG, NO_TRITON, compiled_calls, loaded, recording

from lanescope import Trace
from lanescope.cuda import Recorder
from lanescope.device.layouts import layout
from tools import build_triton_ir

CTAS, THREADS, TASKS = 2, 128, 3000
TABLES = {
    "tasks": ("task", "core", "func", "start_ns", "end_ns", "flags"),
    "marks": ("core", "pipe", "name", "token", "start_ns", "end_ns"),
    "edges": ("pred", "succ"),
}


def run(function: Any, *, clock: int = 5) -> Trace:
    """A trace of a kernel with the arguments of `work`; its CTAs run one after the other."""
    library, kernel = function
    out = np.zeros(TASKS, np.uint32)
    with recording(cores=CTAS, core_swimlane=True) as rec:
        rec.function("even"), rec.function("odd")
        ids = (rec.mark("outer"), rec.mark("inner"))
        for cta in range(CTAS):
            library.set_clock(c_uint64(clock))
            for thread in range(THREADS):
                library.become(thread, THREADS, cta, CTAS)
                given = (c_void_p(out.ctypes.data), c_uint32(TASKS), c_uint32(0))
                kernel(*given, *map(c_uint32, ids), c_uint64(rec.handle), None, None)
    assert set(out.tolist()) == {100}
    return rec.trace


@pytest.fixture(scope="module")
def triton_kernel() -> tuple[ctypes.CDLL, Any]:
    """Triton's `work`, compiled by Triton for sm_90."""
    pytest.importorskip("triton", reason=NO_TRITON)
    from tests.triton.compiling import WORK, compiled
    from tests.triton.kernels import work

    library = loaded(compiled(work, WORK).asm["llir"])
    return library, library.work


@pytest.fixture(scope="module")
def cuda_work() -> ctypes.CDLL:
    """Kernels with the CUDA header."""
    if not build_triton_ir.ZIG.exists():
        pytest.skip(NO_CLANG)
    return loaded(build_triton_ir.compiled(Path(__file__).with_name("same_work.cpp")))


@pytest.fixture(scope="module")
def cuda_kernel(cuda_work: ctypes.CDLL) -> tuple[ctypes.CDLL, Any]:
    """The same work with the CUDA header."""
    return cuda_work, cuda_work.same_work


@pytest.mark.parametrize("clock", [5, (1 << 32) - 40_000, (1 << 49) + 12_345])
def test_a_triton_kernel_records_what_a_cuda_kernel_records(
    triton_kernel: Any, cuda_kernel: Any, clock: int
) -> None:
    recorded, wanted = run(triton_kernel, clock=clock), run(cuda_kernel, clock=clock)
    assert len(wanted.tasks) == TASKS
    assert len(wanted.marks) == 2 * TASKS
    assert len(wanted.edges) == TASKS - CTAS
    for table, columns in TABLES.items():
        for column in columns:
            pair = (getattr(each, table)[column] for each in (recorded, wanted))
            assert np.array_equal(*pair), (table, column)
    assert recorded.meta.ledger == wanted.meta.ledger
    assert all(entry.closes for entry in recorded.meta.ledger)


@pytest.fixture(scope="module")
def calls() -> ctypes.CDLL:
    return compiled_calls()


class Caller:
    """Threads of one CTA that call the shipped functions."""

    def __init__(self, calls: ctypes.CDLL, threads: int, cta: int = 0) -> None:
        self.calls, self.threads, self.cta = calls, threads, cta

    def __call__(self, thread: int, name: str, *given: Any) -> int:
        self.calls.become(thread, self.threads, self.cta, 1)
        returned: int = getattr(self.calls, f"lanescope_{name}")(*given)
        return returned

    def task(self, thread: int, lane: int, task: int) -> None:
        """Begin and end a task, as one thread."""
        self(thread, "begin", c_uint32(lane), c_uint32(task), c_uint32(0))
        self(thread, "end", c_uint32(lane))


@pytest.mark.parametrize(
    ("cycles", "tasks", "moments", "apart"),
    [
        (400, 3000, 3 + 2, 1024 * 400),  # three buffers; the counter passes 2^19 and 2^20
        (300_000, 40, 1 + 21, 3 * 300_000),
        (600_000, 1500, 2 + 1065, 2 * 600_000),
        (1_200_000, 1500, 2 + 1498, 2 * 1_200_000),  # at first; then each task has one
    ],
)
def test_a_buffer_that_lasts_has_moments_between_its_tasks(
    calls: ctypes.CDLL, cycles: int, tasks: int, moments: int, apart: int
) -> None:
    """A begin that sees the window of 2^19 cycles changed makes the next begin take a moment."""
    caller, now = Caller(calls, 32), 1000
    calls.set_clock(c_uint64(now))
    with recording(cores=1, buffers=16) as rec:
        lane = caller(0, "per_block", c_uint64(rec.handle))
        for task in range(tasks):
            caller(0, "begin", c_uint32(lane), c_uint32(task), c_uint32(0))
            calls.set_clock(c_uint64(now := now + cycles))
            caller(0, "end", c_uint32(lane))
        caller(0, "close", c_uint32(lane))
        taken = moments_of(rec)
    trace = rec.trace
    assert (len(taken), max(np.diff(taken))) == (moments, apart)
    assert rec.live().records == tasks
    assert trace.tasks["task"].tolist() == trace.tasks["token"].tolist() == list(range(tasks))
    assert set((trace.tasks["end_ns"] - trace.tasks["start_ns"]).tolist()) == {cycles // 2}
    assert [(each.total, each.delivered) for each in trace.meta.ledger] == [(tasks, tasks)]


WRAP = 1 << 32
LENGTHS = (
    *(5, WRAP - 1, WRAP, WRAP + 7, 3 * WRAP + 9, 10, 11, 2 * WRAP, 600_000, 1 << 31),
    *(5 * WRAP - 3, 12, 40 * WRAP, 41 * WRAP),
)
"""Of tasks, in cycles: long ones after short and after long ones, and at the end of a kernel."""


def assert_lengths(table: Any, wanted: list[int]) -> None:
    """Lengths in cycles, 2 a ns; one that does not fit into 32 bits is known to 65,536 cycles."""
    found = (table["end_ns"] - table["start_ns"]).tolist()
    assert len(found) == len(wanted)
    for ns, cycles in zip(found, wanted, strict=True):
        assert abs(cycles / 2 - ns) <= (1 << 15 if cycles >= WRAP else 1), (ns, cycles)


@pytest.mark.parametrize("count", range(1, len(LENGTHS) + 1))
@pytest.mark.parametrize("start", [1000, WRAP - 4])
def test_tasks_of_any_length_are_told(calls: ctypes.CDLL, start: int, count: int) -> None:
    caller, now = Caller(calls, 32), start
    calls.set_clock(c_uint64(now))
    with recording(cores=1) as rec:
        lane = caller(0, "per_block", c_uint64(rec.handle))
        for task, length in enumerate(LENGTHS[:count]):
            caller(0, "begin", c_uint32(lane), c_uint32(task), c_uint32(0))
            calls.set_clock(c_uint64(now := now + length))
            caller(0, "end", c_uint32(lane))
            calls.set_clock(c_uint64(now := now + 9))
        caller(0, "close", c_uint32(lane))
    assert rec.trace.tasks["task"].tolist() == list(range(count))
    assert_lengths(rec.trace.tasks, list(LENGTHS[:count]))


@pytest.mark.parametrize("marks", [False, True])
@pytest.mark.parametrize("start", [1000, WRAP - 4, WRAP - 2_000_000])
def test_tasks_and_marks_of_any_length_are_told_in_a_kernel(
    cuda_work: ctypes.CDLL, start: int, marks: bool
) -> None:
    """In each task two marks of its length, one after the other; an edge between them."""
    given = np.array(LENGTHS, np.uint64)
    cuda_work.set_clock(c_uint64(start))
    cuda_work.become(0, 32, 0, 1)
    with recording(cores=1, core_swimlane=marks) as rec:
        numbers = (c_void_p(given.ctypes.data), c_uint32(len(given)), c_uint32(rec.mark("part")))
        cuda_work.tasks_of_lengths(*numbers, c_uint64(rec.handle))
    tasks = rec.trace.tasks
    assert tasks["task"].tolist() == list(range(len(given)))
    assert_lengths(tasks, [3 * length for length in LENGTHS])
    assert_lengths(rec.trace.marks, [length for length in LENGTHS for _ in range(2 * marks)])
    assert len(rec.trace.edges) == (len(given) - 1) * marks


def moments_of(rec: Recorder) -> list[int]:
    """The counter where buffers of the only lane begin and at moments in them; none is drained."""
    region, header, found = rec._region, layout("ls_buffer"), []
    size, first = (int(region.lanes[name][0]) for name in ("buffer_stride", "buffers"))
    for at in range(first, first + size * int(region.lanes["buffer_count"][0]), size):
        buffer = region.memory[at : at + size]
        count = int(buffer[: header.itemsize].view(header)["count"][0])
        if count:
            found.append(
                int(buffer[header.itemsize :][:64].view(layout("ls_slice_clock"))["open_cycles"][0])
            )
        rows = buffer[header.itemsize :].view(layout("ls_slice"))[4:count]
        rows = rows[(rows["what"] & 0xFFFF) == 0x8000 | 0x7FFD]
        found += [int(row["end"]) + (int(row["what"]) >> 16 << 32) for row in rows]
    return sorted(found)


@pytest.mark.parametrize(
    ("first", "warps"), [(0, 1), (0, 4), (0, 32), (4, 8), (8, 2), (10, 1), (1, 4), (3, 16)]
)
def test_one_thread_of_a_partition_is_elected(calls: ctypes.CDLL, first: int, warps: int) -> None:
    caller, threads = Caller(calls, 1024), range(32 * first, 32 * (first + warps))
    with recording(cores=1, pipes=("load", "store")) as rec:
        handle = c_uint64(rec.handle)
        lanes = [caller(t, "per_partition", handle, c_uint32(1), c_uint32(warps)) for t in threads]
        for thread, lane in zip(threads, lanes, strict=True):
            caller.task(thread, lane, 7)
            caller(thread, "close", c_uint32(lane))
    assert sum(lane != 0 for lane in lanes) == 1
    assert rec.trace.tasks["task"].tolist() == [7]
    assert rec.trace.meta.notes == ()


def test_every_warp_has_a_lane_of_its_own(calls: ctypes.CDLL) -> None:
    caller, names = Caller(calls, 1024), tuple(f"warp {number}" for number in range(32))
    with recording(cores=1, pipes=names, core_swimlane=True) as rec:
        mark = rec.mark("part")
        lanes = [caller(t, "per_warp", c_uint64(rec.handle)) for t in range(0, 1024, 32)]
        for name in ("begin", "mark", "end", "close"):  # all warps are at the same place
            for warp, lane in enumerate(lanes):
                more = {"begin": (warp, 0), "mark": (mark,)}.get(name, ())
                caller(32 * warp, name, c_uint32(lane), *map(c_uint32, more))
        assert caller(33, "per_warp", c_uint64(rec.handle)) == 0
    trace = rec.trace
    assert sorted(trace.tasks["task"].tolist()) == list(range(32))
    assert [entry.total for entry in trace.meta.ledger] == [1] * 32


def test_ctas_and_threads_in_three_dimensions_are_counted_through(
    cuda_work: ctypes.CDLL,
) -> None:
    """A grid of 3 x 2 x 2 CTAs, with 8 x 4 x 4 threads each: the first of 32 threads records."""

    def three(*numbers: int) -> Any:
        return (ctypes.c_int32 * 3)(*numbers)

    with recording(cores=12, pipes=tuple(f"warp {number}" for number in range(4))) as rec:
        handle = c_uint64(rec.handle)
        for cta, z, y, x in product(range(12), range(4), range(4), range(8)):
            place = three(cta % 3, cta // 3 % 2, cta // 6)
            cuda_work.stand_at(three(x, y, z), three(8, 4, 4), place, three(3, 2, 2))
            cuda_work.task_of_a_warp(handle)
    columns = (rec.trace.tasks[name].tolist() for name in ("core", "token", "task"))
    expected = [(cta, warp, 10 * cta + warp) for cta in range(12) for warp in range(4)]
    assert sorted(zip(*columns, strict=True)) == expected
    assert rec.trace.meta.notes == ()


def test_a_lane_in_the_hands_of_another_thread_records_nothing(calls: ctypes.CDLL) -> None:
    caller = Caller(calls, 256)
    with recording(cores=1) as rec:
        lane = caller(0, "per_partition", c_uint64(rec.handle), c_uint32(0), c_uint32(4))
        for thread in (1, 31, 32, 128, 255, 0):
            caller.task(thread, lane, thread)
        caller(0, "close", c_uint32(lane))
    assert rec.trace.tasks["task"].tolist() == [0]


def test_the_number_of_a_launch_goes_from_its_handle_into_buffers(calls: ctypes.CDLL) -> None:
    """Two launches one after the other on the same lane; one has more tasks than a buffer."""
    caller = Caller(calls, 128)
    with recording(cores=1) as rec:
        for name, tasks in (("long", 1500), ("short", 2)):
            handle = c_uint64(rec.launch(name))
            lane = caller(0, "per_block", handle, c_uint32(0), c_uint32(4))
            for task in range(tasks):
                caller.task(0, lane, task)
            caller(0, "close", c_uint32(lane))
    trace = rec.trace
    assert trace.text("launches", "name") == ["long", "short"]
    assert trace.launches["launch"].tolist() == [1, 2]
    assert trace.tasks["launch"].tolist() == [1] * 1500 + [2] * 2
    assert trace.blocks["core"].tolist() == [0, 0]
    start, end = (trace.launches[name] for name in ("start_cycles", "end_cycles"))
    assert end[0] <= start[1]


def test_handle_0_records_nothing(calls: ctypes.CDLL) -> None:
    caller = Caller(calls, 128)
    lane = caller(0, "per_partition", c_uint64(0), c_uint32(0), c_uint32(4))
    assert lane == 0
    caller.task(0, lane, 1)
    caller(0, "close", c_uint32(lane))


def test_a_cta_too_many_is_counted(calls: ctypes.CDLL) -> None:
    caller = Caller(calls, 128, cta=3)
    with recording(cores=2) as rec:
        lane = caller(0, "per_partition", c_uint64(rec.handle), c_uint32(0), c_uint32(4))
        caller.task(0, lane, 1)
        caller(0, "close", c_uint32(lane))
    assert len(rec.trace.tasks) == 0
    assert "Kernels asked 1 times for a lane" in rec.trace.meta.notes[-1]


def test_kernels_that_run_at_once_have_cores_of_their_own(calls: ctypes.CDLL) -> None:
    """Two kernels of two CTAs each; every CTA is a warp of its own, so that they take turns."""
    rounds = 40
    with recording(cores=(2, 2)) as rec:
        opened = []
        for warp, (handle, cta) in enumerate((h, cta) for h in rec.handles for cta in (0, 1)):
            caller, thread = Caller(calls, 128, cta), 32 * warp
            lane = caller(thread, "per_partition", c_uint64(handle), c_uint32(0), c_uint32(1))
            opened.append((caller, thread, lane))
        for task in range(rounds):
            for core, (caller, thread, lane) in enumerate(opened):
                caller.task(thread, lane, 100 * core + task)
        for caller, thread, lane in opened:
            caller(thread, "close", c_uint32(lane))
    tasks, cores = (rec.trace.tasks[name].tolist() for name in ("task", "core"))
    wanted = [(core, 100 * core + task) for core in range(4) for task in range(rounds)]
    assert sorted(zip(cores, tasks, strict=True)) == wanted
    assert all(entry.closes for entry in rec.trace.meta.ledger)
    assert rec.trace.meta.notes == ()


def test_a_handle_for_some_cores_refuses_a_cta_too_many(calls: ctypes.CDLL) -> None:
    with recording(cores=(3, 1, 2)) as rec:
        for cta, handle in ((1, rec.handles[1]), (2, rec.handles[2]), (3, rec.handles[0])):
            lane = Caller(calls, 128, cta)(
                0, "per_partition", c_uint64(handle), c_uint32(0), c_uint32(4)
            )
            Caller(calls, 128, cta).task(0, lane, 1)
    assert len(rec.trace.tasks) == 0
    assert "Kernels asked 3 times for a lane" in rec.trace.meta.notes[-1]


def test_two_recordings_at_once_keep_their_tasks_apart(calls: ctypes.CDLL) -> None:
    callers = [(0, 5), (32, 6)]
    with recording(cores=1, name="left") as left, recording(cores=1, name="right") as right:
        one = (c_uint32(0), c_uint32(1))  # its pipe, and how many warps it has
        lanes = [
            Caller(calls, 64)(thread, "per_partition", c_uint64(rec.handle), *one)
            for (thread, _), rec in zip(callers, (left, right), strict=True)
        ]
        for (thread, task), lane in zip(callers, lanes, strict=True):
            Caller(calls, 64).task(thread, lane, task)
        for (thread, _), lane in zip(callers, lanes, strict=True):
            Caller(calls, 64)(thread, "close", c_uint32(lane))
    assert [rec.trace.tasks["task"].tolist() for rec in (left, right)] == [[5], [6]]
    assert [rec.trace.meta.name for rec in (left, right)] == ["left", "right"]
