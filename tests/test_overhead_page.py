"""docs/overhead.md and the corrected example of docs/reading-a-report.md: they say what happens."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.overhead import corrected_row
from tests.analyze.simulated import free, simulated
from tests.pages import page, require_commands_print_what_is_shown, require_links_lead_somewhere

from lanescope import GraphBuilder
from lanescope.analyze.cores.makespan import makespan
from lanescope.platforms.sim.chip import load_chip
from lanescope.replay.correction.corrected import corrected
from lanescope.replay.correction.corrected_text import corrected_text
from lanescope.replay.correction.record_costs import PAID, costs_for
from lanescope.trace import Trace
from lanescope.workloads import WORKLOADS

PAGE = page("overhead.md")
READING = page("reading-a-report.md")
TWO = replace(load_chip("a5"), clusters=1, schedulers=1)


def two(*free_sections: str) -> Trace:
    """The run that is drawn."""
    builder = GraphBuilder("two")
    for name in "AB":
        builder.task(name, kind="aic", spin_ns=4000)
    return simulated(builder.graph(), free(TWO, *free_sections))


def test_its_commands_print_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert require_commands_print_what_is_shown(PAGE, tmp_path, monkeypatch, capsys) == 2
    require_links_lead_somewhere(PAGE)


def test_everybody_who_pays_is_named() -> None:
    assert [kind for kind in PAID if f"`{kind}`" not in PAGE] == []


@pytest.mark.parametrize("workload", WORKLOADS)
def test_the_table_of_corrected_makespans_is_measured(workload: str) -> None:
    """`python -m benchmarks.overhead` prints the cells."""
    cells = [corrected_row(workload, chip).cells() for chip in ("a2a3", "a5")]
    assert f"| {workload} | {cells[0]} | {cells[1]} |" in PAGE


def test_the_corrected_example_is_real() -> None:
    shown = re.findall(r"<!-- corrected example -->\n```\n(.*?)```", READING, re.DOTALL)
    trace = two()
    assert shown == [corrected_text("two", corrected(trace, costs_for(trace, None)))]


def test_the_corrected_example_is_drawn_as_it_ran() -> None:
    trace = two()
    moments = [trace.tasks[f"{name}_ns"].tolist() for name in ("dispatch", "start", "end")]
    assert moments == [[1400, 2287], [2519, 7510], [6519, 11510]]
    assert trace.tasks["receive_ns"].tolist()[1] == 7019
    assert trace.tasks["finish_ns"].tolist()[1] == 11953
    real, recorded = makespan(two("recording")).makespan, makespan(trace).makespan
    assert real is not None and recorded is not None
    assert (real.length_ns, recorded.length_ns - real.length_ns) == (10_100, 453)
    removed = corrected(trace, costs_for(trace, None)).removed
    assert round(sum(one.total_ns for one in removed)) == 1695
