"""`lanescope boards` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lanescope.cli import main

Output = pytest.CaptureFixture[str]


def test_the_list_names_every_board(capsys: Output) -> None:
    assert main(["boards"]) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines()] == [
        "custom_a7",
        "h200",
        "nexys_a7",
        "nexys_video",
        "u55c",
        "v80",
    ]


def test_the_list_as_json(capsys: Output) -> None:
    assert main(["boards", "--json"]) == 0
    found = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert found["nexys_video"]["capacity_bytes"] == 512 << 20
    assert found["u55c"]["peak_bytes_per_s"] == 32 * 14_375_000_000


def test_show_prints_value_basis_and_source(capsys: Output) -> None:
    assert main(["boards", "show", "u55c"]) == 0
    out = capsys.readouterr().out
    assert "17,179,869,184  datasheet" in out
    assert "UG1393" in out


def test_show_as_json_is_exact(capsys: Output) -> None:
    assert main(["boards", "show", "nexys_video", "--json"]) == 0
    values = json.loads(capsys.readouterr().out)["values"]
    link = values["host_link.effective_bytes_per_s"]
    assert (link["value"], link["high"], link["basis"]) == (38_000_000, 42_000_000, "published")


def test_check_finds_the_misnamed_board(capsys: Output) -> None:
    assert main(["boards", "check", "nexys_a7"]) == 1
    assert "[name/part]" in capsys.readouterr().out


def test_check_of_a_sound_board(capsys: Output) -> None:
    assert main(["boards", "check", "v80"]) == 0
    assert capsys.readouterr().out == "v80: nothing contradicts itself\n"


def test_check_as_json(capsys: Output) -> None:
    assert main(["boards", "check", "nexys_a7", "--json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    assert found["place"] == "part"


def test_show_without_a_name_says_which_there_are(capsys: Output) -> None:
    assert main(["boards", "show"]) == 2
    assert "boards show needs a board: one of custom_a7" in capsys.readouterr().err


PLENA = """\
name: kit
clock_mhz: 100
memory: {physical_size_bytes: 1024, peak_bandwidth_gbps: 1.6, modeled_size_bytes: 4096}
colour: blue
"""


def test_show_of_a_plena_file_prints_both_views(tmp_path: Path, capsys: Output) -> None:
    path = tmp_path / "kit.yaml"
    path.write_text(PLENA)
    assert main(["boards", "show", str(path)]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "capacity_bytes 1,024 published" in lines
    assert "every value: published by kit.yaml" in lines
    assert "memory.physical_size_bytes 1024 memory.capacity_bytes" in lines
    assert lines[-2:] == ["colour blue not used", "lanescope does not know this key"]
    assert main(["boards", "show", str(path), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["values"]["clock.core_hz"] == {
        "value": 100_000_000,
        "basis": "published",
        "source": "published by kit.yaml",
    }
    assert shown["file_keys"][-1] == {
        "key": "colour",
        "value": "blue",
        "becomes": None,
        "note": "lanescope does not know this key",
    }


def test_a_second_board_of_a_manifest_is_never_left_out(capsys: Output) -> None:
    model = "examples/model_135m.json"
    assert main(["manifest", model, "--board", "v80", "--board", "h200"]) == 2
    assert "manifest takes one --board, found 2: v80, h200" in capsys.readouterr().err
