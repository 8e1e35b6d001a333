"""collect, recover and flight as functions: the example runtime, recorded and left behind."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import lanescope
from lanescope.errors import UsageError
from lanescope.facade.recordings import Collected, collect, flight, recover
from lanescope.trace import Meta, Trace

SOURCE = Path(__file__).parents[2] / "examples" / "own_runtime" / "own_runtime.c"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("program") / "own_runtime"
    include = lanescope.include_directory()
    command = ["cc", "-O2", "-std=gnu11", f"-I{include}", str(SOURCE), "-o", str(target)]
    subprocess.run([*command, "-lpthread"], check=True)
    return target


def test_a_program_is_recorded_and_nothing_is_left(program: Path) -> None:
    collected = collect([str(program), "100"], chip_swimlane=2, name="mine")
    assert collected.exit_code == 0
    assert collected.trace.meta.name == "mine"
    assert collected.trace.meta.level == 2
    assert len(collected.trace.tasks) > 0


def test_a_capture_that_is_kept_can_be_recovered_and_looked_at(
    program: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "run.capture"
    collected = collect([str(program), "100"], directory=kept)
    recovery = recover(shutil.copytree(kept, tmp_path / "copy.capture"))
    assert len(recovery.trace.tasks) == len(collected.trace.tasks)
    assert recovery.problems == ()
    lanes = flight(kept, last=2).lanes
    assert max(len(lane.last) for lane in lanes) == 2


def test_an_empty_command_is_refused() -> None:
    with pytest.raises(UsageError, match="expected a program to run, found an empty command"):
        collect([])


def test_a_program_that_cannot_be_started_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(UsageError, match="could not be started"):
        collect(["/no/such/program"])
    assert list(tmp_path.iterdir()) == []


def test_several_processes_have_a_trace_each(program: Path) -> None:
    collected = collect(["sh", "-c", f"{program} 100; {program} 200"], chip_swimlane=1)
    assert [len(trace.tasks) for trace in collected.traces] == [100, 200]
    with pytest.raises(UsageError, match="2 processes recorded; take one of `traces`"):
        _ = collected.trace


def test_a_collected_program_as_a_dict_leaves_the_traces_out() -> None:
    trace = Trace(meta=Meta(name="a", tool="test", origin="measured"))
    assert Collected(-9, (trace,), True).to_dict() == {"exit_code": -9, "timed_out": True}
