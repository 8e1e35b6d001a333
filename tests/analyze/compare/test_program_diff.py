"""A prediction against an emulator: what was changed is found, by opcode and line, and no more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.analyze.compare.scoreboard import instructions, op_stats, published, scoreboard
from tests.formats.plena.made import LOG, STATS, read
from tests.model.cost.plena_data import DATA, needs_data

import lanescope
from lanescope.analyze.compare.diff_text import diff_text
from lanescope.analyze.compare.program_diff import ProgramDiff
from lanescope.analyze.compare.program_text import program_verdict
from lanescope.errors import LanescopeError
from lanescope.trace import Trace

TABLE = DATA / "opcode_cost_table_mlen64.json"
PROGRAMS = ("fa_gqa_m64_b4", "ffn_m64_b4", "rms_norm_m64_b4", "linear_m64_b4", "direct_loop")
SMALL = """\
; a small program
S_ADDI_INT gp1, gp0, 4
C_LOOP_START gp3, 3
M_MM 0, gp1, gp0

V_ADD_VV gp1, gp1, gp0, 0
C_LOOP_END gp3
H_STORE_V gp1, gp0, a0, 0, 0
"""


def small_costs() -> dict[str, int]:
    """What the prediction below charges on a Nexys A7 with the profiler's costs."""
    costs = dict.fromkeys(("S_ADDI_INT", "C_LOOP_START", "C_LOOP_END"), 1)
    return {**costs, "M_MM": 64, "V_ADD_VV": 2, "H_STORE_V": 0}


def predicted(text: str, folder: Path, **options: Any) -> Trace:
    file = folder / "program.asm"
    file.write_text(text)
    same = {"board": "nexys_a7", "cost_source": "peer", "mlen": 64, "vlen": 64, "blen": 4}
    return lanescope.predict(file, **{**same, **options}).trace()


def compared(left: Trace, right: Trace) -> ProgramDiff:
    found = lanescope.diff(left, right)
    assert found.program is not None and found.rows == ()
    assert lanescope.diff(right, left).program == found.program
    return found.program


def different(diff: ProgramDiff) -> dict[str, int]:
    return {row.opcode: row.difference for row in diff.opcodes if row.difference}


@needs_data
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_known_change_is_found_in_a_real_program(name: str, tmp_path: Path) -> None:
    file = DATA / "programs" / f"{name}.asm"
    text, costs = file.read_text(), published(TABLE, "nexys_a7")
    own = file.with_suffix(".settings.toml")
    model = predicted(text, tmp_path, settings=own if own.is_file() else None)
    same = compared(model, read(scoreboard(text, costs), tmp_path, "a.jsonl"))
    assert different(same) == {} and same.lines == ()
    assert same.matched == len(model.tasks)
    changed = {**costs, "M_MM": costs["M_MM"] + 3, "S_ADDI_INT": costs["S_ADDI_INT"] + 1}
    diff = compared(model, read(scoreboard(text, changed), tmp_path, "b.jsonl"))
    count = {row.opcode: row.matched for row in diff.opcodes}
    expected = {"M_MM": 3 * count.get("M_MM", 0), "S_ADDI_INT": count.get("S_ADDI_INT", 0)}
    assert different(diff) == {opcode: cycles for opcode, cycles in expected.items() if cycles}
    assert diff.difference == sum(expected.values())
    assert sum(row.share or 0.0 for row in diff.opcodes) == pytest.approx(1.0)
    opcode_at = {pc: opcode for pc, opcode, _ in instructions(text)}
    lines = text.splitlines()
    for row in diff.lines:
        assert row.pc is not None and row.line is not None
        assert opcode_at[row.pc] == row.opcode == lines[row.line - 1].split()[0]
        assert row.difference == row.matched * {"M_MM": 3, "S_ADDI_INT": 1}[row.opcode]


@needs_data
def test_a_serial_run_is_held_against_the_serial_sum(tmp_path: Path) -> None:
    file = DATA / "programs" / "rms_norm_m64_b4.asm"
    text, costs = file.read_text(), published(TABLE, "nexys_a7")
    model = predicted(text, tmp_path, settings=file.with_suffix(".settings.toml"))
    diff = compared(model, read(op_stats(text, costs), tmp_path, "ops.jsonl"))
    figures = {figure.name: figure.difference for figure in diff.figures}
    assert figures["cycles one after the other"] == figures["instructions"] == 0
    assert different(diff) == {}
    assert [row for row in diff.opcodes if row.predicted_count != row.emulated_count] == []
    assert "take the same cycles in both." in program_verdict(diff)


def test_the_verdict_names_what_is_off(tmp_path: Path) -> None:
    text = scoreboard(SMALL, {**small_costs(), "M_MM": 67})
    diff = compared(predicted(SMALL, tmp_path), read(text, tmp_path, "a.jsonl"))
    assert program_verdict(diff).endswith(
        "12 instructions that both have take +9 cycles, in 1 of 6 opcodes: M_MM takes 67, "
        "predicted 64 (3 times, 100.0% of the difference)."
    )
    (row,) = diff.lines
    assert (row.pc, row.line, row.predicted_count, row.emulated_count) == (2, 4, 3, 3)
    assert (row.predicted_mean, row.emulated_mean, row.difference) == (64, 67, 9)
    page = diff_text(lanescope.diff(predicted(SMALL, tmp_path), read(text, tmp_path, "a.jsonl")))
    assert "compared   cycles, not times" in page
    assert "scheduler" not in page


def test_one_line_that_is_off_is_told_from_others_of_its_opcode(tmp_path: Path) -> None:
    twice = SMALL + "M_MM 0, gp1, gp0\n"
    text = scoreboard(twice, small_costs(), {6: 50})
    diff = compared(predicted(twice, tmp_path), read(text, tmp_path, "a.jsonl"))
    assert [(row.pc, row.line, row.difference) for row in diff.lines] == [(6, 9, 50)]
    assert different(diff) == {"M_MM": 50}


def test_lateness_stands_where_it_arises_and_adds_up(tmp_path: Path) -> None:
    """The store comes 40 cycles later than its operands are ready: nothing takes longer."""
    model = predicted(SMALL, tmp_path)
    lines = scoreboard(SMALL, small_costs()).splitlines(keepends=True)
    same = read("".join(lines), tmp_path, "a.jsonl")
    late = json.loads(lines[-1])
    late = {**late, **{key: late[key] + 40_000 for key in ("issue_ps", "finish_ps")}}
    emulated = read("".join(lines[:-1]) + json.dumps(late), tmp_path, "b.jsonl")
    before = {row.pc: row.behind for row in compared(model, same).behind}
    after = compared(model, emulated)
    assert {row.pc: row.behind for row in after.behind} == {**before, 5: before.get(5, 0) + 40}
    assert "what differs is how they overlap." in program_verdict(after)
    starts = [int(one.tasks["start_cycles"].max()) for one in (model, emulated)]
    assert sum(row.behind or 0 for row in after.behind) == starts[1] - starts[0]


def test_the_largest_lateness_comes_first(tmp_path: Path) -> None:
    """From its first instruction on the run is 7 cycles late, from the last one on 40 more."""
    model = predicted(SMALL, tmp_path)
    rows = [json.loads(line) for line in scoreboard(SMALL, small_costs()).splitlines()]
    pcs = [number for number, row in enumerate(rows) if "pc" in row]
    for number in pcs[1:]:
        late = 47_000 if number == pcs[-1] else 7_000
        rows[number] |= {key: rows[number][key] + late for key in ("issue_ps", "finish_ps")}
    emulated = read("\n".join(map(json.dumps, rows)), tmp_path, "a.jsonl")
    cycles = [row.behind for row in compared(model, emulated).behind]
    assert cycles[0] == max(cycles, key=lambda one: abs(one or 0)) and len(cycles) > 1
    assert [abs(one or 0) for one in cycles] == sorted((abs(c or 0) for c in cycles), reverse=True)


def test_a_file_that_is_cut_compares_what_it_has(tmp_path: Path) -> None:
    text = scoreboard(SMALL, {**small_costs(), "V_ADD_VV": 7})
    cut = "".join(text.splitlines(keepends=True)[:7]) + '{"pc"'
    diff = compared(predicted(SMALL, tmp_path), read(cut, tmp_path, "a.jsonl"))
    assert diff.matched == 7
    assert different(diff) == {"V_ADD_VV": 10}
    lacking = {r.opcode: r.predicted_count - r.emulated_count for r in diff.opcodes}
    assert lacking == {
        "S_ADDI_INT": 0, "C_LOOP_START": 0, "M_MM": 1, "V_ADD_VV": 1, "C_LOOP_END": 2,
        "H_STORE_V": 1,
    }  # fmt: skip
    assert any("is cut off" in note for note in diff.notes)


def test_another_program_is_refused_in_one_sentence(tmp_path: Path) -> None:
    other = SMALL.replace("V_ADD_VV gp1, gp1, gp0, 0", "V_SUB_VV gp1, gp1, gp0, 0")
    emulated = read(scoreboard(other, {**small_costs(), "V_SUB_VV": 2}), tmp_path, "b.jsonl")
    with pytest.raises(LanescopeError) as caught:
        lanescope.diff(predicted(SMALL, tmp_path), emulated)
    assert str(caught.value) == (
        "program and b are different programs: instruction 3 is V_ADD_VV in one and V_SUB_VV in "
        "the other; compare traces of the same program"
    )
    late = scoreboard(SMALL, small_costs()).replace('"pc": ', '"pc": 9')
    with pytest.raises(LanescopeError, match="they have no instruction in common"):
        lanescope.diff(predicted(SMALL, tmp_path), read(late, tmp_path, "c.jsonl"))


@pytest.mark.parametrize(("content", "cycles"), [(LOG, 214000), (STATS, 2)])
def test_a_run_that_is_known_as_a_whole_is_compared_as_a_whole(
    content: Any, cycles: int, tmp_path: Path
) -> None:
    model = predicted(SMALL, tmp_path)
    diff = compared(model, read(content, tmp_path, "run.log" if content is LOG else "run.json"))
    assert diff.opcodes == () and diff.matched == 0
    serial = next(one for one in diff.figures if one.name == "cycles one after the other")
    assert model.meta.schedule is not None
    assert (serial.predicted, serial.emulated) == (model.meta.schedule.serial_cycles, cycles)
    assert "nothing is compared by line" in program_verdict(diff)


def test_a_prediction_that_was_exported_and_read_back_compares_the_same(tmp_path: Path) -> None:
    model = predicted(SMALL, tmp_path)
    lanescope.export(model, tmp_path / "model.perfetto-trace", to="perfetto")
    back = lanescope.import_trace(tmp_path / "model.perfetto-trace")
    emulated = read(scoreboard(SMALL, {**small_costs(), "M_MM": 67}), tmp_path, "a.jsonl")
    assert compared(back, emulated).lines == compared(model, emulated).lines


def test_other_pairs_are_compared_by_their_measures(tmp_path: Path) -> None:
    model = predicted(SMALL, tmp_path)
    assert lanescope.diff(model, model).program is None
    emulated = read(scoreboard(SMALL, small_costs()), tmp_path, "a.jsonl")
    assert lanescope.diff(emulated, emulated).program is None
    assert lanescope.diff([model, model], [emulated]).program is None
    assert lanescope.diff(model, "examples/small_run").program is None


@settings(
    deadline=None, max_examples=40, derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(
    more=st.dictionaries(st.sampled_from(sorted(small_costs())), st.integers(0, 90), max_size=6),
    at=st.dictionaries(st.integers(0, 5), st.integers(0, 90), max_size=3),
)
def test_any_change_is_found_where_it_was_made(
    more: dict[str, int], at: dict[int, int], tmp_path: Path
) -> None:
    costs = {opcode: cycles + more.get(opcode, 0) for opcode, cycles in small_costs().items()}
    diff = compared(
        predicted(SMALL, tmp_path), read(scoreboard(SMALL, costs, at), tmp_path, "a.jsonl")
    )
    runs = {"M_MM": 3, "V_ADD_VV": 3, "C_LOOP_END": 3}
    expected = {
        pc: runs.get(opcode, 1) * (more.get(opcode, 0) + at.get(pc, 0))
        for pc, opcode, _ in instructions(SMALL)
    }
    assert {row.pc: row.difference for row in diff.lines} == {
        pc: cycles for pc, cycles in expected.items() if cycles
    }
    assert diff.difference == sum(expected.values())


def test_lines_that_differ_alike_are_ordered_by_opcode_and_place(tmp_path: Path) -> None:
    text = SMALL + "M_MM 0, gp1, gp0\nM_MM 0, gp1, gp0\n"
    emulated = read(scoreboard(text, small_costs(), {0: 7, 5: 7, 6: 7, 7: 8}), tmp_path, "a.jsonl")
    diff = compared(predicted(text, tmp_path), emulated)
    assert [(row.opcode, row.pc) for row in diff.lines] == [
        ("M_MM", 7), ("H_STORE_V", 5), ("M_MM", 6), ("S_ADDI_INT", 0),
    ]  # fmt: skip
    assert [row.opcode for row in diff.opcodes] == [
        "M_MM", "H_STORE_V", "S_ADDI_INT", "C_LOOP_END", "C_LOOP_START", "V_ADD_VV",
    ]  # fmt: skip


def test_runs_in_another_order_are_compared_by_line_but_have_no_lateness(tmp_path: Path) -> None:
    """The store comes before the last turn of the loop in one of them."""
    model = predicted(SMALL, tmp_path)
    lines = scoreboard(SMALL, small_costs()).splitlines(keepends=True)
    turned = "".join((*lines[:-3], lines[-1], *lines[-3:-1]))
    diff = compared(model, read(turned, tmp_path, "a.jsonl"))
    assert (diff.matched, diff.behind) == (len(model.tasks), ())
