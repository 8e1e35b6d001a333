"""What to do next about a trace of streams: the largest parts, each as the most it can give."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from lanescope.analyze.streams.next_steps import next_steps


def answers(**ns: int) -> Any:
    """Answers about one device of 1,000 ns, by reason of idle time or sort of work."""
    device = SimpleNamespace(
        span_ns=ns.get("span", 1000),
        exposed_communication_ns=ns.get("communication", 0),
        exposed_memory_ns=ns.get("copies", 0),
    )
    idle = SimpleNamespace(ns=lambda what: ns.get(what, 0))
    kernels = [SimpleNamespace(name="gemm", total_ns=ns.get("gemm", 0))]
    return {
        "breakdown": SimpleNamespace(devices=[device]),
        "idle": SimpleNamespace(devices=[idle]),
        "kernels": tuple(kernels) if ns.get("gemm") else (),
    }


def test_the_largest_three_as_the_most_that_they_can_give() -> None:
    made = answers(host_busy=200, call=50, communication=100, copies=40, gemm=900, event=6)
    steps = next_steps(made).steps
    assert [(step.what, step.change, step.command[-1]) for step in steps] == [
        ("launch earlier, or in fewer calls", -0.25, "idle"),
        ("hide communication behind compute", -0.1, "breakdown"),
        ("gemm 10 % faster", -0.09, "kernels"),
    ]
    assert not any(step.foreseen for step in steps)


def test_less_than_half_a_percent_is_no_step() -> None:
    assert [step.change for step in next_steps(answers(event=5, call=4)).steps] == [-0.005]
    assert next_steps(answers(call=4)).reason == "The devices had no time to save."


def test_a_trace_without_device_work() -> None:
    assert next_steps(answers(span=0)).reason == "No device has work with times."
