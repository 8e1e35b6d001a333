"""Real exports of other people's runs, against a reading of them that is not ours."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from tests.formats.streams.measures import DATA, block, calls, expected, length, names, union, works

from lanescope.formats import import_paths, import_trace
from lanescope.trace import MISSING, Trace

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="../shared/data is not there")

CASES = ("h100_2gpu_1s", "mfu_2gpu_before")
Case = tuple[Trace, dict[str, Any]]


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    trace = import_trace(DATA / f"nsys-sqlite/{request.param}.sqlite")
    return trace, expected(f"nsys-sqlite-{request.param}")["plain"]


def zero(trace: Trace, answer: dict[str, Any]) -> int:
    """The session's own time at 0 ns of the trace."""
    assert trace.meta.epoch_ns is not None
    return trace.meta.epoch_ns - answer["export"]["session_utcEpochNs"]


def test_every_stream_has_the_same_rows_at_the_same_times(case: Case) -> None:
    trace, answer = case
    assert len(trace.cores) == len(answer["lanes"])
    work = works(trace)
    for place, lane in enumerate(answer["lanes"]):
        assert trace.cores["queue"][place] == lane["stream"]
        assert trace.cores["device"][place] == lane["device"]
        rows = trace.tasks["core"] == place
        figures = block(trace, np.flatnonzero(rows), zero=zero(trace, answer))
        assert figures == {key: lane[key] for key in figures}
        for kind, ours in {
            "kernel": ("compute", "communication"),
            "memcpy": ("copy",),
            "memset": ("fill",),
        }.items():
            mine = block(trace, np.flatnonzero(rows & np.isin(work, ours)))
            assert (mine["rows"], mine["sum_ns"]) == (lane[kind]["rows"], lane[kind]["sum_ns"])


def test_time_of_a_device_is_taken_apart_alike(case: Case) -> None:
    trace, answer = case
    work = works(trace)
    device = trace.cores["device"][trace.tasks["core"]]
    start, end = trace.tasks["start_ns"], trace.tasks["end_ns"]

    def busy(rows: np.ndarray) -> int:
        return length(union(start[rows], end[rows]))

    for one in answer["devices"]:
        mine = device == one["device"]
        compute = mine & (work == "compute")
        talk = mine & (work == "communication")
        memory = mine & np.isin(work, ("copy", "fill"))
        theirs = one["decomposition_ns"]
        assert busy(compute) == theirs["compute"]
        assert busy(compute | talk) - busy(compute) == theirs["exposed_communication"]
        assert busy(mine) - busy(compute | talk) == theirs["exposed_memory"]
        assert busy(talk) == theirs["communication_total"]
        assert busy(memory) == theirs["memory_total"]


def test_kernels_have_the_same_sums_by_name(case: Case) -> None:
    trace, answer = case
    kernel = np.isin(works(trace), ["compute", "communication"])
    name = names(trace)
    theirs = answer["kernels_by_demangled_name"]
    assert theirs["distinct"] == len(set(name[kernel]))
    for row in theirs["top"]:
        mine = kernel & (name == row["name"])
        times = trace.tasks["end_ns"][mine] - trace.tasks["start_ns"][mine]
        assert (len(times), times.sum()) == (row["count"], row["sum_ns"])


def test_copies_and_fills_have_the_same_bytes(case: Case) -> None:
    trace, answer = case
    name, work = names(trace), works(trace)
    device = trace.cores["device"][trace.tasks["core"]]
    size = np.zeros(len(trace.tasks))
    known = trace.counters["name"] == trace.code("bytes")
    size[trace.counters["task"][known]] = trace.counters["value"][known]
    kinds = {"Host-to-Device": "HtoD", "Device-to-Host": "DtoH", "Device-to-Device": "DtoD"}
    for row in answer["memcpy"]:
        called = f"Memcpy {kinds[row['kind']]} ({row['src']} -> {row['dst']})"
        mine = (name == called) & (device == row["device"])
        times = trace.tasks["end_ns"][mine] - trace.tasks["start_ns"][mine]
        figures = (len(times), int(size[mine].sum()), times.sum())
        assert figures == (row["rows"], row["bytes"], row["sum_ns"])
    for row in answer["memset"]:
        mine = (work == "fill") & (device == row["device"])
        assert (int(mine.sum()), int(size[mine].sum())) == (row["rows"], row["bytes"])


def test_launches_are_found_inside_their_process(case: Case) -> None:
    trace, answer = case
    call = calls(trace)
    found = call >= 0
    kernel = np.isin(works(trace), ["compute", "communication"])
    theirs = answer["links"]
    assert int(found.sum()) == theirs["gpu_rows_matched_in_process"]
    assert int((found & kernel).sum()) == theirs["kernels_matched_in_process"]
    delay = trace.tasks["start_ns"][found] - trace.phases["start_ns"][call[found]]
    assert (delay.min(), delay.max()) == (
        theirs["delay_from_call_start_ns"]["min"],
        theirs["delay_from_call_start_ns"]["max"],
    )
    assert float(np.median(delay)) == theirs["delay_from_call_start_ns"]["median"]


def test_calls_and_ranges_of_the_host(case: Case) -> None:
    trace, answer = case
    kind = np.array(trace.text("phases", "kind"), object)
    category = np.array(trace.text("phases", "category"), object)
    times = trace.phases["end_ns"] - trace.phases["start_ns"]
    is_call = category == "call"
    assert int(is_call.sum()) == answer["runtime"]["rows"]
    for row in answer["runtime"]["top"]:
        mine = is_call & (kind == row["name"])
        assert (int(mine.sum()), int(times[mine].sum())) == (row["count"], row["sum_ns"])
    ranges = np.isin(category, ("operator", "annotation"))
    assert int(ranges.sum()) == answer["nvtx"]["rows"]
    for row in answer["nvtx"]["by_text_without_op_id_and_seq"]:
        mine = ranges & (kind == row["text"])
        assert (int(mine.sum()), int(times[mine].sum())) == (row["count"], row["sum_ns"])
    assert not any(re.search(r"op_id|seq = ", name) for name in set(kind.tolist()))


def test_waits_are_no_work(case: Case) -> None:
    trace, answer = case
    kind = np.array(trace.text("waits", "kind"), object)
    times = trace.waits["end_ns"] - trace.waits["start_ns"]
    ours = {
        "Event sync": "host waits event",
        "Stream wait sync": "stream waits event",
        "Stream sync": "host waits stream",
        "Context sync": "host waits device",
    }
    for row in answer["sync"]:
        mine = kind == ours[row["kind"]]
        assert (int(mine.sum()), int(times[mine].sum())) == (row["rows"], row["sum_ns"])
    assert len(kind) == sum(row["rows"] for row in answer["sync"])


def test_utc_is_claimed_no_better_than_it_is_known(case: Case) -> None:
    trace, answer = case
    assert trace.meta.epoch_clock == "session"
    assert trace.meta.epoch_error_ns == answer["export"]["session_systemClockNs"]
    assert any("UTC may be" in note for note in trace.meta.notes)


def test_most_launched_work_knows_its_operator(case: Case) -> None:
    """A kernel's operator is the innermost range around the call that launched it."""
    trace, _ = case
    call = calls(trace)
    task = int(np.flatnonzero((call >= 0) & (trace.tasks["op"] != MISSING))[0])
    op = trace.phases["op"] == trace.tasks["op"][task]
    row = call[task]
    around = op & (trace.phases["controller"] == trace.phases["controller"][row])
    around &= np.array(trace.text("phases", "category"), object) == "operator"
    [outer] = np.flatnonzero(around).tolist()
    assert trace.phases["start_ns"][outer] <= trace.phases["start_ns"][row]
    assert trace.phases["end_ns"][outer] >= trace.phases["end_ns"][row]
    known = trace.tasks["op"][call >= 0] != MISSING
    assert known.mean() > 0.5


@pytest.fixture(scope="module")
def processes() -> list[Trace]:
    return import_paths([DATA / "nsys-jax-4proc"])


def test_operations_of_each_process_have_the_same_times(processes: list[Trace]) -> None:
    """One track per device: the ranges do not say on which stream they ran."""
    answers = expected("nsys-jax-4proc")["plain"]["rows"]
    for trace, answer in zip(processes, answers.values(), strict=True):
        rows = np.arange(len(trace.tasks))
        base = answer["thunks"]["first_start_ns"] - int(trace.tasks["start_ns"].min())
        figures = block(trace, rows, zero=base)
        assert figures == {key: answer["thunks"][key] for key in figures}
        assert [str(trace.meta.rank)] == answer["global_device_from_thread_names"]
        assert (trace.text("cores", "lane"), trace.meta.epoch_ns) == (["track"], None)
        assert len(trace.marks) + len(rows) == answer["rows"] - answer["rows_without_a_name"]
        marks = trace.text("marks", "name")
        assert marks.count("NCCL:ncclGroupEnd") == answer["nccl_rows"]
        assert sum("XlaModule" in name for name in marks) == answer["module_rows"]


def test_collectives_of_four_processes_are_the_same(processes: list[Trace]) -> None:
    plain = expected("nsys-jax-4proc")["plain"]
    keys, lengths = [], []
    for trace in processes:
        table = trace.collectives
        pairs = [*zip(trace.text("collectives", "group"), table["sequence"].tolist(), strict=True)]
        keys.append(pairs)
        took = (table["end_ns"] - table["start_ns"]).tolist()
        lengths.append(dict(zip(pairs, took, strict=True)))
    assert [len(some) for some in keys] == plain["matching"]["rows_per_process"]
    common = set.intersection(*(set(some) for some in keys))
    assert len(common) == plain["matching"]["common"]
    kinds = processes[0].text("collectives", "kind")
    for kind, count in plain["matching"]["by_kind"].items():
        assert kinds.count(kind.replace("-", "_")) == count
    ours = sorted(
        (min(some), max(some)) for some in ([one[key] for one in lengths] for key in common)
    )
    theirs = [(one["min_duration_ns"], one["max_duration_ns"]) for one in plain["per_collective"]]
    assert ours == sorted(theirs)
