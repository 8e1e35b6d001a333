"""The short page: one screen, what must be on it, and what stands before it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.analyze.hand import entry, make_trace, task

import lanescope
from lanescope.analyze.registry import analyses
from lanescope.facade.advice import next_section, steps_of
from lanescope.render.plain import render_sections
from lanescope.reports import build_report
from lanescope.trace.trace import Trace

SCREEN = 40
"""Lines of a usual terminal window."""
DATA = Path(__file__).parents[3] / "shared" / "data"


def screen(trace: Trace, place: str = "run.lanes") -> list[str]:
    """What `lanescope report` prints: the same lines as with every answer at hand."""
    report, whole = build_report(trace, detail=False), build_report(trace)
    steps = steps_of(report, trace)
    assert report.short() == whole.short()
    assert steps == steps_of(whole, trace)
    assert {one.name for one in analyses() if one.detail and one.name in dir(whole)} == (
        {*dir(whole)} - {*dir(report)}
    )
    return render_sections([*report.short_sections(), next_section(steps, place)]).splitlines()


@pytest.mark.parametrize(
    "workload", ["paged_attention", "mixed", "decode_layer", "chain", "spmd_mix"]
)
def test_a_built_in_workload_fits_a_screen(workload: str) -> None:
    lines = screen(lanescope.run(workload))
    assert len(lines) <= SCREEN
    assert lines[0].startswith(f"{workload} on a2a3 (simulated): ")
    titles = [line for line in lines if line and not line.startswith(" ")][1:]
    assert titles == [
        "Verdict",
        "Functions, by time on the cores",
        "Critical path",
        *[title for title in titles if title.startswith("Next")],
    ]


@pytest.mark.skipif(not DATA.is_dir(), reason="no files of other tools are here")
@pytest.mark.parametrize(
    "path",
    [
        "simpler-today/g9_tmr_level3",
        "simpler-today/g10_tmr_level4_two_runs",
        "traces/kineto/triton_example.json.gz",
        "traces/kineto/event_sync_trace.json.gz",
        "traces/kineto/nccl_data.json.gz",
        "traces/kineto/mi250_minitoy_train_ROCm6_2_kineto.json.gz",
        "traces/nsys-sqlite/h100_2gpu_1s.sqlite",
        "traces/nsys-sqlite/mfu_2gpu_before.sqlite",
        "traces/rocprofv3/908_results.json.gz",
        "traces/xplane/mi300_jax_conv_tw003.xplane.pb",
        "traces/ascend/trace_view.json",
    ],
)
def test_files_of_other_tools_fit_a_screen(path: str) -> None:
    lines = screen(lanescope.import_trace(DATA / path), Path(path).name)
    assert len(lines) <= SCREEN, "\n".join(lines)
    assert any(line == "Verdict" for line in lines)


def test_the_whole_screen_of_a_run_by_hand() -> None:
    trace = make_trace(
        {"level": 2, "chip": "a2a3", "ledger": (entry("core 0", 2, 2),)},
        cores=[{"core": 0, "kind": "aic"}],
        functions=[{"func": 0, "name": "QK"}],
        tasks=[
            task(0, 0, 10, 20, 120, 130, func=0, task=1),
            task(0, 130, 140, 150, 450, 460, func=0, task=2),
        ],
        edges=[{"pred": 1, "succ": 2}],
    )
    assert screen(trace, "my run.lanes") == [
        "hand on a2a3 (simulated): 2 tasks on 1 core in 460 ns, level 2",
        "  Nothing lost: all 2 records delivered.",
        "",
        "Verdict",
        "  The 1 core was running 87.0% of 460 ns. The rest: dispatched, not picked up (switch) "
        "8.7%, ready,",
        "  not dispatched (scheduler) 2.2%, no task for this core 2.2%.",
        "",
        "  time of the cores                    chip    aic",
        "  ----------------------------------  -----  -----",
        "  running                             87.0%  87.0%",
        "  dispatched, not picked up (switch)   8.7%   8.7%",
        "  ready, not dispatched (scheduler)    2.2%   2.2%",
        "  no task for this core                2.2%   2.2%",
        "  aic: cube cores, which multiply matrices.",
        "",
        "Functions, by time on the cores",
        "  function  runs  total ns   share  mean ns  p99 ns",
        "  --------  ----  --------  ------  -------  ------",
        "  QK           2       400  100.0%    200.0     300",
        "",
        "Critical path",
        "  running   87.0%: QK 87.0%",
        "  waiting   dispatched, not picked up (switch) 8.7%; "
        "ready, not dispatched (scheduler) 2.2%",
        "  at least  400 ns (87.0%): its longest chain of tasks",
        "",
        "Next",
        "  No usual change is sure to shorten this run by 0.5 % or more.",
        "  More: lanescope report 'my run.lanes' --full, lanescope view 'my run.lanes'",
    ]


def test_losses_stand_first_and_have_a_section() -> None:
    trace = make_trace(
        {"level": 2, "ledger": tuple(entry(f"core {n}", 3, 2, dropped=1) for n in range(5))},
        cores=[{"core": 0, "kind": "aic"}],
        tasks=[task(0, 0, 10, 20, 120, 130, task=1)],
        edges=[{"pred": 1, "succ": 2}],
    )
    text = build_report(trace).short()
    assert text.startswith("! Warning\n  Records were lost: 5 dropped and 0 unmatched of 15, in 5")
    assert "Nothing lost" not in text
    assert "\nLosses\n" in text and "and 2 more lanes" in text


def test_small_reasons_are_one_row_and_every_column_adds_up() -> None:
    report = lanescope.report(lanescope.run("paged_attention"))
    (table,) = [one for one in report.short_sections() if one.title == "Verdict"]
    names, *shares = table.columns
    assert names.cells[0] == "running" and names.cells[-1] == "everything else"
    for column in shares:
        assert sum(column.cells) == pytest.approx(1.0)  # type: ignore[arg-type]


def test_only_the_sections_that_are_asked_for() -> None:
    report = lanescope.report("examples/small_run")
    titles = [section.title for section in report.sections(only=["losses", "verdict"])]
    assert titles == ["Verdict", "Losses"]
