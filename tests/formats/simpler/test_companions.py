"""Names, hardware counters, scope statistics and argument dumps beside a records file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.formats.simpler.runs import lines, open_entries, read, records, rows, write

from lanescope.errors import InputError
from lanescope.formats import import_paths
from lanescope.trace import LedgerEntry
from lanescope.trace.flags import Feature
from lanescope.trace.meta import RecordingFacts
from lanescope.trace.schema import TaskFlag

RUN = records(1, aicore_tasks=[[0, 7, 1, 10, 20], [1, 8, 1, 30, 40], [1, 8, 2, 50, 60]])
DEPS = {
    "tasks": [
        {"task_id": "7", "kernel_ids": [0, -1, -1]},
        {"task_id": "8", "kernel_ids": [-1, 3, -1]},
    ],
    "edges": [],
}
HEADER = "thread_id,core_id,task_id,func_id,core_type,pmu_total_cycles,busy,event_type\n"


def name_map(**names: str) -> dict[str, Any]:
    return {"level": 2, "orchestrator_name": None, "callable_id_to_name": names}


def test_names_from_a_name_map(tmp_path: Path) -> None:
    trace = read(
        tmp_path, records=RUN, deps=DEPS, name_map_x=name_map(**{"0": "QK", "1": "never used"})
    )
    assert rows(trace, "functions", "func", "name") == [
        (0, "QK"),
        (1, "never used"),
        (3, "func_3"),
    ]


def test_names_from_a_flat_object(tmp_path: Path) -> None:
    trace = read(tmp_path, records=RUN, deps=DEPS, names={"0": "QK µ", "3": "SF"})
    assert rows(trace, "functions", "func", "name") == [(0, "QK µ"), (3, "SF")]


def test_two_name_maps_give_a_note_and_no_guess(tmp_path: Path) -> None:
    both = {"name_map_a": name_map(**{"0": "A"}), "name_map_b": name_map(**{"0": "B"})}
    trace = read(tmp_path, records=RUN, deps=DEPS, **both)
    assert rows(trace, "functions", "func", "name") == [(0, "func_0"), (3, "func_3")]
    assert trace.meta.notes == (
        "Several files of kind names (name_map_a.json, name_map_b.json): none was used.",
    )


def test_naming_one_of_two_name_maps_uses_it(tmp_path: Path) -> None:
    both = {"name_map_a": name_map(**{"0": "A"}), "name_map_b": name_map(**{"0": "B"})}
    folder = write(tmp_path, records=RUN, deps=DEPS, **both)
    [trace] = import_paths([folder / "records.json", folder / "name_map_b.json"])
    assert trace.text("functions", "name") == ["B", "func_3"]


COUNTER = ("name", "value", "task", "core", "token")


def test_counters_join_their_task_rows_in_order_of_occurrence(tmp_path: Path) -> None:
    pmu = HEADER + (
        "0,1,0x0000000000000008,3,1,200,20,2\n"
        "0,0,0x0000000000000007,0,0,100,10,2\n"
        "0,1,0x0000000000000008,3,1,300,30,2\n"
    )
    trace = read(tmp_path, records=RUN, pmu=pmu)
    assert rows(trace, "counters", *COUNTER) == [
        ("pmu_total_cycles", 200.0, 8, 1, 1),
        ("pmu_total_cycles", 100.0, 7, 0, 1),
        ("pmu_total_cycles", 300.0, 8, 1, 2),
        ("busy", 20.0, 8, 1, 1),
        ("busy", 10.0, 7, 0, 1),
        ("busy", 30.0, 8, 1, 2),
    ]
    assert trace.meta.ledger[-1] == LedgerEntry("counters", "pmu", 3, 3)
    assert trace.meta.recording == RecordingFacts(pmu_events=(2,))
    assert Feature(trace.meta.flags) & Feature.PMU


def test_counters_without_a_task_row_are_kept_and_counted(tmp_path: Path) -> None:
    pmu = HEADER + (
        "0,0,0x0000000000000007,0,0,100,10,2\n"
        "0,0,0x0000000000000007,0,0,101,11,2\n"
        "0,2,0x00000000000000ff,0,1,102,12,2\n"
    )
    trace = read(tmp_path, records=RUN, pmu=pmu)
    assert rows(trace, "counters", *COUNTER)[:3] == [
        ("pmu_total_cycles", 100.0, 7, 0, 1),
        ("pmu_total_cycles", 101.0, 7, 0, None),
        ("pmu_total_cycles", 102.0, 255, 2, None),
    ]
    assert trace.meta.ledger[-1] == LedgerEntry("counters", "pmu", 3, 1, unmatched=2)
    assert open_entries(trace) == []


def test_counters_alone_say_what_ran_where(tmp_path: Path) -> None:
    pmu = HEADER + "0,5,0x0000000100000007,4,1,100,10,2\n0,6,0x0000000000000008,0,9,1,1,4\n"
    trace = read(tmp_path, pmu=pmu)
    lost = TaskFlag.NO_CORE_RECORD
    assert rows(trace, "tasks", "task", "core", "func", "flags", "start_ns") == [
        ((1 << 32) + 7, 5, 4, lost, None),
        (8, 6, 0, lost, None),
    ]
    assert rows(trace, "cores", "core", "name", "kind") == [
        (5, "aiv 5", "aiv"),
        (6, "core 6", None),
    ]
    assert (trace.meta.level, trace.meta.recording) == (0, RecordingFacts(pmu_events=(2, 4)))


def test_a_counter_table_without_rows(tmp_path: Path) -> None:
    trace = read(tmp_path, records=RUN, pmu=HEADER)
    assert len(trace.counters) == 0
    assert trace.meta.ledger[-1] == LedgerEntry("counters", "pmu", 0, 0)


BAD_PMU = {
    "bad hex": (
        "0,0,0x12g4,0,0,1,1,2\n",
        "line 2: expected a task id like 0x0000000100000000, found '0x12g4'",
    ),
    "short row": (
        "0,0,0x7,0\n",
        "is not a PMU table (CSV parse error: Expected 8 columns, got 4: 0,0,0x7,0)",
    ),
    "empty cell": ("0,0,0x7,0,0,,1,2\n", "column 'pmu_total_cycles' has an empty cell"),
}


@pytest.mark.parametrize("case", BAD_PMU)
def test_a_damaged_counter_table_is_refused(tmp_path: Path, case: str) -> None:
    body, problem = BAD_PMU[case]
    with pytest.raises(InputError) as caught:
        read(tmp_path, records=RUN, pmu=HEADER + body)
    assert str(caught.value) == f"{tmp_path / 'pmu.csv'}: {problem}"


def boundary(site: str, phase: str, ring: int, used: int) -> dict[str, Any]:
    return {
        "site": site,
        "phase": phase,
        "depth": 1,
        "ring": ring,
        "task_window_start": 5,
        "task_window_end": 5 + used,
        "heap_start": 64,
        "heap_end": 64 + 100 * used,
        "dep_pool_start": 1,
        "dep_pool_end": 1 + 2 * used,
        "tensormap": 3 * used,
    }


def test_scope_statistics_become_counters_in_order(tmp_path: Path) -> None:
    header = {"version": 6, "fatal": False, "dropped": 1, "total": 2, "task_window_max": [16]}
    text = lines(header, boundary("a.cpp:7", "begin", 0, 1), boundary("a.cpp:7", "end", 1, 2))
    folder = write(tmp_path, records=RUN)
    write(tmp_path / "scope_stats", scope_stats=text)
    [trace] = import_paths([folder])
    assert rows(trace, "counters", "name", "value", "order", "site", "task") == [
        ("task_window ring 0", 1.0, 0, "a.cpp:7 begin", None),
        ("heap_bytes ring 0", 100.0, 0, "a.cpp:7 begin", None),
        ("dep_pool ring 0", 2.0, 0, "a.cpp:7 begin", None),
        ("tensormap", 3.0, 0, "a.cpp:7 begin", None),
        ("task_window ring 1", 2.0, 1, "a.cpp:7 end", None),
        ("heap_bytes ring 1", 200.0, 1, "a.cpp:7 end", None),
        ("dep_pool ring 1", 4.0, 1, "a.cpp:7 end", None),
        ("tensormap", 6.0, 1, "a.cpp:7 end", None),
    ]
    assert trace.meta.ledger[-1] == LedgerEntry("scopes", "scope", 3, 2, dropped=1)
    assert trace.meta.extra["scope_limits"]["task_window_max"] == [16]


def test_scope_statistics_that_end_early_are_refused(tmp_path: Path) -> None:
    header = {"version": 6, "total": 2, "task_window_max": []}
    with pytest.raises(InputError) as caught:
        read(tmp_path, scope_stats=lines(header, boundary("a", "begin", 0, 1)))
    assert caught.value.problem == "line 1 announces 2 records, 1 follows; cut off?"


def argument(task: str, role: str, **more: Any) -> dict[str, Any]:
    tensor = {"func_id": [0], "kind": "tensor", "dtype": "FLOAT32", "numel": 10}
    return {"task_id": task, "role": role, **tensor, **more}


def test_argument_dumps_become_bytes_per_task_and_role(tmp_path: Path) -> None:
    dump = {
        "bin_format": {"type": "logical_contiguous"},
        "args": [
            argument("0x0000000100000007", "input"),
            argument("0x0000000100000007", "input", dtype="BFLOAT16"),
            argument("0x0000000100000007", "output", dtype="INT8"),
            argument("0x0000000000000008", "input", kind="scalar"),
            argument("0x0000000000000008", "inout", dtype="FP4_OF_THE_FUTURE"),
        ],
    }
    folder = write(tmp_path, records=RUN)
    write(tmp_path / "args_dump", args_dump=dump)
    [trace] = import_paths([folder])
    task = (1 << 32) + 7
    assert rows(trace, "counters", "name", "value", "task", "core") == [
        ("args_input_bytes", 60.0, task, None),
        ("args_output_bytes", 10.0, task, None),
        ("args_input_bytes", 0.0, 8, None),
        ("args_inout_bytes", 0.0, 8, None),
    ]
    assert Feature(trace.meta.flags) & Feature.DUMP_TENSOR


def test_counters_of_all_sources_share_one_table(tmp_path: Path) -> None:
    header = {"version": 6, "total": 1, "task_window_max": []}
    dump = {"bin_format": {}, "args": [argument("0x7", "input")]}
    trace = read(
        tmp_path,
        records=RUN,
        pmu=HEADER + "0,0,0x0000000000000007,0,0,100,10,2\n",
        scope_stats=lines(header, boundary("a", "begin", 0, 1)),
        args_dump=dump,
    )
    assert rows(trace, "counters", "name", "core", "token", "order", "site") == [
        ("pmu_total_cycles", 0, 1, None, None),
        ("busy", 0, 1, None, None),
        ("task_window ring 0", None, None, 0, "a begin"),
        ("heap_bytes ring 0", None, None, 0, "a begin"),
        ("dep_pool ring 0", None, None, 0, "a begin"),
        ("tensormap", None, None, 0, "a begin"),
        ("args_input_bytes", None, None, None, None),
    ]
