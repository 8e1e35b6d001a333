"""A prediction against an emulated run as a page, whole, and its tables where they end."""

from __future__ import annotations

from dataclasses import replace

from lanescope.analyze.compare.program_diff import ProgramDiff
from lanescope.analyze.compare.program_figures import CYCLES, SERIAL, ProgramFigure
from lanescope.analyze.compare.program_rows import InstructionDiff
from lanescope.analyze.compare.program_text import program_sections, program_verdict
from lanescope.render.page import Section
from lanescope.render.plain import render_sections


def row(opcode: str, runs: int, cycles: tuple[int, int], **more: object) -> InstructionDiff:
    """An opcode that ran so often on both sides, with its predicted and emulated cycles."""
    known = {"pc": None, "line": None, "emulated_count": runs, "matched": runs, "share": None}
    return InstructionDiff(
        opcode=opcode,
        predicted_count=runs,
        predicted_cycles=cycles[0],
        emulated_cycles=cycles[1],
        **{**known, **more},  # type: ignore[arg-type]
    )


MM = row("M_MM", 3, (192, 201), share=0.75)
ADD = row("V_ADD", 2, (20, 17), share=0.25, emulated_count=4)
SAME = row("S_ADDI", 1, (1, 1), share=0.0)
DIFF = ProgramDiff(
    predicted="model",
    emulated="run",
    predicted_hz=100_000_000,
    emulated_hz=None,
    figures=(ProgramFigure(CYCLES, 200.0, 210.0), ProgramFigure("read bytes", 4096.0, None)),
    matched=6,
    opcodes=(MM, ADD, SAME),
    lines=(replace(MM, pc=2, line=4, behind=None), replace(ADD, pc=0, line=None)),
    lines_different=2,
    behind=(replace(MM, pc=2, line=4, behind=12), replace(ADD, pc=3, line=5, behind=-2)),
    notes=("The file is cut off.",),
)
PAGE = """\
Predicted against emulated
  predicted  model, 100 MHz
  emulated   run, no clock
  compared   cycles, not times: each side counts those of its own clock
  The run takes 210 cycles, predicted 200 (+5.00%). 6 instructions that both have take +6 cycles, in
  2 of 3 opcodes: M_MM takes 67, predicted 64 (3 times, 75.0% of the difference); V_ADD takes 8.5,
  predicted 10 (2 times, 25.0% of the difference).

The run as a whole
  figure      predicted  emulated  difference
  ----------  ---------  --------  ----------
  cycles            200       210         +10
  read bytes      4,096         -           -

By opcode
  opcode  runs  emulated runs  cycles each  emulated  difference  share
  ------  ----  -------------  -----------  --------  ----------  -----
  M_MM       3              3        64.00     67.00          +9  75.0%
  V_ADD      2              4        10.00      8.50          -3  25.0%

By line of the program
  line  pc  opcode  runs  emulated runs  cycles each  emulated  difference  share
  ----  --  ------  ----  -------------  -----------  --------  ----------  -----
     4   2  M_MM       3              3        64.00     67.00          +9  75.0%
     -   0  V_ADD      2              4        10.00      8.50          -3  25.0%

Where the emulated run falls behind, or catches up
  line  pc  opcode  cycles
  ----  --  ------  ------
     4   2  M_MM       +12
     5   3  V_ADD       -2
  Cycles that these instructions started later, beyond what those before them were late.

Executions that one side lacks
  opcode  predicted  emulated  compared
  ------  ---------  --------  --------
  V_ADD           2         4         2
  They are in no difference above.

Notes of the emulated run
  The file is cut off.
"""


def test_the_whole_page() -> None:
    assert render_sections(program_sections(DIFF)) == PAGE


def section(diff: ProgramDiff, title: str) -> Section:
    return next(one for one in program_sections(diff) if one.title == title)


def test_a_table_shows_20_rows_and_counts_the_rest() -> None:
    lines = tuple(replace(MM, pc=k, line=k) for k in range(30))
    found = section(replace(DIFF, lines=lines, lines_different=1_500), "By line of the program")
    assert {len(column.cells) for column in found.columns} == {20}
    assert found.notes == ("1,480 more; --json has the first 1,000.",)
    exact = section(replace(DIFF, lines=lines[:20], lines_different=20), "By line of the program")
    assert exact.notes == ()


def test_ten_lines_that_started_late_are_shown() -> None:
    late = tuple(replace(MM, pc=k, line=k, behind=k) for k in range(12))
    title = "Where the emulated run falls behind, or catches up"
    found = section(replace(DIFF, behind=late), title)
    assert {len(column.cells) for column in found.columns} == {10}
    assert found.notes[0].endswith("were late. 2 more lines in --json.")
    assert section(replace(DIFF, behind=late[:10]), title).notes[0].endswith("were late.")


def test_sections_with_nothing_to_say_are_left_out() -> None:
    quiet = replace(DIFF, opcodes=(SAME,), lines=(), behind=(), notes=())
    titles = [one.title for one in program_sections(quiet)]
    assert titles == ["Predicted against emulated", "The run as a whole"]


def test_the_verdict_names_three_opcodes_and_counts_more() -> None:
    five = tuple(replace(MM, opcode=f"M_{k}") for k in range(5))
    told = program_verdict(replace(DIFF, opcodes=five))
    assert "in 5 of 5 opcodes: M_0 takes" in told
    assert "M_2 takes" in told and "M_3 takes" not in told
    assert told.endswith("; 2 more opcodes.")
    assert "more opcodes" not in program_verdict(replace(DIFF, opcodes=five[:3]))


def test_equal_instructions_in_a_run_of_another_length_overlap_otherwise() -> None:
    plain = "6 instructions that both have take the same cycles in both."
    overlap = f"{plain[:-1]}: what differs is how they overlap."
    same = replace(DIFF, opcodes=(SAME,))
    assert program_verdict(same).endswith(overlap)
    equal = replace(same, figures=(ProgramFigure(CYCLES, 200.0, 200.0),))
    assert program_verdict(equal).endswith(plain)
    lacking = replace(same, opcodes=(SAME, replace(SAME, emulated_count=9)))
    assert program_verdict(lacking).endswith(plain)
    serial = replace(same, figures=(*DIFF.figures, ProgramFigure(SERIAL, 300.0, 300.0)))
    assert program_verdict(serial).endswith(plain)


def test_a_run_known_as_a_whole_is_held_against_both_lengths() -> None:
    figures = (ProgramFigure(CYCLES, 200.0, 300.0), ProgramFigure(SERIAL, 0.0, 300.0))
    whole = replace(DIFF, figures=figures, matched=0, opcodes=())
    assert program_verdict(whole) == (
        "The run takes 300 cycles, predicted 200 (+50.00%), 0 one instruction after the other. "
        "The emulated run is known as a whole only, so nothing is compared by line."
    )
    assert program_verdict(replace(whole, matched=1, opcodes=(SAME,))).startswith(
        "The run takes 300 cycles, predicted 0 one instruction after the other. "
    )
    assert program_verdict(replace(whole, figures=())).startswith("The emulated run is known")


def test_changes_are_relative_and_leave_out_what_one_side_lacks() -> None:
    nothing = row("C_NOP", 1, (0, 5))
    assert replace(DIFF, opcodes=(MM, nothing)).changes() == {
        CYCLES: 210 / 200 - 1,
        "M_MM": 201 / 192 - 1,
    }
    assert repr(DIFF) == "<ProgramDiff of model and run: 6 instructions, +6 cycles>"
