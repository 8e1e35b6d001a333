"""Reads what is known of a run as sums only: run statistics, stage profiles, memory profiles.

Stages are no timeline: an instruction belongs to the stage that the program's comments name, and a
stage's instructions lie anywhere in the run. So they become figures of the run, by stage.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from lanescope.errors import InputError
from lanescope.formats.json_file import Count, JsonFile, Label, decode_span
from lanescope.formats.json_rows import TextSpan
from lanescope.formats.plena.run import MOST_PS, READ_BYTES, WRITTEN_BYTES, EmulatedRun

Seconds = Annotated[float, msgspec.Meta(ge=0, lt=1e9)]
Period = Annotated[int, msgspec.Meta(gt=0, le=10**9)]
Value = Annotated[float, msgspec.Meta(ge=0, lt=1e300)]
_PS = 1e12
_MATCHES = "profiled_time_matches_total"
_VERSIONS = (1, 2, 4)
"""Of stage profiles that are known."""
_MOST_PARTS = 1 << 16
_SIZES = ("mlen", "vlen", "hlen", "blen")


class RunStats(msgspec.Struct, frozen=True, kw_only=True):
    """rust_emulator_run_stats.json of the test runner; a line that the log lacks leaves its keys
    out."""

    sim_latency_ns: Value | None = None
    sim_latency_cycles: Count | None = None
    emu_mlen: Count | None = None
    emu_vlen: Count | None = None
    emu_blen: Count | None = None
    behavior_config: dict[str, Any] = {}
    hbm_size_bytes: Count | None = None
    hbm_bytes_read: Count | None = None
    hbm_bytes_written: Count | None = None
    hbm_utilization_bytes_per_sec: Value | None = None
    host_wall_time_seconds: Value | None = None
    return_code: int | None = None
    run_label: Label | None = None


class StageSums(msgspec.Struct, frozen=True, kw_only=True):
    """One stage, or one pair with its stages. Versions 1, 2 and 4 have different keys."""

    instructions: Count = 0
    seconds: Seconds | None = None
    cycles: Count | None = None
    wall_cycles: Count | None = None
    hbm_bytes_read: Count = 0
    hbm_bytes_written: Count = 0
    resource_proxy_cycles: dict[str, Count] = {}
    stages: dict[str, StageSums] = {}


class StageProfile(msgspec.Struct, frozen=True, kw_only=True):
    """stage_profile.json, version 1, 2 or 4."""

    schema_version: Count = 0
    total_instructions_executed: Count
    total_simulation_picos: Count | None = None
    total_simulation_cycles: Count | None = None
    total_profiled_seconds: Seconds | None = None
    total_profiled_picos: Count | None = None
    cycle_accounting_status: Label = _MATCHES
    period_picos: Period | None = None
    total_hbm_bytes_read: Count = 0
    total_hbm_bytes_written: Count = 0
    total_resource_proxy_cycles: dict[str, Count] = {}
    stages: dict[str, StageSums]
    pairs: dict[str, StageSums] = {}


class OpcodeSums(msgspec.Struct, frozen=True, kw_only=True):
    """One category or opcode of a memory profile."""

    count: Count = 0
    total_picos: Count | None = None
    max_picos: Count | None = None
    category: Label = ""


class MemoryProfile(msgspec.Struct, frozen=True, kw_only=True):
    """The profile of the memory level, version 1."""

    program_total_picos: Count
    hbm_bytes_read: Count | None = None
    hbm_bytes_written: Count | None = None
    categories: dict[str, OpcodeSums] = {}
    opcodes: dict[str, OpcodeSums] = {}


def read_run_stats(file: JsonFile, run: EmulatedRun) -> None:
    """Keep what the test runner wrote about a run."""
    stats = _decoded(file, RunStats, "run statistics")
    if stats.sim_latency_ns is not None:
        # Picoseconds, written as nanoseconds.
        run.total_ps = _whole_ps(file, stats.sim_latency_ns * 1000)
    else:
        run.notes.append("The statistics have no latency: the run did not end.")
    run.cycles = stats.sim_latency_cycles
    run.add(READ_BYTES, stats.hbm_bytes_read)
    run.add(WRITTEN_BYTES, stats.hbm_bytes_written)
    run.add("bytes per second", stats.hbm_utilization_bytes_per_sec)
    run.add("HBM size bytes", stats.hbm_size_bytes)
    for name in _SIZES:
        stated = stats.behavior_config.get(name.upper())
        own = getattr(stats, f"emu_{name}", None)
        value = own if own is not None else stated
        run.add(name, value if type(value) is int and 0 <= value < 1 << 32 else None)
    run.add("host seconds", stats.host_wall_time_seconds)
    if stats.return_code:
        run.notes.append(f"The emulator ended with return code {stats.return_code}.")
    if stats.run_label:
        run.extra["run_label"] = stats.run_label


def read_stage_profile(file: JsonFile, run: EmulatedRun) -> None:
    """Keep the sums of a stage profile: of the run, of stages, of pairs and their stages."""
    profile = _decoded(file, StageProfile, "a stage profile")
    if profile.schema_version not in _VERSIONS:
        run.notes.append(
            f"Version {profile.schema_version} of a stage profile is not known; it is read like "
            f"version {_VERSIONS[-1]}."
        )
    run.period_ps = profile.period_picos or run.period_ps
    seconds = profile.total_profiled_seconds
    picos = profile.total_simulation_picos or profile.total_profiled_picos
    if picos is None and seconds is not None:
        picos = round(seconds * _PS)
    run.total_ps = None if picos is None else _whole_ps(file, picos)
    run.cycles = profile.total_simulation_cycles or None
    run.add("instructions", profile.total_instructions_executed)
    run.add(READ_BYTES, profile.total_hbm_bytes_read)
    run.add(WRITTEN_BYTES, profile.total_hbm_bytes_written)
    for unit, cycles in profile.total_resource_proxy_cycles.items():
        run.add(f"{unit} cycles", cycles)
    parts = dict(profile.stages)
    for number, pair in profile.pairs.items():
        parts[f"pair {number}"] = pair
        inner = {f"pair {number}, {name}": own for name, own in pair.stages.items()}
        parts |= {name: own for name, own in inner.items() if own.instructions}
    if len(parts) > _MOST_PARTS:
        raise InputError(file.path, f"has more than {_MOST_PARTS:,} stages and pairs")
    for site, sums in parts.items():
        _add_stage(run, site, sums)
    run.notes.append("Sums by stage: when a stage ran is not known, so it has no lane.")
    if profile.cycle_accounting_status != _MATCHES:
        run.notes.append(
            "The stages' time does not add up to the run's "
            f"({profile.cycle_accounting_status}): instructions overlap, or some have no stage."
        )


def _add_stage(run: EmulatedRun, site: str, sums: StageSums) -> None:
    run.add("instructions", sums.instructions, site)
    cycles = sums.wall_cycles if sums.wall_cycles is not None else sums.cycles
    if cycles is None and sums.seconds is not None:
        cycles = run.in_cycles(round(sums.seconds * _PS))
    run.add("cycles", cycles, site)
    run.add(READ_BYTES, sums.hbm_bytes_read, site)
    run.add(WRITTEN_BYTES, sums.hbm_bytes_written, site)
    for unit, own in sums.resource_proxy_cycles.items():
        run.add(f"{unit} cycles", own, site)


def read_memory_profile(file: JsonFile, run: EmulatedRun) -> None:
    """Keep the sums of a memory profile: of the run, of categories and of opcodes."""
    profile = _decoded(file, MemoryProfile, "a memory profile")
    run.total_ps = profile.program_total_picos
    run.add(READ_BYTES, profile.hbm_bytes_read)
    run.add(WRITTEN_BYTES, profile.hbm_bytes_written)
    parts = {**profile.categories, **profile.opcodes}
    if len(parts) > _MOST_PARTS:
        raise InputError(file.path, f"has more than {_MOST_PARTS:,} categories and opcodes")
    for site, sums in parts.items():
        run.add("instructions", sums.count, site)
        run.add("cycles", _cycles(run, sums.total_picos), site)
        run.add("most cycles", _cycles(run, sums.max_picos), site)


def _cycles(run: EmulatedRun, picos: int | None) -> int | None:
    return None if picos is None else run.in_cycles(picos)


def _whole_ps(file: JsonFile, picos: float) -> int:
    if picos >= MOST_PS:
        raise InputError(file.path, f"expected a run below {MOST_PS:,} ps, found {picos:,.0f}")
    return round(picos)


def _decoded(file: JsonFile, kind: type[Any], what: str) -> Any:
    return decode_span(TextSpan(file.path, file.whole, file.whole), kind, what=what)
