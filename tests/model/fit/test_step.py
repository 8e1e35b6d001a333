"""One step: what overlaps, what does not, added up by hand."""

from __future__ import annotations

from lanescope.model.fit.step import Rates, Work, step_time


def test_each_resource_is_charged_once() -> None:
    work = Work(link_bytes=100, memory_bytes=60, flop=50, operations=2)
    time = step_time(work, Rates(10, 20, 10, operation_s=1))
    assert (time.link_s, time.memory_s, time.compute_s, time.start_s) == (10, 3, 5, 2)
    assert time.serial_s == 10 + 5 + 2
    assert time.overlapped_s == 10
    assert time.bound_by == "link"


def test_what_is_not_known_is_not_counted() -> None:
    time = step_time(Work(0, 60, 50), Rates(None, 20, None))
    assert (time.serial_s, time.overlapped_s, time.bound_by) == (3, 3, "memory")


def test_its_dict_names_the_bound() -> None:
    figures = step_time(Work(100, 60, 0), Rates(10, 20)).to_dict()
    assert figures == {
        "link_s": 10,
        "memory_s": 3,
        "compute_s": 0,
        "start_s": 0,
        "layers": 0,
        "resident_share": 0,
        "bound_by": "link",
    }
