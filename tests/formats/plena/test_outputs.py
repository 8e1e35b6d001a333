"""The hand-made outputs of ../shared/data against the answers beside them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.formats.plena.made import OUTPUTS, totals

from lanescope.formats import import_trace
from lanescope.reports import build_report
from lanescope.trace import Trace

pytestmark = pytest.mark.skipif(not OUTPUTS.is_dir(), reason="needs ../shared/data")

FIGURES = {
    "bytes_read": "read bytes", "bytes_written": "written bytes",
    "weight_reads": "weight reads", "activation_reads": "activation reads",
    "swaps": "swaps", "swap_ns": "swap ns",
}  # fmt: skip


def expected(name: str) -> dict[str, Any]:
    answers: dict[str, Any] = json.loads((OUTPUTS / "expected.json").read_text())[name]
    return answers


def imported(name: str) -> Trace:
    return import_trace(OUTPUTS / name)


@pytest.mark.parametrize("name", ["hbm_main", "host_stream", "layer_swap", "capacity"])
def test_logs(name: str) -> None:
    answers, trace = expected(f"log_{name}.txt"), imported(f"log_{name}.txt")
    assert trace.tasks["end_ns"].tolist() == [answers.pop("latency_ns")]
    assert trace.meta.schedule is not None
    assert trace.meta.schedule.cycles == answers.pop("cycles", trace.meta.schedule.cycles)
    assert trace.meta.extra.get("regime") == answers.pop("regime", None)
    figures = totals(trace)
    assert {key: figures[FIGURES[key]] for key in answers} == answers


def test_statistics_per_instruction() -> None:
    answers, trace = expected("op_stats.jsonl"), imported("op_stats.jsonl")
    assert trace.tasks["end_ns"].max() * 1000 == answers["total_ps"]
    assert totals(trace)["read bytes"] == answers["hbm_rd"]
    assert totals(trace)["written bytes"] == answers["hbm_wr"]


def test_scoreboard() -> None:
    answers, trace = expected("scoreboard_trace.jsonl"), imported("scoreboard_trace.jsonl")
    tasks = trace.tasks
    assert tasks["end_ns"].max() * 1000 == answers["last_finish_ps"]
    busy = {
        name: int((tasks["end_ns"] - tasks["start_ns"])[tasks["core"] == core].sum()) * 1000
        for core, name in enumerate(trace.text("cores", "name"))
    }
    assert busy == answers["busy_ps"]


def test_stage_profiles() -> None:
    first, old = expected("stage_profile_v1.json"), imported("stage_profile_v1.json")
    assert old.tasks["end_ns"].tolist() == [first["total_ns"]]
    assert totals(old, "router_topk")["cycles"] == first["router_topk_ns"]
    assert totals(old, "expert_projection")["cycles"] == first["expert_projection_ns"]
    fourth, new = expected("stage_profile_v4.json"), imported("stage_profile_v4.json")
    assert new.tasks["end_cycles"].tolist() == [fourth["total_cycles"]]
    assert totals(new, "router_topk")["cycles"] == fourth["router_topk_cycles"]
    assert totals(new)["matrix cycles"] == fourth["matrix_cycles"]
    assert totals(new)["dma cycles"] == fourth["dma_cycles"]


def test_run_statistics() -> None:
    trace = imported("rust_emulator_run_stats.json")
    assert trace.tasks["end_ns"].tolist() == [214000]
    assert totals(trace)["read bytes"] == 8192


@pytest.mark.parametrize(
    "name",
    ["scoreboard_trace.jsonl", "op_stats.jsonl", "log_capacity.txt", "stage_profile_v4.json"],
)
def test_the_report_of_each_speaks_of_no_scheduler(name: str) -> None:
    text = build_report(imported(name)).text()
    assert text.startswith("Verdict")
    assert "scheduler" not in text and "dispatch" not in text
