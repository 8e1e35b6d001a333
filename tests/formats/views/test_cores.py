"""The view of the tasks as their scheduler saw them."""

from __future__ import annotations

from tests.analyze.hand import make_trace, task

from lanescope.formats.views.cores import scheduler_view


def test_a_task_is_seen_from_its_dispatch_to_its_finish_where_both_are_known() -> None:
    """Task 1 ran, task 2 did not; of 3 and 4 one moment is not known."""
    trace = make_trace(
        tasks=[
            task(0, 10, 11, 12, 20, 25, task=1),
            task(0, 30, None, None, None, 35, task=2),
            task(0, None, None, 42, 44, 45, task=3),
            task(0, 50, None, 52, 54, None, task=4),
        ],
        cores=[{"core": 0}],
    )
    view = scheduler_view(trace, 0)
    assert (view.start_ns.tolist(), view.end_ns.tolist()) == ([10, 30], [25, 35])
    assert [part.category for part in view.parts] == ["dispatch", "dispatched"]
