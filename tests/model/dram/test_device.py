"""Memory presets: their sources, and a device at another clock."""

from __future__ import annotations

from lanescope.model.dram import load_preset, preset_names


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
