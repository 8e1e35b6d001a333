"""Values that stored traces hold: the bits of flags, and what an account means."""

from __future__ import annotations

import pytest

from lanescope.trace import HostClock, LedgerEntry
from lanescope.trace.flags import Feature, export_version, flags_level, level_flags
from lanescope.trace.schema import MISSING, MISSING32, NO_WORD, EdgeFlag, TaskFlag

LEVEL_BITS = (0, 1, 3, 7, 23)


def test_a_level_is_the_highest_whose_bits_are_all_there() -> None:
    assert [int(level_flags(level)) for level in range(5)] == list(LEVEL_BITS)
    assert [flags_level(Feature(bits)) for bits in LEVEL_BITS] == [0, 1, 2, 3, 4]
    assert [flags_level(Feature(bits)) for bits in (2, 5, 16 | 3, 64 | 7)] == [0, 1, 2, 3]


def test_an_exported_file_is_of_version_2_only_where_it_has_phases() -> None:
    assert [export_version(level, has_phases=True) for level in range(5)] == [0, 0, 1, 2, 2]
    assert [export_version(level, has_phases=False) for level in range(5)] == [0, 0, 1, 1, 1]


def test_every_flag_is_a_bit_of_its_own_in_the_order_of_the_documentation() -> None:
    for flags in (TaskFlag, EdgeFlag, Feature):
        values = [int(flag) for flag in flags.__members__.values()]
        assert values == [1 << bit for bit in range(len(values))]


def test_what_stands_for_not_known_is_no_number_that_is_measured() -> None:
    assert (MISSING, MISSING32, NO_WORD) == (-(2**63), -(2**31), -1)


def test_an_account_closes_when_every_record_is_somewhere() -> None:
    entry = LedgerEntry("core 0", "core_task", total=6, delivered=6)
    assert (entry.closes, entry.unknown, entry.dropped, entry.unmatched) == (True, False, 0, 0)
    assert LedgerEntry("core 0", "core_task", total=6, delivered=3, dropped=2, unmatched=1).closes
    for total in (5, 7):
        assert not LedgerEntry(
            "core 0", "core_task", total=total, delivered=3, dropped=2, unmatched=1
        ).closes


@pytest.mark.parametrize(
    ("status", "known"),
    [("calibrated", True), ("contained", True), ("ordered", False), ("unaligned", False)],
)
def test_a_host_clock_is_known_where_it_is_not_only_ordered(status: str, known: bool) -> None:
    clock = HostClock(host_ns=1, drift_ppb=0, error_ns=0, status=status)
    assert (clock.is_known, clock.slack_ns) == (known, 0)
