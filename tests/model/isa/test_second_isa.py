"""Another ISA is another data file: a tiny one, with its own costs, runs through everything."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanescope.errors import InputError
from lanescope.model.cost.core import CoreSetup
from lanescope.model.cost.source import load_cost_source
from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.parse import parse
from lanescope.model.predicting import predict
from lanescope.model.schedule.figures import predict_known

ISA = """\
name: tiny
summary: "two units"
sources: ["this test"]
comments: ["#"]
registers:
  r: { count: 4, zero: 0, integer: true }
state: []
memories: { buffer: 16 }
units: [alu, dma]
opcodes:
  add:
    { code: 1, operands: "rd=r rs1=r rs2=r", unit: alu, category: math,
      reads: [rs1, rs2], writes: [rd], value: add }
  set: { code: 2, operands: "rd=r imm=imm", unit: alu, category: math, writes: [rd], value: lui }
  get:
    { code: 3, operands: "rd=r", unit: dma, category: move,
      reads: [rd], writes: ["buffer @ rd x 1"], transfer: true, traffic_bytes: 64 }
  use:
    { code: 4, operands: "rd=r", unit: alu, category: math,
      reads: [rd, "buffer @ rd x 1"], flop: 16 }
  for:
    { code: 5, operands: "rd=r imm=imm", unit: alu, category: control,
      writes: [rd], loop: start, value: loop }
  end:
    { code: 6, operands: "rd=r", unit: alu, category: control,
      reads: [rd], writes: [rd], loop: end, value: loop }
"""
COSTS = """\
name: guess
isa: tiny
summary: "made up for this test"
source: "this test"
memory: cycles
costs: { add: 1, set: 1, get: 10, use: 4, for: 1, end: 1 }
"""


def test_a_second_isa_is_two_files(tmp_path: Path) -> None:
    (tmp_path / "tiny.yaml").write_text(ISA)
    (tmp_path / "guess.yaml").write_text(COSTS)
    program = parse(
        "for r1, 3 # times\n  get r2\n  use r2\nend r1\n", load_isa(tmp_path / "tiny.yaml")
    )
    found = predict_known(program, load_cost_source(tmp_path / "guess.yaml"), CoreSetup({}, "none"))
    assert found.instructions == 10
    assert found.serial == 1 + 3 * (10 + 4 + 1)
    # The next transfer comes after the turn's end, which waits for the unit: one chain.
    assert found.overlapped is not None
    assert found.overlapped.cycles == found.serial
    assert found.busy == {"alu": 1 + 3 * 5, "dma": 30, "issue": 10}
    assert found.traffic.traffic_bytes == 3 * 64
    assert found.overlapped.critical_path == 10 + 4


def test_transfers_that_come_early_overlap(tmp_path: Path) -> None:
    (tmp_path / "tiny.yaml").write_text(ISA)
    (tmp_path / "guess.yaml").write_text(COSTS)
    isa, costs = load_isa(tmp_path / "tiny.yaml"), load_cost_source(tmp_path / "guess.yaml")
    program = parse("set r2, 1\nget r1\nget r2\nuse r1\nuse r2\n", isa)
    found = predict_known(program, costs, CoreSetup({}, "none"))
    # r1 is 0 and r2 is 4096: two granules. The transfers run from 1 to 11 and 11 to 21.
    assert found.overlapped is not None
    assert found.overlapped.cycles == 21 + 4
    assert found.serial == 1 + 10 + 10 + 4 + 4


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("unit: dma", "unit: tpu", "opcodes.get: unknown unit 'tpu'"),
        ('"buffer @ rd x 1"], transfer', '"cache @ rd x 1"], transfer', "expected an operand"),
        ("reads: [rs1, rs2]", "reads: [rs9]", "opcodes.add: expected an operand"),
        ('operands: "rd=r"', 'operands: "rd"', "opcodes.get: expected role=kind, found 'rd'"),
        ("buffer @ rd x 1", "buffer @ rx x 1", "names no operand 'rx'"),
        ("code: 1,", "", "missing required field `code`"),
    ],
)
def test_a_wrong_isa_file_is_refused(old: str, new: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "tiny.yaml").write_text(ISA.replace(old, new, 1))
    with pytest.raises(InputError) as found:
        load_isa(tmp_path / "tiny.yaml")
    assert problem in str(found.value)


def test_a_name_may_stand_for_what_a_register_holds(tmp_path: Path) -> None:
    """Experts by a register that the program computes, in a set without an opcode that sets names:
    V_TOPK takes 4 cycles for each of 10 of them."""
    isa, program = tmp_path / "mine.yaml", tmp_path / "program.asm"
    text = 'name: mine\nextends: plena\nsummary: "mine"\nsources: ["by hand"]\nchanges:\n'
    isa.write_text(text + "  V_TOPK: { uses: { EXPERTS: rs1 } }\n")
    program.write_text("S_ADDI_INT gp2, gp0, 10\nV_TOPK gp1, gp2, gp3, 0\n")
    found = predict(program, board="nexys_a7", cost_source="emulator", isa=isa)
    assert found.serial == 1 + 4 * 10
