"""Memory presets: their sources, and a device at another clock."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lanescope.errors import UsageError
from lanescope.model.dram import load_preset, preset_names
from lanescope.model.dram.device import SCALED, at_clock


def test_a_slower_clock_keeps_nanoseconds_and_the_least_clocks() -> None:
    device = load_preset("ddr3-800")
    # 11 × 1.25 = 13.75 ns is 5.5 clocks of 2.5 ns; 40 ns is 16; 260 ns is 104; 7.8 µs is 3120.
    assert (device.cl, device.rcd, device.faw, device.rfc, device.refi) == (6, 6, 16, 104, 3120)
    # 6.25 ns would be 3 clocks, 10 ns of CWL 4: the standard's least clocks win.
    assert (device.rrd_s, device.cwl, device.ccd_s) == (4, 5, 4)
    assert device.peak_bytes_per_s == 1_600_000_000


def test_every_preset_names_its_source() -> None:
    for name in preset_names():
        assert "DRAMsim3" in load_preset(name).source or "Digilent" in load_preset(name).source


def test_rates_and_bursts_follow_from_the_bus() -> None:
    """DDR3-1600 x16: 8 transfers of 16 bits in 4 clocks; HBM2: 8 channels of 128 bits."""
    device, stack = load_preset("ddr3-1600"), load_preset("hbm2")
    assert (device.burst_clocks, device.burst_bytes) == (4, 16)
    assert device.peak_bytes_per_s == 3_200_000_000
    assert device.read_to_write == 11 + 4 + 2 - 8
    assert (stack.burst_clocks, stack.burst_bytes) == (2, 64)
    assert stack.peak_bytes_per_s == 256_000_000_000


def test_a_device_at_its_own_clock_is_the_same() -> None:
    for name in ("ddr3-1600", "ddr4-2400", "hbm2"):
        device = load_preset(name)
        assert at_clock(device, device.clock_ps) == device


def test_at_a_slow_clock_every_gate_has_at_least_one_clock() -> None:
    device = replace(load_preset("ddr4-2400"), least_clocks={"cl": 7})
    slow = at_clock(device, 10**6)
    assert {key: getattr(slow, key) for key in SCALED} == {
        **dict.fromkeys(SCALED, 1),
        "cl": 7,
        "refi": device.refi * 833 // 10**6,
    }


def test_a_derived_preset_has_its_own_name_and_source() -> None:
    fast, slow = load_preset("ddr3-1600"), load_preset("ddr3-800")
    assert (slow.name, slow.clock_ps) == ("ddr3-800", 2500)
    assert slow.source != fast.source
    assert slow.notes == (
        "clocks are the times in ns rounded up to this clock, and at least least_clocks"
    )


def test_an_unknown_preset_lists_those_there_are() -> None:
    assert preset_names() == ("ddr3-1600", "ddr3-800", "ddr4-2400", "hbm2")
    with pytest.raises(UsageError) as refused:
        load_preset("ddr5")
    assert str(refused.value) == (
        "expected a memory preset (ddr3-1600, ddr3-800, ddr4-2400, hbm2), found 'ddr5'"
    )
