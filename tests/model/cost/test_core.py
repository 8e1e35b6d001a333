"""Where sizes and latencies come from."""

from __future__ import annotations

from pathlib import Path

from lanescope.model.boards import load_board
from lanescope.model.cost.core import core_setup
from lanescope.model.cost.settings import read_settings

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
