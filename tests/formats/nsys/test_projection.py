"""Ranges of XLA projected onto the GPU: operations, marks, devices and collectives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.formats.nsys.files import Row, write_parquet

from lanescope.errors import InputError
from lanescope.formats.nsys.projection import projected_recording
from lanescope.formats.streams import DeviceLane, HostThread, StreamRecording
from lanescope.formats.streams.recording import CATEGORIES, WORK
from lanescope.trace import MISSING

TABLE = "nvtx_gpu_proj_trace"


def span(name: str | None, start: Any, length: Any, **more: Any) -> Row:
    """A range of process 1 and thread 9, at another time on the host."""
    host = {"Orig Start": 1000, "Orig Duration": 10, "PID": 1, "TID": 9}
    ids = {"RangeId": None, "ParentId": None}
    times = {"Projected Start": start, "Projected Duration": length}
    return {"Name": name, **times, **host, **ids, **more}


def thunk(op: str, start: int, number: int, parent: int | None = None, **more: Any) -> Row:
    name = f"TSL:Thunk:#hlo_op={op},other=1#"
    return span(name, start, 5, RangeId=number, ParentId=parent, **more)


def module(name: str, start: int, number: int, parent: int | None = None) -> Row:
    text = f"TSL:XlaModule:#hlo_module={name},program_id=1#"
    return span(text, start, 50, RangeId=number, ParentId=parent)


def recording(folder: Path, *rows: Row, **tables: list[Row]) -> StreamRecording:
    write_parquet(folder, {TABLE: list(rows), **tables})
    return projected_recording(folder)


def test_thunks_are_operations_and_other_named_ranges_are_marks(tmp_path: Path) -> None:
    found = recording(
        tmp_path,
        module("m", 10, 1),
        thunk("fusion.1", 20, 2, 1),
        thunk("all-reduce-start.1", 30, 3, 1),
        span(None, 0, 99),
        span("my TSL:Thunk: hlo_op=x", 40, 3),
        thunk("fusion.1", 50, None),  # type: ignore[arg-type]
    )
    work = found.work
    assert work.work is not None
    assert work.launch is not None
    called = [work.names[code] for code in work.name.tolist()]
    kinds = [WORK[code] for code in work.work.tolist()]
    assert [*zip(called, kinds, work.start.tolist(), work.end.tolist(), strict=True)] == [
        ("fusion.1", "compute", 20, 25),
        ("all-reduce-start.1", "communication", 30, 35),
        ("fusion.1", "compute", 50, 55),
    ]
    assert work.launch.tolist() == [2, 3, MISSING]
    marks = found.annotations
    assert [marks.names[code] for code in marks.name.tolist()] == [
        "TSL:XlaModule:#hlo_module=m,program_id=1#",
        "my TSL:Thunk: hlo_op=x",
    ]
    assert (marks.start.tolist(), marks.end.tolist()) == ([10, 40], [60, 43])
    assert (marks.lane.tolist(), work.lane.tolist()) == ([0, 0], [0, 0, 0])


def test_ranges_lie_on_their_thread_at_the_time_of_the_host(tmp_path: Path) -> None:
    found = recording(
        tmp_path,
        {**thunk("dot.1", 20, 7), "Orig Start": 3, "Orig Duration": 4},
        {**span("NCCL:end", 0, 9, RangeId=8), "TID": 2},
        {**span("not timed", 0, 9), "Orig Start": None},
        {**span("not long", 0, 9), "Orig Duration": None},
        span(None, 0, 9),
    )
    rows = found.host
    assert rows.launch is not None
    assert found.threads == [HostThread(name="thread 2"), HostThread(name="thread 9")]
    assert [rows.names[code] for code in rows.name.tolist()] == ["dot.1", "NCCL:end"]
    assert (rows.thread.tolist(), rows.launch.tolist()) == ([1, 0], [7, MISSING])
    assert (rows.start.tolist(), rows.end.tolist()) == ([3, 1000], [7, 1010])
    assert rows.category.tolist() == [CATEGORIES.index("annotation")] * 2


def test_threads_of_several_processes_say_which(tmp_path: Path) -> None:
    found = recording(tmp_path, thunk("a", 1, 1), thunk("a", 1, 2, PID=3, TID=4))
    assert [thread.name for thread in found.threads] == [
        "process 1 thread 9",
        "process 3 thread 4",
    ]
    assert found.lanes == [
        DeviceLane(name="process 1", lane="track", process=1),
        DeviceLane(name="process 3", lane="track", process=3),
    ]
    assert found.facts == {"rank": None, "process": None, "chip": ""}


def launcher(device: int, pid: int, tid: int) -> Row:
    return {"Name": f"XlaLauncher:#global={device},local=0#", "PID": pid, "TID": tid}


def test_a_range_is_of_the_device_of_its_thread_or_of_its_process(tmp_path: Path) -> None:
    """Process 1 has two devices, process 2 one, process 3 none that is known."""
    found = recording(
        tmp_path,
        thunk("a", 1, 1, TID=8),
        thunk("a", 2, 2, TID=7),
        thunk("a", 3, 3, TID=6),
        thunk("a", 4, 4, PID=2, TID=99),
        thunk("a", 5, 5, PID=3, TID=8),
        **{
            "thread-metadata": [
                launcher(5, 1, 8),
                launcher(4, 1, 7),
                launcher(6, 2, 7),
                {"Name": "python XlaLauncher:#global=1,x", "PID": 3, "TID": 8},
                {"Name": None, "PID": 3, "TID": 8},
            ]
        },
    )
    assert [(lane.name, lane.device, lane.rank, lane.process) for lane in found.lanes] == [
        ("process 1", None, None, 1),
        ("device 4", 4, 4, 1),
        ("device 5", 5, 5, 1),
        ("device 6", 6, 6, 2),
        ("process 3", None, None, 3),
    ]
    assert found.work.lane.tolist() == [2, 1, 0, 3, 4]
    assert found.facts["rank"] is None


def test_one_device_and_process_are_those_of_the_trace(tmp_path: Path) -> None:
    chips = [{"('TARGET_INFO_GPU', 'name')": name} for name in ("H100", "H100", "x" * 300)]
    metadata = {"thread-metadata": [launcher(0, 1, 9)], "device-metadata": chips}
    found = recording(tmp_path, thunk("a", 1, 1), **metadata)
    assert found.facts == {"rank": 0, "process": 1, "chip": ("H100 and " + "x" * 300)[:256]}
    found = recording(tmp_path, thunk("a", 1, 1, PID=None), **metadata)
    assert (found.facts["rank"], found.facts["process"]) == (None, None)
    assert [(lane.name, lane.process) for lane in found.lanes] == [("unknown process", None)]


def collectives(found: StreamRecording) -> list[tuple[Any, ...]]:
    rows = found.collectives
    assert rows.sequence is not None
    assert rows.matched == "name"
    columns = rows.row.tolist(), rows.group, rows.sequence.tolist(), rows.kind
    return [*zip(*columns, strict=True)]


def test_a_collective_is_numbered_by_the_execution_of_its_module(tmp_path: Path) -> None:
    """Module m runs twice; in the second run the operation is there twice, in the order of time."""
    execution = 1 << 20
    found = recording(
        tmp_path,
        module("m", 100, 4),
        span("around", 0, 300, RangeId=9),
        module("m", 10, 1, 9),
        span("NCCL", 20, 5, RangeId=2, ParentId=1),
        thunk("all-reduce.1", 130, 6, 4),
        thunk("all-reduce.1", 20, 3, 2),
        thunk("all-reduce.1", 110, 5, 4),
        module("n", 200, 7),
        thunk("all-reduce.1", 210, 8, 7),
        thunk("all-gather-start", 230, 10),
        thunk("fusion", 240, 11, 7),
    )
    assert collectives(found) == [
        (1, "m all-reduce.1", 0, "all_reduce"),
        (2, "m all-reduce.1", execution, "all_reduce"),
        (0, "m all-reduce.1", execution + 1, "all_reduce"),
        (3, "n all-reduce.1", 0, "all_reduce"),
        (4, "all-gather-start", 0, "all_gather"),
    ]


@pytest.mark.parametrize(
    ("op", "kind"),
    [
        ("all-reduce", "all_reduce"),
        ("all-gather-start.12", "all_gather"),
        ("reduce-scatter.3", "reduce_scatter"),
        ("all-to-all", "all_to_all"),
        ("collective-permute-start", "collective_permute"),
        ("collective-broadcast", "broadcast"),
        ("ragged-all-to-all", "all_to_all"),
        ("send", "send"),
        ("recv.1", "recv"),
        ("all-reduce-done", None),
        ("my-send", None),
        ("sender", None),
    ],
)
def test_the_name_of_an_operation_says_that_it_communicates(
    tmp_path: Path, op: str, kind: str | None
) -> None:
    found = recording(tmp_path, thunk(op, 1, 1))
    assert found.collectives.kind == ([] if kind is None else [kind])
    assert found.work.work is not None
    assert WORK[int(found.work.work[0])] == ("compute" if kind is None else "communication")


@pytest.mark.parametrize(("between", "group"), [(64, "m send"), (65, "send")])
def test_a_module_is_looked_for_64_ranges_further_out(
    tmp_path: Path, between: int, group: str
) -> None:
    inside = [span("x", 0, 9, RangeId=k + 1, ParentId=k) for k in range(1, between + 1)]
    found = recording(tmp_path, module("m", 0, 1), *inside, thunk("send", 1, 999, between + 1))
    assert [one for _, one, *_ in collectives(found)] == [group]


def test_ranges_around_one_another_end_the_search(tmp_path: Path) -> None:
    found = recording(tmp_path, span("x", 0, 9, RangeId=1, ParentId=1), thunk("send", 1, 2, 1))
    assert [one for _, one, *_ in collectives(found)] == ["send"]


def test_a_folder_of_ranges_without_rows_is_empty(tmp_path: Path) -> None:
    names = ("Projected Start", "Projected Duration", "PID", "TID", "RangeId", "ParentId")
    columns = {"Name": pa.array([], pa.string()), **{n: pa.array([], pa.int64()) for n in names}}
    pq.write_table(pa.table(columns), tmp_path / f"{TABLE}.parquet")
    found = projected_recording(tmp_path)
    assert (found.lanes, found.threads, len(found.work.start)) == ([], [], 0)
    assert found.facts == {"rank": None, "process": None, "chip": ""}


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (
            span("a", None, 5),
            "row 1, 'Projected Start': a whole number of nanoseconds was expected",
        ),
        (
            span("a", 5, np.nan),
            "row 1, 'Projected Duration': a whole number of nanoseconds was expected",
        ),
    ],
)
def test_a_range_without_a_time_is_refused(tmp_path: Path, row: Row, sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        recording(tmp_path, span("a", 1, 2), row)
    assert str(refused.value) == f"{tmp_path / TABLE}.parquet: {sentence}"


@pytest.mark.parametrize(
    "name", ["Projected Start", "Projected Duration", "Orig Start", "Orig Duration"]
)
def test_a_time_that_no_clock_shows_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError) as refused:
        recording(tmp_path, span("a", 1, 2), {**span("a", 1, 2), name: 1 << 61})
    problem = f"{name!r}: the time is more than 73 years: {1 << 61} ns; export it again"
    assert str(refused.value) == f"{tmp_path}: table {TABLE} row 1, {problem}"
