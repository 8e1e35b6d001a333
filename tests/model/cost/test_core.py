"""Where sizes and latencies come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanescope.model.boards import load_board
from lanescope.model.cost.core import CHARGES, DEFAULT_SIZES, CoreSetup, core_setup
from lanescope.model.cost.settings import Settings, read_settings

SETTINGS = """\
[TRANSACTIONAL.CONFIG.MLEN]
value = 128
[TRANSACTIONAL.CONFIG.DC_EN]
value = 0
[TRANSACTIONAL.LATENCY.VECTOR_ADD_CYCLES]
dc_lib_en = 1
dc_lib_dis = 2
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "settings.toml"
    path.write_text(text)
    return path


def test_flags_go_over_settings_over_defaults(tmp_path: Path) -> None:
    settings = read_settings(written(tmp_path, SETTINGS))
    assert settings.column == "dc_lib_dis"
    core = core_setup(None, settings)
    assert (core.names["MLEN"], core.names["BLEN"], core.names["vector_add"]) == (
        128,
        4,
        2,
    )
    core = core_setup(None, settings, {"MLEN": 256})
    assert (core.names["MLEN"], core.names["VLEN"]) == (256, 256)


def test_a_boards_latencies_go_over_those_of_the_settings(tmp_path: Path) -> None:
    settings = read_settings(written(tmp_path, SETTINGS))
    core = core_setup(load_board("nexys_video"), settings)
    assert core.names["vector_add"] == 9
    assert core.names["MLEN"] == 128
    assert core.origin == "latencies of board nexys_video"


def test_prefetches_are_whole_tiles() -> None:
    assert core_setup(None, None, {"MLEN": 256}).names["PREFETCH_M_ROWS"] == 256


def test_the_effective_bandwidth_is_taken_where_it_is_stated() -> None:
    video = core_setup(load_board("nexys_video"), None)
    assert (video.bandwidth_kind, video.bandwidth and video.bandwidth.value) == ("effective", 10**9)
    card = core_setup(load_board("u55c"), None)
    assert (card.bandwidth_kind, card.clock_hz) == ("peak", None)


def test_a_core_without_a_board_has_the_defaults_and_free_transfers() -> None:
    core = core_setup(None, None)
    assert core == CoreSetup(
        DEFAULT_SIZES | {"prefetch_v": 0, "prefetch_m": 0, "store_v": 0}, "no latencies"
    )
    assert DEFAULT_SIZES == {
        "MLEN": 64,
        "VLEN": 64,
        "BLEN": 4,
        "HLEN": 16,
        "PREFETCH_M_ROWS": 64,
        "PREFETCH_V_ROWS": 4,
        "STORE_V_ROWS": 4,
        "ELEMENT_BITS": 8,
        "SCALE_BITS": 8,
        "BLOCK": 8,
        "VIEW_SERVICE": 0,
    }


def test_a_vector_is_as_wide_as_a_tile_unless_it_is_said() -> None:
    names = [
        core_setup(None, None, sizes).names
        for sizes in ({"MLEN": 128}, {"MLEN": 128, "VLEN": 32}, {"VLEN": 32})
    ]
    assert [(one["MLEN"], one["VLEN"]) for one in names] == [(128, 128), (128, 32), (64, 32)]


@pytest.mark.parametrize(("mlen", "rows"), [(64, 64), (48, 96), (100, 100), (1, 64)])
def test_matrix_prefetches_are_rounded_up_to_tiles(mlen: int, rows: int) -> None:
    assert core_setup(None, None, {"MLEN": mlen}).names["PREFETCH_M_ROWS"] == rows


@pytest.mark.parametrize(("exp", "softplus"), [(1, 2), (2, 13), (0, 13)])
def test_softplus_takes_the_library_of_the_exponential(exp: int, softplus: int) -> None:
    names = core_setup(None, Settings("s.toml", latencies={"vector_exp": exp})).names
    assert names["vector_softplus"] == softplus


def test_a_board_charges_what_its_file_states() -> None:
    video = core_setup(load_board("nexys_video"), None)
    charges = {name: video.names[name] for name in CHARGES}
    assert charges == {"prefetch_v": 25, "prefetch_m": 400, "store_v": 25}
    card = core_setup(load_board("u55c"), None)
    assert {name: card.names[name] for name in CHARGES} == dict.fromkeys(CHARGES, 0)
    assert card.bandwidth is not None and card.bandwidth.value == 460_000_000_000


def test_a_boards_latencies_leave_no_profile() -> None:
    settings = Settings("s.toml", latencies={"vector_add": 3}, profiler={"vector_add": 7})
    alone, on_board = core_setup(None, settings), core_setup(load_board("nexys_video"), settings)
    assert [alone.names_of(profiler)["vector_add"] for profiler in (True, False)] == [7, 3]
    assert [on_board.names_of(profiler)["vector_add"] for profiler in (True, False)] == [9, 9]
    assert alone.origin == settings.origin
