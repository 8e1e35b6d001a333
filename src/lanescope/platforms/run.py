"""`lanescope.run`: a workload on a platform, as a Trace, in one call."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from lanescope.errors import UsageError
from lanescope.platforms.recording import Recording
from lanescope.platforms.threads.machine import Machine, parse_cores
from lanescope.platforms.threads.recorded import run_recorded
from lanescope.trace import Trace
from lanescope.workloads import build_workload
from lanescope.workloads.graph import TaskGraph

PLATFORMS = ("threads",)


def check_platform(name: str) -> None:
    """Refuse a platform that does not exist."""
    if name not in PLATFORMS:
        raise UsageError(f"expected a platform ({', '.join(PLATFORMS)}), found {name!r}")


def run(
    workload: str | TaskGraph,
    *,
    platform: str = "threads",
    chip_swimlane: int | bool = True,
    machine: Machine | None = None,
    settings: dict[str, Any] | None = None,
    **recording: Any,
) -> Trace:
    """Run a built-in workload, or a graph of your own, and return what was recorded.

    `settings` are the workload's, the other keywords those of `Recording`.
    """
    check_platform(platform)
    if isinstance(workload, str):
        texts = {name: str(value) for name, value in (settings or {}).items()}
        workload = build_workload(workload, texts)
    options = Recording(chip_swimlane=chip_swimlane, **recording)
    chosen = machine or Machine(cores=parse_cores("aic=1,aiv=2"))
    with tempfile.TemporaryDirectory(prefix="lanescope-") as folder:
        directory = Path(folder) / "run.capture"
        trace = run_recorded(workload, chosen, options, directory=directory).trace
    if trace is None:
        raise UsageError("level 0 records nothing, so there is no trace to return")
    return trace
