"""`lanescope.predict` on the example program: the words of the options, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lanescope.errors import InputError, LanescopeError, UsageError
from lanescope.model.predicting import predict

TILE = Path(__file__).parents[2] / "examples" / "tile.asm"


def test_a_prediction_of_a_program_on_a_board() -> None:
    prediction = predict(TILE, board="nexys_video", cost_source="emulator")
    assert prediction.overlapped is not None
    assert (prediction.serial, prediction.overlapped.cycles) == (27_490, 27_048)
    assert prediction.memory is not None
    assert prediction.memory.charged is None


def test_sizes_and_the_clock_go_over_those_of_the_board() -> None:
    core = predict(TILE, board="v80", mlen=128, blen=8, hlen=32, clock_mhz=250).core
    sizes = {name: core.names[name] for name in ("MLEN", "VLEN", "BLEN", "HLEN")}
    assert sizes == {"MLEN": 128, "VLEN": 128, "BLEN": 8, "HLEN": 32}
    assert core.clock_hz == 250_000_000


def test_settings_stand_in_for_a_board(tmp_path: Path) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text(
        "[TRANSACTIONAL.CONFIG.MLEN]\nvalue = 64\n"
        "[TRANSACTIONAL.LATENCY.SCALAR_INT_BASIC_CYCLES]\ndc_lib_en = 1\ndc_lib_dis = 5\n"
    )
    program = tmp_path / "one.asm"
    program.write_text("S_LUI_INT gp1, 1\n")
    serial = {
        column: predict(program, cost_source="peer", settings=settings, dc_en=column).serial
        for column in (0, 1)
    }
    assert serial == {0: 5, 1: 1}


def test_serial_leaves_the_schedule_out() -> None:
    assert predict(TILE, board="v80", serial=True).overlapped is None


def test_transfers_overlap_as_asked() -> None:
    prediction = predict(TILE, board="v80", cost_source="rtl", outstanding=4, buffers=2)
    assert prediction.transfers == (4, 2)
    assert predict(TILE, board="v80", buffers=2).transfers == (2, 2)
    assert predict(TILE, board="v80").transfers == (2, 1)


def test_another_memory_charges_the_transfers(tmp_path: Path) -> None:
    manifest = tmp_path / "m.json"
    region = {"layer_id": 0, "offset": 0, "size": 65536, "kind": "weight"}
    manifest.write_text(json.dumps({"regions": [region]}))
    prediction = predict(
        TILE,
        board="nexys_video",
        memory_model="host-stream",
        weight_manifest=manifest,
        host_bandwidth=10**9,
    )
    assert prediction.memory is not None
    assert prediction.memory.statistics.host is not None
    assert prediction.memory.statistics.host.link_bytes_per_s == 10**9
    assert prediction.to_dict()["memory"]["transfers"] == 33


def test_a_line_without_a_cost_is_refused_unless_it_is_to_be_ignored(tmp_path: Path) -> None:
    program = tmp_path / "odd.asm"
    program.write_text("S_LUI_INT gp1, 1\nV_FOO gp1\n")
    with pytest.raises(InputError, match="line 2, column 1: unknown opcode V_FOO"):
        predict(program, board="v80")
    assert predict(program, board="v80", ignore_unknown=True).unknown.lines == 1


def test_a_board_or_settings_are_needed() -> None:
    with pytest.raises(UsageError, match=r"^predict needs --board \(one of custom_a7, h200"):
        predict(TILE)


@pytest.mark.parametrize("option", ["mlen", "clock_mhz"])
def test_a_size_of_0_is_refused_by_its_name(option: str) -> None:
    sentence = f"^--{option.replace('_', '-')}: expected a number from 1 to 1,000,000,000, found 0$"
    with pytest.raises(UsageError, match=sentence):
        predict(TILE, board="v80", **{option: 0})  # type: ignore[arg-type]


def test_a_column_of_settings_that_no_latency_comes_from_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("[TRANSACTIONAL.CONFIG.MLEN]\nvalue = 64\n")
    with pytest.raises(UsageError, match="--dc-en changes nothing: the latencies come from the bo"):
        predict(TILE, board="v80", settings=path, dc_en=1)


def test_a_board_that_is_better_than_its_peak_gives_no_figure(tmp_path: Path) -> None:
    path = tmp_path / "board.yaml"
    text = (
        "name: kit\nclock_mhz: 100\nmemory:\n  capacity_bytes: 1000\n  peak_bandwidth_gbps: 1.6\n"
    )
    path.write_text(text + "  effective_bandwidth_gbps: 1.6\n")
    assert predict(TILE, board=path, cost_source="rtl").serial > 0
    path.write_text(text + "  effective_bandwidth_gbps: 2\n")
    with pytest.raises(LanescopeError, match=r"efficiency of 1\.25; no figure is given"):
        predict(TILE, board=path, cost_source="rtl")


@pytest.mark.parametrize("marked", [b"\xef\xbb\xbf%s", b"%s"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_lines_end_as_on_any_system(marked: bytes, end: bytes, tmp_path: Path) -> None:
    path = tmp_path / "program.asm"
    path.write_bytes(marked % end.join((b"; two", b"S_LUI_INT gp1, 1", b"S_LUI_INT gp2, 1", b"")))
    assert predict(path, board="v80").instructions == 2


def test_a_file_without_an_instruction_is_no_program(tmp_path: Path) -> None:
    path = tmp_path / "program.asm"
    path.write_text("; nothing\n\n")
    with pytest.raises(InputError, match="expected a program, found no instruction in 2 lines"):
        predict(path, board="v80")
