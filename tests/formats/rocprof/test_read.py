"""Small recordings by hand: the JSON and the database of one run give the same trace."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from tests.formats.rocprof.files import ROCPD, RUN, tool, write_json, write_rocpd

from lanescope.formats import import_paths, import_trace
from lanescope.trace import Trace


def from_json(folder: Path) -> Trace:
    return import_trace(write_json(folder / "run.json", tool()))


def from_tables(folder: Path) -> Trace:
    return import_trace(write_rocpd(folder / "run.db", ROCPD))


def from_views(folder: Path) -> Trace:
    path = write_rocpd(folder / "run.db", ROCPD)
    with sqlite3.connect(path) as database:
        for name in ROCPD:
            database.execute(f"create view {name} as select * from {name}{RUN}")
    database.close()
    return import_trace(path)


READERS = {"json": from_json, "tables": from_tables, "views": from_views}
every = pytest.mark.parametrize("reader", READERS)


@every
def test_queues_and_engines_are_lanes(tmp_path: Path, reader: str) -> None:
    trace = READERS[reader](tmp_path)
    assert trace.text("cores", "name") == ["copies", "queue 3"]
    assert trace.text("cores", "lane") == ["engine", "queue"]
    assert trace.cores["device"].tolist() == [4, 4]
    assert trace.tasks["start_ns"].tolist() == [0, 80]
    functions = zip(trace.text("functions", "name"), trace.text("functions", "work"), strict=True)
    assert [*functions] == [("MEMORY_COPY_HOST_TO_DEVICE", "copy"), ("gemm(float*)", "compute")]


@every
def test_calls_know_what_they_launched_and_ranges_their_text(tmp_path: Path, reader: str) -> None:
    trace = READERS[reader](tmp_path)
    rows = zip(trace.text("phases", "kind"), trace.text("phases", "category"), strict=True)
    assert [*rows] == [("step 1", "annotation"), ("hipLaunchKernel", "call")]
    assert trace.tasks["launch"][1] == trace.phases["launch"][1] >= 0
    assert len(trace.controllers) == 1


@every
def test_numbers_of_tasks(tmp_path: Path, reader: str) -> None:
    """The grid counts work items: 1000 × 2 of them are 4 × 2 workgroups of 256."""
    trace = READERS[reader](tmp_path)
    values = dict(zip(trace.text("counters", "name"), trace.counters["value"], strict=True))
    assert values == {
        "blocks": 8,
        "threads": 256,
        "registers": 24,
        "shared memory": 64,
        "stream": 9,
        "bytes": 4096,
    }


@every
def test_the_trace_knows_who_it_is(tmp_path: Path, reader: str) -> None:
    meta = READERS[reader](tmp_path).meta
    assert (meta.process, meta.device, meta.host, meta.chip) == (41, 4, "n1", "MI300X")
    assert meta.epoch_ns is None


def test_two_processes_of_a_file_are_two_traces(tmp_path: Path) -> None:
    other = tool()
    other["metadata"]["pid"] = 42
    traces = import_paths([write_json(tmp_path / "run.json", tool(), other)])
    assert [trace.meta.name for trace in traces] == ["run-41", "run-42"]


def test_records_that_are_not_read_are_named(tmp_path: Path) -> None:
    assert from_json(tmp_path).meta.notes == ("Not read: 2 records of kind scratch_memory.",)


def test_a_file_without_names_or_agents(tmp_path: Path) -> None:
    bare = {"buffer_records": tool()["buffer_records"]}
    trace = import_trace(write_json(tmp_path / "run.json", bare))
    assert trace.text("functions", "name") == ["copy without a name", "kernel 8"]
    assert trace.meta.process is None


def test_a_run_of_a_dispatch_table_alone(tmp_path: Path) -> None:
    tables = {"rocpd_kernel_dispatch": [{"start": 5, "end": 9}]}
    trace = import_trace(write_rocpd(tmp_path / "run.db", tables, suffix=""))
    assert trace.text("functions", "name") == ["(no name)"]
    assert trace.text("cores", "name") == ["queue"]


def test_a_process_that_recorded_nothing(tmp_path: Path) -> None:
    trace = import_trace(write_json(tmp_path / "run.json", {"metadata": {}}))
    assert len(trace.tasks) == 0
