"""Kernels made from sizes: tiles pass through the pipes, by default with two buffers in use.

Each operation's mark names its step (MARKS). Cycle counts: pto-isa, include/pto/costmodel/a2a3/
cce_costmodel/ (cce_costmodel_cube.hpp `mad`; cce_cycle_profiles.csv, fp32 columns rounded to whole
cycles), a cost model published for the a2a3 generation; for any other chip they are assumed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lanescope.errors import UsageError
from lanescope.workloads.pipes import ROUTES, PipeKernel, PipeOp

MARKS = {
    1: "load",
    2: "compute",
    3: "store",
    4: "row max",
    5: "subtract",
    6: "exp",
    7: "row sum",
    8: "divide",
    9: "load A",
    10: "load B",
    11: "move A",
    12: "move B",
    13: "multiply",
}
"""Number of a mark to the step that it names."""
MARK_OF = {name: mark for mark, name in MARKS.items()}

# A vector instruction works in repeats of 8 blocks of 32 bytes (hiascend.com, operator development
# guide, "repeatTimes"). A cube instruction works in blocks of 16 × 16 values and 32 bytes along k;
# `mad` charges 6 cycles and one a block of 2-byte values, which is 4096 multiply-adds a cycle. For
# other value sizes 4096 is assumed unless the caller says otherwise.
REPEAT_BYTES = 256
CUBE_SIDE = 16
CUBE_DEPTH_BYTES = 32
CUBE_STARTUP_CYCLES = 6
CUBE_MACS_PER_CYCLE = 4096
PEAK_FLOPS_PER_CYCLE = {"aic": 2 * CUBE_MACS_PER_CYCLE, "aiv": REPEAT_BYTES // 4}
"""Most operations per cycle of a core of each kind: on 2-byte values in the cube, and on 4-byte
values in a vector instruction that takes one cycle a repeat."""


class VectorPass(NamedTuple):
    """One vector instruction over a whole tile."""

    name: str
    startup_cycles: int
    repeat_cycles: int

    def cycles(self, size: int) -> int:
        """Return the core cycles for `size` bytes."""
        return self.startup_cycles + self.repeat_cycles * -(-size // REPEAT_BYTES)


ADD_SCALAR = VectorPass("compute", 6, 1)  # kVaddsProfile
SOFTMAX = (
    VectorPass("row max", 8, 7),  # kVcmaxProfile
    VectorPass("subtract", 6, 2),  # kVsubProfile
    VectorPass("exp", 12, 2),  # kVexpProfile
    VectorPass("row sum", 20, 7),  # kVcaddProfile
    VectorPass("divide", 13, 4),  # kVdivProfile
)


def vector_kernel(
    elements: int,
    bytes_per_element: int = 4,
    tile_elements: int = 8192,
    *,
    buffers: int = 2,
    step: VectorPass = ADD_SCALAR,
) -> PipeKernel:
    """Return a kernel of one vector instruction over an array.

    With the default tile, its four buffers take 32 KiB each.
    """
    _positive(
        elements=elements,
        bytes_per_element=bytes_per_element,
        tile_elements=tile_elements,
        buffers=buffers,
    )
    sizes = [count * bytes_per_element for count in _tiles(elements, tile_elements)]
    ops = _stream(sizes, (step,), buffers, bytes_per_element=bytes_per_element)
    return PipeKernel(f"vector {elements}", tuple(ops))


def softmax_kernel(
    rows: int, columns: int, *, tile_rows: int | None = None, buffers: int = 2
) -> PipeKernel:
    """Return a kernel for softmax over rows of 4-byte values.

    Without `tile_rows` a tile has as many whole rows as fit in 8192 values. Assumed: one
    instruction makes one pass over the tile; the second reduction of long rows is not charged.
    """
    if tile_rows is None:
        tile_rows = max(1, 8192 // max(1, columns))
    _positive(rows=rows, columns=columns, tile_rows=tile_rows, buffers=buffers)
    sizes = [count * columns * 4 for count in _tiles(rows, tile_rows)]
    ops = _stream(sizes, SOFTMAX, buffers, bytes_per_element=4)
    return PipeKernel(f"softmax {rows}×{columns}", tuple(ops))


def matmul_kernel(
    m: int,
    n: int,
    k: int,
    *,
    bytes_per_element: int = 2,
    tile_m: int = 128,
    tile_n: int = 128,
    tile_k: int = 128,
    buffers: int = 2,
    macs_per_cycle: int = CUBE_MACS_PER_CYCLE,
) -> PipeKernel:
    """Return a kernel for C = A × B, tile by tile of C.

    With the default tile, two tiles of 4-byte sums take 128 KiB of L0C.
    """
    _positive(m=m, n=n, k=k, bytes_per_element=bytes_per_element, buffers=buffers)
    _positive(tile_m=tile_m, tile_n=tile_n, tile_k=tile_k, macs_per_cycle=macs_per_cycle)
    depths = list(_tiles(k, tile_k))
    tiles = [(rows, columns) for rows in _tiles(m, tile_m) for columns in _tiles(n, tile_n)]
    rings = MatmulRings.of(len(tiles) * len(depths), len(tiles), buffers)
    ops: list[PipeOp] = []
    for tile, (rows, columns) in enumerate(tiles):
        for part, depth in enumerate(depths):
            step = tile * len(depths) + part
            sizes = rows * depth * bytes_per_element, depth * columns * bytes_per_element
            ops += _operands(sizes, step, rings)
            blocks = _up(rows, CUBE_SIDE) * _up(columns, CUBE_SIDE)
            macs = blocks * _up(depth * bytes_per_element, CUBE_DEPTH_BYTES) // bytes_per_element
            first = rings.sums.empty(tile) if part == 0 else ()
            last = rings.sums.full if part == len(depths) - 1 else ()
            ops.append(
                PipeOp(
                    "cube",
                    cycles=CUBE_STARTUP_CYCLES + -(-macs // macs_per_cycle),
                    waits=rings.l0.full + first,
                    sets=rings.l0.release(step) + last,
                    mark=MARK_OF["multiply"],
                    flops=2 * rows * columns * depth,
                )
            )
        size = rows * columns * bytes_per_element
        waits, sets = rings.sums.full, rings.sums.release(tile)
        ops.append(_transfer("l0c_to_gm", size, "store", waits=waits, sets=sets))
    return PipeKernel(f"matmul {m}×{n}×{k}", tuple(ops))


class Ring(NamedTuple):
    """Buffers that one pipe fills and another empties; two flags keep the pipes in step."""

    number: int
    uses: int
    buffers: int

    @property
    def full(self) -> tuple[int, ...]:
        """The flag that the filler sets and the emptier waits for."""
        return (2 * self.number,)

    def empty(self, use: int) -> tuple[int, ...]:
        """The flag that the filler waits for; in the first round all buffers are empty."""
        return (2 * self.number + 1,) if use >= self.buffers else ()

    def release(self, use: int) -> tuple[int, ...]:
        """The flag that the emptier sets; the last round sets none, so that no flag stays set."""
        return self.empty(use + self.buffers) if use + self.buffers < self.uses else ()


class MatmulRings(NamedTuple):
    """The rings of a matrix product: A and B in L1, both together in L0, sums in L0C."""

    a: Ring
    b: Ring
    l0: Ring
    sums: Ring

    @classmethod
    def of(cls, steps: int, tiles: int, buffers: int) -> MatmulRings:
        """Make the rings: each is used once per step, the one of sums once per tile."""
        uses = (steps, steps, steps, tiles)
        return cls(*(Ring(number, count, buffers) for number, count in enumerate(uses)))


def _operands(sizes: tuple[int, int], step: int, rings: MatmulRings) -> Iterator[PipeOp]:
    """Yield the transfers of A and B from the chip's memory to L1, and from L1 to L0."""
    (size_a, size_b), (a, b, l0, _) = sizes, rings
    yield _transfer("gm_to_l1", size_a, "load A", waits=a.empty(step), sets=a.full)
    yield _transfer("gm_to_l1", size_b, "load B", waits=b.empty(step), sets=b.full)
    waits = a.full + l0.empty(step)
    yield _transfer("l1_to_l0a", size_a, "move A", waits=waits, sets=a.release(step))
    sets = b.release(step) + l0.full
    yield _transfer("l1_to_l0b", size_b, "move B", waits=b.full, sets=sets)


def _stream(
    sizes: list[int], passes: tuple[VectorPass, ...], buffers: int, *, bytes_per_element: int
) -> Iterator[PipeOp]:
    """Yield the operations of each tile: load, passes, store; tiles overlap as buffers allow."""
    inputs, outputs = (Ring(number, len(sizes), buffers) for number in range(2))
    for tile, size in enumerate(sizes):
        yield _transfer("gm_to_ub", size, "load", waits=inputs.empty(tile), sets=inputs.full)
        for step in passes:
            yield PipeOp(
                "vector",
                cycles=step.cycles(size),
                waits=inputs.full + outputs.empty(tile) if step is passes[0] else (),
                sets=inputs.release(tile) + outputs.full if step is passes[-1] else (),
                mark=MARK_OF[step.name],
                flops=size // bytes_per_element,
            )
        yield _transfer("ub_to_gm", size, "store", waits=outputs.full, sets=outputs.release(tile))


def _transfer(
    route: str, size: int, name: str, *, waits: tuple[int, ...], sets: tuple[int, ...]
) -> PipeOp:
    pipe = ROUTES[route].pipe
    return PipeOp(pipe, bytes=size, route=route, waits=waits, sets=sets, mark=MARK_OF[name])


def _tiles(total: int, tile: int) -> Iterator[int]:
    """Yield the sizes of the tiles that cover `total`; the last may be smaller."""
    for begin in range(0, total, tile):
        yield min(tile, total - begin)


def _up(size: int, unit: int) -> int:
    return -(-size // unit) * unit


def _positive(**sizes: int) -> None:
    for name, size in sizes.items():
        if size <= 0:
            raise UsageError(f"{name} must be positive, found {size}")
