"""Two chips as they were when the digests were made: the tests' own copy of every value.

A built-in chip may be fitted anew, and that must not look like a change of the simulator.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from lanescope.platforms.sim.chip import Chip, load_chip

Values = Mapping[str, int | float | str]


_A2A3: dict[str, int | float | str] = {
    "chip.name": "a2a3",
    "chip.clusters": 24,
    "chip.aic_per_cluster": 1,
    "chip.aiv_per_cluster": 2,
    "chip.schedulers": 3,
    "chip.orchestrators": 1,
    "clock.counter_hz": 50_000_000,
    "clock.aic_hz": 1_800_000_000,
    "clock.aiv_hz": 1_800_000_000,
    "memory.gm_to_ub_bytes_per_s": 108_340_550_042,
    "memory.gm_to_l1_bytes_per_s": 144_955_146_240,
    "memory.ub_to_gm_bytes_per_s": 202_357_384_151,
    "memory.l0c_to_gm_bytes_per_s": 75_161_927_680,
    "memory.l1_to_l0a_bytes_per_s": 473_520_144_384,
    "memory.l1_to_l0b_bytes_per_s": 236_760_072_192,
    "orchestrator.submit_ns": 736.2,
    "orchestrator.submit_edge_ns": 40,
    "orchestrator.scope_end_ns": 20,
    "orchestrator.window_tasks": 65_536,
    "scheduler.loop_ns": 50,
    "scheduler.poll_core_ns": 100,
    "scheduler.complete_ns": 200,
    "scheduler.resolve_edge_ns": 100,
    "scheduler.pop_ns": 150,
    "scheduler.dispatch_ns": 500,
    "scheduler.publish_ns": 5,
    "scheduler.poll_engine_ns": 100,
    "scheduler.release_ns": 50,
    "scheduler.release_tasks": 16,
    "link.dispatch_latency_ns": 628,
    "link.finish_latency_ns": 80,
    "core.setup_ns": 491,
    "recording.core_record_ns": 500,
    "recording.staging_copy_ns": 21.5,
    "recording.staging_shared_ns": 24.6,
    "recording.count_ns": 8.8,
    "recording.rotate_ns": 125,
    "recording.controller_record_ns": 40,
    "recording.scheduler_phase_ns": 87.9,
    "recording.orchestrator_phase_ns": 87.9,
    "recording.host_latency_ns": 20_000,
    "pmu.block": "dav_2201",
    "pmu.register_read_ns": 100,
    "pmu.record_ns": 40,
}
_A5: dict[str, int | float | str] = {
    **_A2A3,
    "chip.name": "a5",
    "chip.clusters": 36,
    "chip.schedulers": 4,
    "clock.counter_hz": 1_000_000_000,
    "clock.aic_hz": 1_650_000_000,
    "clock.aiv_hz": 1_650_000_000,
    "recording.host_latency_ns": 40_000,
    "pmu.block": "dav_3510",
    "perfmon.block": "chip6",
    "perfmon.buffer_bytes": 131_072,
    "perfmon.drain_ns": 600,
    "perfmon.burst_ns": 21.5,
}
_CHIPS = {"a2a3": _A2A3, "a5": _A5}


def chip(name: str, changes: Values) -> Chip:
    """Return a chip of that name with some values changed, such as `{"chip.clusters": 2}`."""
    return _chip(name, tuple(sorted(changes.items())))


@cache
def _chip(name: str, changes: tuple[tuple[str, int | float | str], ...]) -> Chip:
    sections: dict[str, list[str]] = {}
    for place, value in (_CHIPS[name] | dict(changes)).items():
        section, key = place.split(".")
        shown = f'"{value}"' if isinstance(value, str) else value
        sections.setdefault(section, []).append(
            f'{key} = {{ value = {shown}, basis = "assumed", source = "a test" }}'
        )
    lines = [line for section, cells in sections.items() for line in (f"[{section}]", *cells)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "chip.toml")
        file.write_text("\n".join(lines))
        return load_chip(str(file))
