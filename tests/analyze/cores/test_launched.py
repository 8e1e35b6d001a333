"""Launches and host ranges: their times, the gaps between launches, and how busy CTAs were."""

from __future__ import annotations

from typing import Any

import pytest
from tests.analyze.hand import Row, make_trace, task

from lanescope.analyze.controllers.threads import controllers
from lanescope.analyze.cores.launched import Launched, LaunchGroup, RangeGroup, launched
from lanescope.reports.build import build_report
from lanescope.trace import HostClock, Trace
from lanescope.trace.schema import MISSING


def launch(number: int, start: int, end: int, **more: Any) -> Row:
    return {"launch": number, "call": number, "start_ns": start, "end_ns": end, "blocks": 2, **more}


def block(number: int, core: int, start: int, end: int) -> Row:
    return {"launch": number, "core": core, "start_ns": start, "end_ns": end}


def ran(core: int, start: int, end: int, number: int | None) -> Row:
    more = {} if number is None else {"launch": number}
    return task(core, None, None, start, end, None, task=start, func=0, **more)


def noted(kind: str, start: int, end: int, category: str, **more: Any) -> Row:
    times = {"start_ns": start, "end_ns": end}
    return {"lane": "host", "controller": 0, "kind": kind, "category": category, **times, **more}


def step() -> Trace:
    """Two steps; each launches `forward`, and the second one a kernel without a name, too."""
    clock = HostClock(host_ns=0, drift_ppb=0, error_ns=12, status="calibrated")
    return make_trace(
        {"host_clock": clock},
        cores=[{"core": 0, "kind": "sm"}, {"core": 1, "kind": "sm"}],
        functions=[{"func": 0, "name": "tile"}],
        tasks=[
            ran(0, 110, 150, 1),
            ran(0, 140, 160, 1),
            ran(1, 120, 130, 1),
            ran(0, 310, 330, 2),
            ran(0, 420, 440, 3),
            ran(1, 900, 910, None),
        ],
        launches=[
            launch(1, 100, 200, name="forward"),
            launch(2, 300, 350, name="forward"),
            launch(3, 340, 450, func=0),
        ],
        blocks=[
            block(1, 0, 100, 200),
            block(1, 1, 110, 150),
            block(2, 0, 300, 350),
            block(3, 0, 340, 450),
        ],
        phases=[
            noted("step", 0, 240, "annotation"),
            noted("step", 250, 500, "annotation"),
            noted("launch", 90, 90, "call", launch=1),
            noted("launch", 260, 260, "call", launch=2),
            noted("launch", 270, 270, "call", launch=3),
            noted("load", 0, 400, "annotation", controller=1),
        ],
    )


def test_every_figure_of_a_step() -> None:
    assert launched(step()) == Launched(
        launches=3,
        span_ns=350,
        covered_ns=250,
        gaps=1,
        longest_gap_ns=100,
        delay_ns=40.0,
        host_error_ns=12,
        names=(
            LaunchGroup("forward", 2, 2, 150, 75.0, 100, 100, 190, 80),
            LaunchGroup("tile", 1, 2, 110, 110.0, 110, 0, 110, 20),
        ),
        ranges=(
            RangeGroup("step", 2, 490, 245.0, 250, 3, 260),
            RangeGroup("load", 1, 400, 400.0, 400, 0, 0),
        ),
    )
    assert launched(step()).names[0].busy_share == pytest.approx(80 / 190)


def test_a_launch_again_of_the_same_use_is_no_delay_and_is_of_its_range() -> None:
    trace = make_trace(
        launches=[launch(1, 100, 110, call=1), launch(2, 900, 920, call=1)],
        phases=[noted("capture", 50, 70, "annotation"), noted("launch", 60, 60, "call", launch=1)],
    )
    found = launched(trace)
    assert (found.delay_ns, found.names[0].name, found.names[0].count) == (40.0, "launch", 2)
    assert found.ranges == (RangeGroup("capture", 1, 20, 20.0, 20, 2, 30),)


def test_without_launches_there_is_nothing() -> None:
    empty = launched(make_trace())
    assert empty == Launched(0, 0, 0, 0, 0, None, None, (), ())
    assert repr(launched(step())) == "<Launched: 3 launches, 71.4% of the time>"


def test_a_launch_inside_another_one_makes_no_gap() -> None:
    """The second ends long before the first; between the third and the first lie 10 ns."""
    rows = [launch(1, 100, 200), launch(2, 110, 120), launch(3, 210, 215), launch(4, 215, 220)]
    found = launched(make_trace(launches=rows))
    assert (found.launches, found.span_ns, found.covered_ns) == (4, 120, 110)
    assert (found.gaps, found.longest_gap_ns, found.names[0].gap_ns) == (1, 10, 10)


def test_launches_without_their_times_and_calls_that_are_not_known_are_left_out() -> None:
    """The ranges of a thread that launched nothing have no launches."""
    rows: list[Row] = [
        {"launch": 1, "call": 1, "start_ns": 5},
        {"launch": 2, "call": 2, "end_ns": 9},
        launch(3, 20, 30, call=7),
    ]
    trace = make_trace(
        launches=rows,
        phases=[
            noted("step", 0, 40, "annotation"),
            {**noted("open", 0, 0, "annotation"), "end_ns": MISSING},
        ],
    )
    found = launched(trace)
    assert (found.launches, found.delay_ns, found.host_error_ns) == (1, None, None)
    assert found.names == (LaunchGroup("launch", 1, 2, 10, 10.0, 10, 0, 0, 0),)
    assert found.ranges == (RangeGroup("step", 1, 40, 40.0, 40, 0, 0),)


def test_ranges_without_launches_are_shown() -> None:
    found = launched(make_trace(phases=[noted("step", 3, 40, "annotation")]))
    ranges = (RangeGroup("step", 1, 37, 37.0, 37, 0, 0),)
    assert found == Launched(0, 0, 0, 0, 0, None, None, (), ranges)
    assert repr(found) == "<Launched: 0 launches, - of the time>"


def test_launches_that_begin_and_end_with_a_range_are_in_it() -> None:
    """Handles are taken at 10 and at 20, which are the range's ends; one is taken at 21."""
    trace = make_trace(
        launches=[launch(1, 30, 31), launch(2, 40, 42), launch(3, 50, 54)],
        phases=[
            noted("step", 10, 20, "annotation"),
            *(noted("launch", at, at, "call", launch=k) for k, at in ((1, 10), (2, 20), (3, 21))),
        ],
    )
    assert launched(trace).ranges == (RangeGroup("step", 1, 10, 10.0, 10, 2, 3),)


def test_names_that_took_as_long_are_in_the_order_of_their_letters() -> None:
    trace = make_trace(
        launches=[launch(k, 10 * k, 10 * k + 5, name=name) for k, name in enumerate("cab")],
        phases=[noted(name, 0, 9, "annotation") for name in "zyx"],
    )
    found = launched(trace)
    assert [one.name for one in found.names] == ["a", "b", "c"]
    assert [one.name for one in found.ranges] == ["x", "y", "z"]
    assert found.names[0].busy_share is None


def test_ctas_of_other_launches_and_without_their_times_are_left_out() -> None:
    """The CTA of launch 1 was busy from 100 to 130, as long as it had its core."""
    open_block: Row = {"launch": 1, "core": 1, "start_ns": 100}
    trace = make_trace(
        launches=[launch(1, 100, 200)],
        blocks=[block(1, 0, 100, 130), open_block, block(9, 0, 100, 200)],
        tasks=[ran(0, 90, 110, 1), ran(0, 105, 150, 1), ran(1, 100, 150, 1), ran(0, 0, 9, 9)],
    )
    (found,) = launched(trace).names
    assert (found.block_ns, found.busy_ns, found.busy_share) == (30, 30, 1.0)


def test_the_report_has_a_section_for_each() -> None:
    text = build_report(step()).text()
    lines = [" ".join(line.split()) for line in text.splitlines()]
    at = lines.index("Launches")
    assert lines[at + 1 : at + 9] == [
        "launches 3 in 350 ns",
        "between them 100 ns in 1 gap, the longest 100 ns",
        "from handle to start 40.0 ns in the middle",
        "",
        "launch count CTAs total ns median ns max ns gap ns busy",
        "------- ----- ---- -------- --------- ------ ------ -----",
        "forward 2 2 150 75.0 100 100 42.1%",
        "tile 1 2 110 110.0 110 0 18.2%",
    ]
    at = lines.index("Host ranges")
    assert lines[at + 1 : at + 6] == [
        "range count total ns median ns max ns launches their time ns",
        "----- ----- -------- --------- ------ -------- -------------",
        "step 2 490 245.0 250 3 260",
        "load 1 400 400.0 400 0 0",
        "Times of the host are exact to 12 ns.",
    ]


def test_the_short_page_has_the_names_that_took_most() -> None:
    lines = [" ".join(line.split()) for line in build_report(step()).short().splitlines()]
    at = lines.index("Launches, by time")
    assert lines[at + 1 : at + 5] == [
        "launch count total ns median ns gap ns busy",
        "------- ----- -------- --------- ------ -----",
        "forward 2 150 75.0 100 42.1%",
        "tile 1 110 110.0 0 18.2%",
    ]


def test_rows_that_the_program_marked_are_no_phases_of_a_controller() -> None:
    assert controllers(step()) == ()
