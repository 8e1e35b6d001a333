"""The study's own files, against a reading of them that is not ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.formats.streams.measures import DATA, expected

from lanescope.formats import import_paths
from lanescope.trace import Trace

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="../shared/data is not there")
CASES = ("AR", "ST")


@cache
def case(name: str) -> tuple[list[Trace], dict[str, Any]]:
    traces = list(import_paths([DATA / f"straggler/trace-{name}.parquet"]))
    return traces, expected(f"straggler-{name}")["plain"]


def functions(trace: Trace) -> Iterator[str]:
    names = trace.functions.text("name")
    return (names[func] for func in trace.tasks["func"].tolist())


@pytest.mark.parametrize("name", CASES)
def test_all_rows_are_there(name: str) -> None:
    traces, plain = case(name)
    assert sum(len(trace.tasks) for trace in traces) == plain["rows"]
    counts = Counter(function for trace in traces for function in functions(trace))
    wanted = {name: count for name, count in plain["rows_by_optype"].items() if count}
    assert counts == wanted


@pytest.mark.parametrize("name", CASES)
def test_workers_are_those_with_rows_and_steps_those_of_the_file(name: str) -> None:
    traces, plain = case(name)
    assert sorted(t.meta.rank or 0 for t in traces) == plain["global_ranks_with_rows"]
    assert len(traces) == plain["workers_with_rows"]
    for trace in traces:
        assert trace.steps["step"].tolist() == plain["step_numbers"]


@pytest.mark.parametrize("name", CASES)
def test_steps_are_as_long_as_in_the_file(name: str) -> None:
    traces, plain = case(name)
    length = traces[0].steps["end_ns"] - traces[0].steps["start_ns"]
    assert length.mean() == pytest.approx(plain["mean_step_s"] * 1e9, rel=1e-9)
    nothing = sum(int((t.tasks["end_ns"] == t.tasks["start_ns"]).sum()) for t in traces)
    assert nothing == plain["zero_durations"]


@pytest.mark.parametrize("name", CASES)
def test_workers_compute_as_long_as_in_the_file(name: str) -> None:
    traces, plain = case(name)
    for worker, figures in plain["compute_against_peers_of_the_stage"].items():
        dp, stage = worker.removeprefix("dp ").split(", stage ")
        [trace] = [t for t in traces if t.meta.name == f"trace-{name}-dp{dp}-stage{stage}"]
        mask = np.array([function.endswith("-compute") for function in functions(trace)])
        begins = trace.steps["start_ns"]
        step = np.searchsorted(begins, trace.tasks["start_ns"][mask], side="right") - 1
        length = (trace.tasks["end_ns"] - trace.tasks["start_ns"])[mask]
        per_step = np.bincount(step, length, minlength=len(begins))
        wanted = figures["median_compute_s_per_step"] * 1e9
        assert np.median(per_step) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_every_transfer_has_two_sides(name: str) -> None:
    traces, _ = case(name)
    sides: Counter[tuple[Any, ...]] = Counter()
    for trace in traces:
        table = trace.collectives.to_dict()
        columns = (table[column] for column in ("group", "sequence", "size", "kind"))
        sides.update(row[:3] for row in zip(*columns, strict=True))
    assert all(count == size for (_, _, size), count in sides.items())
