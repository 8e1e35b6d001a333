"""What the JSON and the database tell, where a part of it is absent, odd or there twice."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from tests.formats.nsys.files import Row, write_sqlite
from tests.formats.rocprof.files import (
    DISPATCH,
    ROCPD,
    handle,
    timed,
    tool,
    write_json,
    write_rocpd,
)

from lanescope.errors import InputError
from lanescope.formats import import_paths, import_trace
from lanescope.trace import Trace


def from_json(folder: Path, given: dict[str, Any]) -> Trace:
    return import_trace(write_json(folder / "run.json", given))


def from_tables(folder: Path, **changes: list[Row]) -> Trace:
    return import_trace(write_rocpd(folder / "run.db", {**ROCPD, **changes}, suffix=""))


def changed(table: str, **values: Any) -> dict[str, list[Row]]:
    """The first row of a table with other values."""
    rows = copy.deepcopy(ROCPD[table])
    rows[0] |= values
    return {table: rows}


def test_a_device_without_a_number_is_counted_among_the_gpus(tmp_path: Path) -> None:
    given = tool()
    given["agents"] = [
        {"id": handle(48), "type": 2, "name": "MI250"},
        {"id": handle(49), "type": 1, "name": "EPYC", "logical_node_type_id": 7},
        "odd",
        {"type": 2},
        {"id": {"handle": "x"}, "type": 2},
        {"id": handle(50), "type": 2, "logical_node_type_id": -1, "product_name": 5},
        {"id": handle(51), "type": 2, "logical_node_type_id": 1 << 31},
        {"id": handle(52), "type": 2, "logical_node_type_id": (1 << 31) - 1, "name": "X"},
    ]
    place = DISPATCH["dispatch_info"]
    assert isinstance(place, dict)
    given["buffer_records"]["kernel_dispatch"] = [
        {**DISPATCH, "dispatch_info": {**place, "agent_id": handle(agent)}}
        for agent in (48, 50, 51, 52)
    ]
    trace = from_json(tmp_path, given)
    devices = sorted(set(trace.cores["device"].tolist()))
    assert devices == [0, 1, 2, (1 << 31) - 1]
    assert trace.meta.chip == "MI250 and X"


def test_a_kernel_has_the_best_of_its_names(tmp_path: Path) -> None:
    names: dict[int, dict[str, Any]] = {
        8: {"formatted_kernel_name": "gemm(float*)", "kernel_name": "_Z"},
        9: {"formatted_kernel_name": "", "kernel_name": "_Z9"},
        10: {"kernel_name": "_Z10"},
        11: {},
    }
    given = tool()
    given["kernel_symbols"] = [{"kernel_id": k, **one} for k, one in names.items()]
    place = DISPATCH["dispatch_info"]
    assert isinstance(place, dict)
    given["buffer_records"] = {
        "kernel_dispatch": [
            {**DISPATCH, "start_timestamp": k, "dispatch_info": {**place, "kernel_id": k}}
            for k in (*names, 12)
        ]
    }
    trace = from_json(tmp_path, given)
    assert trace.text("functions", "name") == [
        *("gemm(float*)", "_Z9", "_Z10", "kernel 11", "kernel 12"),
    ]


def test_calls_of_all_runtimes_are_read_and_called_by_kind_and_operation(tmp_path: Path) -> None:
    given = tool()
    kinds = ("hip_api", "hsa_api", "rccl_api", "rocdecode_api", "rocjpeg_api", "marker_api")
    given["buffer_records"] = {
        kind: [{**timed(10 * k, 10 * k + 5, 50 + k), "kind": 1, "operation": k}]
        for k, kind in enumerate(kinds)
    } | {"other_api": [{}, {}], "empty": [], "odd": {"a": 1}}
    given["strings"]["buffer_records"][1]["operations"] = ["a", "b", 5, "", "e"]
    given["strings"]["marker_api"] = [{"key": "55", "value": "x"}, {"key": 55, "value": 3}, "odd"]
    given["callback_records"] = {"counter_collection": [{}, {}, {}]}
    trace = from_json(tmp_path, given)
    assert trace.text("phases", "kind") == [
        *("a", "b", "rccl_api without a name", "rocdecode_api without a name", "e"),
        "marker_api without a name",
    ]
    assert trace.text("phases", "category") == [*["call"] * 5, "annotation"]
    assert trace.meta.notes == (
        "Not read: 2 records of kind other_api.",
        "Not read: 3 records of kind counter_collection.",
    )
    assert trace.text("controllers", "name") == ["thread 7"]


def test_markers_of_one_kind_are_called_by_their_texts(tmp_path: Path) -> None:
    given = tool()
    given["buffer_records"]["marker_api"] = [
        {**timed(10 * k, 10 * k + 5, k), "kind": 3, "operation": 0} for k in (1, 2, 3, 4)
    ]
    texts = {1: "b", 2: "a", 3: "", 5: "x"}
    given["strings"]["marker_api"] = [{"key": k, "value": v} for k, v in texts.items()]
    kinds = from_json(tmp_path, given).text("phases", "kind")
    assert kinds == ["b", "a", "roctxRangePushA", "roctxRangePushA", "hipLaunchKernel"]


@pytest.mark.parametrize(
    ("node", "host"),
    [({"hostname": "h" * 257}, "h" * 256), ({"hostname": 5}, ""), ({}, ""), ("x", "")],
)
def test_the_host_is_a_text_of_at_most_256_letters(tmp_path: Path, node: Any, host: str) -> None:
    given = tool()
    given["metadata"]["node"] = node
    assert from_json(tmp_path, given).meta.host == host


def test_the_latest_time_is_below_73_years(tmp_path: Path) -> None:
    given = tool()
    late = {"start_timestamp": (1 << 61) - 2, "end_timestamp": (1 << 61) - 1}
    given["buffer_records"] = {"kernel_dispatch": [{**DISPATCH, **late}]}
    assert len(from_json(tmp_path, given).tasks) == 1
    given["buffer_records"] = {"hip_api": [timed(1, 2, 3), timed(1 << 61, 1, 3)]}
    path = write_json(tmp_path / "run.json", given)
    with pytest.raises(InputError) as refused:
        import_trace(path)
    problem = "hip_api row 1, 'start_timestamp': the time is more than 73 years"
    assert str(refused.value) == f"{path}: {problem}"


def test_processes_without_a_number_are_called_by_their_place(tmp_path: Path) -> None:
    bare = tool()
    del bare["metadata"]["pid"]
    traces = import_paths([write_json(tmp_path / "run.json", tool(), bare)])
    assert [trace.meta.name for trace in traces] == ["run-41", "run-1"]


def test_a_region_is_called_by_its_message_where_it_is_a_marker(tmp_path: Path) -> None:
    region = ROCPD["rocpd_region"][0]
    messages = {
        '{"message": "a \\"b\\"\\n\\u00b5"}': 'a "b"\nµ',
        '{"message": "a \\q \\ud800"}': "a \\q \\ud800",
        '{"message" : "x"}': "x",
        '{"message": ""}': "roctxRangePushA",
        "no message": "roctxRangePushA",
        None: "roctxRangePushA",
    }
    rows = [
        {**region, "start": k, "end": k + 1, "name_id": 5, "event_id": 13, "extdata": text}
        for k, text in enumerate(messages)
    ]
    call = {**region, "extdata": '{"message": "not a marker"}'}
    unnamed = {**region, "start": 95, "name_id": 77, "event_id": 99, "end": 96}
    trace = from_tables(tmp_path, rocpd_region=[*rows, call, unnamed])
    assert trace.text("phases", "kind") == [
        *messages.values(),
        "hipLaunchKernel",
        "region without a name",
    ]
    assert trace.text("phases", "category") == [*["annotation"] * 6, "call", "call"]
    assert trace.text("controllers", "name") == ["main 7"]


@pytest.mark.parametrize(
    ("change", "host", "process", "chip"),
    [
        (changed("rocpd_info_node", hostname="h" * 257), "h" * 256, 41, "MI300X"),
        ({"rocpd_info_node": [{"id": k, "hostname": f"n{k}"} for k in (1, 2)]}, "", 41, "MI300X"),
        ({"rocpd_info_process": []}, "n1", None, "MI300X"),
        (
            {"rocpd_info_agent": [{"id": 2, "type": "GPU", "type_index": 0, "name": "gfx"}]},
            *("n1", 41, "gfx"),
        ),
        (
            {"rocpd_info_agent": [{"id": 2, "type": "CPU", "type_index": 0, "name": "gfx"}]},
            *("n1", 41, ""),
        ),
    ],
)
def test_the_tables_beside_tell_who_it_is(
    tmp_path: Path, change: dict[str, list[Row]], host: str, process: int | None, chip: str
) -> None:
    meta = from_tables(tmp_path, **change).meta
    assert (meta.host, meta.process, meta.chip) == (host, process, chip)


def test_an_event_that_is_not_there_joins_nothing(tmp_path: Path) -> None:
    trace = from_tables(tmp_path, **changed("rocpd_kernel_dispatch", event_id=99))
    assert trace.tasks.to_dict()["launch"] == [1, None], "the copy has its own"
    (tmp_path / "run.db").unlink()
    trace = from_tables(tmp_path, rocpd_event=[])
    assert trace.tasks.to_dict()["launch"] == [None, None]
    assert trace.text("phases", "kind") == ["roctxRangePushA", "hipLaunchKernel"]


def test_a_kernel_is_called_as_it_is_shown_or_else_as_it_is_linked(tmp_path: Path) -> None:
    plain = changed("rocpd_info_kernel_symbol", display_name=None)
    assert from_tables(tmp_path, **plain).text("functions", "name")[1] == "_Z4gemm"


def test_a_kernel_symbol_and_a_copy_may_be_without_a_name(tmp_path: Path) -> None:
    trace = from_tables(tmp_path, rocpd_info_kernel_symbol=[], rocpd_string=[])
    assert trace.text("functions", "name") == ["copy without a name", "kernel 8"]


@pytest.mark.parametrize(
    ("suffix", "known"),
    [("_0123abcd", True), ("0123abcd", True), ("_0123abc", False), ("_zzzzzzzz", False)],
)
def test_a_table_may_end_with_the_id_of_the_run(tmp_path: Path, suffix: str, known: bool) -> None:
    path = write_sqlite(
        tmp_path / "run.db", {f"rocpd_kernel_dispatch{suffix}": [{"start": 5, "end": 9}]}
    )
    if known:
        assert len(import_trace(path).tasks) == 1
    else:
        with pytest.raises(InputError, match="is not a file lanescope knows"):
            import_trace(path)


def test_several_runs_without_a_view_are_refused(tmp_path: Path) -> None:
    names = [f"rocpd_region_{k}0000000" for k in range(3)]
    path = write_sqlite(tmp_path / "run.db", {name: [{"start": 1, "end": 2}] for name in names})
    with pytest.raises(InputError) as refused:
        import_trace(path)
    assert str(refused.value) == (
        f"{path}: has 3 runs in tables rocpd_region_* and no view rocpd_region over them; merge "
        "them with rocpd, or convert one"
    )
