"""Placement by containment: exact, with the truth inside its bounds, or refused."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.formats.simpler.logs import invocations_of, record, run_lines

from lanescope.errors import InputError
from lanescope.formats.json_file import open_object
from lanescope.formats.simpler.alignment import NoAlignment, SavedAlignment, read_alignment
from lanescope.formats.simpler.containment import (
    Enclosure,
    OriginJoin,
    OuterSpan,
    RankPlacement,
    cross_rank_uncertainty,
    join_at_start,
    join_origin,
    order_is_decided,
    place,
)
from lanescope.formats.simpler.invocations import LAUNCH, WALL, rounds
from lanescope.formats.simpler.placing import (
    RunStamps,
    StampRange,
    fit_ns,
    place_run,
    place_run_at_start,
)
from lanescope.formats.simpler.strace import read_host_log

DATA = Path(__file__).parents[3] / "../shared/data/simpler-today"
HERE = Path("records.json")
GHZ = 1_000_000_000
# Zero at counter 1000; 200 ns of wall; the scheduler's span from 20 to 180 ns.
SPANS = [Enclosure("sched", 20, 160, 1030, 1170), Enclosure("device_wall", 0, 200, 1025, 1175)]


def placed(outer: OuterSpan, hz: int = GHZ) -> RankPlacement:
    join = join_origin(HERE, SPANS, GHZ)
    return place(HERE, outer, join, first=1025, last=1175, clock_hz=hz)


def test_the_join_is_what_all_spans_allow() -> None:
    join = join_origin(HERE, SPANS, GHZ)
    # sched: zero is at most 1030 - 20 and at least 1170 - 180; the wall: 1025 and 975.
    assert join == OriginJoin(
        Fraction(1000), Fraction(990), Fraction(1010), 20, ("sched", "device_wall")
    )


def test_the_join_is_exact_where_a_cycle_is_no_whole_number_of_ns() -> None:
    # At 3 GHz a cycle is a third of a nanosecond.
    join = join_origin(HERE, [Enclosure("device_wall", 0, 10, 100, 129)], 3 * GHZ)
    assert (join.lo, join.hi, join.origin_cycles) == (99, 100, Fraction(199, 2))
    assert join.residual_ns == 1
    slow = join_origin(HERE, [Enclosure("device_wall", 0, 25, 100, 101)], 50_000_000)
    assert (slow.lo, slow.hi, slow.residual_ns) == (Fraction(399, 4), 100, 5)


def test_a_placement_has_all_its_figures() -> None:
    there = placed(OuterSpan(5000, 320, 200, 5030))
    assert (there.device_extent_ns, there.outer_slack_ns) == (200, 120)
    assert (there.place_lo_ns, there.place_hi_ns, there.slack_ns) == (5030, 5120, 90)
    assert (there.method, there.causal_constraint) == (
        "span_containment_v1",
        "aicpu_launch<=device_start",
    )
    assert there.host_ns(1025) == 5055
    assert there.bounds_ns(1025) == (5045, 5155)
    assert there.stamp_slack_ns == 110


def test_without_a_launch_the_outer_span_alone_bounds_the_place() -> None:
    there = placed(OuterSpan(5000, 320, 200, None))
    assert (there.place_lo_ns, there.place_hi_ns, there.slack_ns) == (5000, 5120, 120)
    assert (there.aicpu_launch_ns, there.causal_constraint) == (None, None)


def test_records_outside_the_wall_extend_the_work() -> None:
    join = OriginJoin(Fraction(1000), Fraction(1000), Fraction(1000), 0, ("sched",))
    there = place(HERE, OuterSpan(0, 300, 200, None), join, first=990, last=1230, clock_hz=GHZ)
    assert (there.device_extent_ns, there.outer_slack_ns) == (240, 60)
    assert (there.host_ns(990), there.host_ns(1230)) == (0, 240)


def test_figures_are_rounded_so_that_the_slack_is_not_too_small() -> None:
    # 701 cycles of a third of a nanosecond: 233 2/3 ns of work in 300 ns.
    join = OriginJoin(Fraction(1000), Fraction(1000), Fraction(1000), 0, ("sched",))
    outer = OuterSpan(0, 300, 200, None)
    there = place(HERE, outer, join, first=1000, last=1701, clock_hz=3 * GHZ)
    assert (there.device_extent_ns, there.outer_slack_ns, there.place_hi_ns) == (233, 67, 67)
    assert (there.host_ns(1701), there.bounds_ns(1701)) == (233, (233, 301))


def test_the_saved_form_has_the_same_times_and_bounds() -> None:
    there = placed(OuterSpan(5000, 320, 200, 5030))
    saved = there.saved(1025)
    assert (saved.host_anchor_min_ns, saved.host_anchor_ns, saved.host_anchor_max_ns) == (
        5045,
        5055,
        5155,
    )
    assert saved.slack_ns == there.stamp_slack_ns
    for cycles in (1000, 1030, 1175):
        assert saved.host_ns(cycles) == there.host_ns(cycles)
        assert saved.bounds_ns(cycles) == there.bounds_ns(cycles)


def refusal(problem: str) -> Any:
    return pytest.raises(InputError, match=rf"^records\.json: {problem}$")


def test_spans_that_contradict_are_refused() -> None:
    with refusal(
        "the host's log is not of this run: its records last 5 ns longer than the span 'sched'"
    ):
        join_origin(HERE, [Enclosure("sched", 20, 160, 1000, 1165), SPANS[1]], GHZ)
    with refusal(
        "the host's log is not of this run: the spans 'device_wall' and 'sched' contradict each "
        "other by 15 ns"
    ):
        join_origin(HERE, [Enclosure("sched", 20, 160, 1100, 1220), SPANS[1]], GHZ)
    with refusal("nothing to place: 0 device spans at 5 Hz"):
        join_origin(HERE, [], 5)
    with refusal("nothing to place: 2 device spans at 0 Hz"):
        join_origin(HERE, SPANS, 0)


def test_an_outer_span_that_is_too_short_is_refused() -> None:
    assert placed(OuterSpan(0, 200, 200, None)).slack_ns == 0
    with refusal(
        "the device worked for 200 ns, 1 ns longer than the span 'runner_run' that contains it; "
        "the host's log is not of this run"
    ):
        placed(OuterSpan(0, 199, 200, None))
    assert placed(OuterSpan(0, 320, 200, 120)).slack_ns == 0
    with refusal(
        "'aicpu_launch' lies 1 ns too late: the device work after it would end after the span "
        "'runner_run' that contains it"
    ):
        placed(OuterSpan(0, 320, 200, 121))
    with refusal("'aicpu_launch' lies 3 ns before its span 'runner_run'"):
        placed(OuterSpan(10, 320, 200, 7))


def test_the_walls_start_is_zero_only_when_asked_for_and_inside_the_bounds() -> None:
    join = join_origin(HERE, SPANS, GHZ)
    exact = join_at_start(HERE, join, 1003)
    assert (exact.origin_cycles, exact.residual_ns) == (1003, 0)
    assert exact.sources == ("sched", "device_wall", "dev_start_cycle")
    with refusal(
        "'dev_start_cycle' 980 lies 10 cycles before the earliest zero that the spans sched, "
        "device_wall allow, so it cannot be taken as zero"
    ):
        join_at_start(HERE, join, 980)
    with refusal(
        "'dev_start_cycle' 1011 lies 1 cycles after the latest zero that the spans sched, "
        "device_wall allow, so it cannot be taken as zero"
    ):
        join_at_start(HERE, join, 1011)


def test_two_ranks_move_against_each_other_by_their_widest_slacks() -> None:
    wide, narrow = (placed(OuterSpan(0, 320, 200, launch)) for launch in (None, 100))
    saved = SavedAlignment(
        clock_hz=GHZ,
        device_anchor_cycles=0,
        host_anchor_ns=5,
        host_anchor_min_ns=0,
        host_anchor_max_ns=50,
    )
    assert cross_rank_uncertainty([wide, narrow]) == 140
    assert cross_rank_uncertainty([narrow, saved, wide]) == 170
    assert (cross_rank_uncertainty([wide]), cross_rank_uncertainty([])) == (None, None)
    assert [order_is_decided(gap, 140) for gap in (-141, -140, 0, 140, 141)] == [
        *(True, False, False, False, True),
    ]


@st.composite
def true_runs(draw: st.DrawFn) -> tuple[list[Enclosure], OuterSpan, int, Fraction, int, int]:
    """Spans, outer span, clock, true counter at zero, true host time of zero, wall."""
    hz = draw(st.sampled_from([GHZ, 50_000_000, 3 * GHZ, 1_234_567_891]))
    per_ns = Fraction(hz, GHZ)
    wall = draw(st.integers(200, 10**7))
    zero = Fraction(draw(st.integers(10**9, 10**12)))
    spans, stamps = [], []
    for name in ("sched", "orch"):
        start = draw(st.integers(0, wall))
        end = draw(st.integers(start, wall))
        inside = sorted(draw(st.integers(start, end)) for _ in range(2))
        # Whole counter values inside the span: the first one at or after, the last one before.
        first, last = -(-(zero + inside[0] * per_ns) // 1), (zero + inside[1] * per_ns) // 1
        if first <= last:
            spans.append(Enclosure(name, start, end - start, int(first), int(last)))
            stamps += [int(first), int(last)]
    assume(stamps)
    spans.append(Enclosure("device_wall", 0, wall, min(stamps), max(stamps)))
    before, after = draw(st.integers(0, 10**6)), draw(st.integers(0, 10**6))
    start = draw(st.integers(0, 10**12))
    launch = draw(st.none() | st.integers(start, start + before))
    outer = OuterSpan(start, before + wall + after, wall, launch)
    return spans, outer, hz, zero, start + before, wall


@given(true_runs())
def test_the_truth_is_inside_the_bounds(
    run: tuple[list[Enclosure], OuterSpan, int, Fraction, int, int],
) -> None:
    spans, outer, hz, zero, host_zero, _ = run
    join = join_origin(HERE, spans, hz)
    assert join.lo <= zero <= join.hi
    first, last = spans[-1].first_cycles, spans[-1].last_cycles
    there = place(HERE, outer, join, first=first, last=last, clock_hz=hz)
    assert there.place_lo_ns <= host_zero <= there.place_hi_ns
    for cycles in (first, last):
        earliest, latest = there.bounds_ns(cycles)
        assert earliest <= host_zero + (cycles - zero) * GHZ / hz <= latest
        assert earliest <= there.host_ns(cycles) <= latest
        assert outer.start_ns <= there.host_ns(cycles) <= outer.start_ns + outer.duration_ns
    alone = join_at_start(HERE, join, int(zero))
    exact = place(HERE, outer, alone, first=first, last=last, clock_hz=hz)
    assert exact.place_lo_ns <= host_zero <= exact.place_hi_ns


@given(true_runs(), st.integers(1, 10**6))
def test_impossible_spans_are_refused(
    run: tuple[list[Enclosure], OuterSpan, int, Fraction, int, int], too_much: int
) -> None:
    spans, outer, hz, _, _, wall = run
    join = join_origin(HERE, spans, hz)
    first, last = spans[-1].first_cycles, spans[-1].last_cycles
    short = outer._replace(duration_ns=max(wall - too_much, 0), launch_ns=None)
    with pytest.raises(InputError, match="longer than the span 'runner_run'"):
        place(HERE, short, join, first=first, last=last, clock_hz=hz)
    late = outer._replace(launch_ns=outer.start_ns + outer.duration_ns - wall + too_much)
    with pytest.raises(InputError, match="too late"):
        place(HERE, late, join, first=first, last=last, clock_hz=hz)
    longer = spans[0].duration_ns * Fraction(hz, GHZ) // 1 + too_much
    bad = spans[0]._replace(last_cycles=spans[0].first_cycles + int(longer) + 1)
    with pytest.raises(InputError, match="is not of this run"):
        join_origin(HERE, [bad, *spans[1:]], hz)


STAMPS = RunStamps(
    path=HERE, clock_hz=GHZ, whole=StampRange(1025, 1175), sched=StampRange(1030, 1170)
)


def test_a_run_is_placed_inside_its_invocation(tmp_path: Path) -> None:
    lines = [
        *run_lines((5000, 320), 200),
        record(f"{WALL}.sched", 20, 160, "clk=dev", depth=3),
        record(f"{WALL}.orch", 30, 0, "clk=dev", depth=3),
        record(LAUNCH, 5030, 0, depth=2),
    ]
    (invocation,) = invocations_of(tmp_path, lines)
    assert place_run(STAMPS, invocation) == placed(OuterSpan(5000, 320, 200, 5030))
    with_orch = replace(STAMPS, orch=StampRange(1040, 1050))
    assert place_run(with_orch, invocation).join.sources == ("sched", "device_wall")
    assert fit_ns(STAMPS, invocation) == 160 - 140
    with pytest.raises(InputError, match=r"'dev_start_cycle' of the device wall is ''"):
        place_run_at_start(STAMPS, invocation)
    (loose,) = invocations_of(tmp_path, run_lines((5000, 320), 200))
    assert place_run(STAMPS, loose).join.sources == ("device_wall",)
    assert fit_ns(STAMPS, loose) == 200 - 150
    (short,) = invocations_of(tmp_path, run_lines((5000, 199), 200))
    assert fit_ns(STAMPS, short) is None


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (
            lambda lines: lines[:1] + lines[2:],
            "the host's log has 0 spans 'chip.run.runner_run' of pid 41 inv 1, expected one",
        ),
        (
            lambda lines: [lines[0], *lines],
            "the host's log has 2 spans 'chip.run.runner_run.device_wall' of pid 41 inv 1, "
            "expected one",
        ),
        (
            lambda lines: [lines[0].removesuffix(" clk=dev"), *lines[1:]],
            "the span 'chip.run.runner_run.device_wall' of its log is on the host's clock",
        ),
    ],
)
def test_an_invocation_without_its_spans_is_refused(
    tmp_path: Path, wrong: Any, problem: str
) -> None:
    (invocation,) = invocations_of(tmp_path, wrong(run_lines((5000, 320), 200)))
    with refusal(f"cannot be placed: {problem}"):
        place_run(STAMPS, invocation)


def test_a_launch_on_the_devices_clock_bounds_nothing(tmp_path: Path) -> None:
    lines = [*run_lines((5000, 320), 200), record(LAUNCH, 30, 0, "clk=dev", depth=2)]
    (invocation,) = invocations_of(tmp_path, lines)
    assert place_run(STAMPS, invocation).aicpu_launch_ns is None


def test_the_walls_start_counts_only_at_the_rate_of_the_records(tmp_path: Path) -> None:
    lines = run_lines((5000, 320), 200)
    said = "clk=dev dev_start_cycle=1003 dev_cnt_hz="
    at_rate = [lines[0].replace("clk=dev", f"{said}{GHZ}"), *lines[1:]]
    (invocation,) = invocations_of(tmp_path, at_rate)
    assert place_run_at_start(STAMPS, invocation).join.origin_cycles == 1003
    (invocation,) = invocations_of(tmp_path, [lines[0].replace("clk=dev", f"{said}5"), *lines[1:]])
    with pytest.raises(InputError, match="'dev_cnt_hz' of the device wall is '5', and the records"):
        place_run_at_start(STAMPS, invocation)


BOUNDED = {
    "status": "bounded",
    "device_anchor_cycles": 1025,
    "host_anchor_ns": 5055,
    "host_anchor_min_ns": 5045,
    "host_anchor_max_ns": 5155,
}


def saved_in(folder: Path, alignment: object) -> SavedAlignment | NoAlignment | None:
    path = folder / "records.json"
    path.write_text(json.dumps({"metadata": {"clock_alignment": alignment, "num_cores": 2}}))
    return read_alignment(open_object(path), GHZ)


def test_a_saved_alignment_is_read(tmp_path: Path) -> None:
    assert saved_in(tmp_path, BOUNDED) == placed(OuterSpan(5000, 320, 200, 5030)).saved(1025)
    unavailable = {"status": "unavailable", "reason": "no log"}
    assert saved_in(tmp_path, unavailable) == NoAlignment("no log")
    assert saved_in(tmp_path, None) is None


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"host_anchor_ns": 5044}, "found 5045, 5044 and 5155"),
        ({"host_anchor_ns": 5055.5}, "Expected `int`, got `float`"),
        ({"host_anchor_min_ns": -1}, "Expected `int` >= 0"),
        ({"host_anchor_max_ns": 1 << 61}, "Expected `int` <= 2305843009213693951"),
        ({"status": "guessed"}, "Invalid value 'guessed'"),
    ],
)
def test_a_damaged_saved_alignment_is_refused(
    tmp_path: Path, change: dict[str, object], problem: str
) -> None:
    with pytest.raises(InputError, match=r"'metadata\.clock_alignment' is damaged: ") as error:
        saved_in(tmp_path, {**BOUNDED, **change})
    assert problem in str(error.value)


def stamps_of(path: Path) -> RunStamps:
    """The stamps of a records file, gathered as plainly as possible."""
    data = json.loads(path.read_text())
    streams = data["scheduler_records"]["streams"]
    records = [record for stream in streams for record in stream["records"]]
    sched = [record[key] for record in records for key in ("start_cycles", "end_cycles")]
    rows = [cell for row in data["scheduler_tasks"]["records"] for cell in row[2:4]]
    tasks = [cell for row in data["aicore_tasks"] for cell in (row[3] - row[5], row[4])]
    whole = [*sched, *rows, *tasks]
    return RunStamps(
        path=path,
        clock_hz=data["metadata"]["clock_freq_hz"],
        whole=StampRange(min(whole), max(whole)),
        sched=StampRange(min(sched), max(sched)),
    )


@pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")
def test_two_example_ranks_lie_where_another_program_put_them() -> None:
    expected = json.loads((DATA / "expected.json").read_text())["two_ranks"]
    logs = [read_host_log(path) for path in sorted((DATA / "two_ranks").glob("*.log"))]
    placements, starts = [], []
    for rank, invocation in enumerate(rounds(*logs)):
        path = DATA / f"two_ranks/rank{rank}/d0/chip_swimlane_records.json"
        stamps = stamps_of(path)
        tasks = json.loads(path.read_text())["aicore_tasks"]
        there = place_run(stamps, invocation)
        exact = place_run_at_start(stamps, invocation)
        starts.append(min(there.host_ns(row[3]) for row in tasks))
        figures = {
            "host_pid": invocation.pid,
            "join_lo_cycles": there.join.lo,
            "join_hi_cycles": there.join.hi,
            "origin_cycles": there.join.origin_cycles,
            "residual_ns": there.join.residual_ns,
            "first_task_start_host_ns": starts[-1],
            "last_task_end_host_ns": max(there.host_ns(row[4]) for row in tasks),
            "origin_if_dev_start_cycle_is_used": exact.join.origin_cycles,
        }
        wanted = expected["placement"][f"rank{rank}"]
        figures |= {key: getattr(there, key) for key in wanted if key not in figures}
        assert figures == wanted
        placements.append(there)
    uncertainty = cross_rank_uncertainty(placements)
    gap = starts[1] - starts[0]
    assert uncertainty == expected["cross_rank_uncertainty_ns"]
    assert gap == expected["first_start_gap_rank1_minus_rank0_ns"]
    assert order_is_decided(gap, uncertainty) == expected["gap_is_decided"]
