"""On a real GPU: graphs compute what they should, are recorded whole, and every tool reads that."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.platforms.cuda.test_batches import phases_of

import lanescope
from lanescope import Trace
from lanescope.cli import main
from lanescope.cuda.kernel import find_gpu
from lanescope.errors import LanescopeError
from lanescope.platforms.cuda.engine import GpuEngine
from lanescope.platforms.cuda.job import MegakernelJob, RecordingTarget
from lanescope.platforms.cuda.machine import GpuMachine
from lanescope.platforms.cuda.programs import program_of
from lanescope.platforms.execute import execute
from lanescope.platforms.outcome import RunOutcome
from lanescope.platforms.recording import Recording
from lanescope.platforms.request import MachineRequest
from lanescope.workloads import build_workload

pytestmark = pytest.mark.gpu

WORKLOADS = ("vector", "matmul_add", "paged_attention", "random_dag", "chain", "fan")


@pytest.fixture(autouse=True)
def _gpu() -> None:
    try:
        find_gpu()
    except LanescopeError as error:
        pytest.skip(str(error))


def ran(
    name: str, folder: Path, settings: dict[str, str] | None = None, **options: Any
) -> RunOutcome:
    machine = MachineRequest(
        platform="cuda",
        schedulers=options.pop("schedulers", 1),
        pre_dispatch=options.pop("pre_dispatch", 1),
    )
    graph = build_workload(name, settings or {})
    outcome = execute(graph, machine, Recording(**options), directory=folder)
    assert outcome.check is not None
    assert outcome.check.problem == ""
    assert outcome.check.compared > 0
    assert outcome.tasks_done == len(graph)
    return outcome


def traced(outcome: RunOutcome) -> Trace:
    assert outcome.trace is not None
    assert all(entry.closes for entry in outcome.trace.meta.ledger)
    return outcome.trace


@pytest.mark.parametrize("level", range(5))
@pytest.mark.parametrize("name", WORKLOADS)
def test_every_workload_computes_the_right_numbers_at_every_level(
    name: str, level: int, tmp_path: Path
) -> None:
    outcome = ran(name, tmp_path, chip_swimlane=level)
    if level == 0:
        assert outcome.trace is None
        return
    trace = traced(outcome)
    assert trace.meta.level == level
    assert np.array_equal(np.sort(trace.tasks["task"]), np.arange(outcome.tasks_done))
    assert np.all(trace.tasks["flags"] == 0)
    assert not any(entry.dropped for entry in trace.meta.ledger)


@pytest.mark.parametrize("on_full", ["block", "drop"])
@pytest.mark.parametrize("buffer_records", [1, 2, 1024])
def test_the_ledger_closes_whatever_the_size_of_a_buffer(
    buffer_records: int, on_full: str, tmp_path: Path
) -> None:
    options = {"buffer_records": buffer_records, "on_full": on_full}
    trace = traced(ran("paged_attention", tmp_path, **options))
    made = sum(entry.total for entry in trace.meta.ledger if entry.kind == "core_task")
    assert made == 1024
    if on_full == "block":
        assert not any(entry.dropped for entry in trace.meta.ledger)
    elif buffer_records == 1:
        assert any(entry.dropped for entry in trace.meta.ledger)


@pytest.mark.parametrize("buffer_records", [1, 7, 32, 33, 1024])
def test_submissions_and_phases_keep_their_order(buffer_records: int, tmp_path: Path) -> None:
    outcome = ran("random_dag", tmp_path, {"tasks": "1000"}, buffer_records=buffer_records)
    trace = traced(outcome)
    submits = phases_of(trace, "orchestrator")
    assert submits["task"].tolist() == list(range(1000))
    assert np.all(submits["start_ns"][1:] >= submits["end_ns"][:-1])
    done = phases_of(trace, "scheduler")
    for kind in ("complete", "dispatch"):
        assert int(done["tasks"][done["kind"] == trace.code(kind)].sum()) == 1000


def test_65536_tasks_are_recorded_whole(tmp_path: Path) -> None:
    trace = traced(ran("paged_attention", tmp_path, {"batches": "16384"}))
    assert len(trace.tasks) == 65536
    assert not any(entry.dropped for entry in trace.meta.ledger)


@pytest.mark.parametrize(("schedulers", "pre_dispatch"), [(1, 0), (2, 1), (4, 2)])
def test_schedulers_share_the_workers(schedulers: int, pre_dispatch: int, tmp_path: Path) -> None:
    options = {"schedulers": schedulers, "pre_dispatch": pre_dispatch}
    trace = traced(ran("random_dag", tmp_path, {"tasks": "3000"}, **options))
    assert len(trace.cores) == find_gpu().multiprocessors - schedulers
    rows = trace.phases["lane"] == trace.words.index("scheduler")
    assert np.unique(trace.phases["controller"][rows]).tolist() == list(range(schedulers))


@pytest.mark.parametrize("name", ["chain", "random_dag", "paged_attention"])
def test_what_waited_is_never_shown_before_what_it_waited_for(name: str, tmp_path: Path) -> None:
    trace = traced(ran(name, tmp_path))
    assert trace.meta.recording is not None
    error = trace.meta.recording.clock_error_ns
    assert error is not None and 0 < error < 5000
    order = np.argsort(trace.tasks["task"])
    times = {
        moment: trace.tasks[f"{moment}_ns"][order]
        for moment in ("dispatch", "receive", "start", "end", "finish")
    }
    pred, succ = trace.edges["pred"], trace.edges["succ"]
    assert int((times["start"][succ] - times["end"][pred]).min()) >= -error
    assert int((times["dispatch"][succ] - times["finish"][pred]).min()) >= -error
    for early, late in (("dispatch", "receive"), ("receive", "start"), ("end", "finish")):
        assert int((times[late] - times[early]).min()) >= -error
    for core in range(len(trace.cores)):
        rows = np.flatnonzero(trace.tasks["core"] == core)
        rows = rows[np.argsort(trace.tasks["token"][rows])]
        assert np.all(trace.tasks["start_ns"][rows][1:] >= trace.tasks["end_ns"][rows][:-1])


def test_each_core_is_an_sm_of_its_own(tmp_path: Path) -> None:
    trace = traced(ran("fan", tmp_path))
    assert len(np.unique(trace.cores["cluster"])) == len(trace.cores)


@pytest.mark.parametrize("buffer_records", [1, 1024])
def test_warp_roles_are_pipes_whose_marks_lie_in_their_tasks(
    buffer_records: int, tmp_path: Path
) -> None:
    settings = {"batches": "64", "qk_ns": "5000", "sf_ns": "5000", "pv_ns": "5000"}
    options = {"core_swimlane": True, "buffer_records": buffer_records}
    trace = traced(ran("paged_attention", tmp_path, settings, **options))
    assert {trace.word(code) for code in trace.marks["pipe"].tolist()} == {
        "load",
        "compute",
        "store",
    }
    assert len(trace.marks) == 3 * 64 * (5 + 5 + 5 + 1)
    place = np.empty(256, np.int64)
    place[trace.tasks["task"]] = np.arange(256)
    row = place[trace.marks["task"]]
    assert np.array_equal(trace.tasks["core"][row], trace.marks["core"])
    assert np.array_equal(trace.tasks["token"][row], trace.marks["token"])
    assert np.all(trace.tasks["start_ns"][row] <= trace.marks["start_ns"])
    assert np.all(trace.marks["end_ns"] <= trace.tasks["end_ns"][row])


def test_every_tool_reads_the_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a", "b"):
        words = ["run", "paged_attention", "--platform", "cuda", "--core-swimlane", "--quiet"]
        assert main([*words, "-o", str(tmp_path / f"{name}.lanes")]) == 0
        assert "results right: 262,144 values compared" in capsys.readouterr().out
    one, other = str(tmp_path / "a.lanes"), str(tmp_path / "b.lanes")
    for words in (
        ["report", one],
        ["diff", one, other],
        ["what-if", one, "--scale", "SF=0.5"],
        ["what-if", one, "--rank"],
        ["view", one, "--html", str(tmp_path / "a.html")],
        ["export", one, "--to", "perfetto", "-o", str(tmp_path / "a.pftrace")],
        ["export", one, "--to", "chrome", "-o", str(tmp_path / "a.json")],
    ):
        assert main(words) == 0, words
        said = capsys.readouterr()
        assert said.err == "", words
        assert words[0] != "report" or "1,024 tasks on 131 cores" in said.out
    assert (tmp_path / "a.html").stat().st_size > 100_000
    assert (tmp_path / "a.pftrace").stat().st_size > 100_000


@pytest.mark.parametrize("schedulers", [1, 4])
def test_what_if_foresees_what_half_the_work_takes(schedulers: int, tmp_path: Path) -> None:
    times = {"qk_ns": "50000", "pv_ns": "50000", "up_ns": "2000"}
    whole, half = (
        [
            traced(
                ran("paged_attention", tmp_path, times | {"sf_ns": sf_ns}, schedulers=schedulers)
            )
            for _ in range(3)
        ]
        for sf_ns in ("66000", "33000")
    )
    answers = [lanescope.what_if(trace, scale={"SF": 0.5}) for trace in whole]
    # One capture of these is up to 6 % off, another time 3 %; benchmarks.cuda_graph judges by 5 %.
    assert abs(sum(answer.honesty for answer in answers) / 3) < 0.1
    made = [makespan_ns(trace) for trace in half]
    assert max(made) < min(makespan_ns(trace) for trace in whole)
    foreseen = [answer.predictions[0].makespan_ns for answer in answers]
    assert abs(sum(foreseen) / sum(made) - 1) < 0.1


def makespan_ns(trace: Trace) -> int:
    return int(trace.tasks["finish_ns"].max() - trace.tasks["dispatch_ns"].min())


def test_a_kernel_that_gives_up_says_so_and_the_next_one_runs(tmp_path: Path) -> None:
    graph = build_workload("chain", {"tasks": "20000", "spin_ns": "100000"})
    machine = GpuMachine(workers=2, limit_s=0.05)
    engine = GpuEngine(machine)
    job = MegakernelJob(
        engine.memory, graph, program_of(graph), machine, recorder=RecordingTarget()
    )
    engine.run(job.address)
    with pytest.raises(LanescopeError, match=r"gave up after 0\.05 s with \d+ of 20,000 tasks"):
        job.result()
    job.close()
    ran("fan", tmp_path)


def test_a_cancelled_run_finishes_what_was_dispatched() -> None:
    graph = build_workload("chain", {"tasks": "60000", "spin_ns": "100000"})
    machine = GpuMachine(workers=2, limit_s=20)
    engine = GpuEngine(machine)
    job = MegakernelJob(
        engine.memory, graph, program_of(graph), machine, recorder=RecordingTarget()
    )
    thread = threading.Thread(target=lambda: engine.run(job.address))
    thread.start()
    time.sleep(0.1)
    begun = time.monotonic()
    job.cancel()
    thread.join()
    assert time.monotonic() - begun < 0.5
    result = job.result()
    job.close()
    assert result.interrupted
    assert 0 < result.tasks_done < len(graph)


def test_the_command_keeps_nothing_in_memory(tmp_path: Path) -> None:
    before = set(Path("/dev/shm").glob("lanescope-*"))
    assert main(["run", "fan", "--platform", "cuda", "--quiet", "-o", str(tmp_path)]) == 0
    assert set(Path("/dev/shm").glob("lanescope-*")) == before
    assert len(lanescope.load(tmp_path / "fan.lanes").tasks) == 1026
