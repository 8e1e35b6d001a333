"""Parts of a trace."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.analyze.hand import make_trace

from lanescope.errors import UsageError
from lanescope.trace import MISSING, Table, Trace, select


def test_no_limit_gives_the_same_trace(trace: Trace) -> None:
    assert select(trace) is trace


def test_a_window_keeps_what_overlaps_it(trace: Trace) -> None:
    part = select(trace, since=195, until=400)
    assert part.tasks["task"].tolist() == [12]
    assert part.phases["start_ns"].tolist() == [200]
    assert part.marks["start_ns"].tolist() == [250]
    assert part.counters["task"].tolist() == [12]
    assert part.edges["pred"].tolist() == []


def test_a_window_keeps_marks_of_which_one_end_is_known(trace: Trace) -> None:
    marks = Table.build(
        "marks", {"start_ns": [10, MISSING, 500, MISSING], "end_ns": [MISSING, 20, MISSING, 600]}
    )
    part = select(replace(trace, marks=marks), since=5, until=30)
    assert part.marks["start_ns"].tolist() == [10, MISSING]


def test_an_edge_stays_when_both_ends_do(trace: Trace) -> None:
    assert select(trace, until=100).edges["succ"].tolist() == [11]


def test_cores_limit_tasks_and_marks_but_not_controllers(trace: Trace) -> None:
    part = select(trace, core=[1])
    assert part.tasks["task"].tolist() == [12]
    assert part.marks["core"].tolist() == [1]
    assert len(part.phases) == 2


def test_cores_limit_stalls_waits_and_counters_too(trace: Trace) -> None:
    """Core 0 has the times 0 to 10, core 1 those from 5 to 20, and one row has no core."""
    names, none = trace.words.index("busy"), -(2**31)
    core = np.array([0, 1, none], np.int32)
    times = {"start_ns": [0, 5, 5], "end_ns": [10, 20, 20]}
    word = np.full(3, names, np.int32)
    whole = replace(
        trace,
        stalls=Table.build("stalls", {"core": core, "lane": word, "cause": word, **times}),
        waits=Table.build("waits", {"core": core, "kind": word, **times}),
        counters=Table.build(
            "counters", {"core": core, "name": word, "value": [1.0, 2.0, 3.0], "time_ns": [0, 5, 5]}
        ),
    )
    part = select(whole, core=[1])
    kept = [part.stalls, part.waits, part.counters]
    assert [table["core"].tolist() for table in kept] == [[1], [1], [1]]
    early = select(whole, until=3)
    assert [len(table) for table in (early.stalls, early.waits, early.counters)] == [1, 1, 1]


def test_functions_go_by_name_or_id(trace: Trace) -> None:
    assert select(trace, function=["QK"]).tasks["task"].tolist() == [10, 12]
    assert select(trace, function=["1"]).tasks["task"].tolist() == [11]
    assert select(trace, function=["QK"]).marks["task"].tolist() == [10]


def test_times_cores_and_functions_may_be_said_as_on_the_command_line(trace: Trace) -> None:
    said = select(trace, since="0.195us", until="400ns", core="0-1", function="QK")
    meant = select(trace, since=195, until=400, core=[0, 1], function=["QK"])
    assert said.tasks["task"].tolist() == meant.tasks["task"].tolist() == [12]
    assert said.meta == meant.meta


def test_one_core_and_one_function_need_no_list(trace: Trace) -> None:
    assert select(trace, core=1).tasks["task"].tolist() == [12]
    assert select(trace, function=1).tasks["task"].tolist() == [11]
    assert select(trace, function=1).meta.notes[0].endswith("functions 1.")


def test_a_time_that_cannot_be_read_is_refused(trace: Trace) -> None:
    with pytest.raises(UsageError, match=r"expected a time like .* found 'soon'"):
        select(trace, since="soon")


def test_an_unknown_function_is_refused_with_those_there_are(trace: Trace) -> None:
    with pytest.raises(UsageError, match="no function 'SF' in tiny; it has: QK, PV"):
        select(trace, function=["SF"])


def test_a_part_says_that_it_is_one(trace: Trace) -> None:
    part = select(trace, since=5, core=[0], function=["QK"])
    assert part.meta.notes == (
        "Only a part of the capture: time 5 ns to …; cores 0; functions QK.",
    )


def test_names_in_a_refusal_are_cut() -> None:
    trace = make_trace(functions=[{"func": 0, "name": "void " + "at::native::" * 20}])
    with pytest.raises(UsageError, match=r"no function 'QK' in hand; it has: void .{54}…$"):
        select(trace, function="QK")


@pytest.mark.parametrize(("count", "end"), [(8, "f6, f7"), (9, "f6, f7, …")])
def test_a_refusal_names_up_to_eight_functions(count: int, end: str) -> None:
    trace = make_trace(functions=[{"func": n, "name": f"f{n}"} for n in range(count)])
    with pytest.raises(UsageError) as caught:
        select(trace, function="QK")
    assert str(caught.value).endswith(end)


def test_both_ends_of_a_window_belong_to_it() -> None:
    """A task of 10 to 20 ns, a phase, a mark and a value that end or begin with it."""
    trace = make_trace(
        tasks=[{"task": 1, "core": 0, "dispatch_ns": 10, "start_ns": 12, "finish_ns": 20}],
        phases=[{"start_ns": 10, "end_ns": 20}],
        marks=[{"core": 0, "start_ns": 10, "end_ns": 20}],
        counters=[{"time_ns": 10}, {"time_ns": 20}, {"value": 1.0}],
        stalls=[{"core": 0, "start_ns": 10, "end_ns": 20}],
        steps=[{"start_ns": 10, "end_ns": 20}],
    )

    def rows(**limits: int) -> list[int]:
        part = select(trace, **limits)  # type: ignore[arg-type]
        names = ("tasks", "phases", "marks", "stalls", "steps", "counters")
        return [len(part.table(name)) for name in names]

    assert rows(since=20) == [1, 1, 1, 1, 1, 2]
    assert rows(since=21) == [0, 0, 0, 0, 0, 1]
    assert rows(until=10) == [1, 1, 1, 1, 1, 2]
    assert rows(until=9) == [0, 0, 0, 0, 0, 1]


def test_a_task_of_which_only_the_start_is_known_lies_there() -> None:
    trace = make_trace(
        tasks=[{"task": 1, "start_ns": 12}, {"task": 2, "end_ns": 30}, {"task": 3}],
    )
    assert select(trace, since=12, until=12).tasks["task"].tolist() == [1]
    assert select(trace, since=20).tasks["task"].tolist() == [2]
    assert select(trace, until=99).tasks["task"].tolist() == [1]


def test_marks_and_values_of_tasks_go_with_them() -> None:
    """Rows of no task stay, unless functions are asked for."""
    trace = make_trace(
        tasks=[{"task": 1, "core": 0, "func": 0}, {"task": 2, "core": 1, "func": 1}],
        functions=[{"func": 0, "name": "a"}, {"func": 1, "name": "b"}],
        marks=[{"core": 0, "task": 1}, {"core": 1, "task": 2}, {"core": 0}],
        counters=[{"core": 0, "task": 1}, {"core": 1, "task": 2}, {"core": 0}],
        collectives=[{"core": 0, "task": 1}, {"core": 1, "task": 2}],
        edges=[{"pred": 1, "succ": 2}, {"pred": 1, "succ": 1}],
    )
    names = ("marks", "counters", "collectives", "edges")

    def left(**limits: str) -> list[list[int]]:
        part = select(trace, **limits)  # type: ignore[arg-type]
        column = {"edges": "succ"}
        return [part.table(name)[column.get(name, "task")].tolist() for name in names]

    assert left(core="0") == [[1, MISSING], [1, MISSING], [1], [1]]
    assert left(function="b") == [[2], [2], [2], []]
