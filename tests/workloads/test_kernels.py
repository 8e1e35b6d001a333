"""Kernels made from sizes: what they move, and that they overlap it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.platforms.sim.running import EVEN, UNEVEN, Ran, run_one, spin_kernel

from lanescope.errors import UsageError
from lanescope.platforms.sim.timeline import Timeline, busy_ps
from lanescope.workloads.kernels import (
    MARKS,
    PEAK_FLOPS_PER_CYCLE,
    VectorPass,
    matmul_kernel,
    softmax_kernel,
    vector_kernel,
)
from lanescope.workloads.pipes import PIPES, ROUTES, PipeKernel, PipeOp, bytes_moved

SCALAR, VECTOR, CUBE, MTE1, MTE2, MTE3, FIXP = range(7)
SIZE = st.integers(1, 200)
TILE = st.integers(1, 64)


def serial_ps(timeline: Timeline) -> int:
    return sum(busy_ps(timeline, pipe) for pipe in PIPES)


def marks_of(kernel: PipeKernel) -> Counter[str]:
    return Counter(MARKS[op.mark] for op in kernel.ops if op.mark is not None)


def test_spin_lasts_exactly_as_long_as_asked() -> None:
    spin_kernel(12_345).check("aic")
    spin_kernel(12_345).check("aiv")
    assert run_one(spin_kernel(12_345), UNEVEN).spans == ((SCALAR, 0, 12_345, 0),)


def test_vector_tiles_overlap_through_two_buffers() -> None:
    # A tile of 4 bytes loads and stores in 4000 ps and takes 10 cycles: the vector pipe is the
    # narrow place, and the third load waits for the first buffer.
    kernel = vector_kernel(3, 4, 1, step=VectorPass("compute", 9, 1))
    assert run_one(kernel, EVEN).spans == (
        (MTE2, 0, 4_000, 0),
        (VECTOR, 4_000, 14_000, 1),
        (MTE2, 4_000, 8_000, 3),
        (MTE3, 14_000, 18_000, 2),
        (VECTOR, 14_000, 24_000, 4),
        (MTE2, 14_000, 18_000, 6),
        (MTE3, 24_000, 28_000, 5),
        (VECTOR, 24_000, 34_000, 7),
        (MTE3, 34_000, 38_000, 8),
    )


def test_one_buffer_takes_turns() -> None:
    kernel = vector_kernel(2, 4, 1, buffers=1, step=VectorPass("compute", 9, 1))
    assert run_one(kernel, EVEN).spans == (
        (MTE2, 0, 4_000, 0),
        (VECTOR, 4_000, 14_000, 1),
        (MTE3, 14_000, 18_000, 2),
        (MTE2, 14_000, 18_000, 3),
        (VECTOR, 18_000, 28_000, 4),
        (MTE3, 28_000, 32_000, 5),
    )


def test_a_matmul_of_one_tile_goes_through_every_pipe() -> None:
    # A is 16 × 32, B is 32 × 16, two bytes each; two blocks of 16 × 16 × 16.
    kernel = matmul_kernel(16, 16, 32)
    assert run_one(kernel, EVEN).spans == (
        (MTE2, 0, 1_024_000, 0),
        (MTE2, 1_024_000, 2_048_000, 1),
        (MTE1, 1_024_000, 2_048_000, 2),
        (MTE1, 2_048_000, 3_072_000, 3),
        (CUBE, 3_072_000, 3_080_000, 4),
        (FIXP, 3_080_000, 3_592_000, 5),
    )


def test_the_cube_works_in_whole_blocks() -> None:
    def cycles(*sizes: int, **options: int) -> int:
        return next(op.cycles for op in matmul_kernel(*sizes, **options).ops if op.pipe == "cube")

    assert cycles(16, 16, 16) == cycles(1, 1, 1) == 7
    assert cycles(17, 16, 16) == 8
    assert cycles(128, 128, 128) == 6 + 512
    # One-byte values: a block is 32 deep, so 4096 multiply-adds a cycle take two for each.
    assert cycles(16, 16, 32, bytes_per_element=1) == 8
    assert cycles(16, 16, 32, bytes_per_element=1, macs_per_cycle=8192) == 7


def test_softmax_passes_over_each_tile() -> None:
    kernel = softmax_kernel(4, 64, tile_rows=2)
    kernel.check("aiv")
    steps = ["load", "row max", "subtract", "exp", "row sum", "divide", "store"]
    assert marks_of(kernel) == dict.fromkeys(steps, 2)
    assert [op.cycles for op in kernel.ops[:7]] == [0, 22, 10, 16, 34, 21, 0]
    assert len(softmax_kernel(8, 4096).ops) == 4 * 7
    assert len(softmax_kernel(2, 100_000).ops) == 2 * 7


def test_every_op_has_a_mark() -> None:
    kernel = matmul_kernel(32, 48, 64, tile_m=16, tile_n=16, tile_k=16)
    steps = ["load A", "load B", "move A", "move B", "multiply"]
    assert marks_of(kernel) == {**dict.fromkeys(steps, 24), "store": 6}
    assert len(kernel.ops) == 24 * 5 + 6


def test_sizes_must_be_positive() -> None:
    with pytest.raises(UsageError, match=r"^elements must be positive, found 0$"):
        vector_kernel(0)
    with pytest.raises(UsageError, match=r"^columns must be positive, found 0$"):
        softmax_kernel(1, 0)
    with pytest.raises(UsageError, match=r"^tile_k must be positive, found -1$"):
        matmul_kernel(1, 1, 1, tile_k=-1)
    with pytest.raises(UsageError, match=r"^kernel 'spin', op 0: ps must not be negative"):
        spin_kernel(-1).check("aic")


def test_a_kernel_leaves_no_flag_set() -> None:
    for kernel in (
        vector_kernel(100, 4, 7),
        softmax_kernel(9, 10, tile_rows=2),
        matmul_kernel(40, 40, 40, tile_m=16, tile_n=16, tile_k=16, buffers=3),
    ):
        flags = Counter(flag for op in kernel.ops for flag in op.sets)
        assert flags == Counter(flag for op in kernel.ops for flag in op.waits)


@settings(max_examples=50, deadline=None)
@given(SIZE, TILE, st.integers(1, 8))
def test_vector_moves_every_byte_once_and_gains_from_buffers(
    elements: int, tile: int, width: int
) -> None:
    kernels = [vector_kernel(elements, width, tile, buffers=count) for count in (1, 2, 3)]
    for kernel in kernels:
        kernel.check("aiv")
        assert bytes_moved(kernel, "gm_to_ub") == elements * width
        assert bytes_moved(kernel, "ub_to_gm") == elements * width
    one, two, three = (run_one(kernel, UNEVEN) for kernel in kernels)
    assert three.length_ps <= two.length_ps <= one.length_ps
    assert serial_ps(one) == serial_ps(two)
    if elements > tile:
        assert two.length_ps < serial_ps(two)


@settings(max_examples=40, deadline=None)
@given(SIZE, SIZE, SIZE, TILE.map(lambda tile: tile + 31))
def test_matmul_loads_what_its_tiles_need_and_gains_from_buffers(
    m: int, n: int, k: int, tile: int
) -> None:
    tiles = {"tile_m": tile, "tile_n": tile, "tile_k": tile}
    kernels = [matmul_kernel(m, n, k, **tiles, buffers=count) for count in (1, 2, 3)]
    loaded = 2 * k * (m * -(-n // tile) + n * -(-m // tile))
    for kernel in kernels:
        kernel.check("aic")
        assert bytes_moved(kernel, "gm_to_l1") == loaded
        assert bytes_moved(kernel, "l1_to_l0a") + bytes_moved(kernel, "l1_to_l0b") == loaded
        assert bytes_moved(kernel, "l0c_to_gm") == 2 * m * n
    one, two, three = (run_one(kernel, UNEVEN) for kernel in kernels)
    assert three.length_ps <= two.length_ps <= one.length_ps
    assert two.length_ps < serial_ps(two)


def test_a_wide_matmul_reaches_the_cubes_pace() -> None:
    timeline = run_one(matmul_kernel(1024, 1024, 1024, macs_per_cycle=16), EVEN)
    assert busy_ps(timeline, "cube") > 0.95 * timeline.length_ps


def test_more_bandwidth_shortens_equal_cores_until_they_are_their_own_limit() -> None:
    cores = [[vector_kernel(4096, 4, 512)] for _ in range(8)]
    lengths = [Ran(cores, EVEN, 10**8 << doubling).length_ps for doubling in range(9)]
    assert all(other <= one for one, other in pairwise(lengths))
    assert lengths[-1] - Ran(cores, EVEN).length_ps < 10**6


@pytest.mark.parametrize("route", ROUTES)
def test_what_begins_or_ends_in_the_chips_memory_shares_it(route: str) -> None:
    shared = {"gm_to_ub", "gm_to_l1", "ub_to_gm", "l0c_to_gm"}
    assert PipeOp("mte2", bytes=64, route=route).shared_bytes == (64 if route in shared else 0)
    assert PipeOp("scalar", bytes=64).shared_bytes == 0


# ---- operation by operation ------------------------------------------------------------------

Row = tuple[str, int, tuple[int, ...], tuple[int, ...], str, int]


def rows(kernel: PipeKernel) -> list[Row]:
    """Route or pipe, bytes or cycles, waits, sets, step and flops of every operation."""
    return [
        (
            op.route or op.pipe,
            op.bytes or op.cycles,
            op.waits,
            op.sets,
            "" if op.mark is None else MARKS[op.mark],
            op.flops,
        )
        for op in kernel.ops
    ]


def test_a_matmul_goes_through_its_tiles_row_by_row_and_part_by_part() -> None:
    kernel = matmul_kernel(20, 16, 20, tile_m=16, tile_n=16, tile_k=16)
    assert kernel.name == "matmul 20×16×20"
    assert rows(kernel) == [
        ("gm_to_l1", 512, (), (0,), "load A", 0),
        ("gm_to_l1", 512, (), (2,), "load B", 0),
        ("l1_to_l0a", 512, (0,), (1,), "move A", 0),
        ("l1_to_l0b", 512, (2,), (3, 4), "move B", 0),
        ("cube", 7, (4,), (5,), "multiply", 2 * 16 * 16 * 16),
        ("gm_to_l1", 128, (), (0,), "load A", 0),
        ("gm_to_l1", 128, (), (2,), "load B", 0),
        ("l1_to_l0a", 128, (0,), (1,), "move A", 0),
        ("l1_to_l0b", 128, (2,), (3, 4), "move B", 0),
        ("cube", 7, (4,), (5, 6), "multiply", 2 * 16 * 16 * 4),
        ("l0c_to_gm", 512, (6,), (), "store", 0),
        ("gm_to_l1", 128, (1,), (0,), "load A", 0),
        ("gm_to_l1", 512, (3,), (2,), "load B", 0),
        ("l1_to_l0a", 128, (0, 5), (), "move A", 0),
        ("l1_to_l0b", 512, (2,), (4,), "move B", 0),
        ("cube", 7, (4,), (), "multiply", 2 * 4 * 16 * 16),
        ("gm_to_l1", 32, (1,), (0,), "load A", 0),
        ("gm_to_l1", 128, (3,), (2,), "load B", 0),
        ("l1_to_l0a", 32, (0, 5), (), "move A", 0),
        ("l1_to_l0b", 128, (2,), (4,), "move B", 0),
        ("cube", 7, (4,), (6,), "multiply", 2 * 4 * 16 * 4),
        ("l0c_to_gm", 128, (6,), (), "store", 0),
    ]


def test_sums_wait_for_a_buffer_once_all_are_in_use() -> None:
    kernel = matmul_kernel(3, 1, 2, tile_m=1, tile_k=1, buffers=1, bytes_per_element=4)
    sums = [(row[0], row[2], row[3]) for row in rows(kernel) if row[0] in ("cube", "l0c_to_gm")]
    assert sums == [
        *(("cube", (4,), (5,)), ("cube", (4,), (5, 6)), ("l0c_to_gm", (6,), (7,))),
        *(("cube", (4, 7), (5,)), ("cube", (4,), (5, 6)), ("l0c_to_gm", (6,), (7,))),
        *(("cube", (4, 7), (5,)), ("cube", (4,), (6,)), ("l0c_to_gm", (6,), ())),
    ]


def test_a_softmax_waits_for_buffers_in_its_first_pass_and_gives_them_back_in_its_last() -> None:
    kernel = softmax_kernel(3, 64, tile_rows=2, buffers=1)
    assert kernel.name == "softmax 3×64"
    assert rows(kernel) == [
        ("gm_to_ub", 512, (), (0,), "load", 0),
        ("vector", 22, (0,), (), "row max", 128),
        ("vector", 10, (), (), "subtract", 128),
        ("vector", 16, (), (), "exp", 128),
        ("vector", 34, (), (), "row sum", 128),
        ("vector", 21, (), (1, 2), "divide", 128),
        ("ub_to_gm", 512, (2,), (3,), "store", 0),
        ("gm_to_ub", 256, (1,), (0,), "load", 0),
        ("vector", 15, (0, 3), (), "row max", 64),
        ("vector", 8, (), (), "subtract", 64),
        ("vector", 14, (), (), "exp", 64),
        ("vector", 27, (), (), "row sum", 64),
        ("vector", 17, (), (2,), "divide", 64),
        ("ub_to_gm", 256, (2,), (), "store", 0),
    ]


def test_a_vector_kernel_adds_a_scalar_to_four_byte_values_in_tiles_of_8192() -> None:
    kernel = vector_kernel(8193)
    assert kernel.name == "vector 8193"
    assert rows(kernel) == [
        ("gm_to_ub", 32_768, (), (0,), "load", 0),
        ("vector", 6 + 128, (0,), (2,), "compute", 8192),
        ("ub_to_gm", 32_768, (2,), (), "store", 0),
        ("gm_to_ub", 4, (), (0,), "load", 0),
        ("vector", 7, (0,), (2,), "compute", 1),
        ("ub_to_gm", 4, (2,), (), "store", 0),
    ]
    assert vector_kernel(16, tile_elements=2) == vector_kernel(16, 4, 2, buffers=2)
    assert vector_kernel(10, 2).ops[1].flops == 10


def test_a_softmax_takes_as_many_whole_rows_as_fit_in_8192_values() -> None:
    for columns, rows_of_a_tile in (
        (4096, 2),
        (4097, 1),
        (8192, 1),
        (8193, 1),
        (2730, 3),
        (2731, 2),
    ):
        kernel = softmax_kernel(7, columns)
        assert kernel == softmax_kernel(7, columns, tile_rows=rows_of_a_tile, buffers=2)


def test_a_matmul_has_tiles_of_128_two_bytes_a_value_and_two_buffers() -> None:
    sides = {"tile_m": 128, "tile_n": 128, "tile_k": 128}
    assert matmul_kernel(300, 129, 257) == matmul_kernel(
        *(300, 129, 257), **sides, bytes_per_element=2, buffers=2, macs_per_cycle=4096
    )


def test_steps_keep_their_numbers() -> None:
    assert MARKS == {
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
    assert PEAK_FLOPS_PER_CYCLE == {"aic": 8192, "aiv": 64}


@pytest.mark.parametrize(
    ("size", "cycles"), [(0, 5), (1, 8), (256, 8), (257, 11), (512, 11), (513, 14)]
)
def test_an_instruction_works_in_repeats_of_256_bytes(size: int, cycles: int) -> None:
    assert VectorPass("compute", 5, 3).cycles(size) == cycles


@pytest.mark.parametrize(
    ("make", "sizes"),
    [
        (vector_kernel, ("elements", "bytes_per_element", "tile_elements", "buffers")),
        (softmax_kernel, ("rows", "columns", "tile_rows", "buffers")),
        (
            matmul_kernel,
            (
                *("m", "n", "k", "bytes_per_element", "buffers"),
                *("tile_m", "tile_n", "tile_k", "macs_per_cycle"),
            ),
        ),
    ],
)
def test_every_size_of_a_kernel_is_at_least_one(
    make: Callable[..., PipeKernel], sizes: tuple[str, ...]
) -> None:
    make(**dict.fromkeys(sizes, 1))
    for size in sizes:
        with pytest.raises(UsageError, match=f"^{size} must be positive, found 0$"):
            make(**dict.fromkeys(sizes, 1) | {size: 0})
