"""The critical path as lanes of their own in the exports."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.example_run import example

from lanescope.analyze.graph.highlight import critical_lanes
from lanescope.cli import main
from lanescope.trace import MISSING, save


@pytest.mark.parametrize("form", ["chrome", "perfetto"])
def test_exports_have_the_critical_path(form: str, tmp_path: Path) -> None:
    save(example(), tmp_path / "run.lanes")
    target = tmp_path / "out"
    assert main(["export", str(tmp_path / "run.lanes"), "--to", form, "-o", str(target)]) == 0
    data = target.read_bytes()
    for word in (b"critical path", b"observed", b"static", b"orchestrator"):
        assert word in data


def test_the_lanes_tile_the_window(tmp_path: Path) -> None:
    save(example(), tmp_path / "run.lanes")
    target = tmp_path / "out.json"
    assert main(["export", str(tmp_path / "run.lanes"), "--to", "chrome", "-o", str(target)]) == 0
    events = json.loads(target.read_text())["traceEvents"]
    (pid,) = {e["pid"] for e in events if e.get("args", {}).get("name") == "critical path"}
    named = [e for e in events if e["name"] == "thread_name" and e["pid"] == pid]
    lanes = {e["args"]["name"]: e["tid"] for e in named}
    slices = [e for e in events if e["ph"] == "X" and e.get("tid") == lanes["observed"]]
    assert [(e["name"], e["ts"], e["dur"]) for e in slices] == [
        ("orchestrator", 5, 75),
        ("scheduler", 80, 10),
        ("switch", 90, 6),
        ("C", 96, 4),
        ("finish", 100, 5),
    ]
    static = [e["name"] for e in events if e["ph"] == "X" and e.get("tid") == lanes["static"]]
    assert static == ["A", "B", "C"]


def test_nothing_ran_means_no_lanes() -> None:
    trace = example()
    empty = trace.tasks.replace(start_ns=[MISSING] * 3)
    assert critical_lanes(replace(trace, tasks=empty)) is None
