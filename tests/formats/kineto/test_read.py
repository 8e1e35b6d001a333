"""What rows of a Kineto file become, one meaning at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.formats.kineto.files import (
    BASE_NS,
    SMALL,
    call,
    file,
    host,
    kernel,
    op,
    read,
)

from lanescope.trace import MISSING, Trace
from lanescope.trace.vocabulary import vocabulary

COLLECTIVE: dict[str, Any] = {
    "Collective name": "_allgather_base",
    "In msg nelems": 1000,
    "Out msg nelems": 8000,
    "Group size": 8,
    "dtype": "BFloat16",
    "Process Group Name": "5",
    "Process Group Ranks": "[0, 1, 2, ...]",
    "Seq": 77,
}


def test_times_are_exact_to_the_last_digit(tmp_path: Path) -> None:
    late = kernel("gemm", 3963404252781.052, 360.352, 1)
    trace = read(tmp_path, file(op("a", 3963404252000.001, 1.0), late))
    assert trace.tasks["start_ns"].tolist() == [781_051]
    assert trace.tasks["end_ns"].tolist() == [781_051 + 360_352]
    assert trace.meta.epoch_ns == BASE_NS + 3963404252000001


def test_numbers_of_a_kernel_are_counters(tmp_path: Path) -> None:
    table = read(tmp_path, SMALL).counters.to_dict()
    values = {(name, task): value for name, task, value in zip(
        table["name"], table["task"], table["value"], strict=True)}  # fmt: skip
    assert values == {
        ("bytes", 1): 4096.0,
        ("bytes", 2): 16.0,
        ("blocks", 0): 24.0,
        ("threads", 0): 128.0,
    }


def test_the_kernels_of_one_graph_share_its_launch(tmp_path: Path) -> None:
    rows = [
        kernel(f"node {k}", 20 + 10 * k, 5, 9, **{"graph node id": 100 + k, "graph id": 4})
        for k in range(3)
    ]
    trace = read(tmp_path, file(call("cudaGraphLaunch", 10, 3, 9), *rows))
    assert trace.tasks["launch"].tolist() == [0, 0, 0]
    assert trace.phases["launch"].tolist() == [0]
    assert trace.counters["value"].tolist() == [100, 101, 102]


def test_correlation_0_joins_nothing(tmp_path: Path) -> None:
    trace = read(tmp_path, file(call("a", 1, 1, 0), kernel("k", 5, 1, 0)))
    assert trace.tasks["launch"].tolist() == [MISSING]


def test_a_host_row_with_a_stream_is_still_of_the_host(tmp_path: Path) -> None:
    triton = op("triton_poi", 10, 20, stream=7, device=0)
    trace = read(tmp_path, file(triton, kernel("k", 40, 1, 1)))
    assert (len(trace.tasks), len(trace.phases)) == (1, 1)


def test_the_recording_itself_is_no_work(tmp_path: Path) -> None:
    span = {"ph": "X", "cat": "Trace", "ts": 0, "dur": 99, "pid": "Spans", "tid": "Profiler",
            "name": "PyTorch Profiler (0)", "args": {"Op count": 0}}  # fmt: skip
    trace = read(tmp_path, file(span, kernel("k", 40, 1, 1)))
    assert (len(trace.tasks), len(trace.phases), trace.meta.notes) == (1, 0, ())
    assert trace.tasks["start_ns"].tolist() == [0]


def test_forward_and_backward_operators_share_a_flow(tmp_path: Path) -> None:
    arrow = {"cat": "fwdbwd", "name": "fwdbwd", "id": 6, "pid": 100}
    trace = read(
        tmp_path,
        file(
            op("forward", 10, 5),
            op("inner", 11, 1),
            op("backward", 50, 5, tid=101),
            {**arrow, "ph": "s", "tid": 100, "ts": 10},
            {**arrow, "ph": "f", "tid": 101, "ts": 50, "bp": "e"},
            {**arrow, "ph": "s", "tid": 100, "ts": 12, "id": 7},
        ),
    )
    assert trace.phases["flow"].tolist() == [0, MISSING, 0]


def test_a_collective_tells_group_and_number(tmp_path: Path) -> None:
    row = kernel("ncclDevKernel_AllGather_RING_LL", 20, 9, 1, **COLLECTIVE)
    ranks = list(range(8))
    about = {"rank": "3", "world_size": 16, "pg_config": [{"pg_name": "5", "ranks": ranks}]}
    trace = read(tmp_path, file(row, distributedInfo=about))
    table = {key: value[0] for key, value in trace.collectives.to_dict().items()}
    assert (table["group"], table["sequence"], table["matched"]) == ("5", 77, "source")
    assert (table["kind"], table["bytes"], table["bytes_out"]) == ("all_gather", 2000, 16000)
    assert (table["peers"], table["size"]) == ("0,1,2,3,4,5,6,7", 8)
    assert (trace.meta.rank, trace.meta.world) == (3, 16)


def test_a_collective_that_only_its_operator_describes(tmp_path: Path) -> None:
    about = op("record_param_comms", 5, 2, **{"External id": 12, **COLLECTIVE})
    row = kernel("ncclDevKernel_Generic(x)", 20, 9, 1, **{"External id": 12})
    table = read(tmp_path, file(about, row)).collectives.to_dict()
    assert (table["kind"], table["sequence"]) == (["all_gather"], [77])


def test_a_kernel_of_an_inference_server_communicates(tmp_path: Path) -> None:
    name = "void vllm::cross_device_reduce_1stage<__half, 8>(vllm::RankData*)"
    table = read(tmp_path, file(kernel(name, 20, 9, 1))).collectives.to_dict()
    assert (table["kind"], table["matched"]) == (["all_reduce"], ["stream"])


def test_a_stream_waits_for_an_event_of_another_one(tmp_path: Path) -> None:
    def sync(kind: str, correlation: int, **args: Any) -> dict[str, Any]:
        given = {"cuda_sync_kind": kind, "device": 0, "correlation": correlation, **args}
        return {"ph": "X", "cat": "cuda_sync", "name": kind, "pid": 0, "tid": 7, "ts": 30, "dur": 1,
                "args": given}  # fmt: skip

    trace = read(
        tmp_path,
        file(
            call("cudaLaunchKernel", 10, 2, 1),
            kernel("first", 15, 50, 1, stream=7),
            call("cudaEventRecord", 20, 2, 2),
            call("cudaStreamWaitEvent", 30, 2, 3),
            sync("Stream Wait Event", 3, stream=8, wait_on_stream=7,
                 wait_on_cuda_event_record_corr_id=2),
            call("cudaLaunchKernel", 40, 2, 4),
            kernel("second", 65, 5, 4, stream=8),
            call("cudaStreamSynchronize", 50, 20, 5),
            sync("Stream Sync", 5, stream=8),
            sync("Event Sync", 6, stream=4294967295, wait_on_stream=-1,
                 wait_on_cuda_event_record_corr_id=-1),
            sync("New Kind Of Sync", 7),
        ),
    )  # fmt: skip
    table = trace.waits.to_dict()
    assert table["kind"] == ["stream waits event", "host waits stream", "host waits event"]
    assert (table["task"], table["on_task"]) == ([1, None, None], [0, 1, None])
    assert table["core"] == [1, 1, None]
    assert trace.meta.notes == ("Left out: 1 wait of unknown kind.",)
    assert [entry.dropped for entry in trace.meta.ledger] == [0, 0, 1]


def old_file() -> list[dict[str, Any]]:
    """The categories and keys of 2021."""
    return [
        host("Operator", "aten::mm", 1_620_000_000_000_000, 50, **{"external id": 3}),
        host("Runtime", "cudaLaunchKernel", 1_620_000_000_000_010, 5, correlation=8,
             **{"external id": 3}),
        kernel("gemm", 1_620_000_000_000_020, 9, 8, cat="Kernel", **{"external id": 3}),
        kernel("Memcpy", 1_620_000_000_000_040, 1, 9, cat="Memcpy"),
    ]  # fmt: skip


@pytest.mark.parametrize("as_array", [False, True])
def test_a_file_of_2021(tmp_path: Path, as_array: bool) -> None:
    rows = old_file()
    trace = read(tmp_path, rows if as_array else {"traceEvents": rows})
    assert trace.meta.sources[0].format == "kineto"
    assert trace.text("functions", "work") == ["compute", "copy"]
    assert trace.tasks["launch"].tolist() == [0, 1]
    assert trace.tasks["op"].tolist() == [0, MISSING]
    assert trace.meta.epoch_ns == 1_620_000_000_000_000_000


def test_a_file_without_base_and_with_small_times_has_no_epoch(tmp_path: Path) -> None:
    trace = read(tmp_path, {"schemaVersion": 1, "traceEvents": [kernel("k", 5, 1, 1)]})
    assert (trace.meta.epoch_ns, trace.meta.epoch_clock) == (None, "")


def test_a_profile_of_the_host_alone(tmp_path: Path) -> None:
    trace = read(tmp_path, file(op("a", 1, 5), host("python_function", "f.py(3): f", 2, 1)))
    assert (len(trace.tasks), len(trace.cores)) == (0, 0)
    assert trace.meta.notes == ("The file has no row of a device: only the host was recorded.",)
    assert vocabulary(trace).family == "streams"
    assert trace.text("phases", "category") == ["operator", "function"]
    assert trace.phases["depth"].tolist() == [0, 1]


def test_numbers_of_another_type_are_not_known(tmp_path: Path) -> None:
    odd = kernel("k", 5, 1, 1, **{"grid": "big", "registers per thread": None, "bytes": [1]})
    odd["args"]["correlation"] = "0x8"
    trace = read(tmp_path, file(odd))
    assert (trace.tasks["launch"].tolist(), len(trace.counters)) == ([MISSING], 0)


def test_two_devices_in_one_file(tmp_path: Path) -> None:
    other = kernel("k", 5, 1, 2)
    other["pid"] = other["args"]["device"] = 3
    trace: Trace = read(tmp_path, file(kernel("k", 5, 1, 1), other))
    assert trace.text("cores", "name") == ["device 0 stream 7", "device 3 stream 7"]
    assert trace.meta.device is None
