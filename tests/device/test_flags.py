"""Levels and feature bits: coercion, implication, refusal, and one layout in C and Python."""

from __future__ import annotations

import pytest

from lanescope.cli.options import recording
from lanescope.device.flags import closed, level_features, read_level
from lanescope.device.head import PROTOCOLS
from lanescope.device.layouts import constant, constants
from lanescope.errors import UsageError
from lanescope.trace.flags import EXPORT_VERSIONS, LEVEL_DOCS, Feature, level_flags


def test_the_header_and_python_name_the_same_bits() -> None:
    named = {f"LS_{feature.name}": int(feature) for feature in Feature}
    assert {name: constants()[name] for name in named} == named
    assert constant("LS_FLAGS_KNOWN") == sum(named.values())


@pytest.mark.parametrize("level", range(5))
def test_a_level_is_the_same_bits_in_the_header_and_in_python(level: int) -> None:
    assert level_features(level) == level_flags(level)


def test_the_levels_are_those_of_the_plan() -> None:
    bits = [int(level_features(level)) for level in range(5)]
    assert bits == [0, 0b1, 0b11, 0b111, 0b10111]
    assert EXPORT_VERSIONS == (0, 0, 1, 2, 2)
    assert len(LEVEL_DOCS) == 5


@pytest.mark.parametrize(
    ("value", "level"), [(True, 4), (False, 0), (0, 0), (3, 3), ("2", 2), (" 4 ", 4)]
)
def test_booleans_numbers_and_text_are_levels(value: object, level: int) -> None:
    assert read_level(value) == level


@pytest.mark.parametrize("value", [5, -1, "high", "", "0x1", 1.5, None, "\u0661"])
def test_anything_else_is_refused_with_the_levels_there_are(value: object) -> None:
    with pytest.raises(UsageError) as caught:
        read_level(value)
    levels = ", ".join(f"{level} ({doc})" for level, doc in enumerate(LEVEL_DOCS))
    assert levels.startswith("0 (nothing), 1 (core")
    assert str(caught.value) == (
        f"expected a chip-swimlane level, found {value!r}; the levels are {levels}"
    )


@pytest.mark.parametrize(
    ("flags", "whole"),
    [
        (0, 0),
        (Feature.CHIP_SWIMLANE_CORE_TIMING, 0b1),
        (Feature.CHIP_SWIMLANE_TASK_LIFECYCLE, 0b11),
        (Feature.CHIP_SWIMLANE_PHASE_BUFFERS, 0b111),
        (Feature.DUMP_TENSOR, 0b1000),
        (Feature.CHIP_SWIMLANE_ORCHESTRATOR_PHASES, 0b10111),
        (Feature.CORE_SWIMLANE, 0b100001),
        (Feature.PMU, 0b1000001),
        (Feature.PMU | Feature.DUMP_TENSOR, 0b1001001),
    ],
)
def test_a_bit_brings_the_bits_it_implies(flags: int, whole: int) -> None:
    assert closed(flags) == whole
    assert closed(closed(flags)) == whole


@pytest.mark.parametrize("flags", [1 << 7, 1 << 63, 0b1 | 1 << 9, -1])
def test_unknown_bits_are_refused(flags: int) -> None:
    with pytest.raises(UsageError, match="have bits that are not features"):
        closed(flags)


@pytest.mark.parametrize(
    ("flags", "named", "unknown"),
    [(1 << 7, "0x80", "0x80"), (0b1 | 1 << 9, "0x201", "0x200"), (-1, "-0x1", "-0x80")],
)
def test_a_refusal_names_the_bits_there_are(flags: int, named: str, unknown: str) -> None:
    with pytest.raises(UsageError) as caught:
        closed(flags)
    assert str(caught.value) == (
        f"the flags {named} have bits that are not features ({unknown}); the bits are "
        "0 chip_swimlane_core_timing, 1 chip_swimlane_task_lifecycle, "
        "2 chip_swimlane_phase_buffers, 3 dump_tensor, 4 chip_swimlane_orchestrator_phases, "
        "5 core_swimlane, 6 pmu"
    )


def test_the_command_line_names_the_protocols_of_the_region() -> None:
    """Its own list, so that --help need not load numpy."""
    assert recording.PROTOCOLS == PROTOCOLS
