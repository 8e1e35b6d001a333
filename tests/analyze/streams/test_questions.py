"""Launches, copies, kernels, steps, collectives and the host, on one small trace."""

from __future__ import annotations

from typing import Any

import pytest
from tests.analyze.streams.made import basis_of, did, full, of_streams, ran

from lanescope.analyze.streams.basis import stream_basis
from lanescope.analyze.streams.collectives import CollectiveKind, collectives
from lanescope.analyze.streams.copies import Copy, copies
from lanescope.analyze.streams.host import HostWork, HostWorker, host
from lanescope.analyze.streams.kernel_names import short_name
from lanescope.analyze.streams.kernels import KernelCost, kernels
from lanescope.analyze.streams.launches import Delay, Launches, LaunchQueue, launches
from lanescope.analyze.streams.steps import ProgramStep, Steps, StepSpread, steps
from lanescope.reports import build_report


def test_launches_of_a_trace() -> None:
    found = launches(stream_basis(full()).work)
    assert found == Launches(
        rows=4,
        with_call=4,
        without_call=0,
        early=0,
        graph_launches=0,
        graph_rows=0,
        from_call_start=Delay(4, 20, 50.0, 195 / 4, 75),
        from_call_end=Delay(4, 10, 25.0, 130 / 4, 70),
        queues=(
            LaunchQueue(0, "s0", 3, 1, 120 / 380),
            LaunchQueue(1, "s1", 1, 1, 1.0),
        ),
    )


def test_rows_of_one_launch_are_a_graph_and_rows_without_call_are_counted() -> None:
    tasks = [ran(0, "gemm", 5, 6, 0), ran(0, "gemm", 7, 8, 0), ran(0, "gemm", 9, 10, 5)]
    found = launches(basis_of([*tasks, ran(0, "gemm", 20, 21)], [did("launch", 6, 7, 0)]).work)
    assert (found.graph_launches, found.graph_rows) == (1, 2)
    assert (found.with_call, found.without_call, found.early) == (2, 2, 1)


def test_a_queue_holds_what_is_called_and_not_started() -> None:
    tasks = [ran(0, "gemm", 10, 20, 0), ran(0, "gemm", 20, 30, 1), ran(0, "gemm", 30, 40, 2)]
    calls = [did("launch", 0, 1, 0), did("launch", 5, 6, 1), did("launch", 20, 21, 2)]
    (queue,) = launches(basis_of(tasks, calls).work).queues
    assert (queue.max_length, queue.mean_length) == (2, (10 + 15 + 10) / 30)


def test_copies_by_name() -> None:
    assert copies(stream_basis(full())) == (
        Copy("copy", "copy", 1, 50, 1000, 0, 1000 / 50 * 1e9),
        Copy("fill", "fill", 1, 10, None, 1, None),
    )


def test_kernels_by_name() -> None:
    whole = 100 + 80
    shape = (None,) * 4
    assert kernels(stream_basis(full())) == (
        KernelCost("gemm", "compute", 1, 100, 100.0, 100, 100, 100 / whole, 8.0, *shape),
        KernelCost("reduce", "communication", 1, 80, 80.0, 80, 80, 80 / whole, None, *shape),
    )


def test_work_that_is_not_known_is_a_kernel() -> None:
    (kernel,) = kernels(basis_of([ran(0, "odd", 0, 5), ran(0, "odd", 5, 12)]))
    assert (kernel.work, kernel.count, kernel.min_ns, kernel.max_ns) == (None, 2, 5, 7)


def test_a_step_owns_what_was_launched_in_it() -> None:
    one = ProgramStep(1, "step 1", 0, 460, 4, 240)
    assert steps(stream_basis(full())) == Steps(
        (one,), StepSpread(1, 460, 460.0, 460), StepSpread(1, 240, 240.0, 240), first_apart=False
    )


def test_the_first_of_three_steps_is_told_apart() -> None:
    marked = [
        {"step": k, "name": f"s{k}", "start_ns": start, "end_ns": end}
        for k, start, end in ((0, 0, 90), (1, 100, 110), (2, 110, 140))
    ]
    tasks = [ran(0, "gemm", 95, 99, 0), ran(0, "gemm", 150, 170, 1), ran(0, "gemm", 171, 172, 2)]
    calls = [did("launch", 95, 96, 0), did("launch", 110, 111, 1), did("launch", 139, 150, 2)]
    found = steps(basis_of(tasks, calls, steps=marked))
    assert [(one.rows, one.busy_ns) for one in found.steps] == [(0, 0), (0, 0), (2, 21)]
    assert found.length == StepSpread(2, 10, 20.0, 30)
    assert found.first_apart


def test_collectives_by_kind_and_group() -> None:
    assert collectives(full()) == (
        CollectiveKind("all_reduce", "dp", "group", 2, 1, 80, 64, 0, 64 / 80 * 1e9),
    )


def test_collectives_without_bytes_have_no_rate() -> None:
    rows: list[dict[str, Any]] = [
        {"group": "dp", "kind": "send", "start_ns": 0, "end_ns": 4, "bytes": 8},
        {"group": "dp", "kind": "send", "start_ns": 5, "end_ns": 9},
        {"group": "tp", "kind": "send", "start_ns": 5, "end_ns": 6},
    ]
    trace = basis_of([ran(0, "reduce", 0, 9)], collectives=rows).trace
    found = collectives(trace)
    assert [(k.group, k.count, k.bytes, k.without_bytes) for k in found] == [
        ("dp", 2, 8, 1),
        ("tp", 1, None, 1),
    ]
    assert [k.bytes_per_s for k in found] == [2e9, None]


def test_the_host_has_own_times_without_annotations() -> None:
    (thread,) = host(stream_basis(full()))
    busy = 60 + 30 + 5 + 10 + 38
    assert thread == HostWorker(
        controller=0,
        name="t0",
        rows=6,
        names=5,
        busy_ns=busy,
        waiting_ns=38,
        work=(
            HostWork("mm", "operator", 1, 40, 40 / busy),
            HostWork("cudaDeviceSynchronize", "call", 1, 38, 38 / busy),
            HostWork("cudaMemcpyAsync", "call", 1, 30, 30 / busy),
            HostWork("cudaLaunchKernel", "call", 2, 25, 25 / busy),
            HostWork("cudaMemsetAsync", "call", 1, 10, 10 / busy),
        ),
    )


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("void at::native::reduce<512, at::Sum<float>>(int)", "reduce<512, Sum<float>>(int)"),
        ("void (anonymous namespace)::softmax<float>()", "softmax<float>()"),
        ("aten::mm", "aten::mm"),
        ("Memcpy DtoD (Device -> Device)", "Memcpy DtoD (Device -> Device)"),
    ],
)  # fmt: skip
def test_a_kernel_is_called_without_its_namespaces(name: str, short: str) -> None:
    assert short_name(name) == short


REPRS = {
    "breakdown": "<DeviceTime of device 0: 72.7% of 330 ns busy>",
    "idle": "<IdleTime of device 0: 90 ns, call 44.4%, launch 22.2%, start 22.2%, "
    "host_unseen 11.1%>",
    "launches": "<Launches of 4 rows: 4 with call, median 50.0 ns to the start>",
    "steps": "<Steps: 1 step, median 460.0 ns>",
    "kernels": "<KernelCost gemm: 1 runs, 100 ns, 55.6%>",
    "copies": "<Copy 'copy': 1, 1.00 kB>",
    "collectives": "<CollectiveKind all_reduce in dp: 1, 80 ns>",
    "host": "<HostWorker t0: 6 rows, 143 ns busy>",
    "critical_path": "<CriticalTime over 450 ns: host_unseen 67.8%, host 27.8%, memory 2.2%, "
    "launch 2.2%>",
}


def test_what_a_notebook_shows_of_an_answer_is_one_line() -> None:
    report = build_report(full())
    found = {name: report[name] for name in REPRS}
    found["breakdown"], found["idle"] = found["breakdown"].devices, found["idle"].devices
    shown = {name: repr(one[0] if isinstance(one, tuple) else one) for name, one in found.items()}
    assert shown == REPRS
    nothing = build_report(of_streams([ran(0, "copy", 0, 5)]))
    assert repr(nothing.launches) == "<Launches of 1 row: 0 with call>"
    assert repr(nothing.steps) == "<Steps: 0 steps>"
    assert repr(nothing.copies[0]) == "<Copy 'copy': 1, bytes not known>"
