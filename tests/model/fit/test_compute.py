"""The compute rate of a core: against real programs, by hand, and where there is none."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import msgspec
import pytest
from tests.model.cost.plena_data import DATA, needs_data

from lanescope.errors import LanescopeError
from lanescope.model.boards import load_board
from lanescope.model.cost.core import core_setup
from lanescope.model.cost.source import CostSource, load_cost_source
from lanescope.model.fit.compute import ComputeRate, core_compute, pass_cycles
from lanescope.model.fit.tile_program import Nest, TileSizes, TileWork, layer_nests, product_nest
from lanescope.model.fit.work import flop_per_token
from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.parse import read_program
from lanescope.model.manifest.shape import Shape
from lanescope.model.schedule.figures import predict_known

BOARD = load_board("nexys_video")
TRANSFERS = ("H_PREFETCH_M", "H_PREFETCH_V", "H_STORE_V")
SMALL = Shape(
    layers=1,
    hidden=64,
    heads=1,
    kv_heads=1,
    head_dim=64,
    intermediate=128,
    vocabulary=64,
    weight_bits=Fraction(9),
    kv_bits=Fraction(16),
)
CLM60M = replace(SMALL, hidden=384, heads=6, kv_heads=2, intermediate=1536)
MODEL = replace(
    SMALL,
    layers=30,
    hidden=576,
    heads=9,
    kv_heads=3,
    intermediate=1536,
    vocabulary=49152,
)
ATTENTION = {"scores", "softmax", "values", "rescale", "softmax start", "normalise"}
MLP = {"up and gate", "down", "activation"}


def free(name: str) -> CostSource:
    """A cost source whose transfers cost nothing."""
    source = load_cost_source(name)
    return msgspec.structs.replace(
        source, memory="free", costs=source.costs | dict.fromkeys(TRANSFERS, 0)
    )


def ratio(program: str, source: str, sizes: TileSizes, nests: list[Nest]) -> float:
    """Cycles of the generated nests over those of a real program without transfers."""
    names = {"MLEN": sizes.mlen, "BLEN": sizes.blen, "VLEN": sizes.vlen, "HLEN": 64}
    core = core_setup(BOARD, None, names)
    path = DATA / "programs" / f"{program}.asm"
    real = predict_known(read_program(path, load_isa("plena")), free(source), core)
    return pass_cycles(nests, load_cost_source(source), core) / real.best


@needs_data
@pytest.mark.parametrize("source", ["emulator", "peer", "rtl"])
@pytest.mark.parametrize(
    ("program", "sizes", "product"),
    [
        ("linear_m64_b4", TileSizes(64, 4, 64), (64, 64, 128)),
        ("linear_m64_b4_s64_h128_o256", TileSizes(64, 4, 64), (64, 128, 256)),
        ("linear_m256_b64_h1024_o1024", TileSizes(256, 64, 256), (256, 1024, 1024)),
        ("linear_bias_m128_b8", TileSizes(128, 8, 128), (128, 128, 256)),
        ("direct_linear", TileSizes(64, 4, 64), (8, 128, 256)),
    ],
)
def test_a_product_takes_what_a_compiled_one_takes(
    program: str, sizes: TileSizes, product: tuple[int, int, int], source: str
) -> None:
    """The one with a bias also adds it."""
    assert ratio(program, source, sizes, [product_nest("x", sizes, *product)]) == pytest.approx(
        1, abs=0.06
    )


@needs_data
@pytest.mark.parametrize("source", ["emulator", "peer", "rtl"])
@pytest.mark.parametrize(("program", "parts"), [("ffn_m64_b4", MLP), ("fa_mha_m64_b4", ATTENTION)])
def test_parts_of_a_layer_take_what_compiled_ones_take(
    program: str, parts: set[str], source: str
) -> None:
    """Without what the compiled parts do not all have: projections, a mask, residuals."""
    sizes = TileSizes(64, 4, 64)
    nests = layer_nests(SMALL, sizes, TileWork(64, 64, 1))
    chosen = [nest for nest in nests if nest.part in parts]
    assert ratio(program, source, sizes, chosen) == pytest.approx(1, abs=0.06)


@needs_data
@pytest.mark.parametrize("source", ["emulator", "peer", "rtl"])
def test_a_layer_takes_what_a_compiled_layer_takes(source: str) -> None:
    """The compiled one also adds positions and has a norm behind the layer."""
    sizes = TileSizes(256, 64, 256)
    nests = layer_nests(CLM60M, sizes, TileWork(256, 256, 1))
    assert 0.93 < ratio("clm60m_1L_m256_b64_s256", source, sizes, nests) < 1.0


def rate(**changes: object) -> ComputeRate:
    given = {"shape": MODEL, "batch": 1, "context": 2048} | changes
    found = core_compute(BOARD, **given)  # type: ignore[arg-type]
    assert found is not None
    return found


def test_a_rate_is_the_models_arithmetic_over_the_schedules_time() -> None:
    found = rate()
    prompt = 2048 * flop_per_token(MODEL, 1024)
    assert found.prefill_flop_per_s * found.prefill_s == pytest.approx(prompt)
    assert found.decode_flop_per_s * found.decode_s == pytest.approx(flop_per_token(MODEL, 2048))
    assert found.prefill_low <= found.prefill_flop_per_s <= found.prefill_high
    assert found.decode_low <= found.decode_flop_per_s <= found.decode_high
    assert "MLEN 64, BLEN 4, VLEN 64 and 100 MHz" in found.source
    assert "largest proven tiles are MLEN 64, BLEN 16" in found.source


def test_no_rate_is_above_what_the_matrix_unit_can_do() -> None:
    """One M_MM is 2 × BLEN² × MLEN operations in MLEN + 8 cycles at 100 MHz."""
    peak = 2 * 4 * 4 * 64 / 72 * 100e6
    found = rate()
    assert 0.8 * peak < found.prefill_flop_per_s < peak
    assert found.decode_flop_per_s < peak / 2


def test_a_batch_fills_the_rows_of_a_block() -> None:
    one, four, eight = (rate(batch=batch) for batch in (1, 4, 8))
    assert (one.decode_by, four.decode_by) == ("M_MV", "M_MM")
    assert four.decode_s < 2 * one.decode_s
    assert eight.decode_s > 1.7 * four.decode_s


def test_larger_blocks_and_another_clock_are_faster() -> None:
    wide = core_compute(BOARD, shape=MODEL, batch=1, context=2048, blen=16)
    assert wide is not None
    assert wide.prefill_flop_per_s > 6 * rate().prefill_flop_per_s
    fast = core_compute(load_board("v80"), shape=MODEL, batch=1, context=2048)
    assert fast is not None
    assert fast.prefill_flop_per_s > 4 * rate().prefill_flop_per_s


def test_attention_grows_with_the_context_in_decode() -> None:
    assert rate(context=4096).decode_s > rate(context=256).decode_s * 1.2


def test_boards_without_a_core_have_no_rate() -> None:
    for name in ("h200", "u55c"):
        assert core_compute(load_board(name), shape=MODEL, batch=1, context=64) is None


def test_a_source_without_a_cost_is_named() -> None:
    with pytest.raises(LanescopeError, match="no cost source 'nobody'"):
        rate(cost_source="nobody")
    with pytest.raises(LanescopeError, match="no compute rate: V_RED_"):
        rate(cost_source="rtl", vlen=48)


def test_blocks_that_do_not_divide_a_tile_are_rounded_up() -> None:
    """48 needs two columns of blocks per tile of 64, as 32 does, and fewer rows of them."""
    assert rate(blen=64).prefill_s < rate(blen=48).prefill_s < rate(blen=32).prefill_s
    with pytest.raises(LanescopeError, match="a BLEN of at most MLEN, found 128 and 64"):
        rate(blen=128)


def test_absurd_shapes_take_no_time_to_schedule() -> None:
    huge = replace(MODEL, hidden=10**9, heads=10**6, kv_heads=1, head_dim=10**3, layers=10**6)
    found = rate(shape=huge, context=10**9)
    assert 0 < found.prefill_flop_per_s < 3e9
