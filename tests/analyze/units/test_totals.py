"""Figures of whole runs and of stages, as tables."""

from __future__ import annotations

from typing import Any

from tests.analyze.hand import make_trace

from lanescope.analyze.units.totals import TOTALS, RunTotal, run_totals
from lanescope.render.plain import render_sections


def counted(site: str, name: str, value: float, **more: Any) -> dict[str, Any]:
    return {"name": name, "value": value, **({"site": site} if site else {}), **more}


def text(*rows: dict[str, Any]) -> str:
    return render_sections(TOTALS.sections(run_totals(make_trace(counters=rows)), {}))


def test_only_figures_of_no_task_and_no_time_are_of_the_run() -> None:
    rows = [
        counted("", "bytes", 1.0),
        counted("", "bytes", 2.0, task=0),
        counted("", "bytes", 3.0, time_ns=5),
        counted("", "bytes", float("nan")),
        counted("a", "cycles", 0.0),
    ]
    assert run_totals(make_trace(counters=rows)) == (
        RunTotal("", "bytes", 1.0),
        RunTotal("a", "cycles", 0.0),
    )


def test_a_row_per_stage_and_a_column_per_figure() -> None:
    shown = text(
        counted("", "seconds", 1.25),
        counted("", "bytes", 12345.0),
        counted("one", "cycles", 7.0),
        counted("two", "cycles", 0.5),
        counted("two", "stalls", 3.0),
        counted("none", "cycles", 0.0),
        counted("none", "idle", 0.0),
    )
    assert shown == (
        "Counted for the whole run\n"
        "  name      value\n"
        "  -------  ------\n"
        "  seconds    1.25\n"
        "  bytes    12,345\n"
        "\n"
        "By stage\n"
        "  stage  cycles  stalls\n"
        "  -----  ------  ------\n"
        "  one         7       -\n"
        "  two       0.5       3\n"
        "  Sums of each stage; when a stage ran is not known.\n"
        "  1 more in --json, most of them without a count.\n"
    )


def test_forty_stages_are_shown() -> None:
    stages = [counted(f"s{n:02}", "cycles", 1.0) for n in range(41)]
    assert "more in --json" not in text(*stages[:40])
    shown = text(*stages)
    assert "  s39 " in shown and "  s40 " not in shown
    assert "  1 more in --json, most of them without a count.\n" in shown
