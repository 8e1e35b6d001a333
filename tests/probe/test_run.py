"""Questions of the probe whose answer rests on several runs: the cache, and another owner."""

from __future__ import annotations

import pytest
from tests.probe.test_capture import EMPTY, GOOD, MOVED, Repeating, capture

from lanescope.platforms.sim.bringup import SimulatedCore, Surroundings
from lanescope.platforms.sim.chip import load_chip
from lanescope.platforms.sim.engine import Behaviour
from lanescope.probe import run
from lanescope.probe.capture import PATTERN, ProbeBench
from lanescope.probe.run import _cache, _owner


def test_the_cache_is_judged_by_a_run_that_was_not_disturbed_and_wrote(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run, "shape", lambda device: ())
    verdict = _cache(Repeating(MOVED, EMPTY, GOOD), "virtual")
    assert (verdict.answer, verdict.confidence) == ("coherent", "medium")
    verdict = _cache(Repeating(MOVED, EMPTY, MOVED, GOOD), "virtual")
    assert verdict.evidence == ("nothing was captured undisturbed",)
    verdict = _cache(Repeating(capture(PATTERN)), "virtual")
    assert verdict.evidence == (
        "the old bytes were read again, although 1 chunks were written",
        "there is no way to invalidate the cache here",
    )


def bench_of(owner_period: int) -> ProbeBench:
    around = Surroundings(owner_period=owner_period)
    return ProbeBench(SimulatedCore(load_chip("a5"), Behaviour(), around))


def test_looks_at_the_base_address_are_counted() -> None:
    bench = bench_of(0)
    assert _owner(bench).evidence == ("it stayed as it was set in 6 looks",)
    bench.captures += [GOOD, GOOD]
    assert _owner(bench).evidence == ("it stayed as it was set in 8 looks",)


def test_a_base_address_that_another_sets_is_told_once() -> None:
    bench = bench_of(2)
    found = _owner(bench)
    assert found.answer == "contended"
    assert found.evidence[0].endswith("which was not set here (1 times)")
    bench.captures += [MOVED, GOOD]
    assert _owner(bench).evidence == (
        "base address became 0x6000, which was not set here (2 times)",
    )
