"""The memory that options ask for: what goes before what, and when there is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lanescope.errors import UsageError
from lanescope.model.boards import load_board
from lanescope.model.cost.core import core_setup
from lanescope.model.cost.source import load_cost_source
from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.parse import parse
from lanescope.model.memory.options import MemoryOptions, charged_memory, memory_model
from lanescope.model.schedule.figures import predict_serial
from lanescope.model.schedule.prediction import Prediction

VIDEO = load_board("nexys_video")
PREFETCH = "C_SET_ADDR_REG a0, gp0, gp0\nH_PREFETCH_V gp0, gp0, a0, 0, 0\n"


def prediction(board: str | None = "nexys_video") -> Prediction:
    core = core_setup(load_board(board) if board else None, None)
    source = load_cost_source("emulator" if board == "nexys_video" else "peer-charged")
    return predict_serial(parse(PREFETCH, load_isa("plena")), source, core)


def saved(folder: Path, capacity: int | None = None) -> Path:
    region = {"layer_id": 0, "offset": 0, "size": 4096, "kind": "weight"}
    file = folder / "m.json"
    file.write_text(json.dumps({"regions": [region], "ddr_capacity_bytes": capacity}))
    return file


def test_the_plain_memory_is_charged_by_the_cost_source_and_counted() -> None:
    run = charged_memory(prediction(), MemoryOptions())
    assert run.charged is None
    # 512 bytes at 1 GB/s: 52 cycles of 100 MHz.
    assert (run.statistics.read_bytes, run.statistics.written_bytes) == (512, 0)
    assert run.statistics.total_ps == 520_000


@pytest.mark.parametrize(
    "option", ["weight_manifest", "capacity", "host_bandwidth", "memory_size", "policy"]
)
@pytest.mark.parametrize("dram", [None, "hbm2"])
def test_an_option_that_the_plain_memory_does_not_use_is_refused(
    option: str, dram: str | None
) -> None:
    options = MemoryOptions(dram=dram, **{option: "1K"})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=f"^--{option.replace('_', '-')} changes nothing"):
        charged_memory(prediction(), options)


def test_a_capacity_goes_before_the_manifests_and_that_before_the_boards(tmp_path: Path) -> None:
    plain, sized = tmp_path / "plain", tmp_path / "sized"
    plain.mkdir()
    sized.mkdir()
    given = MemoryOptions(weight_manifest=saved(sized, 2048), capacity="1K")
    assert memory_model(given, VIDEO).capacity_bytes == 1024
    stated = memory_model(MemoryOptions(weight_manifest=saved(sized, 2048)), VIDEO)
    assert stated.capacity_bytes is None
    assert stated.manifest is not None
    assert stated.manifest.capacity_bytes == 2048
    board = memory_model(MemoryOptions(weight_manifest=saved(plain)), VIDEO)
    assert board.capacity_bytes == 512 << 20


def test_the_link_is_the_given_rate_else_what_the_boards_reaches() -> None:
    assert memory_model(MemoryOptions(host_bandwidth="1.5G"), VIDEO).link == 1_500_000_000
    assert memory_model(MemoryOptions(), VIDEO).link == 38_000_000


def test_a_preset_times_banks_and_says_where_it_is_not_the_boards() -> None:
    run = charged_memory(prediction(), MemoryOptions(dram="ddr4-2400"))
    assert run.statistics.timing == "ddr4-2400, bank by bank"
    assert run.warnings == (
        "the preset ddr4-2400 has a peak of 19.21 GB/s, the memory of nexys_video 1.6 GB/s: "
        "it only approximates the board",
    )
    same = charged_memory(prediction(), MemoryOptions(dram="ddr3-800"))
    assert same.warnings == ()


def test_every_byte_of_a_weight_crosses_the_link(tmp_path: Path) -> None:
    options = MemoryOptions(memory_model="host-stream", weight_manifest=saved(tmp_path))
    run = charged_memory(prediction(), options)
    # Four rows of one chunk of elements and one of scales.
    assert run.statistics.host is not None
    assert run.statistics.host.streamed_bytes == 4 * 128
    assert (run.statistics.host.weight_reads, run.statistics.host.weight_bytes) == (8, 512)


@pytest.mark.parametrize("board", [None, "u55c"])
def test_a_core_without_a_board_or_a_clock_has_no_memory(board: str | None) -> None:
    with pytest.raises(UsageError, match="--memory-model needs a --board with a clock"):
        charged_memory(prediction(board), MemoryOptions(dram="hbm2"))
