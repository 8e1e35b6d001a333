"""`lanescope predict` as a user calls it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lanescope.cli import main

Output = pytest.CaptureFixture[str]
TEXT = """\
; region load
H_PREFETCH_M gp0, gp0, a0, 1, 0
; region product
C_LOOP_START gp2, 4 ; four tiles
M_MM 0, gp0, gp0
C_LOOP_END gp2
M_MM_WO gp0, gp0, 0
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    (tmp_path / "small.asm").write_text(TEXT)
    return str(tmp_path / "small.asm")


def test_the_report_labels_four_figures(program: str, capsys: Output) -> None:
    options = ["--board", "nexys_video", "--cost-source", "emulator", "--full"]
    assert main(["predict", program, *options]) == 0
    out = " ".join(capsys.readouterr().out.split())
    # 820 for the tile, then 4 products of 72, the loop's 1 + 4, and 1 to write out.
    assert "serial sum 1,114" in out
    # The loop's start hides behind the transfer, its ends behind the products.
    assert "overlapped 1,109" in out
    assert "critical path 1,109" in out
    assert "busiest unit: memory 820" in out
    assert "bound by dependencies (100.0% of the overlapped)" in out
    assert "the published profiler's serial sum: 294 (peer), 694 (peer-charged)" in out
    assert "8,192 on the bus, 4,608 of them asked for" in out
    assert "effective, published" in out


def test_the_short_page_has_the_figures_and_what_would_pay(capsys: Output) -> None:
    tile = str(Path(__file__).parents[2] / "examples" / "tile.asm")
    options = ["--board", "nexys_video", "--cost-source", "rtl"]
    assert main(["predict", tile, *options]) == 0
    short = capsys.readouterr().out
    assert len(short.splitlines()) <= 40
    assert "bound by matrix" in short and "By opcode (3 of 18)" in short
    assert "By loop" not in short
    gain = re.search(r"^  (-[0-9.]+)%  with --outstanding 4$", short, re.MULTILINE)
    assert gain is not None
    cycles = []
    for more in ([], ["--outstanding", "4"]):
        assert main(["predict", tile, *options, *more, "--json"]) == 0
        cycles.append(json.loads(capsys.readouterr().out)["cycles"]["overlapped"])
    assert float(gain[1]) == pytest.approx(100 * (cycles[1] / cycles[0] - 1), abs=0.05)


def test_as_json(program: str, capsys: Output) -> None:
    source = ["--cost-source", "emulator"]
    assert main(["predict", program, "--board", "nexys_video", *source, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["cycles"]["serial"] == 820 + 1 + 4 * 73 + 1
    assert found["time_ns"]["serial"] == 11_140
    assert found["cost_source"] == "emulator"
    assert [row["name"] for row in found["regions"]] == ["load", "product"]
    assert found["unknown"] == {"lines": 0, "instructions": 0, "problems": []}
    assert found["bandwidth_bytes_per_s"] == 10**9


def test_a_board_whose_file_charges_transfers_does_so_by_itself(
    program: str, capsys: Output
) -> None:
    for board, source in (("nexys_a7", "peer-charged"), ("v80", "emulator")):
        assert main(["predict", program, "--board", board]) == 0
        out = capsys.readouterr().out
        head = " ".join(out[: out.index("Figures")].split())
        assert f"costs {source}: " in head
        assert f"why these the file of {board} charges " in head
    assert main(["predict", program, "--board", "nexys_a7", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    # 400 for the tile, 4 products of 64 in a loop, and 1 to write out.
    assert found["cycles"]["serial"] == 400 + 1 + 4 * 65 + 1
    assert found["cycles"]["serial"] == found["peer_cycles"]["peer-charged"]
    assert "prefetch_m 400" in found["cost_source_chosen"]


def test_boards_and_cost_sources_side_by_side(program: str, capsys: Output) -> None:
    command = ["predict", program, "--board", "nexys_video", "--board", "v80"]
    assert main([*command, "--cost-source", "peer", "--cost-source", "rtl", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["predictions"]
    cases = [(p["board"], p["cost_source"], p["cycles"]["serial"]) for p in found]
    # rtl: 4 products of 8, 21 to write out, 5 for the loop, and the tile's 8192 bytes.
    assert cases == [
        ("nexys_video", "peer", 294),
        ("nexys_video", "rtl", 820 + 58),
        ("v80", "peer", 262),
        ("v80", "rtl", 4 + 58),
    ]
    assert main([*command]) == 0
    out = capsys.readouterr().out
    assert "Predictions side by side" in out
    assert "bound by" in out


def test_two_programs_by_their_difference(program: str, tmp_path: Path, capsys: Output) -> None:
    longer = tmp_path / "longer.asm"
    longer.write_text(TEXT.replace("gp2, 4", "gp2, 5"))
    command = ["predict", program, str(longer), "--board", "nexys_video", "--diff"]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert "What differs, by opcode" in out
    assert main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["difference"]
    assert found["figures"]["serial"] == 72 + 1
    assert found["opcodes"][0] == {"name": "M_MM", "instructions": [4, 5], "cycles": [288, 360]}


def test_the_schedule_becomes_a_trace_that_exports(
    program: str, tmp_path: Path, capsys: Output
) -> None:
    trace = str(tmp_path / "out.lanes")
    assert main(["predict", program, "--board", "v80", "--trace", trace, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["trace"] == trace
    assert main(["report", trace]) == 0
    assert "11 instructions" in capsys.readouterr().out
    for form in ("kanata", "perfetto", "chrome"):
        output = tmp_path / f"out.{form}"
        assert main(["export", trace, "--to", form, "-o", str(output)]) == 0
        assert output.stat().st_size > 0
    assert "Open it with Konata" in capsys.readouterr().out


def test_the_transfers_on_another_memory(program: str, tmp_path: Path, capsys: Output) -> None:
    """8192 bytes of weights, as 128 chunks: all of them come over a link of 38 MB/s."""
    manifest = tmp_path / "weights.json"
    region = {"layer_id": 0, "offset": 0, "size": 8192, "kind": "weight"}
    manifest.write_text(json.dumps({"activation_ceiling": 0, "regions": [region]}))
    command = ["predict", program, "--board", "nexys_video", "--memory-model", "host-stream"]
    assert main([*command, "--weight-manifest", str(manifest), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    # 8,192 bytes at 38 MB/s are 21,558 cycles of 100 MHz, in place of 820 at 1 GB/s.
    assert found["cycles"]["serial"] == 1_114 - 820 + 21_558
    assert found["cycles"]["busy"]["memory"] == 21_558
    host = found["memory"]["statistics"]["host"]
    assert host["streamed_bytes"] == 8192
    assert host["link_ps"] == pytest.approx(8192 / 38e6 * 1e12, rel=1e-6)
    assert main([*command, "--weight-manifest", str(manifest)]) == 0
    assert "Memory model: host-stream" in capsys.readouterr().out
    assert main(command) == 2
    assert "manifest" in capsys.readouterr().err


def test_serial_needs_no_schedule(program: str, capsys: Output) -> None:
    assert main(["predict", program, "--board", "v80", "--serial", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["cycles"]["overlapped"], found["cycles"]["critical_path"]) == (None, None)


def test_an_unknown_opcode_gives_no_total(tmp_path: Path, capsys: Output) -> None:
    path = tmp_path / "odd.asm"
    path.write_text("S_LUI_INT gp1, 1\n  V_FOO gp1\n")
    assert main(["predict", str(path), "--board", "v80"]) == 1
    error = capsys.readouterr().err
    assert "line 2, column 3: unknown opcode V_FOO" in error
    assert main(["predict", str(path), "--board", "v80", "--ignore-unknown"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("! Not in the totals\n  1 line, 1 instruction")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "predict needs --board (one of custom_a7"),
        (["--board", "nexus"], "no board 'nexus'"),
        (["--board", "v80", "--cost-source", "rumour"], "no cost source 'rumour'"),
        (["--board", "v80", "--isa", "x86"], "no ISA 'x86'"),
        (["--board", "u55c"], "needs a clock, which the board u55c does not state"),
        (["--board", "v80", "--diff"], "--diff compares two predictions, found 1"),
        (["--board", "v80", "--serial", "--trace", "x.lanes"], "which --serial leaves out"),
        (["--board", "v80", "--serial", "--buffers", "1"], "--buffers is of the schedule, which"),
        (["--board", "v80", "--serial", "--outstanding", "2"], "--outstanding is of the schedule"),
        (
            ["--board", "v80", "--dc-en", "1"],
            "--dc-en is a column of the settings: give",
        ),
        (["--board", "v80", "--blen", "65"], "expected a BLEN of at most MLEN, found 65 and 64"),
        (["--board", "v80", "--board", "u55c", "--clock-mhz", "9", "--trace", "x.lanes"], "stores"),
    ],
)
def test_what_is_refused_is_said_in_a_sentence(
    arguments: list[str], sentence: str, program: str, capsys: Output
) -> None:
    arguments = [*arguments, "--cost-source", "rtl"] if "9" in arguments else arguments
    assert main(["predict", program, *arguments]) == 2
    assert sentence in capsys.readouterr().err


def test_a_program_that_is_not_there(tmp_path: Path, capsys: Output) -> None:
    assert main(["predict", str(tmp_path / "none.asm"), "--board", "v80"]) == 1
    assert "none.asm: cannot be read (No such file or directory)" in capsys.readouterr().err


def test_a_prediction_imports_nothing_heavy(program: str) -> None:
    code = (
        "import sys; from lanescope.cli import main\n"
        f"main(['predict', {program!r}, '--board', 'v80'])\n"
        "assert not {'pyarrow', 'rich', 'pandas'} & set(sys.modules), 'heavy'"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_words_with_a_bound_count_become_a_trace(tmp_path: Path, capsys: Output) -> None:
    (tmp_path / "p.mem").write_text("0x003D51F9\n0x0000003A\n0x000C153C\n0x0000003B\n")
    (tmp_path / "operation.svh").write_text(
        "C_ROUTE_BEGIN = 6'h39, C_ROUTE_LOOP_START = 6'h3A, C_ROUTE_LOOP_END = 6'h3B,\n"
        "V_ROUTE_MUL = 6'h3C"
    )
    words = ["predict", str(tmp_path / "p.mem"), "--board", "nexys_a7"]
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "the opcode 0x39 is S_SRLI_INT in plena-tilelang" in said
    table = [*words, "--operations", str(tmp_path / "operation.svh"), "--bind", "routes=2"]
    assert main([*table, "--json", "--trace", str(tmp_path / "out.lanes")]) == 0
    found = json.loads(capsys.readouterr().out)
    # A begin, a start, and two turns of a product and an end.
    assert (found["isa"], found["instructions"]) == ("plena-route-l", 1 + 1 + 2 * 2)


@pytest.mark.parametrize("options", [[], ["--bind", "routes=3..5"], ["--bind", "routes=5"]])
def test_an_interval_in_text_json_and_trace(
    options: list[str], tmp_path: Path, capsys: Output
) -> None:
    path = str(Path(__file__).parents[2] / "examples" / "route.asm")
    words = ["predict", path, "--board", "nexys_a7", "--isa", "plena-route-l", *options]
    assert main([*words, "--json", "--trace", str(tmp_path / "out.lanes")]) == 0
    found = json.loads(capsys.readouterr().out)
    low, high = found["interval"]["cycles"]["overlapped"]
    assert high == found["cycles"]["overlapped"]
    assert (low < high) == (options != ["--bind", "routes=5"])
    assert main(words) == 0
    out = capsys.readouterr().out
    assert ("From the least to the most turns" in out) == (low < high)
    assert main(["report", str(tmp_path / "out.lanes")]) == 0
    capsys.readouterr()
    assert main([*words, "--board", "v80"]) == 0
    note = f"route.asm on nexys_a7: {low:,} to {high:,} cycles for routes"
    assert (note in capsys.readouterr().out) == (low < high)


def test_a_program_without_such_counts_has_no_interval(program: str, capsys: Output) -> None:
    assert main(["predict", program, "--board", "nexys_a7", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["interval"] is None


def test_tables_have_12_rows_or_as_many_as_were_asked_for(capsys: Output) -> None:
    tile = str(Path(__file__).parents[2] / "examples" / "tile.asm")
    base = ["predict", tile, "--board", "nexys_video", "--cost-source", "rtl"]
    rows = []
    for more in ([], ["--top", "5"]):
        assert main([*base, *more, "--full"]) == 0
        full = capsys.readouterr().out
        assert main([*base, *more, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        rows.append((f"By opcode ({more[1] if more else 12} of 18)" in full, len(found["lines"])))
    assert rows == [(True, 12), (True, 5)]
