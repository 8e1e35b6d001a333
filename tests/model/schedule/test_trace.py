"""A schedule as a Trace: a lane per unit, times in cycles and nanoseconds, readable by the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanescope.errors import UsageError
from lanescope.model.boards import load_board
from lanescope.model.cost.core import core_setup
from lanescope.model.cost.source import load_cost_source
from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.parse import parse
from lanescope.model.schedule.figures import predict_known
from lanescope.model.schedule.trace import schedule_trace
from lanescope.reports import build_report
from lanescope.trace import Trace, load, save

PLENA = load_isa("plena")
TEXT = "S_LUI_INT gp1, 1\nM_MM 0, gp1, gp0\nM_MM 0, gp1, gp0\nV_EXP_V gp1, gp1, 0\n"


MOVING = """\
S_LUI_INT gp1, 1
H_PREFETCH_M gp1, gp1, a0, 0, 0
H_PREFETCH_V gp1, gp1, a0, 0, 0, 0
H_STORE_V gp1, gp1, a0, 0, 0, 0
"""


def traced(board: str = "nexys_video", text: str = TEXT) -> Trace:
    core = core_setup(load_board(board), None)
    return schedule_trace(predict_known(parse(text, PLENA), load_cost_source("rtl"), core))


def test_a_lane_per_unit_and_a_task_per_instruction() -> None:
    trace = traced()
    assert trace.text("cores", "name") == list(PLENA.file.units)
    assert trace.tasks["task"].tolist() == [1, 2, 3, 0]
    assert [trace.text("cores", "name")[core] for core in trace.tasks["core"].tolist()] == [
        "matrix",
        "matrix",
        "vector",
        "scalar_int",
    ]
    assert trace.tasks["token"].tolist() == [0, 1, 0, 0]
    assert (trace.meta.origin, trace.meta.base_cycles) == ("predicted", 0)
    assert "rtl" in trace.meta.notes[0]
    assert all(entry.closes for entry in trace.meta.ledger)


def test_times_are_cycles_and_the_clocks_nanoseconds() -> None:
    """M_MM takes 8 cycles from 1 on; the vector starts behind the second one's start at 9, and
    its unit is free again after 1."""
    trace = traced()
    assert trace.tasks["start_cycles"].tolist() == [1, 9, 10, 0]
    assert trace.tasks["end_cycles"].tolist() == [9, 17, 11, 1]
    assert trace.tasks["dispatch_cycles"].tolist() == [1, 2, 10, 0]
    assert trace.tasks["start_ns"].tolist() == [10, 90, 100, 0]
    fast = traced("v80")
    assert fast.tasks["end_ns"].tolist() == [22, 42, 27, 2]


def test_bytes_are_counted_where_a_transfer_ends() -> None:
    """A matrix of 8192 bytes, a vector of 512, and a store that reads 512 bytes and writes them."""
    trace = traced(text=MOVING)
    ends = trace.tasks["end_ns"].tolist()[1:]
    assert ends == [8_210, 8_730, 9_760]
    assert trace.text("counters", "name") == ["read bytes"] * 3 + ["written bytes"] * 3
    assert trace.counters["value"].tolist() == [8_192, 8_704, 9_216, 0, 0, 512]
    assert trace.counters["time_ns"].tolist() == ends * 2


def test_the_trace_is_stored_and_reported(tmp_path: Path) -> None:
    save(traced(), tmp_path / "out.lanes")
    text = build_report(load(tmp_path / "out.lanes")).text()
    assert "origin  predicted" in text
    assert "M_MM" in text


def test_without_a_clock_there_is_no_trace() -> None:
    core = core_setup(load_board("u55c"), None)
    prediction = predict_known(parse("M_MM 0, gp1, gp0", PLENA), load_cost_source("rtl"), core)
    with pytest.raises(UsageError, match="a trace needs a clock"):
        schedule_trace(prediction)
