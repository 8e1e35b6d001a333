"""The critical path over host and streams: what each node waited for, and where the time went."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from tests.analyze.hand import Row
from tests.analyze.streams.made import basis_of, did, full, ran
from tests.analyze.streams.test_idle import anything

from lanescope.analyze.streams.basis import stream_basis
from lanescope.analyze.streams.idle import NamedTime
from lanescope.analyze.streams.path_time import CriticalTime, critical_time


def path_of(tasks: Sequence[Row], phases: Sequence[Row] = (), **more: Any) -> CriticalTime:
    path = critical_time(basis_of(tasks, phases, **more))
    assert path is not None
    return path


def parts(path: CriticalTime) -> dict[str, int]:
    return {part.what: part.ns for part in path.parts if part.ns}


def test_a_row_waits_for_the_row_before_it_or_for_its_launch() -> None:
    """The second row is launched in time, the third late: the path leaves the stream there."""
    tasks = [
        ran(0, "gemm", 10, 100, 0),
        ran(0, "gemm", 110, 200, 1),
        ran(0, "reduce", 300, 400, 2),
    ]
    phases = [did("launch", 0, 5, 0), did("launch", 20, 25, 1), did("launch", 240, 290, 2)]
    path = path_of(tasks, phases)
    assert parts(path) == {"communication": 100, "launch": 10, "host": 50 + 10, "host_unseen": 230}
    assert (path.start_ns, path.end_ns, path.rows, path.launches) == (0, 400, 1, 1)
    early = [*phases[:2], did("launch", 30, 35, 2)]
    assert parts(path_of(tasks, early)) == {
        "compute": 180,
        "communication": 100,
        "start": 10 + 100,
        "launch": 5,
        "host": 5,
    }


def test_a_row_waits_for_an_event() -> None:
    tasks = [ran(0, "gemm", 10, 50, 0), ran(1, "copy", 12, 90, 1), ran(0, "gemm", 92, 100, 2)]
    phases = [did("launch", 0, 5, 0), did("launch", 5, 10, 1), did("launch", 10, 15, 2)]
    edges = [{"pred": 1, "succ": 2, "kind": "event", "flags": 0}]
    with_event = path_of(tasks, phases, edges=edges)
    assert parts(with_event) == {"compute": 8, "memory": 78, "start": 2, "launch": 2, "host": 10}
    assert parts(path_of(tasks, phases))["compute"] == 48


def test_the_host_was_released_by_what_it_waited_for() -> None:
    path = critical_time(stream_basis(full()))
    assert path is not None
    host = 20 + 10 + 5 + 30 + 60
    unseen = 150 + 5 + 150
    assert parts(path) == {"memory": 10, "launch": 10, "host": host, "host_unseen": unseen}
    assert (path.rows, path.launches, path.releases) == (1, 1, 1)


def test_a_call_that_synchronises_waited_for_the_last_row_that_ended_in_it() -> None:
    tasks = [ran(0, "gemm", 10, 100, 0), ran(0, "gemm", 130, 140, 1)]
    phases = [
        did("launch", 0, 5, 0),
        did("cudaStreamSynchronize", 6, 110),
        did("launch", 115, 125, 1),
    ]
    path = path_of(tasks, phases)
    assert parts(path) == {
        "compute": 100,
        "launch": 10,
        "host": 10 + 10 + 5,
        "host_unseen": 5,
    }
    assert path.releases == 1
    assert path.host_rows == (NamedTime("launch", 15), NamedTime("cudaStreamSynchronize", 10))


def test_a_wait_that_was_over_when_it_began_released_nobody() -> None:
    tasks = [ran(0, "gemm", 10, 20, 0), ran(0, "gemm", 60, 70, 1)]
    phases = [
        did("launch", 0, 5, 0),
        did("cudaStreamSynchronize", 30, 40),
        did("launch", 40, 50, 1),
    ]
    path = path_of(tasks, phases)
    assert (path.releases, parts(path)["host"]) == (0, 20 + 5)


def test_a_named_wait_that_ends_after_its_call_is_not_what_released_it() -> None:
    """By the device's clock the second row ends after the host has returned."""
    tasks = [
        *(ran(0, "gemm", 10, 90, 0), ran(0, "copy", 95, 105, 1)),
        ran(0, "gemm", 130, 140, 2),
    ]
    phases = [
        *(did("launch", 0, 5, 0), did("copy", 5, 8, 1)),
        *(did("cudaStreamSynchronize", 10, 100, 3), did("launch", 115, 125, 2)),
    ]
    waits = [{"kind": "host waits stream", "launch": 3, "on_task": 1, "core": 0}]
    path = path_of(tasks, phases, waits=waits)
    assert (path.releases, parts(path)["compute"], "memory" in parts(path)) == (1, 90, False)


def test_a_copy_that_ends_in_its_call_held_the_host_up() -> None:
    tasks = [ran(0, "copy", 10, 80, 0), ran(0, "gemm", 110, 120, 1)]
    phases = [did("cudaMemcpy", 0, 90, 0), did("launch", 95, 105, 1)]
    path = path_of(tasks, phases)
    assert parts(path) == {
        "memory": 70,
        "compute": 10,
        "launch": 5,
        "host": 10 + 10 + 10,
        "host_unseen": 5,
    }


def test_a_thread_waits_for_the_thread_that_ran_in_its_hole() -> None:
    """Thread 0 runs forward and the optimizer, thread 1 the backward pass in between."""
    tasks = [
        *(ran(0, "gemm", 20, 30, 0), ran(0, "gemm", 70, 80, 1)),
        ran(0, "gemm", 120, 130, 2),
    ]
    phases = [
        *(did("launch", 6, 20, 0), did("launch", 100, 115, 2)),
        *(did("launch", 40, 60, 1, controller=1), did("idle", 0, 5, controller=1)),
        did("watch", 61, 99, controller=2),
    ]
    path = path_of(tasks, phases)
    assert path.host_rows == (NamedTime("launch", 14 + 20 + 15), NamedTime("idle", 5))
    assert parts(path) == {"compute": 10, "launch": 5, "host": 54, "host_unseen": 1 + 20 + 40}


def test_rows_without_calls_are_not_recorded_further_back() -> None:
    path = path_of([ran(0, "gemm", 0, 10), ran(1, "gemm", 30, 40), ran(0, "gemm", 50, 60)])
    assert parts(path) == {"compute": 20, "not_recorded": 40}
    assert path.kernels == (NamedTime("gemm", 20),)


def test_nothing_ran() -> None:
    assert critical_time(basis_of([])) is None
    assert critical_time(basis_of([ran(0, "stand", 0, 5)], [did("mm", 0, 9)])) is None


@given(anything())
def test_the_parts_add_up_whatever_the_file_says(made: tuple[list[Row], ...]) -> None:
    tasks, phases, edges = made
    path = critical_time(basis_of(tasks, phases, edges=edges))
    if path is None:
        return
    assert all(part.ns >= 0 for part in path.parts)
    assert sum(part.ns for part in path.parts) == path.length_ns
    assert sum(row.ns for row in path.host_rows) == parts(path).get("host", 0)
