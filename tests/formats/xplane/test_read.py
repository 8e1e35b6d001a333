"""XSpace files by hand: which line becomes what, and every number of it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.formats.simpler.runs import rows
from tests.formats.xplane.spaces import Plane, space

from lanescope.errors import InputError
from lanescope.formats import import_trace
from lanescope.trace import LedgerEntry, Trace

UTC = 1_771_595_639_214_724_894


def imported(folder: Path, data: bytes, name: str = "host.xplane.pb") -> Trace:
    (folder / name).write_bytes(data)
    return import_trace(folder / name)


def tpu(number: int = 0, start: int = UTC) -> Plane:
    """A TPU core with a step, a module, two operations and an asynchronous one."""
    plane = Plane(f"/device:TPU:{number}", number, device_type_string="TPU v5 lite")
    reduce = {"hlo_op": "all-reduce.7", "hlo_module": "jit_f", "program_id": 9}
    fusion = "%fusion.1 = f32[8]{0} fusion(...)"
    plane.kind(fusion, display="fusion.1", flops=64, hlo_op="&fusion.1")
    plane.line("Steps", ("0", 0, 9_000_000), ("1", 9_000_000, 9_000_000), at=start)
    plane.line("XLA Modules", ("jit_f(9)", 500, 8_000_500), at=start)
    plane.line(
        "XLA Ops",
        (fusion, 1_500, 1_000_000, {"bytes_accessed": 4096}),
        ("%all-reduce.7", 2_000_000, 1_000_500, reduce),
        ("%all-reduce.7", 4_000_000, 1_000_000, reduce),
        at=start,
        line_id=3,
    )
    plane.line("Async XLA Ops", ("copy-start.2", 2_500, 9_000), at=start, line_id=4)
    return plane.line("Framework Ops", ("scope", 0, 10), ("scope", None, 10), at=start, line_id=5)


def test_operations_are_work_and_the_lines_above_them_are_not(tmp_path: Path) -> None:
    trace = imported(tmp_path, space(tpu(), host="worker-3"))
    assert rows(trace, "cores", "name", "kind", "lane", "device", "queue") == [
        ("TPU:0 XLA Ops", "engine", "engine", 0, 3),
        ("TPU:0 Async XLA Ops", "engine", "engine", 0, 4),
    ]
    functions = trace.text("functions", "name")
    found = [
        (functions[func], core, start, end)
        for func, core, start, end in rows(trace, "tasks", "func", "core", "start_ns", "end_ns")
    ]
    # Halves go to the even nanosecond: 1.5 is 2, 1001.5 is 1002, 3000.5 is 3000.
    assert found == [
        ("fusion.1", 0, 2, 1002),
        ("%all-reduce.7", 0, 2000, 3000),
        ("%all-reduce.7", 0, 4000, 5000),
        ("copy-start.2", 1, 2, 12),
    ]
    assert rows(trace, "functions", "name", "work") == [
        ("fusion.1", "compute"),
        ("%all-reduce.7", "communication"),
        ("copy-start.2", "copy"),
    ]
    assert rows(trace, "marks", "name", "pipe", "core", "start_ns", "end_ns") == [
        ("jit_f(9)", "annotation", 0, 0, 8001)
    ]
    assert rows(trace, "steps", "step", "name", "start_ns", "end_ns") == [
        (0, "0", 0, 9000),
        (1, "1", 9000, 18000),
    ]
    assert (trace.meta.host, trace.meta.device, trace.meta.chip) == ("worker-3", 0, "TPU v5 lite")
    assert (trace.meta.epoch_ns, trace.meta.epoch_clock) == (UTC, "realtime")
    assert trace.meta.ledger[1:] == (
        LedgerEntry(
            "all lanes",
            "derived event",
            1,
            0,
            dropped=1,
            reason="lines that are derived from others, or of planes that are not read",
        ),
        LedgerEntry("all lanes", "sum of events", 1, 0, dropped=1, reason="it has no time"),
    )


def test_numbers_of_events_and_of_their_kinds_are_counters(tmp_path: Path) -> None:
    trace = imported(tmp_path, space(tpu()))
    assert rows(trace, "counters", "name", "value", "task") == [
        ("bytes_accessed", 4096.0, 0),
        ("flops", 64.0, 0),
    ]


def test_collectives_are_counted_per_program_operation_and_device(tmp_path: Path) -> None:
    trace = imported(tmp_path, space(tpu(0), tpu(1)))
    found = rows(trace, "collectives", "group", "sequence", "matched", "kind", "core")
    group = "jit_f(9) all-reduce.7"
    assert sorted(found) == [
        (group, 0, "group", "all_reduce", 0),
        (group, 0, "group", "all_reduce", 2),
        (group, 1, "group", "all_reduce", 0),
        (group, 1, "group", "all_reduce", 2),
    ]


def gpu() -> Plane:
    plane = Plane("/device:GPU:1", 1)
    details = "regs:32 static_shared:0 dynamic_shared:64 grid:16,2,1 block:128,1,1 occ_pct:50"
    kernel = {"correlation_id": 5, "kernel_details": details, "hlo_op": "&dot.1"}
    copy = {"correlation_id": 6, "memcpy_details": "kind_src:pageable size:4096 async:1"}
    plane.line("Stream #13(Kernel)", ("gemm", 3_000, 4_000, kernel), line_id=13)
    plane.line("Stream #14(MemcpyH2D)", ("MemcpyH2D", 8_000, 2_000, copy), line_id=14)
    plane.line("XLA Ops", ("dot.1", 3_000, 4_000), line_id=90)
    return plane.line("Async XLA Ops", ("copy", 8_000, 1_000), line_id=91)


def host() -> Plane:
    plane = Plane("/host:CPU")
    plane.line(
        "python",
        ("train", 0, 9_000, {"step_num": 7}),
        ("$model.py:3 f", 100, 8_000),
        ("cuLaunchKernel", 1_000, 1_000, {"correlation_id": 5}),
        ("cuStreamSynchronize", 3_000, 2_000),
        line_id=77,
    )
    return plane.line("worker/4", ("Thunk", 0, 500, {"hlo_op": "dot.1"}), line_id=4)


def test_streams_are_lanes_and_lines_of_operations_beside_them_are_derived(tmp_path: Path) -> None:
    start = {"profile_start_time": UTC}
    trace = imported(tmp_path, space(gpu(), host(), Plane("Task Environment", **start)))
    assert rows(trace, "cores", "name", "lane", "device", "queue") == [
        ("GPU:1 Stream #13(Kernel)", "stream", 1, 13),
        ("GPU:1 Stream #14(MemcpyH2D)", "stream", 1, 14),
    ]
    assert rows(trace, "tasks", "core", "start_ns", "end_ns") == [(0, 3, 7), (1, 8, 10)]
    assert rows(trace, "functions", "name", "work") == [("gemm", "compute"), ("MemcpyH2D", "copy")]
    assert rows(trace, "marks", "name", "start_ns", "end_ns") == [("dot.1", 3, 7)]
    assert sorted(rows(trace, "counters", "name", "value", "task")) == [
        ("blocks", 32.0, 0),
        ("bytes", 4096.0, 1),
        ("occupancy", 50.0, 0),
        ("registers", 32.0, 0),
        ("shared memory", 64.0, 0),
        ("threads", 128.0, 0),
    ]
    assert (trace.meta.epoch_ns, trace.meta.epoch_clock) == (UTC, "session")


def test_the_first_name_of_a_file_counts_as_a_stat_and_as_a_text(tmp_path: Path) -> None:
    plane = Plane("/device:GPU:0").line("Stream #1", ("a", 0, 9_000, {"bytes_accessed": 64}))
    trace = imported(tmp_path, space(plane))
    assert rows(trace, "counters", "name", "value") == [("bytes_accessed", 64.0)]
    plane = Plane("/device:GPU:0", **{"regs:7": 1})
    plane.line("Stream #1", ("a", 0, 9_000, {"kernel_details": "&regs:7"}), ("b", 10_000, 1_000))
    trace = imported(tmp_path, space(plane))
    assert rows(trace, "counters", "name", "value", "task") == [("registers", 7.0, 0)]


def test_a_name_has_4096_characters_at_most(tmp_path: Path) -> None:
    plane = Plane("/device:GPU:0").line(
        "Stream #1", ("a" * 4097, 0, 9_000), ("b" * 4096, 9_000, 1_000)
    )
    trace = imported(tmp_path, space(plane))
    assert trace.text("functions", "name") == ["a" * 4096, "b" * 4096]


def test_lines_of_the_host_are_threads_and_launches_are_joined(tmp_path: Path) -> None:
    trace = imported(tmp_path, space(gpu(), host()))
    assert rows(trace, "controllers", "lane", "controller", "name") == [
        ("host", 0, "python"),
        ("host", 1, "worker/4"),
    ]
    assert rows(trace, "phases", "controller", "kind", "category", "depth") == [
        (0, "train", "annotation", 0),
        (0, "$model.py:3 f", "function", 1),
        (0, "cuLaunchKernel", "call", 2),
        (0, "cuStreamSynchronize", "wait", 2),
        (1, "Thunk", "operator", 0),
    ]
    [launch] = {row[0] for row in rows(trace, "phases", "launch") if row[0] is not None}
    assert rows(trace, "tasks", "launch")[0] == (launch,)
    assert rows(trace, "steps", "step", "name", "controller") == [(7, "train", 0)]
    assert trace.meta.epoch_ns is None


def test_a_packed_file_of_any_name_is_known_by_its_content(tmp_path: Path) -> None:
    trace = imported(tmp_path, gzip.compress(space(tpu())), "profile.gz")
    assert len(trace.tasks) == 4


def test_a_folder_of_hosts_gives_a_trace_each(tmp_path: Path) -> None:
    from lanescope.formats import import_paths

    place = tmp_path / "plugins" / "profile" / "2026_01_01"
    place.mkdir(parents=True)
    for host_name in ("a", "b"):
        (place / f"{host_name}.xplane.pb").write_bytes(space(tpu(), host=host_name))
    traces = import_paths([tmp_path])
    assert [trace.meta.host for trace in traces] == ["a", "b"]


def test_the_profilers_errors_are_notes(tmp_path: Path) -> None:
    trace = imported(tmp_path, space(Plane("/host:CPU"), Plane("Odd").line("x"), errors=("lost",)))
    assert trace.meta.notes == (
        "The profiler's error: lost",
        "Planes that were passed over: Odd.",
        "The file has no lines of a device: only host threads were profiled.",
    )


def refused(folder: Path, data: bytes) -> str:
    with pytest.raises(InputError) as caught:
        imported(folder, data)
    return caught.value.problem


def test_a_file_without_planes_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path, b"\x22\x01a") == "is an XSpace without planes: nothing was profiled"


def test_a_time_that_cannot_be_is_refused(tmp_path: Path) -> None:
    plane = Plane("/device:TPU:0").line("XLA Ops", ("a", 5, 5), at=1 << 62)
    assert "more than 73 years" in refused(tmp_path, space(plane))
    plane = Plane("/device:TPU:0").line("XLA Ops", ("a", 5_000, -9_000_000))
    assert "ends 9000 ns before it starts" in refused(tmp_path, space(plane))
