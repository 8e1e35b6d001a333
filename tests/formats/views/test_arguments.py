"""Arguments of bars: hardware counters find the task that they were sampled for."""

from __future__ import annotations

import numpy as np
from tests.analyze.hand import Row, make_trace, task

from lanescope.formats.views.arguments import task_counters
from lanescope.trace import MISSING


def shown(samples: list[Row], tasks: list[Row]) -> dict[str, list[float]]:
    trace = make_trace(tasks=tasks, counters=samples)
    arguments = task_counters(trace, np.flatnonzero(trace.ran()))
    return {argument.name: argument.values.tolist() for argument in arguments}


def ran(core: int, number: int, token: int) -> Row:
    return task(core, None, None, 10 * token, 10 * token + 5, None, task=number, token=token)


def test_a_sample_belongs_to_the_run_with_its_token() -> None:
    samples = [
        {"name": "cycles", "value": 3.0, "core": 0, "task": 7, "token": 1},
        {"name": "cycles", "value": 4.0, "core": 1, "task": 7, "token": 9},
    ]
    assert shown(samples, [ran(0, 7, 0), ran(0, 7, 1), ran(1, 7, 0)]) == {
        "cycles": [MISSING, 3, MISSING]
    }


def test_a_sample_without_a_token_belongs_to_the_first_run_of_its_task_on_its_core() -> None:
    samples = [{"name": "ipc", "value": 0.5, "core": 1, "task": 8}]
    tasks = [ran(0, 8, 0), ran(1, 8, 1), ran(1, 8, 2)]
    values = shown(samples, tasks)["ipc"]
    assert values[1] == 0.5
    assert np.isnan([values[0], values[2]]).all()


def test_a_sample_without_a_core_belongs_to_no_run() -> None:
    samples = [{"name": "bytes", "value": 64.0, "task": 7}]
    assert shown(samples, [ran(0, 7, 0)]) == {}


def test_samples_without_any_run_are_no_arguments() -> None:
    samples = [{"name": "cycles", "value": 3.0, "core": 0, "task": 7, "token": 1}]
    assert shown(samples, []) == {}
