"""The keys of PLENA's own board files: what each becomes, in which unit, or why it is not used.

PLENA_Simulator testbench/board_configs, main f0703b2a and its branches. `_gbps` means GB/s there.
"""

from __future__ import annotations

from typing import NamedTuple

_NO_FIGURE = "no figure depends on it"
_PORT = "the width of PLENA's memory port, not of the memory's bus"
_DDR3 = "transfers are charged by bandwidth, or by the cycles per instruction"


class Unit(NamedTuple):
    """The unit of a number in the file, and what is taken for possible, in ours."""

    name: str
    factor: int
    """Ours per unit: 10⁹ bytes/s for one GB/s."""
    most: int
    least: int = 1


MHZ = Unit("MHz", 10**6, 10**11)
GIGABYTES_PER_S = Unit("GB/s", 10**9, 10**15)
MEGABYTES_PER_S = Unit("MB/s", 10**6, 10**15)
BYTES_PER_S = Unit("bytes/s", 1, 10**15)
BYTES = Unit("bytes", 1, 1 << 50)
CYCLES = Unit("cycles", 1, 10**9, least=0)
TILES = Unit("tiles", 1, 10**9)
DEPTH = Unit("rows", 1, 10**9)
ROWS = Unit("rows", 1, 1 << 24)
VALUES = Unit("values", 1, 1 << 24)
BITS = Unit("bits", 1, 64)


class Rule(NamedTuple):
    """What becomes of one key of the file."""

    becomes: str = ""
    """Dotted name of our value; empty where the key is not used."""
    unit: Unit | None = None
    """None for a text."""
    note: str | None = None
    """How the value is read, or why it is not used."""


def _unused(why: str, *keys: str) -> dict[str, Rule]:
    return {key: Rule(note=why) for key in keys}


_LATENCIES = (
    *("vector_add_cycles", "vector_mul_cycles", "vector_exp_cycles", "vector_reci_cycles"),
    *("vector_max_cycles", "vector_sum_cycles", "scalar_fp_basic_cycles", "scalar_fp_exp_cycles"),
    *("scalar_fp_sqrt_cycles", "scalar_fp_reci_cycles", "scalar_int_basic_cycles"),
)
NEEDED_LATENCIES = ("systolic_processing_overhead", *_LATENCIES)
"""What a `latency` section must have: the keys that PLENA's profiler reads."""

RULES: dict[str, Rule] = {
    "name": Rule("name"),
    "description": Rule("summary"),
    "part": Rule("part"),
    "clock_mhz": Rule("clock.core_hz", MHZ),
    "memory.type": Rule("memory.kind"),
    "memory.spec": Rule("memory.standard"),
    "memory.chip": Rule("memory.chip"),
    "memory.capacity_bytes": Rule("memory.capacity_bytes", BYTES),
    "memory.physical_size_bytes": Rule("memory.capacity_bytes", BYTES),
    "memory.hbm_size_bytes": Rule("memory.capacity_bytes", BYTES),
    "memory.peak_bandwidth_gbps": Rule("memory.peak_bytes_per_s", GIGABYTES_PER_S),
    "memory.hbm_bandwidth_gbps": Rule("memory.peak_bytes_per_s", GIGABYTES_PER_S),
    "memory.effective_bandwidth_gbps": Rule("memory.effective_bytes_per_s", GIGABYTES_PER_S),
    "memory.prefetch_m_cycles": Rule("memory.prefetch_m_cycles", CYCLES),
    "memory.prefetch_v_cycles": Rule("memory.prefetch_v_cycles", CYCLES),
    "memory.store_v_cycles": Rule("memory.store_v_cycles", CYCLES),
    "memory.matrix_sram_tiles": Rule("sram.matrix_tiles", TILES),
    "memory.matrix_sram_depth": Rule("sram.matrix_rows", DEPTH, "rows of MLEN, not tiles"),
    "memory.vector_sram_depth": Rule("sram.vector_rows", DEPTH),
    "memory.hbm_m_prefetch_amount": Rule("core.prefetch_m_rows", ROWS),
    "memory.hbm_v_prefetch_amount": Rule("core.prefetch_v_rows", ROWS),
    "memory.hbm_v_writeback_amount": Rule("core.store_v_rows", ROWS),
    "host_link.type": Rule("host_link.kind"),
    "host_link.bandwidth_bytes_per_sec": Rule("host_link.effective_bytes_per_s", BYTES_PER_S),
    "host_link.theoretical_bandwidth_bytes_per_sec": Rule(
        "host_link.theoretical_bytes_per_s", BYTES_PER_S
    ),
    "precision.hbm_weight.scale_exponent": Rule("core.scale_bits", BITS._replace(least=0)),
    "precision.hbm_weight.block": Rule("core.block", VALUES),
    "latency.systolic_processing_overhead": Rule(
        "latency.systolic_processing_overhead_cycles", CYCLES
    ),
    **{f"latency.{key}": Rule(f"latency.{key}", CYCLES) for key in _LATENCIES},
    "latency.vector_shift_cycles": Rule("latency.vector_shift_cycles", CYCLES),
    "latency.vector_prefix_scan_cycles": Rule("latency.vector_prefix_scan_cycles", CYCLES),
    **_unused(_NO_FIGURE, "vendor", "family"),
    **_unused(
        "the size of the emulator's flat memory, not of the board's", "memory.modeled_size_bytes"
    ),
    **_unused(_PORT, "memory.bus_width_bits", "memory.hbm_width_bits"),
    **_unused(_DDR3, "memory.ddr3_burst_cycles", "memory.ddr3_row_miss_penalty"),
    **_unused("the latencies beside it already are that library's", "latency.dc_lib_en"),
}
"""By dotted key. Of two keys that become the same value, the first of this table goes before."""

UNUSED_SECTIONS = {
    "precision": "only the weights' format is counted",
    "power": _NO_FIGURE,
    "resources": _NO_FIGURE,
}
"""Sections whose other keys are not used."""
UNKNOWN = "lanescope does not know this key"
