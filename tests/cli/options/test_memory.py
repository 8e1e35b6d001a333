"""`lanescope predict --memory-model …` as a user calls it, on the example program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lanescope.cli import main

Output = pytest.CaptureFixture[str]
PROGRAM = Path(__file__).parents[3] / "examples" / "tile.asm"
REGIONS = [
    {"layer_id": 0, "offset": 0, "size": 65536, "kind": "weight"},
    {"layer_id": 1, "offset": 65536, "size": 65536, "kind": "kv"},
]


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    file = tmp_path / "m.json"
    file.write_text(json.dumps({"regions": REGIONS}))
    return file


def predict(manifest: Path, *options: str) -> int:
    base = ["predict", str(PROGRAM), "--board", "nexys_video", "--json"]
    return main([*base, "--weight-manifest", str(manifest), *options])


def memory_of(output: str) -> dict[str, object]:
    """The memory's part of the JSON, wherever predict puts it."""
    found = json.loads(output)
    memory = found["memory"]
    assert isinstance(memory, dict)
    return memory


@pytest.mark.parametrize(
    "model", ["layer-swap", "host-stream", "auto", "resident", "kv-swap", "weight-stream"]
)
def test_every_model_reports_the_same_words(manifest: Path, capsys: Output, model: str) -> None:
    assert predict(manifest, "--memory-model", model, "--ddr3-capacity", "512K") == 0
    memory = memory_of(capsys.readouterr().out)
    statistics = memory["statistics"]
    assert isinstance(statistics, dict)
    assert statistics["accesses"] == memory["transfers"] == 33
    assert {"read_bytes", "written_bytes", "bytes_per_s", "host"} <= statistics.keys()
    host = statistics["host"]
    if model not in ("auto", "resident"):
        assert {"hits", "swaps", "streamed_bytes", "link_utilisation"} <= host.keys()


def test_the_plain_memory_refuses_options_that_it_does_not_use(
    manifest: Path, capsys: Output
) -> None:
    assert predict(manifest, "--capacity", "1K") == 2
    assert "--weight-manifest changes nothing with the memory model hbm" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--memory-model", "auto", "--capacity", "0"), "expected a size above 0"),
        (("--memory-model", "host-stream", "--host-bandwidth", "0"), "expected a rate above 0"),
        (("--memory-model", "resident", "--capacity", "64K"), "regions of at most 65,536 bytes"),
        (("--memory-model", "auto", "--memory-size", "64K"), "within the memory of 65,536 bytes"),
        (("--memory-model", "host-stream", "--policy", "lru"), "nothing to choose from"),
    ],
)
def test_what_cannot_be_gets_one_sentence(
    manifest: Path, capsys: Output, options: tuple[str, ...], sentence: str
) -> None:
    assert predict(manifest, *options) == (1 if "within" in sentence else 2)
    err = capsys.readouterr().err
    assert sentence in err
    assert err.count("\n") == 1


def test_a_layer_larger_than_capacity_is_warned_about(manifest: Path, capsys: Output) -> None:
    assert predict(manifest, "--memory-model", "layer-swap", "--capacity", "32K") == 0
    memory = memory_of(capsys.readouterr().out)
    assert "layer 0 has 65,536 bytes, more than the capacity of 32,768" in str(memory["warnings"])


def test_belady_moves_no_more_than_the_others(manifest: Path, capsys: Output) -> None:
    moved = {}
    for policy in ("belady", "lru", "fifo"):
        options = ("--memory-model", "layer-swap", "--capacity", "96K", "--policy", policy)
        assert predict(manifest, *options) == 0
        statistics = memory_of(capsys.readouterr().out)["statistics"]
        assert isinstance(statistics, dict)
        moved[policy] = statistics["host"]["swapped_bytes"]
    assert moved["belady"] <= min(moved["lru"], moved["fifo"])


def test_a_preset_that_is_not_the_boards_memory_says_so(manifest: Path, capsys: Output) -> None:
    resident = ("--memory-model", "resident", "--dram")
    assert predict(manifest, *resident, "ddr4-2400") == 0
    assert "it only approximates the board" in capsys.readouterr().out
    assert predict(manifest, *resident, "ddr3-800") == 0
    assert "approximates" not in capsys.readouterr().out
