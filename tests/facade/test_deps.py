"""The task graph that a runtime wrote beside a recording: the only process has it as its plan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
from tests.formats.simpler.runs import DEPS

from lanescope.capture.collect import CollectedRun, ProcessCapture
from lanescope.capture.directory import PLAN
from lanescope.errors import LanescopeError
from lanescope.facade.deps import join_deps
from lanescope.trace import Meta, Trace, load, save
from lanescope.trace.meta import RecordingFacts


def run_of(folder: Path, processes: int = 1) -> CollectedRun:
    """A run whose processes have captures and no sessions: nobody asks for these."""
    captures = []
    for number in range(processes):
        directory = folder / str(number)
        directory.mkdir()
        captures.append(ProcessCapture("", directory, cast(Any, None), False))
    return CollectedRun(0, tuple(captures), (), timed_out=False)


def edges_of(trace: Trace) -> list[tuple[int, int]]:
    return list(zip(trace.edges["pred"].tolist(), trace.edges["succ"].tolist(), strict=True))


@pytest.fixture
def deps(tmp_path: Path) -> Path:
    (tmp_path / "deps.json").write_text(json.dumps(DEPS))
    return tmp_path / "deps.json"


def test_the_graph_is_the_plan_of_the_process(deps: Path, tmp_path: Path) -> None:
    join_deps(run_of(tmp_path), deps)
    plan = load(tmp_path / "0" / PLAN)
    assert (edges_of(plan), plan.meta.recording) == ([(7, 8)], None)


def test_what_was_known_of_the_recording_is_kept(deps: Path, tmp_path: Path) -> None:
    facts = RecordingFacts(protocol="staging", pmu_events=(4,))
    meta = Meta(name="run", tool="tests", origin="measured", recording=facts)
    save(Trace(meta=meta), tmp_path / PLAN)
    join_deps(run_of(tmp_path), deps)
    plan = load(tmp_path / "0" / PLAN)
    assert (edges_of(plan), plan.meta.recording) == ([(7, 8)], facts)


@pytest.mark.parametrize("processes", [0, 2])
def test_the_graph_is_of_one_process(processes: int, deps: Path, tmp_path: Path) -> None:
    with pytest.raises(LanescopeError) as found:
        join_deps(run_of(tmp_path, processes), deps)
    assert str(found.value) == (
        f"{deps} has the task graph of one process, but {processes} recorded; collect without "
        "--deps"
    )


def test_a_file_that_is_not_there_or_has_no_edges_is_named(tmp_path: Path) -> None:
    run, path = run_of(tmp_path), tmp_path / "deps.json"
    with pytest.raises(LanescopeError) as found:
        join_deps(run, path)
    assert str(found.value) == (f"the program did not write {path}, so there are no edges from it")
    path.write_text(json.dumps({**DEPS, "edges": []}))
    with pytest.raises(LanescopeError) as found:
        join_deps(run, path)
    assert str(found.value) == f"{path} has no edges; expected the task graph of the run"
    assert not (tmp_path / "0" / PLAN).exists()
