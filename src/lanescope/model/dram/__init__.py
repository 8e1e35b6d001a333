"""Memory devices timed by their banks: rows, activation window, refresh, turnaround."""

from lanescope.model.dram.device import Device, at_clock, load_preset, preset_names
from lanescope.model.dram.timing import BankTiming

__all__ = ["BankTiming", "Device", "at_clock", "load_preset", "preset_names"]
