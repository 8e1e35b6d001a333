"""A folder with one of everything that commands read, and a usual call of every command."""

from __future__ import annotations

import gc
from pathlib import Path

from tests.fleet.made import fleet_of
from tests.jobs.slow_job import slow_job

from lanescope.cli import main
from lanescope.platforms.execute import execute
from lanescope.platforms.recording import Recording
from lanescope.platforms.request import MachineRequest
from lanescope.workloads import build_workload

ROOT = Path(__file__).parents[2]
SMALL = ROOT / "examples" / "small_run"
TINY = ("--set", "rows=1", "--set", "columns=1", "--set", "depth=1", "--set", "tile=4")


def make_ground(folder: Path) -> Path:
    """Fill a folder: run.lanes, other.lanes, run.capture, run.tensors, slow.job, fleet, …"""
    make = f"{folder}/run.lanes"
    assert main(["run", "matmul_add", *TINY, "--dump-tensors", "--quiet", "-o", make]) == 0
    (folder / "run.perfetto-trace").unlink()
    assert main(["import", str(SMALL), "-o", f"{folder}/other.lanes"]) == 0
    graph = build_workload("chain", {"tasks": "4"})
    execute(graph, MachineRequest(), Recording(), directory=folder / "run.capture")
    gc.collect()  # a region that is still mapped counts as one in use
    slow_job(folder)
    fleet_of(folder / "runs", [10_000, 10_030, 9_980, 10_010])
    words = ["fleet", "index", f"{folder}/runs", "-o", f"{folder}/fleet", "--workers", "0"]
    assert main([*words, "--label", "commit=abc"]) == 0
    for name in ("tile.asm", "model_135m.json"):
        (folder / name).write_bytes((ROOT / "examples" / name).read_bytes())
    return folder


USUAL = {
    "run": ["run", "matmul_add", *TINY],
    "bench": ["bench", "chain", "--set", "tasks=4", "--levels", "0,1", "--rounds", "2"],
    "import": ["import", str(SMALL)],
    "check": ["check", "run.lanes"],
    "verify": ["verify", "run.lanes"],
    "report": ["report", "other.lanes"],
    "ranks": ["ranks", "slow.job", "--workers", "0"],
    "view": ["view", "other.lanes", "--html", "page.html"],
    "export": ["export", "other.lanes", "--to", "csv"],
    "what-if": ["what-if", "run.lanes", "--scale", "matmul=0.5"],
    "diff": ["diff", "run.lanes", "other.lanes"],
    "fleet index": ["fleet", "index", "runs", "-o", "another", "--workers", "0"],
    "fleet report": ["fleet", "report", "fleet"],
    "fleet query": ["fleet", "query", "fleet", "select count(*) from traces"],
    "fleet outliers": ["fleet", "outliers", "fleet"],
    "fleet trend": ["fleet", "trend", "fleet", "makespan"],
    "fleet diff": ["fleet", "diff", "fleet", "commit=abc", "commit=abc"],
    "recover": ["recover", "run.capture"],
    "flight": ["flight", "run.capture"],
    "tensors": ["tensors", "run.tensors", "--index", "0"],
    "probe": ["probe"],
    "workloads": ["workloads"],
    "platforms": ["platforms"],
    "boards": ["boards"],
    "predict": ["predict", "tile.asm", "--board", "v80"],
    "manifest": ["manifest", "model_135m.json"],
    "fit": ["fit", "model_135m.json", "--board", "nexys_video", "--compute", "1G"],
}
"""Command, or command and action, to its words in that folder."""
