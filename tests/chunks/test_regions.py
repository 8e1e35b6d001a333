"""Marks that are two ends become one row; what has no partner stays and is counted."""

from __future__ import annotations

import numpy as np

from lanescope.chunks.regions import MarkNames, join_marks
from lanescope.trace import MISSING, MISSING32, Meta, Table, Trace, Words

Mark = tuple[str, int, int, int]
"""Pipe, number, time, task."""
BEGIN, END, TWICE = 1 << 10, 3 << 10, 3 << 9
NONE = -1


def trace_of(*marks: Mark, core: int = 3) -> Trace:
    words = Words()
    names = [f"mark {number}" + (" (code 10)" if pipe == "fixp" else "")
             if number != MISSING32 else "busy" for pipe, number, *_ in marks]  # fmt: skip
    time = np.array([time for _, _, time, _ in marks], np.int64)
    task = np.array([MISSING if task == NONE else task for *_, task in marks], np.int64)
    columns = {
        "core": np.full(len(marks), core, np.int32),
        "pipe": words.codes([pipe for pipe, *_ in marks]),
        "name": words.codes(names),
        "mark": np.array([number for _, number, _, _ in marks], np.int32),
        "task": task,
        "token": task,
        **{f"{edge}_{unit}": time for edge in ("start", "end") for unit in ("ns", "cycles")},
    }
    meta = Meta(name="t", tool="t", origin="recorded")
    return Trace(meta=meta, marks=Table.build("marks", columns), words=words.freeze())


def rows(trace: Trace) -> list[tuple[str, str, int, int]]:
    marks = trace.marks
    times = marks["start_ns"].tolist(), marks["end_ns"].tolist()
    assert times == (marks["start_cycles"].tolist(), marks["end_cycles"].tolist())
    return list(zip(trace.text("marks", "pipe"), trace.text("marks", "name"), *times, strict=True))


def account(trace: Trace) -> list[tuple[str, str, int, int, int, str]]:
    return [
        (e.lane, e.kind, e.total, e.delivered, e.unmatched, e.reason) for e in trace.meta.ledger
    ]


def test_a_region_begins_and_ends() -> None:
    joined = join_marks(trace_of(("cube", BEGIN + 5, 10, 1), ("cube", END + 5, 30, 1)))
    assert rows(joined) == [("cube", "region 5", 10, 30)]
    assert joined.marks["mark"].tolist() == [BEGIN + 5]
    assert account(joined) == [("core 3", "paired mark", 2, 2, 0, "")]


def test_a_mark_of_a_region_that_never_ends_is_no_instruction() -> None:
    marks = [("cube", BEGIN + 5, time, 1) for time in (10, 30)]
    joined = join_marks(trace_of(*marks))
    assert [(start, end) for _, _, start, end in rows(joined)] == [(10, 10), (30, 30)]
    assert account(joined) == [("core 3", "paired mark", 2, 0, 2, "2 have no partner")]


def test_the_same_mark_twice_is_an_instruction() -> None:
    marks = [("mte2", TWICE + 17, time, 1) for time in (10, 30, 40, 45, 90)]
    joined = join_marks(trace_of(*marks))
    assert rows(joined) == [
        ("mte2", "instruction 17", 10, 30),
        ("mte2", "instruction 17", 40, 45),
        ("mte2", f"mark {TWICE + 17}", 90, 90),
    ]
    assert account(joined) == [("core 3", "paired mark", 5, 4, 1, "1 have no partner")]


def test_a_region_above_511_is_no_instruction() -> None:
    marks = [("cube", BEGIN + 600, 10, 1), ("cube", END + 600, 20, 1)]
    again = [("cube", BEGIN + 600, 30, 2), ("cube", BEGIN + 600, 40, 2)]
    joined = join_marks(trace_of(*marks, *again))
    assert rows(joined) == [
        ("cube", "region 600", 10, 20),
        ("cube", f"mark {BEGIN + 600}", 30, 30),
        ("cube", f"mark {BEGIN + 600}", 40, 40),
    ]


def test_pipes_numbers_tasks_and_cores_are_kept_apart() -> None:
    marks: list[Mark] = [
        ("cube", BEGIN + 1, 10, 1),
        ("mte2", END + 1, 11, 1),
        ("cube", END + 2, 12, 1),
        ("cube", END + 1, 50, 2),
        ("vector", BEGIN + 4, 60, NONE),
        ("vector", END + 4, 70, NONE),
    ]
    joined = join_marks(trace_of(*marks))
    assert len(joined.marks) == 6
    assert account(joined) == [("core 3", "paired mark", 6, 0, 6, "6 have no partner")]


def test_of_nested_marks_of_one_number_the_neighbours_are_a_pair() -> None:
    numbers = (BEGIN, BEGIN, END, END)
    marks = [("scalar", number + 7, 10 * at, 1) for at, number in enumerate(numbers)]
    assert rows(join_marks(trace_of(*marks))) == [
        ("scalar", f"mark {BEGIN + 7}", 0, 0),
        ("scalar", "region 7", 10, 20),
        ("scalar", f"mark {END + 7}", 30, 30),
    ]


def test_a_pair_never_goes_backwards() -> None:
    joined = join_marks(trace_of(("cube", BEGIN + 5, 30, 1), ("cube", END + 5, 10, 1)))
    assert len(joined.marks) == 2
    assert account(joined) == [("core 3", "paired mark", 2, 0, 2, "2 have no partner")]


def test_what_is_no_pair_stays() -> None:
    trace = trace_of(("cube", MISSING32, 5, 1), ("cube", 88, 6, 1), ("cube", 0x9FF, 7, 1))
    joined = join_marks(trace)
    assert rows(joined) == rows(trace)
    assert joined.meta.ledger == ()
    assert len(join_marks(trace_of()).marks) == 0


def test_names_of_regions_instructions_and_marks() -> None:
    trace = trace_of(
        ("fixp", BEGIN + 5, 10, 1),
        ("fixp", END + 5, 12, 1),
        ("cube", TWICE + 5, 13, 1),
        ("cube", TWICE + 5, 14, 1),
        ("cube", 5, 15, 1),
        ("cube", 6, 16, 1),
    )
    names = MarkNames({5: "store"}, {5: "MMAD"}, {5: "here"})
    assert [name for _, name, *_ in rows(join_marks(trace, names))] == [
        *("store (code 10)", "MMAD", "here", "mark 6"),
    ]
