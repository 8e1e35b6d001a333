"""The physics lint: each slip seen in a published board file is found, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanescope.model.boards import Board, load_board
from lanescope.model.boards.lint import lint

FILE = """\
name: {name}
summary: "a board"
sources:
  s: "the data sheet"
part: {{ value: {part}, basis: datasheet, source: s }}
clock:
  core_hz: {{ value: 100_000_000, basis: datasheet, source: s }}
memory:
  standard: {{ value: DDR3-1600, basis: datasheet, source: s }}
  chip: {{ value: MT41K256M16HA, basis: datasheet, source: s }}
  chips: {{ value: 1, basis: datasheet, source: s }}
  bus_width_bits: {{ value: 16, basis: datasheet, source: s }}
  transfers_per_s: {{ value: {rate}, basis: datasheet, source: s }}
  capacity_bytes: {{ value: {capacity}, basis: datasheet, source: s }}
  peak_bytes_per_s: {{ value: {peak}, basis: datasheet, source: s }}
  effective_bytes_per_s: {{ value: {effective}, basis: datasheet, source: s }}
  prefetch_m_cycles: {{ value: {charge}, basis: datasheet, source: s }}
host_link:
  kind: {{ value: {link}, basis: datasheet, source: s }}
  theoretical_bytes_per_s: {{ value: {theory}, basis: datasheet, source: s }}
  effective_bytes_per_s: {{ value: {practice}, basis: datasheet, source: s }}
"""
SOUND = {
    "name": "nexys_video",
    "part": "xc7a200t",
    "rate": 800_000_000,
    "capacity": 512 << 20,
    "peak": 1_600_000_000,
    "effective": 1_000_000_000,
    "charge": 400,
    "link": "usb2",
    "theory": 60_000_000,
    "practice": 38_000_000,
}


def board(folder: Path, **changes: object) -> Board:
    path = folder / "board.yaml"
    path.write_text(FILE.format(**(SOUND | changes)))
    return load_board(path)


def test_a_sound_board_gives_no_finding(tmp_path: Path) -> None:
    assert lint(board(tmp_path)) == []


@pytest.mark.parametrize(
    ("changes", "check", "says"),
    [
        ({"name": "nexys_a7"}, "name/part", "has xc7a100t or xc7a50t"),
        ({"peak": 3_200_000_000}, "width × rate", "counts both clock edges"),
        (
            {"peak": 12_800_000_000, "effective": 8_000_000_000},
            "width × rate",
            "bits taken for bytes",
        ),
        ({"rate": 2_000_000_000, "peak": 4_000_000_000}, "speed grade", "allows 1,600,000,000"),
        ({"capacity": 4 << 30}, "capacity/part", "hold 536,870,912 bytes"),
        ({"effective": 1_700_000_000}, "efficiency > 1", "efficiency of 1.06"),
        ({"practice": 4_750_000}, "Mb/MB", "1/12.6 of 60,000,000"),
        ({"practice": 61_000_000}, "efficiency > 1", "61,000,000 bytes/s of 60,000,000"),
        ({"theory": 480_000_000, "practice": 240_000_000}, "link rate", "bits taken for bytes"),
        ({"charge": 100}, "contradiction", "above the peak of 1,600,000,000"),
    ],
)
def test_one_slip_gives_one_finding(
    changes: dict[str, object], check: str, says: str, tmp_path: Path
) -> None:
    (found,) = lint(board(tmp_path, **changes))
    assert found.check == check
    assert says in found.text


@pytest.mark.parametrize(
    ("link", "bytes_per_s"),
    [
        ("pcie_gen2_x4", 4 * 5e9 * 8 / 10 / 8),
        ("pcie_gen3_x16", 16 * 8e9 * 128 / 130 / 8),
        ("pcie_gen5_x8", 8 * 32e9 * 128 / 130 / 8),
    ],
)
def test_a_pcie_link_carries_lanes_times_rate_times_coding(
    link: str, bytes_per_s: float, tmp_path: Path
) -> None:
    rate = round(bytes_per_s)
    assert lint(board(tmp_path, link=link, theory=rate, practice=rate // 2)) == []
    (found,) = lint(board(tmp_path, link=link, theory=2 * rate, practice=rate))
    assert found.check == "link rate"


def test_an_interval_beyond_the_peak_is_found_too(tmp_path: Path) -> None:
    (found,) = lint(board(tmp_path, effective="1_000_000_000, high: 2_000_000_000"))
    assert (found.check, found.place) == ("efficiency > 1", "memory.effective_bytes_per_s")


def test_of_the_built_in_boards_only_the_misnamed_one_is_found() -> None:
    found = {
        name: [finding.check for finding in lint(load_board(name))]
        for name in ("nexys_a7", "nexys_video", "custom_a7", "v80", "u55c", "h200")
    }
    assert found.pop("nexys_a7") == ["name/part"]
    assert not any(found.values())
