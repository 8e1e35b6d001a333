"""The cases that were measured on a chip: what must hold, and that it can fail."""

from __future__ import annotations

from dataclasses import replace

import pytest
from validation.overhead import Overhead, print_overheads
from validation.scaling import Scaling, print_scaling, scaling
from validation.silicon import (
    CASES,
    CHIP,
    SiliconCase,
    SimulatedCase,
    graph_of,
    phases_of,
    print_cases,
    simulated,
)

from lanescope import GraphBuilder, run

BGEMM = CASES[1]


def made(window_us: float, **shares: float) -> SimulatedCase:
    return SimulatedCase(BGEMM, (window_us,), BGEMM.shares | shares, {"dispatch": 4.0})


def test_windows_and_shares_hold_within_their_limits_and_not_beyond() -> None:
    assert made(516 * 1.09).problems() == []
    assert made(516 * 0.89).problems() == ["benchmark_bgemm: window -11.0%"]
    assert made(516, idle=0.20).problems() == ["benchmark_bgemm: idle -8.9 points"]
    assert made(516, complete=0.36).problems() == []


def test_what_does_not_hold_is_printed_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_cases([made(600, dispatch=0.6)]) == [
        "benchmark_bgemm: window +16.3%",
        "benchmark_bgemm: dispatch +17.6 points",
    ]
    text = capsys.readouterr().out
    assert text.count("DOES NOT HOLD") == 2 and text.count(": holds") == 2


def test_shares_are_those_of_all_schedulers_and_the_rest_is_idle() -> None:
    builder = GraphBuilder("chain")
    last: list[int] = []
    for _ in range(3):
        last = [builder.task("A", spin_ns=2000, after=last)]
    trace = run(builder, platform="a2a3", chip_swimlane=3)
    shares, counts = phases_of(trace, 100_000)
    lengths = trace.phases["end_ns"] - trace.phases["start_ns"]
    names = [trace.words[code] for code in trace.phases["kind"].tolist()]
    dispatch_ns = sum(ns for ns, name in zip(lengths, names, strict=True) if name == "dispatch")
    assert counts == {"dispatch": 3, "complete": 3}
    assert shares["dispatch"] == pytest.approx(dispatch_ns / 100_000) and dispatch_ns > 0
    assert sum(shares.values()) == pytest.approx(1)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_chips_own_windows_are_met(case: SiliconCase) -> None:
    assert simulated(case, graph_of(case), rounds=2).problems() == []


def test_the_window_follows_the_schedulers_as_on_the_chip() -> None:
    found = scaling(graph_of(CASES[0]), CHIP)
    assert print_scaling(found) == [] and found.worst < 0.02


def test_a_window_that_only_divides_has_no_serial_part_and_does_not_hold() -> None:
    found = Scaling((60.0, 30.0, 20.0, 15.0))
    assert found.parallel == pytest.approx(1) and found.worst < 1e-9
    assert print_scaling(found) == ["paged_attention Case1: parallel part 100.0%"]


def test_without_their_spread_the_cores_finish_in_step_and_phases_are_fewer() -> None:
    graph = graph_of(BGEMM)
    spread = simulated(BGEMM, graph, rounds=1)
    fixed = simulated(BGEMM, replace(graph, spreads=()), rounds=1)
    assert fixed.counts["complete"] < 0.9 * spread.counts["complete"]


def test_the_schedulers_own_overhead_is_judged_apart_from_the_fitted_orchestrator(
    capsys: pytest.CaptureFixture[str],
) -> None:
    near = Overhead("staging", 20.0, 13.8, 131.8, 131.8)
    far = Overhead("controller-rotated", 33.5, 9.4, 112.6, 112.5)
    assert (near.holds, far.holds) == (True, False)
    assert print_overheads([near, far]) == [
        "the schedulers' own overhead with controller-rotated: 33.5 µs, 3.6 times the published 9.4"
    ]
    lines = capsys.readouterr().out.splitlines()
    assert "1.4 ×: holds" in lines[3] and "3.6 ×: MISSED" in lines[4]
