"""Where sizes and latencies come from, and settings that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanescope.errors import InputError
from lanescope.model.boards import load_board
from lanescope.model.cost.core import core_setup, read_settings

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


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[MODE]\nactive = 1\n", "expected [TRANSACTIONAL.CONFIG.…] sections, found none"),
        (SETTINGS.replace("128", "0"), "CONFIG.MLEN: expected a whole number as value, found 0"),
        (SETTINGS.replace("128", '"big"'), "expected a whole number as value, found 'big'"),
        (SETTINGS.replace("dc_lib_dis = 2\n", ""), "a whole number as dc_lib_dis, found None"),
        ("= 1", "expected settings in TOML"),
        ("a." * 5000 + "b = 1", "found a key of more than 32 parts"),
        ("'=' . " * 32 + "b = 1", "found a key of more than 32 parts"),
        ("a." * 31 + "b = 1", "sections, found none"),
        (f"a = '{'x' * 5000}...........................................'", "found none"),
    ],
)
def test_settings_that_are_refused(text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as found:
        read_settings(written(tmp_path, text))
    assert problem in str(found.value)


def test_settings_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_settings(tmp_path / "none.toml")
