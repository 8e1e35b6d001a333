"""The published profiler's answers, met exactly: 25 programs under its 8 cycle models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.model.cost.plena_data import DATA, EDGE, PROGRAMS, answers, needs_data, settings_of

from lanescope.model.boards import load_board
from lanescope.model.cost.core import CoreSetup, core_setup
from lanescope.model.cost.settings import read_settings
from lanescope.model.cost.source import load_cost_source
from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.parse import read_program
from lanescope.model.schedule.detail import detail
from lanescope.model.schedule.figures import predict_serial
from lanescope.model.schedule.prediction import Prediction

PLENA = load_isa("plena")
MODELS = (
    "main:toml:dc_en=1",
    "main:toml:dc_en=0",
    "main:board=nexys_a7",
    "main:board=v80",
    "pr58:board=nexys_a7",
    "pr90:board=nexys_video",
    "pr90:board=custom_a7",
    "pr90:board=v80",
)


def core_of(model: str, program: Path, golden: dict[str, Any]) -> CoreSetup:
    _, _, what = model.partition(":")
    if what.startswith("toml"):
        return core_setup(None, read_settings(settings_of(program), dc_en=int(what[-1])))
    board = load_board(what.removeprefix("board="))
    return core_setup(board, None, {"MLEN": golden["mlen"], "VLEN": golden["vlen"]})


def predicted(model: str, program: Path, golden: dict[str, Any]) -> Prediction:
    source = load_cost_source("peer" if model.startswith("main") else "peer-charged")
    return predict_serial(read_program(program, PLENA), source, core_of(model, program, golden))


@needs_data
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_counts_types_and_cycles_equal_the_peers(program: Path, model: str) -> None:
    golden = answers(program)
    assert set(golden["runs"]) == set(MODELS)
    run = golden["runs"][model]
    found = predicted(model, program, golden)
    tables = detail(found, 0)
    assert found.unknown.problems == ()
    assert found.program.source_lines == run["source_lines"]
    assert int((found.program.opcode >= 0).sum()) == run["static_instruction_lines"]
    assert {o.name: o.instructions for o in tables.opcodes} == run["all_opcodes_dynamic"]
    assert {t.name: t.instructions for t in tables.types} == run["instruction_types_dynamic"]
    assert found.instructions == run["dynamic_instruction_count"]
    assert len(found.program.loops) == run["loop_start_lines"]
    assert found.serial == run["estimated_cycles"]


BOARD_FILES = {
    "main:board=nexys_a7": "main/nexys_a7.yaml",
    "main:board=v80": "main/v80.yaml",
    "pr58:board=nexys_a7": "main/nexys_a7.yaml",
    "pr90:board=nexys_video": "retyped/nexys_video.regimes.yaml",
    "pr90:board=custom_a7": "retyped/custom_a7.regimes.yaml",
    "pr90:board=v80": "main/v80.yaml",
}


@needs_data
@pytest.mark.parametrize("model", BOARD_FILES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_cycles_on_the_peers_own_board_files_equal_the_peers(program: Path, model: str) -> None:
    golden = answers(program)
    sizes = {"MLEN": golden["mlen"], "VLEN": golden["vlen"]}
    core = core_setup(load_board(DATA / "boards" / BOARD_FILES[model]), None, sizes)
    source = load_cost_source("peer" if model.startswith("main") else "peer-charged")
    found = predict_serial(read_program(program, PLENA), source, core)
    assert found.serial == golden["runs"][model]["estimated_cycles"]


def edge(name: str) -> Prediction:
    core = core_setup(load_board("nexys_a7"), None)
    return predict_serial(read_program(EDGE / name, PLENA), load_cost_source("peer"), core)


@needs_data
@pytest.mark.parametrize("name", ["loop8.asm", "loop8_inline_comment.asm"])
def test_a_comment_on_a_loops_line_does_not_change_its_count(name: str) -> None:
    """The peer says 3 instructions and 4 cycles for the second: it reads a count of 1."""
    found = edge(name)
    assert (found.instructions, found.serial) == (1 + 8 + 8, 1 + 8 * 2 + 8)
    assert found.unknown.problems == ()


@needs_data
@pytest.mark.parametrize(
    ("name", "line", "text", "counted", "left_out"),
    [
        # The peer says 41 instructions: it gives C_BREAK no meaning.
        ("loop_break.asm", 3, "a break inside a loop", 0, 5),
        # The peer says 1 instruction, the body none; the machine does not take a count of 0.
        ("loop_zero.asm", 1, "a loop count of at least 1, found 0", 0, 3),
        # The peer counts the end that ends nothing: 50 instructions.
        ("nested_unmatched_end.asm", 6, "an end without a loop", 1 + 4 + 20 + 20 + 4, 1),
    ],
)
def test_loops_that_mean_nothing_give_no_total(
    name: str, line: int, text: str, counted: int, left_out: int
) -> None:
    found = edge(name)
    (problem,) = found.unknown.problems
    assert problem.line == line
    assert text in problem.text
    assert found.instructions == counted
    assert found.unknown.lines == left_out


@needs_data
def test_unknown_opcodes_are_named_and_cost_nothing() -> None:
    """The peer says 208 cycles for 17 instructions: 1 for each unknown one, 2 lines unseen."""
    found = edge("odd_opcodes.asm")
    unknown = [problem.text.removeprefix("unknown opcode ") for problem in found.unknown.problems]
    assert unknown == [
        "V_SHIFT_V is not in the ISA plena; plena-older-main, plena-decode, plena-vlmamba and "
        "plena-ooo have it: say which with --isa",
        "V_FOO",
        "M_FOO",
        "S_MV_FP",
        "H_STORE_M",
        "H_PREFETCH_X",
        "foo",
        "v_add_vv",
    ]
    assert found.instructions == 11
    # V_PS_V, HADAMARD, SHFT 5, MAX, MIN, TOPK, MAP 64, BMV 64, MV 64, MV_WO, ADD_FP
    assert found.serial == 1 + 1 + 5 + 1 + 1 + 1 + 64 + 64 + 64 + 1 + 1
