"""What ran on lanes that are no cores, in numbers and as a line."""

from __future__ import annotations

from tests.analyze.hand import make_trace, task

from lanescope.trace.lane_summary import lane_numbers, lane_parts, ran_text

STREAMS = [{"core": core, "lane": "stream"} for core in range(2)]
WORK = [
    {"func": 0, "name": "gemm"},
    {"func": 1, "name": "copy", "work": "copy"},
    {"func": 2, "name": "fill", "work": "fill"},
    {"func": 3, "name": "wait", "work": "wait"},
]


def test_a_trace_of_cores_has_no_more_to_say() -> None:
    assert lane_numbers(make_trace(cores=[{"core": 0}])) == {}


def test_kernels_are_what_ran_and_is_no_other_work() -> None:
    """A row that never ran counts for nothing; one of an unknown function is a kernel."""
    funcs = [0, 0, 1, 2, 2, 9, 3]
    ran = [task(0, None, None, 10, 20, None, func=func) for func in funcs]
    trace = make_trace(
        tasks=[*ran, task(0, None, None, 10, None, None, func=1)],
        cores=STREAMS,
        functions=WORK,
        controllers=[
            {"lane": "host", "controller": 0},
            {"lane": "scheduler", "controller": 1},
            {"lane": "host", "controller": 2},
        ],
        steps=[{"start_ns": 0, "end_ns": 1}],
        collectives=[{"start_ns": 0, "end_ns": 1}] * 3,
    )
    numbers = lane_numbers(trace)
    assert numbers == {
        "lanes": {"streams": 2},
        "ran": {"kernels": 3, "copies": 1, "fills": 2, "waits": 1},
        "host_threads": 2,
        "steps": 1,
        "collectives": 3,
    }
    line = numbers | {"phases": 1000, "marks": 0, "counters": 1}
    assert lane_parts(line) == [
        "3 kernels, 1 copy, 2 fills, 1 wait on 2 streams",
        "2 host threads",
        "1,000 host rows",
        "1 step",
        "3 collectives",
        "1 counter value",
    ]


def test_slices_of_tracks_are_counted_as_they_are() -> None:
    trace = make_trace(
        tasks=[task(0, None, None, 10, 20, None, func=1)],
        cores=[{"core": 0, "lane": "track"}],
        functions=WORK,
    )
    numbers = lane_numbers(trace)
    assert (numbers["ran"], numbers["lanes"]) == ({"slices": 1}, {"tracks": 1})
    assert ran_text(numbers) == "1 slice"


def test_where_nothing_ran_the_lanes_stand_alone() -> None:
    empty = lane_numbers(make_trace(cores=STREAMS[:1])) | dict.fromkeys(
        ("phases", "marks", "counters"), 0
    )
    assert lane_parts(empty) == ["1 stream"]
