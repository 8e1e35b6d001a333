"""On a real GPU: a kernel that hangs, one that fails, a process that is killed."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.cuda.gpu import cupy, kernel, wait

import lanescope.cuda
from lanescope.capture import recover
from lanescope.capture.flight import read_flight
from lanescope.cli import main

pytestmark = pytest.mark.gpu

ROOT = Path(__file__).parents[2]
CORES, WHICH = 6, 4


@pytest.fixture
def memory() -> Iterator[Path]:
    """A directory that the GPU can write into."""
    folder = Path(tempfile.mkdtemp(prefix="lanescope-test-", dir="/dev/shm"))
    yield folder / "run.capture"
    shutil.rmtree(folder)


def test_a_hung_kernel_says_where_every_core_is(capsys: pytest.CaptureFixture[str]) -> None:
    pinned = cupy().cuda.alloc_pinned_memory(4)
    release = np.frombuffer(pinned, np.uint32, 1)
    release[0] = 0
    with lanescope.cuda.record(cores=CORES, core_swimlane=True, watchdog_s=0.4) as rec:
        ids = (np.uint32(rec.function("step")), np.uint32(rec.mark("spin")))
        arguments = (np.uint64(pinned.ptr), np.uint32(WHICH), *ids, np.uint64(rec.handle))
        kernel("stuck")((CORES,), (32,), arguments)
        time.sleep(1)
        found = rec.flight(last=2)
        release[0] = 1
        wait()
    lane = found.lanes[WHICH]
    assert lane.task is not None
    assert lane.mark is not None
    assert (lane.task.name, lane.task.task) == ("step", 10 * WHICH + 1)
    assert (lane.mark.name, lane.mark.task) == ("spin", 10 * WHICH + 1)
    assert 0.9 < found.ago_s(lane.task.begun_ns) < 1.5
    assert [(each.what, each.task) for each in lane.last] == [("task", 40), ("mark", 40)]
    others = [each for each in found.lanes if each is not lane]
    assert all(each.held_ns is None and each.task is None for each in others)
    assert all(
        each.last[0].task == 10 * core + 1
        for core, each in enumerate(found.lanes)
        if each is not lane
    )
    assert rec.hung is not None
    assert rec.hung.lanes[WHICH].task == lane.task
    said = capsys.readouterr().err
    assert "no lane has moved for 0." in said
    assert "1 of 6: in `step`, at `spin`, since" in said
    assert len(rec.trace.tasks) == 2 * CORES


def crash(how: str, directory: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.cuda.crash", how, str(directory)]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, timeout=60, check=False
    )


def test_after_an_illegal_access_the_open_task_of_every_core_is_known(memory: Path) -> None:
    done = crash("illegal", memory)
    assert done.returncode == 0, done.stderr
    assert "The kernel did not end well: the GPU's driver refused cuCtxSynchronize" in done.stdout
    found = read_flight(memory)
    assert not found.running
    for core, lane in enumerate(found.lanes):
        assert lane.task is not None
        assert lane.task.task == (98 if core == WHICH else 99)
        assert lane.task.name == ("even" if core == WHICH else "odd")
        assert lane.last[0].task == lane.task.task - 1
    assert "1 of 6: in `even`, since" in done.stdout


def test_after_kill_9_the_open_task_of_every_core_is_known(
    memory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = crash("killed", memory)
    assert done.returncode == -signal.SIGKILL
    found = read_flight(memory, last=5)
    assert not found.running
    assert [lane.task.task if lane.task else None for lane in found.lanes] == [99] * CORES
    assert all([each.task for each in lane.last] == [98, 97, 96, 95, 94] for lane in found.lanes)
    assert main(["flight", str(memory)]) == 0
    assert "6 of 6: in `odd`, since" in capsys.readouterr().out
    assert len(recover(memory).trace.tasks) == 99 * CORES
