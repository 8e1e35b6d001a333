"""The host's sections of a records file, with two anchors that give the same clock line back."""

from __future__ import annotations

from typing import Any

import numpy as np

from lanescope.trace import MISSING, MISSING32, HostClock, Trace
from lanescope.trace.table import Array

_UPLOADS = ("graph_upload", "sm_h2d", "arena_h2d")
_NS = 1_000_000_000


def host_sections(trace: Trace) -> dict[str, Any]:
    """Metadata, orchestrator phases and uploads; {} where the device orchestrated."""
    clock = trace.meta.host_clock
    if clock is None or clock.status != "calibrated" or trace.meta.clock_hz is None:
        return {}
    phases = trace.phases
    start, end = (_host_ns(clock, phases[f"{side}_ns"]) for side in ("start", "end"))
    mine = np.flatnonzero(phases["lane"] == trace.code("orchestrator")).tolist()
    submits = [
        {
            "submit_idx": _or_zero(phases["submit"][row]),
            "task_id": _or_zero(phases["task"][row]),
            "start_host_ns": int(start[row]),
            "end_host_ns": int(end[row]),
        }
        for row in mine
    ]
    codes = [trace.code(name) for name in _UPLOADS]
    moved = np.flatnonzero(
        (phases["lane"] == trace.code("host")) & np.isin(phases["kind"], codes)
    ).tolist()
    uploads = [
        {
            "phase": trace.word(int(phases["kind"][row])),
            "start_host_ns": int(start[row]),
            "end_host_ns": int(end[row]),
            "detail": _or_zero(phases["bytes"][row]),
        }
        for row in moved
    ]
    return {
        "metadata": _metadata(trace, clock, len(submits)),
        "host_orchestrator_phases": [submits],
        "host_device_uploads": uploads,
    }


def _or_zero(value: Any) -> int:
    return 0 if value in (MISSING, MISSING32) else int(value)


def _host_ns(clock: HostClock, ns: Array) -> Array:
    """Trace ns to host ns: the drift over a run is far below a float's precision."""
    drift = np.rint(ns * (clock.drift_ppb / _NS)).astype(np.int64)
    return np.where(ns == MISSING, 0, clock.host_ns + ns + drift)


def _metadata(trace: Trace, clock: HostClock, submits: int) -> dict[str, Any]:
    """Anchors at the last device tick at or before 0 ns, and one hour of ticks later."""
    hz = trace.meta.clock_hz or _NS
    base = trace.meta.base_cycles or 0
    first = -trace.meta.base_shift_ns
    last = first + 3600 * _NS
    samples = []
    for position, ns, cycles in (
        ("pre_host_orchestration", first, base),
        ("post_device_execution", last, base + 3600 * hz),
    ):
        host = int(_host_ns(clock, np.array([ns]))[0])
        for index in range(3):
            samples.append(
                {
                    "position": position,
                    "sample_idx": index,
                    "host_before_ns": host - clock.error_ns,
                    "raw_device_timestamp": cycles,
                    "device_cycles": cycles,
                    "host_after_ns": host + clock.error_ns,
                    "rtt_ns": 2 * clock.error_ns,
                    "uncertainty_ns": clock.error_ns,
                    "error": None,
                }
            )
    return {
        "orchestrator_source": "host",
        "orchestrator_clock_domain": "host_monotonic_ns",
        "device_clock_domain": "device_syscnt_cycles",
        "host_timestamp_resolution_ns": 1,
        "host_timestamp_quantization_ns": 0,
        "host_orchestration_origin_ns": clock.host_ns,
        "timeline_relation": "host_orchestration_precedes_device",
        "host_capture": {
            "status": "complete",
            "expected_records": submits,
            "recorded_records": submits,
            "pool_records": submits,
            "dropped_records": 0,
            "error": None,
        },
        "clock_anchors": {
            "schema_version": 1,
            "provider": "lanescope",
            "device_timestamp_unit": "syscnt_cycles",
            "raw_device_timestamp_unit": "syscnt_cycles",
            "samples_per_position": 3,
            "samples": samples,
        },
    }
