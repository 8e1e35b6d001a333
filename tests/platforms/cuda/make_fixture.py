"""Records a small graph on the GPU that is there, for test_fixture.py; nothing drains it.

python -m tests.platforms.cuda.make_fixture tests/platforms/cuda/h200.region.xz
"""

from __future__ import annotations

import lzma
import sys
from pathlib import Path

from lanescope.capture import SessionNote, create_session
from lanescope.cuda.host import anchor, own_folder
from lanescope.platforms.cuda.engine import GpuEngine
from lanescope.platforms.cuda.job import MegakernelJob, RecordingTarget
from lanescope.platforms.cuda.machine import GpuMachine
from lanescope.platforms.cuda.programs import program_of
from lanescope.platforms.cuda.recorded import place_cores, region_config
from lanescope.platforms.recording import Recording
from lanescope.workloads import build_workload

CORES, TASKS, RECORDS = 3, 48, 64


def main() -> None:
    graph = build_workload("random_dag", {"tasks": str(TASKS)})
    machine = GpuMachine(workers=CORES)
    recording = Recording(core_swimlane=True, buffer_records=RECORDS)
    engine = GpuEngine(machine, slice_records=RECORDS)
    config = region_config(graph, machine, recording)
    session = create_session(own_folder() / "x.capture", config, note=SessionNote("fixture"))
    region = session.region
    address = engine.reach(region)
    anchor(region, engine.fit())
    handle = engine.handle(region, address)
    assert handle is not None
    recorder = RecordingTarget(address, handle.address)
    job = MegakernelJob(engine.memory, graph, program_of(graph), machine, recorder=recorder)
    engine.run(job.address)
    assert job.check().problem == ""
    place_cores(region, job.result().units)
    region.mark_stopped()
    Path(sys.argv[1]).write_bytes(lzma.compress(bytes(region.memory.data), preset=9))
    session.discard()


if __name__ == "__main__":
    main()
