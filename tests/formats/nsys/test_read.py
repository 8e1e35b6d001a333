"""Small exports by hand: what every table becomes, whichever columns it has."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.formats.nsys.files import (
    GPID,
    OTHER,
    SMALL,
    STRINGS,
    Row,
    call,
    kernel,
    nvtx,
    strings,
    write_parquet,
    write_sqlite,
)

from lanescope.formats import import_paths, import_trace
from lanescope.trace import MISSING, Trace


@pytest.fixture
def load(tmp_path: Path) -> Any:
    def load(**tables: list[Row]) -> Trace:
        return import_trace(write_sqlite(tmp_path / "run.sqlite", {**SMALL, **tables}))

    return load


def rows(trace: Trace, table: str, *names: str) -> list[tuple[Any, ...]]:
    return [*zip(*(trace.text(table, name) for name in names), strict=True)]


def phases(trace: Trace) -> list[tuple[Any, ...]]:
    names = trace.text("phases", "kind"), trace.text("phases", "category")
    times = trace.phases["start_ns"].tolist(), trace.phases["end_ns"].tolist()
    return [*zip(*names, *times, strict=True)]


def test_kernels_lie_on_their_stream_and_know_their_call(load: Any) -> None:
    trace = load()
    assert trace.text("cores", "name") == ["stream 7"]
    assert (trace.cores["process"].tolist(), trace.meta.process) == ([111], 111)
    assert trace.text("functions", "name") == ["void k1<float>(int)"]
    assert trace.tasks["start_ns"].tolist() == [20, 80]
    assert trace.tasks["launch"].tolist() == trace.phases["launch"].tolist()
    assert phases(trace)[0] == ("cudaLaunchKernel_v7000", "call", 0, 10)
    assert trace.meta.epoch_ns is None


def test_a_folder_of_parquet_files_is_the_same_trace(tmp_path: Path) -> None:
    export = {**SMALL, "NVTX_EVENTS": [nvtx(70, 95, text="a", textId=None)]}
    one = import_trace(write_sqlite(tmp_path / "run.sqlite", export))
    two = import_trace(write_parquet(tmp_path / "run", export))
    for table in ("tasks", "phases", "cores", "functions", "controllers"):
        assert one.table(table).to_dict() == two.table(table).to_dict()
    assert len(two.meta.sources) == len(export)


def test_a_packed_database(tmp_path: Path) -> None:
    plain = write_sqlite(tmp_path / "plain.sqlite", SMALL)
    (tmp_path / "run.sqlite.gz").write_bytes(gzip.compress(plain.read_bytes()))
    trace = import_trace(tmp_path / "run.sqlite.gz")
    assert (trace.meta.name, len(trace.tasks)) == ("run", 2)


def test_two_processes_have_streams_and_launches_of_their_own(load: Any) -> None:
    """Both have a stream 7 and a correlation 11."""
    other = kernel(300, 310, 11, globalPid=OTHER)
    trace = load(
        CUPTI_ACTIVITY_KIND_KERNEL=[kernel(100, 150, 11), other],
        CUPTI_ACTIVITY_KIND_RUNTIME=[call(80, 90, 11), call(280, 290, 11, globalTid=OTHER + 6)],
        MPI_RANKS=[{"globalTid": GPID + 5, "rank": 3}, {"globalTid": OTHER + 6, "rank": 4}],
        ThreadNames=[{"nameId": 9, "globalTid": GPID + 5}],
    )
    assert trace.text("cores", "name") == ["process 111 stream 7", "process 222 stream 7"]
    assert trace.cores["rank"].tolist() == [3, 4]
    assert trace.text("controllers", "name") == ["process 111 python3 5", "process 222 6"]
    assert trace.controllers["rank"].tolist() == [3, 4]
    assert len(set(trace.tasks["launch"].tolist())) == 2
    assert (trace.meta.rank, trace.meta.process) == (None, None)


def test_names_are_the_best_there_are(load: Any) -> None:
    short = [{"start": 1, "end": 2, "shortName": 2}, {"start": 3, "end": 4}]
    trace = load(CUPTI_ACTIVITY_KIND_KERNEL=short)
    assert trace.text("functions", "name") == ["k1", "(no name)"]


def test_a_graph_launch_has_many_kernels(load: Any) -> None:
    trace = load(
        CUPTI_ACTIVITY_KIND_KERNEL=[kernel(100 + k, 101 + k, 11) for k in range(3)],
        CUPTI_ACTIVITY_KIND_RUNTIME=[call(80, 90, 11, nameId=7)],
    )
    assert set(trace.tasks["launch"].tolist()) == set(trace.phases["launch"].tolist())


def test_ranges_marks_and_operators(load: Any) -> None:
    trace = load(
        NVTX_EVENTS=[
            nvtx(60, 200, text="aten::mm, seq = 7, op_id = 42"),
            nvtx(70, 99, textId=8),
            nvtx(75, None, eventType=34, text="here"),
            nvtx(76, None, text="never ends"),
            nvtx(77, 78, eventType=60, text="from start to end"),
            nvtx(0, None, eventType=75, text="a domain"),
        ]
    )
    assert phases(trace) == [
        ("aten::mm", "operator", 0, 140),
        ("train step", "annotation", 10, 39),
        ("here", "annotation", 15, 15),
        ("never ends", "annotation", 16, 140),
        ("from start to end", "annotation", 17, 18),
        ("cudaLaunchKernel_v7000", "call", 20, 30),
        ("cudaLaunchKernel_v7000", "call", 32, 39),
    ]
    assert set(trace.tasks["op"].tolist()) == {trace.phases["op"][0]} != {MISSING}
    assert "Without an end, drawn to the last row: 1 NVTX range." in trace.meta.notes


def wait(kind: int, **more: Any) -> Row:
    place = {"deviceId": 0, "contextId": 1, "streamId": 7, "globalPid": GPID}
    return {"start": 94, "end": 95, **place, "correlationId": 20, "syncType": kind, **more}


def record(correlation: int, **more: Any) -> Row:
    place = {"contextId": 1, "streamId": 8, "globalPid": GPID, "correlationId": correlation}
    return {**place, "eventId": 3, **more}


@pytest.mark.parametrize("unique", [True, False])
def test_a_stream_waits_for_the_event_that_was_recorded_last(load: Any, unique: bool) -> None:
    """The event is recorded twice before and once after the wait; its id is the same each time."""
    number = {"eventSyncId": 1002} if unique else {}
    records = [
        record(c, **({"eventSyncId": 1000 + c - 14} if unique else {})) for c in (15, 16, 30)
    ]
    trace = load(
        CUPTI_ACTIVITY_KIND_KERNEL=[
            kernel(100, 110, 11, streamId=8),
            kernel(120, 130, 21),
        ],
        CUPTI_ACTIVITY_KIND_RUNTIME=[
            call(80, 82, 11),
            call(83, 84, 15, nameId=6),
            call(85, 86, 16, nameId=6),
            call(94, 95, 20, nameId=5),
            call(96, 97, 21),
            call(98, 99, 30, nameId=6),
        ],
        CUPTI_ACTIVITY_KIND_CUDA_EVENT=records,
        CUPTI_ACTIVITY_KIND_SYNCHRONIZATION=[wait(2, eventId=3, **number)],
    )
    [lane] = trace.waits["core"].tolist()
    [on] = trace.waits["on_core"].tolist()
    assert [trace.cores["queue"][k] for k in (lane, on)] == [7, 8]
    call_of = {launch: row for row, launch in enumerate(trace.phases["launch"].tolist())}
    assert trace.phases["start_ns"][call_of[int(trace.waits["on_launch"][0])]] == 5
    stream_of = trace.cores["queue"][trace.tasks["core"]]
    [before], [after] = trace.edges["pred"].tolist(), trace.edges["succ"].tolist()
    assert (stream_of[before], stream_of[after]) == (8, 7)


def test_waits_of_the_host_and_of_no_known_kind(load: Any) -> None:
    kinds = [wait(kind, contextId=1) for kind in (1, 3, 4, 99)]
    trace = load(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION=kinds)
    assert trace.text("waits", "kind") == [
        "host waits event",
        "host waits stream",
        "host waits device",
    ]
    assert "Left out: 1 wait of unknown kind." in trace.meta.notes


def test_collectives_are_counted_on_their_stream(load: Any) -> None:
    talk = [kernel(10, 20, 1, demangledName=3), kernel(30, 40, 2, demangledName=3)]
    trace = load(CUPTI_ACTIVITY_KIND_KERNEL=talk)
    assert trace.text("collectives", "kind") == ["all_reduce", "all_reduce"]
    assert trace.collectives["sequence"].tolist() == [0, 1]
    assert trace.text("collectives", "matched") == ["stream", "stream"]


def test_the_session_says_when_it_was(load: Any) -> None:
    start = {"utcEpochNs": 1_700_000_000_000_000_000}
    trace = load(TARGET_INFO_SESSION_START_TIME=[start])
    assert trace.meta.epoch_ns == 1_700_000_000_000_000_080
    assert (trace.meta.epoch_clock, trace.meta.epoch_error_ns) == ("session", None)


def test_the_environment_of_the_user_is_not_kept(load: Any) -> None:
    env = [{"name": "DeviceEnvironment", "value": "TOKEN=1"}, {"name": "Hostname", "value": "n7"}]
    trace = load(TARGET_INFO_SYSTEM_ENV=env, TARGET_INFO_GPU=[{"name": "H100"}])
    assert (trace.meta.host, trace.meta.chip) == ("n7", "H100")
    assert "TOKEN" not in repr(trace.meta)


def test_an_archive_of_nsys_jax(tmp_path: Path) -> None:
    """Its ranges lie in a folder of their own; two launchers of one process are two devices."""
    op, module = (
        "TSL:Thunk:#hlo_op=all-reduce-start.1#",
        "TSL:XlaModule:#hlo_module=m,program_id=1#",
    )
    ranges = {
        "Name": [None, module, op, op],
        "Projected Start": [0, 10, 20, 40],
        "Projected Duration": [100, 80, 5, 5],
        "PID": [1, 1, 1, 1],
        "TID": [9, 9, 8, 9],
        "RangeId": [np.nan, 1.0, 2.0, 3.0],
        "ParentId": [np.nan, np.nan, 1.0, 1.0],
    }
    names = [f"XlaLauncher:#global={k},local=0,process=0,slice=0#" for k in (4, 5)]
    threads = {"Name": names, "PID": [1, 1], "TID": [8, 9]}
    for name, columns in (("ranges", ranges), ("threads", threads)):
        pq.write_table(pa.table(columns), tmp_path / name)
    with zipfile.ZipFile(tmp_path / "job.zip", "w") as archive:
        archive.write(tmp_path / "ranges", "nvtx_gpu_proj_trace/trace.parquet")
        archive.write(tmp_path / "threads", "thread-metadata.parquet")
    [trace] = import_paths([tmp_path / "job.zip"])
    assert trace.text("cores", "name") == ["device 4", "device 5"]
    assert trace.text("collectives", "group") == ["m all-reduce-start.1"] * 2
    assert trace.collectives["sequence"].tolist() == [0, 1]
    assert trace.text("marks", "name") == [module]


def test_strings_may_be_few(load: Any) -> None:
    trace = load(StringIds=strings({4: STRINGS[4]}))
    assert trace.text("functions", "name") == ["(no name)"]
