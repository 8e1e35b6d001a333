"""A program on units: the bound is the prediction's, no word of a scheduler, opcodes by cycles."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.analyze.hand import make_trace
from tests.analyze.units.made import SCHEDULE, program

import lanescope
from lanescope.analyze.cores.makespan import makespan
from lanescope.analyze.units.program import OpcodeUse, unit_program
from lanescope.errors import UsageError
from lanescope.reports import build_report
from lanescope.trace import load, save
from lanescope.viewer.answers import page_basis
from lanescope.viewer.waits import waits_of


def test_the_bound_and_the_waits_are_those_of_the_prediction(tmp_path: Path) -> None:
    save(program(), tmp_path / "out.lanes")
    for trace in (program(), load(tmp_path / "out.lanes")):
        answer = unit_program(trace, makespan(trace))
        assert (answer.bound, answer.bound_share, answer.cycles) == ("matrix", 0.8, 15)
        assert answer.time_ns == 150
        assert [wait.name for wait in answer.waits] == ["unit", "slot"]


def test_opcodes_are_counted_in_cycles() -> None:
    answer = unit_program(program(), makespan(program()))
    assert answer.opcodes == (
        OpcodeUse("M_MM", 2, 12, 6, 6, 12 / 15, 5),
        OpcodeUse("V_ADD", 1, 3, 3, 3, 3 / 15, 5),
    )


def test_without_a_stated_bound_the_busiest_unit_is_named() -> None:
    answer = unit_program(program(None), makespan(program(None)))
    assert (answer.bound, answer.busiest, answer.busiest_share) == (None, "matrix", 12 / 15)
    text = build_report(program(None)).text()
    assert "The busiest is matrix, 80.0% of 15 cycles (150 ns)." in text


def test_the_report_speaks_of_units() -> None:
    text = build_report(program()).text()
    assert text.startswith(
        "Verdict\n  Bound by matrix, 80.0% of 15 cycles (150 ns). One instruction after the other "
        "would take 18\n  cycles.\n\nWhy the next instruction waited\n"
        "  4 cycles (26.7%): its unit was busy\n"
    )
    for word in ("scheduler", "dispatch", "core", "task", "function"):
        assert word not in text.lower(), word
    assert "3 instructions" in text


def test_figures_without_task_and_time_are_of_the_whole_run() -> None:
    report = build_report(program())
    assert [(one.site, one.name, one.value) for one in report.totals] == [
        ("", "hbm_bytes_read", 8192.0),
        ("gather", "cycles", 9.0),
        ("router", "cycles", 0.0),
    ]
    text = report.text()
    assert "hbm_bytes_read  8,192" in text
    assert "gather       9" in text
    assert "router" not in text


def test_a_whole_run_has_no_verdict_on_units() -> None:
    trace = make_trace(
        meta={"clock_hz": 10**9, "base_cycles": 0},
        cores=[{"core": 0, "name": "program", "kind": "program", "lane": "program"}],
        tasks=[
            {"core": 0, "kind": "run", "start_ns": 0, "end_ns": 7}
            | {"start_cycles": 0, "end_cycles": 7}
        ],
    )
    text = build_report(trace).text()
    assert text.startswith("Verdict\n  The run took 7 cycles (7 ns).\n")
    assert "busiest" not in text and "instruction" not in text and "Opcodes" not in text


def test_an_empty_trace_of_units_has_no_verdict() -> None:
    trace = make_trace(cores=[{"core": 0, "name": "matrix", "kind": "matrix", "lane": "unit"}])
    assert "Verdict" not in build_report(trace).text()


def test_other_views_do_not_speak_of_schedulers() -> None:
    assert waits_of(page_basis(program())).reasons == ()
    with pytest.raises(UsageError, match=r"are units, not cores; .*\(trace\)\.units is about them"):
        lanescope.verdict(program())
    rows = lanescope.diff(program(), program(SCHEDULE)).rows
    assert {row.group for row in rows} == {"run", "opcode", "unit"}


def test_the_whole_page_of_units() -> None:
    page = build_report(program()).text()
    assert page[: page.index("\nCapture\n")] == PAGE


PAGE = """\
Verdict
  Bound by matrix, 80.0% of 15 cycles (150 ns). One instruction after the other would take 18
  cycles.

Why the next instruction waited
  4 cycles (26.7%): its unit was busy
  1 cycle (6.7%): too many transfers

Opcodes: cycles on their unit
  opcode  count  cycles  share  mean  min  max  waited
  ------  -----  ------  -----  ----  ---  ---  ------
  M_MM        2      12  80.0%  6.00    6    6       5
  V_ADD       1       3  20.0%  3.00    3    3       5
"""
