"""What an exported file says about the host's clock, whole; by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.analyze.hand import make_trace

from lanescope.formats.simpler.host_write import _host_ns, _tie
from lanescope.trace import MISSING, Trace
from lanescope.trace.meta import HostClock

HOUR_NS = 3600 * 10**9


def traced(**meta: Any) -> Trace:
    facts = {"clock_hz": 50_000_000, "base_cycles": 700, "base_shift_ns": 20}
    return make_trace(facts | meta)


def test_host_times_are_shifted_by_the_drift() -> None:
    clock = HostClock(5_000, 2_000, 7, "calibrated")
    times = np.array([0, 10**9, MISSING])
    assert _host_ns(clock, times).tolist() == [5_000, 5_000 + 10**9 + 2_000, 0]


def anchor(position: str, index: int, cycles: int, host: int) -> dict[str, Any]:
    return {
        "position": position,
        "sample_idx": index,
        "host_before_ns": host - 7,
        "raw_device_timestamp": cycles,
        "device_cycles": cycles,
        "host_after_ns": host + 7,
        "rtt_ns": 14,
        "uncertainty_ns": 7,
        "error": None,
    }


def test_two_anchors_lie_at_the_base_and_an_hour_later() -> None:
    clock = HostClock(5_000, 2_000, 7, "calibrated")
    first, last = 5_000 - 20, 5_000 - 20 + HOUR_NS + 7_200_000
    assert _tie(traced(), clock) == {
        "clock_anchors": {
            "schema_version": 1,
            "provider": "lanescope",
            "device_timestamp_unit": "syscnt_cycles",
            "raw_device_timestamp_unit": "syscnt_cycles",
            "samples_per_position": 3,
            "samples": [
                *(anchor("pre_host_orchestration", k, 700, first) for k in range(3)),
                *(
                    anchor("post_device_execution", k, 700 + 3600 * 50_000_000, last)
                    for k in range(3)
                ),
            ],
        }
    }


def test_without_clock_and_base_cycles_are_nanoseconds_from_0() -> None:
    found = _tie(traced(clock_hz=None, base_cycles=None), HostClock(5_000, 0, 7, "calibrated"))
    cycles = [one["device_cycles"] for one in found["clock_anchors"]["samples"]]
    assert cycles == [0] * 3 + [HOUR_NS] * 3


@pytest.mark.parametrize(("error_ns", "half"), [(0, 0), (7, 4), (8, 4)])
def test_a_placement_has_bounds_that_hold_its_slack(error_ns: int, half: int) -> None:
    clock = HostClock(5_000, 0, error_ns, "contained", slack_ns=100)
    assert _tie(traced(), clock) == {
        "clock_alignment": {
            "status": "bounded",
            "device_anchor_cycles": 700,
            "host_anchor_ns": 4_980,
            "host_anchor_min_ns": 4_980 - half,
            "host_anchor_max_ns": 5_080 + half,
        }
    }


@pytest.mark.parametrize("status", ["ordered", "unaligned"])
def test_an_order_ties_nothing(status: str) -> None:
    assert _tie(traced(), HostClock(5_000, 0, 7, status)) == {}
