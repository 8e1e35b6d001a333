"""The slowest task of a function beside the median one."""

from __future__ import annotations

from tests.analyze.hand import make_trace, task
from tests.analyze.inside.test_busy import busy

from lanescope.analyze.inside.instances import Instance, Slowest, slowest_instances


def test_the_pipe_that_differs_most_is_named() -> None:
    lengths = [50, 52, 90]
    tasks, marks, time = [], [], 0
    for token, length in enumerate(lengths):
        end = time + length
        tasks.append(task(0, None, None, time, end, None, token=token, task=token + 7, func=2))
        marks.append(busy("cube", time, time + 30, token=token))
        marks.append(busy("mte2", time + 30, end - 5, token=token))
        time = end
    trace = make_trace(cores=[{"core": 0, "kind": "aic"}], tasks=tasks, marks=marks)
    slow = Instance(task=9, core=0, start_ns=102, length_ns=90, pipe_ns=55, bubble_ns=5)
    median = Instance(task=8, core=0, start_ns=50, length_ns=52, pipe_ns=17, bubble_ns=5)
    assert slowest_instances(trace) == (Slowest(2, "func_2", "aic", 3, slow, median, "mte2"),)


def test_a_single_task_has_nothing_to_be_compared_with() -> None:
    trace = make_trace(
        tasks=[task(0, None, None, 0, 9, None, token=0, func=1)], marks=[busy("cube", 0, 5)]
    )
    assert slowest_instances(trace) == ()


def test_tasks_of_equal_pipes_name_no_pipe() -> None:
    trace = make_trace(
        tasks=[
            task(0, None, None, 0, 9, None, token=0, func=1),
            task(0, None, None, 10, 30, None, token=1, func=1),
        ],
        marks=[busy("cube", 0, 5), busy("cube", 10, 15, token=1)],
    )
    (one,) = slowest_instances(trace)
    assert one.pipe is None
    assert (one.slowest.bubble_ns, one.median.bubble_ns) == (15, 4)


def test_functions_are_ordered_by_what_their_slowest_task_takes_more() -> None:
    """Function 1 is long and even, 10 ns more; function 2 is short, and 30 ns more."""
    tasks, marks, time = [], [], 0
    for token, (func, length) in enumerate([(1, 500), (1, 500), (1, 510), (2, 5), (2, 5), (2, 35)]):
        tasks.append(task(0, None, None, time, time + length, None, token=token, func=func))
        marks.append(busy("cube", time, time + 1, token=token))
        time += length
    trace = make_trace(cores=[{"core": 0, "kind": "aic"}], tasks=tasks, marks=marks)
    found = [(one.func, one.slowest.length_ns) for one in slowest_instances(trace)]
    assert found == [(2, 35), (1, 510)]
