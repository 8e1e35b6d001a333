"""What was recorded: one bit per feature in a 64-bit word, and levels 0 to 4 for sets of bits."""

from __future__ import annotations

from enum import IntFlag


class Feature(IntFlag):
    """The features that can be recorded, one bit each, as in `Meta.flags`."""

    CHIP_SWIMLANE_CORE_TIMING = 1 << 0
    CHIP_SWIMLANE_TASK_LIFECYCLE = 1 << 1
    CHIP_SWIMLANE_PHASE_BUFFERS = 1 << 2
    DUMP_TENSOR = 1 << 3
    CHIP_SWIMLANE_ORCHESTRATOR_PHASES = 1 << 4
    CORE_SWIMLANE = 1 << 5
    PMU = 1 << 6


_LEVELS = (
    Feature(0),
    Feature.CHIP_SWIMLANE_CORE_TIMING,
    Feature.CHIP_SWIMLANE_CORE_TIMING | Feature.CHIP_SWIMLANE_TASK_LIFECYCLE,
    Feature.CHIP_SWIMLANE_CORE_TIMING
    | Feature.CHIP_SWIMLANE_TASK_LIFECYCLE
    | Feature.CHIP_SWIMLANE_PHASE_BUFFERS,
    Feature.CHIP_SWIMLANE_CORE_TIMING
    | Feature.CHIP_SWIMLANE_TASK_LIFECYCLE
    | Feature.CHIP_SWIMLANE_PHASE_BUFFERS
    | Feature.CHIP_SWIMLANE_ORCHESTRATOR_PHASES,
)

LEVEL_DOCS = (
    "nothing",
    "core start/end",
    "core start/end, dispatch and finish",
    "core start/end, dispatch and finish, scheduler phases",
    "core start/end, dispatch and finish, scheduler and orchestrator phases",
)
"""What each level records; the index is the level."""

EXPORT_VERSIONS = (0, 0, 1, 2, 2)
"""Schema version of an exported records file; the index is the level."""


def export_version(level: int, *, has_phases: bool) -> int:
    """The schema version of an exported records file: 2 only where it has phases."""
    return EXPORT_VERSIONS[level] if has_phases else min(EXPORT_VERSIONS[level], 1)


def level_flags(level: int) -> Feature:
    """The feature bits of a level 0 to 4."""
    return _LEVELS[level]


def flags_level(flags: Feature) -> int:
    """The highest level whose feature bits are all among the flags."""
    return max(level for level, bits in enumerate(_LEVELS) if bits & flags == bits)
