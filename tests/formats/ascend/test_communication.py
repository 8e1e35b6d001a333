"""Operations among ranks from communication.json: by themselves, and beside a table of kernels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.formats.simpler.runs import rows
from tests.formats.spans import DATA

from lanescope.errors import InputError
from lanescope.formats import import_paths, import_trace

REAL = DATA / "ascend/cluster_communication.json"
needs_data = pytest.mark.skipif(not REAL.is_file(), reason="needs ../shared/data")
NAME = "hcom_allReduce__445_7_1@6297232067196334445"


def entry(start: Any = 1700000000000001.5, elapse: Any = 0.0024995, **more: Any) -> dict[str, Any]:
    times = {"Start Timestamp(us)": start, "Elapse Time(ms)": elapse, "Wait Time(ms)": 0.001}
    links = {"SDMA": {"Transit Size(MB)": 0.003072}, "HCCS": {"Transit Size(MB)": 0.003072}}
    return {"Communication Time Info": times | more, "Communication Bandwidth Info": links}


def communication(folder: Path, operations: dict[str, Any]) -> Path:
    path = folder / "communication.json"
    path.write_text(json.dumps({"step3": {"collective": operations, "p2p": {}}}))
    return path


@needs_data
def test_real_file_of_all_ranks_gives_a_trace_per_rank() -> None:
    plain = json.loads((DATA / "expected/ascend.json").read_text())["plain"]
    want = plain["cluster_communication.json"]["values"]
    traces = import_paths([REAL])
    assert [trace.meta.rank for trace in traces] == [0, 1]
    for trace in traces:
        mine = [row for row in want if row["rank"] == str(trace.meta.rank)]
        found = rows(trace, "collectives", "group", "sequence", "kind", "peers", "size")
        assert found == [("6297232067196334501", k, "broadcast", "0, 1", 2) for k in (0, 1)]
        start = trace.tasks["start_ns"] + trace.meta.epoch_ns
        assert start.tolist() == [round(row["Start Timestamp(us)"] * 10) * 100 for row in mine]
        length = trace.tasks["end_ns"] - trace.tasks["start_ns"]
        assert np.abs(length - [row["Elapse Time(ms)"] * 1e6 for row in mine]).max() <= 0.5
        counted = dict.fromkeys(trace.text("counters", "name"))
        for name, key in {"transit ns": "Transit", "peer wait ns": "Wait"}.items():
            at = np.array(trace.text("counters", "name")) == name
            values = [row[f"{key} Time(ms)"] * 1e6 for row in mine]
            assert trace.counters["value"][at].tolist() == pytest.approx(values)
            assert name in counted


def test_operations_alone_are_rows_of_their_group(tmp_path: Path) -> None:
    trace = import_trace(communication(tmp_path, {NAME: entry(), "Total Op Info": entry()}))
    assert rows(trace, "cores", "name", "lane") == [("group 6297232067196334445", "communicator")]
    # 2499.5 ns after …001500 ns lies between two whole ones; the even one counts.
    assert rows(trace, "tasks", "start_ns", "end_ns") == [(0, 2500)]
    assert ("transit bytes", 3072.0) in rows(trace, "counters", "name", "value")


def test_an_operation_may_take_no_time(tmp_path: Path) -> None:
    trace = import_trace(communication(tmp_path, {NAME: entry(elapse=0)}))
    assert rows(trace, "tasks", "start_ns", "end_ns") == [(0, 0)]


def test_beside_a_table_of_kernels_they_complete_its_operations(tmp_path: Path) -> None:
    communication(tmp_path, {NAME: entry()})
    head = "Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us)"
    line = f"N/A,{NAME.split('@')[0]},hcom_allReduce_,HCCL,1700000000000001.5,2.5"
    (tmp_path / "kernel_details.csv").write_text(f"{head}\n{line}\n")
    trace = import_trace(tmp_path)
    assert rows(trace, "collectives", "group", "sequence", "kind") == [("445", 7, "all_reduce")]
    assert ("peer wait ns", 1000.0) in rows(trace, "counters", "name", "value")
    assert trace.meta.notes == ()


def test_a_file_of_another_run_is_a_trace_of_its_own(tmp_path: Path) -> None:
    communication(tmp_path, {NAME: entry()})
    head = "Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us)"
    line = "N/A,hcom_allReduce__445_8_1,hcom_allReduce_,HCCL,1700000000000001.5,2.5"
    (tmp_path / "kernel_details.csv").write_text(f"{head}\n{line}\n")
    kernels, operations = import_paths([tmp_path])
    assert rows(kernels, "collectives", "sequence") == [(8,)]
    assert rows(operations, "collectives", "sequence") == [(7,)]
    assert operations.meta.name == f"{kernels.meta.name}-communication"


def test_a_file_of_sums_alone_is_refused(tmp_path: Path) -> None:
    path = communication(tmp_path, {"Total Op Info": entry()})
    with pytest.raises(InputError) as refused:
        import_trace(path)
    problem = "has no operation among ranks, so it has nothing to show"
    assert str(refused.value) == f"{path}: {problem}"


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (
            entry(start="soon"),
            f"'step3', '{NAME}' is not what it should be: Invalid decimal string - at "
            "`$.Communication Time Info.Start Timestamp(us)`",
        ),
        (entry(elapse=-1), f"'{NAME}': 'Elapse Time(ms)' is below 0"),
        (entry(elapse=-1e-6), f"'{NAME}': 'Elapse Time(ms)' is below 0"),
        (entry(start=1e30), f"'{NAME}': a time since 1970 was expected, found 1.000E+33 ns"),
        (
            {"Communication Time Info": {}},
            f"'step3', '{NAME}' is not what it should be: Object missing required field "
            "`Start Timestamp(us)` - at `$.Communication Time Info`",
        ),
    ],
)
def test_a_damaged_file_is_refused_in_one_sentence(
    tmp_path: Path, operation: dict[str, Any], message: str
) -> None:
    path = communication(tmp_path, {NAME: operation})
    with pytest.raises(InputError) as refused:
        import_trace(path)
    assert str(refused.value) == f"{path}: {message}"


@needs_data
def test_any_truncation_is_refused_in_one_sentence(tmp_path: Path) -> None:
    whole = REAL.read_bytes()
    path = tmp_path / "cluster_communication.json"
    for size in range(1, len(whole) - 1, 61):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError) as refused:
            import_paths([path])
        assert "\n" not in str(refused.value)


def counters(folder: Path, *operations: dict[str, Any]) -> list[tuple[Any, ...]]:
    named = {f"hcom_send__1_{k}": one for k, one in enumerate(operations)}
    trace = import_trace(communication(folder, named))
    return rows(trace, "counters", "name", "value", "task")


def test_times_and_bytes_of_an_operation_are_counters(tmp_path: Path) -> None:
    times = {"Transit Time(ms)": 0.5, "Synchronization Time(ms)": 0.25, "Idle Time(ms)": 2}
    first = entry(elapse=1, **times)
    first["Communication Bandwidth Info"] = {
        "SDMA": {"Transit Size(MB)": 0.0000015},
        "RDMA": {"Transit Size(MB)": 1},
        "PCIE": {"Transit Size(MB)": 7},
    }
    second = entry(start=1700000000000009.5, elapse=1)
    second["Communication Bandwidth Info"] = {"RDMA": {}}
    third = entry(start=1700000000000019.5, elapse=1)
    del third["Communication Bandwidth Info"]
    assert counters(tmp_path, first, second, third) == [
        ("transit ns", 500000.0, 0),
        *(("peer wait ns", 1000.0, task) for task in range(3)),
        ("synchronization ns", 250000.0, 0),
        ("communication idle ns", 2000000.0, 0),
        ("transit bytes", 1000002.0, 0),
        ("transit bytes", 0.0, 1),
    ]


def test_operations_lie_on_the_lane_of_their_group(tmp_path: Path) -> None:
    path = tmp_path / "communication.json"
    both = {"hcom_send__1_0": entry(), "Total Op Info": entry()}
    more = {"hcom_recv__2_5": entry(start=1700000000000009.5), "odd": entry(), "Total": entry()}
    total = {"Total Op Info": entry(), "hcom_send__9_9": entry()}
    content = {"step3": {"collective": both, "p2p": more, "total": total}}
    path.write_text(json.dumps(content))
    trace = import_trace(path)
    assert rows(trace, "cores", "name") == [("group 1",), ("group 2",), ("communication",)]
    assert rows(trace, "collectives", "group", "sequence", "kind", "matched") == [
        ("1", 0, "send", "name"),
        ("communication: odd", 0, "odd", "stream"),
        ("2", 5, "recv", "name"),
    ]
    assert rows(trace, "functions", "name") == [("hcom_send_",), ("hcom_recv_",), ("odd",)]


def cluster(folder: Path, ranks: dict[str, Any], name: str = NAME) -> Path:
    path = folder / "cluster_communication.json"
    steps = {"step1": {name: ranks, "Total Op Info": {"x": 1}}}
    path.write_text(json.dumps({"(0, 1, 12)": steps, "(7)": {"step1": {"hcom_send__1_0": {}}}}))
    return path


def test_a_file_of_all_ranks_gives_a_trace_per_rank_in_order(tmp_path: Path) -> None:
    path = cluster(tmp_path, {"12": entry(), "2": entry(), "0": entry()})
    traces = import_paths([path])
    assert [(trace.meta.name, trace.meta.rank) for trace in traces] == [
        (f"{tmp_path.name}-rank{rank}", rank) for rank in (0, 2, 12)
    ]
    assert rows(traces[0], "collectives", "peers", "size") == [("0, 1, 12", 3)]


@pytest.mark.parametrize(
    ("ranks", "problem"),
    [
        (
            {"first" * 10: entry()},
            f"'(0, 1, 12)', 'step1', '{NAME}': a rank was expected, found '{('first' * 10)[:40]}'",
        ),
        (
            {"0": {"Communication Time Info": 3}},
            f"'(0, 1, 12)', 'step1', '{NAME}', '0' is not what it should be: Expected `object`, "
            "got `int` - at `$.Communication Time Info`",
        ),
    ],
)
def test_a_damaged_file_of_all_ranks_is_refused(
    tmp_path: Path, ranks: dict[str, Any], problem: str
) -> None:
    path = cluster(tmp_path, ranks)
    with pytest.raises(InputError) as refused:
        import_paths([path])
    assert str(refused.value) == f"{path}: {problem}"


LATEST_US = 2305843009213693.952
"""2^61 ns."""


@pytest.mark.parametrize(
    ("start", "elapse", "known"),
    [
        (0, 0, True),
        (-1, 0, False),
        (LATEST_US, 0, False),
        (LATEST_US - 1, 0, True),
        (LATEST_US - 1, 0.002, False),
        (1e400, 0, False),
    ],
)
def test_a_time_is_since_1970_and_before_2043(
    tmp_path: Path, start: Any, elapse: Any, known: bool
) -> None:
    path = communication(tmp_path, {NAME: entry(start=start, elapse=elapse)})
    if known:
        assert len(import_trace(path).tasks) == 1
        return
    with pytest.raises(InputError):
        import_trace(path)
