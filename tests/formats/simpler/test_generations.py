"""Every generation of the records file, told apart by content alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.formats.simpler.runs import phase, phase_us, read, records, rows, task_us

from lanescope.errors import InputError

READY = {"kernel_ready_time_us": 0.5, "fanout": [], "fanout_count": 0}
LIFE = {"dispatch_time_us": 0.0, "finish_time_us": 9.5}
LATER = {"dispatch_time_us": 1.0, "finish_time_us": 9.75}
SCHEDULER = [[phase_us("scan", 0.25, 0.5, loop_iter=1, tasks_processed=2)], []]
SUBMITS = [phase_us("orch_sync", 0.1, 0.2), phase_us("orch_alloc", 0.2, 0.3)]
SUMMARY = {
    "start_time_us": 0.125,
    "end_time_us": 4.25,
    "submit_count": 2,
    "phase_us": {"sync": 0.1, "scope_end": 0.2},
}


def micros(*tasks: dict[str, Any], **keys: Any) -> dict[str, Any]:
    return {**keys, "tasks": list(tasks)}


def two(**more: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    return task_us(0, 0, 2.0, 8.125, **{**LIFE, **more}), task_us(1, 1, 3, 9, **{**LATER, **more})


CASES = {
    "version 0": (micros(task_us(0, 0, 2, 8), version=0), "G1", 1),
    "G1 without dispatch": (micros(task_us(0, 0, 2, 8, **READY), version=1), "G1", 1),
    "G1 with dispatch": (micros(*two(**READY), version=1), "G1", 2),
    "G2 version 1": (micros(*two(**READY), version=1, aicpu_orchestrator=SUMMARY), "G1", 2),
    "G2 scheduler only": (
        micros(*two(**READY), version=2, aicpu_scheduler_phases=SCHEDULER),
        "G2",
        3,
    ),
    "G2 flat": (
        micros(
            *two(**READY),
            version=2,
            aicpu_scheduler_phases=SCHEDULER,
            aicpu_orchestrator=SUMMARY,
            aicpu_orchestrator_phases=SUBMITS,
        ),
        "G2",
        4,
    ),
    "G2 per thread": (
        micros(
            *two(**READY),
            version=2,
            aicpu_scheduler_phases=SCHEDULER,
            aicpu_orchestrator=SUMMARY,
            aicpu_orchestrator_phases=[[], SUBMITS],
        ),
        "G2",
        4,
    ),
    "G2b version 1": (micros(*two(ring_id=0), version=1), "G1", 2),
    "G2b version 2": (
        micros(*two(ring_id=0), version=2, aicpu_scheduler_phases=SCHEDULER),
        "G2",
        3,
    ),
    "G3 level 1": (
        micros(task_us(0, 0, 2, 8, dispatch_time_us=0.0, finish_time_us=0.0), version=1),
        "G3",
        1,
    ),
    "G3 level 2": (micros(*two(fanout=[]), version=2), "G3", 2),
    "G3 level 3": (micros(*two(), version=3, aicpu_scheduler_phases=SCHEDULER), "G3", 3),
    "G3 level 4": (
        micros(
            *two(),
            version=4,
            aicpu_scheduler_phases=SCHEDULER,
            aicpu_orchestrator_phases=[SUBMITS],
        ),
        "G3",
        4,
    ),
    "G4": (micros(*two(), l2_perf_level=2), "G4", 2),
    "G4 without a key": (micros(*two(), aicpu_scheduler_phases=SCHEDULER), "G4", 3),
    "G5": (micros(*two(), l2_swimlane_level=2), "G5", 2),
    "G6": (
        {
            **{k: v for k, v in records().items() if k != "chip_swimlane_level"},
            "l2_swimlane_level": 2,
            "aicore_tasks": [[0, 7, 1, 100, 200]],
            "aicpu_tasks": [[0, 1, 90, 210]],
        },
        "G6",
        2,
    ),
    "G7": (
        {
            **{k: v for k, v in records().items() if k != "chip_swimlane_level"},
            "l2_swimlane_level": 2,
            "aicore_tasks": [[0, 7, 1, 100, 200, 3]],
            "aicpu_tasks": [[0, 1, 90, 210]],
        },
        "G7",
        2,
    ),
    "G8 level 1": (records(1, aicore_tasks=[[0, 7, 1, 100, 200, 3]]), "G8", 1),
    "G8 level 4": (
        records(4, aicpu_scheduler_phases=[[]], aicpu_orchestrator_phases=[[]]),
        "G8",
        4,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_content_tells_generation_and_level(tmp_path: Path, case: str) -> None:
    content, generation, level = CASES[case]
    trace = read(tmp_path, anything=content)
    assert (trace.meta.extra["generation"], trace.meta.level) == (generation, level)


TIMES = ("task", "core", "dispatch_ns", "receive_ns", "start_ns", "end_ns", "finish_ns")


@pytest.mark.parametrize(
    "case", ["G1 with dispatch", "G2 flat", "G2b version 2", "G3 level 4", "G4", "G5"]
)
def test_micro_generations_give_the_same_rows(tmp_path: Path, case: str) -> None:
    trace = read(tmp_path, anything=CASES[case][0])
    assert rows(trace, "tasks", *TIMES) == [
        (0, 0, 0, None, 2000, 8125, 9500),
        (1, 1, 1000, None, 3000, 9000, 9750),
    ]
    assert set(trace.tasks["flags"].tolist()) == {0}


@pytest.mark.parametrize(
    ("case", "receive"), [("G6", None), ("G7", (97 - 90) * 20)], ids=["G6", "G7"]
)
def test_cycle_generations_differ_in_the_receive_column(
    tmp_path: Path, case: str, receive: int | None
) -> None:
    trace = read(tmp_path, anything=CASES[case][0])
    assert rows(trace, "tasks", *TIMES) == [(7, 0, 0, receive, 200, 2200, 2400)]
    assert rows(trace, "tasks", "token", "start_cycles", "finish_cycles") == [(1, 100, 210)]


def test_first_generation_carries_edges_and_functions(tmp_path: Path) -> None:
    tasks = [task_us(0, 0, 2, 8, **{**READY, "fanout": [1]}), task_us(1, 1, 3, 9, **READY)]
    trace = read(tmp_path, anything=micros(*tasks, version=1))
    assert rows(trace, "edges", "pred", "succ", "kind") == [(0, 1, "fanout")]
    assert rows(trace, "tasks", "task", "func", "kind") == [(0, 0, "run"), (1, 0, "run")]
    assert rows(trace, "functions", "func", "name") == [(0, "func_0")]


PHASES = ("lane", "controller", "kind", "start_ns", "end_ns", "loop", "tasks")


def test_flat_and_threaded_orchestrator_phases_of_generation_2(tmp_path: Path) -> None:
    scheduler = ("scheduler", 0, "scan", 250, 500, 1, 2)
    summary = ("orchestrator", 0, "orchestrate", 125, 4250, None, 2)
    for lane, case in ((0, "G2 flat"), (1, "G2 per thread")):
        trace = read(tmp_path / case, anything=CASES[case][0])
        assert rows(trace, "phases", *PHASES) == [
            scheduler,
            ("orchestrator", lane, "sync", 100, 200, None, None),
            ("orchestrator", lane, "alloc", 200, 300, None, None),
            summary,
        ]
        assert trace.meta.extra["orchestrator_phase_us"] == SUMMARY["phase_us"]


def test_phases_of_generation_8_keep_every_column(tmp_path: Path) -> None:
    scheduler = [
        phase(
            "dispatch",
            100,
            110,
            loop_iter=1,
            tasks_processed=2,
            pop_hit=2,
            pop_miss=3,
            shared_at_start=[1, 2, 3],
            shared_at_end=[0, 0, 1],
        ),
        phase("fanout", 120, 130, loop_iter=2, tasks_processed=0),
    ]
    submits = [{"submit_idx": 4, "task_id": 9, "start_cycles": 101, "end_cycles": 102}]
    content = records(
        4, aicpu_scheduler_phases=[[], scheduler], aicpu_orchestrator_phases=[submits]
    )
    trace = read(tmp_path, anything=content)
    assert rows(trace, "phases", *PHASES) == [
        ("scheduler", 1, "dispatch", 0, 200, 1, 2),
        ("scheduler", 1, "resolve", 400, 600, 2, 0),
        ("orchestrator", 0, "submit", 20, 40, None, None),
    ]
    assert rows(trace, "phases", "pop_hit", "pop_miss", "task", "submit") == [
        (2, 3, None, None),
        (None, None, None, None),
        (None, None, 9, 4),
    ]
    depths = [f"queue{queue}_{side}" for side in ("start", "end") for queue in range(3)]
    assert rows(trace, "phases", *depths)[:2] == [(1, 2, 3, 0, 0, 1), (None,) * 6]
    assert trace.meta.queues == ("aic", "aiv", "mix")


def test_a_phase_without_a_name_is_a_submit(tmp_path: Path) -> None:
    submit = {"start_time_us": 1, "end_time_us": 2, "task_id": 0}
    content = micros(*two(), version=4, aicpu_orchestrator_phases=[[submit, *SUBMITS]])
    trace = read(tmp_path, anything=content)
    assert trace.text("phases", "kind") == ["submit", "sync", "alloc"]


def test_dispatch_at_zero_is_a_time_from_level_2_on(tmp_path: Path) -> None:
    first, second = two()
    level_2 = read(tmp_path / "2", anything=micros(first, second, l2_swimlane_level=2))
    level_1 = read(tmp_path / "1", anything=micros(first, second, l2_swimlane_level=1))
    assert rows(level_2, "tasks", "dispatch_ns", "flags") == [(0, 0), (1000, 0)]
    assert rows(level_1, "tasks", "dispatch_ns", "flags") == [(None, 0), (None, 0)]


def test_stamps_above_2_to_53_are_exact(tmp_path: Path) -> None:
    base = (1 << 62) + 1
    content = records(
        aicore_tasks=[[0, 1, 1, base + 3, base + 4, 2]], aicpu_tasks=[[0, 1, base, base + 5]]
    )
    trace = read(tmp_path, anything=content)
    assert trace.meta.base_cycles == base
    assert rows(trace, "tasks", *TIMES) == [(1, 0, 0, 20, 60, 80, 100)]
    assert rows(trace, "tasks", "start_cycles", "end_cycles") == [(base + 3, base + 4)]


def test_clock_of_a_gigahertz_and_an_odd_one(tmp_path: Path) -> None:
    for hz, end_ns in ((1_000_000_000, 10), (3_000_000, 3333)):
        content = records(1, aicore_tasks=[[0, 1, 1, 50, 60]])
        content["metadata"]["clock_freq_hz"] = hz
        trace = read(tmp_path / str(hz), anything=content)
        assert rows(trace, "tasks", "start_ns", "end_ns") == [(0, end_ns)]
        assert trace.meta.chip == ("a5" if hz == 1_000_000_000 else "")


def test_cores_are_clustered_one_cube_to_two_vectors(tmp_path: Path) -> None:
    content = records(3, cores="ccvvvv")
    content["metadata"]["core_to_thread"] = [0, 1, 0, 0, 1, -1]
    trace = read(tmp_path, anything=content)
    assert rows(trace, "cores", "core", "name", "kind", "cluster", "controller") == [
        (0, "aic 0", "aic", 0, 0),
        (1, "aic 1", "aic", 1, 1),
        (2, "aiv 2", "aiv", 0, 0),
        (3, "aiv 3", "aiv", 0, 0),
        (4, "aiv 4", "aiv", 1, 1),
        (5, "aiv 5", "aiv", 1, None),
    ]


REFUSED = {
    "streams without a level": (
        {k: v for k, v in records().items() if k != "chip_swimlane_level"},
        "has 'aicore_tasks' but no 'chip_swimlane_level' or 'l2_swimlane_level'; "
        "the level is unknown",
    ),
    "version -1": (
        micros(*two(), version=-1),
        "'version' is -1, expected a level from 1 to 4",
    ),
    "a level and no tasks": ({"l2_perf_level": 2}, "has no 'tasks'"),
    "no metadata": (
        {"chip_swimlane_level": 1, "aicore_tasks": []},
        "has no 'metadata', so neither clock nor cores are known",
    ),
    "no controller stream": (
        {k: v for k, v in records().items() if k != "aicpu_tasks"},
        "has neither 'scheduler_tasks' nor 'aicpu_tasks', one of which every level above 1 has",
    ),
    "received before the counter began": (
        records(1, aicore_tasks=[[0, 1, 1, 5, 9, 6]]),
        "aicore_tasks row 0: received 6 cycles before its start, but the counter is only at 5",
    ),
    "two orchestrators": (
        records(4, host_orchestrator_phases=[[]], aicpu_orchestrator_phases=[[]]),
        "has both 'host_orchestrator_phases' and 'aicpu_orchestrator_phases'; "
        "a run has one orchestrator",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_say_what_is_missing(tmp_path: Path, case: str) -> None:
    content, problem = REFUSED[case]
    with pytest.raises(InputError) as caught:
        read(tmp_path, anything=content)
    assert str(caught.value) == f"{tmp_path / 'anything.json'}: {problem}"
