"""Small recorded runs on the thread platform, for the tests of capturing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lanescope.capture import CaptureSession, SessionNote, create_session
from lanescope.device.region import clock_hz
from lanescope.platforms.recording import Recording, plan_of
from lanescope.platforms.threads.machine import ThreadMachine, run_graph
from lanescope.platforms.threads.recorded import region_config
from lanescope.workloads import build_workload
from lanescope.workloads.graph import TaskGraph

MACHINE = ThreadMachine(cores=("aic", "aiv", "aiv"), schedulers=2, pre_dispatch=1)


def graph(tasks: int = 200, seed: int = 1) -> TaskGraph:
    settings = {"tasks": str(tasks), "seed": str(seed), "min_spin_ns": "0", "max_spin_ns": "300"}
    return build_workload("random_dag", settings)


def recorded(
    directory: Path, work: TaskGraph, *, transport: Any = None, **options: Any
) -> CaptureSession:
    """A stopped session whose capture is in `directory`."""
    config = region_config(work, MACHINE, Recording(**options))
    note = SessionNote(work.name, "threads")
    session = create_session(directory, config, note=note, plan=plan_of(work), transport=transport)
    with session:
        run_graph(work, MACHINE, region_address=session.region.address, clock_hz=clock_hz())
        session.region.mark_stopped()
    return session
