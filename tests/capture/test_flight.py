"""The flight recorder on regions made by hand: what each lane did last, and what it is at."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.capture.buffers import buffer_of
from tests.capture.runs import graph, recorded
from tests.capture.test_slices import MARK, MARK_NAMES, START, buffer, clock_block

from lanescope.capture import flight
from lanescope.capture.flight import Flight, flight_of, read_flight
from lanescope.capture.flight_lanes import Finished, LaneEnd
from lanescope.capture.flight_open import Doing
from lanescope.capture.flight_text import flight_text, state
from lanescope.cli import main
from lanescope.cuda.watchdog import Watchdog, movement
from lanescope.device.flags import level_features
from lanescope.device.head import Array, Core
from lanescope.device.layouts import layout, now_place
from lanescope.device.region import Region, RegionConfig, create_region
from lanescope.errors import LanescopeError, UsageError

OPEN = {"close_cycles": 0, "close_ns": 0}


def region(path: Path, cores: int = 2) -> Region:
    path.mkdir(exist_ok=True)
    config = RegionConfig(
        flags=level_features(1),
        cores=(Core("sm"),) * cores,
        pipes=1,
        buffer_records=16,
        buffers=2,
        clock_hz=1_000_000_000,
        own_clock=False,
        func_shift=48,
        functions={0: "gemm", 1: "norm", MARK_NAMES + 2: "load"},
        name_room=8,
    )
    return create_region(path / "region", config)


def write(
    own: Region,
    lane: int,
    *slices: tuple[int, int, int, int],
    sequence: int = 0,
    clock: Array | None = None,
) -> None:
    """An open buffer of a lane, as its kernel leaves it when it stops in the middle."""
    row = own.lanes[lane]
    block = clock_block(**OPEN) if clock is None else clock
    data = buffer(*slices, clock=block, lane=lane, sequence=sequence, first=12 * sequence)
    at = int(row["buffers"]) + sequence % 2 * int(row["buffer_stride"])
    own.memory[at : at + len(data)] = data
    row["opened"], row["published"] = sequence + 1, sequence


def note(own: Region, lane: int, **words: int) -> None:
    """A kernel has the lane since START; times are cycles after that."""
    line = own.memory.reshape(-1)
    kind = layout("ls_slice_now")
    at = int(own.head.header["lanes"]) + lane * layout("ls_lane").itemsize + now_place()
    now = line[at : at + kind.itemsize].view(kind)
    now["held_cycles"], now["held_ns"], now["unit"] = START, 10_000, 5
    for name, value in words.items():
        now[name] = value + START if name.endswith("_begun") else value


def test_a_lane_that_hangs_in_a_task(tmp_path: Path) -> None:
    own = region(tmp_path)
    write(own, 0, (400, 200, 9, 0), (1000, 100, 10, 1))
    note(own, 0, task_begun=1200, task=11, func=1)
    found = flight_of(own, last=2, running=False)
    assert found.lanes[0] == LaneEnd(
        name="core 0",
        unit=5,
        held_ns=10_000,
        task=Doing("norm", 11, 10_600),
        mark=None,
        waits_ns=None,
        last=(
            Finished("task", "norm", 10, 10_450, 10_500),
            Finished("task", "gemm", 9, 10_100, 10_200),
        ),
        recorded=0,
        dropped=0,
    )
    assert found.now_ns == 10_600
    assert found.lanes[1].last == ()


def test_of_a_device_that_runs_the_present_is_told_on_its_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The region knows that 5000 cycles of 4 GHz were the moment 77 s; that is 3 s ago."""
    own = region(tmp_path)
    header = own.head.header
    header["clock_hz"], header["clock_cycles"] = 4_000_000_000, 5_000
    header["clock_unix_ns"] = 77 * 10**9
    monkeypatch.setattr(flight.time, "time_ns", lambda: 80 * 10**9)
    assert flight._device_now(own.head) == 1_250 + 3 * 10**9


def test_what_has_ended_is_not_open(tmp_path: Path) -> None:
    own = region(tmp_path)
    write(own, 0, (300, 100, 9, 2 | MARK), (1000, 900, 9, 0))
    note(own, 0, task_begun=100, task=9, mark_begun=200, mark=2 | MARK, mark_task=9)
    lane = flight_of(own).lanes[0]
    assert (lane.task, lane.mark) == (None, None)


def test_a_mark_that_another_lane_of_the_core_ended_is_not_open(tmp_path: Path) -> None:
    own = region(tmp_path, cores=1)
    note(own, 0, mark_begun=200, mark=2 | MARK, mark_task=9)
    assert flight_of(own).lanes[0].mark == Doing("load", 9, 10_100)
    write(own, 0, (700, 500, 9, 2 | MARK))
    assert flight_of(own).lanes[0].mark is None


def test_a_mark_older_than_the_buffers_that_are_left_may_have_ended(tmp_path: Path) -> None:
    own = region(tmp_path, cores=1)
    note(own, 0, mark_begun=200, mark=2 | MARK, mark_task=9)
    for sequence in (4, 5):
        at = 1000 * sequence
        clock = clock_block(open_cycles=START + at, open_ns=10_000 + at // 2, **OPEN)
        write(own, 0, (300, 100, 9, 0), sequence=sequence, clock=clock)
    assert flight_of(own).lanes[0].mark is None
    note(own, 0, mark_begun=5200, mark=2 | MARK, mark_task=9)
    assert flight_of(own).lanes[0].mark == Doing("load", 9, 12_600)


def test_where_no_buffer_is_gone_every_mark_of_the_kernel_is_known(tmp_path: Path) -> None:
    """The mark began before the buffer was opened that is the lane's first."""
    own = region(tmp_path, cores=1)
    note(own, 0, mark_begun=100, mark=2 | MARK, mark_task=9)
    clock = clock_block(open_cycles=START + 200, open_ns=10_100, **OPEN)
    write(own, 0, (300, 50, 9, 0), clock=clock)
    assert flight_of(own).lanes[0].mark == Doing("load", 9, 10_050)


def lane(**fields: Any) -> LaneEnd:
    empty = {"unit": None, "held_ns": None, "task": None, "mark": None, "waits_ns": None}
    return LaneEnd(**{"name": "core 0", "last": (), "recorded": 0, "dropped": 0} | empty | fields)


TASK, MARKED = Doing("gemm", 3, 100), Doing("load", 3, 150)
DONE = Finished("task", "norm", 2, 10, 90)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, "nothing recorded"),
        ({"held_ns": 5}, "in a kernel, nothing recorded yet"),
        ({"last": (DONE,)}, "after task `norm`"),
        ({"last": (DONE,), "held_ns": 5}, "between tasks, after task `norm`"),
        ({"last": (Finished("mark", "", None, 1, 2),)}, "after mark"),
        ({"task": TASK, "held_ns": 5}, "in `gemm`"),
        ({"task": TASK, "mark": MARKED}, "in `gemm`, at `load`"),
        ({"task": TASK, "mark": Doing("load", 3, 100)}, "in `gemm`, at `load`"),
        ({"task": TASK, "mark": Doing("load", 3, 99)}, "in `gemm`"),
        ({"mark": MARKED, "last": (DONE,)}, "at `load`, in no task"),
        ({"task": TASK, "waits_ns": 0}, "waits for a free buffer"),
    ],
)
def test_a_state_is_the_innermost_thing_that_goes_on(fields: dict[str, Any], text: str) -> None:
    assert state(lane(**fields)) == text


def test_the_whole_text_of_a_flight() -> None:
    """Nine lanes in one state are not named, unless all are asked for."""
    usual = [lane(name=f"core {n}", last=(DONE,), held_ns=5) for n in range(9)]
    lanes = (
        lane(name="core 9", task=TASK, mark=MARKED, unit=4, held_ns=5, last=(DONE, DONE)),
        lane(name="core 10", waits_ns=60, held_ns=5, dropped=1200),
        lane(name="core 11", held_ns=40),
        lane(name="core 12"),
        *usual,
    )
    running = Flight(lanes, 1090, running=True)
    text = flight_text(running)
    assert text.splitlines() == [
        "13 lanes, 12 of them in a kernel now; 1,200 records were dropped",
        "     9 of 13: between tasks, after task `norm`, since 1 µs",
        "     1 of 13: in `gemm`, at `load`, since 990 ns",
        "     1 of 13: waits for a free buffer, since 1.03 µs",
        "     1 of 13: in a kernel, nothing recorded yet, since 1.05 µs",
        "     1 of 13: nothing recorded",
        "core 9 (SM 4): in `gemm` (task 3) since 990 ns; at `load` (task 3) since 940 ns; "
        "last task `norm` (task 2), 80 ns, ended 1 µs ago",
        "    task `norm` (task 2), 80 ns, ended 1 µs ago",
        "core 10: waits for a free buffer since 1.03 µs",
        "core 11: entered its kernel 1.05 µs ago",
    ]
    stopped = flight_text(Flight(lanes[3:], 1090, running=False), every_lane=True).splitlines()
    assert stopped[0] == (
        "10 lanes, 9 of them in a kernel when it stopped; times are before the last one found"
    )
    assert len(stopped) == 1 + 2 + 10
    assert stopped[3] == "core 12: nothing"
    spread = (lane(last=(DONE,)), lane(name="core 1", last=(replace(DONE, end_ns=1000),)))
    assert flight_text(Flight(spread, 1090, running=True)).splitlines()[1] == (
        "     2 of 2: after task `norm`, since 90 ns to 1 µs"
    )


@pytest.mark.parametrize(
    ("shift", "word", "name", "task"),
    [(48, 1 << 48 | 7, "norm", 7), (48, 9 << 48 | 6, "func_9", 6), (0, 7, "", 7)],
)
def test_a_core_that_records_tasks_tells_its_last(
    tmp_path: Path, shift: int, word: int, name: str, task: int
) -> None:
    config = RegionConfig(
        flags=level_features(1),
        cores=(Core("aic"),),
        buffer_records=4,
        buffers=2,
        clock_hz=2_000_000_000,
        own_clock=False,
        func_shift=shift,
        functions={1: "norm"},
    )
    own = create_region(tmp_path / "region", config)
    records = np.array([(100, 200, 3, 0, 0), (300, 500, word, 1, 0)], layout("ls_core_task"))
    data = buffer_of(records, lane=0)
    at = int(own.lanes["buffers"][0])
    own.memory[at : at + len(data)] = data
    own.lanes["opened"], own.lanes["recorded"] = 1, 2
    [lane] = flight_of(own, last=1, running=False).lanes
    assert lane.last == (Finished("task", name, task, 150, 250),)
    assert (lane.recorded, lane.dropped, lane.task) == (2, 0, None)


def test_a_mark_of_more_than_32_bits_of_cycles_is_known_to_have_ended(tmp_path: Path) -> None:
    """Its length is in steps of 65,536 cycles, so its begin is not known exactly."""
    own = region(tmp_path, cores=1)
    length = 3 << 32
    note(own, 0, mark_begun=200, mark=2 | MARK, mark_task=9)
    write(own, 0, (700 + length, (length + 500) >> 16, 9, 2 | MARK | 1 << 31))
    assert flight_of(own).lanes[0].mark is None


def test_a_lane_whose_kernel_ended_is_at_nothing(tmp_path: Path) -> None:
    own = region(tmp_path)
    write(own, 0, (400, 200, 9, 0))
    note(own, 0, task_begun=200, task=9, held_cycles=0, held_ns=0)
    lane = flight_of(own).lanes[0]
    assert (lane.task, lane.held_ns, lane.unit) == (None, None, 5)


def test_waiting_for_a_buffer_is_said(tmp_path: Path) -> None:
    own = region(tmp_path)
    write(own, 0, (400, 200, 9, 0))
    note(own, 0)
    own.lanes[0]["wait_start"] = 10_301
    found = flight_of(own, running=False)
    assert found.lanes[0].waits_ns == 10_301
    assert "1 of 2: waits for a free buffer, since 0 ns" in flight_text(found)


def many(tmp_path: Path) -> Region:
    """Eleven cores in the same function, one elsewhere."""
    own = region(tmp_path / "many", cores=12)
    for lane in range(12):
        write(own, lane, (400 + lane, 200, lane, 0))
        note(own, lane, task_begun=2000 + 200 * lane, task=20 + lane, func=int(lane == 7))
    return own


def test_lanes_in_the_same_state_are_one_line(tmp_path: Path) -> None:
    assert flight_text(flight_of(many(tmp_path), running=False)).splitlines() == [
        "12 lanes, 12 of them in a kernel when it stopped; times are before the last one found",
        "    11 of 12: in `gemm`, since 0 ns to 1.1 µs",
        "     1 of 12: in `norm`, since 400 ns",
        "core 7 (SM 5): in `norm` (task 27) since 400 ns; last task `gemm` (task 7), 100 ns, "
        "ended 1.9 µs ago",
    ]


def test_the_command_prints_text_and_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = bytes(many(tmp_path).memory.data)
    file = tmp_path / "dead.capture" / "region"
    file.parent.mkdir()
    file.write_bytes(data)
    assert main(["flight", str(file.parent), "--all"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3 + 12
    assert main(["flight", str(file), "--json"]) == 0
    found: Any = msgspec.json.decode(capsys.readouterr().out)
    assert len(found["lanes"]) == 12
    assert found["lanes"][7]["task"] == {"name": "norm", "task": 27, "begun_ns": 11_700}
    assert found["running"] is False
    assert found == {"schema": "urn:lanescope:flight:1", **read_flight(file).to_dict()}


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0 ns"),
        (999, "999 ns"),
        (1_234, "1.23 µs"),
        (999_000_000, "999 ms"),
        (999_400_000_000, "999 s"),
        (1_000_000_000_000, "1000 s"),
        (1_234_000_000_000, "1234 s"),
    ],
)
def test_a_lane_may_wait_for_nanoseconds_or_for_hours(ns: int, text: str) -> None:
    lane = LaneEnd("core 0", None, None, None, None, 0, (), 0, 0)
    [_, line] = flight_text(Flight((lane,), ns, True)).splitlines()
    assert line == f"     1 of 1: waits for a free buffer, since {text}"


def test_a_record_that_ends_before_it_starts_has_a_negative_length() -> None:
    last = Finished("task", "gemm", None, 9_000, 4_000)
    lane = LaneEnd("core 0", None, None, None, None, None, (last,), 1, 0)
    line = flight_text(Flight((lane,), 9_000, True)).splitlines()[-1]
    assert line == "core 0: last task `gemm`, -5000 ns, ended 5 µs ago"


def test_a_path_without_a_region_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected the directory of a capture"):
        read_flight(tmp_path)


def test_a_damaged_region_gives_an_answer_or_an_error(tmp_path: Path) -> None:
    own = many(tmp_path)
    row = own.lanes[3]
    row["opened"], row["published"] = 900, 7
    at = int(own.lanes[4]["buffers"])
    own.memory[at : at + 64] = 255
    found = flight_of(own, running=False)
    assert found.lanes[3].last == ()
    assert found.lanes[4].last == ()
    assert found.lanes[5].last != ()


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 255)), min_size=1, max_size=40))
def test_whatever_bytes_a_region_holds_it_is_an_answer_or_an_error(
    tmp_path: Path, changes: list[tuple[int, int]]
) -> None:
    for old in tmp_path.glob("many/*"):
        old.unlink()
    own = many(tmp_path)
    for place, value in changes:
        own.memory[place % len(own.memory)] = value
    try:
        flight_text(flight_of(own, last=3, running=False), every_lane=True)
    except LanescopeError as error:
        assert str(error)


def test_a_run_of_threads_tells_its_last_tasks_and_phases(tmp_path: Path) -> None:
    session = recorded(tmp_path / "run.capture", graph())
    found = read_flight(session.directory, last=3)
    named = {lane.name: lane for lane in found.lanes}
    ends = [each.end_ns for each in named["core 0"].last]
    assert len(ends) == 3
    assert ends == sorted(ends, reverse=True)
    assert all(each.what == "phase" and each.name for each in named["scheduler 0"].last)
    trace = session.reconcile()
    newest = int(trace.tasks["end_cycles"][trace.tasks["core"] == 0].max())
    assert ends[0] == newest * 1_000_000_000 // trace.meta.clock_hz


_KEEPER = """
import sys, time
from pathlib import Path
from tests.capture.test_flight import note, region, write
own = region(Path(sys.argv[1]))
write(own, 0, (400, 200, 9, 0))
note(own, 0, task_begun=1200, task=11, func=1)
print("ready", flush=True)
time.sleep(60)
"""


def test_a_killed_process_is_told_from_one_that_runs(tmp_path: Path) -> None:
    """Its region is a file: it is there while the process runs, and after kill -9."""
    command = [sys.executable, "-c", _KEEPER, str(tmp_path / "held")]
    root = Path(__file__).parents[2]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    alive = read_flight(tmp_path / "held")
    process.kill()
    process.communicate()
    dead = read_flight(tmp_path / "held")
    assert (alive.running, dead.running) == (True, False)
    assert alive.lanes == dead.lanes
    assert dead.lanes[0].task == Doing("norm", 11, 10_600)


def test_the_watchdog_speaks_once_and_only_while_a_kernel_has_a_lane(tmp_path: Path) -> None:
    own = region(tmp_path)
    write(own, 0, (400, 200, 9, 0))
    assert movement(own) == 0
    note(own, 0)
    before = movement(own)
    write(own, 0, (400, 200, 9, 0), (900, 200, 10, 0))
    assert movement(own) != before
    heard: list[float] = []
    dog = Watchdog(own, 0.05, heard.append)
    dog.start()
    dog._thread.join(timeout=10)
    dog.stop()
    assert len(heard) == 1
    assert heard[0] >= 0.05


def test_names_in_a_region_do_not_reach_the_terminal_as_they_are(tmp_path: Path) -> None:
    own = region(tmp_path)
    names = layout("ls_name_entry")
    at = int(own.head.header["names"])
    own.memory[at : at + names.itemsize].view(names)["name"] = b"\x1b]0;x\x07"
    write(own, 0, (400, 200, 9, 0))
    text = flight_text(flight_of(own, last=2, running=False))
    assert "last task `�]0;x�`" in text
    assert all(c.isprintable() or c == "\n" for c in text)
