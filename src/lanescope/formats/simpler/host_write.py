"""Writes the host's sections of a records file, with two anchors that give the same clock line."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from lanescope.trace import MISSING, MISSING32, HostClock, Trace
from lanescope.trace.table import Array
from lanescope.trace.task_ids import unsigned

_UPLOADS = ("graph_upload", "sm_h2d", "arena_h2d")
_NS = 1_000_000_000
_LATEST = (1 << 61) - 1


def host_sections(trace: Trace) -> dict[str, Any]:
    """Metadata, orchestrator phases and uploads, by key.

    Returns {} where the device orchestrated: those phases are written in cycles elsewhere.
    """
    clock = _clock(trace)
    phases = trace.phases
    orchestrated = phases["start_cycles"][phases["lane"] == trace.code("orchestrator")]
    if clock is None or (orchestrated != MISSING).any():
        return {}
    start, end = (_host_ns(clock, phases[f"{side}_ns"]) for side in ("start", "end"))
    mine = _timed(trace, "orchestrator")
    lanes: list[list[dict[str, int]]] = [
        [] for _ in range(int(phases["controller"][mine].max(initial=0)) + 1)
    ]
    for row in np.flatnonzero(mine).tolist():
        lanes[int(phases["controller"][row])].append(
            {
                "submit_idx": _or_zero(phases["submit"][row]),
                "task_id": unsigned(_or_zero(phases["task"][row])),
                "start_host_ns": int(start[row]),
                "end_host_ns": int(end[row]),
            }
        )
    uploads = [
        {
            "phase": trace.word(int(phases["kind"][row])),
            "start_host_ns": int(start[row]),
            "end_host_ns": int(end[row]),
            "detail": _or_zero(phases["bytes"][row]),
        }
        for row in np.flatnonzero(_timed(trace, "host") & _uploads(trace)).tolist()
    ]
    return {
        "metadata": _metadata(trace, clock, int(mine.sum()), int(start[mine].min(initial=_LATEST))),
        "host_orchestrator_phases": lanes,
        "host_device_uploads": uploads,
    }


def host_lines(trace: Trace) -> bytes:
    """The content of host_phase_records.jsonl: the host's phases that are no uploads.

    Returns b"" where there are none.
    """
    clock = _clock(trace)
    rows = np.flatnonzero(_timed(trace, "host") & ~_uploads(trace)).tolist()
    if clock is None or not rows:
        return b""
    phases = trace.phases
    start, end = (_host_ns(clock, phases[f"{side}_ns"]) for side in ("start", "end"))
    records = [
        {
            "phase": trace.word(int(phases["kind"][row])),
            "start_ns": int(start[row]),
            "end_ns": int(end[row]),
            "detail": _or_zero(phases["bytes"][row]),
            "tid": int(phases["controller"][row]),
        }
        for row in rows
    ]
    head = {"pid": 0, "inv": 1, "clock": "host_monotonic_ns", "dropped": 0}
    return msgspec.json.encode({**head, "records": records}) + b"\n"


def _clock(trace: Trace) -> HostClock | None:
    clock = trace.meta.host_clock
    aligned = clock is not None and clock.status != "unaligned"
    return clock if aligned and trace.meta.clock_hz is not None else None


def _timed(trace: Trace, lane: str) -> Array:
    """Mask of a lane's phases that have both times; the files cannot leave one out."""
    phases = trace.phases
    known = (phases["start_ns"] != MISSING) & (phases["end_ns"] != MISSING)
    mine: Array = known & (phases["lane"] == trace.code(lane))
    return mine


def _uploads(trace: Trace) -> Array:
    return np.isin(trace.phases["kind"], [trace.code(name) for name in _UPLOADS])


def _or_zero(value: Any) -> int:
    return 0 if value in (MISSING, MISSING32) else int(value)


def _host_ns(clock: HostClock, ns: Array) -> Array:
    """Trace ns to host ns, 0 where missing; the drift is far below a float's precision."""
    known = np.where(ns == MISSING, 0, ns)
    drift = np.rint(known * (clock.drift_ppb / _NS)).astype(np.int64)
    return np.where(ns == MISSING, 0, clock.host_ns + known + drift)


def _metadata(trace: Trace, clock: HostClock, submits: int, origin: int) -> dict[str, Any]:
    own = trace.meta.extra
    told: dict[str, Any] = {
        "orchestrator_source": "host",
        "orchestrator_clock_domain": "host_monotonic_ns",
        "device_clock_domain": "device_syscnt_cycles",
        "host_timestamp_resolution_ns": 1,
        "host_timestamp_quantization_ns": 0,
        "host_orchestration_origin_ns": origin,
        "timeline_relation": "host_orchestration_precedes_device",
        "host_capture": own.get("host_capture")
        or {
            "status": "complete",
            "expected_records": submits,
            "recorded_records": submits,
            "pool_records": submits,
            "dropped_records": 0,
            "error": None,
        },
    }
    if "host_clock_domain_id" in own:
        told["host_clock_domain_id"] = own["host_clock_domain_id"]
    return told | _tie(trace, clock)


def _tie(trace: Trace, clock: HostClock) -> dict[str, Any]:
    """What ties the two clocks: anchors, or the bounds of a placement; nothing for mere order."""
    if clock.status == "contained":
        ns = int(_host_ns(clock, np.array([-trace.meta.base_shift_ns]))[0])
        half = -(-clock.error_ns // 2)
        bounds = {
            "host_anchor_min_ns": ns - half,
            "host_anchor_max_ns": ns + clock.slack_ns + half,
        }
        placed = {"device_anchor_cycles": trace.meta.base_cycles or 0, "host_anchor_ns": ns}
        return {"clock_alignment": {"status": "bounded", **placed, **bounds}}
    if clock.status != "calibrated":
        return {}
    return {"clock_anchors": _anchors(trace, clock)}


def _anchors(trace: Trace, clock: HostClock) -> dict[str, Any]:
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
        "schema_version": 1,
        "provider": "lanescope",
        "device_timestamp_unit": "syscnt_cycles",
        "raw_device_timestamp_unit": "syscnt_cycles",
        "samples_per_position": 3,
        "samples": samples,
    }
