"""The schedule of small programs, computed by hand. Costs: rtl on a Nexys Video, MLEN 64, BLEN 4:
M_MM 8, M_MM_WO 21, V_ADD_VV ready after 12 and one a cycle, integers 1, H_PREFETCH_V 52,
H_PREFETCH_M 820, S_ADD_FP ready 9, done 10."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec import structs

from lanescope.errors import LanescopeError, UsageError
from lanescope.model.boards import load_board
from lanescope.model.cost.core import core_setup
from lanescope.model.cost.source import load_cost_source
from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.parse import parse
from lanescope.model.schedule import overlap as module
from lanescope.model.schedule.figures import predict_known, predict_serial
from lanescope.model.schedule.overlap import Transfers, overlap
from lanescope.model.schedule.prediction import Prediction

PLENA = load_isa("plena")
VIDEO = core_setup(load_board("nexys_video"), None)
RTL = load_cost_source("rtl")


def run(*lines: str, transfers: Transfers | None = None) -> Prediction:
    return predict_known(parse("\n".join(lines), PLENA), RTL, VIDEO, transfers=transfers)


def cycles(*lines: str, transfers: Transfers | None = None) -> int:
    found = run(*lines, transfers=transfers).overlapped
    assert found is not None
    return found.cycles


def test_independent_vectors_start_one_a_cycle() -> None:
    """Rows 1 and 2 from rows 3 and 4: 0 to 12 and 1 to 13."""
    lines = ("V_ADD_VV gp1, gp3, gp3, 0", "V_ADD_VV gp2, gp3, gp3, 0")
    setup = tuple(f"S_ADDI_INT gp{n}, gp0, {64 * n}" for n in (1, 2, 3))
    assert cycles(*setup, *lines) == 3 + 1 + 12


def test_a_vector_waits_for_the_row_it_reads() -> None:
    found = run("S_ADDI_INT gp1, gp0, 64", "V_ADD_VV gp1, gp0, gp0", "V_ADD_VV gp0, gp1, gp1")
    assert found.overlapped is not None
    assert found.overlapped.cycles == 1 + 12 + 12
    assert found.overlapped.critical_path == 1 + 12 + 12
    assert found.overlapped.carriers == {"gp1": 1, "vector_sram": 12}
    assert found.overlapped.waits == {"unit": 0, "register": 0, "sram": 11, "slot": 0}


def test_a_register_is_used_when_it_is_ready_not_when_the_unit_is_done() -> None:
    """S_ADD_FP is ready after 9; the vector that takes it starts then, the next adder after 10."""
    assert cycles("S_ADD_FP f1, f2, f2", "V_ADD_VF gp0, gp0, f1, 0") == 9 + 13
    assert cycles("S_ADD_FP f1, f2, f2", "S_ADD_FP f3, f2, f2") == 10 + 10


def test_a_wait_is_for_what_was_ready_last() -> None:
    """From cycle 1 on the second one could start: the register comes at 9, the unit at 10."""
    none = {"unit": 0, "register": 0, "sram": 0, "slot": 0}
    for second, waits in (
        ("V_ADD_VF gp0, gp0, f1, 0", {"register": 8}),
        ("S_ADD_FP f3, f2, f2", {"unit": 9}),
    ):
        found = run("S_ADD_FP f1, f2, f2", second).overlapped
        assert found is not None
        assert found.waits == none | waits


def test_integers_run_beside_the_matrix_unit() -> None:
    assert cycles("M_MM 0, gp0, gp0", *["S_LUI_INT gp1, 1"] * 7) == 8
    assert cycles("M_MM 0, gp0, gp0", *["S_LUI_INT gp1, 1"] * 9) == 10


def test_write_out_waits_for_the_accumulator_and_leaves_it_empty() -> None:
    found = run(*["M_MM 0, gp0, gp0", "M_MM_WO gp0, gp0, 0"] * 2)
    assert found.overlapped is not None
    assert found.overlapped.cycles == 2 * (8 + 21)
    # The second product reads the row that the first one wrote.
    assert found.overlapped.critical_path == 2 * (8 + 21)
    elsewhere = ("S_LUI_INT gp1, 1", *["M_MM 0, gp0, gp0", "M_MM_WO gp1, gp0, 0"] * 2)
    found = run(*elsewhere)
    assert found.overlapped is not None
    assert (found.overlapped.cycles, found.overlapped.critical_path) == (1 + 58, 8 + 21)


def test_prefetches_move_beside_the_computing() -> None:
    work = ["V_ADD_VV gp1, gp1, gp1"] * 2
    lines = ("S_LUI_INT gp1, 1", "H_PREFETCH_V gp0, gp0, a0, 0, 0", *work)
    assert cycles(*lines) == 1 + 52
    assert run(*lines).serial == 1 + 52 + 24


def test_a_reader_waits_for_its_prefetch_alone() -> None:
    """Four rows of 64 from address 0: row 3 is among them, row 4 is not."""
    fetch = "H_PREFETCH_V gp0, gp0, a0, 0, 0"
    inside = ("S_ADDI_INT gp1, gp0, 192", fetch, "V_RED_MAX f1, gp1")
    outside = ("S_ADDI_INT gp1, gp0, 256", fetch, "V_RED_MAX f1, gp1")
    assert cycles(*inside) == 1 + 52 + 17
    assert cycles(*outside) == 1 + 52


def test_only_so_many_transfers_are_under_way() -> None:
    """Five of 52 cycles on one bus: each waits for the end of the one that had its slot."""
    lines = (*["H_PREFETCH_V gp0, gp0, a0, 0, 0"] * 5, "S_LUI_INT gp1, 1")
    for outstanding, slot_wait in ((1, 4 * 51), (2, 50 + 2 * 51), (5, 0)):
        found = run(*lines, transfers=Transfers(outstanding, 2)).overlapped
        assert found is not None
        assert found.cycles == 5 * 52
        assert found.waits["slot"] == slot_wait


def test_a_second_buffer_lets_a_prefetch_pass_its_readers() -> None:
    """With one buffer the second prefetch waits until the product has read the first one."""
    fetch, work = "H_PREFETCH_V gp0, gp0, a0, 0, 0", "M_MM 0, gp0, gp0"
    assert cycles(fetch, work, fetch, work) == 52 + 8 + 52 + 8
    # It is issued a cycle after the product, and that is all it waits for.
    assert cycles(fetch, work, fetch, work, transfers=Transfers(2, 2)) == 52 + 1 + 52 + 8


def test_a_loop_is_run_with_its_own_addresses() -> None:
    """Each turn writes another row: turns overlap; on one row they would not."""
    body = ("C_LOOP_START gp2, 4", "V_ADD_VV gp1, gp1, gp1", "{step}", "C_LOOP_END gp2")
    moving = [line.format(step="S_ADDI_INT gp1, gp1, 64") for line in body]
    standing = [line.format(step="S_ADDI_INT gp1, gp1, 0") for line in body]
    assert cycles(*moving) == 1 + 3 * 3 + 12
    assert cycles(*standing) == 1 + 4 * 12


def test_an_address_that_is_not_known_may_be_anywhere() -> None:
    known = ("S_ADDI_INT gp1, gp0, 640", "V_ADD_VV gp1, gp1, gp1", "V_ADD_VV gp0, gp0, gp0")
    assert cycles(*known) == 1 + 1 + 12
    unknown = ("S_LD_INT gp1, gp0, 0", *known[1:])
    assert cycles(*unknown) == 1 + 12 + 12


def test_an_empty_program_takes_no_time() -> None:
    found = run("; nothing")
    assert (found.serial, found.best, found.bound_by()[1]) == (0, 0, 0.0)


def test_times_of_every_instruction() -> None:
    program = parse("S_LUI_INT gp1, 1\nM_MM 0, gp1, gp0\nM_MM 0, gp1, gp0", PLENA)
    table = predict_serial(program, RTL, VIDEO).table
    found = overlap(program, table, Transfers(), times=True)
    assert found.start is not None and found.issue is not None
    assert found.start.tolist() == [0, 1, 9]
    assert found.issue.tolist() == [0, 1, 2]
    assert found.row_of.tolist() == [0, 1, 2]


def test_too_many_instructions_are_refused_before_they_run() -> None:
    text = "C_LOOP_START gp1, 100000\n" * 2 + "C_LOOP_END gp1\n" * 2
    program = parse(text, PLENA)
    table = predict_serial(program, RTL, VIDEO).table
    with pytest.raises(LanescopeError, match="at most 50,000,000 instructions to schedule"):
        overlap(program, table, Transfers())
    found = predict_known(program, RTL, VIDEO)
    assert found.overlapped is None
    assert found.serial == 1 + 100_000 + 100_000**2 + 100_000


def test_as_many_instructions_as_there_may_be_are_scheduled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = parse("S_LUI_INT gp1, 1\nM_MM 0, gp1, gp0\nM_MM 0, gp1, gp0", PLENA)
    table = predict_serial(program, RTL, VIDEO).table
    monkeypatch.setattr(module, "MOST_INSTRUCTIONS", 3)
    assert overlap(program, table, Transfers()).cycles == 1 + 8 + 8
    monkeypatch.setattr(module, "MOST_INSTRUCTIONS", 2)
    with pytest.raises(LanescopeError) as caught:
        overlap(program, table, Transfers())
    assert str(caught.value) == (
        f"{program.path}: expected at most 2 instructions to schedule, found 3; leave --trace and "
        "--memory-model out"
    )


def test_cycles_beyond_whole_numbers_are_refused() -> None:
    text = "C_LOOP_START gp1, 90000000\nC_LOOP_START gp1, 90000000\n"
    program = parse(text + "M_MV 0, gp0, gp0\n" * 9 + "C_LOOP_END gp1\n" * 2, PLENA)
    wide = core_setup(load_board("nexys_video"), None, {"MLEN": 1 << 20})
    with pytest.raises(LanescopeError, match="more than 2\\^62 cycles"):
        predict_serial(program, RTL, wide)


@pytest.mark.parametrize(
    "transfers", [Transfers(0, 1), Transfers(1025, 1), Transfers(1, 0), Transfers(1, 3)]
)
def test_impossible_transfers_are_refused(transfers: Transfers) -> None:
    with pytest.raises(UsageError, match="1 to 1024 outstanding transfers and 1 or 2 buffers"):
        run("S_LUI_INT gp1, 1", transfers=transfers)


@pytest.mark.parametrize("missing", ["C_LOOP_START", "C_LOOP_END"])
def test_a_loop_whose_start_or_end_has_no_cost_still_turns(missing: str) -> None:
    """Eight turns of V_ADD_VV and the other one of the two; inner loops, too."""
    costs = {name: cost for name, cost in RTL.costs.items() if name != missing}
    source = structs.replace(RTL, name="mine", costs=costs)
    text = "C_LOOP_START gp1, 4\nC_LOOP_START gp2, 2\nV_ADD_VV gp1, gp1, gp1, 0\n"
    program = parse(text + "C_LOOP_END gp2\nC_LOOP_END gp1\n", PLENA)
    found = predict_known(program, source, VIDEO)
    assert found.overlapped is not None
    ran = np.bincount(found.overlapped.row_of, minlength=5).tolist()
    assert ran == ([0, 0, 8, 8, 4] if missing == "C_LOOP_START" else [1, 4, 8, 0, 0])
    assert found.unknown.lines == 2


def test_a_loop_without_costs_is_no_endless_one() -> None:
    costs = {name: cost for name, cost in RTL.costs.items() if not name.startswith("C_LOOP")}
    text = "C_LOOP_START gp1, 4000000\n" * 2 + "C_LOOP_END gp1\n" * 2
    with pytest.raises(LanescopeError, match="at most 50,000,000 instructions to schedule"):
        predict_known(parse(text, PLENA), structs.replace(RTL, name="mine", costs=costs), VIDEO)


@pytest.mark.parametrize("size", [0, "MLEN - 64"])
def test_a_memory_without_a_granule_is_refused(size: int | str) -> None:
    memories = PLENA.file.memories | {"fp_sram": size}
    isa = PLENA._replace(file=structs.replace(PLENA.file, memories=memories))
    with pytest.raises(LanescopeError, match="expected a granule of fp_sram of at least 1, found"):
        predict_known(parse("S_ST_FP f1, gp1, 0", isa), RTL, VIDEO)
