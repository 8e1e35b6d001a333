"""Real Kineto files of other people's runs, against a reading of them that is not ours."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.formats.streams.measures import DATA, block, calls, expected, length, names, union, works

from lanescope.formats import import_paths, import_trace
from lanescope.trace import MISSING, Trace

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="../shared/data is not there")

FILES = (
    "event_sync_trace",
    "mi250_minitoy_train_ROCm6_2_kineto",
    "nccl_data",
    "triton_example",
)


@pytest.fixture(scope="module")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The eight files of one job, by rank."""
    folder = tmp_path_factory.mktemp("dlrm")
    with tarfile.open(DATA / "kineto-dlrm-8rank/dlrm_kineto.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    members = expected("kineto-dlrm-8rank")["members_of_the_archive"]
    return {rank: folder / member for rank, member in members.items()}


def all_cases(ranks: dict[str, Path]) -> dict[str, tuple[Trace, dict[str, Any]]]:
    cases = {}
    for name in FILES:
        answer = expected(f"kineto-{name}")["plain"]
        cases[name] = (import_trace(DATA / f"kineto/{name}.json.gz"), next(iter(answer.values())))
    answers = expected("kineto-dlrm-8rank")["plain"]
    cases |= {rank: (import_trace(path), answers[rank]) for rank, path in ranks.items()}
    return cases


@pytest.fixture(scope="module")
def cases(ranks: dict[str, Path]) -> dict[str, tuple[Trace, dict[str, Any]]]:
    return all_cases(ranks)


CASES = [*FILES, *(f"rank{k}" for k in range(8))]


def zero(trace: Trace, answer: dict[str, Any]) -> int:
    """The file's own time at 0 ns of the trace."""
    assert trace.meta.epoch_ns is not None
    return trace.meta.epoch_ns - (answer["trace"]["baseTimeNanoseconds"] or 0)


@pytest.mark.parametrize("case", CASES)
def test_every_stream_has_the_same_rows_at_the_same_times(case: str, cases: Any) -> None:
    trace, answer = cases[case]
    tasks, base = trace.tasks, zero(trace, answer)
    for place, lane in enumerate(answer["gpu"]["lanes"]):
        assert trace.cores["queue"][place] == lane["stream"]
        assert trace.cores["device"][place] == lane["device"]
        rows = np.flatnonzero(tasks["core"] == place)
        figures = block(trace, rows, zero=base)
        assert figures == {key: lane[key] for key in figures}
    assert len(trace.cores) == len(answer["gpu"]["lanes"])
    figures = block(trace, np.arange(len(tasks)), zero=base)
    assert figures == {key: answer["gpu"]["all"][key] for key in figures}
    assert set(trace.text("cores", "lane")) == {"stream"}


@pytest.mark.parametrize("case", CASES)
def test_rows_are_of_the_same_kinds_of_work(case: str, cases: Any) -> None:
    trace, answer = cases[case]
    work = works(trace)
    kinds = {
        "compute_kernel": "compute",
        "communication_kernel": "communication",
        "memcpy": "copy",
        "memset": "fill",
    }
    for theirs, ours in kinds.items():
        rows = work == ours
        start, end = trace.tasks["start_ns"][rows], trace.tasks["end_ns"][rows]
        assert answer["gpu"]["by_kind"][theirs] == {
            "rows": int(rows.sum()),
            "sum_ns": int((end - start).sum()),
            "busy_union_ns": length(union(start, end)),
        }


@pytest.mark.parametrize("case", CASES)
def test_kernels_have_the_same_sums_by_name(case: str, cases: Any) -> None:
    trace, answer = cases[case]
    kernel = np.isin(works(trace), ["compute", "communication"])
    name = names(trace)
    assert answer["gpu"]["kernels"]["distinct_names"] == len(set(name[kernel]))
    for row in answer["gpu"]["kernels"]["top"]:
        mine = kernel & (name == row["name"])
        times = trace.tasks["end_ns"][mine] - trace.tasks["start_ns"][mine]
        figures = (len(times), times.sum(), times.min(), times.max())
        assert figures == (row["count"], row["sum_ns"], row["min_ns"], row["max_ns"])


@pytest.mark.parametrize("case", CASES)
def test_copies_have_the_same_bytes(case: str, cases: Any) -> None:
    trace, answer = cases[case]
    name = names(trace)
    is_bytes = trace.counters["name"] == trace.code("bytes")
    size = {
        int(task): value
        for task, value in zip(
            trace.counters["task"][is_bytes], trace.counters["value"][is_bytes], strict=True
        )
    }
    for row in answer["gpu"]["memory_rows"]:
        mine = np.flatnonzero(name == row["name"])
        known = [size[task] for task in mine.tolist() if task in size]
        assert (len(mine), len(mine) - len(known)) == (row["count"], row["rows_without_bytes"])
        assert (sum(known) if known else None) == row["bytes"]


@pytest.mark.parametrize("case", CASES)
def test_rows_are_joined_with_the_calls_that_launched_them(case: str, cases: Any) -> None:
    trace, answer = cases[case]
    links, call = answer["links"], calls(trace)
    assert int((trace.tasks["launch"] != MISSING).sum()) == links["gpu_rows_with_correlation"]
    matched = call >= 0
    assert matched.sum() == links["gpu_rows_matched_to_one_runtime_or_driver_call"]
    assert (~matched).sum() == links["gpu_rows_without_a_call"]
    start = trace.tasks["start_ns"][matched]
    for key, column in (
        ("delay_from_call_start_ns", "start_ns"),
        ("delay_from_call_end_ns", "end_ns"),
    ):
        delay = start - trace.phases[column][call[matched]]
        figures = links[key]
        assert (delay.min(), delay.max()) == (figures["min"], figures["max"])
        assert np.median(delay) == figures["median"]
        assert round(float(delay.mean()), 3) == figures["mean"]


@pytest.mark.parametrize("case", CASES)
def test_rows_belong_to_the_operators_of_the_same_number(case: str, cases: Any) -> None:
    trace, answer = cases[case]
    category = np.array(trace.text("phases", "category"), object)
    operators = set(trace.phases["op"][category == "operator"].tolist()) - {MISSING}
    own = [op in operators for op in trace.tasks["op"].tolist()]
    assert sum(own) == answer["links"]["gpu_rows_whose_external_id_is_a_cpu_op"]


@pytest.mark.parametrize("case", CASES)
def test_host_threads_are_no_cores(case: str, cases: Any) -> None:
    trace, answer = cases[case]
    host = answer["host"]
    category = trace.text("phases", "category")
    assert category.count("operator") == host["cpu_op_rows"]
    assert category.count("call") == host["runtime_rows"] + host["driver_rows"]
    assert category.count("annotation") == host["user_annotation_rows"]
    assert len(trace.marks) == host["gpu_user_annotation_rows"]
    working = np.isin(np.array(category, object), ["operator", "call"])
    used = set(trace.phases["controller"][working].tolist())
    assert len(used) == host["host_threads_with_rows"], "those that only annotate are not counted"
    assert set(trace.text("controllers", "kind")) == {"host thread"}


@pytest.mark.parametrize("case", CASES)
def test_profiler_steps_are_steps(case: str, cases: Any) -> None:
    trace, answer = cases[case]
    base, steps = zero(trace, answer), trace.steps
    call = calls(trace)
    launched = np.where(call >= 0, trace.phases["start_ns"][call], MISSING)
    found = []
    for row, name in enumerate(steps.text("name")):
        start, end = int(steps["start_ns"][row]), int(steps["end_ns"][row])
        inside = (launched >= start) & (launched < end)
        times = trace.tasks["start_ns"][inside], trace.tasks["end_ns"][inside]
        found.append(
            {
                "name": name,
                "start_ns": start + base,
                "dur_ns": end - start,
                "gpu_rows_launched_inside": int(inside.sum()),
                "gpu_busy_union_of_those_ns": length(union(*times)),
            }
        )
    assert found == answer["profiler_steps"]


@pytest.mark.parametrize("case", CASES)
def test_the_trace_knows_who_it_is(case: str, cases: Any) -> None:
    trace, answer = cases[case]
    head = answer["trace"]
    assert trace.meta.rank == head["rank"]
    assert trace.meta.world == head["world_size"]
    assert trace.meta.chip
    assert trace.meta.epoch_clock == "realtime"


def test_waits_between_streams_are_waits_and_edges() -> None:
    trace = import_trace(DATA / "kineto/event_sync_trace.json.gz")
    answer = expected("kineto-event_sync_trace")["plain"]["rank0"]["sync"]
    kinds = trace.text("waits", "kind")
    assert kinds.count("stream waits event") == answer["by_kind"]["Stream Wait Event"]["rows"]
    assert kinds.count("host waits event") == answer["by_kind"]["Event Sync"]["rows"]
    assert kinds.count("host waits device") == answer["by_kind"]["Context Sync"]["rows"]
    queue, core = trace.cores["queue"], trace.tasks["core"]
    pairs = [
        [int(queue[core[pred]]), int(queue[core[succ]])]
        for pred, succ in zip(trace.edges["pred"], trace.edges["succ"], strict=True)
    ]
    assert pairs == answer["wait_edges_between_streams"]
    recorded = sum(one["rows_with_a_known_record_event"] for one in answer["by_kind"].values())
    assert int((trace.waits["on_launch"] != MISSING).sum()) == recorded


def test_collectives_carry_group_size_and_bytes() -> None:
    trace = import_trace(DATA / "kineto/nccl_data.json.gz")
    answer = expected("kineto-nccl_data")["collectives_plain"]
    table = trace.collectives.to_dict()
    width = {"Float": 4, "Long": 8}
    zero_ns = trace.meta.epoch_ns - 1711964646000000000  # type: ignore[operator]
    assert len(table["group"]) == answer["rows"]
    for row, theirs in enumerate(answer["in_time_order"]):
        assert table["kind"][row].replace("_", "") == theirs["collective"]
        assert table["group"][row] == theirs["group"]
        assert table["peers"][row] == "0,1"
        assert table["size"][row] == theirs["group_size"]
        assert table["bytes"][row] == theirs["in_elements"] * width[theirs["dtype"]]
        assert table["bytes_out"][row] == theirs["out_elements"] * width[theirs["dtype"]]
        assert table["start_ns"][row] + zero_ns == theirs["start_ns"]
        assert table["end_ns"][row] - table["start_ns"][row] == theirs["dur_ns"]
    assert table["sequence"] == list(range(21))
    assert set(table["matched"]) == {"group"}


def test_ranks_without_group_or_number_are_matched_by_their_count_on_the_stream(
    ranks: dict[str, Path],
) -> None:
    answer = expected("kineto-dlrm-8rank")["collectives_plain"]
    traces = import_paths(list(ranks.values()))
    keys = []
    for trace in traces:
        table = trace.collectives
        keys.append(list(zip(table.text("group"), table["sequence"].tolist(), strict=True)))
        assert set(table.text("matched")) == {"stream"}
        lengths = table["end_ns"] - table["start_ns"]
        assert int(lengths.sum()) == answer["duration_ns_per_rank"][str(trace.meta.rank)]
    assert sorted(trace.meta.rank for trace in traces if trace.meta.rank is not None) == [*range(8)]
    assert len(set(map(tuple, map(sorted, keys)))) == 1
    assert len(keys[0]) == answer["collectives"]
