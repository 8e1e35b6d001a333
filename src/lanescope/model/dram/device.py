"""Timings of a memory device in clocks, and the presets with their sources (`presets.toml`)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, fields, replace
from importlib.resources import files
from typing import Any

from lanescope.errors import UsageError

SCALED = (
    *("cl", "cwl", "rcd", "rp", "ras", "rfc", "refi", "rrd_s", "rrd_l"),
    *("wtr_s", "wtr_l", "faw", "wr", "rtp", "ccd_s", "ccd_l"),
)
"""Every gate of a device in clocks: at another clock it keeps its nanoseconds."""


@dataclass(frozen=True)
class Device:
    """One memory device: its shape, and its gates in clocks.

    A gate with `_s` holds between two bank groups, one with `_l` within a group.
    """

    name: str
    source: str
    notes: str
    clock_ps: int
    bus_bits: int
    channels: int
    bank_groups: int
    banks_per_group: int
    row_bytes: int
    burst_length: int
    cl: int
    cwl: int
    rcd: int
    rp: int
    ras: int
    rfc: int
    refi: int
    rrd_s: int
    rrd_l: int
    wtr_s: int
    wtr_l: int
    faw: int
    wr: int
    rtp: int
    ccd_s: int
    ccd_l: int
    least_clocks: dict[str, int] = field(default_factory=dict)

    @property
    def burst_clocks(self) -> int:
        """Clocks of one burst, at two transfers per clock."""
        return self.burst_length // 2

    @property
    def burst_bytes(self) -> int:
        """Bytes of one burst."""
        return self.burst_length * self.bus_bits // 8

    @property
    def peak_bytes_per_s(self) -> int:
        """Bytes/s of all channels at two transfers per clock."""
        per_clock = 2 * self.bus_bits // 8 * self.channels
        return per_clock * 10**12 // self.clock_ps

    @property
    def read_to_write(self) -> int:
        """Clocks from a read to a write: its data follows after two clocks of turnaround."""
        return self.cl + self.burst_clocks + 2 - self.cwl


def at_clock(device: Device, clock_ps: int) -> Device:
    """The same device at another clock: gates keep their nanoseconds, rounded up to clocks."""
    clocks = {
        key: max(
            -(-getattr(device, key) * device.clock_ps // clock_ps), device.least_clocks.get(key, 1)
        )
        for key in SCALED
    }
    clocks["refi"] = device.refi * device.clock_ps // clock_ps
    return replace(device, clock_ps=clock_ps, **clocks)


def preset_names() -> tuple[str, ...]:
    """Names of the devices that come with lanescope."""
    return tuple(_presets())


def load_preset(name: str) -> Device:
    """Read the device of that name, with the source of its timings."""
    presets = _presets()
    if name not in presets:
        raise UsageError(f"expected a memory preset ({', '.join(presets)}), found {name!r}")
    values = presets[name]
    if "base" in values:
        base = load_preset(values["base"])
        slower = at_clock(base, values["clock_ps"])
        return replace(slower, name=name, source=values["source"], notes=values["notes"])
    return Device(name=name, **{f.name: values[f.name] for f in fields(Device) if f.name in values})


def _presets() -> dict[str, dict[str, Any]]:
    return tomllib.loads((files("lanescope.model.dram") / "presets.toml").read_text("utf-8"))
