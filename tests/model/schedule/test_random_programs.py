"""Random programs: the C schedule equals a plain one that unrolls, and the four figures are in
order: serial ≥ overlapped ≥ each busy unit and the critical path."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.model.schedule import reference
from tests.model.schedule.programs import (
    ALL,
    PLENA,
    ROUTE_L,
    ROUTED,
    RTL,
    SHIFTED,
    SMALL,
    TILELANG,
    programs,
)

from lanescope.model.cost.source import load_cost_source
from lanescope.model.isa.isa import Isa
from lanescope.model.isa.parse import parse
from lanescope.model.schedule.figures import predict_known
from lanescope.model.schedule.overlap import Transfers
from lanescope.model.schedule.prediction import Prediction

TRANSFERS = st.builds(Transfers, st.integers(1, 3), st.integers(1, 2))
SOURCES = {name: load_cost_source(name) for name in ("peer", "peer-charged", "emulator", "rtl")}


def check(text: str, name: str, transfers: Transfers, isa: Isa = PLENA) -> Prediction:
    found = predict_known(parse(text, isa), SOURCES[name], SMALL, transfers=transfers)
    done = found.overlapped
    assert done is not None
    assert (done.cycles, done.critical_path) == reference.schedule(
        found.program, found.table, transfers
    )
    assert done.instructions == len(reference.unroll(found.program)) == found.instructions
    assert found.serial >= done.cycles >= done.critical_path
    assert all(done.cycles >= cycles for cycles in found.busy.values())
    assert int(done.row_critical.sum()) == done.critical_path
    assert int(done.row_waits.sum()) == sum(done.waits.values())
    return found


@pytest.mark.parametrize("name", ["peer", "peer-charged", "emulator"])
@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(text=programs(ALL), transfers=TRANSFERS)
def test_the_schedule_equals_the_plain_one(name: str, text: str, transfers: Transfers) -> None:
    check(text, name, transfers)


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(text=programs(ROUTED, ROUTE_L), transfers=TRANSFERS)
def test_the_schedule_of_a_build_with_views_and_routes(text: str, transfers: Transfers) -> None:
    check(text, "peer-charged", transfers, ROUTE_L)


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(text=programs(SHIFTED, TILELANG), transfers=TRANSFERS)
def test_the_schedule_of_a_build_with_shifts(text: str, transfers: Transfers) -> None:
    check(text, "peer-charged", transfers, TILELANG)


@settings(max_examples=80, deadline=None, derandomize=True, database=None)
@given(text=programs(RTL), transfers=TRANSFERS)
def test_pipelined_units_too(text: str, transfers: Transfers) -> None:
    check(text, "rtl", transfers)


@pytest.mark.stress
@settings(max_examples=2000, deadline=None, database=None, print_blob=True)
@given(text=programs(ALL), transfers=TRANSFERS, name=st.sampled_from(["peer-charged", "emulator"]))
def test_other_programs_in_every_run(name: str, text: str, transfers: Transfers) -> None:
    check(text, name, transfers)


def test_an_address_wraps_at_32_bits() -> None:
    """2^32 - 1 and 1 more is place 0, so the load waits for what was stored there."""
    lines = "S_ADDI_INT gp1, gp0, 1\nS_SUB_INT gp1, gp0, gp1\n" + 4 * "S_EXP_FP f1, f1, 0\n"
    lines += "S_ST_FP f1, gp0, 0\nS_LD_FP f2, gp1, {}\nS_EXP_FP f2, f2, 0\n"
    same, next_to_it = (
        check(lines.format(offset), "peer", Transfers(1, 1)).overlapped for offset in (1, 2)
    )
    assert same is not None and next_to_it is not None
    assert same.critical_path > next_to_it.critical_path


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(text=programs(ALL))
def test_serial_sums_equal_the_unrolled_ones(text: str) -> None:
    program = parse(text, PLENA)
    found = predict_known(program, SOURCES["emulator"], SMALL)
    rows = [row for row, _ in reference.unroll(program)]
    costs = found.table.done[program.which]
    assert found.serial == sum(int(costs[row]) for row in rows)
