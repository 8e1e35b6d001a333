"""`lanescope import --format chip6` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.chunks.test_decoder import GOLDEN

from lanescope.cli import main
from lanescope.trace import load

Output = pytest.CaptureFixture[str]
CLOCKS = ["--core-mhz", "1000", "--counter-mhz", "1000"]


def run(*args: object) -> int:
    return main(["import", *map(str, args)])


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    path = tmp_path / "core.bin"
    path.write_bytes(GOLDEN + bytes.fromhex("ffffffefdddddddd0102"))
    return path


def test_a_raw_file_becomes_a_trace_with_its_account(
    raw: Path, tmp_path: Path, capsys: Output
) -> None:
    where = ["--core", 7, "--kind", "aiv", "-o", tmp_path]
    assert run(raw, "--format", "chip6", *CLOCKS, *where) == 0
    said = capsys.readouterr().out
    assert "42 bytes: 32 decoded, 4 filler, 4 sentinel, 2 damaged\n" in said
    assert "damaged at offset 40: 2 bytes, not a whole chunk\n" in said
    trace = load(tmp_path / "core.lanes")
    assert trace.text("marks", "pipe") == ["scalar", "mte2"]
    assert trace.marks["start_cycles"].tolist() == [4181401579570, 4181401581218]
    assert trace.marks["start_ns"].tolist() == [5900, 7548]
    assert trace.marks["core"].tolist() == [7, 7]
    assert trace.text("cores", "kind") == ["aiv"]
    assert [(e.kind, e.total, e.delivered, e.dropped) for e in trace.meta.ledger] == [
        ("chunk", 11, 10, 1),
        ("mark", 2, 2, 0),
    ]


def test_the_account_as_json(raw: Path, tmp_path: Path, capsys: Output) -> None:
    assert run(raw, "--format", "chip6", *CLOCKS, "-o", tmp_path, "--json") == 0
    (result,) = json.loads(capsys.readouterr().out)["traces"]
    assert result["bytes"] == {
        "total": 42, "decoded": 32, "filler": 4, "sentinel": 4, "stub": 0, "damaged": 2,
    }  # fmt: skip
    assert result["damaged_places"] == 1
    assert result["damaged"] == [{"offset": 40, "bytes": 2, "reason": "not a whole chunk"}]


def test_a_file_of_noise_is_an_account_of_damage(tmp_path: Path, capsys: Output) -> None:
    path = tmp_path / "noise.bin"
    path.write_bytes(bytes(range(256)) * 4)
    assert run(path, "--format", "chip6", *CLOCKS, "-o", tmp_path) == 0
    said = capsys.readouterr().out
    assert "1,024 bytes: 1,024 damaged\n" in said
    assert said.count("damaged at offset") == 5 and "more damaged places\n" in said


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--format", "chip6"], 2, "does not say its clocks: add --core-mhz, in MHz"),
        (["--core-mhz", "5"], 2, "--core-mhz is for raw chunk streams only; add --format chip6"),
        (["/nowhere", "--format", "chip6", *CLOCKS], 2, "takes one file per trace, found 2"),
    ],
)
def test_what_is_missing_is_said(
    raw: Path, options: list[str], code: int, said: str, capsys: Output
) -> None:
    assert run(raw, *options) == code
    assert said in capsys.readouterr().err


def test_an_unknown_clock_is_usage(raw: Path, capsys: Output) -> None:
    with pytest.raises(SystemExit) as stop:
        run(raw, "--format", "chip6", "--core-mhz", "fast")
    assert stop.value.code == 2
    assert "expected a clock like 1650 or 1850.5, found 'fast'" in capsys.readouterr().err


def test_an_empty_file_is_refused(tmp_path: Path, capsys: Output) -> None:
    (tmp_path / "empty.bin").touch()
    assert run(tmp_path / "empty.bin", "--format", "chip6", *CLOCKS) == 1
    assert "the file is empty" in capsys.readouterr().err
