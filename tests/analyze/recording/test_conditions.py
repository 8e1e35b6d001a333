"""Conditions of a recording that stand before all figures."""

from __future__ import annotations

from typing import Any

import pytest
from tests.analyze.hand import Row, make_trace, task

from lanescope.analyze.recording.conditions import conditions
from lanescope.reports import build_report
from lanescope.trace.meta import RecordingFacts
from lanescope.trace.schema import TaskFlag
from lanescope.trace.trace import Trace

EDGE: list[Row] = [{"pred": 1, "succ": 2}]


def recorded(recording: RecordingFacts | None = None, **more: Any) -> Trace:
    tables = {"tasks": [task(0, 0, 1, 2, 3, 4, task=1)], "edges": EDGE} | more
    return make_trace({"level": 4, "recording": recording}, **tables)


def words(trace: Trace) -> list[str]:
    return [one.what for one in conditions(trace)]


@pytest.mark.parametrize(
    ("threads", "processors", "load", "found"),
    [
        (8, 2, 0.0, ["processors"]),
        (3, 2, 9.0, ["processors"]),
        (2, 2, 0.0, []),
        (2, 2, 1.5, []),
        (2, 2, 1.51, ["load"]),
        (None, 4, 3.1, ["load"]),
        (8, None, 9.0, []),
    ],
)
def test_processors_and_load(
    threads: int | None, processors: int | None, load: float, found: list[str]
) -> None:
    facts = RecordingFacts(threads=threads, processors=processors, load=load)
    assert words(recorded(facts)) == found


def test_the_sentences_say_what_is_so_and_what_to_do() -> None:
    (one,) = conditions(recorded(RecordingFacts(threads=8, processors=2)))
    assert one.text == (
        "Too few processors: 8 threads shared 2 processors, so a core or a scheduler often waited "
        "for its turn. Waits below are mostly that."
    )
    assert one.todo.startswith("Run on a machine with at least 8 processors")


def test_wild_and_backward_times() -> None:
    rows = [task(0, 0, 1, 2, 3, 4, task=1)]
    none = (None,) * 5
    rows += [task(0, *none, task=2 + n, flags=flag) for n, flag in enumerate((1024, 8, 16))]
    assert TaskFlag.WILD_TIME == 1024 and TaskFlag.BACKWARDS == 8
    (one,) = conditions(recorded(tasks=rows))
    assert one.what == "clock" and "2 task rows" in one.text


def test_a_kernel_of_ones_own_is_not_told_to_record_a_dispatch() -> None:
    facts = RecordingFacts(unit_clock_hz=1_980_000_000)
    (one,) = conditions(recorded(facts, tasks=[task(0, None, 1, 2, 3, None, task=1)]))
    assert (one.what, one.text, one.todo) == (
        "level",
        "A kernel without a scheduler has no dispatch, so waits have no reasons.",
        "send() and receive() in the kernel record which task another one waited for.",
    )


def test_level_one_and_no_graph() -> None:
    level_one = recorded(tasks=[task(0, None, 1, 2, 3, None, task=1)], edges=[])
    assert words(level_one) == ["level"]
    assert words(recorded(edges=[])) == ["graph"]
    assert words(recorded()) == []


def test_traces_of_nothing_and_of_streams_have_none() -> None:
    assert conditions(make_trace()) == ()
    streams = recorded(cores=[{"core": 0, "lane": "stream"}], edges=[])
    assert conditions(streams) == ()


def test_they_stand_before_all_figures_and_in_the_json() -> None:
    report = build_report(recorded(RecordingFacts(threads=8, processors=2)))
    for text in (report.text(), report.short()):
        assert text.startswith("! Read this first\n  Too few processors: 8 threads")
    assert report.to_dict()["conditions"][0]["what"] == "processors"
