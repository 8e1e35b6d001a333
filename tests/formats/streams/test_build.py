"""A recording of streams becomes a trace: rows placed, launches joined, waits resolved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lanescope.errors import InputError
from lanescope.formats.bundle import Bundle
from lanescope.formats.detect import Detected
from lanescope.formats.streams import (
    AnnotationRows,
    CollectiveRows,
    DeviceLane,
    DeviceRows,
    HostRows,
    HostThread,
    SeriesRows,
    StepRows,
    StreamRecording,
    WaitRows,
    stream_trace,
)
from lanescope.trace import MISSING, Trace

FILE = Detected(Path("a.json"), None, "")


def bundle(**changes: object) -> Bundle:
    return Bundle(name="a", files={"main": FILE}, **changes)  # type: ignore[arg-type]


def array(*values: float) -> np.ndarray:
    return np.array(values)


def recording() -> StreamRecording:
    """One thread launches two kernels on stream 7, then makes stream 8 wait and copies there."""
    return StreamRecording(
        lanes=[
            DeviceLane(name="stream 7", device=0, queue=7),
            DeviceLane(name="stream 8", device=0, queue=8),
        ],
        threads=[HostThread(name="main")],
        work=DeviceRows(
            lane=array(1, 0, 0),
            name=array(1, 0, 0),
            names=["gemm", "copy"],
            work=array(2, 0, 0),
            start=array(1400, 1200, 1100),
            end=array(1500, 1300, 1200),
            launch=array(44, 42, 41),
            values={"bytes": array(64.0, np.nan, np.nan)},
        ),
        host=HostRows(
            thread=array(0, 0, 0, 0, 0, 0),
            name=array(0, 1, 1, 2, 3, 4),
            names=["step", "launch", "record", "wait", "copy"],
            category=array(0, 1, 1, 1, 1, 1),
            start=array(1000, 1010, 1020, 1030, 1040, 1050),
            end=array(1100, 1015, 1025, 1035, 1045, 1055),
            launch=array(MISSING, 41, 42, 50, 51, 44),
        ),
        waits=WaitRows(
            kind=array(0),
            lane=array(1),
            on_lane=array(0),
            launch=array(51),
            on_launch=array(50),
            start=array(1041),
            end=array(1042),
        ),
        utc_ns=10**18,
    )


def trace() -> Trace:
    return stream_trace(recording(), bundle())


def test_rows_lie_on_their_stream_by_time_and_count_from_the_earliest_row() -> None:
    tasks = trace().tasks
    assert tasks["core"].tolist() == [0, 0, 1]
    assert tasks["token"].tolist() == [0, 1, 0]
    assert tasks["start_ns"].tolist() == [100, 200, 400]
    assert tasks["launch"].tolist() == [0, 1, 2]


def test_zero_is_known_in_utc() -> None:
    meta = trace().meta
    assert (meta.epoch_ns, meta.epoch_clock) == (10**18 + 1000, "realtime")


def test_streams_are_lanes_and_host_threads_are_none() -> None:
    whole = trace()
    assert whole.text("cores", "lane") == ["stream", "stream"]
    assert whole.cores["queue"].tolist() == [7, 8]
    assert whole.text("controllers", "name") == ["main"]
    assert whole.text("phases", "category") == ["operator", *["call"] * 5]
    assert whole.phases["depth"].tolist() == [0, 1, 1, 1, 1, 1]


def test_a_function_is_a_name_and_its_work() -> None:
    whole = trace()
    assert whole.text("functions", "name") == ["gemm", "copy"]
    assert whole.text("functions", "work") == ["compute", "copy"]


def test_a_known_value_is_a_counter_of_its_task() -> None:
    counters = trace().counters
    assert counters.to_dict()["name"] == ["bytes"]
    assert (counters["task"].tolist(), counters["value"].tolist()) == ([2], [64.0])


def test_a_stream_waits_from_its_next_launch_on_for_what_was_launched_before_the_event() -> None:
    whole = trace()
    waits = whole.waits.to_dict()
    assert (waits["on_task"], waits["task"]) == ([1], [2])
    assert whole.edges.to_dict()["kind"] == ["event"]
    assert (whole.edges["pred"].tolist(), whole.edges["succ"].tolist()) == ([1], [2])


def test_a_launch_of_another_thread_is_not_the_one_that_waits() -> None:
    other = recording()
    other.threads.append(HostThread(name="other"))
    other.host.thread = array(0, 0, 0, 0, 0, 1)
    assert stream_trace(other, bundle()).waits.to_dict()["task"] == [None]


def test_a_wait_for_the_whole_device_is_for_the_last_launch() -> None:
    other = recording()
    other.waits.kind, other.waits.lane, other.waits.on_lane = array(3), array(-1), array(-1)
    other.waits.launch, other.waits.on_launch = array(51), array(MISSING)
    waits = stream_trace(other, bundle()).waits.to_dict()
    assert (waits["kind"], waits["on_task"], waits["task"]) == (["host waits device"], [1], [None])


def test_collectives_are_counted_by_the_best_that_is_known() -> None:
    other = recording()
    other.collectives = CollectiveRows(
        row=array(2, 1, 0),
        group=["dp", "dp", ""],
        sequence=array(MISSING, 9, MISSING),
        kind=["all_reduce"] * 3,
    )
    table = stream_trace(other, bundle()).collectives.to_dict()
    assert table["group"] == ["dp", "dp", "stream 8: copy"]
    assert table["sequence"] == [0, 9, 0]
    assert table["matched"] == ["group", "source", "stream"]
    assert table["task"] == [0, 1, 2]


def test_annotations_are_marks_and_steps_are_steps() -> None:
    other = recording()
    other.annotations = AnnotationRows(
        lane=array(0), name=array(0), names=["forward"], start=array(1090), end=array(1310)
    )
    other.steps = StepRows(
        step=array(3), name=["step 3"], thread=array(0), start=array(1000), end=array(1600)
    )
    whole = stream_trace(other, bundle())
    assert whole.marks.to_dict()["name"] == ["forward"]
    assert whole.steps.to_dict()["step"] == [3]
    assert whole.steps["end_ns"].tolist() == [600]


def test_a_row_that_ends_before_it_starts_is_refused_or_kept_without_times() -> None:
    other = recording()
    other.work.end = array(1500, 1300, 1050)
    with pytest.raises(InputError, match=r"'gemm'\) ends 50 ns before it starts; keep such rows"):
        stream_trace(other, bundle())
    kept = stream_trace(other, bundle(keep_damaged=True))
    assert kept.tasks["start_ns"].tolist() == [MISSING, 200, 400]
    assert [(entry.total, entry.unmatched) for entry in kept.meta.ledger] == [(3, 1), (6, 0)]


def test_an_empty_recording_is_an_empty_trace() -> None:
    whole = stream_trace(StreamRecording(), bundle())
    assert [len(whole.table(name)) for name in ("tasks", "phases", "cores", "waits")] == [0] * 4


def test_every_sort_of_row_can_be_the_earliest() -> None:
    def base(**parts: Any) -> int | None:
        return stream_trace(StreamRecording(**parts, utc_ns=0), bundle()).meta.epoch_ns

    lanes = [DeviceLane(name="a")]
    row: dict[str, Any] = {"name": array(0), "names": ["x"]}
    times: dict[str, Any] = {"start": array(7), "end": array(8)}
    assert base(lanes=lanes, work=DeviceRows(lane=array(0), **row, **times)) == 7
    thread = {"thread": array(0), "category": array(0)}
    assert base(threads=[HostThread(name="a")], host=HostRows(**thread, **row, **times)) == 7
    assert base(lanes=lanes, annotations=AnnotationRows(lane=array(0), **row, **times)) == 7
    assert base(steps=StepRows(step=array(1), name=["x"], thread=array(-1), **times)) == 7
    none = {name: array(-1) for name in ("lane", "on_lane", "launch", "on_launch")}
    assert base(waits=WaitRows(kind=array(3), **none, **times)) == 7
    assert base(series=[SeriesRows(name="x", time=array(7, 9), value=array(1.0, 2.0))]) == 7
    assert base(series=[SeriesRows(name="x", time=array(7)[:0], value=array(1.0)[:0])]) == 0


def test_values_over_time_come_behind_those_of_tasks() -> None:
    other = recording()
    other.series = [SeriesRows(name="memory", time=array(1300, 1000), value=array(2.0, 1.0))]
    counters = stream_trace(other, bundle()).counters.to_dict()
    assert counters["name"] == ["bytes", "memory", "memory"]
    assert counters["value"] == [64.0, 2.0, 1.0]
    assert counters["time_ns"] == [None, 300, 0]
    assert counters["task"] == [2, None, None]
    assert (counters["core"], counters["token"]) == ([1, None, None], [0, None, None])


def test_marks_lie_by_lane_and_start_with_the_longest_first() -> None:
    other = recording()
    other.annotations = AnnotationRows(
        lane=array(1, 0, 0, 0),
        name=array(0, 1, 0, 1),
        names=["a", "b"],
        start=array(1000, 1200, 1100, 1100),
        end=array(1001, 1201, 1110, 1120),
    )
    marks = stream_trace(other, bundle()).marks.to_dict()
    assert marks["name"] == ["b", "a", "b", "a"]
    assert marks["pipe"] == ["annotation"] * 4
    assert marks["core"] == [0, 0, 0, 1]
    assert (marks["start_ns"], marks["end_ns"]) == ([100, 100, 200, 0], [120, 110, 201, 1])


def test_lanes_tell_what_is_known_of_them() -> None:
    other = recording()
    other.lanes = [
        DeviceLane(name="a", lane="queue", device=0, queue=1 << 40, process=1 << 33, rank=0),
        DeviceLane(name="b", kind="engines"),
    ]
    other.threads[0] = HostThread(name="main", rank=3)
    whole = stream_trace(other, bundle())
    cores = whole.cores.to_dict()
    assert {name: cores[name] for name in ("name", "kind", "lane", "rank", "device")} == {
        "name": ["a", "b"],
        "kind": ["queue", "engines"],
        "lane": ["queue", "stream"],
        "rank": [0, None],
        "device": [0, None],
    }
    assert (cores["queue"], cores["process"]) == ([1 << 40, None], [1 << 33, None])
    assert whole.controllers.to_dict()["rank"] == [3]


def test_edges_that_the_source_names_come_behind_those_of_events() -> None:
    other = recording()
    other.edges = (array(2, 1), array(1, 0), "depends")
    edges = stream_trace(other, bundle()).edges.to_dict()
    assert edges["kind"] == ["event", "depends", "depends"]
    assert (edges["pred"], edges["succ"], edges["flags"]) == ([1, 0, 1], [2, 1, 2], [0, 0, 0])


def test_what_was_left_out_is_in_the_ledger_and_facts_in_the_head() -> None:
    other = recording()
    other.ledger = (("slice", 9, 2, "why"), ("empty", 0, 0, "nothing"))
    other.facts = {"notes": ("of the file",), "chip": "X", "epoch_clock": "session"}
    meta = stream_trace(other, bundle(notes=("of the run",)), notes=["of the reader"]).meta
    assert meta.notes == ("of the run", "of the file", "of the reader")
    assert (meta.chip, meta.epoch_clock) == ("X", "session")
    found = [(e.lane, e.kind, e.total, e.delivered, e.dropped, e.unmatched) for e in meta.ledger]
    assert found == [
        ("device lanes", "task", 3, 3, 0, 0),
        ("host threads", "phase", 6, 6, 0, 0),
        ("all lanes", "slice", 9, 7, 2, 0),
    ]
    assert meta.ledger[-1].reason == "why"


def test_a_backward_row_of_the_host_is_refused_and_its_name_cut_at_80_letters() -> None:
    other = recording()
    other.host.names[2] = "w" * 81
    other.host.end = array(1100, 1015, 1025, 1029, 1039, 1055)
    with pytest.raises(InputError) as refused:
        stream_trace(other, bundle())
    assert str(refused.value) == (
        f"a.json: a row of the host ({'w' * 80!r}) ends 1 ns before it starts; keep such rows, "
        "flagged, with --keep-damaged"
    )
    assert len(stream_trace(other, bundle(keep_damaged=True)).phases) == 6


def test_a_row_may_take_no_time() -> None:
    other = recording()
    other.work.end = other.work.start.copy()
    assert stream_trace(other, bundle()).tasks["end_ns"].tolist() == [100, 200, 400]
