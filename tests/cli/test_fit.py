"""`lanescope fit` and `lanescope manifest` as a user calls them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lanescope.cli import main

Output = pytest.CaptureFixture[str]
CONFIG = {
    "num_hidden_layers": 30,
    "hidden_size": 576,
    "num_attention_heads": 9,
    "num_key_value_heads": 3,
    "vocab_size": 49152,
    "intermediate_size": 1536,
    "torch_dtype": "bfloat16",
    "tie_word_embeddings": True,
}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(CONFIG))
    return file


def run(*args: object) -> int:
    return main([str(arg) for arg in args])


def test_fit_tells_the_whole_story(config: Path, capsys: Output, tmp_path: Path) -> None:
    picture = tmp_path / "plane.svg"
    arguments = ("--board", "custom_a7", "--capacity", "128M", "--weight-dtype", "mxfp8")
    assert run("fit", config, *arguments, "--full", "--svg", picture) == 0
    out = capsys.readouterr().out
    for part in (
        "regime: weight-stream with 134.22 MB of memory",
        "decode: ",
        "without prefetch",
        "prefill: first token after ",
        "arithmetic: predict's schedule",
        "MB more memory: resident",
        "weights over the link per pass: fifo",
        "sensitivity: tokens per second",
        "@",
    ):
        assert part in out
    assert picture.read_text().startswith("<svg")


def test_fit_on_one_screen(config: Path, capsys: Output) -> None:
    arguments = ("--board", "nexys_video", "--capacity", "128M", "--weight-dtype", "mxfp8")
    assert run("fit", config, *arguments) == 0
    out = capsys.readouterr().out
    assert len(out.splitlines()) <= 20
    for part in ("decode: ", "prefill: first token after ", "MB more memory: resident"):
        assert part in out
    assert "worth measuring: link_bytes_per_s; its range gives " in out
    assert out.endswith("More: --full, and --svg FILE for a picture\n")
    assert "sensitivity" not in out and "@" not in out


def test_fit_as_json(config: Path, capsys: Output) -> None:
    assert run("fit", config, "--board", "h200", "--batch", 8, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["regime"] == "resident"
    # 30 layers × 2 × 3 heads × 64 × 2048 tokens × 8 sequences × 2 bytes.
    assert found["footprint_bytes"]["kv"] == 30 * 2 * 3 * 64 * 2048 * 8 * 2
    rate = found["decode"]["tokens_per_s"]
    assert found["prefill"]["first_token_s"]["estimate"] > 0
    assert rate["low"] < rate["estimate"] < rate["high"]
    assert {"plane", "sensitivity", "ways_out", "interval_from"} <= found.keys()


def test_manifest_writes_what_it_says_and_fit_reads_it(
    config: Path, capsys: Output, tmp_path: Path
) -> None:
    target = tmp_path / "m.json"
    assert run("manifest", config, "--context", 100, "--board", "nexys_video", "-o", target) == 0
    out = capsys.readouterr().out
    assert "regime with 536,870,912 bytes of memory: resident" in out
    assert "shape × 16 bits" in out
    assert json.loads(target.read_text())["ddr_capacity_bytes"] == 536_870_912
    assert run("fit", target, "--board", "custom_a7", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert any("the manifest's own" in note for note in found["notes"])


def test_manifest_estimates_the_layers_that_a_build_lacks(capsys: Output, tmp_path: Path) -> None:
    (tmp_path / "hbm_addrs.json").write_text('{"W_q_0": 0, "X": 100}')
    (tmp_path / "hbm_sizes.json").write_text('{"W_q_0": 100, "X": 7}')
    assert run("manifest", tmp_path, "--total-layers", 30, "--capacity", "1K", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["regime"] == "resident"
    assert found["whole_model"]["footprint_bytes"]["weight"] == 3000
    assert found["whole_model"]["regime"] == "weight-stream"


@pytest.mark.parametrize(
    ("arguments", "sentence", "code"),
    [
        (("--capacity", "0"), "expected a size above 0", 2),
        (("--capacity=-1G",), "expected a size above 0", 2),
        (("--host-bandwidth", "0"), "expected a rate above 0", 2),
        (("--host-bandwidth", "fast"), "expected a rate like", 2),
        (("--compute", "0"), "--compute: expected operations per second", 2),
        (("--storage", "-2"), "expected a rate above 0", 2),
        (("--context", "0"), "--context: expected a number from 1", 2),
        (("--batch", "-3"), "--batch: expected a number from 1", 2),
        (("--weight-dtype", "float7"), "expected a dtype", 1),
    ],
)
def test_nonsense_gets_one_sentence(
    config: Path, capsys: Output, arguments: tuple[str, ...], sentence: str, code: int
) -> None:
    assert run("fit", config, "--board", "custom_a7", *arguments) == code
    err = capsys.readouterr().err
    assert sentence in err
    assert err.count("\n") == 1


def test_a_model_that_is_not_there(capsys: Output) -> None:
    assert run("fit", "nowhere.gguf", "--board", "custom_a7") == 1
    assert "nowhere.gguf: expected a model file" in capsys.readouterr().err


def test_heavy_modules_are_not_imported(config: Path) -> None:
    """NumPy is: the rate of a board's core comes from the schedule of a program."""
    program = (
        "import sys; from lanescope.cli import main; "
        f"main(['fit', {str(config)!r}, '--board', 'custom_a7', '--compute', '1G']); "
        "print([m for m in ('pyarrow', 'rich') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    assert found.stdout.decode().splitlines()[-1] == "[]"


def test_boards_stand_side_by_side(config: Path, capsys: Output, tmp_path: Path) -> None:
    boards = ("--board", "nexys_video", "--board", "h200")
    assert run("fit", config, *boards) == 0
    out = capsys.readouterr().out
    assert out.startswith("config.json on 2 boards\n")
    rows = [line.split()[0] for line in out.splitlines() if "resident" in line]
    assert rows == ["nexys_video", "h200"]
    assert run("fit", config, *boards, "--json") == 0
    both = json.loads(capsys.readouterr().out)["fits"]
    for name, found in zip(("nexys_video", "h200"), both, strict=True):
        assert run("fit", config, "--board", name, "--json") == 0
        told = {"schema": "urn:lanescope:fit:1", **found}
        assert json.loads(capsys.readouterr().out) == told


def test_files_of_one_name_are_told_apart(config: Path, capsys: Output, tmp_path: Path) -> None:
    text = "name: kit\nmemory: {{capacity_bytes: {0}, peak_bandwidth_gbps: 2}}\nclock_mhz: 10\n"
    for name, capacity in (("small.yaml", 1 << 20), ("large.yaml", 1 << 30)):
        (tmp_path / name).write_text(text.format(capacity))
    boards = ("--board", tmp_path / "small.yaml", "--board", tmp_path / "large.yaml")
    assert run("fit", config, *boards, "--json") == 0
    fits = json.loads(capsys.readouterr().out)["fits"]
    assert [one["board"] for one in fits] == ["small.yaml", "large.yaml"]
    assert [one["regime"] for one in fits] == ["weight-stream", "resident"]


def test_one_picture_shows_one_board(config: Path, capsys: Output, tmp_path: Path) -> None:
    picture = tmp_path / "plane.svg"
    assert run("fit", config, "--board", "v80", "--board", "h200", "--svg", picture) == 2
    assert "--svg draws the plane of one board, found 2" in capsys.readouterr().err
    assert not picture.exists()
