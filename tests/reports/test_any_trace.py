"""Whatever a trace lacks, the report comes out, in every form and without nan."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from tests.analyze.hand import TIMES, entry, make_trace, phase, task

from lanescope.render.terminal import render_terminal
from lanescope.reports import Report, build_report
from lanescope.trace import Trace

TRACES = {
    "empty": make_trace(),
    "cores only": make_trace(cores=[{"core": 0, "kind": "aic"}]),
    "counters only": make_trace(counters=[{"name": "bytes", "value": float("nan")}]),
    "marks only": make_trace(marks=[{"core": 0, "name": "load", "start_ns": 0, "end_ns": 4}]),
    "level 1": make_trace({"level": 1}, tasks=[task(0, None, 1, 2, 3, None)]),
    "no task has times": make_trace(tasks=[task(0, None, None, None, None, None)]),
    "phases only": make_trace({"queues": ("q",)}, phases=[phase("dispatch", 5, 5)]),
    "nodes only": make_trace(tasks=[{"kind": "dummy", "task": 1}]),
    "no core": make_trace(tasks=[{"start_ns": 0, "end_ns": 5}]),
    "stalls": make_trace(stalls=[{"start_ns": 0, "end_ns": 5, "records": 2}]),
    "negative times": make_trace(tasks=[task(0, -9, -8, -7, -3, -1)]),
}
TIME = st.none() | st.integers(-5, 40)
TASKS = st.lists(
    st.fixed_dictionaries(
        {}, optional={"core": st.integers(0, 2), "func": st.integers(-1, 2)}
    ).flatmap(
        lambda row: st.fixed_dictionaries(dict.fromkeys(TIMES, TIME)).map(
            lambda times: {**row, **{n: t for n, t in times.items() if t is not None}}
        )
    ),
    max_size=6,
)
PHASES = st.lists(
    st.builds(
        phase,
        st.sampled_from(["complete", "dispatch", "resolve", "idle", "dummy_task", ""]),
        st.integers(0, 20),
        st.integers(0, 20),
        controller=st.integers(0, 2),
        loop=st.integers(0, 9),
        queue0_start=st.integers(0, 4),
    ),
    max_size=6,
)


def on_terminal(report: Report, width: int = 90) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None, force_terminal=True)
    render_terminal(report.sections(), console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def check(trace: Trace) -> None:
    report = build_report(trace, also=("graph",))
    text, terminal = report.text(), on_terminal(report)
    for shown in (text, terminal):
        assert shown.startswith(
            ("Verdict\n", "Capture\n", "! Read this first\n", "Read this first\n")
        )
        assert "nan" not in shown and "None" not in shown
    assert json.loads(json.dumps(report.to_dict(), allow_nan=False)) == report.to_dict()


@pytest.mark.parametrize("trace", TRACES.values(), ids=TRACES.keys())
def test_a_trace_that_lacks_something_gives_a_report(trace: Trace) -> None:
    check(trace)


@settings(max_examples=60, deadline=None)
@given(TASKS, PHASES)
def test_any_rows_give_a_report(tasks: list[dict], phases: list[dict]) -> None:
    check(make_trace({"queues": ("q",)}, tasks=tasks, phases=phases))


def test_the_terminal_reads_no_markup() -> None:
    trace = make_trace(
        {"name": "[red]name[/red]", "ledger": (entry("[bold]lane", 3, 1, dropped=2),)},
        functions=[{"func": 0, "name": "[link=http://x]f[/link]"}],
        tasks=[task(0, 0, 1, 2, 3, 4, func=0)],
    )
    shown = on_terminal(build_report(trace), 120)
    for name in ("[red]name[/red]", "[bold]lane", "[link=http://x]f[/link]"):
        assert name in shown
    assert "Warning\n" in shown


@pytest.mark.parametrize("width", [50, 80, 110])
def test_the_terminal_cuts_tables_rather_than_figures(width: int) -> None:
    trace = make_trace(
        tasks=[task(0, 0, 1, 2, 10_000_000, 11_000_000, func=0)],
        phases=[phase("dispatch", 0, 9, loop=1, tasks=1, pop_hit=1, pop_miss=1)],
    )
    shown = on_terminal(build_report(trace), width)
    assert "…" not in shown
    assert "utilisation" in shown and "hit rate" in shown and "propagation µs" in shown


def test_rich_is_not_imported_for_text() -> None:
    import subprocess
    import sys

    code = "import sys, lanescope.reports; sys.exit('rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
