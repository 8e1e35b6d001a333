"""The lanes of the page: which rows have one, their groups and what was lost on each."""

from __future__ import annotations

from tests.analyze.cores.test_launched import step
from tests.analyze.hand import Row, entry, make_trace, phase, task

from lanescope.trace import MISSING, MISSING32, Trace
from lanescope.viewer.book import Book
from lanescope.viewer.lanes import lane_facts, lanes_of


def facts(trace: Trace, *names: str) -> list[tuple[object, ...]]:
    return [tuple(lane[name] for name in names) for lane in lane_facts(trace, lanes_of(trace))]


def cores(*kinds: str) -> list[Row]:
    return [{"core": number, "kind": kind} for number, kind in enumerate(kinds)]


def test_a_lane_has_name_kind_group_core_and_losses() -> None:
    trace = make_trace(
        cores=[{"core": 3, "name": "aic 3", "kind": "aic"}],
        marks=[{"core": 3, "pipe": "cube", "start_ns": 5}],
        phases=[phase("dispatch", 0, 9)],
    )
    of_core = {"group": "aic cores", "core": 3, "lost": 0}
    assert lane_facts(trace, lanes_of(trace)) == [
        {
            "name": "scheduler 0",
            "kind": "controller",
            "kind_name": "controller",
            "group": "Controllers",
            "core": None,
            "lost": 0,
        },
        {"name": "aic 3", "kind": "core", "kind_name": "aic", **of_core},
        {"name": "cube", "kind": "pipe", "kind_name": "pipe", **of_core},
    ]


def test_losses_of_a_core_are_counted_under_its_name_and_under_its_number() -> None:
    trace = make_trace(
        meta={
            "ledger": (
                entry("aic 3", 9, 5, dropped=4),
                entry("core 3", 9, 7, unmatched=2),
                entry("core 1", 9, 8, dropped=1),
                entry("scheduler 0", 9, 2, dropped=3, unmatched=4),
                entry("cube", 9, 1, dropped=8),
            )
        },
        cores=[{"core": 3, "name": "aic 3"}, {"core": 1}],
        marks=[{"core": 3, "pipe": "cube", "start_ns": 5}],
        phases=[phase("dispatch", 0, 9)],
    )
    assert facts(trace, "name", "lost") == [
        ("scheduler 0", 7),
        ("aic 3", 6),
        ("cube", 0),
        ("core 1", 1),
    ]


def test_cores_are_grouped_by_kind_unless_the_kinds_change_often() -> None:
    few = make_trace(cores=cores("aic", "aic", "aiv", ""))
    assert facts(few, "group") == [("aic cores",), ("aic cores",), ("aiv cores",), ("Cores",)]
    many = make_trace(cores=cores("aic", "aiv", "aic", "aiv", "aic"))
    assert facts(many, "group") == [("Cores",)] * 5


def test_cores_that_rows_name_have_a_lane_and_tasks_without_a_core_where_they_ran() -> None:
    ran = task(MISSING32, None, None, 0, 5, None)
    trace = make_trace(tasks=[ran, task(7, None, None, None, None, None)], stalls=[{"core": 2}])
    assert facts(trace, "name", "core", "group")[1:] == [
        ("core 2", 2, "Cores"),
        ("core 7", 7, "Cores"),
        ("no core", MISSING32, "Cores"),
    ]
    waiting = make_trace(tasks=[task(MISSING32, None, None, None, None, None)])
    assert facts(waiting, "name") == []


def test_a_pipe_has_a_lane_where_a_mark_has_a_start() -> None:
    marks = [
        {"core": 0, "pipe": "cube", "start_ns": 5},
        {"core": 0, "pipe": "vector", "end_ns": 5},
    ]
    assert facts(make_trace(marks=marks), "name") == [("core 0",), ("cube",)]


def test_host_threads_and_launches_stand_above_the_cores_in_a_group() -> None:
    book = Book(step())
    assert [(lane["name"], lane["group"]) for lane in book.header["lanes"]][:4] == [
        ("host 0", "Host and launches"),
        ("host 1", "Host and launches"),
        ("launches", "Host and launches"),
        ("core 0", "sm cores"),
    ]
    more = book.bars["phases"].more
    assert more["launch"].tolist()[-3:] == [1, 2, 3]
    assert book.bars["tasks"].more["launch"].tolist() == [1, 1, 2, 3, 1, MISSING]


def test_three_changes_of_kind_keep_the_groups() -> None:
    three = make_trace(cores=cores("aic", "aiv", "aic", "aiv"))
    assert facts(three, "group") == [(f"{kind} cores",) for kind in ("aic", "aiv", "aic", "aiv")]


def test_a_stream_without_a_device_is_grouped_with_all() -> None:
    streams = [{"core": k, "lane": "stream"} for k in range(3)]
    for row, device in zip(streams[:2], (0, 1), strict=True):
        row["device"] = device
    assert facts(make_trace(cores=streams), "group") == [
        ("Device 0 streams",),
        ("Device 1 streams",),
        ("Streams",),
    ]
    assert facts(make_trace(cores=streams[1:2]), "group") == [("Streams",)]
