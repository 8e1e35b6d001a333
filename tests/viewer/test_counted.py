"""Hardware counters of tasks, as the page shows them."""

from __future__ import annotations

from tests.analyze.hand import Row, make_trace, task

from lanescope.trace import MISSING
from lanescope.viewer.counted import task_counters


def columns(samples: list[Row], tasks: list[Row]) -> dict[str, list[int]]:
    found = task_counters(make_trace(tasks=tasks, counters=samples))
    return {name: values.tolist() for name, values in found.items()}


def test_a_sample_is_in_the_row_of_its_core_and_token_or_task() -> None:
    tasks = [task(core, None, None, 0, 5, None, task=7, token=3) for core in (0, 1)]
    samples = [
        {"name": "cycles", "value": 40.4, "core": 1, "task": 7, "token": 3},
        {"name": "stalls", "value": 2.0, "core": 0, "task": 7},
        {"name": "bytes", "value": 64.0, "task": 7},
    ]
    assert columns(samples, tasks) == {
        "counter cycles": [MISSING, 40],
        "counter stalls": [2, MISSING],
    }


def test_a_trace_without_tasks_has_no_columns_for_samples() -> None:
    assert columns([{"name": "cycles", "value": 1.0, "core": 0, "task": 7}], []) == {}


def test_a_name_whose_samples_belong_to_no_row_has_no_column() -> None:
    tasks = [task(0, None, None, 0, 5, None, task=7, token=3)]
    samples = [
        {"name": "other task", "value": 1.0, "core": 0, "task": 8},
        {"name": "other core", "value": 1.0, "core": 1, "task": 7},
        {"name": "other token", "value": 1.0, "core": 0, "task": 7, "token": 4},
        {"name": "cycles", "value": 9.0, "core": 0, "task": 7},
        {"name": "no number", "value": float("nan"), "core": 0, "task": 7},
    ]
    assert columns(samples, tasks) == {"counter cycles": [9]}


def test_of_several_rows_and_of_several_samples_the_last_one_counts() -> None:
    tasks = [task(0, None, None, 0, 5, None, task=7, token=3) for _ in range(2)]
    tasks.insert(1, task(0, None, None, 0, 5, None, task=6, token=2))
    samples = [
        {"name": "cycles", "value": 1.0, "core": 0, "task": 7, "token": 3},
        {"name": "cycles", "value": 2.6, "core": 0, "task": 7, "token": 3},
        {"value": 5.0, "core": 0, "task": 6},
    ]
    assert columns(samples, tasks) == {
        "counter cycles": [MISSING, MISSING, 3],
        "counter counter": [MISSING, 5, MISSING],
    }
