"""Lanes: which there are, what they are called, their order, and which row lies on which."""

from __future__ import annotations

import numpy as np
from tests.analyze.hand import make_trace

from lanescope.trace import MISSING32, NO_WORD, Trace
from lanescope.trace.lanes import (
    EXPORT_ORDER,
    PAGE_ORDER,
    Lane,
    LaneKind,
    LaneOrder,
    Lanes,
    controller_lanes,
    core_lanes,
    core_name,
    core_names,
    stalls_of_cores,
)

CORES = [{"core": 4, "name": "aic 4"}, {"core": 1}]


def column(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def names(lanes: Lanes) -> list[str]:
    return [lane.name for lane in lanes.lanes]


def controller_names(rows: list[tuple[str, int]], order: LaneOrder) -> list[str]:
    trace = make_trace(phases=[{"lane": lane, "controller": number} for lane, number in rows])
    columns = trace.phases["lane"], trace.phases["controller"]
    return names(controller_lanes(trace, [columns], order))


def test_controllers_stand_by_kind_then_number() -> None:
    rows = [("host", 0), ("other", 1), ("orchestrator", 0), ("scheduler", 10), ("scheduler", 2)]
    schedulers = ["scheduler 2", "scheduler 10"]
    assert controller_names(rows, EXPORT_ORDER) == [
        *(*schedulers, "orchestrator 0", "host 0", "other 1")
    ]
    assert controller_names(rows, PAGE_ORDER) == [
        *("orchestrator 0", *schedulers, "host 0", "other 1")
    ]


def test_a_controller_without_a_number_has_the_name_of_its_kind() -> None:
    rows = [("scheduler", 3), ("scheduler", MISSING32)]
    assert controller_names(rows, EXPORT_ORDER) == ["scheduler 3", "scheduler"]
    assert controller_names(rows, PAGE_ORDER) == ["scheduler", "scheduler 3"]


def test_a_controller_without_a_kind_comes_last() -> None:
    trace = make_trace(phases=[{"lane": "host", "controller": 0}, {"controller": 5}])
    columns = trace.phases["lane"], trace.phases["controller"]
    assert columns[0].tolist()[1] == NO_WORD
    assert names(controller_lanes(trace, [columns], PAGE_ORDER)) == ["host 0", "controller 5"]


def test_every_row_of_a_controller_lies_on_its_lane() -> None:
    trace = make_trace(phases=[{"lane": lane} for lane in ("host", "scheduler")])
    host, scheduler = trace.code("host"), trace.code("scheduler")
    seen = column(host, host, scheduler, scheduler), column(0, 0, 1, 0)
    lanes = controller_lanes(trace, [seen], EXPORT_ORDER)
    assert names(lanes) == ["scheduler 0", "scheduler 1", "host 0"]
    assert lanes.of_controller(*seen).tolist() == [2, 2, 1, 0]
    assert lanes.of_controller(column(host, NO_WORD), column(1, 0)).tolist() == [-1, -1]
    assert lanes.of_controller(column(), column()).tolist() == []


def test_cores_are_the_declared_ones_then_those_that_only_rows_name() -> None:
    lanes = core_lanes(make_trace(cores=CORES), [column(9, 1, 9), column(7)], EXPORT_ORDER)
    assert lanes.lanes == (
        Lane(LaneKind.CORE, "aic 4", 4),
        Lane(LaneKind.CORE, "core 1", 1),
        Lane(LaneKind.CORE, "core 7", 7),
        Lane(LaneKind.CORE, "core 9", 9),
    )
    assert lanes.of_core(column(1, 9, 4, 4, 8)).tolist() == [1, 3, 0, 0, -1]


def test_rows_without_a_core_have_a_lane_where_they_are_shown() -> None:
    trace, seen = make_trace(cores=CORES), [column(MISSING32, 7)]
    assert names(core_lanes(trace, seen, EXPORT_ORDER))[2:] == ["no core", "core 7"]
    lanes = core_lanes(trace, seen, PAGE_ORDER)
    assert names(lanes)[2:] == ["core 7", "no core"]
    assert lanes.of_core(column(MISSING32, 7)).tolist() == [3, 2]
    assert names(core_lanes(trace, [column(7)], PAGE_ORDER)) == ["aic 4", "core 1", "core 7"]


def marked(*marks: tuple[int, str | None]) -> tuple[Trace, tuple[np.ndarray, np.ndarray]]:
    rows = [{"core": core, **({"pipe": pipe} if pipe else {})} for core, pipe in marks]
    trace = make_trace(marks=rows, cores=CORES)
    return trace, (trace.marks["core"], trace.marks["pipe"])


def test_pipes_stand_below_their_core_with_a_lane_where_a_mark_lies() -> None:
    trace, marks = marked((1, "cube"), (4, "mte1"), (4, "cube"), (4, "mte1"))
    lanes = core_lanes(trace, [marks[0]], EXPORT_ORDER, marked=marks)
    assert lanes.lanes == (
        Lane(LaneKind.CORE, "aic 4", 4),
        Lane(LaneKind.PIPE, "cube", 4, inside=0),
        Lane(LaneKind.PIPE, "mte1", 4, inside=0),
        Lane(LaneKind.CORE, "core 1", 1),
        Lane(LaneKind.PIPE, "cube", 1, inside=3),
    )
    assert lanes.of_pipe(*marks).tolist() == [4, 2, 1, 2]
    assert lanes.full_names() == ["aic 4", "aic 4 cube", "aic 4 mte1", "core 1", "core 1 cube"]


def test_pipes_stand_in_the_hardwares_order_or_in_that_of_the_words() -> None:
    trace, marks = marked((4, "mte1"), (4, "spill"), (4, "scalar"), (4, None))
    in_export = core_lanes(trace, [], EXPORT_ORDER, marked=marks)
    assert names(in_export)[1:5] == ["scalar", "mte1", "spill", "mark"]
    on_page = core_lanes(trace, [], PAGE_ORDER, marked=marks)
    assert names(on_page)[1:5] == ["mte1", "spill", "scalar", "mark"]


def test_a_mark_whose_core_is_not_shown_has_no_lane() -> None:
    trace, marks = marked((MISSING32, "cube"), (8, "cube"), (4, "cube"))
    lanes = core_lanes(trace, [], PAGE_ORDER, marked=marks)
    assert lanes.of_pipe(*marks).tolist() == [-1, -1, 1]


def test_pipes_of_no_core_stand_below_no_core() -> None:
    trace, marks = marked((MISSING32, "cube"))
    lanes = core_lanes(trace, [marks[0]], EXPORT_ORDER, marked=marks)
    assert lanes.full_names() == ["aic 4", "core 1", "no core", "no core cube"]
    assert lanes.of_pipe(*marks).tolist() == [3]


def test_lanes_that_follow_others_keep_their_rows() -> None:
    trace, marks = marked((4, "cube"))
    first = Lanes((Lane(LaneKind.CONTROLLER, "host"),), {(0, -1): 0})
    lanes = first.followed_by(core_lanes(trace, [], PAGE_ORDER, marked=marks))
    assert lanes.full_names() == ["host", "aic 4", "aic 4 cube", "core 1"]
    assert lanes.lanes[2] == Lane(LaneKind.PIPE, "cube", 4, inside=1)
    twice = lanes.followed_by(core_lanes(marked((6, "cube"))[0], [], PAGE_ORDER))
    again = Lanes(tuple(twice.lanes[:3])).followed_by(lanes)
    assert again.full_names()[3:6] == ["host", "aic 4", "aic 4 cube"]
    assert again.lanes[5].inside == 4
    assert lanes.of_controller(column(0), column(MISSING32)).tolist() == [0]
    assert lanes.of_core(column(1, 4)).tolist() == [3, 1]
    assert lanes.of_pipe(*marks).tolist() == [2]


def test_a_core_without_a_name_is_called_by_its_number() -> None:
    assert core_names(make_trace(cores=CORES)) == {4: "aic 4", 1: "core 1"}
    assert (core_name(7), core_name(MISSING32)) == ("core 7", "no core")


def test_stalls_are_of_cores_or_of_controllers() -> None:
    trace = make_trace(stalls=[{"lane": "core", "core": 3}, {"lane": "scheduler"}])
    assert stalls_of_cores(trace).tolist() == [True, False]
    assert stalls_of_cores(make_trace(stalls=[{"lane": "host"}])).tolist() == [False]
