"""One step: what overlaps, what does not, added up by hand."""

from __future__ import annotations

from dataclasses import replace

from lanescope.model.fit.step import Rates, Work, step_time


def test_each_resource_is_charged_once() -> None:
    work = Work(100, 60, 50, storage_bytes=30, activation_bytes=40, operations=2)
    rates = Rates(10, 20, 10, operation_s=1, start_s=3, storage_bytes_per_s=15)
    assert step_time(work, rates).activation_s == 0
    time = step_time(work, replace(rates, activation_bytes_per_s=20))
    assert (time.link_s, time.memory_s, time.compute_s, time.storage_s) == (10, 3, 5, 2)
    assert (time.activation_s, time.operation_s, time.start_s) == (2, 2, 6)
    assert time.on_chip_s == 5 + 2 + 2
    assert time.serial_s == 10 + 2 + 9
    # Half of the faster of the two links is hidden behind the slower.
    assert time.prefetched_s == 10 + 1
    assert time.bound_by == "link"


def test_what_is_not_known_is_not_counted() -> None:
    time = step_time(Work(0, 60, 50), Rates(None, 20, None))
    assert (time.serial_s, time.prefetched_s, time.bound_by) == (3, 3, "memory")


def test_experts_that_are_asked_for_are_never_hidden() -> None:
    time = step_time(Work(0, 100, 0, asked_bytes=50), Rates(10, 20))
    assert (time.asked_s, time.prefetched_s, time.serial_s) == (5, 10, 10)


def test_experts_from_storage_cross_both_links() -> None:
    work = Work(0, 0, 0, asked_bytes=50, asked_from_storage=1.0)
    time = step_time(work, Rates(10, 20, storage_bytes_per_s=5))
    assert (time.asked_s, time.asked_storage_s, time.prefetched_s) == (5, 10, 15)
    assert time.bound_by == "storage"


def test_its_dict_names_the_bound_and_both_sums() -> None:
    figures = step_time(Work(100, 60, 0), Rates(10, 20)).to_dict()
    assert figures["bound_by"] == "link"
    assert (figures["serial_s"], figures["prefetched_s"]) == (13, 10)


def test_operations_take_no_time_where_nothing_is_said_of_them() -> None:
    time = step_time(Work(0, 60, 50, activation_bytes=40, operations=2), Rates(None, 20))
    assert (time.activation_s, time.operation_s, time.start_s) == (0, 0, 0)
