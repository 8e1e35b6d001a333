"""What runs one configuration on each platform, and which protocols are compared there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from lanescope.device.region import clock_hz
from lanescope.errors import UsageError
from lanescope.overhead import platforms
from lanescope.overhead.plan import COMPARED, Configuration
from lanescope.overhead.platforms import bench_machine, protocols_of
from lanescope.overhead.sample import RunSample
from lanescope.overhead.simulated import jittered
from lanescope.platforms.recording import Recording
from lanescope.platforms.request import MachineRequest
from lanescope.platforms.sim.chip import load_chip
from lanescope.workloads import build_workload

GRAPH = build_workload("chain", {"tasks": "3"})


@pytest.mark.parametrize("platform", ["threads", "a2a3"])
def test_elsewhere_three_protocols_are_compared_or_those_that_are_named(platform: str) -> None:
    assert protocols_of(platform, None) == COMPARED
    assert COMPARED == ("staging", "controller-rotated", "producer-rotated")
    assert protocols_of(platform, ("after-finish",)) == ("after-finish",)
    assert protocols_of(platform, ()) == ()


def test_a_gpu_has_one_protocol() -> None:
    own = ("producer-rotated",)
    assert protocols_of("cuda", None) == protocols_of("cuda", own) == own
    assert protocols_of("cuda", ()) == ()
    assert protocols_of("cuda", own * 2) == own * 2
    with pytest.raises(UsageError, match=r"^the workers of a GPU rotate their own buffers"):
        protocols_of("cuda", ("producer-rotated", "staging"))


def test_threads_say_what_they_run_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    told: list[Any] = []

    def measured(*given: Any, directory: Path) -> RunSample:
        told.append((*given, directory))
        return RunSample(5)

    monkeypatch.setattr(platforms, "measure_threads", measured)
    request = MachineRequest(platform="threads", cores="aic=1,aiv=2", schedulers=2, pin=True)
    with bench_machine(GRAPH, request, Recording(buffers=3), seed=1) as ready:
        assert ready.run_once(Configuration(2, "staging"), 4, tmp_path) == RunSample(5)
    recording = Recording(buffers=3, chip_swimlane=2, protocol="staging")
    assert told == [(GRAPH, request.threads(), recording, tmp_path)]
    assert ready.facts == {
        "cores": ("aic", "aiv", "aiv"),
        "schedulers": 2,
        "pin": True,
        "processors": len(os.sched_getaffinity(0)),
        "clock_hz": clock_hz(),
    }


def test_each_round_of_a_chip_has_lengths_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told: list[Any] = []

    def measured(graph: Any, *given: Any, pre_dispatch: int, directory: Path) -> RunSample:
        told.append((graph.amount.tolist(), *given, pre_dispatch, directory))
        return RunSample(5)

    monkeypatch.setattr(platforms, "measure_simulated", measured)
    request = MachineRequest(platform="a5", pre_dispatch=2)
    with bench_machine(GRAPH, request, Recording(buffers=3), seed=6) as ready:
        assert ready.run_once(Configuration(1, "staging"), 4, tmp_path) == RunSample(5)
    chip = load_chip("a5")
    recording = Recording(buffers=3, chip_swimlane=1, protocol="staging")
    amount = jittered(GRAPH, 6, 4).amount.tolist()
    assert told == [(amount, chip, recording, 2, tmp_path)]
    assert ready.facts == {"cores": chip.core_kinds(), "schedulers": chip.schedulers}
