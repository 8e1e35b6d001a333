"""A board as data: every value with its basis and its source. Units are in the names.

A value that is not known is None, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Generic, Literal, TypeVar

from msgspec import Meta, Struct

BASES = ("measured", "datasheet", "published", "assumed")
"""Where a value comes from: our measurement, the vendor, somebody else's text, our assumption."""

V = TypeVar("V")


class Given(Struct, Generic[V], frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One value, its basis and source, and the range it may lie in where that is known."""

    value: V
    basis: Literal["measured", "datasheet", "published", "assumed"]
    source: str
    """A key of the file's `sources`; after loading, the text it stands for."""
    low: V | None = None
    high: V | None = None
    note: str | None = None


Text = Given[Annotated[str, Meta(min_length=1, max_length=80)]]
Amount = Given[Annotated[int, Meta(gt=0, le=10**18)]]
Share = Given[Annotated[float, Meta(gt=0, le=1)]]
Size = Given[Annotated[int, Meta(gt=0, le=1 << 24)]]
Bits = Given[Annotated[int, Meta(gt=0, le=256)]]
ScaleBits = Given[Annotated[int, Meta(ge=0, le=256)]]
Cycles = Given[Annotated[int, Meta(ge=0, le=10**12)]]


class BoardClock(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The clock of the accelerator."""

    core_hz: Amount
    """Cycles per second."""


class BoardMemory(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The memory beside the chip."""

    capacity_bytes: Amount
    peak_bytes_per_s: Amount
    """Bytes/s that width × rate allows."""
    effective_bytes_per_s: Amount | None = None
    """Bytes/s that a program is said to get."""
    kind: Text | None = None
    standard: Text | None = None
    """Speed grade, like DDR3-1600."""
    chip: Text | None = None
    chips: Amount | None = None
    bus_width_bits: Amount | None = None
    transfers_per_s: Amount | None = None
    """Transfers per second and pin."""
    prefetch_m_cycles: Cycles | None = None
    """Charge per matrix prefetch that the PLENA profiler takes from the board."""
    prefetch_v_cycles: Cycles | None = None
    store_v_cycles: Cycles | None = None


class HostLink(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The link from the host's memory to the board, in one direction."""

    kind: Text
    """`usb2`, or `pcie_genN_xM`."""
    theoretical_bytes_per_s: Amount | None = None
    effective_bytes_per_s: Amount | None = None


class Compute(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Peak rates of dense arithmetic, per number format."""

    fp32_flop_per_s: Amount | None = None
    fp16_flop_per_s: Amount | None = None
    bf16_flop_per_s: Amount | None = None
    fp8_flop_per_s: Amount | None = None
    int8_op_per_s: Amount | None = None
    efficiency: Share | None = None
    """Share of these peaks that large matrix products reach."""
    operation_overhead_ns: Amount | None = None
    """Constant time per operation, from a fit to measurements."""


class Sram(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Memory inside the PLENA core."""

    matrix_tiles: Amount | None = None
    """Tiles of MLEN × MLEN elements."""
    matrix_rows: Amount | None = None
    """Rows of MLEN elements, where the memory is stated so."""
    vector_rows: Amount | None = None


class CoreSizes(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Sizes of the PLENA core that was built on this board, and the number format it moves."""

    mlen: Size | None = None
    """Size of a matrix tile that is said to have been built. Programs are compiled for one size,
    so nothing computes with it unless asked; a fit names it beside the size it took."""
    vlen: Size | None = None
    blen: Size | None = None
    prefetch_m_rows: Size | None = None
    """Rows that one matrix prefetch moves."""
    prefetch_v_rows: Size | None = None
    store_v_rows: Size | None = None
    element_bits: Bits | None = None
    """Bits of a weight in the board's memory, without its scale."""
    scale_bits: ScaleBits | None = None
    """0 where the format has no scales."""
    block: Size | None = None
    """Weights that share a scale."""


class Latency(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Cycles per operation of a PLENA core built on this board."""

    systolic_processing_overhead_cycles: Cycles
    vector_add_cycles: Cycles
    vector_mul_cycles: Cycles
    vector_exp_cycles: Cycles
    vector_reci_cycles: Cycles
    vector_max_cycles: Cycles
    vector_sum_cycles: Cycles
    scalar_fp_basic_cycles: Cycles
    scalar_fp_exp_cycles: Cycles
    scalar_fp_sqrt_cycles: Cycles
    scalar_fp_reci_cycles: Cycles
    scalar_int_basic_cycles: Cycles
    vector_shift_cycles: Cycles | None = None
    vector_prefix_scan_cycles: Cycles | None = None


class Board(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Everything that is known about a board."""

    name: str
    summary: str
    sources: dict[str, str]
    """What the values' `source` keys stand for."""
    part: Text | None = None
    clock: BoardClock | None = None
    memory: BoardMemory
    host_link: HostLink | None = None
    compute: Compute | None = None
    sram: Sram | None = None
    core: CoreSizes | None = None
    latency: Latency | None = None
    notes: tuple[str, ...] = ()


def values(board: Board) -> Iterator[tuple[str, Given[Any]]]:
    """Every value that is known, with its dotted name, in the order of the file's sections."""
    if board.part is not None:
        yield "part", board.part
    for section in ("clock", "memory", "host_link", "compute", "sram", "core", "latency"):
        struct = getattr(board, section)
        for key in struct.__struct_fields__ if struct is not None else ():
            if (given := getattr(struct, key)) is not None:
                yield f"{section}.{key}", given
