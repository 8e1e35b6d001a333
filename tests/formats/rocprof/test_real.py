"""A real recording of another's run, against a reading of it that is not ours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.formats.streams.measures import DATA, block, calls, expected, names, works

from lanescope.formats import import_trace
from lanescope.trace import Trace

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="../shared/data is not there")

Case = tuple[Trace, dict[str, Any]]


@pytest.fixture(scope="module")
def case() -> Case:
    trace = import_trace(DATA / "rocprofv3/908_results.json.gz")
    return trace, expected("rocprofv3-908_results")["plain"]


def test_every_queue_has_the_same_rows_at_the_same_times(case: Case) -> None:
    trace, answer = case
    base = answer["all"]["first_start_ns"]
    assert set(trace.text("cores", "lane")) == {"queue"}
    assert trace.cores["queue"].tolist() == [one["queue_handle"] for one in answer["queues"]]
    for place, queue in enumerate(answer["queues"]):
        rows = np.flatnonzero(trace.tasks["core"] == place)
        figures = block(trace, rows, zero=base)
        assert figures == {key: queue[key] for key in figures}
    figures = block(trace, np.arange(len(trace.tasks)), zero=base)
    assert figures == {key: answer["all"][key] for key in figures}


def test_streams_are_numbers_of_tasks(case: Case) -> None:
    trace, answer = case
    known = trace.counters["name"] == trace.code("stream")
    stream = np.full(len(trace.tasks), -1)
    stream[trace.counters["task"][known]] = trace.counters["value"][known]
    assert len(set(stream.tolist())) == answer["streams"]["distinct"]
    for row in answer["streams"]["top"]:
        figures = block(trace, np.flatnonzero(stream == row["stream"]))
        for key in ("rows", "sum_ns", "busy_union_ns", "span_ns"):
            assert figures[key] == row[key]


def test_kernels_have_the_same_sums_by_name(case: Case) -> None:
    trace, answer = case
    name = names(trace)
    theirs = answer["kernels_by_formatted_name"]
    assert len(set(name.tolist())) == theirs["distinct_names"]
    for row in theirs["top"]:
        mine = name == row["name"]
        times = trace.tasks["end_ns"][mine] - trace.tasks["start_ns"][mine]
        figures = (len(times), times.sum(), times.min(), times.max())
        assert figures == (row["count"], row["sum_ns"], row["min_ns"], row["max_ns"])


def test_what_the_file_does_not_have_is_not_made_up(case: Case) -> None:
    """No calls, so no launches; times since boot, so no UTC; one device of eight has rows."""
    trace, answer = case
    assert (calls(trace) == -1).all()
    assert len(trace.phases) == answer["records"]["hip_api"]
    assert trace.meta.epoch_ns is None
    assert (trace.meta.device, trace.meta.process) == (0, 908)
    assert [trace.meta.chip] == answer["agents"]["gpu_names"]
    talking = works(trace) == "communication"
    assert len(trace.collectives) == int(talking.sum()) > 0
