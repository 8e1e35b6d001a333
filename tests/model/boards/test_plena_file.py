"""PLENA's own board files: what every key becomes, and how a wrong file is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.model.cost.plena_data import DATA, needs_data

from lanescope.errors import InputError
from lanescope.model.boards import load_board, load_boards, values
from lanescope.model.boards.lint import lint
from lanescope.model.boards.load import open_board
from lanescope.model.cost.core import core_setup

PUBLISHED = sorted((DATA / "boards").glob("*/*.yaml"))

FILE = """\
name: kit
description: a made-up kit
vendor: nobody
part: xc7k325t
clock_mhz: 62.5
memory:
  type: ddr3
  spec: DDR3-1333
  chip: MT41K256M16HA
  bus_width: x64
  physical_size_bytes: 4294967296
  capacity_bytes: 2147483648
  bus_width_bits: 512
  peak_bandwidth_gbps: 10.664
  effective_bandwidth_gbps: 6.5
  matrix_sram_depth: 3072
  vector_sram_depth: 1024
  hbm_m_prefetch_amount: 32
  hbm_v_prefetch_amount: 2
  prefetch_v_cycles: 0
  prefetch_m_cycles: 77
host_link:
  type: pcie_gen2_x4
  bandwidth_bytes_per_sec: 1500000000
precision:
  hbm_act: {exponent: 4, mantissa: 3, scale_exponent: 8, block: 8}
  hbm_weight: {exponent: 2, mantissa: 1, scale_exponent: 8, block: 32}
latency:
  dc_lib_en: false
  systolic_processing_overhead: 3
  vector_add_cycles: 2
  vector_mul_cycles: 5
  vector_exp_cycles: 6
  vector_reci_cycles: 7
  vector_max_cycles: 4
  vector_sum_cycles: 20
  scalar_fp_basic_cycles: 1
  scalar_fp_exp_cycles: 2
  scalar_fp_sqrt_cycles: 2
  scalar_fp_reci_cycles: 2
  scalar_int_basic_cycles: 1
tile_hints:
  - {mlen: 64, vlen: 32, blen: 4, batch_size: 1, status: proven}
  - {mlen: 64, vlen: 64, blen: 16, batch_size: 1, status: proven}
  - {mlen: 256, vlen: 256, blen: 64, batch_size: 1, status: untested}
colour: {case: blue}
"""
NOT_USED = {
    "vendor": "no figure depends on it",
    "memory.physical_size_bytes": "memory.capacity_bytes goes before it",
    "memory.bus_width_bits": "the width of PLENA's memory port, not of the memory's bus",
    "precision.hbm_act.exponent": "only the weights' format is counted",
    "precision.hbm_act.mantissa": "only the weights' format is counted",
    "precision.hbm_act.scale_exponent": "only the weights' format is counted",
    "precision.hbm_act.block": "only the weights' format is counted",
    "latency.dc_lib_en": "the latencies beside it already are that library's",
    "colour.case": "lanescope does not know this key",
}


def written(folder: Path, text: str = FILE, name: str = "kit.yaml") -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_every_key_becomes_a_value_in_our_units_or_is_said_unused(tmp_path: Path) -> None:
    board, keys = open_board(written(tmp_path))
    found = {place: given.value for place, given in values(board)}
    latencies = {place for place in found if place.startswith("latency.")}
    assert (board.name, board.summary) == ("kit", "a made-up kit")
    assert len(latencies) == 12
    assert found["latency.systolic_processing_overhead_cycles"] == 3
    assert {place: found[place] for place in found.keys() - latencies} == {
        "part": "xc7k325t",
        "clock.core_hz": 62_500_000,
        "memory.kind": "ddr3",
        "memory.standard": "DDR3-1333",
        "memory.chip": "MT41K256M16HA",
        "memory.bus_width_bits": 64,
        "memory.capacity_bytes": 2 << 30,
        "memory.peak_bytes_per_s": 10_664_000_000,
        "memory.effective_bytes_per_s": 6_500_000_000,
        "memory.prefetch_v_cycles": 0,
        "memory.prefetch_m_cycles": 77,
        "host_link.kind": "pcie_gen2_x4",
        "host_link.effective_bytes_per_s": 1_500_000_000,
        "sram.matrix_rows": 3072,
        "sram.vector_rows": 1024,
        "core.mlen": 64,
        "core.vlen": 64,
        "core.blen": 16,
        "core.prefetch_m_rows": 32,
        "core.prefetch_v_rows": 2,
        "core.element_bits": 4,
        "core.scale_bits": 8,
        "core.block": 32,
    }
    assert {key.key: key.note for key in keys if key.becomes is None} == NOT_USED
    assert {given.basis for _, given in values(board)} == {"published"}
    assert {given.source for _, given in values(board)} == {"published by kit.yaml"}


def test_the_core_takes_rows_and_number_format_from_the_board(tmp_path: Path) -> None:
    names = core_setup(load_board(written(tmp_path)), None, {"MLEN": 16}).names
    assert (names["PREFETCH_M_ROWS"], names["PREFETCH_V_ROWS"], names["STORE_V_ROWS"]) == (32, 2, 4)
    assert (names["ELEMENT_BITS"], names["SCALE_BITS"], names["BLOCK"]) == (4, 8, 32)
    assert (names["MLEN"], names["BLEN"]) == (16, 4), "the sizes of the program, not of the board"
    assert (names["prefetch_m"], names["prefetch_v"], names["store_v"]) == (77, 0, 0)


def test_a_rate_of_usb_in_two_readings(tmp_path: Path) -> None:
    text = re.sub(r"host_link:\n(  .*\n)+", "", FILE)
    with_usb = text.replace("  type: ddr3\n", "  type: ddr3\n  usb2_bandwidth_mbps: 38\n")
    link = load_board(written(tmp_path, with_usb)).host_link
    assert link is not None
    assert link.kind.value == "usb2"
    assert link.effective_bytes_per_s is not None
    assert (link.effective_bytes_per_s.value, link.effective_bytes_per_s.low) == (
        38_000_000,
        4_750_000,
    )
    both = FILE.replace("  type: ddr3\n", "  type: ddr3\n  usb2_bandwidth_mbps: 38\n")
    board, keys = open_board(written(tmp_path, both))
    assert board.host_link is not None
    assert board.host_link.kind.value == "pcie_gen2_x4"
    notes = {key.key: key.note for key in keys if key.becomes is None}
    assert notes["memory.usb2_bandwidth_mbps"] == "host_link goes before it"


def test_a_file_with_an_effective_rate_only(tmp_path: Path) -> None:
    board = load_board(written(tmp_path, FILE.replace("  peak_bandwidth_gbps: 10.664\n", "")))
    peak = board.memory.peak_bytes_per_s
    assert (peak.value, peak.basis) == (6_500_000_000, "assumed")


def test_only_what_a_figure_needs_must_be_there(tmp_path: Path) -> None:
    text = "name: bare\nmemory: {hbm_size_bytes: 1024, hbm_bandwidth_gbps: 819.2}\n"
    board = load_board(written(tmp_path, text))
    assert board.memory.peak_bytes_per_s.value == 819_200_000_000
    assert (board.clock, board.latency, board.host_link, board.core) == (None, None, None, None)


GBPS = "peak_bandwidth_gbps: 10.664"


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("62.5", "0", "line 5, clock_mhz: expected a number of MHz from 1e-06 to 100,000, found 0"),
        ("62.5", "-3", "from 1e-06 to 100,000, found -3"),
        ("62.5", "1.0e+30", "from 1e-06 to 100,000, found 1e+30"),
        ("62.5", "9" * 400, "from 1e-06 to 100,000, found 99999"),
        ("62.5", ".inf", "line 5, clock_mhz: expected a number of MHz, found inf"),
        ("62.5", ".nan", "expected a number of MHz, found nan"),
        ("62.5", "fast", "line 5, clock_mhz: expected a number of MHz, found the text 'fast'"),
        ("62.5", "1e3", "found the text '1e3' (write 4_750_000 or 4.75e+6)"),
        ("62.5", "true", "expected a number of MHz, found True"),
        ("62.5", "[1]", "expected a number of MHz, found a list of 1"),
        ("2147483648", "0", "memory.capacity_bytes: expected a whole number of bytes from 1 to"),
        ("2147483648", "1.5", "line 12, memory.capacity_bytes: expected a whole number of bytes"),
        ("77", "-1", "memory.prefetch_m_cycles: expected a whole number of cycles from 0 to"),
        ("77", "2.5", "memory.prefetch_m_cycles: expected a whole number of cycles, found 2.5"),
        ("x64", "wide", "memory.bus_width: expected the data lines of the memory, like x16, found"),
        ("x64", "x0", "memory.bus_width: expected the data lines"),
        ("name: kit", "", "expected the board's name, found none"),
        ("name: kit", "name: 7", "line 1, name: expected a text of at most 80 characters, found 7"),
        ("name: kit", "name: ' '", "line 1, name: expected a text"),
        ("name: kit", "name: kit\nname: b", "line 2: the key 'name' is given twice"),
        ("type: pcie_gen2_x4", "x: 1", "host_link: expected a type, like usb2 or pcie_gen2_x4"),
        ("  vector_add_cycles: 2\n", "", "latency: expected vector_add_cycles, found none"),
        ("vector_add_cycles: 2", "vector_add_cycles:", "latency: expected vector_add_cycles"),
        ("mlen: 64, vlen: 64", "mlen: 0, vlen: 64", "tile_hints[1].mlen: expected a whole number"),
        ("mlen: 64, vlen: 64", "vlen: 64", "tile_hints[1].mlen: expected a whole number of values"),
        ("colour: {case: blue}", "power: 7", "power: expected keys with values below it"),
        (
            "colour: {case: blue}",
            "x: &a [1]\ny: *a",
            "line 47: expected a value, found an alias (*a)",
        ),
    ],
)
def test_a_wrong_value_is_one_sentence(old: str, new: str, problem: str, tmp_path: Path) -> None:
    assert old in FILE
    with pytest.raises(InputError, match=re.escape(problem)) as caught:
        load_board(written(tmp_path, FILE.replace(old, new, 1)))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        (r"  (capacity|physical_size)_bytes.*\n", "memory: expected capacity_bytes, physical_size"),
        (r"  (peak|effective)_bandwidth_gbps.*\n", "memory: expected peak_bandwidth_gbps, hbm_"),
        (r"memory:\n(  .*\n)+", "memory: expected capacity_bytes, physical_size_bytes or hbm_size"),
        (r"(?s)memory:.*", "memory: expected capacity_bytes, physical_size_bytes or hbm_size"),
    ],
)
def test_what_every_board_needs(pattern: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=re.escape(problem)):
        load_board(written(tmp_path, re.sub(pattern, "", FILE)))


@pytest.mark.parametrize(
    ("weights", "bits"),
    [
        ("{exponent: 8, mantissa: 7}", (16, 0, 1)),
        ("{sign: false, exponent: 8, mantissa: 7}", (15, 0, 1)),
        ("{type: int, width: 4}", (4, 0, 1)),
        ("{type: int, width: 4, scale_exponent: 8, block: 32}", (4, 8, 32)),
    ],
)
def test_weights_of_another_format(weights: str, bits: tuple[int, ...], tmp_path: Path) -> None:
    old = "{exponent: 2, mantissa: 1, scale_exponent: 8, block: 32}"
    core = core_setup(open_board(written(tmp_path, FILE.replace(old, weights)))[0], None).names
    assert (core["ELEMENT_BITS"], core["SCALE_BITS"], core["BLOCK"]) == bits


def test_unknown_keys_are_named_where_the_board_is_used(tmp_path: Path) -> None:
    text = FILE.replace("clock_mhz", "Clock_MHz").replace("  spec:", "  ecc: 1\n  spec:")
    board, _ = open_board(written(tmp_path, text))
    assert board.notes[0].endswith("lists them; unknown keys: Clock_MHz, memory.ecc, colour.case")


def test_a_long_description_is_cut(tmp_path: Path) -> None:
    board, _ = open_board(written(tmp_path, FILE.replace("a made-up kit", "long " * 500)))
    assert len(board.summary) == 800 and board.summary.endswith("…")


def test_a_file_of_neither_form_hears_of_both(tmp_path: Path) -> None:
    path = written(tmp_path, "name: x\nspeed: 3\n")
    with pytest.raises(InputError) as caught:
        load_board(path)
    assert str(caught.value) == (
        f"{path}: expected a board, found the keys name, speed: lanescope's form has name, "
        "summary, sources and memory, each value with its source; PLENA's has name, clock_mhz, "
        "memory and latency"
    )


def test_boards_of_one_name_are_called_by_their_files(tmp_path: Path) -> None:
    first, second = written(tmp_path), written(tmp_path, name="other.yaml")
    below = written(tmp_path, name="sub/kit.yaml")
    assert [board.name for board in load_boards([first, "v80"])] == ["kit", "v80"]
    names = [board.name for board in load_boards([first, second, "v80"])]
    assert names == ["kit.yaml", "other.yaml", "v80"]
    names = [board.name for board in load_boards([first, below])]
    assert names[0] != names[1]
    assert names[1].endswith("sub/kit.yaml")


def test_the_lint_knows_the_grade_where_no_rate_is_stated(tmp_path: Path) -> None:
    assert lint(load_board(written(tmp_path))) == []
    half = FILE.replace(GBPS, "peak_bandwidth_gbps: 5.332").replace("gbps: 6.5", "gbps: 4.5")
    (found,) = lint(load_board(written(tmp_path, half)))
    assert (found.check, found.place) == ("width × grade", "memory.peak_bytes_per_s")
    assert found.text.startswith(
        "64 bits of DDR3-1333 are 10,664,000,000 bytes/s, the file says 5,332,000,000 (a factor of"
    )
    bits = FILE.replace(GBPS, "peak_bandwidth_gbps: 85.3").replace("gbps: 6.5", "gbps: 50")
    (found,) = lint(load_board(written(tmp_path, bits)))
    assert "bits taken for bytes" in found.text
    small = FILE.replace("capacity_bytes: 2147483648", "capacity_bytes: 1073741824")
    (found,) = lint(load_board(written(tmp_path, small)))
    assert "4 × MT41K256M16 hold 2,147,483,648 bytes" in found.text
    (found,) = lint(load_board(written(tmp_path, FILE.replace("1500000000", "187500000"))))
    assert (found.check, found.place) == ("Mb/MB", "host_link.effective_bytes_per_s")


@needs_data
@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.stem)
def test_the_published_files_are_read_as_they_are(path: Path) -> None:
    board, keys = open_board(path)
    ours = load_board(path.stem.partition(".")[0])
    unknown = [key.key for key in keys if key.note == "lanescope does not know this key"]
    assert unknown == []
    assert board.name == ours.name
    assert board.memory.capacity_bytes.value == ours.memory.capacity_bytes.value
    assert board.memory.peak_bytes_per_s.value == ours.memory.peak_bytes_per_s.value
    assert core_setup(board, None).names == core_setup(ours, None).names


@pytest.mark.parametrize(
    ("old", "new", "most"),
    [
        ("62.5", "{}", 100_000),
        ("10.664", "{}", 1_000_000),
        ("  type: ddr3\n", "  type: ddr3\n  usb2_bandwidth_mbps: {}\n", 1_000_000_000),
        ("1500000000", "{}", 10**15),
        ("2147483648", "{}", 1 << 50),
        ("prefetch_m_cycles: 77", "prefetch_m_cycles: {}", 10**9),
        ("  matrix_sram_depth: 3072", "  matrix_sram_tiles: {}", 10**9),
        ("vector_sram_depth: 1024", "vector_sram_depth: {}", 10**9),
        ("hbm_m_prefetch_amount: 32", "hbm_m_prefetch_amount: {}", 1 << 24),
        ("scale_exponent: 8, block: 32", "scale_exponent: 8, block: {}", 1 << 24),
        ("scale_exponent: 8, block: 32", "scale_exponent: {}, block: 32", 64),
    ],
)
def test_every_unit_has_a_largest_value(old: str, new: str, most: int, tmp_path: Path) -> None:
    text = re.sub(r"host_link:\n(  .*\n)+", "", FILE) if "usb2" in new else FILE
    assert text.count(old)
    load_board(written(tmp_path, text.replace(old, new.format(most), 1)))
    with pytest.raises(InputError, match=re.escape(f" to {most:,}, found")):
        load_board(written(tmp_path, text.replace(old, new.format(most + 1), 1)))
