"""A run on a GPU from the outside: what is asked of the engine, and what is told of the run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lanescope.capture.slices import MARK_NAMES, PIPE_NAMES
from lanescope.cuda.recorder import DEVICE_HZ
from lanescope.device.head import Core
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import constant
from lanescope.device.region import Region, create_region, open_region
from lanescope.errors import LanescopeError, UsageError
from lanescope.platforms.cuda import recorded, repeated
from lanescope.platforms.cuda import run as running
from lanescope.platforms.cuda.job import JobResult, RecordingTarget
from lanescope.platforms.cuda.machine import GpuMachine, GpuRequest
from lanescope.platforms.cuda.program import Check
from lanescope.platforms.cuda.recorded import (
    GpuOutcome,
    GpuSetup,
    _reached,
    _with_submits,
    place_cores,
    region_config,
    run_recorded,
)
from lanescope.platforms.cuda.repeated import ready_gpu, require_protocol
from lanescope.platforms.recording import Recording
from lanescope.trace import Meta, Table, Trace
from lanescope.trace.meta import RecordingFacts
from lanescope.trace.pipes import BUSY, ROLES
from lanescope.trace.schema import MISSING
from lanescope.workloads import build_workload

GRAPH = build_workload("fan", {"width": "2"})
MACHINE = GpuMachine(workers=3, schedulers=2, pre_dispatch=0)


# ---- the region ------------------------------------------------------------------------------


def test_a_region_has_a_place_for_every_cta_and_the_gpus_clock() -> None:
    config = region_config(GRAPH, MACHINE, Recording())
    assert config.cores == tuple(Core("sm", controller=number) for number in (0, 1, 0))
    assert (config.schedulers, config.orchestrators, config.pre_dispatch) == (2, 1, 0)
    assert (config.clock_hz, config.own_clock) == (DEVICE_HZ, False)
    assert (config.buffer_records, config.pipes) == (1024, 0)
    assert config.functions == dict(enumerate(GRAPH.functions))


def test_pipes_have_lanes_of_their_own_with_room_for_a_clock() -> None:
    config = region_config(GRAPH, MACHINE, Recording(core_swimlane=True, buffer_records=8))
    more = 8 + constant("LS_SLICE_CLOCK_RECORDS")
    assert config.buffer_records == {kind: more if kind == "slice" else 8 for kind in KINDS}
    assert (config.pipes, config.pipes_beside) == (len(ROLES), True)
    assert config.functions == {
        **dict(enumerate(GRAPH.functions)),
        **{MARK_NAMES + func: BUSY for func in range(len(GRAPH.functions))},
        **{PIPE_NAMES + number: role for number, role in enumerate(ROLES)},
    }


def test_cores_are_placed_on_their_sms(tmp_path: Path) -> None:
    region = create_region(tmp_path / "region", region_config(GRAPH, MACHINE, Recording()))
    place_cores(region, (7, 0, 131))
    region.close()
    placed = open_region(tmp_path / "region").head.cores
    assert [core.cluster for core in placed] == [7, 0, 131]


# ---- the engine ------------------------------------------------------------------------------


class Engine:
    """Runs nothing; notes what it was asked for."""

    name = "test"
    memory: Any = None

    def __init__(self, *, handle: bool = False) -> None:
        self.calls: list[str] = []
        self._handle = handle

    def run(self, job_address: int) -> None:
        self.calls.append(f"run {job_address}")

    def reach(self, region: Region) -> int:
        self.calls.append("reach")
        return 4096

    def leave(self, region: Region) -> None:
        self.calls.append("leave")

    def handle(self, region: Region, region_address: int) -> Any:
        self.calls.append(f"handle {region_address}")
        return Handle(self.calls) if self._handle else None

    def fit(self) -> None:
        self.calls.append("fit")


class Handle:
    address = 77

    def __init__(self, calls: list[str]) -> None:
        self._calls = calls

    def close(self) -> None:
        self._calls.append("close")


@pytest.mark.parametrize(
    ("handle", "target", "calls"),
    [
        (False, RecordingTarget(4096, 0), ["reach", "handle 4096", "leave"]),
        (True, RecordingTarget(4096, 77), ["reach", "handle 4096", "close", "leave"]),
    ],
)
def test_a_region_is_reached_for_as_long_as_the_run_lasts(
    handle: bool, target: RecordingTarget, calls: list[str], tmp_path: Path
) -> None:
    region = create_region(tmp_path / "region", region_config(GRAPH, MACHINE, Recording()))
    engine = Engine(handle=handle)
    with _reached(engine, region) as found:
        assert found == target
    assert engine.calls == calls
    with pytest.raises(KeyError), _reached(engine, region):
        raise KeyError
    assert engine.calls == calls * 2


class Job:
    """Stands for a job in the device's memory."""

    address = 55
    interrupted = False
    calls: list[str]

    def __init__(self, *given: Any, recorder: RecordingTarget) -> None:
        type(self).calls = []
        type(self).recorder = recorder

    recorder: RecordingTarget

    def cancel(self) -> None:
        self.calls.append("cancel")

    def result(self) -> JobResult:
        return replace(RESULT, interrupted=self.interrupted)

    def check(self) -> Check:
        self.calls.append("check")
        return Check(3, 0.5)

    def close(self) -> None:
        self.calls.append("close")


RESULT = JobResult(
    makespan_ns=9,
    tasks_per_core=(1, 2, 1),
    units=(4, 5, 6),
    clock_step_ns=32,
    clock_error_ns=40,
    bank_cores=8,
    submits_ns=None,
    interrupted=False,
)


def setup() -> GpuSetup:
    program: Any = None
    return GpuSetup(Engine(), MACHINE, program)


@pytest.mark.parametrize("interrupted", [False, True])
def test_level_0_makes_no_region_and_an_interrupted_run_is_not_checked(
    interrupted: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(recorded, "MegakernelJob", Job)
    monkeypatch.setattr(Job, "interrupted", interrupted)
    own = setup()
    found = run_recorded(GRAPH, own, Recording(chip_swimlane=0), directory=tmp_path / "run")
    check = None if interrupted else Check(3, 0.5)
    assert found == GpuOutcome(replace(RESULT, interrupted=interrupted), None, check, 0, 0)
    assert own.engine.calls == ["run 55"]  # type: ignore[attr-defined]
    assert Job.calls == (["close"] if interrupted else ["check", "close"])
    assert Job.recorder == RecordingTarget(0, 0, 0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("interrupted", [False, True])
def test_a_recorded_run_says_how_well_its_clock_is_known(
    interrupted: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(recorded, "MegakernelJob", Job)
    monkeypatch.setattr(Job, "interrupted", interrupted)
    own, asked = setup(), Recording(chip_swimlane=1, first_token=9)
    found = run_recorded(GRAPH, own, asked, directory=tmp_path / "run")
    assert found.trace is not None
    meta = found.trace.meta
    assert meta.recording is not None
    facts = meta.recording
    assert (facts.clock_step_ns, facts.clock_error_ns, facts.bank_cores) == (32, 40, 8)
    assert meta.queues == ("sm",)
    assert found.trace.cores["cluster"].tolist() == [4, 5, 6]
    note = "The run was interrupted; tasks not dispatched by then never ran."
    assert (note in meta.notes) is interrupted
    assert Job.recorder == RecordingTarget(4096, 0, 9)
    expected = ["fit", "reach", "handle 4096", "run 55", "leave", "fit"]
    assert own.engine.calls == expected  # type: ignore[attr-defined]
    assert found.region_bytes == (tmp_path / "run" / "region").stat().st_size
    assert found.spool_bytes == (tmp_path / "run" / "spool").stat().st_size


def test_a_run_that_fails_before_anything_was_recorded_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fails(*given: Any) -> None:
        raise LanescopeError("no GPU")

    monkeypatch.setattr(recorded, "_run", fails)
    with pytest.raises(LanescopeError, match="no GPU"):
        run_recorded(GRAPH, setup(), Recording(), directory=tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


# ---- when tasks were submitted ---------------------------------------------------------------


def dispatched(*times: int, base: int | None = 1000) -> Trace:
    tasks = {"task": np.arange(len(times)), "dispatch_ns": np.array(times, np.int64)}
    meta = Meta(name="t", tool="a test", origin="measured")
    trace = Trace(meta=meta, tasks=Table.build("tasks", tasks))
    return trace.with_meta(base_cycles=base, base_shift_ns=5)


def test_submits_are_told_from_the_first_dispatch() -> None:
    """The first dispatch is at 1000 + 5 + 30 on the device's clock; submitting began at 1015."""
    found = _with_submits(RecordingFacts(), dispatched(80, MISSING, 30), (1015, 1065))
    assert (found.submit_lead_ns, found.submitting_ns) == (20, 50)


@pytest.mark.parametrize(
    ("trace", "submits"),
    [
        (dispatched(80), None),
        (dispatched(80, base=None), (1015, 1065)),
        (dispatched(MISSING), (1015, 1065)),
        (dispatched(), (1015, 1065)),
    ],
)
def test_submits_are_not_told_where_a_moment_is_missing(
    trace: Trace, submits: tuple[int, int] | None
) -> None:
    facts = RecordingFacts(bank_cores=3)
    assert _with_submits(facts, trace, submits) is facts


# ---- the machine's GPU -----------------------------------------------------------------------


class Gpu:
    multiprocessors = 5


class Loaded(Engine):
    """An engine that notes when it was closed."""

    made: list[Loaded]

    def __init__(self, machine: GpuMachine, *, slice_records: int | None = None) -> None:
        super().__init__()
        self.given = machine, slice_records
        type(self).made.append(self)

    def close(self) -> None:
        self.calls.append("closed")


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    own = tmp_path / "own"
    own.mkdir()
    Loaded.made = []
    for module in (running, repeated):
        monkeypatch.setattr(module, "find_gpu", Gpu)
        monkeypatch.setattr(module, "GpuEngine", Loaded)
        monkeypatch.setattr(module, "own_folder", lambda: own)
    return own


def outcome(trace: Trace | None = None) -> GpuOutcome:
    return GpuOutcome(RESULT, trace, None)


Ran = Callable[..., GpuOutcome]


def runs(monkeypatch: pytest.MonkeyPatch, ran: Ran) -> None:
    monkeypatch.setattr(running, "run_recorded", ran)


@pytest.mark.parametrize(
    ("recording", "slices"),
    [
        (Recording(), None),
        (Recording(core_swimlane=True, buffer_records=64), 64),
        (Recording(buffer_records=64), None),
    ],
)
def test_the_kernel_is_made_for_the_machine_and_for_slices_where_they_are_recorded(
    recording: Recording, slices: int | None, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = Trace(meta=Meta(name="t", tool="a test", origin="measured"))

    def ran(graph: Any, setup: GpuSetup, asked: Recording, *, directory: Path) -> GpuOutcome:
        assert (graph, setup.machine, asked) == (GRAPH, GpuMachine(workers=4), recording)
        assert directory == folder / "fan.capture"
        return outcome(trace)

    runs(monkeypatch, ran)
    assert running.run_on_gpu(GRAPH, GpuRequest(), recording) == (outcome(trace), folder)
    [engine] = Loaded.made
    assert (engine.given, engine.calls) == ((GpuMachine(workers=4), slices), ["closed"])
    assert folder.exists()


def test_a_run_without_a_trace_needs_no_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs(monkeypatch, lambda *given, **more: outcome())
    assert running.run_on_gpu(GRAPH, GpuRequest(), Recording()) == (outcome(), None)
    assert not folder.exists() and Loaded.made[0].calls == ["closed"]


@pytest.mark.parametrize("recorded_some", [False, True])
def test_a_run_that_fails_says_where_its_capture_is(
    recorded_some: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*given: Any, directory: Path) -> GpuOutcome:
        if recorded_some:
            directory.mkdir()
        raise LanescopeError("it gave up")

    runs(monkeypatch, fails)
    with pytest.raises(LanescopeError) as raised:
        running.run_on_gpu(GRAPH, GpuRequest(), Recording())
    where = f"; what was recorded is in {folder / 'fan.capture'}" if recorded_some else ""
    assert str(raised.value) == f"it gave up{where}"
    assert folder.exists() is recorded_some
    assert Loaded.made[0].calls == []


def test_a_ready_gpu_has_a_folder_until_the_block_ends(folder: Path) -> None:
    with ready_gpu(GRAPH, GpuRequest(schedulers=2)) as ready:
        assert ready.folder == folder and folder.exists()
        assert ready.setup.machine == GpuMachine(workers=3, schedulers=2)
        (folder / "capture").mkdir()
    assert not folder.exists() and Loaded.made[0].calls == ["closed"]
    folder.mkdir()
    with pytest.raises(KeyError), ready_gpu(GRAPH, GpuRequest()):
        raise KeyError
    assert not folder.exists() and Loaded.made[1].calls == []


def test_a_gpu_has_one_protocol() -> None:
    require_protocol("producer-rotated")
    with pytest.raises(UsageError) as refused:
        require_protocol("staging")
    assert str(refused.value) == (
        "the workers of a GPU rotate their own buffers (producer-rotated): across the bus the "
        "schedulers would wait for every record of staging"
    )
